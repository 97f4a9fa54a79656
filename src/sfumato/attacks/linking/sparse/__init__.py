"""Attacks by shared terms: words and phrases, pairs of near words, pieces of words."""

from sfumato.attacks.linking.sparse.attacks import Bm25Attack, CharacterAttack, SkipGramAttack, TfIdfAttack
from sfumato.attacks.linking.sparse.base import Query, SparseAttack, fit_together

__all__ = ["Bm25Attack", "CharacterAttack", "Query", "SkipGramAttack", "SparseAttack", "TfIdfAttack", "fit_together"]
