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
        try:
            temporary.replace(final)
        except OSError as error:
            raise _unwritable(final, error) from None
    except OSError as error:
        if error.errno in _FULL:
            raise OutputError(f"{final}: the disk is full; free some space and run again") from None
        raise
    finally:
        temporary.unlink(missing_ok=True)
    _sync(final.parent)


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


class DiskIndex:
    """A mapping from id to anything JSON can hold, in an unnamed file that SQLite deletes when it is closed."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA cache_size = -8192")
        self._database.execute("CREATE TABLE entries (id BLOB PRIMARY KEY, payload TEXT) WITHOUT ROWID")
        self._database.execute("BEGIN")  # never committed: the data lives as long as the process

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add(self, identifier: str, payload: Any = None) -> bool:
        """Store the payload under the id; False, and no change, if the id is taken."""
        row = (_digest(identifier), None if payload is None else json.dumps(payload))
        return self._database.execute("INSERT OR IGNORE INTO entries VALUES (?, ?)", row).rowcount == 1

    def get(self, identifier: str) -> Any:
        """The payload of the id; None where there is none."""
        row = self._row(identifier)
        return None if row is None or row[0] is None else json.loads(row[0])

    def __contains__(self, identifier: str) -> bool:
        return self._row(identifier) is not None

    def _row(self, identifier: str) -> Any:
        return self._database.execute("SELECT payload FROM entries WHERE id = ?", (_digest(identifier),)).fetchone()


class SeenIds(DiskIndex):
    """The ids seen so far, without a payload."""


def _digest(identifier: str) -> bytes:
    # Fixed size; and ids may be names, so they are not written to disk in clear text.
    return blake2b(identifier.encode(errors="surrogatepass"), digest_size=16).digest()
