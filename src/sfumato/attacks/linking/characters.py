"""Linking by pieces of words."""

from __future__ import annotations

from typing import ClassVar

from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.attacks.linking.sparse_terms import CharacterGrams
from sfumato.attacks.linking.sparse_weights import TfIdf


class CharacterAttack(SparseAttack):
    """Link a text to the person with the nearest TF-IDF vector of pieces of words."""

    name: ClassVar[str] = "characters"
    goal: ClassVar[str] = "Find whom a text is about though its words are spelled, inflected or derived differently."

    def __init__(self, *, shortest: int = 5, longest: int = 5, stems: str = "english") -> None:
        """``shortest`` and ``longest``: characters in a piece; the border of a word counts as one."""
        super().__init__(CharacterGrams(shortest, longest), TfIdf(), stems)
