"""HttpChat before a server that answers, fails, stalls, lies, goes away and comes back."""

from __future__ import annotations

import json
import pickle
import threading
from typing import Any

import pytest

from sfumato.errors import ChatProblem, RecipeError
from sfumato.models.chat import Message, Reply, Request
from sfumato.models.chat.http.client import HttpChat
from tests.models.chat.clocks import Slept
from tests.models.chat.server import Behaviour, Handler, answer, echo, models, serving

SCHEMA = {"type": "object", "properties": {"names": {"type": "array"}}, "required": ["names"]}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SFUMATO_CHAT_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def question(text: str = "who?", **more: Any) -> Request:
    return Request((Message("system", "Be brief."), Message("user", text)), **more)


def once(behave: Behaviour, **options: Any) -> tuple[Reply, int, list[float]]:
    """The reply to one question, how often it was sent, and what was slept."""
    slept = Slept()
    with serving(behave) as server:
        chat = HttpChat(server.url, clock=slept.clock, **options)
        (reply,) = chat.ask([question()])
        chat.close()
        return reply, len(server.posted), slept.waits


def first(*behaviours: Behaviour) -> Behaviour:
    """Each in turn, then echo."""
    return lambda handler, sent, number: (*behaviours, *[echo] * (number + 1))[number](handler, sent, number)


def status(code: int, headers: dict[str, str] | None = None, content: Any = None) -> Behaviour:
    return lambda handler, sent, number: handler.say(code, content or {"error": {"message": "no"}}, headers)


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
        arrivals = HttpChat(server.url, in_flight=2).ask_each([question("slow"), question("a"), question("b")])
        assert [next(arrivals)[0], next(arrivals)[0]] == [1, 2]
        last_may_come.set()
        assert [number for number, _ in arrivals] == [0]


@pytest.mark.parametrize("code", [500, 502, 503, 504, 408, 409, 429])
def test_what_passes_is_tried_again_with_longer_and_longer_waits(code: int) -> None:
    reply, sent, waits = once(first(status(code), status(code), status(code)))
    assert reply.text == "echo who?"
    assert sent == 4
    assert waits == [0.5, 1.0, 2.0]


def test_a_server_that_says_when_is_asked_then() -> None:
    _, _, waits = once(first(status(429, {"Retry-After": "7"}), status(503, {"Retry-After": "2.5"})))
    assert waits == [7.0, 2.5]


def test_a_date_to_come_back_at_is_understood() -> None:
    _, _, waits = once(first(status(429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"})))
    assert waits == [0.0]
    _, _, waits = once(first(status(429, {"Retry-After": "soon"})))
    assert waits == [0.5]


def test_patience_ends() -> None:
    reply, _, waits = once(status(429), patience=60)
    assert reply.failure == "the server is busy (429)"
    assert sum(waits) <= 60
    reply, sent, _ = once(status(429, {"Retry-After": "3600"}), patience=60)
    assert (reply.failure, sent) == ("the server is busy (429)", 1)
    reply, sent, _ = once(status(500))
    assert (reply.failure, sent) == ("the server failed (500)", 5)


def cut_off(handler: Handler, sent: dict[str, Any], number: int) -> None:
    """Promise much, send little, hang up."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.connection.shutdown(2)
    handler.close_connection = True


def test_an_answer_that_breaks_off_is_asked_for_again() -> None:
    reply, sent, _ = once(first(cut_off))
    assert (reply.text, sent) == ("echo who?", 2)
    reply, sent, _ = once(cut_off)
    assert (reply.failure, sent) == ("the server broke off its answer", 5)


def endless(handler: Handler, sent: dict[str, Any], number: int) -> None:
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    piece = b"x" * 65536
    for _ in range(10_000):
        handler.wfile.write(b"10000\r\n" + piece + b"\r\n")


def test_an_endless_answer_is_not_read_to_its_end() -> None:
    reply, sent, _ = once(endless)
    assert (reply.failure, sent) == ("an answer of more than 10 MB", 1)


def test_an_answer_that_drips_is_not_waited_for() -> None:
    with serving(endless) as server:
        chat = HttpChat(server.url, model="tiny", timeout=30, clock=Slept(step=11).clock)
        assert chat.ask([question()])[0].failure == "no answer within 30 s"


def test_a_server_that_does_not_answer_in_time_is_asked_twice() -> None:
    gone = threading.Event()
    reply, sent, _ = once(lambda handler, body, number: bool(gone.wait(1)) and None, timeout=0.05)
    gone.set()
    assert (reply.failure, sent) == ("no answer within 0.05 s", 2)


def test_a_packed_answer_is_not_unpacked() -> None:
    reply, _, _ = once(lambda handler, sent, number: handler.say(200, b"\x1f\x8b", {"Content-Encoding": "gzip"}))
    assert reply.failure is not None
    assert "packed" in reply.failure


@pytest.mark.parametrize("content", [b"", b"not json", b"\xff\xfe", b"[" * 100_000, b'{"choices": [{'])
def test_what_is_not_json_is_a_failure(content: bytes) -> None:
    reply, sent, _ = once(lambda handler, body, number: handler.say(200, content))
    assert (reply.failure, sent) == ("the server's answer is not JSON", 5)


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
        assert chat.counts == {"retried": 0, "json_schema_refused": 1}


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
    said = {"error": {"message": "the request exceeds the available context size"}}
    reply, sent, _ = once(status(400, content=said))
    assert (reply.failure, sent) == ("longer than the model's context", 1)


def test_newer_names_of_the_length_are_learned() -> None:
    def newer(handler: Handler, sent: dict[str, Any], number: int) -> None:
        said = {"error": {"message": "use 'max_completion_tokens' instead"}}
        handler.say(400, said) if "max_tokens" in sent else echo(handler, sent, number)

    with serving(newer) as server:
        chat = HttpChat(server.url)
        assert [reply.text for reply in chat.ask([question("a"), question("b")])] == ["echo a", "echo b"]
        assert server.posted[-1]["max_completion_tokens"] == 512


def test_failures_never_quote_the_conversation() -> None:
    for code in (400, 402, 422, 500):
        reply, _, _ = once(status(code, content={"error": {"message": "Mara Quill said who?"}}))
        assert reply.failure is not None
        assert "Mara" not in reply.failure


@pytest.mark.parametrize(("code", "words"), [(401, "SFUMATO_CHAT_KEY"), (403, "SFUMATO_CHAT_KEY"), (404, "tiny")])
def test_what_the_user_must_change_ends_the_run_and_says_what(code: int, words: str) -> None:
    with serving(status(code)) as server, pytest.raises(ChatProblem, match=words):
        HttpChat(server.url, model="other").ask([question(), question("b")])


def test_one_forbidden_question_among_others_is_a_failure() -> None:
    with serving(first(echo, status(403))) as server:
        chat = HttpChat(server.url, in_flight=1)
        assert [reply.failure for reply in chat.ask([question(), question()])] == [
            None,
            "the server refused the request (403)",
        ]


def test_text_does_not_follow_a_redirect() -> None:
    with serving() as other, serving(status(307, {"Location": other.url + "/chat/completions"})) as server:
        with pytest.raises(ChatProblem, match="redirects"):
            HttpChat(server.url).ask([question()])
        assert other.seen == []


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as proxy, serving() as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        assert HttpChat(server.url).ask([question()])[0].text == "echo who?"
        assert proxy.seen == []


def test_nobody_there_at_the_very_first_contact_is_an_error_soon() -> None:
    with serving() as server:
        url = server.url
    slept = Slept()
    with pytest.raises(ChatProblem, match="start it, or check the address"):
        HttpChat(url, clock=slept.clock).ask([question()])
    assert sum(slept.waits) <= 10


def test_a_server_that_went_away_and_never_comes_back_is_waited_for_once() -> None:
    slept = Slept()
    with serving() as server:
        chat = HttpChat(server.url, clock=slept.clock, patience=60, in_flight=1)
        assert chat.ask([question()])[0].failure is None
    replies = chat.ask([question(f"{number}") for number in range(20)])
    assert {reply.failure for reply in replies} == {"the server cannot be reached, for 60 s"}
    assert sum(slept.waits) <= 60


def test_a_server_killed_and_started_again_does_not_end_the_run() -> None:
    stack: list[Any] = []

    def restart(count: int) -> None:
        if count == 3 and not stack:
            stack.append(serving(port=port))
            stack[0].__enter__()

    slept = Slept(when=restart)
    with serving() as server:
        port = server.server_port
        chat = HttpChat(server.url, clock=slept.clock, in_flight=1)
        before = chat.ask([question("a")])[0].text
    try:
        after = chat.ask([question("b"), question("c")])
    finally:
        for one in stack:
            one.__exit__(None, None, None)
    assert [before, *(reply.text for reply in after)] == ["echo a", "echo b", "echo c"]
    assert chat.counts["retried"] >= 3


def test_several_models_must_be_chosen_from() -> None:
    with serving(pages=models("large", "small")) as server:
        with pytest.raises(ChatProblem, match="large, small"):
            HttpChat(server.url).ask([question()])
        HttpChat(server.url + "#small").ask([question()])
        assert server.posted[0]["model"] == "small"


def test_the_context_of_a_llama_server_stands_elsewhere() -> None:
    pages = models("tiny") | {"/props": {"default_generation_settings": {"n_ctx": 2048}}}
    with serving(pages=pages) as server:
        assert HttpChat(server.url).context == 2048
    with serving(pages=models("tiny", meta={"n_ctx": 1024})) as server:
        assert HttpChat(server.url).context == 1024
    with serving(pages=models("tiny")) as server:
        assert HttpChat(server.url).context is None


def test_a_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CHAT_KEY", "sk-very-secret")
    with serving(status(401)) as server:
        chat = HttpChat(server.url, model="tiny")
        with pytest.raises(ChatProblem) as problem:
            chat.ask([question()])
        assert server.seen[0][1]["Authorization"] == "Bearer sk-very-secret"
        shown = f"{problem.value} {chat!r} {chat._courier!r} {chat.address!r} {chat.name}"
        assert "very-secret" not in shown


def test_a_key_does_not_go_over_the_network_in_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CHAT_KEY", "sk-very-secret")
    with pytest.raises(RecipeError, match="use https"):
        HttpChat("http://gpu.example:8000/v1")
    HttpChat("http://gpu.example:8000/v1", key_env="")
    HttpChat("https://gpu.example/v1")
    HttpChat("http://localhost:8000/v1")


def test_the_key_of_openai_goes_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-open")
    assert HttpChat("https://api.openai.com/v1").address.key == "sk-open"
    assert HttpChat("https://api.openai.com.example/v1").address.key == ""
    assert HttpChat("https://other.example/v1").address.key == ""
    assert HttpChat("https://other.example/v1", key_env="OPENAI_API_KEY").address.key == "sk-open"
    monkeypatch.setenv("SFUMATO_CHAT_KEY", "sk-own")
    assert HttpChat("https://api.openai.com/v1").address.key == "sk-own"


@pytest.mark.parametrize(
    "url",
    ["ftp://host/v1", "http://", "http://[::1", "http://me:word@host/v1", "https://host/v1?key=word", "http://h:x/"],
)
def test_an_address_that_is_none_is_refused_without_its_secrets(url: str) -> None:
    with pytest.raises(RecipeError) as problem:
        HttpChat(url)
    assert "word" not in str(problem.value)


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
        assert json.dumps(chat.counts)


def test_when_a_run_ends_nobody_goes_on_trying() -> None:
    ended = threading.Event()
    slept = Slept(when=lambda count: bool(ended.wait(10)) and None)

    def closed_or_busy(handler: Handler, sent: dict[str, Any], number: int) -> None:
        status(401 if sent["messages"][-1]["content"] == "closed" else 429)(handler, sent, number)

    with serving(closed_or_busy) as server:
        with pytest.raises(ChatProblem):
            HttpChat(server.url, clock=slept.clock).ask([question("busy"), question("closed")])
        ended.set()
        for thread in threading.enumerate():
            if thread.name.startswith("sfumato-chat"):
                thread.join(10)
        assert len(slept.waits) <= 1


@pytest.mark.parametrize("path", ["", "/v1", "/v1/"])
def test_the_usual_path_is_not_in_the_name(path: str) -> None:
    assert HttpChat(f"http://127.0.0.1:8080{path}#m").name == "m@127.0.0.1:8080"


def test_gateways_on_one_host_have_names_of_their_own() -> None:
    urls = [f"http://127.0.0.1:8080/{team}/v1#m" for team in ("team-a", "team-b")]
    assert [HttpChat(url).name for url in urls] == ["m@127.0.0.1:8080/team-a/v1", "m@127.0.0.1:8080/team-b/v1"]


PAGE = b"\n<!doctype html><title>Welcome</title>"


@pytest.mark.parametrize("named", ["", "#tiny"])
def test_a_web_page_is_no_chat_server(named: str) -> None:
    slept = Slept()
    with serving(lambda handler, sent, number: handler.say(200, PAGE), {"/v1/models": PAGE}) as server:
        with pytest.raises(ChatProblem, match="web page and is no chat server"):
            HttpChat(server.url + named, clock=slept.clock).ask([question()])
        assert len(server.seen) == 1
    assert slept.waits == []


@pytest.mark.parametrize("code", [405, 501])
def test_a_server_that_takes_no_questions_is_said(code: int) -> None:
    with (
        serving(status(code)) as server,
        pytest.raises(ChatProblem, match=rf"takes no questions \({code}\) and is no chat server"),
    ):
        HttpChat(server.url, clock=Slept().clock).ask([question()])


def test_a_page_in_the_middle_of_a_run_is_one_failure() -> None:
    def page(handler: Handler, sent: dict[str, Any], number: int) -> None:
        handler.say(200, PAGE) if number == 1 else echo(handler, sent, number)

    with serving(page) as server:
        chat = HttpChat(server.url, clock=Slept().clock, in_flight=1)
        failures = [reply.failure for reply in chat.ask([question("a"), question("b"), question("c")])]
    assert failures == [None, "a web page in the place of an answer", None]


def test_a_list_of_models_that_does_not_come_says_why() -> None:
    with serving(pages={"/v1/models": b"no json"}) as server, pytest.raises(ChatProblem, match=r"is not JSON.*#MODEL"):
        HttpChat(server.url, clock=Slept().clock).ask([question()])


def test_https_where_there_is_none_is_said_at_once() -> None:
    slept = Slept()
    with serving() as server, pytest.raises(ChatProblem, match="does not speak https: write http://"):
        HttpChat(server.url.replace("http:", "https:") + "#tiny", clock=slept.clock).ask([question()])
    assert slept.waits == []
