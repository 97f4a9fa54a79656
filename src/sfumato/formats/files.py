"""Lookups on disk whose memory does not grow with the number of documents."""

from __future__ import annotations

import json
import sqlite3
from hashlib import blake2b
from typing import Any, Self

from sfumato.cache import close_with
from sfumato.files import reports_full_disk

_TEMPORARY = "the folder for temporary files (TMPDIR)"


class DiskIndex:
    """A mapping from id to anything JSON can hold, in an unnamed file that SQLite deletes when it is closed."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._close = close_with(self, self._database)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA cache_size = -8192")
        self._database.execute("CREATE TABLE entries (id BLOB PRIMARY KEY, payload TEXT) WITHOUT ROWID")
        self._database.execute("BEGIN")  # never committed: the data lives as long as the process

    def close(self) -> None:
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add(self, identifier: str, payload: Any = None) -> bool:
        """Store the payload under the id; False, and no change, if the id is taken."""
        row = (_digest(identifier), None if payload is None else json.dumps(payload))
        with reports_full_disk(_TEMPORARY):
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
