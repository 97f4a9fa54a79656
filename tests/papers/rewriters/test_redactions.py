"""DeID-GPT: alignment of a redacted copy with its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Release, Withheld
from sfumato.llm.replay import ScriptedChat
from sfumato_papers.rewriters.deid_gpt import DeidGpt, find_redactions

TEXT = "Dr Ida Pell saw him in Lublin on 3 May 1999, and he paid 40 euros to the clinic by the river."
COPY = "[redacted] saw him in [redacted] on [redacted], and he paid [redacted] to the clinic by the river."


def test_a_faithful_copy_gives_exact_edits() -> None:
    rewriter = DeidGpt(chat=ScriptedChat(lambda request: COPY))
    (release,) = rewriter.rewrite([Document("a", f"{TEXT}\n")])
    assert isinstance(release, Release)
    assert release.text == f"{COPY}\n"
    hidden = [TEXT[edit.span.start : edit.span.end] for edit in release.edits]
    assert hidden == ["Dr Ida Pell", "Lublin", "3 May 1999", "40 euros"]
    assert release.edits[0].reasons == ("redacted by chat:scripted,prompt=deid-gpt@1",)


@pytest.mark.parametrize(
    ("copy", "expected"),
    [
        (COPY.replace("[redacted]", "[REDACTED]"), COPY),
        (COPY.replace("the clinic by the", "the hospital by the"), COPY.replace("the clinic", "the [redacted]")),
        (COPY.replace(" by the river", ""), COPY.replace(" by the river", " [redacted]")),
        (COPY.replace("saw him", "saw him again"), COPY),
        (f"Here is the redacted text:\n\n{COPY}", COPY),
        (TEXT, TEXT),
    ],
)
def test_small_changes_are_repaired_by_hiding_and_never_by_adding(copy: str, expected: str) -> None:
    (release,) = DeidGpt(chat=ScriptedChat(lambda request: copy)).rewrite([Document("a", TEXT)])
    assert isinstance(release, Release)
    assert release.text == expected


@pytest.mark.parametrize(
    "copy",
    ["", "I'm sorry, but I can't help with that.", "The doctor met a patient abroad, who paid.", f"{COPY} {COPY}"],
)
def test_another_text_is_no_copy(copy: str) -> None:
    rewriter = DeidGpt(chat=ScriptedChat(lambda request: copy))
    (outcome,) = rewriter.rewrite([Document("a", TEXT)])
    assert isinstance(outcome, Withheld)
    assert rewriter.usage.failed == 1


def test_all_in_one_mark_is_no_copy_of_a_longer_text() -> None:
    assert find_redactions("word " * 100, "[redacted]") is None


WORDS = st.lists(st.sampled_from("ida pell saw him , (in) lublin 3 é".split()), min_size=1, max_size=20)


@given(WORDS, st.data())
def test_redacting_any_words_is_undone_exactly(words: list[str], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    text = " ".join(words)
    copy = " ".join("[redacted]" if hide else word for word, hide in zip(words, chosen, strict=True))
    hidden = find_redactions(text, copy)
    assert hidden is not None
    shown, at = "", 0
    for start, end in hidden:
        assert start >= at
        shown, at = shown + text[at:start], end
    shown += text[at:]
    # What is left is what the copy shows, in its order.
    assert shown.split() == copy.replace("[redacted]", "").split()
