"""The vault: an encrypted SQLite file that remembers who stands for whom and how to undo each release.

Names, texts and ids are stored encrypted (AES-256-GCM); what is looked up is stored as a keyed hash. Without the
key the file shows how many entries it has, and nothing else.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from sfumato.document import Release
from sfumato.errors import KeyProblem
from sfumato.vault.key import Key
from sfumato.vault.ledger import Candidates, first_free
from sfumato.vault.mentions import Mention
from sfumato.vault.sealed import SealedFile
from sfumato.vault.undo import Undo

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
            raise KeyProblem(f"{path}: no such vault; give the file that anonymize wrote (--vault, or vault=...)")
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
                with suppress(KeyProblem):  # what is damaged is told of when it is asked for
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
