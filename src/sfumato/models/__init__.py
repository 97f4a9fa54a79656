"""Token scorers, embedders and classifiers behind small interfaces."""

from sfumato.models.base import Classifier, Embedder, TokenScorer, load_classifier, load_embedder, load_scorer
from sfumato.models.cache import cached

__all__ = ["Classifier", "Embedder", "TokenScorer", "cached", "load_classifier", "load_embedder", "load_scorer"]
