"""Linking by pairs of words that stand near each other."""

from __future__ import annotations

from typing import ClassVar

from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.attacks.linking.sparse_terms import SkipGrams
from sfumato.attacks.linking.sparse_weights import TfIdf


class SkipGramAttack(SparseAttack):
    """Link a text to the person with the nearest TF-IDF vector of pairs of near words."""

    name: ClassVar[str] = "skip-grams"
    goal: ClassVar[str] = "Find whom a text is about by words that come together, though others between them changed."

    def __init__(self, *, reach: int = 4, stems: str = "english") -> None:
        """``reach``: words a pair is apart at most. ``stems``: a Snowball language, or "none"."""
        super().__init__(SkipGrams(reach), TfIdf(), stems)
