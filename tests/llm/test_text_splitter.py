"""TextSplitter: each part fits beside prompt and answer, and nothing of the text is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import RecipeError
from sfumato.llm.prompt import Prompt, TextSplitter
from sfumato.llm.replay import ScriptedChat
from sfumato.llm.windows import estimate_tokens

PROMPT = Prompt("test@1", "{fence}\n{text}\n{fence}\nAbout {person}?", 0.0, 100, "Say who it is.")
TEXTS = st.lists(st.sampled_from(["It rained. ", "Ana sat down. ", "no end ", "\n\n", "ÄÖ 37,5! "]), max_size=200).map(
    "".join
)


def parts(context: int | None) -> TextSplitter:
    return TextSplitter(ScriptedChat({}, context=context), PROMPT)


def test_a_text_that_fits_stays_as_it_is() -> None:
    assert parts(None).split("  It rained. ", {"text": "", "person": "Ana"}) == ["  It rained. "]
    assert parts(600).split("", {"text": "", "person": "Ana"}) == [""]


@given(TEXTS, st.integers(330, 900))
def test_parts_fit_and_leave_nothing_out(text: str, context: int) -> None:
    cut = parts(context)
    shown = cut.split(text, {"text": "", "person": "Ana"})
    assert "".join("".join(shown).split()) == "".join(text.split())
    for part in shown:
        request = PROMPT.request({"text": part, "person": "Ana"})
        assert sum(estimate_tokens(message.text) for message in request.messages) + cut.max_answer_tokens({}) <= context


@given(TEXTS.filter(bool), st.integers(330, 900), st.data())
def test_what_is_around_a_place_holds_it(text: str, context: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    place = (start, min(len(text), start + data.draw(st.integers(0, 6))))
    low, high = parts(context).window_around(text, place, {"text": "", "person": "Ana"})
    assert 0 <= low <= place[0] <= place[1] <= high <= len(text)


def test_an_answer_takes_a_third_at_most() -> None:
    assert [parts(context).max_answer_tokens({}) for context in (None, 3000, 150)] == [100, 100, 50]
    with pytest.raises(RecipeError, match="larger context"):
        parts(100).split("It rained. " * 50, {"text": "", "person": "Ana"})
