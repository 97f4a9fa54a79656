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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import EncryptionKeyError, WrongArgument
from sfumato.lexicon.phrases import fold_phrase
from sfumato.vault.ledger import Candidates, Key, Mention, first_free

# -- A SQLite file that shows nothing without its key: what is kept is encrypted, what is looked up is hashed.


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
                    raise EncryptionKeyError(f"{self.path}: not a vault; check the name")
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
            raise EncryptionKeyError(f"{self.path}: not a vault, or not readable and writable ({error})") from None
        if row is not None:
            try:
                self._unseal(row[0], b"check")
            except EncryptionKeyError:
                connection.close()
                raise EncryptionKeyError(
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
            raise EncryptionKeyError(f"{self.path}: an entry is damaged; restore the vault from a backup") from None


# -- The exact way back from one release, by its offsets.


class Piece(NamedTuple):
    """One edit seen from the release: ``released[start:end]`` stands for ``original``."""

    start: int
    end: int
    original: str
    label: str
    entity: str | None


@dataclass(frozen=True)
class Undo:
    """All it takes to turn one release back."""

    original_id: str
    pieces: tuple[Piece, ...]
    replacements: tuple[str, ...]
    floor: Undo | None = None
    """Of a text that was rewritten: the way back from what it was before, whose replacements may stand in it."""

    @classmethod
    def of(cls, release: Release) -> Undo:
        text = release.document.text
        if release.rewrite is not None:
            floor = None if release.before_rewrite is None else cls.of(release.before_rewrite)
            return cls(release.document.id, (Piece(0, len(release.text), text, "MISC", None),), ("",), floor)
        edited = [(piece, piece.edit) for piece in release.segments if piece.edit is not None]
        return cls(
            release.document.id,
            tuple(
                Piece(
                    piece.released_start,
                    piece.released_end,
                    text[piece.start : piece.end],
                    edit.span.label,
                    edit.span.entity,
                )
                for piece, edit in edited
            ),
            # "In August 1961" stands for no one thing: only the exact way back undoes a generalization.
            tuple("" if edit.level else edit.replacement for _, edit in edited),
        )

    def to_json(self) -> dict[str, Any]:
        own = {"id": self.original_id, "pieces": self.pieces, "replacements": self.replacements}
        return own if self.floor is None else {**own, "floor": self.floor.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Undo:
        pieces = tuple(Piece(*piece) for piece in data["pieces"])
        floor = cls.from_json(data["floor"]) if "floor" in data else None
        return cls(data["id"], pieces, tuple(data["replacements"]), floor)

    def mentions(self) -> Iterator[Mention]:
        """What each replacement stands for, also those of the text before it was rewritten."""
        for undo in (self, self.floor):
            if undo is not None:
                for piece, replacement in zip(undo.pieces, undo.replacements, strict=True):
                    yield Mention(replacement, piece.label, piece.entity or fold_phrase(piece.original), piece.original)

    def apply(self, released: Document) -> Release:
        """The exact way back; ``released`` holds the very text that was released."""
        edits = tuple(
            Edit(Span(piece.start, piece.end, piece.label, entity=piece.entity), piece.original, ("vault",))
            for piece in self.pieces
        )
        return Release(released, edits)


# -- The vault: an encrypted SQLite file that remembers who stands for whom and how to undo each release.


_SCHEMA = """
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
_AT_ONCE = 500
"""Words that one query looks for: SQLite takes about a thousand values at least."""


class Vault(SealedFile):
    """An open vault. Safe to share between threads; other processes open the same file themselves."""

    schema = _SCHEMA

    def __init__(self, path: str | Path, key: Key) -> None:
        super().__init__(path, key)
        self._index_old_releases()

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
            raise EncryptionKeyError(
                f"{path}: no such vault; give the file that anonymize wrote (--vault, or vault=...)"
            )
        return cls(path, Key.load(key_file))

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
            self._index_mentions(tag, undo)

    def undo_exactly(self, released_id: str, text: str) -> list[Undo]:
        """The recorded release with this id and exactly this text, if there is one."""
        return self._undos("WHERE id = ? AND text = ?", self._tag("id", released_id), self._tag("text", text))

    def undo_by_text(self, text: str) -> list[Undo]:
        """Every recorded release with exactly this text."""
        return self._undos("WHERE text = ? ORDER BY id", self._tag("text", text))

    def original_id(self, released_id: str) -> str | None:
        """The original id of what was released with this id; None where nothing was."""
        found = self._undos("WHERE id = ? ORDER BY text LIMIT 1", self._tag("id", released_id))
        return found[0].original_id if found else None

    def undo_all(self) -> Iterator[Undo]:
        """Every recorded release."""
        yield from self._undos("ORDER BY id, text")

    def mentions(self, released_id: str, words: Iterable[str]) -> list[Mention]:
        """What any of these words may stand for in the releases with this id, however many there are."""
        tag = self._tag("id", released_id)
        tags = sorted(self._tag("word", tag, word) for word in set(words))
        found: set[tuple[int, bytes, bytes]] = set()
        for first in range(0, len(tags), _AT_ONCE):
            some = tags[first : first + _AT_ONCE]
            query = f"SELECT n, tag, value FROM mention WHERE word IN ({', '.join('?' * len(some))})"
            with self._lock:
                found.update(self._db.execute(query, some).fetchall())
        by_tag = {name: value for _, name, value in sorted(found, reverse=True)}
        return [Mention(*json.loads(self._unseal(value, name))) for name, value in reversed(by_tag.items())]

    def _index_mentions(self, tag: bytes, undo: Undo) -> None:
        """Called within a transaction; a mention that is known already costs no new entry."""
        for mention in undo.mentions():
            plain = json.dumps(mention, ensure_ascii=True).encode()
            name = self._tag("mention", tag, plain)
            for word in mention.words():
                self._db.execute(
                    "INSERT OR IGNORE INTO mention (word, tag, value) VALUES (?, ?, ?)",
                    (self._tag("word", tag, word), name, self._seal(plain, name)),
                )

    def _index_old_releases(self) -> None:
        """A vault of an earlier version has releases, and no mentions of theirs to look up."""
        if self._db.execute("SELECT 1 FROM meta WHERE name = 'mentions'").fetchone() is not None:
            return
        with self._lock, self._transaction() as connection:
            for tag, blob in connection.execute("SELECT id, undo FROM release").fetchall():
                with suppress(EncryptionKeyError):  # what is damaged is told of when it is asked for
                    self._index_mentions(tag, Undo.from_json(json.loads(self._unseal(blob, tag))))
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('mentions', x'')")

    def _undos(self, where: str, *values: bytes) -> list[Undo]:
        with self._lock:
            rows = self._db.execute(f"SELECT id, undo FROM release {where}", values).fetchall()
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
