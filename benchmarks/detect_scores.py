"""How well a detector did: pure functions from texts, references and found spans to numbers with intervals.

A token is a run of word characters or a single other character that is not a blank. A reference token counts as found
only when all of its characters are covered; a token counts as masked as soon as one of them is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from sfumato.metrics.mentions import coverage, is_masked
from sfumato.models.base import Range

_TOKEN = re.compile(r"\w+|[^\w\s]")
_RESAMPLES = 1000
_Z = 1.959964


class Mention(NamedTuple):
    """A reference span, what it was decided to be (None: nobody said) and the entity it belongs to."""

    start: int
    end: int
    decision: str | None
    entity: str


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval and what it was counted over; ``value`` is None where there was nothing."""

    value: float | None
    low: float
    high: float
    n: int


class Counts(NamedTuple):
    """Tokens of one text: in the reference, those of them covered, masked at all, and masked rightly."""

    reference: int
    covered: int
    masked: int
    right: int


class Strict(NamedTuple):
    """Spans of one text: in the reference, found, and both with the same offsets."""

    reference: int
    found: int
    both: int


def token_counts(text: str, reference: Iterable[Range], unknown: Iterable[Range], found: Iterable[Range]) -> Counts:
    """Counts over the tokens whose truth is known: those that touch ``unknown`` only count where the reference does."""
    truth, doubt, said = (coverage(text, ranges) for ranges in (reference, unknown, found))
    wanted = covered = masked = right = 0
    for match in _TOKEN.finditer(text):
        inside = slice(*match.span())
        is_wanted, is_masked = any(truth[inside]), any(said[inside])
        if not is_wanted and any(doubt[inside]):
            continue
        wanted += is_wanted
        covered += is_wanted and all(said[inside])
        masked += is_masked
        right += is_wanted and is_masked
    return Counts(wanted, covered, masked, right)


def known_tokens(text: str, unknown: Iterable[Range]) -> int:
    """How many tokens have a known truth."""
    doubt = coverage(text, unknown)
    return sum(not any(doubt[slice(*match.span())]) for match in _TOKEN.finditer(text))


def entities_found(text: str, mentions: Iterable[Mention], found: Iterable[Range]) -> list[tuple[str | None, bool]]:
    """Of each entity its decision (direct when one mention is) and whether *all* its mentions are masked."""
    said = coverage(text, found)
    by_entity: dict[str, list[Mention]] = defaultdict(list)
    for mention in mentions:
        by_entity[mention.entity].append(mention)
    return [
        (
            "direct" if any(mention.decision == "direct" for mention in own) else own[0].decision,
            all(is_masked(text, mention.start, mention.end, said) for mention in own),
        )
        for own in by_entity.values()
    ]


def strict_counts(reference: Iterable[Range], found: Iterable[Range]) -> Strict:
    wanted, given = set(reference), set(found)
    return Strict(len(wanted), len(given), len(wanted & given))


def wilson(part: int, whole: int) -> Estimate:
    """A proportion with its Wilson score interval."""
    if whole == 0:
        return Estimate(None, 0.0, 1.0, 0)
    share = part / whole
    middle = (share + _Z**2 / (2 * whole)) / (1 + _Z**2 / whole)
    half = _Z / (1 + _Z**2 / whole) * sqrt(share * (1 - share) / whole + _Z**2 / (4 * whole**2))
    return Estimate(share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)), whole)


def bootstrapped(rows: Sequence[Sequence[int]], statistic: Callable[..., float | None], n: int) -> Estimate:
    """A statistic of the columns' sums, its interval from a seeded bootstrap over rows (documents)."""
    table = np.array(rows, np.int64).reshape(len(rows), -1)
    value = statistic(*table.sum(0).tolist()) if len(rows) else None
    if value is None:
        return Estimate(None, 0.0, 1.0, n)
    chance = np.random.default_rng(1)
    sums = (table[chance.integers(0, len(rows), len(rows))].sum(0).tolist() for _ in range(_RESAMPLES))
    values = [again for again in (statistic(*row) for row in sums) if again is not None]
    low, high = np.quantile(values, (0.025, 0.975)).tolist()
    return Estimate(value, min(low, value), max(high, value), n)


def recall(counts: Sequence[Counts]) -> Estimate:
    """Share of the reference's tokens that are covered."""
    return wilson(sum(row.covered for row in counts), sum(row.reference for row in counts))


def precision(counts: Sequence[Counts]) -> Estimate:
    """Share of the masked tokens that the reference masks; n counts masked tokens."""
    masked = sum(row.masked for row in counts)
    return bootstrapped(counts, lambda _reference, _covered, masked, right: _ratio(right, masked), masked)


def f2(counts: Sequence[Counts]) -> Estimate:
    """5 P R / (4 P + R): recall counts double."""
    return bootstrapped(counts, _f2, len(counts))


def _f2(reference: int, covered: int, masked: int, right: int) -> float | None:
    found, correct = _ratio(covered, reference), _ratio(right, masked)
    if found is None:
        return None
    if not found or not correct:
        return 0.0
    return 5 * correct * found / (4 * correct + found)


def strict_f1(counts: Sequence[Strict]) -> Estimate:
    """F1 of spans with exactly the reference's offsets; n counts reference spans."""
    n = sum(row.reference for row in counts)
    return bootstrapped(counts, lambda reference, found, both: _ratio(2 * both, reference + found), n)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
