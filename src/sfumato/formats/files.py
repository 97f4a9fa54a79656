"""Atomic output files, and lookups on disk whose memory does not grow with the number of documents."""

from __future__ import annotations

import errno
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

from sfumato.errors import OutputError

CONFIDENTIAL = 0o600
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def atomic_path(final: Path, mode: int = 0o666) -> Iterator[Path]:
    """A temporary path next to ``final``, renamed to it when the block succeeds, else removed.

    ``mode``: the file's permissions, minus the user's umask; ``CONFIDENTIAL`` for what only the owner may read.
    """
    if final.is_dir():
        raise OutputError(f"{final}: is a folder; name a file")
    # A long name plus our suffix might be longer than the file system allows.
    temporary = final.with_name(f".{final.name[:80]}.{secrets.token_hex(4)}.part")
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    except OSError as error:
        raise _unwritable(final, error) from None
    try:
        yield temporary
        _sync(temporary)
        _replace(temporary, final)
    except OSError as error:
        if error.errno in _FULL:
            raise OutputError(f"{final}: the disk is full; free some space and run again") from None
        raise
    finally:
        temporary.unlink(missing_ok=True)
    _sync(final.parent)


def _replace(temporary: Path, final: Path) -> None:
    try:
        temporary.replace(final)
    except OSError as error:
        raise _unwritable(final, error) from None


def _unwritable(final: Path, error: OSError) -> OutputError:
    return OutputError(f"{final}: cannot be written ({error.strerror}); choose another place or check the permissions")


def _sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":  # folders cannot be opened there
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class _TemporaryDatabase:
    """A private database that SQLite keeps in an unnamed file and deletes when it is closed."""

    _table: str

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA cache_size = -8192")
        self._database.execute(f"CREATE TABLE entries ({self._table}) WITHOUT ROWID")
        self._database.execute("BEGIN")  # never committed: the data lives as long as the process

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _digest(identifier: str) -> bytes:
    # Fixed size; and ids may be names, so they are not written to disk in clear text.
    return blake2b(identifier.encode(errors="surrogatepass"), digest_size=16).digest()


class SeenIds(_TemporaryDatabase):
    """The ids seen so far."""

    _table = "id BLOB PRIMARY KEY"

    def add(self, identifier: str) -> bool:
        """Add the id; False if it was there."""
        cursor = self._database.execute("INSERT OR IGNORE INTO entries VALUES (?)", (_digest(identifier),))
        return cursor.rowcount == 1

    def __contains__(self, identifier: str) -> bool:
        return (
            self._database.execute("SELECT 1 FROM entries WHERE id = ?", (_digest(identifier),)).fetchone() is not None
        )


class DiskIndex(_TemporaryDatabase):
    """A mapping from id to anything JSON can hold."""

    _table = "id BLOB PRIMARY KEY, payload TEXT NOT NULL"

    def add(self, identifier: str, payload: Any) -> bool:
        """Store the payload under the id; False, and no change, if the id is taken."""
        cursor = self._database.execute(
            "INSERT OR IGNORE INTO entries VALUES (?, ?)", (_digest(identifier), json.dumps(payload))
        )
        return cursor.rowcount == 1

    def get(self, identifier: str) -> Any:
        """The payload of the id; None where there is none."""
        row = self._database.execute("SELECT payload FROM entries WHERE id = ?", (_digest(identifier),)).fetchone()
        return None if row is None else json.loads(row[0])
