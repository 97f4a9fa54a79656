"""A Chat that is asked the same only once in a run: several metrics have the same questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sfumato.models.chat import Chat, Reply, Request
from sfumato.models.chat.wrapped import Wrapped


class RememberingChat(Wrapped):
    """Remembers answers, not failures, while it lives. A reply from memory is marked as cached."""

    def __init__(self, chat: Chat) -> None:
        super().__init__(chat)
        self._known: dict[str, Reply] = {}

    def ask_each(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        return enumerate(self.ask(requests))

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        keys = [request.key for request in requests]
        new = {key: request for key, request in zip(keys, requests, strict=True) if key not in self._known}
        came = dict(zip(new, self.inner.ask(list(new.values())) if new else (), strict=True))
        given = list[Reply]()
        for key in keys:
            # The first time it is what came, and costs what it costs.
            reply = came.pop(key, None)
            if reply is None:
                reply = replace(self._known[key], cached=True)
            else:
                self._known[key] = reply
            given.append(reply)
        for key in new:
            if self._known[key].failure is not None:
                del self._known[key]
        return given
