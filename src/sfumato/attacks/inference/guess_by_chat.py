"""Guesses by a chat model that reads the whole released text, the span marked in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

from sfumato.attacks.base import PROMPTS, Person
from sfumato.attacks.inference.match import UNREADABLE
from sfumato.document import Guess, Span
from sfumato.models.chat import Asking, Chat, Prompt
from sfumato.models.chat.asking import one_list
from sfumato.models.chat.parts import Parts
from sfumato.models.chat.reading.parse import strings


class ChatGuesser:
    """Asks a chat model what stood in a span; it needs no background. An unreadable answer is said to be one."""

    paper: ClassVar[str | None] = "002"
    extra: ClassVar[str | None] = None
    needs_chat: ClassVar[bool] = True

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "guess.toml") -> None:
        """``prompt``: a file with the keys of prompts/guess.toml."""
        read = Prompt.load(prompt, ("text", "span", "count"), own=PROMPTS)
        self._parts = Parts(chat, read)
        self._asking = Asking(
            chat, read, _said, schema=one_list("guesses", {"type": "string"}), room=self._parts.answer
        )
        self.name, self.spent = self._asking.name, self._asking.spent

    def fit(self, background: Sequence[Person]) -> Self:
        """Nothing to learn: a chat model has read what it has read."""
        return self

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """Scores are 1, 1/2, 1/3 ... by the order of the answer. Of a text too long to be read at once the model sees
        what stands around the span."""
        answers = self._asking.ask([self._question(text, span, count) for span in spans])
        return [_guesses(answer, count) for answer in answers]

    def _question(self, text: str, span: Span, count: int) -> dict[str, str]:
        said = text[span.start : span.end]
        blanks = {"text": "", "span": said, "count": str(count)}
        start, end = self._parts.around(text, (span.start, span.end), blanks)
        return {**blanks, "text": f"{text[start : span.start]}[[{said}]]{text[span.end : end]}"}


def _said(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return strings(answer, "guesses") or None


def _guesses(said: list[str] | None, count: int) -> tuple[Guess, ...]:
    if said is None:
        return (Guess(UNREADABLE, 0.0),)
    return tuple(Guess(item, 1 / place) for place, item in enumerate(dict.fromkeys(said[:count]), 1))
