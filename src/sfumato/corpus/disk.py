"""Lookups that live on disk, so that memory does not grow with the number of documents."""

from __future__ import annotations

import json
import sqlite3
from hashlib import blake2b
from typing import Any, Self


class _Temporary:
    """A private database that SQLite keeps in an unnamed file and deletes when it is closed."""

    _table: str

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA cache_size = -8192")
        self._database.execute(f"CREATE TABLE entries ({self._table}) WITHOUT ROWID")
        self._database.execute("BEGIN")  # never ended: nothing here has to outlive the process

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _digest(identifier: str) -> bytes:
    # Fixed size, and ids, which may be names, are not written to disk in clear.
    return blake2b(identifier.encode(errors="surrogatepass"), digest_size=16).digest()


class SeenIds(_Temporary):
    """Which ids have come by."""

    _table = "id BLOB PRIMARY KEY"

    def add(self, identifier: str) -> bool:
        """Note the id; False if it had been seen before."""
        cursor = self._database.execute("INSERT OR IGNORE INTO entries VALUES (?)", (_digest(identifier),))
        return cursor.rowcount == 1

    def __contains__(self, identifier: str) -> bool:
        return (
            self._database.execute("SELECT 1 FROM entries WHERE id = ?", (_digest(identifier),)).fetchone() is not None
        )


class DiskIndex(_Temporary):
    """A mapping from id to anything JSON can hold."""

    _table = "id BLOB PRIMARY KEY, payload TEXT NOT NULL"

    def add(self, identifier: str, payload: Any) -> bool:
        """Keep the payload under the id; False, and no change, if the id is taken."""
        cursor = self._database.execute(
            "INSERT OR IGNORE INTO entries VALUES (?, ?)", (_digest(identifier), json.dumps(payload))
        )
        return cursor.rowcount == 1

    def get(self, identifier: str) -> Any:
        """What was kept under the id; None where nothing was."""
        found = self._database.execute("SELECT payload FROM entries WHERE id = ?", (_digest(identifier),)).fetchone()
        return None if found is None else json.loads(found[0])
