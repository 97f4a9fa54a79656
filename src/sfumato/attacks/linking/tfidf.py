"""Linking by the TF-IDF cosine of words and phrases."""

from __future__ import annotations

from typing import ClassVar

from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.attacks.linking.sparse_terms import NGrams
from sfumato.attacks.linking.sparse_weights import TfIdf


class TfIdfAttack(SparseAttack):
    """Link a text to the person with the nearest TF-IDF vector of words and phrases."""

    name: ClassVar[str] = "tfidf"
    goal: ClassVar[str] = "Find whom a text is about by rare words and phrases it shares with what is known of them."
    paper: ClassVar[str | None] = "003"

    def __init__(self, *, longest: int = 2, stems: str = "english") -> None:
        """``longest``: words in a phrase. ``stems``: a Snowball language, or "none" for words as they are."""
        super().__init__(NGrams(longest), TfIdf(), stems)
