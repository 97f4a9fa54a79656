"""Linking by BM25."""

from __future__ import annotations

from typing import ClassVar

from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.attacks.linking.sparse_terms import NGrams
from sfumato.attacks.linking.sparse_weights import Bm25


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
