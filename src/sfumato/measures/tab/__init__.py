"""Recall and precision as the Text Anonymization Benchmark defines them."""

from sfumato.measures.tab.precision import token_precision, weighted_precision
from sfumato.measures.tab.recall import direct_recall, mention_recall, quasi_recall, token_recall

__all__ = ["direct_recall", "mention_recall", "quasi_recall", "token_precision", "token_recall", "weighted_precision"]
