"""The SQLite file that models' answers are kept in: its owner reads it, threads and processes share it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

_PRIVATE = 0o600


def opened(path: Path) -> sqlite3.Connection:
    """A connection to the file, which is made if it is new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Made before SQLite does, which gives its journals the permissions of the file. Never opened where it is there
    # already: to close it again would drop the locks of every other connection of this process.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE))
    base = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    try:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        base.close()
        raise
    return base
