"""Chats for the tests of rewriters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ChatError
from sfumato.llm.chat import Message, Reply, Request
from sfumato.llm.replay import ScriptedChat

WITH_SCORES = {"dp-fusion"}
"""Rewriters that take no model but one that shows the scores of its vocabulary."""


class CountingChat(ScriptedChat):
    """A scripted Chat that remembers how many requests each call of ``ask`` had."""

    def __init__(self, script: Callable[[Request], str | Reply]) -> None:
        super().__init__(script)
        self.calls: list[int] = []

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        self.calls.append(len(requests))
        return super().ask(requests)


class LetterChat(ScriptedChat):
    """A model of eight tokens that shows its scores: the last ends an answer, the others are letters."""

    end_tokens = frozenset({7})

    def __init__(self, scores: Callable[[Sequence[int]], Sequence[float]]) -> None:
        super().__init__(lambda request: "a b c")
        self._scores = scores
        self.steps = 0

    def next_logprobs(
        self, messages: Sequence[Message], written: Sequence[int] = ()
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        self.steps += 1
        scores = np.array(self._scores(written), np.float64)
        # Models sort by score.
        order = np.argsort(-scores)
        return np.arange(len(scores), dtype=np.int64)[order], scores[order]

    def text_of(self, tokens: Sequence[int]) -> str:
        return "".join("abcdefgh"[token] for token in tokens)


class WritingChat(ScriptedChat):
    """A model of two tokens, certain of what it says: the beginning of what the script answers, and the end."""

    end_tokens = frozenset({1})
    _said = ""

    def next_logprobs(
        self, messages: Sequence[Message], written: Sequence[int] = ()
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        (reply,) = self.ask([Request(tuple(messages))])
        if reply.failure:
            raise ChatError(reply.failure)
        self._said = reply.text[:5000]
        return np.arange(2), np.log([0.01, 0.99] if written else [0.99, 0.01])

    def text_of(self, tokens: Sequence[int]) -> str:
        return self._said * len(tokens)
