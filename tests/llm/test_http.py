"""HttpChat and a server that answers: what is sent, and how responses of all shapes are parsed."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import pytest

from sfumato.llm.chat import Reply
from sfumato.llm.http import HttpChat
from tests.llm.http_requests import once, question, status
from tests.llm.server import Handler, answer, echo, models, serving

SCHEMA = {"type": "object", "properties": {"names": {"type": "array"}}, "required": ["names"]}


def test_a_question_is_sent_and_its_answer_read() -> None:
    with serving() as server:
        chat = HttpChat(server.url)
        (reply,) = chat.ask([question(temperature=0.5, max_tokens=9, seed=3, schema=SCHEMA, logprobs=2)])
        assert (reply.text, reply.prompt_tokens, reply.generated_tokens) == ("echo who?", 7, 3)
        assert reply.failure is None
        assert reply.seconds > 0
        (sent,) = server.posted
        assert sent["messages"] == [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "who?"},
        ]
        assert (sent["model"], sent["temperature"], sent["max_tokens"], sent["seed"]) == ("tiny", 0.5, 9, 3)
        assert (sent["logprobs"], sent["top_logprobs"]) == (True, 2)
        assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
        assert chat.name == f"tiny@127.0.0.1:{server.server_port}"
        assert chat.context == 4096


def test_nothing_is_sent_before_the_first_question() -> None:
    with serving() as server:
        HttpChat(server.url)
        assert server.seen == []


def test_replies_stand_in_the_order_of_the_questions_and_no_more_are_in_flight_than_allowed() -> None:
    gate = threading.Barrier(3, timeout=10)

    def together(handler: Handler, sent: dict[str, Any], number: int) -> None:
        gate.wait()  # three at once, or it fails
        echo(handler, sent, number)

    with serving(together) as server:
        replies = HttpChat(server.url, in_flight=3).ask([question(f"{number}") for number in range(12)])
        assert [reply.text for reply in replies] == [f"echo {number}" for number in range(12)]
        assert server.most == 3


def test_replies_are_handed_over_as_they_arrive() -> None:
    last_may_come = threading.Event()

    def slow_first(handler: Handler, sent: dict[str, Any], number: int) -> None:
        if sent["messages"][-1]["content"] == "slow":
            last_may_come.wait(10)
        echo(handler, sent, number)

    with serving(slow_first) as server:
        arrivals = HttpChat(server.url, in_flight=2).ask_unordered([question("slow"), question("a"), question("b")])
        assert [next(arrivals)[0], next(arrivals)[0]] == [1, 2]
        last_may_come.set()
        assert [number for number, _ in arrivals] == [0]


@pytest.mark.parametrize(
    "content",
    [
        [],
        "text",
        3,
        {},
        {"choices": []},
        {"choices": {}},
        {"choices": [None]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": None}}]},
        {"choices": [{"message": {"content": ["a"]}}], "usage": [1]},
        {"choices": [{"message": {"content": 7}}], "usage": {"prompt_tokens": "many"}},
        {"error": {"message": "who?"}},
    ],
)
def test_an_answer_of_another_shape_is_a_failure(content: Any) -> None:
    reply, _, _ = once(lambda handler, sent, number: handler.say(200, content))
    assert reply == Reply("", seconds=reply.seconds, failure="the server answered without a text")


def test_odd_usage_and_log_probabilities_do_no_harm() -> None:
    content = answer("fine", logprobs={"content": [{"token": "fine"}]}) | {"usage": {"prompt_tokens": -3}}
    reply, _, _ = once(lambda handler, sent, number: handler.say(200, content))
    assert (reply.text, reply.prompt_tokens, reply.logprobs) == ("fine", 0, None)


def test_log_probabilities_are_read() -> None:
    top = [{"token": "a", "logprob": -0.1}, {"token": "b", "logprob": -2.5}, {"token": "a", "logprob": -9.0}]
    content = answer("a", logprobs={"content": [{"token": "a", "logprob": -0.1, "top_logprobs": top}]})
    reply, _, _ = once(lambda handler, sent, number: handler.say(200, content))
    assert reply.logprobs == ({"a": -0.1, "b": -2.5},)


def test_an_answer_cut_at_its_length_says_so() -> None:
    reply, _, _ = once(lambda handler, sent, number: handler.say(200, answer("and then", finish_reason="length")))
    assert (reply.text, reply.cut) == ("and then", True)


def test_a_lone_surrogate_can_be_written_to_a_file() -> None:
    reply, _, _ = once(lambda handler, sent, number: handler.say(200, answer("a\ud800b")))
    assert reply.text.encode("utf-8") == b"a?b"


def test_a_server_without_schemas_is_asked_in_another_way_and_that_is_remembered() -> None:
    def no_schemas(handler: Handler, sent: dict[str, Any], number: int) -> None:
        kind = sent.get("response_format", {}).get("type")
        echo(handler, sent, number) if kind is None else status(400)(handler, sent, number)

    with serving(no_schemas) as server:
        chat = HttpChat(server.url)
        assert [reply.text for reply in chat.ask([question(schema=SCHEMA)])] == ["echo who?"]
        assert len(server.posted) == 3
        chat.ask([question(schema=SCHEMA)])
        assert len(server.posted) == 4
        assert chat.json_mode == "none"
        assert chat.retried == 0


def test_a_refusal_that_has_nothing_to_do_with_schemas_changes_nothing() -> None:
    def picky(handler: Handler, sent: dict[str, Any], number: int) -> None:
        bad = sent["messages"][-1]["content"] == "bad"
        (status(400) if bad else echo)(handler, sent, number)

    with serving(picky) as server:
        chat = HttpChat(server.url)
        assert chat.ask([question("bad", schema=SCHEMA)])[0].failure == "the server refused the request (400)"
        chat.ask([question("good", schema=SCHEMA)])
        assert server.posted[-1]["response_format"]["type"] == "json_schema"


def test_a_question_that_is_too_long_is_a_failure_that_says_so() -> None:
    error = {"error": {"message": "the request exceeds the available context size"}}
    reply, sent, _ = once(status(400, content=error))
    assert (reply.failure, sent) == ("longer than the model's context", 1)


def test_newer_names_of_the_length_are_learned() -> None:
    def newer(handler: Handler, sent: dict[str, Any], number: int) -> None:
        error = {"error": {"message": "use 'max_completion_tokens' instead"}}
        handler.say(400, error) if "max_tokens" in sent else echo(handler, sent, number)

    with serving(newer) as server:
        chat = HttpChat(server.url)
        assert [reply.text for reply in chat.ask([question("a"), question("b")])] == ["echo a", "echo b"]
        assert server.posted[-1]["max_completion_tokens"] == 512


def test_failures_never_quote_the_conversation() -> None:
    for code in (400, 402, 422, 500):
        reply, _, _ = once(status(code, content={"error": {"message": "Mara Quill said who?"}}))
        assert reply.failure is not None
        assert "Mara" not in reply.failure


def test_the_context_of_a_llama_server_stands_elsewhere() -> None:
    pages = models("tiny") | {"/props": {"default_generation_settings": {"n_ctx": 2048}}}
    with serving(pages=pages) as server:
        assert HttpChat(server.url).context == 2048
    with serving(pages=models("tiny", meta={"n_ctx": 1024})) as server:
        assert HttpChat(server.url).context == 1024
    with serving(pages=models("tiny")) as server:
        assert HttpChat(server.url).context is None


def test_more_and_less_can_be_said_and_stands_in_the_name() -> None:
    with serving() as server:
        chat = HttpChat(server.url, body={"top_k": 1}, without=["seed"])
        chat.ask([question(seed=1)])
        assert server.posted[0]["top_k"] == 1
        assert "seed" not in server.posted[0]
        assert chat.name != HttpChat(server.url).name


def test_another_process_can_have_it() -> None:
    with serving() as server:
        chat = pickle.loads(pickle.dumps(HttpChat(server.url)))
        assert chat.ask([question()])[0].text == "echo who?"
