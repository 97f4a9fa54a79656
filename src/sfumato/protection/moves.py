"""Which repairs to try: those that close most of the gap between a subject and the others per information lost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.protection.links import Relief, Watch
from sfumato.protection.purse import Purse
from sfumato.protection.text import WorkingText

Floats = NDArray[np.float64]

_CONSIDERED = 16
"""Repairs whose wordings are looked up before one is chosen."""


class Constraint(NamedTuple):
    """A subject whom an attack still finds too well."""

    link: Watch
    row: int
    gap: float
    share: float
    """The gap as a share of the subject's score: attacks score on scales of their own."""


class Move(NamedTuple):
    """The next wording of some places."""

    places: tuple[int, ...]
    value: float
    closes: float
    """The share of the gaps, summed over constraints, that it is expected to close."""


def ranked(text: WorkingText, purse: Purse, open_: Sequence[Constraint], reliefs: Sequence[Relief]) -> list[Move]:
    """Repairs of groups and of single places, best first."""
    is_open = np.array([text.is_open(number) for number in range(len(text.places))])
    together, alone = (
        np.array([np.where(is_open, part / item.gap, 0.0) for item, part in zip(open_, parts, strict=True)])
        for parts in zip(*reliefs, strict=True)
    )
    stake = purse.at_stake()
    groups = np.array([np.bincount(text.group_of, part, len(text.groups)) for part in together])
    group_stake = np.bincount(text.group_of, stake * is_open, len(text.groups))
    # More than the whole gap is worth no more than the gap.
    of_groups = np.minimum(groups, 1.0).sum(axis=0)
    of_places = np.minimum(alone, 1.0).sum(axis=0)
    candidates = [
        (value, tuple(number for number in text.groups[at] if is_open[number]), of_groups[at])
        for at, value in _best(of_groups / np.where(group_stake > 0, group_stake, 1.0))
    ]
    candidates += [
        (value, (at,), of_places[at])
        for at, value in _best(of_places / stake)
        # What is said of an entity is said everywhere; a word may be taken out of one phrase alone.
        if text.places[at].edit is None and len(text.groups[text.places[at].group]) > 1
    ]
    candidates.sort(key=lambda candidate: -candidate[0])
    affordable = (candidate for candidate in candidates if purse.can_afford(candidate[1]))
    moves = [
        Move(places, float(gain) / purse.cost(places), float(gain))
        for _, places, gain in islice(affordable, _CONSIDERED)
    ]
    return sorted(moves, key=lambda move: -move.value)


def apart(moves: Sequence[Move]) -> list[Move]:
    """The moves in order, without those that touch a place of one before."""
    kept, touched = list[Move](), set[int]()
    for move in moves:
        if touched.isdisjoint(move.places):
            kept.append(move)
            touched.update(move.places)
    return kept


def _best(values: Floats) -> list[tuple[int, float]]:
    size = min(len(values), 3 * _CONSIDERED)
    if not size:
        return []
    rows = np.argpartition(-values, size - 1)[:size]
    return [(int(row), float(values[row])) for row in rows if values[row] > 0]
