"""Requests to an HttpChat, and servers that misbehave."""

from __future__ import annotations

from typing import Any

from sfumato.llm.chat import Message, Reply, Request
from sfumato.llm.http import HttpChat
from tests.llm.fake_clock import FakeClock
from tests.llm.server import Behaviour, echo, serving


def question(text: str = "who?", **more: Any) -> Request:
    return Request((Message("system", "Be brief."), Message("user", text)), **more)


def once(behave: Behaviour, **options: Any) -> tuple[Reply, int, list[float]]:
    """The reply to one question, how often it was sent, and what was slept."""
    slept = FakeClock()
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
