"""The Levenshtein family: does anything like a sensitive mention still stand in the release, letter by letter?"""

from sfumato.measures.levenshtein.metrics import direct_recall, dissimilarity, quasi_recall, recall, string_match_recall

__all__ = ["direct_recall", "dissimilarity", "quasi_recall", "recall", "string_match_recall"]
