"""HttpChat and a server that fails, stalls, breaks off, disappears and comes back."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from sfumato.errors import ChatError
from sfumato.llm.http import HttpChat
from tests.llm.fake_clock import FakeClock
from tests.llm.http_requests import first, once, question, status
from tests.llm.server import Behaviour, Handler, answer, echo, serving


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


@pytest.mark.parametrize("behave", [status(500), status(200, content=b"{")])
def test_after_a_request_that_failed_every_time_the_next_ones_are_tried_once(behave: Behaviour) -> None:
    slept = FakeClock()

    def fail_ten_times(handler: Handler, sent: dict[str, Any], number: int) -> None:
        (behave if number < 10 else echo)(handler, sent, number)

    with serving(fail_ten_times) as server:
        chat = HttpChat(server.url, clock=slept.clock, in_flight=1)
        failures = [reply.failure for reply in chat.ask([question()] * 6)]
        assert len(server.posted) == 5 + 5
        assert None not in failures
        waited = len(slept.waits)
        assert waited == 4
        assert [reply.failure for reply in chat.ask([question()])] == [None]  # it works again, and so do all tries
        chat.close()


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
        chat = HttpChat(server.url, model="tiny", timeout=30, clock=FakeClock(step=11).clock)
        assert chat.ask([question()])[0].failure == "no answer within 30 s"


@pytest.mark.parametrize("place", ["head", "body", "chunks"])
def test_a_server_that_drips_has_the_timeout_for_its_whole_answer(place: str) -> None:
    dripped: list[int] = []
    gone = threading.Event()

    def drip(handler: Handler, sent: dict[str, Any], number: int) -> None:
        content = json.dumps(answer("late" + " " * 2000)).encode()
        length = f"Content-Length: {len(content)}\r\n".encode()
        drops = [b"%x\r\n" % 1 + content[index : index + 1] + b"\r\n" for index in range(len(content))]
        at_once, slowly = {
            "head": (b"HTTP/1.1 200 OK\r\n" + length, [b"X-%d: x\r\n" % index for index in range(2000)]),
            "body": (b"HTTP/1.1 200 OK\r\n" + length + b"\r\n", [bytes([byte]) for byte in content]),
            "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", drops),
        }[place]
        handler.wfile.write(at_once)
        dripped.append(0)
        for drop in slowly:
            handler.wfile.write(drop)
            dripped[-1] += 1
            gone.wait(0.01)

    with serving(drip) as server:
        reply = HttpChat(server.url, model="tiny", timeout=0.2).ask([question()])[0]
        gone.set()
    assert reply.failure == "no answer within 0.2 s"
    assert all(drops < 2000 for drops in dripped)


def test_a_server_that_does_not_answer_in_time_is_asked_twice() -> None:
    gone = threading.Event()

    def silent(handler: Handler, body: dict[str, Any], number: int) -> None:
        gone.wait(1)

    reply, sent, _ = once(silent, timeout=0.05)
    gone.set()
    assert (reply.failure, sent) == ("no answer within 0.05 s", 2)


def test_a_packed_answer_is_not_unpacked() -> None:
    reply, _, _ = once(lambda handler, sent, number: handler.say(200, b"\x1f\x8b", {"Content-Encoding": "gzip"}))
    assert reply.failure is not None
    assert "compressed" in reply.failure


@pytest.mark.parametrize("content", [b"", b"not json", b"\xff\xfe", b"[" * 100_000, b'{"choices": [{'])
def test_what_is_not_json_is_a_failure(content: bytes) -> None:
    reply, sent, _ = once(lambda handler, body, number: handler.say(200, content))
    assert (reply.failure, sent) == ("the server's answer is not JSON", 5)


def test_nobody_there_at_the_very_first_contact_is_an_error_soon() -> None:
    with serving() as server:
        url = server.url
    slept = FakeClock()
    with pytest.raises(ChatError, match="start it, or check the address"):
        HttpChat(url, clock=slept.clock).ask([question()])
    assert sum(slept.waits) <= 10


def test_a_server_that_went_away_and_never_comes_back_is_waited_for_once() -> None:
    slept = FakeClock()
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

    slept = FakeClock(when=restart)
    with serving() as server:
        port = server.server_port
        chat = HttpChat(server.url, clock=slept.clock, in_flight=1)
        before = chat.ask([question("a")])[0].text
    try:
        after = chat.ask([question("b"), question("c")])
    finally:
        for item in stack:
            item.__exit__(None, None, None)
    assert [before, *(reply.text for reply in after)] == ["echo a", "echo b", "echo c"]
    assert chat.retried >= 3


def test_when_a_run_ends_nobody_goes_on_trying() -> None:
    ended = threading.Event()

    def until_the_end(count: int) -> None:
        ended.wait(10)

    slept = FakeClock(when=until_the_end)

    def closed_or_busy(handler: Handler, sent: dict[str, Any], number: int) -> None:
        status(401 if sent["messages"][-1]["content"] == "closed" else 429)(handler, sent, number)

    with serving(closed_or_busy) as server:
        with pytest.raises(ChatError):
            HttpChat(server.url, clock=slept.clock).ask([question("busy"), question("closed")])
        ended.set()
        for thread in threading.enumerate():
            if thread.name.startswith("sfumato-chat"):
                thread.join(10)
        assert len(slept.waits) <= 1
