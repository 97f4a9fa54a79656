"""The terms of a text: its named entities, noun phrases and other words, whose information is counted."""

from sfumato.measures.terms.segment import language_of, telling, terms

__all__ = ["language_of", "telling", "terms"]
