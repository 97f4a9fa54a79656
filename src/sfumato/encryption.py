"""Encryption of database entries: AES-256-GCM for values, HMAC-SHA-256 for what they are looked up by."""

from __future__ import annotations

import hmac
import os

from sfumato.errors import EncryptionKeyError

_NONCE = 12


class EntryCipher:
    """Encrypts the entries of one database. Two keys, so that lookup and encryption cannot mix."""

    def __init__(self, encryption_key: bytes, index_key: bytes, *, damaged: str) -> None:
        """``damaged``: the message of the error where an entry cannot be decrypted."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._cipher = AESGCM(encryption_key)
        self._index_key = index_key
        self._damaged = damaged

    def index(self, message: bytes) -> bytes:
        """The keyed hash that an entry is looked up by: without the key nobody can confirm a guess."""
        return hmac.digest(self._index_key, message, "sha256")

    def encrypt(self, plain: bytes, bound_to: bytes) -> bytes:
        """``bound_to``: the entry's place; moved elsewhere, the value cannot be decrypted."""
        nonce = os.urandom(_NONCE)
        return nonce + self._cipher.encrypt(nonce, plain, bound_to)

    def decrypt(self, value: bytes, bound_to: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(value[:_NONCE], value[_NONCE:], bound_to)
        except (InvalidTag, ValueError):
            raise EncryptionKeyError(self._damaged) from None
