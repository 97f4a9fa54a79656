"""Ids and file names that tell who somebody is are replaced, in time linear in their length."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.names import shares

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import OutputError
from sfumato.formats.base import Columns
from sfumato.recipe import load
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.ids import IdChecker, id_checker


@pytest.fixture(scope="module")
def checker() -> IdChecker:
    return id_checker(load("default"))


@pytest.mark.parametrize(
    "name",
    [
        "4111111111111111",
        "536-22-1234",
        "+44 20 7946 0018",
        "+442079460018",
        "1961-08-03",
        "note 4111111111111111",
        "943 476 5919",
        "file 943 476 5919",
        "065-01-0252",
        "2024.05.03 - 12.30.11 - scan",
        "anna_berg",
        "berg-anna-letter",
        "scan-anna.berg@example.org_2",
        "document-7",
        "file-7",
        "Аnnа_Веrg",
        "Ⓐⓝⓝⓐ Ⓑⓔⓡⓖ",
        "An\u3164na Be\u3164rg",
        "A n n a  B e r g",
        "④①①①①①①①①①①①①①①①",
        "note 4️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣",
    ],
)
def test_a_telling_name_is_replaced(checker: IdChecker, name: str) -> None:
    assert checker.is_personal(name)


@pytest.mark.parametrize(
    "name",
    [
        "note-17",
        "doc_000123",
        "00001234",
        "report-final-v2",
        "letter_2019",
        "00000000-0000-0000-0000-00000000000a",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "esse-100",
        "a_b_c_d",
        "S U M M A R Y",
        "forum/medical",
        "server-log-03",
        "stack-trace-ticket-01",
        "forum-post-7",
    ],
)
def test_a_harmless_name_is_kept(checker: IdChecker, name: str) -> None:
    assert not checker.is_personal(name)


def test_nearly_all_generated_names_are_judged_rightly(checker: IdChecker) -> None:
    telling, missed, harmless, changed = shares(checker, 200, seed=11)
    assert missed.total() <= 0.01 * telling.total()
    assert changed.total() <= 0.05 * harmless.total()


def test_an_id_as_long_as_a_text_is_not_kept(checker: IdChecker) -> None:
    assert not checker.is_personal("note " * 900)
    assert checker.is_personal("note " * 1100)


@pytest.mark.parametrize("name", ["-" * 5000 + "x", "1-" * 5000 + "a", "note-" * 2000, "12 " * 5000, "a" * 20_000])
def test_no_name_takes_long(checker: IdChecker, name: str) -> None:
    checker.is_personal(name)  # exponential before: the test would not end


def test_the_name_of_a_file_of_records_does_not_repeat_what_was_replaced_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "quorvex").mkdir(parents=True)
    row = json.dumps({"id": "a", "text": "Dear Mrs Anna Quorvex, thank you for your letter."})
    for name in ("quorvex.jsonl", "quorvex/a.jsonl", "bquorvex.jsonl", "letters.jsonl"):
        (folder / name).write_text(row + "\n", encoding="utf-8")
    summary = anonymize_files([folder], tmp_path / "out", load("fast"))
    names = sorted(path.name for path in (tmp_path / "out").rglob("*.jsonl"))
    assert "letters.jsonl" in names
    assert len(names) == 4
    assert not [name for name in names if "quorvex" in name]
    assert not (tmp_path / "out" / "quorvex").exists()
    assert summary.renamed_files == 3


def test_a_kept_value_that_repeats_a_replaced_name_is_counted(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    row = {"id": "a", "text": "Dear Mrs Anna Quorvex, thank you for your letter.", "user": "bquorvex"}
    source.write_text(json.dumps(row) + "\n", encoding="utf-8")
    summary = anonymize_files([source], tmp_path / "out.jsonl", load("fast"), columns=Columns(keep=("user",)))
    assert summary.kept_columns["user"].personal == 1


def test_two_files_of_records_keep_names_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("Anna Berg.jsonl", "file-1.jsonl"):
        (folder / name).write_text(json.dumps({"id": name, "text": "All is well here today."}) + "\n", encoding="utf-8")
    summary = anonymize_files([folder], tmp_path / "out", load("fast"))
    assert len(set(summary.files)) == len(list((tmp_path / "out").iterdir())) == 2


@pytest.mark.parametrize(
    ("name", "value", "label", "repeats"),
    [
        ("ward-radiology-07", "Radiology Ward 3", "ORG", False),
        ("letter-forum", "Forum", "PERSON", False),
        ("letter-quorvex", "Ida Quorvex", "PERSON", True),
        ("letter-anna", "Anna", "PERSON", True),
        ("visit-quorvexia", "Quorvexia", "ORG", True),
    ],
)
def test_ordinary_words_of_a_replaced_name_do_not_make_an_id_personal(
    checker: IdChecker, name: str, value: str, label: str, repeats: bool
) -> None:
    document = Document(name, f"She was seen by {value} and went home.")
    start = document.text.index(value)
    release = Release(document, (Edit(Span(start, start + len(value), label), "PERSON_1"),))
    assert checker.is_replaced(release) is repeats


def test_an_audit_does_not_take_the_place_of_a_key(tmp_path: Path) -> None:
    source, key = tmp_path / "a.txt", tmp_path / "k.key"
    source.write_text("All is well here today.", encoding="utf-8")
    key.write_bytes(bytes(range(32)))
    with pytest.raises(OutputError, match=r"k\.key: is the vault, the key"):
        anonymize_files([source], tmp_path / "o.txt", load("fast"), audit=key, confidential=[key])
    assert key.read_bytes() == bytes(range(32))


def test_an_audit_has_a_name_that_says_what_it_is(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("All is well here today.", encoding="utf-8")
    with pytest.raises(OutputError, match=r"b\.txt: an audit is written as \.jsonl or as \.masks\.json"):
        anonymize_files([source], tmp_path / "o.txt", load("fast"), audit=tmp_path / "b.txt")
    assert not (tmp_path / "o.txt").exists()
