"""Whoever can write to a vault without its key cannot make it give a wrong name, and is noticed."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.vault_tampering import run

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import EncryptionKeyError
from sfumato.vault.restore import Restorer
from sfumato.vault.store import Vault

Tamper = Callable[[sqlite3.Connection], object]


def released(document_id: str, name: str, text: str = "{} came.") -> Release:
    span = Span(text.index("{"), text.index("{") + len(name), "PERSON", entity=f"person:{name}")
    return Release(Document(document_id, text.format(name)), (Edit(span, "PERSON_1"),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Vault.open(tmp_path / "v.db", tmp_path / "v.key") as vault:
        for document_id, name in (("a", "Ida Quorvex"), ("b", "Tobias Wrexley")):
            vault.record(released(document_id, name), document_id)
            vault.record(released(document_id, name, "Then {} left."), document_id)
        vault.record(released("talk", "Ida Quorvex", "{} wrote."), "talk")
        vault.record(released("talk", "Tobias Wrexley", "{} read."), "talk")
        vault.assign("corpus", "label", "ida", lambda taken: ["PERSON_1"])
        vault.assign("corpus", "label", "tobias", lambda taken: ["PERSON_2"])
        vault.record_file(b"<p>PERSON_1</p>", b"<p>Ida</p>")
    return tmp_path


def open_vault(folder: Path) -> Vault:
    return Vault.open(folder / "v.db", folder / "v.key")


def tamper(folder: Path, change: Tamper) -> None:
    with closing(sqlite3.connect(folder / "v.db")) as raw:
        change(raw)
        raw.commit()


def swap_mentions(raw: sqlite3.Connection) -> None:
    """The rows of one document under the words of another."""
    rows = raw.execute("SELECT n, word, tag, value FROM mention ORDER BY n").fetchall()
    raw.execute("DELETE FROM mention")
    for (n, word, _, _), (_, _, tag, value) in zip(rows, [*rows[1:], rows[0]], strict=True):
        raw.execute("INSERT INTO mention VALUES (?, ?, ?, ?)", (n, word, tag, value))


def rotate_texts(raw: sqlite3.Connection) -> None:
    """How to undo one message of a document, in the place of another message."""
    for (id_tag,) in raw.execute("SELECT DISTINCT id FROM release").fetchall():
        rows = raw.execute("SELECT text, undo FROM release WHERE id = ? ORDER BY text", (id_tag,)).fetchall()
        for (text, _), (_, undo) in zip(rows, [*rows[1:], rows[0]], strict=True):
            raw.execute("UPDATE release SET undo = ? WHERE id = ? AND text = ?", (undo, id_tag, text))


TAMPERINGS: dict[str, Tamper] = {
    "mentions swapped": swap_mentions,
    "texts rotated": rotate_texts,
    "a release removed": lambda raw: raw.execute("DELETE FROM release WHERE id = (SELECT min(id) FROM release)"),
    "a mention removed": lambda raw: raw.execute("DELETE FROM mention WHERE n = 1"),
    "mentions renumbered": lambda raw: raw.execute("UPDATE mention SET n = n + 100"),
    "an assignment removed": lambda raw: raw.execute("DELETE FROM assignment WHERE n = 1"),
    "assignments renumbered": lambda raw: raw.execute("UPDATE assignment SET n = 7"),
    "a file removed": lambda raw: raw.execute("DELETE FROM file"),
    "a number in the place of a value": lambda raw: raw.execute("UPDATE release SET undo = 7"),
    "text in the place of a value": lambda raw: raw.execute("UPDATE file SET original = 'abc'"),
    "the seal removed": lambda raw: raw.execute("DELETE FROM meta WHERE name = 'seal'"),
    "the check removed": lambda raw: raw.execute("DELETE FROM meta WHERE name = 'check'"),
    "both removed": lambda raw: raw.execute("DELETE FROM meta"),
    "the seal in the place of the check": lambda raw: raw.execute(
        "UPDATE meta SET value = (SELECT value FROM meta WHERE name = 'seal')"
    ),
    "a table dropped": lambda raw: raw.execute("DROP TABLE mention"),
    "the table of versions dropped": lambda raw: raw.execute("DROP TABLE meta"),
    "a column renamed": lambda raw: raw.execute("ALTER TABLE release RENAME COLUMN undo TO other"),
    "a trigger that swallows what is written": lambda raw: raw.execute(
        "CREATE TRIGGER t BEFORE INSERT ON release BEGIN SELECT RAISE(IGNORE); END"
    ),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_changed_vault_is_not_opened(name: str, folder: Path) -> None:
    tamper(folder, TAMPERINGS[name])
    with pytest.raises(EncryptionKeyError, match=r"v\.db: "):
        open_vault(folder)


@pytest.mark.parametrize(
    ("name", "document_id", "text"),
    [("mentions swapped", "a", "Dear PERSON_1"), ("texts rotated", "talk", "PERSON_1 wrote.")],
)
def test_nobody_gets_anothers_name_while_the_vault_is_open(
    name: str, document_id: str, text: str, folder: Path
) -> None:
    """Entries are bound to their place by themselves, too."""
    with open_vault(folder) as vault:
        tamper(folder, TAMPERINGS[name])
        with pytest.raises(EncryptionKeyError, match="damaged or was moved"):
            Restorer(vault).about(document_id, text)


def test_a_row_that_was_replaced_later_cannot_be_put_back(folder: Path) -> None:
    """The same id and text, released again from another original."""
    with closing(sqlite3.connect(folder / "v.db")) as raw:
        before = raw.execute("SELECT undo, id, text FROM release").fetchall()
    with open_vault(folder) as vault:
        vault.record(released("a", "Ada Quorvex"), "a")
        assert Restorer(vault).about("a", "PERSON_1 came.").text == "Ada Quorvex came."
    tamper(folder, lambda raw: raw.executemany("UPDATE release SET undo = ? WHERE id = ? AND text = ?", before))
    with pytest.raises(EncryptionKeyError, match="entries were removed"):
        open_vault(folder)


def test_damaged_pages_of_the_file_are_an_error_of_ours(folder: Path) -> None:
    content = bytearray((folder / "v.db").read_bytes())
    content[5000:-1000:7] = b"x" * len(content[5000:-1000:7])
    (folder / "v.db").write_bytes(content)
    with pytest.raises(EncryptionKeyError, match=r"v\.db: .*backup"):
        open_vault(folder)


def test_an_earlier_copy_is_noticed_by_who_wrote_down_the_state(folder: Path) -> None:
    shutil.copy(folder / "v.db", folder / "backup.db")
    with open_vault(folder) as vault:
        vault.record(released("c", "Jo Brint"), "c")
        state = vault.state
        vault.check_not_older(state, folder / "audit.jsonl")
    shutil.copy(folder / "backup.db", folder / "v.db")
    with open_vault(folder) as vault, pytest.raises(EncryptionKeyError, match=r"v\.db: is an earlier copy .*audit\.j"):
        vault.check_not_older(state, folder / "audit.jsonl")  # it is valid in itself
    (folder / "v.db").unlink()
    with open_vault(folder) as vault, pytest.raises(EncryptionKeyError, match="is not the vault that"):
        vault.check_not_older(state, folder / "audit.jsonl")


def test_recording_the_same_again_changes_nothing(folder: Path) -> None:
    with open_vault(folder) as vault:
        before = vault.state
        vault.record(released("a", "Ida Quorvex"), "a")
        vault.record_file(b"<p>PERSON_1</p>", b"<p>Ida</p>")
        vault.assign("corpus", "label", "ida", lambda taken: ["PERSON_9"])
        vault.sync()
        assert vault.state == before
    open_vault(folder).close()


def test_random_tamperings_are_noticed_or_harmless(tmp_path: Path) -> None:
    counts = run(60, seed=1, folder=tmp_path)
    assert counts.wrong == 0
    assert counts.noticed > 20


@pytest.mark.deep
def test_many_random_tamperings_are_noticed_or_harmless(tmp_path: Path) -> None:
    assert run(1000, seed=2, folder=tmp_path).wrong == 0
