"""Requests, cache keys, and the Chat that answers from a script."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.llm.chat import Chat, Message, Reply, Request
from sfumato.llm.parse import parse_object
from sfumato.llm.replay import ScriptedChat

QUESTION = Request((Message("system", "Be brief."), Message("user", "Who sailed the Quorvex?")), seed=3)


@pytest.mark.parametrize(
    "other",
    [
        replace(QUESTION, messages=QUESTION.messages[1:]),
        replace(QUESTION, messages=QUESTION.messages[::-1]),
        replace(QUESTION, messages=(Message("user", "Be brief."), QUESTION.messages[1])),
        replace(QUESTION, temperature=0.1),
        replace(QUESTION, max_tokens=9),
        replace(QUESTION, seed=None),
        replace(QUESTION, schema={"type": "object"}),
        replace(QUESTION, logprobs=2),
        replace(QUESTION, sample_index=1),
        replace(QUESTION, top_p=1.0),
    ],
)
def test_a_key_depends_on_all_of_the_content(other: Request) -> None:
    assert other.key != QUESTION.key


def test_a_key_is_the_same_for_the_same_content() -> None:
    request = replace(QUESTION, schema={"a": 1, "b": {"c": 2, "d": 3}})
    other = replace(QUESTION, schema={"b": {"d": 3, "c": 2}, "a": 1})
    assert request.key == other.key
    # Pinned: a cache on disk outlives the program that wrote it.
    assert QUESTION.key == "27cda4b6a95edd42111bc7297f5084025cd00325c7a182cd6ba16d3f3a877cbc"
    assert (
        Request((Message("user", "half a \ud83d pair"),)).key != Request((Message("user", "half a \ud83e pair"),)).key
    )


@pytest.mark.parametrize("text", ['{"a": 1}', ' {"a": 1}\n', '```json\n{"a": 1}\n```', '```\n{"a": 1}\n```\n'])
def test_an_object_alone_or_in_a_fence_is_read(text: str) -> None:
    assert parse_object(text) == {"a": 1}


@pytest.mark.parametrize(
    "text", ["", "1", "[1]", "null", '{"a": 1} {"a": 2}', '{"a": 1', "```json\n```", "[" * 100_000]
)
def test_anything_else_is_refused(text: str) -> None:
    assert parse_object(text) is None


@given(st.text())
def test_no_answer_breaks_the_parser(text: str) -> None:
    parsed = parse_object(text)
    assert parsed is None or isinstance(parsed, dict)


@given(st.dictionaries(st.text(), st.integers() | st.text(), max_size=4))
def test_every_object_comes_through(content: dict[str, object]) -> None:
    assert parse_object(f"```json\n{json.dumps(content)}\n```") == content


def test_the_scripted_chat_answers_by_what_is_asked() -> None:
    chat = ScriptedChat({"Quorvex": "Ana did", "Pell": ["no idea", "Bo did"]})
    assert isinstance(chat, Chat)
    pell = Request((Message("user", "Who sailed the Pell?"),))
    unknown = Request((Message("user", "Who?"),))
    replies = chat.ask([pell, QUESTION, replace(pell, sample_index=1), replace(pell, sample_index=2), unknown])
    assert [reply.text for reply in replies] == ["no idea", "Ana did", "Bo did", "Bo did", ""]
    assert [reply.failure is None for reply in replies] == [True] * 4 + [False]
    assert (replies[1].prompt_tokens, replies[1].generated_tokens) == (6, 2)
    assert chat.asked[0] == pell
    assert chat.ask([]) == []


def test_the_scripted_chat_answers_by_a_function() -> None:
    def answer(request: Request) -> str | Reply:
        return Reply("", failure="too long") if request.max_tokens < 10 else str(request.sample_index)

    chat = ScriptedChat(answer, name="counter")
    assert [reply.text for reply in chat.ask([QUESTION, replace(QUESTION, sample_index=1)])] == ["0", "1"]
    assert chat.ask([replace(QUESTION, max_tokens=1)])[0].failure == "too long"
