"""Questions from a prompt, asked of a Chat; what cannot be read is asked for again, then counted as a failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from sfumato.models.chat.base import Chat, Reply, Request
from sfumato.models.chat.prompt import Prompt
from sfumato.models.chat.reading.reasons import reason
from sfumato.models.chat.spent import Spent

TRIES = 3
"""How often a question is asked at most."""
_WARMER = 0.4
"""The least temperature of a second try: the same words at 0 would give the same answer."""

T = TypeVar("T")
Blanks = Mapping[str, str]
Read = Callable[[str, Blanks], T | None]
"""What an answer says to a question; None where it cannot be read."""


class Asking(Generic[T]):
    """One prompt before one Chat. ``spent`` counts what it cost and what could not be read."""

    def __init__(
        self,
        chat: Chat,
        prompt: Prompt,
        read: Read[T],
        *,
        schema: Mapping[str, Any] | None = None,
        example: str | None = None,
        room: Callable[[Blanks], int] | None = None,
    ) -> None:
        """``schema``: a JSON schema for models that can be held to one; ``example``: which of the prompt's to show.

        ``room``: tokens that the answer to a question may have, where that is less than the prompt's ``max_tokens``.
        """
        self._chat, self._prompt, self._read = chat, prompt, read
        self._schema, self._example, self._room = schema, example, room
        self.name = f"chat:{chat.name},prompt={prompt.name}"
        self.spent = Spent()
        self.failures: list[str | None] = []
        """For each question of the last ``ask`` why there is no answer; None where there is one."""

    def ask(self, questions: Sequence[Blanks], draw: int = 0, *, temperature: float | None = None) -> list[T | None]:
        """What each answer says; None where none could be read. ``draw``: which of several answers to the same."""
        found: list[T | None] = [None] * len(questions)
        self.failures = [None] * len(questions)
        open_ = list(range(len(questions)))
        for attempt in range(TRIES):
            if not open_:
                break
            requests = [self._request(questions[at], draw * TRIES + attempt, temperature) for at in open_]
            for at, reply in zip(list(open_), self._chat.ask(requests), strict=True):
                self.spent.note(reply)
                found[at] = self._said(reply, questions[at])
                self.failures[at] = reason(reply) if found[at] is None else None
                if (why := self.failures[at]) is not None:
                    self.spent.miss(why)
            open_ = [at for at in open_ if found[at] is None]
        self.spent.questions += len(questions)
        self.spent.failed += len(open_)
        return found

    def _said(self, reply: Reply, question: Blanks) -> T | None:
        return None if reply.failure is not None else self._read(reply.text, question)

    def _request(self, question: Blanks, draw: int, temperature: float | None) -> Request:
        request = self._prompt.request(question, example=self._example, schema=self._schema)
        warmth = request.temperature if temperature is None else temperature
        if draw % TRIES:
            warmth = max(warmth, _WARMER)
        most = request.max_tokens if self._room is None else min(request.max_tokens, self._room(question))
        return replace(request, temperature=warmth, max_tokens=most, seed=draw, draw=draw)


def one_list(key: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a JSON object with one list: what a model is asked for where it is asked for a list."""
    return {
        "type": "object",
        "properties": {key: {"type": "array", "items": dict(item)}},
        "required": [key],
        "additionalProperties": False,
    }
