"""How a linking attack follows a text that is being repaired, and what the loop of ``protect`` asks of it.

An attack that has ``follow`` (``Followable``) takes part in the loop. The text that it follows (``Followed``) keeps
what was read of it, so that a change costs only the reading of what changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from sfumato.attacks.base import LinkingAttack
from sfumato.attacks.linking.cleaning import Ints
from sfumato.models.base import Floats

Compares = Literal["words", "meaning", "facts"]
"""What an attack compares: words that a text shares; what its words mean; or times, countries and form as well."""
_TIE = 1e-5
"""Scores nearer than this, as a share, are a tie."""
_MARGIN = 3
"""People beyond the last who must pass that are considered, too."""
NOBODY: Ints = np.zeros(0, np.int64)


class MarginalGain(NamedTuple):
    """By place: its part of the gain if everything that says the same goes with it, and its gain if it goes alone."""

    together: Floats
    alone: Floats


class Followed(Protocol):
    """A text that changes, as one attack scores it. To be subclassed for the defaults."""

    scores: Floats
    """How well each person fits the current text, by row; minus infinity: too badly at first to be followed."""
    rivals: int | None = None
    """How many people, those who fit best when a gain is first asked for, are compared with a subject; None: all."""
    rounding: float = 0.0
    """What rounding may have added to a score: it must not hide anyone."""

    def change(self, text: str) -> None:
        """Read the text as it stands now."""

    def score(self, row: int) -> float:
        """How well a subject fits: their score; 0 where they share nothing with the text."""
        return float(self.scores[row])

    def gain(self, row: int, rivals: Ints, places: Ints, count: int) -> MarginalGain:
        """For each of ``count`` places, how much nearer to the mean of the rivals a subject would come without it.

        ``places``: for each character of the text the place it belongs to, or ``count`` where it belongs to none.
        Without rivals: what each place adds to the subject's score.
        """
        ...


class Follows(Protocol):
    """What follows texts: an attack, or a model of what its attacker knows."""

    def row(self, person_id: str) -> int:
        """A person's index in the scores."""
        ...

    def follow(self, text: str, subjects: Sequence[int], rank: int) -> Followed:
        """Begin to follow a text about the people in some rows, of whom each must come to a rank.

        Whoever fits too badly to matter for that rank may be left out.
        """
        ...


@runtime_checkable
class Followable(LinkingAttack, Follows, Protocol):
    """A linking attack whose scores the loop can follow while it repairs a text."""

    @property
    def compares(self) -> Compares:
        """Those that compare meaning join the loop last; against those that compare facts it widens the facts that
        stand in clear, and hides the form of releases."""
        ...

    @property
    def learned(self) -> str | None:
        """A fingerprint of what the last run learned of its releases: scores that are followed depend on it.

        Empty where an attack learns nothing of them; None where there is nothing to follow yet, as before a run.
        """
        ...


class SubjectRank(NamedTuple):
    """A subject's rank under one attack. ``gap``: how much their score must fall; 0: the target holds."""

    row: int
    rank: int | None
    score: float
    gap: float


def rank_subject(row: int, score: float, others: Floats, rank: int) -> SubjectRank:
    """The rank of a score among the others where ``rank - 1`` of them must fit better."""
    if score <= 0:
        return SubjectRank(row, None, 0.0, 0.0)  # shares nothing with the text: the attack does not guess them
    above = int((others > score * (1 + _TIE)).sum())
    if above >= rank - 1:
        return SubjectRank(row, 1 + above, score, 0.0)
    if len(others) < rank - 1:
        return SubjectRank(row, 1 + above, score, score)
    border = np.partition(others, len(others) - (rank - 1))[len(others) - (rank - 1)]
    return SubjectRank(row, 1 + above, score, max(score - float(border), score * _TIE))


def rivals_to_pass(scores: Floats, score: float, rank: int) -> Ints:
    """Indices of the people who have to pass a score: from the first below it to the last who must."""
    above = int((scores > score * (1 + _TIE)).sum())
    order = np.argsort(-scores, kind="stable")
    return order[min(above, len(order) - 1) : max(above + 1, rank + _MARGIN)]


def others_than(rows: Sequence[int], people: int) -> Ints:
    """The rows of all people but some."""
    return np.setdiff1d(np.arange(people), rows)
