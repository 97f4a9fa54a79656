"""Stratified splits: shares by stratum, people together."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document
from sfumato.errors import InputError, RecipeError
from sfumato_papers.synthesis.split import PARTS, column_value, parse_shares, split_documents


def note(number: int, category: str = "", subject: str = "") -> Document:
    subjects = (subject,) if subject else ()
    return Document(str(number), "x", subjects=subjects, meta={"kept": {"category": category}})


def test_each_type_of_note_is_divided_by_the_shares() -> None:
    notes = [note(n, "nursing" if n < 60 else "radiology" if n < 90 else "ecg") for n in range(100)]
    parts = split_documents(notes, stratum=column_value("category"))
    category = {document.id: document.meta["kept"]["category"] for document in notes}
    counts = {part: Counter(category[key] for key in parts[part]) for part in PARTS}
    assert counts["train"] == {"nursing": 30, "radiology": 15, "ecg": 5}
    assert counts["validation"] == {"nursing": 12, "radiology": 6, "ecg": 2}
    assert counts["test"] == {"nursing": 18, "radiology": 9, "ecg": 3}
    assert split_documents(notes, stratum=column_value("category")) == parts
    assert split_documents(notes, stratum=column_value("category"), seed=1) != parts


def test_many_small_strata_do_not_all_go_to_one_part() -> None:
    parts = split_documents([note(n, str(n)) for n in range(100)], stratum=column_value("category"))
    assert [len(parts[part]) for part in PARTS] == [50, 20, 30]


def test_notes_of_a_person_stay_together() -> None:
    notes = [note(n, subject=f"person {n // 4}") for n in range(80)]
    parts = split_documents(notes)
    part_of = {key: part for part in PARTS for key in parts[part]}
    assert all(len({part_of[str(4 * person + n)] for n in range(4)}) == 1 for person in range(20))
    assert [len(parts[part]) for part in PARTS] == [40, 16, 24]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("123456789")), min_size=12, max_size=40),
    st.integers(0, 5),
)
def test_every_document_is_in_one_part(drawn: list[tuple[str, str]], seed: int) -> None:
    notes = [note(n, category, subject) for n, (category, subject) in enumerate(drawn)]
    try:
        parts = split_documents(notes, stratum=column_value("category"), seed=seed)
    except InputError:
        return
    assert Counter(key for part in PARTS for key in parts[part]) == Counter(document.id for document in notes)


def test_what_cannot_be_split_is_said() -> None:
    with pytest.raises(InputError, match="2 documents are too few to split: none is left for validation"):
        split_documents([note(1), note(2)])
    assert split_documents([note(1), note(2)], (50, 0, 50))["validation"] == []
    with pytest.raises(InputError, match="document 1 has no column 'type'"):
        split_documents([note(1)], stratum=column_value("type"))


@pytest.mark.parametrize("text", ["50/50", "50/20/20", "a/b/c", "120/-50/30", ""])
def test_wrong_shares_are_refused(text: str) -> None:
    with pytest.raises(RecipeError, match="add up to 100"):
        parse_shares(text)
    assert parse_shares("50/20/30") == (50, 20, 30)
