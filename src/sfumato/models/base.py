"""Models behind small interfaces. They read text and know nothing of anonymization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Range = tuple[int, int]
Floats = NDArray[np.float64]


@runtime_checkable
class TokenScorer(Protocol):
    """How much each term of a text tells, given the rest: its information content."""

    name: str
    """The scorer with all that changes its values; values of scorers with different names are not comparable."""
    languages: frozenset[str] | None
    """Languages it knows (None: any)."""

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """Nats per term, ``-ln p(term | context)``; terms are sorted, disjoint ranges of code points."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Texts as vectors whose cosine is their likeness in meaning."""

    name: str

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[text, dimension]; rows have length 1, or 0 where a text holds nothing to embed."""
        ...


@runtime_checkable
class Classifier(Protocol):
    """A document's label as logits."""

    name: str
    labels: tuple[str, ...]

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, label]."""
        ...
