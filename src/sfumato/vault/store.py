"""The vault: an encrypted SQLite file that remembers who stands for whom and how to undo each release.

Names, texts and ids are stored encrypted (AES-256-GCM); what is looked up is stored as a keyed hash. Without the
key the file shows how many entries it has, and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sfumato.document import Release
from sfumato.errors import KeyProblem
from sfumato.vault.key import Key
from sfumato.vault.ledger import Candidates, first_free
from sfumato.vault.undo import Undo

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS assignment (
    space BLOB NOT NULL, entity BLOB NOT NULL, taken BLOB NOT NULL, n INTEGER NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (space, entity)) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS assignment_taken ON assignment (space, taken);
CREATE INDEX IF NOT EXISTS assignment_n ON assignment (space, n);
CREATE TABLE IF NOT EXISTS release (
    id BLOB NOT NULL, text BLOB NOT NULL, undo BLOB NOT NULL, PRIMARY KEY (id, text)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS release_text ON release (text);
CREATE TABLE IF NOT EXISTS file (released BLOB PRIMARY KEY, original BLOB NOT NULL) WITHOUT ROWID;
"""
_CHECK = b"sfumato vault 1"
_HEADER = b"SQLite format 3\0"
_BUSY_SECONDS = 60.0


class Vault:
    """An open vault. Safe to share between threads; other processes open the same file themselves."""

    def __init__(self, path: str | Path, key: Key) -> None:
        self.path = Path(path)
        self.key = key
        self._cipher = AESGCM(key.derive("vault/encrypt"))
        self._index = key.derive("vault/index")
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._connection = self._connect()

    @classmethod
    def open(cls, path: str | Path, key_file: str | Path) -> Vault:
        """Open a vault, or make a new one. A missing key file is made only together with a new vault."""
        path, key_file = Path(path), Path(key_file)
        if not path.exists() and not key_file.exists():
            return cls(path, Key.create(key_file))
        return cls(path, Key.load(key_file))

    @classmethod
    def open_existing(cls, path: str | Path, key_file: str | Path) -> Vault:
        """Open a vault that must be there already."""
        if not Path(path).is_file():
            raise KeyProblem(f"{path}: no such vault; give the one that anonymize wrote with --vault")
        return cls(path, Key.load(key_file))

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
            for statement in _SCHEMA.split(";"):
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
        self._connection.close()

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # Assignments: the Store that a Ledger works on.

    def assign(self, scope: str, kind: str, entity: str, candidates: Candidates) -> str:
        space = self._tag("space", scope, kind)
        tag = self._tag("entity", scope, kind, entity)
        with self._lock:
            known = self._assigned(space, tag)
            if known is not None:
                return known
            with self._transaction() as connection:
                known = self._assigned(space, tag)  # another process may have come first
                if known is not None:
                    return known
                count = connection.execute(
                    "SELECT coalesce(max(n), 0) FROM assignment WHERE space = ?", (space,)
                ).fetchone()[0]
                value = first_free(candidates(count), lambda candidate: self._is_taken(space, candidate))
                connection.execute(
                    "INSERT INTO assignment VALUES (?, ?, ?, ?, ?)",
                    (
                        space,
                        tag,
                        self._tag("taken", value),
                        count + 1,
                        self._seal(value.encode("utf-8", "surrogatepass"), tag),
                    ),
                )
                return value

    def forget(self, scope: str) -> None:
        """A vault never forgets: later runs must agree with this one."""

    def _assigned(self, space: bytes, tag: bytes) -> str | None:
        row = self._db.execute("SELECT value FROM assignment WHERE space = ? AND entity = ?", (space, tag)).fetchone()
        return None if row is None else self._unseal(row[0], tag).decode("utf-8", "surrogatepass")

    def _is_taken(self, space: bytes, value: str) -> bool:
        query = "SELECT 1 FROM assignment WHERE space = ? AND taken = ?"
        return self._db.execute(query, (space, self._tag("taken", value))).fetchone() is not None

    # Releases: how to undo each.

    def record(self, release: Release, released_id: str) -> None:
        """Remember how to undo a release, by its text and by its id."""
        undo = Undo.of(release)
        tag = self._tag("id", released_id)
        blob = json.dumps(undo.to_json(), ensure_ascii=True).encode()
        with self._lock, self._transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO release VALUES (?, ?, ?)",
                (tag, self._tag("text", release.text), self._seal(blob, tag)),
            )

    def undo_exactly(self, released_id: str, text: str) -> list[Undo]:
        """The recorded release with this id and exactly this text, if there is one."""
        return self._undos("WHERE id = ? AND text = ?", self._tag("id", released_id), self._tag("text", text))

    def undo_by_text(self, text: str) -> list[Undo]:
        """Every recorded release with exactly this text."""
        return self._undos("WHERE text = ?", self._tag("text", text))

    def undo_by_id(self, released_id: str) -> list[Undo]:
        """Every recorded release with this released id."""
        return self._undos("WHERE id = ?", self._tag("id", released_id))

    def undo_all(self) -> Iterator[Undo]:
        """Every recorded release."""
        yield from self._undos("")

    def _undos(self, where: str, *values: bytes) -> list[Undo]:
        with self._lock:
            rows = self._db.execute(f"SELECT id, undo FROM release {where} ORDER BY id, text", values).fetchall()
        return [Undo.from_json(json.loads(self._unseal(blob, tag))) for tag, blob in rows]

    def record_file(self, released: bytes, original: bytes) -> None:
        """Remember the whole of a file whose markup its text alone does not bring back."""
        tag = self._tag("file", released)
        with self._lock, self._transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO file VALUES (?, ?)", (tag, self._seal(zlib.compress(original), tag))
            )

    def original_file(self, released: bytes) -> bytes | None:
        """The file that was released as exactly these bytes."""
        tag = self._tag("file", released)
        with self._lock:
            row = self._db.execute("SELECT original FROM file WHERE released = ?", (tag,)).fetchone()
        return None if row is None else zlib.decompress(self._unseal(row[0], tag))

    # The machinery below.

    @property
    def _db(self) -> sqlite3.Connection:
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
