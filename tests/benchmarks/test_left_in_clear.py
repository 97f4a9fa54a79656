"""The count of mentions left in clear, on invented rulings."""

from __future__ import annotations

from benchmarks.left_in_clear import count, draw, undo

from sfumato.document import Document, Edit, Release, Span

TEXT = "Anna Quorvex was born on 3/5/57. In Lublin she met Belo Tvesk. She is called Anna."
MASKS = {"Anna Quorvex": "PERSON_1", "3/5/57": "DATETIME_1", "Lublin": "a city", "Belo Tvesk": "PERSON_2", "She": "She"}
EDITS = tuple(
    Edit(Span(TEXT.index(words), TEXT.index(words) + len(words), "MISC"), mask) for words, mask in MASKS.items()
)
RELEASE = Release(Document("a", TEXT), EDITS)


def test_edits_that_change_something_are_drawn_by_the_seed() -> None:
    drawn = draw(RELEASE, 0)
    assert {TEXT[edit.span.start : edit.span.end] for edit in drawn} == set(MASKS) - {"She"}
    assert drawn == draw(RELEASE, 0)


def test_what_is_undone_stands_in_clear() -> None:
    released = undo(RELEASE, [EDITS[0]]).text
    assert released == "Anna Quorvex was born on DATETIME_1. In a city she met PERSON_2. She is called Anna."


def test_no_mention_left_in_clear_is_called_gone() -> None:
    counts = count([RELEASE], 0)
    assert counts.pop("mentions") == 4
    assert set(counts.values()) == {0}
