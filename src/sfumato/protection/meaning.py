"""The loop's view of an attack by meaning: what each place does to it is found by leaving the place out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.dense import DenseAttack, without
from sfumato.attacks.linking.sparse.words import Ints
from sfumato.protection.links import Relief, Standing, passing, standing

Floats = NDArray[np.float64]


class MeaningLink:
    """A dense attack, the document's subjects in its background, and the rank each of them must reach."""

    def __init__(self, name: str, attack: DenseAttack, subjects: Sequence[int], rank: int) -> None:
        self.name = name
        self._attack, self._subjects, self._rank = attack, tuple(subjects), rank
        self._text = ""

    def see(self, text: str) -> None:
        self._text = text
        self._scores: Floats = self._attack.all_scores(text).astype(np.float64)
        others = np.ones(len(self._scores), bool)
        others[list(self._subjects)] = False
        self._others: Ints = np.flatnonzero(others)

    def standings(self) -> list[Standing]:
        return [standing(row, self._scores[row], self._scores[self._others], self._rank) for row in self._subjects]

    def relief(self, row: int, places: Ints, count: int) -> Relief:
        those = self._others[passing(self._scores[self._others], self._scores[row], self._rank)]
        found = self._fall(row, places, count) - np.mean([self._fall(at, places, count) for at in those], axis=0)
        return Relief(found, found)

    def own_part(self, row: int, places: Ints, count: int) -> Relief:
        found = self._fall(row, places, count)
        return Relief(found, found)

    def _fall(self, row: int, places: Ints, count: int) -> Floats:
        """By place, how much of a person's score goes with it."""
        fall = np.zeros(count)
        chunks, vectors = self._attack.read(self._text)
        nearest = self._attack.nearest(vectors, row)
        for number, (own, left) in enumerate(self._left_out(places, count)):
            if len(own):
                fall[own] += (nearest[number] - self._attack.nearest(left, row)) / len(chunks)
        return fall

    def _left_out(self, places: Ints, count: int) -> list[tuple[list[int], NDArray[np.float32]]]:
        """For each chunk its places, and its vector without each of them; computed once a text."""
        if getattr(self, "_made_for", None) != self._text:
            hidden = cleaning.placeholders(self._text)
            chunks, _ = self._attack.read(self._text)
            self._made = []
            for start, end in chunks:
                ranges = _ranges(places[start:end], start, count)
                texts = [without(self._text, (start, end), sorted([*hidden, place])) for place in ranges.values()]
                self._made.append((list(ranges), self._attack.vectors(texts)))
            self._made_for = self._text
        return self._made


def _ranges(owners: Ints, start: int, count: int) -> dict[int, tuple[int, int]]:
    """Where each place stands in a stretch of the text."""
    borders = np.flatnonzero(np.diff(owners)) + 1
    found: dict[int, tuple[int, int]] = {}
    for first, last in zip([0, *borders.tolist()], [*borders.tolist(), len(owners)], strict=True):
        if first < last and owners[first] != count:
            found[int(owners[first])] = (start + first, start + last)
    return found
