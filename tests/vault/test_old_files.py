"""Vault files of today are still read after renames: exact restores, labels, rewrites and whole files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sfumato.document import Document
from sfumato.vault.restore import Restorer
from sfumato.vault.store import Vault

DATA = Path(__file__).parent / "data"
ORIGINAL = "Mara Quill, born 3 May 1961, teaches in Graz. Call Mrs Quill on +43 316 555 0199."
RELEASED = "PERSON_1, born DATETIME_1, teaches in LOC_1. Call Mrs LOC_2 on CODE_1."


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    shutil.copy(DATA / "vault.db", tmp_path)
    return Vault.open_existing(tmp_path / "vault.db", DATA / "vault.key")


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
