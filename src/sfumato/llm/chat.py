"""A chat model behind one small interface: requests in, replies out.

Caches, retries after network failures, limits on requests in flight and prices are wrappers around a Chat; what asks
sees the same interface.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Literal, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """A question with all that its answer may depend on, but for the model."""

    messages: tuple[Message, ...]
    temperature: float = 0.0
    max_tokens: int = 512
    seed: int | None = None
    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    """A JSON schema that the answer must keep, where the model can be held to one."""
    logprobs: int = 0
    """Log-probabilities of so many tokens at each place are wanted."""
    draw: int = 0
    """Which answer to the same question: 0 the first; asked again, a cache must not hand out the first once more."""

    @property
    def key(self) -> str:
        """What a cache finds the answer by, together with the model's name: SHA-256 of the content."""
        packed = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(packed.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, and what it cost. ``failure`` says why there is no text; it never quotes the conversation."""

    text: str
    prompt_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    failure: str | None = None
    logprobs: tuple[Mapping[str, float], ...] | None = None
    """At each generated place, tokens and their ``ln p``."""
    cut: bool = False
    """Whether the answer ended at ``max_tokens`` and not by itself."""
    cached: bool = False
    """Whether a cache gave it: tokens and seconds are then what it cost the first time."""
    money: float | None = None
    """What its tokens cost by the user's price list; None without one."""


@runtime_checkable
class Chat(Protocol):
    """A model that answers."""

    @property
    def name(self) -> str:
        """The model with all that changes its answers."""
        ...

    @property
    def context(self) -> int | None:
        """How many tokens a question and its answer may have together; None: not known."""
        ...

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply for each request, in order; they may be asked all at once. What fails is a reply that says so."""
        ...


@runtime_checkable
class AsksUnordered(Protocol):
    """A Chat that hands over each reply as it comes in."""

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """The number of a request, and its reply, in the order of arrival."""
        ...


class LogitsModel(Protocol):
    """A model that shows the whole distribution of the next token, as DP-Prompt needs it."""

    @property
    def end_tokens(self) -> frozenset[int]:
        """Tokens that end an answer."""
        ...

    def next_logprobs(
        self, messages: Sequence[Message], written: Sequence[int] = ()
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Every token of the vocabulary and its ``ln p`` after the tokens written so far of an answer."""
        ...

    def text_of(self, tokens: Sequence[int]) -> str:
        """What these tokens say."""
        ...


def logits_model(chat: Chat | None) -> LogitsModel | None:
    """The model behind a Chat and its wrappers, if it shows the distribution of the next token."""
    while chat is not None:
        if callable(getattr(chat, "next_logprobs", None)):
            return cast(LogitsModel, chat)
        chat = getattr(chat, "inner", None)
    return None


# -- Many requests at once, never more than a server is to have in flight, each reply handed over as it comes.


Answer = Callable[[Request, threading.Event], Reply]
"""Answers a request; the event says that nobody waits for the reply any more."""
_Landed = tuple[int, Reply | BaseException]


def map_unordered(requests: Sequence[Request], answer: Answer, in_flight: int) -> Iterator[tuple[int, Reply]]:
    """Each request's number and reply, in the order of arrival. What ``answer`` raises ends the flight."""
    over = threading.Event()
    if len(requests) == 1 or in_flight == 1:
        for number, request in enumerate(requests):
            yield number, answer(request, over)
        return
    waiting: SimpleQueue[tuple[int, Request]] = SimpleQueue()
    landed: SimpleQueue[_Landed] = SimpleQueue()
    for ticket in enumerate(requests):
        waiting.put(ticket)

    def work() -> None:
        while True:
            try:
                number, request = waiting.get_nowait()
            except Empty:
                return
            try:
                landed.put((number, answer(request, over)))
            except BaseException as error:  # noqa: BLE001 - it is raised where the replies are read
                landed.put((number, error))
                return

    # Daemons: whoever interrupts a run does not wait for answers that nobody reads any more.
    for _ in range(min(in_flight, len(requests))):
        threading.Thread(target=work, daemon=True, name="sfumato-chat").start()
    try:
        for _ in requests:
            number, found = landed.get()
            if isinstance(found, BaseException):
                raise found
            yield number, found
    finally:
        over.set()
        _drain(waiting)


def collect_ordered(arrivals: Iterator[tuple[int, Reply]], count: int) -> list[Reply]:
    """The replies in the order of their requests."""
    found = dict(arrivals)
    return [found[number] for number in range(count)]


def _drain(waiting: SimpleQueue[tuple[int, Request]]) -> None:
    while True:
        try:
            waiting.get_nowait()
        except Empty:
            return


# -- What every wrapper around a Chat has: the same name and context, and the way to the replies as they come.


class ChatWrapper:
    """A Chat around another, ``inner``."""

    def __init__(self, chat: Chat) -> None:
        self.inner = chat

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def context(self) -> int | None:
        return self.inner.context

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        return collect_ordered(self.ask_unordered(requests), len(requests))

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        return each(self.inner, requests)

    def close(self) -> None:
        if callable(close := getattr(self.inner, "close", None)):
            close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.inner!r})"


def each(chat: Chat, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
    """Replies as they come in, from a Chat that can hand them over so; else all at the end."""
    if not requests:
        return iter(())
    return chat.ask_unordered(requests) if isinstance(chat, AsksUnordered) else iter(enumerate(chat.ask(requests)))
