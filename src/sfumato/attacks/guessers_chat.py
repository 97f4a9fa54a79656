"""Guesses by a chat model that reads the whole released text, the span marked in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from sfumato.attacks.asking import Asking
from sfumato.attacks.base import Person
from sfumato.attacks.match import UNREADABLE
from sfumato.document import Guess, Span
from sfumato.models.chat import Chat


class ChatGuesser:
    """Asks a chat model what stood in a span; it needs no background. An unreadable answer is said to be one."""

    def __init__(self, chat: Chat) -> None:
        self._asking = Asking(chat, "guess", {"type": "string"})
        self.name, self.spent = self._asking.name, self._asking.spent

    def fit(self, background: Sequence[Person]) -> Self:
        """Nothing to learn: a chat model has read what it has read."""
        return self

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """Scores are 1, 1/2, 1/3 ... by the order of the answer."""
        questions = [
            {
                "text": f"{text[: span.start]}[[{text[span.start : span.end]}]]{text[span.end :]}",
                "span": text[span.start : span.end],
                "count": str(count),
            }
            for span in spans
        ]
        return [self._read(answer, count) for answer in self._asking.lists(questions)]

    def _read(self, answer: list[object] | None, count: int) -> tuple[Guess, ...]:
        said = [item.strip() for item in answer or () if isinstance(item, str) and item.strip()]
        if not said or len(said) < len(answer or ()):
            self.spent["unreadable"] += 1
            return (Guess(UNREADABLE, 0.0),)
        return tuple(Guess(item, 1 / place) for place, item in enumerate(dict.fromkeys(said[:count]), 1))
