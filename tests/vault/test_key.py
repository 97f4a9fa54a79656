"""Keys: requirements for key files, and a separate key for each purpose."""

from __future__ import annotations

import base64
import random
import uuid
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import EncryptionKeyError
from sfumato.vault.key import Key, find_weakness
from sfumato.vault.store import Vault

RANDOM_BYTES = random.Random(7).randbytes(16)


def _hmac(key: bytes, message: bytes) -> bytes:
    made = HMAC(key, SHA256())
    made.update(message)
    return made.finalize()


def test_a_use_has_a_key_by_hkdf() -> None:
    """RFC 5869 in full, for one block of 32 bytes and no salt."""
    material = b"sixteen bytes it"
    extracted = _hmac(bytes(32), material)
    assert Key(material).derive("random") == _hmac(extracted, b"sfumato/1/random\x01")


def test_sixteen_bytes_are_enough_and_a_line_break_is_none(tmp_path: Path) -> None:
    path = tmp_path / "k"
    path.write_bytes(RANDOM_BYTES + b"\r\n")
    assert Key.load(path).derive("a") == Key(RANDOM_BYTES).derive("a")
    path.write_bytes(RANDOM_BYTES[:15] + b"\n\n\n")
    for load in (Key.load, Key.load_existing):
        with pytest.raises(EncryptionKeyError, match=rf"{path.name}: a key has at least 16 bytes.*secrets.token_hex"):
            load(path)


WEAK = {
    "one letter": b"a" * 16,
    "one letter, long": b"a" * 4000,
    "two letters": b"ab" * 40,
    "zeros": bytes(32),
    "counted": bytes(range(64)),
    "counted in digits": b"0123456789abcdef",
    "a keyboard's row": b"qwertyuiopasdfghjkl",
    "a password, repeated": b"Password1!Password2!Password3!",
    "words": b"correct-horse-battery-staple-again-and-again",
    "a sentence": b"a key for a test, of no other use",
    "a sentence in UTF-16": "plain words of sixteen bits each".encode("utf-16"),
    "a sentence in Greek": "ένα κείμενο που δεν είναι κλειδί".encode(),
    "a document": Path(__file__).read_bytes()[:4000],
    "a long document": random.Random(1).randbytes(5000),
    "a date and a time": b"2024-05-03 12:30:11 0001",
}


@pytest.mark.parametrize("name", WEAK)
def test_a_key_that_is_easily_guessed_is_refused_for_anything_new(name: str, tmp_path: Path) -> None:
    path = tmp_path / "k"
    path.write_bytes(WEAK[name])
    with pytest.raises(EncryptionKeyError, match=r"k: .*make a new key by naming a file that does not exist, or with"):
        Vault.open(tmp_path / "v.db", path)
    assert not (tmp_path / "v.db").exists()
    Vault(tmp_path / "v.db", Key(WEAK[name])).close()  # as earlier versions did
    Vault.open_existing(tmp_path / "v.db", path).close()


@pytest.mark.parametrize("kind", ["bytes", "hex", "base64", "uuid"])
@given(seed=st.integers(0, 1 << 64))
def test_random_keys_are_not_refused(kind: str, seed: int) -> None:
    drawn = random.Random(seed).randbytes(32)
    material = {
        "bytes": drawn[:16],
        "hex": drawn[:16].hex().encode(),
        "base64": base64.b64encode(drawn),
        "uuid": str(uuid.UUID(bytes=drawn[:16])).encode(),
    }[kind]
    assert find_weakness(material) is None
    assert find_weakness(b"# made by hand\n" + material.hex().encode()) is None


def test_keys_that_sfumato_made_are_valid(tmp_path: Path) -> None:
    for number in range(50):
        Key.create(tmp_path / str(number))
        Key.load(tmp_path / str(number))


def test_a_key_that_was_made_is_the_one_in_its_file(tmp_path: Path) -> None:
    made = Key.create(tmp_path / "k")
    assert made.derive("a") == Key.load(tmp_path / "k").derive("a")
    assert len((tmp_path / "k").read_bytes().strip()) == 64
    assert Key.random().derive("a") != Key.random().derive("a")


def test_what_cannot_be_read_or_written_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(EncryptionKeyError, match=r"the key file cannot be read \(Is a directory\)"):
        Key.load(tmp_path)
    with pytest.raises(EncryptionKeyError, match=r"none/k: the key file cannot be written \(No such file"):
        Key.create(tmp_path / "none" / "k")
