"""What every wrapper around a Chat has: the same name and context, and the way to the replies as they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.models.chat.base import AsksEach, Chat, Reply, Request
from sfumato.models.chat.http.flight import in_order


class Wrapped:
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
        return in_order(self.ask_each(requests), len(requests))

    def ask_each(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
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
    return chat.ask_each(requests) if isinstance(chat, AsksEach) else iter(enumerate(chat.ask(requests)))
