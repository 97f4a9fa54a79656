"""The ranks of a document's subjects under an attack that follows its text, and what each place of it does for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.followed import (
    NOBODY,
    Follows,
    MarginalGain,
    SubjectRank,
    others_than,
    rank_subject,
    rivals_to_pass,
)


class RankedSubjects:
    """The subjects of one document under one attack, and the rank that each of them must reach."""

    def __init__(
        self, name: str, attack: Follows, subjects: Sequence[int], rank: int, excluded: Sequence[int] = ()
    ) -> None:
        """``subjects``: their rows. ``excluded``: rows that are no people, so that no subject can hide behind them."""
        self.name = name
        self._attack, self._subjects, self._rank = attack, tuple(subjects), rank
        self._excluded = (*subjects, *excluded)
        self._text: str | None = None
        self._rivals: Ints | None = None

    def update(self, text: str) -> None:
        """Read the current text."""
        if self._text is None:
            self._followed = self._attack.follow(text, self._subjects, self._rank)
            self._others = others_than(self._excluded, len(self._followed.scores))
        elif text != self._text:
            self._followed.change(text)
        self._text = text

    def ranks(self) -> list[SubjectRank]:
        """Every subject's current rank."""
        others, rounding = self._followed.scores[self._others], self._followed.rounding
        scores = [self._followed.score(row) for row in self._subjects]
        clear = [score + rounding if score > rounding else 0.0 for score in scores]
        return [rank_subject(row, score, others, self._rank) for row, score in zip(self._subjects, clear, strict=True)]

    def marginal_gain(self, row: int, places: Ints, count: int) -> MarginalGain:
        """For each of ``count`` places, how much nearer to their rivals a subject would come without it.

        ``places``: for each character of the text the place it belongs to, or ``count`` where it belongs to none.
        """
        scores = self._followed.scores
        if self._rivals is None:
            self._rivals = self._others
            most = max(self._followed.rivals or 0, 2 * self._rank)
            if self._followed.rivals is not None and most < len(self._others):
                self._rivals = np.sort(self._others[np.argpartition(-scores[self._others], most - 1)[:most]])
        if not len(self._rivals):
            return self.own_contribution(row, places, count)  # nobody is left to pass
        passing = rivals_to_pass(scores[self._rivals], self._followed.score(row), self._rank)
        return self._followed.gain(row, self._rivals[passing], places, count)

    def own_contribution(self, row: int, places: Ints, count: int) -> MarginalGain:
        """For each place, what it adds to a subject's score, whatever it does to rivals."""
        return self._followed.gain(row, NOBODY, places, count)
