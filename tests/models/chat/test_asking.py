"""Questions asked of a Chat: once where the answer can be read, again where not, and counted."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.models.chat import Asking, Prompt, Reply, Request, ScriptedChat
from sfumato.models.chat.asking import TRIES, one_list
from sfumato.models.chat.parse import strings

PROMPT = Prompt("colours@1", "Which colours has {thing}?", temperature=0.0, max_tokens=100)


def said(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return strings(answer, "colours")


def asking(chat: ScriptedChat, **options: object) -> Asking[list[str]]:
    return Asking(chat, PROMPT, said, schema=one_list("colours", {"type": "string"}), **options)  # type: ignore[arg-type]


def test_a_readable_answer_is_asked_for_once() -> None:
    chat = ScriptedChat({"a rook": '{"colours": ["black"]}', "snow": '["white"]'})
    ask = asking(chat)
    assert ask.ask([{"thing": "a rook"}, {"thing": "snow"}]) == [["black"], ["white"]]
    assert len(chat.asked) == 2
    assert (ask.spent.questions, ask.spent.requests, ask.spent.unreadable, ask.spent.failed) == (2, 2, 0, 0)
    assert ask.spent.prompt_tokens == sum(len(request.messages[-1].text.split()) for request in chat.asked)
    assert ask.name == "chat:scripted,prompt=colours@1"


def test_only_what_could_not_be_read_is_asked_again_and_warmer() -> None:
    chat = ScriptedChat({"a rook": '["black"]', "snow": ["I think it is white.", '["white"]']})
    ask = asking(chat)
    assert ask.ask([{"thing": "a rook"}, {"thing": "snow"}]) == [["black"], ["white"]]
    again = chat.asked[2:]
    assert ["snow" in request.messages[-1].text for request in again] == [True]
    assert again[0].temperature > 0 == chat.asked[0].temperature
    assert again[0].key != chat.asked[1].key
    assert (ask.spent.requests, ask.spent.unreadable, ask.spent.failed) == (3, 1, 0)


def test_a_question_without_an_answer_is_a_failure_that_is_counted() -> None:
    chat = ScriptedChat(lambda request: Reply("", 3, failure="the line is dead"))
    ask = asking(chat)
    assert ask.ask([{"thing": "a rook"}]) == [None]
    assert len(chat.asked) == TRIES
    assert (ask.spent.requests, ask.spent.unreadable, ask.spent.failed) == (TRIES, TRIES, 1)


def test_draws_are_different_questions() -> None:
    chat = ScriptedChat(lambda request: "[]")
    ask = asking(chat)
    for draw in range(3):
        ask.ask([{"thing": "a rook"}], draw)
    assert len({request.key for request in chat.asked}) == 3


def test_an_answer_has_the_room_of_its_question_but_never_more_than_the_prompt_says() -> None:
    chat = ScriptedChat(lambda request: "[]")
    ask = asking(chat, room=lambda question: 10 * len(question["thing"]))
    ask.ask([{"thing": "snow"}, {"thing": "a very long rook"}])
    assert [request.max_tokens for request in chat.asked] == [40, 100]


def test_no_questions_cost_nothing() -> None:
    def never(request: Request) -> str:
        raise AssertionError(request)

    assert asking(ScriptedChat(never)).ask([]) == []
