"""What a repair costs: information of the original that no longer stands there, by the measure of TPS.

loss = sum IC(term) * (likeness before - likeness after) / sum IC(term), where the likeness of an untouched term is 1,
of a suppressed one 0, of a replaced one its cosine with the replacement.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.dense import DenseAttack, remove_ranges
from sfumato.document import Edit, Release
from sfumato.metrics import terms as segmentation
from sfumato.metrics.information import similarities, term_likeness
from sfumato.models.base import Embedder, Range, TokenScorer
from sfumato.protection.incremental import MarginalGain, SubjectRank, passing, rank_subject

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_LEAST = 0.25
"""Of a mean term's information: what any repair costs, lest something goes only because TPS has paid for it."""


class Loss:
    """A document's information, and what is left of it."""

    def __init__(self, start: Release, scorer: TokenScorer, embedder: Embedder) -> None:
        text = start.document.text
        self._text, self._embedder = text, embedder
        self._alikes: dict[tuple[str, str], float] = {}
        self._terms = segmentation.terms(text)
        information = scorer.information(text, self._terms) if self._terms else np.zeros(0)
        self._information = information / (information.sum() or 1.0)
        self._starts = np.array([term[0] for term in self._terms], np.int64)
        self._ends = np.array([term[1] for term in self._terms], np.int64)
        self._edits = set(start.edits)
        self._likeness = self._of(self._terms, start.edits)
        self.mean = float(self._information.mean()) if len(self._terms) else 1.0
        """A mean term's share of the information."""
        self.least = _LEAST * self.mean
        self._start = self.kept

    @property
    def kept(self) -> float:
        """The share of the original's information that stands there."""
        return float(self._information @ self._likeness)

    @property
    def lost(self) -> float:
        """What was lost since the start."""
        return max(0.0, self._start - self.kept)

    def at_stake(self, starts: Indices, ends: Indices) -> Floats:
        """What suppressing each of some ranges of the original would cost now."""
        left = np.concatenate([[0.0], np.cumsum(self._information * self._likeness)])
        first = np.searchsorted(self._ends, starts, "right")
        stake: Floats = self.least + left[np.searchsorted(self._starts, ends)] - left[first]
        return stake

    def cost(self, edits: Sequence[Edit]) -> float:
        """What these edits would cost now."""
        total = 0.0
        for edit in edits:
            over = self._over(edit.span.start, edit.span.end)
            fall = np.maximum(0.0, self._likeness[over] - self._alike(edit))
            total += float(self._information[over] @ fall)
        return total

    def settle(self, edits: Sequence[Edit]) -> None:
        """The document stands with these edits now. Only terms that changed since are looked at."""
        changed = np.zeros(len(self._terms), bool)
        for edit in set(edits) ^ self._edits:
            changed[self._over(edit.span.start, edit.span.end)] = True
        self._edits = set(edits)
        terms = [self._terms[number] for number in np.flatnonzero(changed)]
        if terms:
            self._likeness[changed] = self._of(terms, edits)

    def _over(self, start: int, end: int) -> slice:
        return slice(int(np.searchsorted(self._ends, start, "right")), int(np.searchsorted(self._starts, end)))

    def _of(self, terms: Sequence[Range], edits: Sequence[Edit]) -> Floats:
        changes = [edit for edit in edits if edit.replacement != self._text[edit.span.start : edit.span.end]]
        return term_likeness(self._text, terms, changes, [self._alike(edit) for edit in changes])

    def _alike(self, edit: Edit) -> float:
        pair = self._text[edit.span.start : edit.span.end], edit.replacement
        if pair not in self._alikes:
            self._alikes |= similarities([pair], self._embedder)
        return self._alikes[pair]


# -- The loop's view of an attack by meaning: what each place does to it is found by leaving the place out.


class IncrementalDenseAttack:
    """A dense attack, the document's subjects in its background, and the rank each of them must reach."""

    def __init__(self, name: str, attack: DenseAttack, subjects: Sequence[int], rank: int) -> None:
        self.name = name
        self._attack, self._subjects, self._rank = attack, tuple(subjects), rank
        self._text = ""

    def update(self, text: str) -> None:
        self._text = text
        self._scores: Floats = self._attack.all_scores(text).astype(np.float64)
        others = np.ones(len(self._scores), bool)
        others[list(self._subjects)] = False
        self._others: Ints = np.flatnonzero(others)

    def ranks(self) -> list[SubjectRank]:
        return [rank_subject(row, self._scores[row], self._scores[self._others], self._rank) for row in self._subjects]

    def marginal_gain(self, row: int, places: Ints, count: int) -> MarginalGain:
        those = self._others[passing(self._scores[self._others], self._scores[row], self._rank)]
        found = self._fall(row, places, count) - np.mean([self._fall(at, places, count) for at in those], axis=0)
        return MarginalGain(found, found)

    def own_contribution(self, row: int, places: Ints, count: int) -> MarginalGain:
        found = self._fall(row, places, count)
        return MarginalGain(found, found)

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
                texts = [remove_ranges(self._text, (start, end), sorted([*hidden, place])) for place in ranges.values()]
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
