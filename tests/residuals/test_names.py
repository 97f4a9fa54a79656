"""Which ids and names of files carry something personal."""

from __future__ import annotations

import pytest
from benchmarks.names import shares

from sfumato.document import Document, Edit, Release, Span
from sfumato.recipe import load
from sfumato.residuals.names import IdChecker
from sfumato.runs.ids import id_checker


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
