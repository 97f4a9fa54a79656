"""Edits of a text reach the slots it is made of, whatever the edits are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Edit, Release, Span
from sfumato.formats.layout import PLACEHOLDER, Change, apply_changes, changes_by_slot, text_of

from .edits import releases

SLOT = st.text(st.sampled_from("ab \n" + PLACEHOLDER), max_size=4)


def changed(groups: list[list[str]], release: Release) -> list[list[str]]:
    changes = changes_by_slot(groups, release)
    return [
        [apply_changes(slot, changes.get((number, index), [])) for index, slot in enumerate(group)]
        for number, group in enumerate(groups)
    ]


@given(st.data(), st.lists(st.lists(SLOT, min_size=1, max_size=3), max_size=5))
def test_the_changed_slots_read_as_the_release(data: st.DataObject, groups: list[list[str]]) -> None:
    groups = [*groups, ["x"]]
    release = data.draw(releases(text_of(groups), "ab \n" + PLACEHOLDER))
    after = changed(groups, release)
    assert text_of(after) == release.text
    assert text_of(changed(after, release.inverse())) == text_of(groups)


def test_slots_that_no_edit_touches_are_left_alone() -> None:
    groups = [["one"], [" "], ["two ", "three"]]
    document = Document("d", text_of(groups))
    assert document.text == "one\ntwo three"
    assert changes_by_slot(groups, Release(document, (Edit(Span(8, 13, "MISC"), "3"),))) == {
        (2, 1): [Change(0, 5, "3")]
    }


def test_a_line_left_empty_still_counts_and_comes_back_without_a_trace() -> None:
    groups = [["one"], ["two"]]
    release = Release(Document("d", "one\ntwo"), (Edit(Span(0, 3, "MISC"), ""),))
    after = changed(groups, release)
    assert after == [[PLACEHOLDER], ["two"]]
    assert changed(after, release.inverse()) == groups


def test_a_line_break_that_is_edited_away_joins_the_lines() -> None:
    groups = [["one"], ["two", " three"]]
    release = Release(Document("d", "one\ntwo three"), (Edit(Span(2, 5, "MISC"), "-"),))
    assert changed(groups, release) == [["on-wo three"], ["", ""]]
