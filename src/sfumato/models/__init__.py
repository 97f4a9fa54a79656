"""Token scorers, embedders and classifiers behind small interfaces."""

from sfumato.models.base import Classifier, Embedder, TokenScorer, load, load_classifier, load_embedder, load_scorer
from sfumato.models.cache import cached

__all__ = ["Classifier", "Embedder", "TokenScorer", "cached", "load", "load_classifier", "load_embedder", "load_scorer"]
