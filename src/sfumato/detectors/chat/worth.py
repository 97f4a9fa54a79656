"""Strings that a model returned and nobody should mask: small words alone, and whole passages."""

from __future__ import annotations

import re

from sfumato.knowledge.grammar.function_words import STOP_WORDS

MOST_WORDS = 40
"""A string of more words is a passage: a model that returns the text itself has not looked for anything in it."""
MOST_CHARACTERS = 400
_FEW_WORDS = 12
"""A text of so few words may be all personal."""
_MOST = 0.9
_WORD = re.compile(r"[^\W_]+")
_SMALL = frozenset(word for words in STOP_WORDS.values() for word in words)
_LETTER = re.compile(r"[A-Za-zÀ-ɏͰ-ԯ]")


def is_small(string: str) -> bool:
    """Whether a string has only small words of grammar, or is one letter, or has neither letter nor digit.

    Masked wherever they stand, they take the text with them. In capitals ("IT", "US") a small word may be a name.
    """
    words = _WORD.findall(string)
    if len(words) > 0 and all(len(word) == 1 for word in words):
        return _LETTER.fullmatch(string) is not None  # but not "C++" or "A.Q."
    return all(word.casefold() in _SMALL and not word.isupper() for word in words)


def is_passage(string: str, text: str) -> bool:
    """Whether a string is too long for something that stands in a text, or is nearly all of it."""
    if len(string) > MOST_CHARACTERS or len(_WORD.findall(string)) > MOST_WORDS:
        return True
    return len(string) > _MOST * len(text) and len(_WORD.findall(string)) > _FEW_WORDS
