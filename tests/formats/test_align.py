"""Edits found again by comparing texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Release
from sfumato.formats.inputs import align_release, is_aligned
from tests.strategies import texts


def pieces(release: Release) -> list[tuple[str, str]]:
    text = release.document.text
    return [(text[edit.span.start : edit.span.end], edit.replacement) for edit in release.edits]


def found(before: str, after: str) -> Release:
    return align_release(Document("a", before), after)


def test_replaced_suppressed_and_inserted_words_are_found() -> None:
    release = found("Anna Berg lives in Oslo and works there.", "PERSON_1 lives in and still works there.")
    assert release.text == "PERSON_1 lives in and still works there."
    assert pieces(release) == [("Anna Berg", "PERSON_1"), (" Oslo", ""), ("", " still")]
    assert is_aligned(release)


def test_words_of_one_replacement_stay_together() -> None:
    release = found("He met Anna Maria Berg there today at noon.", "He met a young woman there today at noon.")
    assert pieces(release) == [("Anna Maria Berg", "a young woman")]


def test_the_same_text_has_no_edits() -> None:
    release = found("Anna slept.", "Anna slept.")
    assert (release.edits, release.rewrite, is_aligned(release)) == ((), None, False)


def test_less_than_half_kept_is_a_rewrite() -> None:
    assert found("one two three four", "one two x y").rewrite is None
    assert found("one two three four", "one x y z").rewrite == "one x y z"
    assert found("one two three four", "").rewrite == ""


@given(texts, texts)
def test_a_release_reads_as_it_was_given(before: str, after: str) -> None:
    assert found(before, after).text == after


@given(st.lists(st.integers(0, 99).map("w{}".format), max_size=30, unique=True), st.data())
def test_masked_words_are_among_the_edits(words: list[str], data: st.DataObject) -> None:
    """Where each masked word gets a replacement of its own, just those are found, or the text counts as rewritten."""
    hidden = [data.draw(st.integers(0, 3)) == 0 for _ in words]
    before = " ".join(words)
    after = " ".join(f"X{at}" if gone else word for at, (word, gone) in enumerate(zip(words, hidden, strict=True)))
    release = found(before, after)
    if release.rewrite is None:
        covered = {at for edit in release.edits for at in range(edit.span.start, edit.span.end)}
        at = 0
        for word, gone in zip(words, hidden, strict=True):
            if gone:
                assert covered >= set(range(at, at + len(word)))
            at += len(word) + 1
