"""The vault: an encrypted SQLite file with assignments of replacements and how to restore each release.

Names, texts and ids are encrypted (AES-256-GCM); what is looked up is stored as a keyed hash. Without the key the file
shows how many entries it has, how long each is and which belong together, and no text.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

from sfumato.detectors.structure import document_structure
from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import EncryptionKeyError
from sfumato.lexicon.tokens import WORD_CHARACTERS, fold_phrase
from sfumato.vault.database import Change, SealedDatabase, VaultState
from sfumato.vault.key import Key
from sfumato.vault.ledger import Candidates, first_free

_QUERY_WORDS = 500
"""Words in one query: SQLite allows at least about a thousand values."""
_NAMES = b"\0"
"""What a list of tags begins with; a compressed file begins otherwise."""
_TAG = 32
_ESCAPE_SIGNS = frozenset("\\&\"'")
"""One of them is in whatever a format writes otherwise."""

NUMBERED_LABEL = re.compile(r"(?<![^\W\d_])([^\W\d_]++)_(\d++)")
_LABEL_VARIANT = re.compile(r"(?<![^\W\d_])([^\W\d_]++)(?:\\?_|-|\s++#?|)(\d++)")


class ReplacedMention(NamedTuple):
    """``replacement`` stands for ``original``, which is one way to name the ``entity``."""

    replacement: str
    label: str
    entity: str
    original: str

    def __repr__(self) -> str:
        return f"ReplacedMention(label={self.label!r})"  # no text, as in document.py

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
    value: str | None = None
    """What the original says, where its format writes it otherwise: with escapes, references or doubled quotes."""

    def __repr__(self) -> str:
        return f"ReplacedRange(start={self.start}, end={self.end}, label={self.label!r})"


@dataclass(frozen=True)
class RestoreRecord:
    """All that is needed to restore the original of one release, by its offsets."""

    original_id: str
    ranges: tuple[ReplacedRange, ...]
    replacements: tuple[str, ...] = field(repr=False)
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
                _escaped_value(release.document, segment.start, segment.end),
            )
            for segment, edit in edited
        ]
        # "In August 1961" may stand for many things: a generalization is restored by its offsets only.
        replacements = tuple("" if edit.level else edit.replacement for _, edit in edited)
        return cls(release.document.id, tuple(ranges), replacements)

    def to_json(self) -> dict[str, Any]:
        before = {} if self.before_rewrite is None else {"before_rewrite": self.before_rewrite.to_json()}
        pieces = [piece if piece.value is not None else piece[:-1] for piece in self.ranges]
        return {"id": self.original_id, "pieces": pieces, "replacements": self.replacements, **before}

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
                    original = replaced.original if replaced.value is None else replaced.value
                    yield ReplacedMention(
                        replacement, replaced.label, replaced.entity or fold_phrase(original), original
                    )

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


def _escaped_value(document: Document, start: int, end: int) -> str | None:
    """What a range of a document says, where that is not what is written there."""
    written = document.text[start:end]
    if _ESCAPE_SIGNS.isdisjoint(written):
        return None
    value = document_structure(document).read(start, end)
    return None if value == written else value


class Vault:
    """An open vault. Safe to share between threads; other processes open the same file themselves.

    Opening checks every entry, which takes some seconds for a million of them: open once where there are many.
    """

    def __init__(self, path: str | Path, key: Key) -> None:
        self.path = Path(path)
        self.key = key
        self._database = SealedDatabase(self.path, key, _upgrade)

    @classmethod
    def open(cls, path: str | Path, key_file: str | Path) -> Vault:
        """Open a vault, or make a new one. A missing key file is made only together with a new vault."""
        path, key_file = Path(path), Path(key_file)
        if not path.exists() and not key_file.exists():
            return cls(path, Key.create(key_file))
        return cls(path, Key.load(key_file))

    @classmethod
    def open_existing(cls, path: str | Path, key_file: str | Path) -> Vault:
        """Open a vault that must exist. A weak key, which earlier versions took, still opens it."""
        if not Path(path).is_file():
            raise EncryptionKeyError(
                f"{path}: no such vault; give the file that anonymize wrote (--vault, or vault=...)"
            )
        return cls(path, Key.load_existing(key_file))

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # Which vault this is, and how far it has come.

    @property
    def state(self) -> VaultState:
        """To be recorded elsewhere: the vault alone cannot know whether it is an earlier copy of itself."""
        seal = self._database.seal
        return VaultState(seal.vault_id, seal.generation)

    def check_not_older(self, recorded: VaultState, recorded_in: Path) -> None:
        """Raise where this is not the vault that a file recorded, or an earlier copy of it."""
        state = self.state
        if state.id != recorded.id:
            problem = "is not the vault"
        elif state.generation < recorded.generation:
            problem = "is an earlier copy of the vault"
        else:
            return
        raise EncryptionKeyError(
            f"{self.path}: {problem} that {recorded_in} was written with; put that vault back, as it was then or later"
        )

    def sync(self) -> None:
        """When this returns, everything recorded so far survives a power failure."""
        self._database.sync()

    # Assignments: the Store that a Ledger works on.

    def assign(self, scope: str, kind: str, entity: str, candidates: Candidates) -> str:
        database = self._database
        space = database.tag("space", scope, kind)
        tag = database.tag("entity", scope, kind, entity)
        if (assigned := self._assigned(space, tag)) is not None:
            return assigned
        with database.change() as change:
            if (assigned := self._assigned(space, tag)) is not None:  # by another process in the meantime
                return assigned
            count = database.rows("SELECT coalesce(max(n), 0) FROM assignment WHERE space = ?", (space,))[0][0]
            value = first_free(candidates(count), lambda candidate: self._is_taken(space, candidate))
            encrypted = database.encrypt(value.encode("utf-8", "surrogatepass"), tag)
            change.add("assignment", space, tag, database.tag("taken", value), count + 1, encrypted)
            return value

    def forget(self, scope: str) -> None:
        """A vault never forgets: later runs must agree with this one."""

    def _assigned(self, space: bytes, tag: bytes) -> str | None:
        query = "SELECT value FROM assignment WHERE space = ? AND entity = ?"
        for (value,) in self._database.rows(query, (space, tag)):
            return self._database.decrypt(value, tag).decode("utf-8", "surrogatepass")
        return None

    def _is_taken(self, space: bytes, value: str) -> bool:
        query = "SELECT 1 FROM assignment WHERE space = ? AND taken = ?"
        return bool(self._database.rows(query, (space, self._database.tag("taken", value))))

    # Releases and how to restore them.

    def record(self, release: Release, released_id: str) -> None:
        """Store how to restore a release, by its text and by its id."""
        database = self._database
        record = RestoreRecord.of(release)
        id_tag, text_tag = database.tag("id", released_id), database.tag("text", release.text)
        with database.change() as change:
            query = "SELECT id, text, undo FROM release WHERE id = ? AND text = ?"
            before = database.rows(query, (id_tag, text_tag))
            if any(_decrypt_record(database, *row) == record for row in before):
                return  # by a run that was stopped before it could say so
            for row in before:
                change.remove("release", *row)
            _add_release(database, change, id_tag, text_tag, record)

    def rename(self, released_id: str, text: str, new_id: str) -> None:
        """Store a release that was recorded under another id under the id that it goes out with."""
        database = self._database
        old_tag, new_tag, text_tag = (
            database.tag(*parts) for parts in (("id", released_id), ("id", new_id), ("text", text))
        )
        with database.change() as change:
            rows = database.rows("SELECT id, text, undo FROM release WHERE id = ? AND text = ?", (old_tag, text_tag))
            for row in rows:
                _add_release(database, change, new_tag, text_tag, _decrypt_record(database, *row))
                change.remove("release", *row)

    def find_exact(self, released_id: str, text: str) -> list[RestoreRecord]:
        """The recorded release with this id and exactly this text, if there is one."""
        tags = self._database.tag("id", released_id), self._database.tag("text", text)
        return self._records("WHERE id = ? AND text = ?", *tags)

    def find_by_text(self, text: str) -> list[RestoreRecord]:
        """Every recorded release with exactly this text."""
        return self._records("WHERE text = ? ORDER BY id", self._database.tag("text", text))

    def original_id(self, released_id: str) -> str | None:
        """The original id of what was released with this id; None where nothing was."""
        records = self._records("WHERE id = ? ORDER BY text LIMIT 1", self._database.tag("id", released_id))
        return records[0].original_id if records else None

    def all_records(self) -> Iterator[RestoreRecord]:
        """Every recorded release."""
        yield from self._records("ORDER BY id, text")

    def _records(self, where: str, *values: bytes) -> list[RestoreRecord]:
        rows = self._database.rows(f"SELECT id, text, undo FROM release {where}", values)
        return [_decrypt_record(self._database, *row) for row in rows]

    def mentions(self, released_id: str, words: Iterable[str]) -> list[ReplacedMention]:
        """What any of these words may stand for in the releases with this id, however many there are."""
        database = self._database
        id_tag = database.tag("id", released_id)
        tags = sorted(database.tag("word", id_tag, word) for word in set(words))
        rows: set[tuple[int, bytes, bytes, bytes]] = set()
        for first in range(0, len(tags), _QUERY_WORDS):
            some = tags[first : first + _QUERY_WORDS]
            query = f"SELECT n, word, tag, value FROM mention WHERE word IN ({', '.join('?' * len(some))})"
            rows.update(database.rows(query, some))
        first_of_each: dict[bytes, tuple[bytes, bytes]] = {}
        for _, word, tag, value in sorted(rows):
            first_of_each.setdefault(tag, (word, value))
        return [
            ReplacedMention(*json.loads(database.decrypt(value, b"mention", id_tag, word, tag)))
            for tag, (word, value) in first_of_each.items()
        ]

    # Whole files.

    def record_file(self, released: bytes, original: bytes, name: str = "") -> None:
        """Store a whole file, where its markup cannot be restored from its text.

        ``name``: what the released file is called; files with the same bytes may have different originals.
        """
        database = self._database
        by_name, by_content = database.tag("file", name, released), database.tag("file", released)
        with database.change() as change:
            self._put_file(change, by_name, zlib.compress(original))
            names = self._file_content(by_content) or _NAMES
            if not names.startswith(_NAMES):  # one of version 0.1 holds the file itself
                unnamed = database.tag("file", "", released)
                self._put_file(change, unnamed, names)
                names = _NAMES + unnamed
            if by_name not in _tags_in(names):
                self._put_file(change, by_content, names + by_name)

    def original_file(self, released: bytes, name: str = "") -> bytes | None:
        """The file that was released as exactly these bytes with this name, or else with any name.

        None where there is none, and where several were, from different originals.
        """
        by_name = self._file_content(self._database.tag("file", name, released))
        if by_name is not None:
            return zlib.decompress(by_name)
        names = self._file_content(self._database.tag("file", released))
        if names is None or not names.startswith(_NAMES):
            return None if names is None else zlib.decompress(names)
        contents = map(self._file_content, _tags_in(names))
        originals = {zlib.decompress(content) for content in contents if content is not None}
        return originals.pop() if len(originals) == 1 else None

    def _file_content(self, tag: bytes) -> bytes | None:
        for (value,) in self._database.rows("SELECT original FROM file WHERE released = ?", (tag,)):
            return self._database.decrypt(value, tag)
        return None

    def _put_file(self, change: Change, tag: bytes, content: bytes) -> None:
        for row in self._database.rows("SELECT released, original FROM file WHERE released = ?", (tag,)):
            if self._database.decrypt(row[1], tag) == content:
                return
            change.remove("file", *row)
        change.add("file", tag, self._database.encrypt(content, tag))


def _tags_in(names: bytes) -> list[bytes]:
    return [names[start : start + _TAG] for start in range(len(_NAMES), len(names), _TAG)]


def _decrypt_record(database: SealedDatabase, id_tag: bytes, text_tag: bytes, undo: bytes) -> RestoreRecord:
    return RestoreRecord.from_json(json.loads(database.decrypt(undo, b"release", id_tag, text_tag)))


def _add_release(
    database: SealedDatabase, change: Change, id_tag: bytes, text_tag: bytes, record: RestoreRecord
) -> None:
    """The release, and its mentions by the words of their replacements."""
    content = json.dumps(record.to_json(), ensure_ascii=True).encode()
    change.add("release", id_tag, text_tag, database.encrypt(content, b"release", id_tag, text_tag))
    for mention in record.mentions():
        plain = json.dumps(mention, ensure_ascii=True).encode()
        tag = database.tag("mention", id_tag, plain)
        for word in sorted(mention.words()):
            word_tag = database.tag("word", id_tag, word)
            # Another release of the document may have it, too.
            if not database.rows("SELECT 1 FROM mention WHERE word = ? AND tag = ?", (word_tag, tag)):
                value = database.encrypt(plain, b"mention", id_tag, word_tag, tag)
                change.add("mention", None, word_tag, tag, value)


def _upgrade(database: SealedDatabase, change: Change) -> None:
    """In version 0.1 a release was bound to its id alone, and a mention to nothing but itself."""
    for row in database.rows("SELECT n, word, tag, value FROM mention"):
        change.remove("mention", *row)
    for id_tag, text_tag, undo in database.rows("SELECT id, text, undo FROM release"):
        with suppress(EncryptionKeyError):  # a damaged entry is an error when it is read
            record = RestoreRecord.from_json(json.loads(database.decrypt(undo, id_tag)))
            change.remove("release", id_tag, text_tag, undo)
            _add_release(database, change, id_tag, text_tag, record)
