"""Which answers are accepted as rewrites, and what is stripped from them."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.llm.prompt import Prompt, fill_template
from sfumato.rewriters.base import (
    LENGTH_SLACK,
    MAX_LENGTH_RATIO,
    MIN_LENGTH_RATIO,
    find_defect,
    parse_after_mark,
    parse_whole_answer,
    strip_wrapping,
)
from sfumato_papers.rewriters import PROMPTS
from sfumato_papers.rewriters.deid_gpt import find_redactions

TEXT = "Ida baked bread in the old mill by the river until the flood came, and sang while she did so."
REWRITE = "Someone baked bread in a mill by a river until a flood came, and sang while doing so."
PROMPT = Prompt.load(PROMPTS / "sanitize.toml", shipped=PROMPTS)
FENCE = fill_template("{fence}", {"text": TEXT})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        (" \n—\t", "empty"),
        ("I'm sorry, but I can't assist with that request.", "refusal"),
        ("Es tut mir leid, dabei kann ich nicht helfen.", "refusal"),
        (REWRITE * 6, "longer"),
        ("Кто-то пёк хлеб на мельнице у реки, пока не пришла вода.", "script"),
        (
            "You are an experienced anonymizer. You change small parts of a text so that nobody can tell.",
            "instructions",
        ),
    ],
)
def test_what_is_no_rewrite(text: str, why: str) -> None:
    assert why in (find_defect(TEXT, text, instructions=PROMPT.system) or "")


def test_a_rewrite_is_one() -> None:
    assert find_defect(TEXT, REWRITE, instructions=PROMPT.system) is None
    assert find_defect(TEXT, TEXT, instructions=PROMPT.system) is None
    assert find_defect("Ida Pell", "[a person]") is None
    sorry = "I'm sorry, I can't help with the move, wrote Ida."
    assert find_defect(sorry, "I'm sorry, I can't help with the move, wrote someone.") is None


@given(st.integers(200, 1500), st.integers(1, 6000))
def test_the_limits_of_length_are_those_documented(before: int, after: int) -> None:
    allowed = (
        MIN_LENGTH_RATIO * (before + LENGTH_SLACK) - LENGTH_SLACK <= after <= MAX_LENGTH_RATIO * before + LENGTH_SLACK
    )
    assert (find_defect("a" * before, "b" * after) is None) is allowed


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_breaks_the_check(original: str, text: str) -> None:
    find_defect(original, text, instructions=PROMPT.system)
    find_redactions(original, text)
    strip_wrapping(text, original)


@pytest.mark.parametrize(
    "answer",
    [
        REWRITE,
        f"\n{REWRITE}\n",
        f"{FENCE}\n{REWRITE}\n{FENCE}",
        f"```\n{REWRITE}\n```",
        f"Here is the anonymized text:\n\n{REWRITE}",
        f"**Paraphrased version:**\n{REWRITE}",
    ],
)
def test_what_stands_around_a_text_is_taken_off(answer: str) -> None:
    assert parse_whole_answer(answer, {"text": TEXT}, PROMPT) == REWRITE
    assert parse_after_mark(f"I make it vaguer.\n#\n{answer}", {"text": TEXT}, PROMPT) == REWRITE


def test_the_example_of_the_prompt_is_no_rewrite() -> None:
    assert PROMPT.example is not None
    assert parse_after_mark(PROMPT.example[1], {"text": TEXT}, PROMPT) is None


@pytest.mark.parametrize("answer", [f"{REWRITE} {FENCE}", f"The mark is {FENCE[4:]}, and {REWRITE}", "x" * 1_000_001])
def test_what_cannot_be_told_apart_is_not_read(answer: str) -> None:
    assert parse_whole_answer(answer, {"text": TEXT}, PROMPT) is None
    assert parse_after_mark(f"So.\n#\n{answer}", {"text": TEXT}, PROMPT) is None


def test_a_rewrite_stands_after_its_mark() -> None:
    read = partial(parse_after_mark, prompt=PROMPT)
    assert read(REWRITE, {"text": TEXT}) is None
    assert read(f"```\nSo.\n#\n{REWRITE}\n```", {"text": TEXT}) == REWRITE
    assert read(f"So.\n# {REWRITE}", {"text": TEXT}) == REWRITE


def test_a_heading_that_the_text_has_stays() -> None:
    note = f"Notes of the day:\n{TEXT}"
    assert strip_wrapping(note, note) == note
