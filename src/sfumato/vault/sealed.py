"""A SQLite file that shows nothing without its key: what is kept is encrypted, what is looked up is hashed."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sfumato.errors import KeyProblem, WrongArgument
from sfumato.vault.key import Key

_META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
_CHECK = b"sfumato vault 1"
_HEADER = b"SQLite format 3\0"
_BUSY_SECONDS = 60.0


class SealedFile:
    """An open file. Safe to share between threads; other processes open the same file themselves."""

    schema = ""
    """Its tables, as SQL statements."""

    def __init__(self, path: str | Path, key: Key) -> None:
        self.path = Path(path)
        self.key = key
        self._cipher = AESGCM(key.derive("vault/encrypt"))
        self._index = key.derive("vault/index")
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._is_closed = False
        self._connection = self._connect()

    def _connect(self) -> sqlite3.Connection:
        is_new = not self.path.exists() or self.path.stat().st_size == 0
        if not is_new:
            with self.path.open("rb") as file:
                if file.read(len(_HEADER)) != _HEADER:
                    raise KeyProblem(f"{self.path}: not a vault; check the name")
        try:
            connection = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            if is_new:
                os.chmod(self.path, 0o600)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            for statement in (_META, *self.schema.split(";")):
                connection.execute(statement)
            row = connection.execute("SELECT value FROM meta WHERE name = 'check'").fetchone()
            if row is None:
                connection.execute("INSERT INTO meta VALUES ('check', ?)", (self._seal(_CHECK, b"check"),))
            connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            raise KeyProblem(f"{self.path}: not a vault, or not readable and writable ({error})") from None
        if row is not None:
            try:
                self._unseal(row[0], b"check")
            except KeyProblem:
                connection.close()
                raise KeyProblem(
                    f"{self.path}: this key does not open the vault; give the key file it was made with"
                ) from None
        return connection

    def close(self) -> None:
        self._is_closed = True
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def _db(self) -> sqlite3.Connection:
        if self._is_closed:
            raise WrongArgument(f"{self.path}: this vault is closed; open it again, or work inside its with block")
        if os.getpid() != self._pid:  # SQLite connections do not survive a fork
            self._pid = os.getpid()
            self._lock = threading.RLock()
            self._connection = self._connect()
        return self._connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._db
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def _tag(self, *parts: str | bytes) -> bytes:
        # Length-prefixed, so that no two lists of parts give one message.
        encoded = [part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part for part in parts]
        message = b"".join(len(part).to_bytes(8, "big") + part for part in encoded)
        return hmac.new(self._index, message, hashlib.sha256).digest()

    def _seal(self, plain: bytes, bound_to: bytes) -> bytes:
        nonce = secrets.token_bytes(12)
        return nonce + self._cipher.encrypt(nonce, plain, bound_to)

    def _unseal(self, blob: bytes, bound_to: bytes) -> bytes:
        try:
            return self._cipher.decrypt(blob[:12], blob[12:], bound_to)
        except InvalidTag:
            raise KeyProblem(f"{self.path}: an entry is damaged; restore the vault from a backup") from None
