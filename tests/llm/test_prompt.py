"""PromptRunner asks once where the answer can be parsed, again where not, and counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import RecipeError
from sfumato.llm.chat import Reply, Request
from sfumato.llm.parse import parse_strings
from sfumato.llm.prompt import TRIES, Prompt, PromptRunner, list_schema
from sfumato.llm.replay import ScriptedChat
from sfumato.llm.usage import Cost, Usage

PROMPT = Prompt("colours@1", "Which colours has {thing}?", temperature=0.0, max_tokens=100)


def parse_colours(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return parse_strings(answer, "colours")


def asking(chat: ScriptedChat, **options: object) -> PromptRunner[list[str]]:
    return PromptRunner(chat, PROMPT, parse_colours, schema=list_schema("colours", {"type": "string"}), **options)  # type: ignore[arg-type]


def test_a_readable_answer_is_asked_for_once() -> None:
    chat = ScriptedChat({"a rook": '{"colours": ["black"]}', "snow": '["white"]'})
    ask = asking(chat)
    assert ask.ask([{"thing": "a rook"}, {"thing": "snow"}]) == [["black"], ["white"]]
    assert len(chat.asked) == 2
    assert (ask.usage.questions, ask.usage.requests, ask.usage.unreadable, ask.usage.failed) == (2, 2, 0, 0)
    assert ask.usage.prompt_tokens == sum(len(request.messages[-1].text.split()) for request in chat.asked)
    assert ask.name == "chat:scripted,prompt=colours@1"


def test_only_what_could_not_be_read_is_asked_again_and_warmer() -> None:
    chat = ScriptedChat({"a rook": '["black"]', "snow": ["I think it is white.", '["white"]']})
    ask = asking(chat)
    assert ask.ask([{"thing": "a rook"}, {"thing": "snow"}]) == [["black"], ["white"]]
    again = chat.asked[2:]
    assert ["snow" in request.messages[-1].text for request in again] == [True]
    assert again[0].temperature > 0 == chat.asked[0].temperature
    assert again[0].key != chat.asked[1].key
    assert (ask.usage.requests, ask.usage.unreadable, ask.usage.failed) == (3, 1, 0)


def test_a_question_without_an_answer_is_a_failure_that_is_counted() -> None:
    chat = ScriptedChat(lambda request: Reply("", 3, failure="the line is dead"))
    ask = asking(chat)
    assert ask.ask([{"thing": "a rook"}]) == [None]
    assert len(chat.asked) == 1  # a Chat tries again by itself where that may help
    assert (ask.usage.requests, ask.usage.unreadable, ask.usage.failed) == (1, 1, 1)


def test_top_p_of_a_prompt_file_is_in_every_request(tmp_path: Path) -> None:
    lines = ['name = "colours"', "version = 1", "temperature = 1", "max_tokens = 9", 'user = "{thing}"']
    file = tmp_path / "colours.toml"
    file.write_text("\n".join(lines), encoding="utf-8")
    assert Prompt.load(file).request({"thing": "snow"}).top_p is None
    file.write_text("\n".join([*lines, "top_p = 1.0"]), encoding="utf-8")
    assert Prompt.load(file).request({"thing": "snow"}).top_p == 1
    file.write_text("\n".join([*lines, "top_p = 1.5"]), encoding="utf-8")
    with pytest.raises(RecipeError, match="top_p is a number above 0 and at most 1"):
        Prompt.load(file)


def test_draws_are_different_questions() -> None:
    chat = ScriptedChat(lambda request: "[]")
    ask = asking(chat)
    for draw in range(3):
        ask.ask([{"thing": "a rook"}], draw)
    assert len({request.key for request in chat.asked}) == 3


def test_an_answer_has_the_tokens_of_its_question_but_never_more_than_the_prompt_says() -> None:
    chat = ScriptedChat(lambda request: "[]")
    ask = asking(chat, max_tokens=lambda question: 10 * len(question["thing"]))
    ask.ask([{"thing": "snow"}, {"thing": "a very long rook"}])
    assert [request.max_tokens for request in chat.asked] == [40, 100]


def test_no_questions_cost_nothing() -> None:
    def never(request: Request) -> str:
        raise AssertionError(request)

    assert asking(ScriptedChat(never)).ask([]) == []


CRASHED = Reply("", failure="the server failed (500)")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (CRASHED, "the server failed (500)"),
        (Reply("I'm sorry, but I can't help with that."), "a refusal"),
        (Reply('{"colours": ["bl', cut=True), "the answer was cut off at max_tokens"),
        (Reply("", cut=True), "the answer was cut off at max_tokens"),
        (Reply(" \n"), "an empty answer"),
        (Reply("It is black as night."), "not in the form asked for"),
    ],
)
def test_why_there_is_no_answer_is_counted_and_told(reply: Reply, reason: str) -> None:
    good = Reply('{"colours": ["white"]}')
    ask = PromptRunner(
        ScriptedChat(lambda request: good if "snow" in request.messages[-1].text else reply), PROMPT, complete
    )
    assert ask.ask([{"thing": "snow"}, {"thing": "a rook"}]) == [["white"], None]
    assert ask.failures == [None, reason]
    assert ask.usage.reasons == {reason: 1 if reply.failure else TRIES}
    ask.ask([{"thing": "snow"}])
    assert ask.failures == [None]
    assert ask.ask([]) == []
    assert ask.failures == []


def complete(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return parse_strings(answer, "colours") if answer.endswith("}") else None


def test_an_answer_at_the_second_try_is_no_failure_though_the_first_is_counted() -> None:
    ask = asking(ScriptedChat({"snow": ["I think it is white.", '["white"]']}))
    assert ask.ask([{"thing": "snow"}]) == [["white"]]
    assert ask.failures == [None]
    assert ask.usage.reasons == {"not in the form asked for": 1}


COUNTS = st.dictionaries(st.sampled_from(["a refusal", "cut off", "busy"]), st.integers(1, 9))
MONEY = st.none() | st.integers(0, 100).map(float)


@given(COUNTS, COUNTS, MONEY, MONEY)
def test_reasons_and_money_add_up(
    one: dict[str, int], other: dict[str, int], first: float | None, second: float | None
) -> None:
    a = Usage(unreadable=sum(one.values()), reasons=dict(one), money=first)
    b = Usage(unreadable=sum(other.values()), reasons=dict(other), money=second)
    both = a + b
    assert sum(both.reasons.values()) == both.unreadable
    assert all(both.reasons[key] == one.get(key, 0) + other.get(key, 0) for key in {*one, *other})
    assert (a.reasons, b.reasons) == (one, other), "the sum is another"
    assert both.money == (None if first is second is None else (first or 0) + (second or 0))
    assert Usage(**json.loads(json.dumps(both.to_json()))) == both


def test_what_has_no_price_is_not_called_free() -> None:
    cost = Cost("m", runs=1, documents=2, usage=Usage(requests=2))
    assert cost.to_json()["money"] is cost.to_json()["per_document"]["money"] is None
    assert "–" in cost.figures()
    free = Cost("m", runs=1, documents=2, usage=Usage(requests=2, money=0.0))
    assert free.to_json()["per_document"]["money"] == 0
    assert "0.0000" in free.figures()
