"""Where HttpChat sends requests: addresses, keys, models, and servers that have no chat API."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.errors import ChatError, RecipeError
from sfumato.llm.http import HttpChat
from tests.llm.fake_clock import FakeClock
from tests.llm.http_requests import first, question, status
from tests.llm.server import Handler, echo, models, serving


@pytest.mark.parametrize(("code", "words"), [(401, "SFUMATO_CHAT_KEY"), (403, "SFUMATO_CHAT_KEY"), (404, "tiny")])
def test_what_the_user_must_change_ends_the_run_and_says_what(code: int, words: str) -> None:
    with serving(status(code)) as server, pytest.raises(ChatError, match=words):
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
        with pytest.raises(ChatError, match="redirects"):
            HttpChat(server.url).ask([question()])
        assert other.seen == []


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as proxy, serving() as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        assert HttpChat(server.url).ask([question()])[0].text == "echo who?"
        assert proxy.seen == []


def test_several_models_must_be_chosen_from() -> None:
    with serving(pages=models("large", "small")) as server:
        with pytest.raises(ChatError, match="large, small"):
            HttpChat(server.url).ask([question()])
        HttpChat(server.url + "#small").ask([question()])
        assert server.posted[0]["model"] == "small"


def test_a_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CHAT_KEY", "sk-very-secret")
    with serving(status(401)) as server:
        chat = HttpChat(server.url, model="tiny")
        with pytest.raises(ChatError) as problem:
            chat.ask([question()])
        assert server.seen[0][1]["Authorization"] == "Bearer sk-very-secret"
        shown = f"{problem.value} {chat!r} {chat._transport!r} {chat.address!r} {chat.name}"
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


@pytest.mark.parametrize("path", ["", "/v1", "/v1/"])
def test_the_usual_path_is_not_in_the_name(path: str) -> None:
    assert HttpChat(f"http://127.0.0.1:8080{path}#m").name == "m@127.0.0.1:8080"


def test_gateways_on_one_host_have_names_of_their_own() -> None:
    urls = [f"http://127.0.0.1:8080/{team}/v1#m" for team in ("team-a", "team-b")]
    assert [HttpChat(url).name for url in urls] == ["m@127.0.0.1:8080/team-a/v1", "m@127.0.0.1:8080/team-b/v1"]


PAGE = b"\n<!doctype html><title>Welcome</title>"


@pytest.mark.parametrize("named", ["", "#tiny"])
def test_a_web_page_is_no_chat_server(named: str) -> None:
    slept = FakeClock()
    with serving(lambda handler, sent, number: handler.say(200, PAGE), {"/v1/models": PAGE}) as server:
        with pytest.raises(ChatError, match="web page and is no chat server"):
            HttpChat(server.url + named, clock=slept.clock).ask([question()])
        assert len(server.seen) == 1
    assert slept.waits == []


@pytest.mark.parametrize("code", [405, 501])
def test_a_server_that_takes_no_questions_is_said(code: int) -> None:
    with (
        serving(status(code)) as server,
        pytest.raises(ChatError, match=rf"takes no requests \({code}\) and is no chat server"),
    ):
        HttpChat(server.url, clock=FakeClock().clock).ask([question()])


def test_a_page_in_the_middle_of_a_run_is_one_failure() -> None:
    def page(handler: Handler, sent: dict[str, Any], number: int) -> None:
        handler.say(200, PAGE) if number == 1 else echo(handler, sent, number)

    with serving(page) as server:
        chat = HttpChat(server.url, clock=FakeClock().clock, in_flight=1)
        failures = [reply.failure for reply in chat.ask([question("a"), question("b"), question("c")])]
    assert failures == [None, "a web page instead of an answer", None]


def test_a_list_of_models_that_does_not_come_says_why() -> None:
    with serving(pages={"/v1/models": b"no json"}) as server, pytest.raises(ChatError, match=r"is not JSON.*#MODEL"):
        HttpChat(server.url, clock=FakeClock().clock).ask([question()])


def test_https_where_there_is_none_is_said_at_once() -> None:
    slept = FakeClock()
    with serving() as server, pytest.raises(ChatError, match="does not speak https: write http://"):
        HttpChat(server.url.replace("http:", "https:") + "#tiny", clock=slept.clock).ask([question()])
    assert slept.waits == []
