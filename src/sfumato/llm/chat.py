"""A chat model behind one small interface: requests in, replies out.

Caches, retries after network failures, limits on concurrent requests and prices are wrappers around a Chat; callers
see the same interface.
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
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Request:
    """A conversation to continue, with everything except the model that the answer may depend on."""

    messages: tuple[Message, ...]
    temperature: float = 0.0
    max_tokens: int = 512
    seed: int | None = None
    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    """A JSON schema for the answer, where the model supports one."""
    logprobs: int = 0
    """How many of the likeliest tokens to return with their log-probabilities, at each position."""
    sample_index: int = 0
    """Which of several answers to the same request; a cache stores each separately."""
    top_p: float | None = None
    """The least probability of the likeliest tokens that are sampled from, 1 for all; None for the server's own."""

    @property
    def key(self) -> str:
        """The cache key, together with the model's name: SHA-256 of the content."""
        content = asdict(self)
        content["draw"] = content.pop("sample_index")  # the name in caches and recordings
        if self.top_p is None:  # caches and recordings from before there was one
            del content["top_p"]
        packed = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(packed.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer and its cost. ``failure`` says why there is no text; it never quotes the conversation."""

    text: str = field(repr=False)
    prompt_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    failure: str | None = None
    logprobs: tuple[Mapping[str, float], ...] | None = field(default=None, repr=False)
    """At each generated position, tokens and their ``ln p``."""
    cut: bool = False
    """Whether the answer was truncated at ``max_tokens``."""
    cached: bool = False
    """Whether it comes from a cache: tokens and seconds are then those of the first time."""
    money: float | None = None
    """What its tokens cost by the user's price list; None without one."""


@runtime_checkable
class Asks(Protocol):
    """What takes requests."""

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply for each request, in order; they may run concurrently. A failure is a reply that says so."""
        ...


@runtime_checkable
class Chat(Asks, Protocol):
    """A chat model."""

    @property
    def name(self) -> str:
        """The model with everything that changes its answers."""
        ...

    @property
    def context(self) -> int | None:
        """Tokens that a request and its answer may have together; None where unknown."""
        ...


@runtime_checkable
class AsksUnordered(Protocol):
    """A Chat that returns each reply as it arrives."""

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """The index of a request, and its reply, in the order of arrival."""
        ...

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """The replies in the order of their requests."""
        replies = dict(self.ask_unordered(requests))
        return [replies[index] for index in range(len(requests))]


@runtime_checkable
class Closable(Protocol):
    """A Chat that holds something open."""

    def close(self) -> None:
        """Let it go."""
        ...


@runtime_checkable
class ShowsLogprobs(Protocol):
    """A model that shows the whole distribution of the next token."""

    def next_logprobs(
        self, messages: Sequence[Message], written: Sequence[int] = ()
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Every token of the vocabulary and its ``ln p`` after the tokens already written of an answer."""
        ...


class LogitsModel(ShowsLogprobs, Protocol):
    """What DP-Prompt needs of such a model."""

    @property
    def end_tokens(self) -> frozenset[int]:
        """Tokens that end an answer."""
        ...

    def text_of(self, tokens: Sequence[int]) -> str:
        """The text of these tokens."""
        ...


def logits_model(chat: Chat | None) -> LogitsModel | None:
    """The model behind a Chat and its wrappers, if it shows the distribution of the next token."""
    while chat is not None:
        if isinstance(chat, ShowsLogprobs):  # methods alone: to read a property may load the model
            return cast(LogitsModel, chat)
        chat = chat.inner if isinstance(chat, ChatWrapper) else None
    return None


class ChatWrapper(AsksUnordered):
    """A Chat around another, ``inner``, with the same name and context. Subclasses override ``ask_unordered``."""

    def __init__(self, chat: Chat) -> None:
        self.inner = chat

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def context(self) -> int | None:
        return self.inner.context

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        return iter_replies(self.inner, requests)

    def close(self) -> None:
        if isinstance(self.inner, Closable):
            self.inner.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.inner!r})"


def iter_replies(chat: Chat, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
    """Replies as they arrive, from a Chat that can return them so; otherwise all at the end."""
    if not requests:
        return iter(())
    return chat.ask_unordered(requests) if isinstance(chat, AsksUnordered) else iter(enumerate(chat.ask(requests)))


class ProcessLock:
    """A reentrant lock of one process: an object that is pickled for another process gets a new one there."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[ProcessLock], tuple[()]]:
        return ProcessLock, ()


Answer = Callable[[Request, threading.Event], Reply]
"""Answers a request; the event says that nobody waits for the reply any more."""


def map_unordered(requests: Sequence[Request], answer: Answer, in_flight: int) -> Iterator[tuple[int, Reply]]:
    """Answer requests in ``in_flight`` threads; yield each request's index and reply in the order of arrival.

    An exception in ``answer`` ends the iteration and is raised here.
    """
    cancelled = threading.Event()
    if len(requests) == 1 or in_flight == 1:
        for index, request in enumerate(requests):
            yield index, answer(request, cancelled)
        return
    waiting: SimpleQueue[tuple[int, Request]] = SimpleQueue()
    results: SimpleQueue[tuple[int, Reply | BaseException]] = SimpleQueue()
    for item in enumerate(requests):
        waiting.put(item)

    def work() -> None:
        while not cancelled.is_set():
            try:
                index, request = waiting.get_nowait()
            except Empty:
                return
            try:
                results.put((index, answer(request, cancelled)))
            except BaseException as error:  # noqa: BLE001 - it is raised where the replies are read
                results.put((index, error))
                return

    # Daemon threads: whoever interrupts a run does not wait for answers that nobody reads any more.
    for _ in range(min(in_flight, len(requests))):
        threading.Thread(target=work, daemon=True, name="sfumato-chat").start()
    try:
        for _ in requests:
            index, result = results.get()
            if isinstance(result, BaseException):
                raise result
            yield index, result
    finally:
        cancelled.set()
