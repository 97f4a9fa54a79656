"""Guess what stood in a replaced span, from the released text alone: the inference attack of INTACT (paper 002)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol, Self, runtime_checkable

from sfumato.attacks.base import Person
from sfumato.attacks.by_name import registered
from sfumato.document import Attempt, Guess, Span
from sfumato.errors import RecipeError
from sfumato.models.chat import Chat

GUESSES = 5


@runtime_checkable
class Guesser(Protocol):
    """Says what may have stood in a span of a released text.

    One that learns from the background has ``needs_background = True``: a recipe, which has none, refuses it.
    """

    name: str

    def fit(self, background: Sequence[Person]) -> Self:
        """Learn from what the attacker has read; once, before any guess."""
        ...

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """At most ``count`` different guesses for each span, likeliest first.

        A guess whose answer is empty (``match.UNREADABLE``) says that the answer could not be read.
        """
        ...


class InferenceAttack:
    """Guess what stood in a replaced span from the released text alone, five guesses a span."""

    name: ClassVar[str] = "inference"
    goal: ClassVar[str] = "Sees the released text and where something was replaced, and guesses what stood there."
    paper: ClassVar[str | None] = "002"
    extra: ClassVar[str | None] = None

    def __init__(
        self, *, guesser: str | Guesser = "statistics", guesses: int = GUESSES, chat: Chat | None = None
    ) -> None:
        """``guesser``: a registered one by name, or an object; ``guesses``: how many it has for each span.

        ``chat``: whom the guesser "chat" asks.
        """
        if not isinstance(guesses, int) or guesses < 1:
            raise RecipeError(f"guesses must be 1 or more; got {guesses!r}")
        self.guesser: Guesser = registered("guesser", guesser, chat) if isinstance(guesser, str) else guesser
        self._count = guesses

    def fit(self, background: Sequence[Person]) -> Self:
        """Let the guesser read the background."""
        self.guesser.fit(background)
        return self

    def run(self, texts: Mapping[str, str], spans: Mapping[str, Sequence[Span]]) -> list[Attempt]:
        """One attempt for each span, in order. Spans are places in the released texts; a suppressed one has no width.

        The text is all that the guesser sees: no original, no reason, and of the other people only the background.
        """
        made = []
        for key, text in texts.items():
            own = spans.get(key, ())
            if any(span.end > len(text) for span in own):
                raise ValueError(f"a span of document {key} ends after its released text ({len(text)} characters)")
            for span, guesses in zip(own, self.guesser.guess(text, own, self._count), strict=True):
                made.append(Attempt(self.name, key, guesses[: self._count], None, _margin(guesses), (), span))
        return made


def _margin(guesses: Sequence[Guess]) -> float | None:
    return guesses[0].score - guesses[1].score if len(guesses) > 1 else None
