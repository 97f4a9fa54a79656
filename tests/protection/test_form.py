"""The form of a release: uniform signs, joined paragraphs, nothing else changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Edit, Release, Span
from sfumato.protection.preparation import FORM, hide_form

SECRET = b"0123456789abcdef"
PARAGRAPH = "The applicant’s lawyer wrote a letter to the court and waited for an answer that did not come."


def test_signs_become_uniform_and_some_paragraphs_are_joined() -> None:
    text = "\n\n".join([PARAGRAPH] * 40)
    release = hide_form(Release(Document("d", text)), SECRET)
    assert "’" not in release.text
    assert release.text.split() == text.replace("’", "'").split()
    assert 8 < release.text.count("\n\n") < 36
    assert release == hide_form(Release(Document("d", text)), SECRET)
    assert release.text != hide_form(Release(Document("d", text)), b"another").text
    assert all(edit.reasons == (FORM,) for edit in release.edits)


def test_headings_lists_and_paragraphs_with_borders_stay() -> None:
    text = f"{PARAGRAPH}\n\nTHE LAW\n\n1. {PARAGRAPH}\n\n- {PARAGRAPH}"
    assert hide_form(Release(Document("d", text)), SECRET).text == text.replace("’", "'")
    bordered = Document("d", "\n\n".join([PARAGRAPH] * 40), meta={"borders": (10, 20)})
    assert hide_form(Release(bordered), SECRET).text.count("\n\n") == 39


def test_a_rewritten_text_stays() -> None:
    release = Release.rewritten(Document("d", "It’s him."), "It’s somebody.")
    assert hide_form(release, SECRET) == release


@given(
    text=st.text(alphabet="Ab c.’“\n", max_size=80),
    ranges=st.lists(st.tuples(st.integers(0, 80), st.integers(1, 8)), max_size=5),
)
def test_other_edits_stay_as_they_are(text: str, ranges: list[tuple[int, int]]) -> None:
    edits, last = [], 0
    for start, size in sorted(ranges):
        if last <= start < start + size <= len(text):
            edits.append(Edit(Span(start, start + size, "PERSON"), "PERSON_1"))
            last = start + size
    release = Release(Document("d", text), tuple(edits))
    hidden = hide_form(release, SECRET)
    assert [edit for edit in hidden.edits if edit.span.label == "PERSON"] == list(release.edits)
    assert hide_form(hidden, SECRET).text == hidden.text
