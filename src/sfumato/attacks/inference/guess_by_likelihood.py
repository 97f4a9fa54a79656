"""Guesses by a language model: of what the background has in such places, what fits best here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from sfumato.attacks.base import Person
from sfumato.attacks.inference.guess_by_statistics import StatisticsGuesser
from sfumato.document import Guess, Span
from sfumato.errors import RecipeError
from sfumato.models.base import TokenScorer

_REACH = 150
"""Characters on either side that the model reads: more costs time and changes little."""


class LikelihoodGuesser:
    """Ranks what the background has in such places by how likely it is here, by a token scorer (a language model)."""

    paper: ClassVar[str | None] = None
    extra: ClassVar[str | None] = None
    needs_background: ClassVar[bool] = True

    def __init__(self, *, scorer: str | TokenScorer = "default", candidates: int = 20, detector: str = "rules") -> None:
        """``candidates``: how many the model is asked about, those that the statistics find likeliest."""
        from sfumato.models import load_scorer

        if not isinstance(candidates, int) or candidates < 1:
            raise RecipeError(f"candidates must be 1 or more; got {candidates!r}")
        self._scorer = load_scorer(scorer) if isinstance(scorer, str) else scorer
        self._candidates = candidates
        self._statistics = StatisticsGuesser(detector=detector)
        self.name = f"likelihood:{self._scorer.name},candidates={candidates}"

    def fit(self, background: Sequence[Person]) -> Self:
        self._statistics.fit(background)
        return self

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """Scores are ln p(guess | text around it), the least of its sub-tokens."""
        offered = self._statistics.guess(text, spans, max(count, self._candidates))
        return [self._ranked(text, span, guesses)[:count] for span, guesses in zip(spans, offered, strict=True)]

    def _ranked(self, text: str, span: Span, offered: Sequence[Guess]) -> tuple[Guess, ...]:
        before, after = text[max(0, span.start - _REACH) : span.start], text[span.end : span.end + _REACH]
        scored = [Guess(guess.answer, self._likelihood(before, guess.answer, after)) for guess in offered]
        return tuple(sorted(scored, key=lambda guess: -guess.score))

    def _likelihood(self, before: str, answer: str, after: str) -> float:
        place = (len(before), len(before) + len(answer))
        return -float(self._scorer.information(before + answer + after, [place])[0])
