"""Answers kept by content: asked once, a question costs nothing again, and a run that was stopped goes on.

Each answer is written down as it comes in. With a secret the file shows how many answers it holds and how long they
are, and nothing else; without one, answers lie there readable, though the questions do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.models.chat.answers import Answers
from sfumato.models.chat.base import Chat, Reply, Request
from sfumato.models.chat.wrapped import Wrapped, each


class CachedChat(Wrapped):
    """A Chat that is asked once for the same. What failed is not kept, and asked for again the next time."""

    def __init__(self, chat: Chat, folder: str | Path, secret: bytes | None = None) -> None:
        """``secret``: 32 bytes that everything in the folder is encrypted with."""
        super().__init__(chat)
        self._answers = Answers(Path(folder), secret)

    def ask_each(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """What is known first, then the rest as it comes; the same question within a batch is asked once."""
        new: dict[str, list[int]] = {}
        for number, request in enumerate(requests):
            key = self._key(request)
            if key in new:
                new[key].append(number)
            elif (found := self._answers.get(key)) is not None:
                yield number, found
            else:
                new[key] = [number]
        keys = list(new)
        for at, reply in each(self.inner, [requests[new[key][0]] for key in keys]):
            if reply.failure is None:
                self._answers.put(keys[at], reply)
            first, *others = new[keys[at]]
            yield first, reply
            for number in others:
                yield number, reply if reply.failure is not None else replace(reply, cached=True)

    def close(self) -> None:
        self._answers.close()
        super().close()

    def _key(self, request: Request) -> str:
        return f"{self.name}\0{request.key}"
