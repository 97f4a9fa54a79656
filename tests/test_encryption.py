"""Encrypted database entries: bound to their place, to their key, and looked up by a keyed hash."""

from __future__ import annotations

import pytest

from sfumato.encryption import EntryCipher
from sfumato.errors import EncryptionKeyError

ONE, TWO = bytes(32), bytes([1]) * 32


def test_an_entry_is_decrypted_only_with_its_key_at_its_place_and_unchanged() -> None:
    cipher = EntryCipher(ONE, TWO, damaged="the entry is damaged")
    entry = cipher.encrypt(b"Mara Quill", b"place")
    assert cipher.decrypt(entry, b"place") == b"Mara Quill"
    assert entry != cipher.encrypt(b"Mara Quill", b"place")
    for other, value, place in (
        (cipher, entry, b"elsewhere"),
        (cipher, entry[:-1], b"place"),
        (cipher, b"", b"place"),
        (EntryCipher(TWO, ONE, damaged="the entry is damaged"), entry, b"place"),
    ):
        with pytest.raises(EncryptionKeyError, match="the entry is damaged"):
            other.decrypt(value, place)


def test_the_lookup_hash_depends_on_the_key_and_the_message() -> None:
    first, second = EntryCipher(ONE, TWO, damaged=""), EntryCipher(ONE, ONE, damaged="")
    assert first.index(b"a") == first.index(b"a")
    assert len({first.index(b"a"), first.index(b"b"), second.index(b"a")}) == 3
