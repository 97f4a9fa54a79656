"""Language models behind small interfaces."""

from sfumato.models.base import Classifier, Embedder, TokenScorer
from sfumato.models.cache import cached
from sfumato.models.choose import load, load_classifier, load_embedder, load_scorer

__all__ = [
    "Classifier",
    "Embedder",
    "TokenScorer",
    "cached",
    "load",
    "load_classifier",
    "load_embedder",
    "load_scorer",
]
