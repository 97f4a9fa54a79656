"""The window of a text that is most like a string, by Levenshtein distance.

Sliding a window by one character deletes its first and appends one, so its distance changes by at most 2: between
windows at a < b with distances d and e none is nearer than (d + e) / 2 - (b - a). That rules out most of a text after a
few looks at it, and leaves the same window as comparing all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

_CHARACTERS_AT_ONCE = 4_000_000
_FEW = 200
"""So many windows are compared sooner than sifted."""


class Window(NamedTuple):
    """Where the best window stands, and ``1 - distance / length of the longer``."""

    start: int
    end: int
    similarity: float


def best_window(wanted: str, text: str) -> Window:
    """The first of the most similar windows of ``len(wanted)``; a text no longer than that is compared whole."""
    if not wanted:
        raise ValueError("there is nothing to look for")
    length = len(wanted)
    if len(text) <= length:
        return Window(0, len(text), 1 - Levenshtein.distance(wanted, text) / length)
    if (found := text.find(wanted)) >= 0:
        return Window(found, found + length, 1.0)
    at, distance = _nearest(wanted, text)
    return Window(at, at + length, 1 - distance / length)


def _nearest(wanted: str, text: str) -> tuple[int, int]:
    last = len(text) - len(wanted)
    step = 1 if last < _FEW else max(1, len(wanted) // 4)
    places = np.append(np.arange(0, last, step), last)
    distances = _distances(wanted, text, places)
    while True:
        width = np.diff(places)
        nearest_between = (distances[:-1] + distances[1:] + 1) // 2 - width
        # As good as the best is of interest only before it.
        allowed = np.where(places[:-1] < places[distances.argmin()], distances.min(), distances.min() - 1)
        open_gaps = np.flatnonzero((width > 1) & (nearest_between <= allowed))
        if not len(open_gaps):
            break
        middles = (places[open_gaps] + places[open_gaps + 1]) // 2
        distances = np.insert(distances, open_gaps + 1, _distances(wanted, text, middles))
        places = np.insert(places, open_gaps + 1, middles)
    first = int(distances.argmin())
    return int(places[first]), int(distances[first])


def _distances(wanted: str, text: str, places: NDArray[np.int64]) -> NDArray[np.int64]:
    length = len(wanted)
    size = max(1, _CHARACTERS_AT_ONCE // length)
    return np.concatenate(
        [
            cdist(
                [wanted],
                [text[at : at + length] for at in places[first : first + size].tolist()],
                scorer=Levenshtein.distance,
                dtype=np.int64,
            )[0]
            for first in range(0, len(places), size)
        ]
    )
