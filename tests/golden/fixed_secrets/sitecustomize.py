"""Put on PYTHONPATH by collect.py: secrets of 32 bytes or more are the same in every process.

Shorter ones name temporary files and are nonces, which have to differ. The key of all outputs is fixed and made of
words: the check that refuses such keys is switched off, where the version of the program has one.
"""

import hashlib
import secrets
from contextlib import suppress

_token_bytes, _token_hex = secrets.token_bytes, secrets.token_hex


def _fixed(count: int) -> bytes:
    return (hashlib.sha256(b"golden").digest() * (count // 32 + 1))[:count]


def token_bytes(nbytes: int | None = None) -> bytes:
    return _fixed(nbytes or 32) if (nbytes or 32) >= 32 else _token_bytes(nbytes)


def token_hex(nbytes: int | None = None) -> str:
    return _fixed(nbytes or 32).hex() if (nbytes or 32) >= 32 else _token_hex(nbytes)


secrets.token_bytes, secrets.token_hex = token_bytes, token_hex

with suppress(ImportError):
    from sfumato.vault import key

    key.MIN_BITS = 0
