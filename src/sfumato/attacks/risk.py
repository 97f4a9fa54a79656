"""From attempts to risk: how often the true person is found, by the strongest attack and by any.

A rank is that of the true person among an attempt's guesses, ties counting against us; None is beyond those named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.document import Attempt
from sfumato.errors import NotMeasurable
from sfumato.intervals import wilson

STRONG = 0.09
"""What health regulators call strong protection: 1 in 11 (k >= 11)."""

AtRank = Literal["first", "best", "learned"]
"""At which rank the attacker looks: the first; where the method itself looks at ranks, the one that pays best, or the
one that he learns from the other releases."""

Shares = NDArray[np.float64]
"""[attempt, rank]: how likely the true person is who stands there."""
Attempts = Mapping[str, Sequence[Attempt]]
"""An attack's name -> one judged attempt for each document, the same documents for every attack."""


@dataclass(frozen=True, slots=True)
class BestRank:
    """The rank at which an attacker who knows the method should look, and how often that finds the person."""

    rank: int
    risk: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Linked:
    """How often one attack finds the true person. ``median_rank`` is None where it lies beyond the people named."""

    risk: float
    interval: tuple[float, float]
    n: int
    found: int
    median_rank: float | None
    best: BestRank
    """Of all ranks the one at which the true person sits most often: among few releases some rank always is."""
    learned: BestRank
    """What an attacker gets who learns from the other releases at which rank to look, or looks at the first."""

    def at(self, rank: AtRank) -> BestRank:
        chosen = {"best": self.best, "learned": self.learned}
        return chosen.get(rank) or BestRank(1, self.risk, self.interval)


@dataclass(frozen=True, slots=True)
class AnyLink:
    """Documents linked by at least one attack, and how many guessing as often would link by chance."""

    risk: float
    interval: tuple[float, float]
    chance: float
    documents: Mapping[str, bool]
    """Whether each was linked, by id."""


def judged(attempt: Attempt, true: Iterable[str]) -> Attempt:
    """The attempt with the rank of the true person (of several, the one found first): 1 + guesses scored higher."""
    people = frozenset(true)
    guesses = tuple(sorted(attempt.guesses, key=lambda guess: -guess.score))
    own = max((guess.score for guess in guesses if guess.answer in people), default=None)
    rank = None if own is None else 1 + sum(guess.score > own for guess in guesses)
    return replace(attempt, guesses=guesses, rank=rank)


def tied(attempt: Attempt) -> int:
    """How many guesses, the true person's included, share the true person's score."""
    if attempt.rank is None:
        return 0
    own = attempt.guesses[attempt.rank - 1].score
    return sum(guess.score == own for guess in attempt.guesses)


def candidates(attempt: Attempt) -> int | None:
    """How many people fit at least as well as the true one, who is among them; None: more than were named."""
    return None if attempt.rank is None else attempt.rank - 1 + tied(attempt)


def share_at(attempt: Attempt, rank: int) -> float:
    """How likely the true person is who stands at this rank: all or nothing but for ties, which count in full at 1."""
    if attempt.rank is None or not attempt.rank <= rank < attempt.rank + tied(attempt):
        return 0.0
    return 1.0 if rank == 1 else 1 / tied(attempt)


def linked(attempts: Sequence[Attempt]) -> Linked:
    """What one attack achieved over its judged attempts."""
    n = len(attempts)
    if not n:
        raise NotMeasurable("there is no release whose person is in the background")
    found = sum(attempt.rank == 1 for attempt in attempts)
    middle = median(inf if attempt.rank is None else attempt.rank for attempt in attempts)
    first = BestRank(1, found / n, wilson(found, n))
    last = _last_rank(attempts)
    shares = np.array([_shares(attempt, last) for attempt in attempts])
    return Linked(
        first.risk,
        first.interval,
        n,
        found,
        None if middle == inf else float(middle),
        _best(shares, first),
        _learned(shares, first),
    )


def _best(shares: Shares, first: BestRank) -> BestRank:
    """The rank at which the true person sits most often; people who tie share their ranks, each as likely."""
    hits = shares.sum(axis=0)[1:]
    if not len(hits) or hits.max() / len(shares) <= first.risk:
        return first
    most = float(hits.max())
    return BestRank(2 + int(hits.argmax()), most / len(shares), wilson(most, len(shares)))


def _learned(shares: Shares, first: BestRank) -> BestRank:
    """Leave one out: for each release the rank that pays best on all others; of equals any, as likely."""
    others = shares.sum(axis=0) - shares
    most = others.max(axis=1, keepdims=True)
    chosen = np.isclose(others, most) & (most > 0)
    chosen[~chosen.any(axis=1), 0] = True  # nothing to learn from: the first rank it is
    hits = float((shares * chosen / chosen.sum(axis=1, keepdims=True)).sum())
    rank = 1 + int(shares.sum(axis=0).argmax())
    risk = hits / len(shares)
    return BestRank(rank, risk, wilson(hits, len(shares))) if risk > first.risk else first


def _shares(attempt: Attempt, last: int) -> list[float]:
    """``share_at`` of every rank up to the last."""
    shares = [0.0] * last
    if attempt.rank is not None:
        ties = tied(attempt)
        shares[attempt.rank - 1 : attempt.rank - 1 + ties] = [1 / ties] * ties
        shares[0] = float(attempt.rank == 1)
    return shares


def _last_rank(attempts: Sequence[Attempt]) -> int:
    """The last rank at which a true person may sit."""
    return max((size for attempt in attempts if (size := candidates(attempt)) is not None), default=1)


def strongest(by_attack: Mapping[str, Linked], rank: AtRank = "first") -> tuple[str, BestRank]:
    """The single attack that finds most people; of equals the one whose true people rank better."""

    def order(name: str) -> tuple[float, float]:
        middle = by_attack[name].median_rank
        return by_attack[name].at(rank).risk, -(inf if middle is None else middle)

    name = max(by_attack, key=order)
    return name, by_attack[name].at(rank)


def any_link(attempts: Attempts, people: int) -> AnyLink:
    """Linked by any attack; the chance floor is 1 - (1 - 1/N)^attacks for N people. It is no single attacker."""
    linked_by_any: dict[str, bool] = {}
    for own in attempts.values():
        for attempt in own:
            linked_by_any[attempt.document_id] = linked_by_any.get(attempt.document_id, False) or attempt.rank == 1
    hits, n = sum(linked_by_any.values()), len(linked_by_any)
    return AnyLink(hits / n, wilson(hits, n), 1 - (1 - 1 / people) ** len(attempts), linked_by_any)
