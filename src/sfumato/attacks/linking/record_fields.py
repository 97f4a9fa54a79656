"""The fields that record linkage compares, and their evidence: how often true pairs and strangers agree like that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.models.base import Floats

PRIOR_RELEASES = 25
"""How many releases the agreement that is expected at first counts for."""
MOST_EVIDENCE = 4.0
"""No single field weighs more, in nats either way: fields depend on each other."""
_SMOOTHING = 0.15
"""Share of the whole set in how often strangers agree with a release."""


class Field(NamedTuple):
    """One comparison: its name, and how often each level of agreement is expected of true pairs before learning."""

    name: str
    expected: tuple[float, ...]


FIELDS = (
    Field("year of reference numbers", (0.80, 0.12, 0.04, 0.04)),
    Field("years to the last", (0.04, 0.16, 0.22, 0.2, 0.14, 0.16, 0.08)),
    Field("country", (0.03, 0.03, 0.05, 0.08, 0.12, 0.15, 0.54)),
    Field("apostrophes", (0.9, 0.1)),
    Field("paragraph numbers", (0.06, 0.08, 0.05, 0.08, 0.34, 0.08, 0.05, 0.12, 0.14)),
    Field("gender", (0.5, 0.2, 0.15, 0.1, 0.05)),
    Field("words", (0.04, 0.06, 0.1, 0.14, 0.18, 0.18, 0.14, 0.1, 0.06)),
)
REFERENCE, LAST_YEAR, COUNTRY, APOSTROPHES, PARAGRAPHS, GENDER, WORDS = range(len(FIELDS))


def smoothed(frequencies: Sequence[Floats], of_all: Sequence[Floats]) -> list[Floats]:
    """How often strangers agree with single releases, with a share of how often they agree with all."""
    return [(1 - _SMOOTHING) * each + _SMOOTHING * mean for each, mean in zip(frequencies, of_all, strict=True)]


def strangers_to(levels: NDArray[np.integer], field: int) -> Floats:
    """How often people agree with a release at each level of a field."""
    counts = np.bincount(levels[levels >= 0], minlength=len(FIELDS[field].expected)) + 0.5
    shares: Floats = counts / counts.sum()
    return shares


def strangers_by_level(levels: NDArray[np.int8]) -> list[Floats]:
    """For each field [release, level]: how often people agree with a release like that."""
    return [np.stack([strangers_to(row, number) for row in levels[number]]) for number in range(len(FIELDS))]


def agreement_by_level(levels: NDArray[np.int8], share: Floats, expected: Floats) -> Floats:
    """How often true pairs agree at each level, by how likely each pair is a true one."""
    is_known = levels >= 0
    counts = np.bincount(levels[is_known], share[is_known], len(expected)) + PRIOR_RELEASES * expected
    agreement: Floats = counts / counts.sum()
    return agreement


def weigh_levels(levels: NDArray[np.int8], agreement: Sequence[Floats], strangers: Sequence[Floats]) -> Floats:
    """[release, person]: the evidence that a release is about a person, in nats."""
    total = np.zeros(levels.shape[1:])
    for number, (of_true, of_strangers) in enumerate(zip(agreement, strangers, strict=True)):
        weights = level_evidence(of_true, of_strangers)
        chosen = np.take_along_axis(weights, np.maximum(levels[number], 0).astype(np.int64), axis=1)
        total += np.where(levels[number] >= 0, chosen, 0)
    return total


def level_evidence(of_true: Floats, of_strangers: Floats) -> Floats:
    """By level, the evidence in nats."""
    evidence: Floats = np.clip(np.log(of_true / of_strangers), -MOST_EVIDENCE, MOST_EVIDENCE)
    return evidence
