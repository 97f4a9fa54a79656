"""Caches and other private databases on disk: keys that include the version of the code, files, encrypted entries.

Users of ``cache_key`` and ``SqliteStore``: checkpoints of a protected run, results of a comparison, and model outputs.
Two stores differ for a reason: the journal of a run (``runs.journal``) is an ordered list that is streamed into the
output, and replies of language models (``llm.cache``) do not depend on our code, may be encrypted, and cost money.
"""

from __future__ import annotations

import hmac
import json
import os
import sqlite3
import weakref
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any

from sfumato import registry
from sfumato.errors import EncryptionKeyError, OutputError
from sfumato.files import create_file, disk_full
from sfumato.version import __version__

_LARGE = 1 << 22
_SAMPLE = 1 << 16
_NONCE = 12
_PATIENCE = 60
"""Seconds to wait for others that use the same file."""


@cache
def cache_version() -> str:
    """A fingerprint of the installed code: our version, and the source and data files of all packages with plug-ins.

    Of files above 4 MB (model weights) the size, the start and the end count, so that this takes milliseconds.
    """
    digest = sha256(__version__.encode())
    files = [
        (os.path.relpath(path := os.path.join(folder, name), root), path)
        for root in _package_folders()
        for folder, _, names in os.walk(root)
        for name in names
        if os.path.basename(folder) != "__pycache__"
    ]
    for relative, path in sorted(files):
        size = os.path.getsize(path)
        digest.update(f"\0{relative}\0{size}\0".encode())
        with open(path, "rb", buffering=0) as file:
            digest.update(file.read(size if size <= _LARGE else _SAMPLE))
            if size > _LARGE:
                file.seek(size - _SAMPLE)
                digest.update(file.read())
    return digest.hexdigest()[:16]


def _package_folders() -> list[str]:
    """The folders of all packages that bring plug-ins, ours among them."""
    specs = filter(None, map(find_spec, registry.packages()))
    return sorted(
        {os.path.dirname(__file__), *(folder for spec in specs for folder in spec.submodule_search_locations or ())}
    )


def cache_key(*parts: Any) -> str:
    """One key for everything that a cached value depends on, the code included."""
    text = json.dumps([cache_version(), *parts], ensure_ascii=True, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()


class SqliteStore:
    """Bytes by key in one SQLite file that only its owner can read; threads and processes may share it.

    The file is created with the first value.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._database: sqlite3.Connection | None = None
        self._close: Callable[[], object] | None = None

    def get(self, key: bytes) -> bytes | None:
        if self._database is None and not self._path.exists():
            return None
        row = self._execute("SELECT value FROM entries WHERE key = ?", (key,))
        return None if row is None else row[0]

    def put(self, key: bytes, value: bytes) -> None:
        self._execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", (key, value))

    def close(self) -> None:
        with self._lock:
            if self._close is not None:
                self._close()
            self._database = self._close = None

    def open(self) -> SqliteStore:
        """Create the file now, so that a place that cannot be written to is reported before any work is done."""
        self._execute("SELECT 1")
        return self

    def _execute(self, statement: str, values: tuple[bytes, ...] = ()) -> Any:
        with self._lock:
            try:
                if self._database is None:
                    self._database = open_database(self._path)
                    self._close = close_with(self, self._database)
                    self._database.execute("CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB)")
                return self._database.execute(statement, values).fetchone()
            except (OSError, sqlite3.Error) as error:
                raise disk_full(error, self._path) or OutputError(
                    f"{self._path}: cannot be used as a cache ({error}): choose another place"
                ) from None


def open_database(path: Path) -> sqlite3.Connection:
    """A connection to a SQLite file that only its owner can read; the file, and its folder, are created if need be."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        _create_database(path)
    return _connect(path)


def _create_database(path: Path) -> None:
    """An empty database, under its name all at once: so a file without a byte is never a new one, but a damaged one."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("VACUUM")
        content = database.serialize()
    with suppress(FileExistsError):  # another process was faster
        create_file(path, content)


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        _use_wal(database)
        database.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        database.close()
        raise
    return database


def _use_wal(database: sqlite3.Connection) -> None:
    """Wait while another connection creates the file, or closes it as its last: SQLite does not wait for these."""
    end = monotonic() + _PATIENCE
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > end:
                raise
            sleep(0.01)


def close_with(owner: object, database: sqlite3.Connection) -> Callable[[], object]:
    """A function that closes the connection. It is called once: by its owner, or when the owner is gone."""
    return weakref.finalize(owner, _close, database, os.getpid())


def _close(database: sqlite3.Connection, pid: int) -> None:
    if pid == os.getpid():
        database.close()
    else:
        _OF_ANOTHER_PROCESS.append(database)


_OF_ANOTHER_PROCESS: list[sqlite3.Connection] = []
"""Connections that came through a fork: SQLite forbids using, and even closing, them there."""


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
