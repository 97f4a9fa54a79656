"""An SQLite file of encrypted rows in which nothing can be moved, removed or put back without the key.

Every row is encrypted to its place. A seal over all rows, written with each change, shows whether a row is missing or
is an earlier version of itself: it is the sum of a keyed hash of every row, so that a change costs no reading of the
others, and it is compared with the rows whenever the file is opened. An earlier copy of the whole file has a valid
seal, too: only someone who recorded its state can notice that.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.cache import EntryCipher, close_with, open_database
from sfumato.errors import EncryptionKeyError, WrongArgument
from sfumato.files import disk_full
from sfumato.vault.key import Key

_FIRST_VERSION, _VERSION = b"sfumato vault 1", b"sfumato vault 2"
_HEADER = b"SQLite format 3\0"
_NONCE = 12
_SUM = 1 << 256
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
CREATE TABLE IF NOT EXISTS mention (
    n INTEGER PRIMARY KEY, word BLOB NOT NULL, tag BLOB NOT NULL, value BLOB NOT NULL, UNIQUE (word, tag));
CREATE TABLE IF NOT EXISTS file (released BLOB PRIMARY KEY, original BLOB NOT NULL) WITHOUT ROWID;
"""
_COLUMNS = {
    "assignment": ("space", "entity", "taken", "n", "value"),
    "release": ("id", "text", "undo"),
    "mention": ("n", "word", "tag", "value"),
    "file": ("released", "original"),
}
"""The encrypted value is the last column."""
_NOT_COUNTED = {"file"}
"""Written while a run publishes: an audit gives the same number whether or not the run was stopped then."""

_ERRORS = (sqlite3.Error, UnicodeError)
"""The second where SQLite's message quotes damaged bytes."""

Cell = bytes | str | int | None
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class VaultState:
    """Which vault, and how far it has come."""

    id: str
    """Random; a file and its copies share it. A new vault with the same key has another one."""
    generation: int
    """How many rows about documents were written since the file was made; an earlier copy has a lower number."""

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> VaultState:
        """Raises ValueError, KeyError or TypeError for anything else."""
        return cls(str(data["id"]), int(data["generation"]))


@dataclass(frozen=True)
class Seal:
    """What the rows of a file add up to."""

    vault_id: str
    generation: int = 0
    sums: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COLUMNS, 0))

    def to_json(self) -> bytes:
        return json.dumps([self.vault_id, self.generation, self.sums]).encode()

    @classmethod
    def from_json(cls, content: bytes) -> Seal:
        return cls(*json.loads(content))


class Change:
    """Rows that are written in one transaction, together with the seal."""

    def __init__(self, execute: Callable[..., sqlite3.Cursor], hash_row: Callable[[str, Row], int], seal: Seal) -> None:
        self._execute, self._hash_row = execute, hash_row
        self.seal = seal

    def add(self, table: str, *row: Cell) -> None:
        """Write a row that is not there; None in the place of a number lets SQLite count."""
        self._execute(f"INSERT INTO {table} VALUES ({_marks(row)})", row)
        if row[0] is None:
            row = (self._execute("SELECT last_insert_rowid()").fetchone()[0], *row[1:])
        self._count(table, table not in _NOT_COUNTED, self._hash_row(table, row))

    def remove(self, table: str, *row: Cell) -> None:
        """Remove a row that is there, given with all its values."""
        columns = _COLUMNS[table][:-1]
        where = " AND ".join(f"{column} = ?" for column in columns)
        self._execute(f"DELETE FROM {table} WHERE {where}", row[:-1])
        self._count(table, 0, -self._hash_row(table, row))

    def _count(self, table: str, written: int, difference: int) -> None:
        sums = {**self.seal.sums, table: (self.seal.sums[table] + difference) % _SUM}
        self.seal = replace(self.seal, generation=self.seal.generation + written, sums=sums)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


class SealedDatabase:
    """An open file. Safe to share between threads; other processes open the same file themselves."""

    def __init__(self, path: Path, key: Key, upgrade: Callable[[SealedDatabase, Change], None]) -> None:
        """``upgrade`` brings the rows of a file of version 0.1 into today's form."""
        self.path = path
        self._lock = threading.RLock()
        self._cipher = EntryCipher(
            key.derive("vault/encrypt"),
            key.derive("vault/index"),
            damaged=f"{path}: an entry is damaged or was moved; put the vault back from a backup",
        )
        self._row_key = key.derive("vault/rows")
        self._upgrade = upgrade
        self._durable: Seal | None = None
        self._is_closed = False
        self._pid = os.getpid()
        self._connect()
        try:
            self._prepare()
            self._check_all()
        except BaseException:
            self._close_connection()
            raise

    def close(self) -> None:
        self._is_closed = True
        self._close_connection()

    def locked(self) -> threading.RLock:
        """For one thread at a time: ``with database.locked():``."""
        if os.getpid() != self._pid:  # neither SQLite connections nor locks survive a fork
            self._pid = os.getpid()
            self._lock = threading.RLock()
            self._close_connection()
            self._connect()
        return self._lock

    # Rows.

    def tag(self, *parts: str | bytes) -> bytes:
        """The keyed hash that an entry is looked up by."""
        return self._cipher.index(_joined(*parts))

    def encrypt(self, plain: bytes, *place: bytes) -> bytes:
        """``place``: what the row is about; in any other place the value cannot be decrypted."""
        return self._cipher.encrypt(plain, _bound_to(place))

    def decrypt(self, value: object, *place: bytes) -> bytes:
        return self._cipher.decrypt(value if isinstance(value, bytes) else b"", _bound_to(place))

    def rows(self, query: str, values: Sequence[Cell] = ()) -> list[Any]:
        with self.locked():
            return self._fetch(query, values)

    @contextmanager
    def change(self) -> Iterator[Change]:
        """One transaction; the seal is written with the rows."""
        with self.locked(), self._transaction():
            before = self._read_seal()
            change = Change(self._execute, self._hash_row, before)
            yield change
            if change.seal != before:
                self._write_seal(change.seal)

    # The seal.

    @property
    def seal(self) -> Seal:
        with self.locked():
            return self._read_seal()

    def sync(self) -> None:
        """When this returns, everything that any process has written so far survives a power failure."""
        with self.locked():
            if self._durable == (seal := self._read_seal()):
                return
            # One commit in this mode flushes the whole log. In each commit it would take most of a run's time.
            self._execute("PRAGMA synchronous = FULL")
            try:
                with self._transaction():
                    seal = self._read_seal()
                    self._write_seal(seal)
            finally:
                self._execute("PRAGMA synchronous = NORMAL")
            self._durable = seal

    def _read_seal(self) -> Seal:
        rows = self._fetch("SELECT value FROM meta WHERE name = 'seal'")
        if not rows:
            raise self._tampered()
        return Seal.from_json(self.decrypt(rows[0][0], b"seal"))

    def _write_seal(self, seal: Seal) -> None:
        self._write_meta("seal", self._cipher.encrypt(seal.to_json(), b"seal"))

    def _write_meta(self, name: str, value: bytes) -> None:
        self._execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def _check_all(self) -> None:
        """Raise where the rows are not those that were sealed."""
        with self._transaction("BEGIN"):  # so that all is read at one moment
            if self._fetch("PRAGMA integrity_check(1)") != [("ok",)]:  # an index may hide rows
                raise self._tampered()
            sums = {table: sum(self._hash_rows(table)) % _SUM for table in _COLUMNS}
            if sums != self._read_seal().sums:
                raise self._tampered()

    def _hash_rows(self, table: str) -> Iterator[int]:
        # Nobody without the key can make another valid value with the same nonce: the first bytes stand for all.
        *place, value = _COLUMNS[table]
        query = f"SELECT {', '.join(place)}, substr({value}, 1, {_NONCE}) FROM {table}"
        try:
            for row in self._execute(query):
                yield self._hash_row(table, row)
        except _ERRORS as error:
            raise self._unusable(error) from None

    def _hash_row(self, table: str, row: Row) -> int:
        *place, value = row
        if not isinstance(value, bytes):
            raise self._tampered()
        message = [table.encode()]
        for cell in (*place, value[:_NONCE]):
            if type(cell) is bytes:
                message.append(b"%d:%b" % (len(cell), cell))
            elif type(cell) is int:
                message.append(b"%d;" % cell)
            else:
                raise self._tampered()
        digest = hashlib.blake2b(b",".join(message), digest_size=32, key=self._row_key)
        return int.from_bytes(digest.digest(), "big")

    def _tampered(self) -> EncryptionKeyError:
        return EncryptionKeyError(
            f"{self.path}: entries were removed from the vault, changed or put back by something other than Sfumato; "
            "nothing is restored from it: put the vault back from a backup"
        )

    # The file.

    def _connect(self) -> None:
        try:
            if self.path.exists():
                with self.path.open("rb") as file:
                    header = file.read(len(_HEADER))
                if not header:
                    raise EncryptionKeyError(
                        f"{self.path}: the vault is damaged: the file is empty; put it back from a backup, or delete "
                        "it to begin a new vault, which restores nothing that was released before"
                    )
                if header != _HEADER:
                    raise EncryptionKeyError(f"{self.path}: not a vault; check the name")
            self._connection = open_database(self.path)
            self._close_connection = close_with(self, self._connection)
        except (*_ERRORS, OSError) as error:
            raise self._unusable(error) from None

    def _prepare(self) -> None:
        """Make the tables of a new file; check the key, and bring a file of an earlier version up to date."""
        with self.locked(), self._transaction():
            schema = self._fetch("SELECT type, name FROM sqlite_master")
            if schema and ("table", "meta") not in schema:
                raise EncryptionKeyError(f"{self.path}: not a vault; check the name")
            if any(kind not in ("table", "index") for kind, _ in schema):  # a trigger may swallow what is written
                raise self._tampered()
            for statement in _SCHEMA.split(";"):
                self._execute(statement)
            version = self._read_version()
            if version == _VERSION:
                return
            has_rows = any(self._fetch(f"SELECT 1 FROM {table} LIMIT 1") for table in _COLUMNS)
            is_sealed = self._fetch("SELECT 1 FROM meta WHERE name = 'seal'")
            if is_sealed or (version is None and has_rows):
                raise self._tampered()
            sums = {table: sum(self._hash_rows(table)) % _SUM for table in _COLUMNS}
            change = Change(self._execute, self._hash_row, Seal(secrets.token_hex(16), sums=sums))
            if has_rows:
                self._upgrade(self, change)
            self._write_meta("check", self._cipher.encrypt(_VERSION, b"check"))
            self._write_seal(change.seal)

    def _read_version(self) -> bytes | None:
        rows = self._fetch("SELECT value FROM meta WHERE name = 'check'")
        if not rows:
            return None
        with suppress(EncryptionKeyError):
            if (version := self.decrypt(rows[0][0], b"check")) in (_FIRST_VERSION, _VERSION):
                return version
        raise EncryptionKeyError(f"{self.path}: this key does not open the vault; give the key file it was made with")

    def _execute(self, statement: str, values: Sequence[Cell] = ()) -> sqlite3.Cursor:
        if self._is_closed:
            raise WrongArgument(f"{self.path}: this vault is closed; open it again, or work inside its with block")
        try:
            return self._connection.execute(statement, values)
        except _ERRORS as error:
            raise self._unusable(error) from None

    def _fetch(self, query: str, values: Sequence[Cell] = ()) -> list[Any]:
        try:
            return self._execute(query, values).fetchall()
        except _ERRORS as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> Exception:
        return disk_full(error, self.path) or EncryptionKeyError(
            f"{self.path}: not a vault, damaged, or not readable and writable ({error}); check the name and the "
            "permissions, or put the vault back from a backup"
        )

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        self._execute(begin)
        try:
            yield
            self._execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # SQLite has rolled back itself where the disk is full
                self._execute("ROLLBACK")
            raise


def _joined(*parts: str | bytes) -> bytes:
    # Length-prefixed, so that no two lists of parts give one message.
    encoded = [part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(8, "big") + part for part in encoded)


def _bound_to(place: tuple[bytes, ...]) -> bytes:
    """A single tag is used as it is, as in files of version 0.1."""
    return place[0] if len(place) == 1 else _joined(*place)
