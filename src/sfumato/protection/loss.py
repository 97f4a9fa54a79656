"""The information loss of repairs, measured as TPS does.

loss = sum IC(term) * (similarity before - similarity after) / sum IC(term), where the similarity of an untouched term
is 1, of a suppressed one 0, of a replaced one its cosine similarity with the replacement. IC is by the fast scorer
``frequency`` unless another is named; the metric ``tps`` has ``masked`` as its default, so the two numbers differ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.attacks.linking.cleaning import Ints
from sfumato.document import Edit, Release
from sfumato.metrics import terms as segmentation
from sfumato.metrics.information import similarities, term_similarities
from sfumato.models.base import Embedder, Floats, Range, TokenScorer
from sfumato.protection.keep import TermWorth

_LEAST = 0.25
"""Of a mean term's information: the least cost of a repair, so that none is free where TPS sees no loss."""


class Loss:
    """A document's information, and how much of it the current edits keep."""

    def __init__(
        self, initial: Release, scorer: TokenScorer, embedder: Embedder, worth: TermWorth | None = None
    ) -> None:
        """``worth``: what terms are worth for a task; costs count by it, and what was lost does not."""
        text = initial.document.text
        self._text, self._embedder = text, embedder
        self._edit_similarity: dict[tuple[str, str], float] = {}
        self._terms = segmentation.terms(text)
        information = scorer.information(text, self._terms) if self._terms else np.zeros(0)
        self._information = information / (information.sum() or 1.0)
        self._worth = self._information
        if worth is not None and len(self._terms):
            weighted = self._information * worth.of(initial.document, self._terms)
            self._worth = weighted / (weighted.sum() or 1.0)
        self._starts = np.array([term[0] for term in self._terms], np.int64)
        self._ends = np.array([term[1] for term in self._terms], np.int64)
        self._edits = set(initial.edits)
        self._similarity = self._similarities(self._terms, initial.edits)
        self.mean = float(self._information.mean()) if len(self._terms) else 1.0
        """A mean term's share of the information."""
        self.least = _LEAST * self.mean
        self._initially_kept = self.kept

    @property
    def kept(self) -> float:
        """The share of the original's information that is kept."""
        return float(self._information @ self._similarity)

    @property
    def lost(self) -> float:
        """What was lost since the initial release."""
        return max(0.0, self._initially_kept - self.kept)

    def suppression_costs(self, starts: Ints, ends: Ints) -> Floats:
        """The cost of suppressing each of some ranges of the original now."""
        kept = np.concatenate([[0.0], np.cumsum(self._worth * self._similarity)])
        first = np.searchsorted(self._ends, starts, "right")
        costs: Floats = self.least + kept[np.searchsorted(self._starts, ends)] - kept[first]
        return costs

    def cost(self, edits: Sequence[Edit]) -> float:
        """The cost of these edits now."""
        total = 0.0
        for edit in edits:
            terms = self._terms_in(edit.span.start, edit.span.end)
            fall = np.maximum(0.0, self._similarity[terms] - self._similarity_of(edit))
            total += float(self._worth[terms] @ fall)
        return total

    def update(self, edits: Sequence[Edit]) -> None:
        """Set the document's current edits. Only terms that changed are measured again."""
        changed = np.zeros(len(self._terms), bool)
        for edit in set(edits) ^ self._edits:
            changed[self._terms_in(edit.span.start, edit.span.end)] = True
        self._edits = set(edits)
        terms = [self._terms[number] for number in np.flatnonzero(changed)]
        if terms:
            self._similarity[changed] = self._similarities(terms, edits)

    def _terms_in(self, start: int, end: int) -> slice:
        return slice(int(np.searchsorted(self._ends, start, "right")), int(np.searchsorted(self._starts, end)))

    def _similarities(self, terms: Sequence[Range], edits: Sequence[Edit]) -> Floats:
        changes = [edit for edit in edits if edit.replacement != self._text[edit.span.start : edit.span.end]]
        return term_similarities(self._text, terms, changes, [self._similarity_of(edit) for edit in changes])

    def _similarity_of(self, edit: Edit) -> float:
        pair = self._text[edit.span.start : edit.span.end], edit.replacement
        if pair not in self._edit_similarity:
            self._edit_similarity |= similarities([pair], self._embedder)
        return self._edit_similarity[pair]
