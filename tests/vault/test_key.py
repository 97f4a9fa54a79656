"""Keys: requirements for key files, and a separate key for each purpose."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC

from sfumato.errors import EncryptionKeyError
from sfumato.vault.ledger import Key


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
    path.write_bytes(b"0123456789abcdef\r\n")
    assert Key.load(path).derive("a") == Key(b"0123456789abcdef").derive("a")
    path.write_bytes(b"0123456789abcde\n\n\n")
    with pytest.raises(EncryptionKeyError, match=rf"{path.name}: a key has at least 16 bytes"):
        Key.load(path)


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
