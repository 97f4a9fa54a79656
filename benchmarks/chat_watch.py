"""A Chat that is watched: what each method asked, how far it is, and how long the rest may take."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sfumato.llm.chat import Chat, ChatWrapper, Reply, Request

SILENCE = 20
"""Seconds between two lines about the same method."""


class WatchedChat(ChatWrapper):
    """Hands on questions and answers; ``replies`` holds those of the method at hand. Says how it goes on stderr."""

    def __init__(self, chat: Chat, methods: int, times: Path) -> None:
        """``methods``: how many there will be; ``times``: a file that remembers how long each took in earlier runs."""
        super().__init__(chat)
        self._methods, self._times = methods, times
        self.replies: list[Reply] = []
        self._method, self._done, self._asked, self._fresh = "", 0, 0, 0
        self._began = self._said = time.perf_counter()
        self._walls: dict[str, float] = json.loads(times.read_text(encoding="utf-8")) if times.exists() else {}

    @contextmanager
    def method(self, name: str) -> Iterator[None]:
        """What is asked within belongs to a method. Its time counts where something was asked, and not known before."""
        self.replies, self._method, self._asked = [], name, 0
        self._done += 1
        began = time.perf_counter()
        yield
        if any(not reply.cached for reply in self.replies):
            self._walls[name] = self._walls.get(name, 0.0) + time.perf_counter() - began
            self._times.write_text(json.dumps(self._walls, indent=1) + "\n", encoding="utf-8")

    def wall(self, name: str) -> float | None:
        """Seconds by the clock that a method took, over all runs that asked something for it to the end."""
        return self._walls.get(name)

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        self._asked += len(requests)
        for number, reply in super().ask_unordered(requests):
            self.replies.append(reply)
            self._fresh += not reply.cached
            self._say()
            yield number, reply

    def _say(self) -> None:
        now, ends = time.perf_counter(), len(self.replies) == self._asked
        if not ends and now - self._said < SILENCE:
            return
        self._said, took = now, now - self._began
        left = took / self._done * (self._methods - self._done) if self._fresh else 0.0
        written = sum(reply.generated_tokens for reply in self.replies if not reply.cached)
        print(
            f"{took / 60:.1f} min: {self._done}/{self._methods} {self._method}: {len(self.replies)} of {self._asked} "
            f"answers, {written:,} tokens written now; about {left / 60:.0f} min left",
            file=sys.stderr,
            flush=True,
        )
