"""The secret that everything reversible hangs on."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from sfumato.errors import KeyProblem

_SHORTEST = 16


class Key:
    """A secret from a key file. Each use gets a key of its own, derived by HKDF-SHA-256, so uses cannot mix."""

    def __init__(self, material: bytes) -> None:
        if len(material) < _SHORTEST:
            raise KeyProblem(
                f"a key has at least {_SHORTEST} bytes; make a new one by naming a file that does not exist"
            )
        self._material = material

    @classmethod
    def load(cls, path: str | Path) -> Key:
        """Read a key file: any file of at least 16 unguessable bytes; a final line break does not count."""
        try:
            material = Path(path).read_bytes()
        except FileNotFoundError:
            raise KeyProblem(f"{path}: no such key file; give the one the vault was made with") from None
        except OSError as error:
            raise KeyProblem(f"{path}: the key file cannot be read ({error.strerror})") from None
        try:
            return cls(material.rstrip(b"\r\n"))
        except KeyProblem as problem:
            raise KeyProblem(f"{path}: {problem}") from None

    @classmethod
    def create(cls, path: str | Path) -> Key:
        """Write a new random key, readable by its owner only. Never overwrites."""
        material = secrets.token_hex(32).encode()
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise KeyProblem(f"{path}: exists already; a key is never overwritten") from None
        except OSError as error:
            raise KeyProblem(f"{path}: the key file cannot be written ({error.strerror})") from None
        with os.fdopen(handle, "wb") as file:
            file.write(material + b"\n")
        return cls(material)

    @classmethod
    def random(cls) -> Key:
        """A key that nobody will have again."""
        return cls(secrets.token_bytes(32))

    def derive(self, purpose: str) -> bytes:
        """32 bytes for one purpose."""
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        return HKDF(SHA256(), 32, salt=None, info=f"sfumato/1/{purpose}".encode()).derive(self._material)
