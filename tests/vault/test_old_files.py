"""Vaults of version 0.1 are read as they are and brought up to date: releases, labels, rewrites and whole files."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import EncryptionKeyError
from sfumato.vault.restore import Restorer
from sfumato.vault.store import Vault

DATA = Path(__file__).parent / "data"
ORIGINAL = "Mara Quill, born 3 May 1961, teaches in Graz. Call Mrs Quill on +43 316 555 0199."
RELEASED = "PERSON_1, born DATETIME_1, teaches in LOC_1. Call Mrs LOC_2 on CODE_1."


def open_copy(folder: Path) -> Vault:
    return Vault.open_existing(folder / "vault.db", DATA / "vault.key")


@pytest.fixture(params=["with its index", "without an index"])
def vault(tmp_path: Path, request: pytest.FixtureRequest) -> Vault:
    """The oldest vaults have no table of mentions."""
    shutil.copy(DATA / "vault.db", tmp_path)
    if request.param == "without an index":
        with closing(sqlite3.connect(tmp_path / "vault.db")) as raw:
            raw.execute("DROP TABLE mention")
            raw.execute("DELETE FROM meta WHERE name = 'mentions'")
            raw.commit()
    return open_copy(tmp_path)


def test_a_release_is_restored_exactly(vault: Vault) -> None:
    _, restored = Restorer(vault).restore(Document("text-48dd98506d45", RELEASED))
    assert restored.text == ORIGINAL


def test_labels_in_another_text_are_put_back(vault: Vault) -> None:
    restored = Restorer(vault).about("text-48dd98506d45", "Dear PERSON_1, how is LOC_1?")
    assert restored.text == "Dear Mara Quill, how is Graz?"


def test_a_rewritten_text_leads_back_whole_and_by_its_labels(vault: Vault) -> None:
    restorer = Restorer(vault)
    original_id, restored = restorer.restore(Document("released-7", "PERSON_1 is from a city."))
    assert (original_id, restored.text) == ("letter-7", "Jon Halvorsen lives in Oslo.")
    assert restorer.about("released-7", "Is PERSON_1 in LOC_1?").text == "Is Jon Halvorsen in Oslo?"


def test_whole_files_and_assignments_are_found(vault: Vault) -> None:
    assert vault.original_file(b"<p>PERSON_1</p>") == b"<p>Jon <b>Halvorsen</b></p>"
    assert vault.assign("corpus", "label/PERSON", "jon halvorsen", lambda taken: ["PERSON_99"]) == "PERSON_9"


def test_a_whole_file_is_not_lost_when_another_is_released_alike(vault: Vault) -> None:
    vault.record_file(b"<p>PERSON_1</p>", b"<p>Ida</p>", "ida.html")
    assert vault.original_file(b"<p>PERSON_1</p>", "ida.html") == b"<p>Ida</p>"
    assert vault.original_file(b"<p>PERSON_1</p>") == b"<p>Jon <b>Halvorsen</b></p>"
    assert vault.original_file(b"<p>PERSON_1</p>", "other.html") is None


def test_an_old_vault_is_sealed_when_it_is_opened_and_stays_the_same_vault(vault: Vault, tmp_path: Path) -> None:
    before = vault.state
    vault.record(Release(Document("new", "Ida left."), (Edit(Span(0, 3, "PERSON"), "PERSON_1"),)), "new")
    vault.close()
    with open_copy(tmp_path) as again:
        assert (again.state.id, again.state.generation > before.generation) == (before.id, True)
        assert Restorer(again).about("text-48dd98506d45", RELEASED).text == ORIGINAL
        assert Restorer(again).about("new", "PERSON_1 left.").text == "Ida left."
    with closing(sqlite3.connect(tmp_path / "vault.db")) as raw:
        raw.execute("DELETE FROM assignment")
        raw.commit()
    with pytest.raises(EncryptionKeyError, match="entries were removed"):
        open_copy(tmp_path)


def test_a_damaged_entry_of_an_old_vault_does_not_stop_the_others(tmp_path: Path) -> None:
    shutil.copy(DATA / "vault.db", tmp_path)
    with closing(sqlite3.connect(tmp_path / "vault.db")) as raw:
        rows = raw.execute("SELECT id, text, undo FROM release").fetchall()
        for id_tag, text_tag, undo in rows[1:]:
            changed = (undo[:-1] + bytes([undo[-1] ^ 1]), id_tag, text_tag)
            raw.execute("UPDATE release SET undo = ? WHERE id = ? AND text = ?", changed)
        raw.commit()
    documents = {"text-48dd98506d45": RELEASED, "released-7": "PERSON_1 is from a city."}
    for _ in range(2):
        with open_copy(tmp_path) as vault:
            answers = [damage(vault, document_id, text) for document_id, text in documents.items()]
        assert sorted(map(bool, answers)) == [False, True]
        assert "an entry is damaged or was moved" in "".join(answers)


def damage(vault: Vault, released_id: str, text: str) -> str:
    try:
        assert vault.find_exact(released_id, text)
    except EncryptionKeyError as error:
        return str(error)
    return ""
