"""Language models behind small interfaces."""

from sfumato.models.base import Classifier, Embedder, TokenScorer

__all__ = ["Classifier", "Embedder", "TokenScorer"]
