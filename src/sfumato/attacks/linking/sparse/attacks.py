"""The attacks by shared terms: each a family of terms and how much a shared one counts."""

from __future__ import annotations

from typing import ClassVar

from sfumato.attacks.linking.sparse.base import SparseAttack
from sfumato.attacks.linking.sparse.terms import CharacterGrams, NGrams, SkipGrams
from sfumato.attacks.linking.sparse.weights import Bm25, TfIdf


class TfIdfAttack(SparseAttack):
    """Link a text to the person with the nearest TF-IDF vector of words and phrases."""

    name: ClassVar[str] = "tfidf"
    goal: ClassVar[str] = "Find whom a text is about by rare words and phrases it shares with what is known of them."
    paper: ClassVar[str | None] = "003"

    def __init__(self, *, longest: int = 2, stems: str = "english") -> None:
        """``longest``: words in a phrase. ``stems``: a Snowball language, or "none" for words as they are."""
        super().__init__(NGrams(longest), TfIdf(), stems)


class Bm25Attack(SparseAttack):
    """Link a text to the person who ranks first when the text is a BM25 query."""

    name: ClassVar[str] = "bm25"
    goal: ClassVar[str] = "Find whom a text is about by searching what is known of people, with the text as the query."
    paper: ClassVar[str | None] = "003"

    def __init__(self, *, longest: int = 2, k1: float = 2.0, b: float = 1.0, stems: str = "english") -> None:
        """``longest``: words in a phrase. ``k1``: how slowly repeats saturate. ``b``: how much length counts.

        Repeats and length count in full unless told otherwise: a person's whole background is long, and unequal.
        """
        super().__init__(NGrams(longest), Bm25(k1, b), stems)


class SkipGramAttack(SparseAttack):
    """Link a text to the person with the nearest TF-IDF vector of pairs of near words."""

    name: ClassVar[str] = "skip-grams"
    goal: ClassVar[str] = "Find whom a text is about by words that come together, though others between them changed."

    def __init__(self, *, reach: int = 4, stems: str = "english") -> None:
        """``reach``: words a pair is apart at most. ``stems``: a Snowball language, or "none"."""
        super().__init__(SkipGrams(reach), TfIdf(), stems)


class CharacterAttack(SparseAttack):
    """Link a text to the person with the nearest TF-IDF vector of pieces of words."""

    name: ClassVar[str] = "characters"
    goal: ClassVar[str] = "Find whom a text is about though its words are spelled, inflected or derived differently."

    def __init__(self, *, shortest: int = 5, longest: int = 5, stems: str = "english") -> None:
        """``shortest`` and ``longest``: characters in a piece; the border of a word counts as one."""
        super().__init__(CharacterGrams(shortest, longest), TfIdf(), stems)
