"""The terms of a released text that carry a link, heaviest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.document import Evidence

HEAVIEST = 50
"""Places an attempt names at most."""


class Carried(NamedTuple):
    """What each place of a released text adds to a person's score; the weights sum to it."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    weights: NDArray[np.float64]


def merged(parts: Sequence[Carried]) -> Carried:
    """Weights of the same place added up, and places without any left out; heaviest first, then from left to right."""
    starts = np.concatenate([part.starts for part in parts])
    ends = np.concatenate([part.ends for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    width = int(ends.max(initial=0)) + 1
    places, which = np.unique(starts * width + ends, return_inverse=True)
    total: NDArray[np.float64] = np.bincount(which, weights, len(places)).astype(np.float64)
    order = np.lexsort((places, -total))
    order = order[total[order] > 0]
    return Carried(places[order] // width, places[order] % width, total[order])


def as_evidence(text: str, carried: Carried) -> list[Evidence]:
    """Each place with the words that stand there."""
    places = zip(carried.starts.tolist(), carried.ends.tolist(), carried.weights.tolist(), strict=True)
    return [Evidence(text[start:end], weight, start, end) for start, end, weight in places]


def heaviest(text: str, carried: Carried, score: float) -> tuple[Evidence, ...]:
    """What carries the most of a score, with weights as shares of it."""
    first = slice(HEAVIEST)
    kept = Carried(carried.starts[first], carried.ends[first], carried.weights[first] / score)
    return tuple(as_evidence(text, kept))
