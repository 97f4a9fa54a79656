"""The vault: an encrypted SQLite file with assignments of replacements and how to restore each release.

Names, texts and ids are encrypted (AES-256-GCM); what is looked up is stored as a keyed hash. Without the key the file
shows how many entries it has, and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from sfumato.cache import EntryCipher, open_database
from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import EncryptionKeyError, WrongArgument
from sfumato.lexicon.tokens import WORD_CHARACTERS, fold_phrase
from sfumato.vault.ledger import Candidates, Key, first_free

_CHECK = b"sfumato vault 1"
_HEADER = b"SQLite format 3\0"
_QUERY_WORDS = 500
"""Words in one query: SQLite allows at least about a thousand values."""
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

NUMBERED_LABEL = re.compile(r"([^\W\d_]+)_(\d+)")
_LABEL_VARIANT = re.compile(r"([^\W\d_]+)(?:\\?_|-|\s+#?|)(\d+)")


class ReplacedMention(NamedTuple):
    """``replacement`` stands for ``original``, which is one way to name the ``entity``."""

    replacement: str
    label: str
    entity: str
    original: str

    def words(self) -> set[str]:
        """What it is looked up by: a numbered label is one word; any other replacement may occur by each of its own."""
        if NUMBERED_LABEL.fullmatch(self.replacement):
            return {self.replacement.casefold()}
        return {word.casefold() for word in WORD_CHARACTERS.findall(self.replacement)}


def lookup_words(text: str) -> set[str]:
    """All words by which mentions in a text may be looked up: its own, and its labels in any variant."""
    words = {word.casefold() for word in WORD_CHARACTERS.findall(text)}
    return words | {f"{label}_{number}".casefold() for label, number in _LABEL_VARIANT.findall(text)}


def label_variants(replacement: str) -> list[str]:
    """Language models write PERSON_1 also as "Person 1", "PERSON-1" or, in Markdown, "PERSON\\_1"."""
    numbered = NUMBERED_LABEL.fullmatch(replacement)
    if numbered is None:
        return [replacement]
    label, number = numbered.groups()
    return [f"{label}{joint}{number}" for joint in ("_", " ", "-", "\\_", "", " #")]


class ReplacedRange(NamedTuple):
    """One edit seen from the release: ``released[start:end]`` stands for ``original``."""

    start: int
    end: int
    original: str
    label: str
    entity: str | None


@dataclass(frozen=True)
class RestoreRecord:
    """All that is needed to restore the original of one release, by its offsets."""

    original_id: str
    ranges: tuple[ReplacedRange, ...]
    replacements: tuple[str, ...]
    before_rewrite: RestoreRecord | None = None
    """Of a rewritten text: the record of the release before, whose replacements may occur in it."""

    @classmethod
    def of(cls, release: Release) -> RestoreRecord:
        text = release.document.text
        if release.rewrite is not None:
            before = None if release.before_rewrite is None else cls.of(release.before_rewrite)
            whole = ReplacedRange(0, len(release.text), text, "MISC", None)
            return cls(release.document.id, (whole,), ("",), before)
        edited = [(segment, segment.edit) for segment in release.segments if segment.edit is not None]
        ranges = [
            ReplacedRange(
                segment.released_start,
                segment.released_end,
                text[segment.start : segment.end],
                edit.span.label,
                edit.span.entity,
            )
            for segment, edit in edited
        ]
        # "In August 1961" may stand for many things: a generalization is restored by its offsets only.
        replacements = tuple("" if edit.level else edit.replacement for _, edit in edited)
        return cls(release.document.id, tuple(ranges), replacements)

    def to_json(self) -> dict[str, Any]:
        before = {} if self.before_rewrite is None else {"before_rewrite": self.before_rewrite.to_json()}
        return {"id": self.original_id, "pieces": self.ranges, "replacements": self.replacements, **before}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RestoreRecord:
        ranges = tuple(ReplacedRange(*row) for row in data["pieces"])
        before = data.get("before_rewrite", data.get("floor"))  # its name in vaults of version 0.1
        return cls(data["id"], ranges, tuple(data["replacements"]), None if before is None else cls.from_json(before))

    def mentions(self) -> Iterator[ReplacedMention]:
        """What each replacement stands for, also those of the text before it was rewritten."""
        for record in (self, self.before_rewrite):
            if record is not None:
                for replaced, replacement in zip(record.ranges, record.replacements, strict=True):
                    entity = replaced.entity or fold_phrase(replaced.original)
                    yield ReplacedMention(replacement, replaced.label, entity, replaced.original)

    def apply(self, released: Document) -> Release:
        """The restored text as a release of ``released``, which has exactly the text that was released."""
        edits = tuple(
            Edit(
                Span(replaced.start, replaced.end, replaced.label, entity=replaced.entity),
                replaced.original,
                ("vault",),
            )
            for replaced in self.ranges
        )
        return Release(released, edits)


class Vault:
    """An open vault. Safe to share between threads; other processes open the same file themselves."""

    def __init__(self, path: str | Path, key: Key) -> None:
        self.path = Path(path)
        self.key = key
        self._cipher = EntryCipher(
            key.derive("vault/encrypt"),
            key.derive("vault/index"),
            damaged=f"{self.path}: an entry is damaged; restore the vault from a backup",
        )
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._is_closed = False
        self._connection = self._connect()
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
        """Open a vault that must exist."""
        if not Path(path).is_file():
            raise EncryptionKeyError(
                f"{path}: no such vault; give the file that anonymize wrote (--vault, or vault=...)"
            )
        return cls(path, Key.load(key_file))

    def close(self) -> None:
        self._is_closed = True
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # Assignments: the Store that a Ledger works on.

    def assign(self, scope: str, kind: str, entity: str, candidates: Candidates) -> str:
        space = self._tag("space", scope, kind)
        tag = self._tag("entity", scope, kind, entity)
        with self._lock:
            if (assigned := self._assigned(space, tag)) is not None:
                return assigned
            with self._transaction() as connection:
                if (assigned := self._assigned(space, tag)) is not None:  # by another process in the meantime
                    return assigned
                count = connection.execute(
                    "SELECT coalesce(max(n), 0) FROM assignment WHERE space = ?", (space,)
                ).fetchone()[0]
                value = first_free(candidates(count), lambda candidate: self._is_taken(space, candidate))
                encrypted = self._cipher.encrypt(value.encode("utf-8", "surrogatepass"), tag)
                row = (space, tag, self._tag("taken", value), count + 1, encrypted)
                connection.execute("INSERT INTO assignment VALUES (?, ?, ?, ?, ?)", row)
                return value

    def forget(self, scope: str) -> None:
        """A vault never forgets: later runs must agree with this one."""

    def _assigned(self, space: bytes, tag: bytes) -> str | None:
        row = self._db.execute("SELECT value FROM assignment WHERE space = ? AND entity = ?", (space, tag)).fetchone()
        return None if row is None else self._cipher.decrypt(row[0], tag).decode("utf-8", "surrogatepass")

    def _is_taken(self, space: bytes, value: str) -> bool:
        query = "SELECT 1 FROM assignment WHERE space = ? AND taken = ?"
        return self._db.execute(query, (space, self._tag("taken", value))).fetchone() is not None

    # Releases and how to restore them.

    def record(self, release: Release, released_id: str) -> None:
        """Store how to restore a release, by its text and by its id."""
        record = RestoreRecord.of(release)
        tag = self._tag("id", released_id)
        content = json.dumps(record.to_json(), ensure_ascii=True).encode()
        row = (tag, self._tag("text", release.text), self._cipher.encrypt(content, tag))
        with self._lock, self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO release VALUES (?, ?, ?)", row)
            self._index_mentions(tag, record)

    def find_exact(self, released_id: str, text: str) -> list[RestoreRecord]:
        """The recorded release with this id and exactly this text, if there is one."""
        return self._records("WHERE id = ? AND text = ?", self._tag("id", released_id), self._tag("text", text))

    def find_by_text(self, text: str) -> list[RestoreRecord]:
        """Every recorded release with exactly this text."""
        return self._records("WHERE text = ? ORDER BY id", self._tag("text", text))

    def original_id(self, released_id: str) -> str | None:
        """The original id of what was released with this id; None where nothing was."""
        records = self._records("WHERE id = ? ORDER BY text LIMIT 1", self._tag("id", released_id))
        return records[0].original_id if records else None

    def all_records(self) -> Iterator[RestoreRecord]:
        """Every recorded release."""
        yield from self._records("ORDER BY id, text")

    def _records(self, where: str, *values: bytes) -> list[RestoreRecord]:
        with self._lock:
            rows = self._db.execute(f"SELECT id, undo FROM release {where}", values).fetchall()
        return [self._decrypt_record(content, tag) for tag, content in rows]

    def _decrypt_record(self, content: bytes, tag: bytes) -> RestoreRecord:
        return RestoreRecord.from_json(json.loads(self._cipher.decrypt(content, tag)))

    # Mentions by the words of their replacements.

    def mentions(self, released_id: str, words: Iterable[str]) -> list[ReplacedMention]:
        """What any of these words may stand for in the releases with this id, however many there are."""
        tag = self._tag("id", released_id)
        tags = sorted(self._tag("word", tag, word) for word in set(words))
        rows: set[tuple[int, bytes, bytes]] = set()
        for first in range(0, len(tags), _QUERY_WORDS):
            some = tags[first : first + _QUERY_WORDS]
            query = f"SELECT n, tag, value FROM mention WHERE word IN ({', '.join('?' * len(some))})"
            with self._lock:
                rows.update(self._db.execute(query, some).fetchall())
        by_tag = {mention: value for _, mention, value in sorted(rows, reverse=True)}
        return [
            ReplacedMention(*json.loads(self._cipher.decrypt(value, mention)))
            for mention, value in reversed(by_tag.items())
        ]

    def _index_mentions(self, tag: bytes, record: RestoreRecord) -> None:
        """Called within a transaction; a mention that is indexed already costs no new entry."""
        for mention in record.mentions():
            plain = json.dumps(mention, ensure_ascii=True).encode()
            name = self._tag("mention", tag, plain)
            for word in mention.words():
                self._db.execute(
                    "INSERT OR IGNORE INTO mention (word, tag, value) VALUES (?, ?, ?)",
                    (self._tag("word", tag, word), name, self._cipher.encrypt(plain, name)),
                )

    def _index_old_releases(self) -> None:
        """A vault of an earlier version has releases without indexed mentions."""
        if self._db.execute("SELECT 1 FROM meta WHERE name = 'mentions'").fetchone() is not None:
            return
        with self._lock, self._transaction() as connection:
            for tag, content in connection.execute("SELECT id, undo FROM release").fetchall():
                with suppress(EncryptionKeyError):  # a damaged entry is an error when it is read
                    self._index_mentions(tag, self._decrypt_record(content, tag))
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('mentions', x'')")

    # Whole files.

    def record_file(self, released: bytes, original: bytes) -> None:
        """Store a whole file, where its markup cannot be restored from its text."""
        tag = self._tag("file", released)
        row = (tag, self._cipher.encrypt(zlib.compress(original), tag))
        with self._lock, self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO file VALUES (?, ?)", row)

    def original_file(self, released: bytes) -> bytes | None:
        """The file that was released as exactly these bytes."""
        tag = self._tag("file", released)
        with self._lock:
            row = self._db.execute("SELECT original FROM file WHERE released = ?", (tag,)).fetchone()
        return None if row is None else zlib.decompress(self._cipher.decrypt(row[0], tag))

    # The database.

    def _connect(self) -> sqlite3.Connection:
        is_new = not self.path.exists() or self.path.stat().st_size == 0
        if not is_new:
            with self.path.open("rb") as file:
                if file.read(len(_HEADER)) != _HEADER:
                    raise EncryptionKeyError(f"{self.path}: not a vault; check the name")
        try:
            if is_new and self.path.exists():
                self.path.chmod(0o600)
            connection = open_database(self.path)
            connection.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            row = connection.execute("SELECT value FROM meta WHERE name = 'check'").fetchone()
            if row is None:
                check = self._cipher.encrypt(_CHECK, b"check")
                connection.execute("INSERT INTO meta VALUES ('check', ?)", (check,))
            connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            raise EncryptionKeyError(f"{self.path}: not a vault, or not readable and writable ({error})") from None
        if row is not None:
            try:
                self._cipher.decrypt(row[0], b"check")
            except EncryptionKeyError:
                connection.close()
                raise EncryptionKeyError(
                    f"{self.path}: this key does not open the vault; give the key file it was made with"
                ) from None
        return connection

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
        """The keyed hash that an entry is looked up by."""
        # Length-prefixed, so that no two lists of parts give one message.
        encoded = [part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part for part in parts]
        return self._cipher.index(b"".join(len(part).to_bytes(8, "big") + part for part in encoded))
