"""Words and their base forms: *nurses* is a form of *nurse*. By dictionary (simplemma, offline), lower-cased."""

from __future__ import annotations

import re
from functools import lru_cache

from sfumato.knowledge.grammar.function_words import STOP_WORDS

LANGUAGES = frozenset(STOP_WORDS)
WORD = re.compile(r"['’]s\b|[^\W_]+(?:['’](?!s\b)[^\W_]+)*", re.IGNORECASE)
"""A word, or a possessive ending."""


def words(text: str) -> list[str]:
    """Runs of letters and digits as they stand there; a possessive ending is none."""
    return [word for word in WORD.findall(text) if word[0] not in "'’"]


@lru_cache(maxsize=2**17)
def lemma(word: str, language: str = "en") -> str:
    """The base form, lower-cased; a word that is in no dictionary is its own."""
    import simplemma

    return simplemma.lemmatize(word.lower().replace("’", "'"), lang=language).lower()


def content_lemmas(text: str, language: str = "en") -> list[str]:
    """Base forms of the words that carry meaning: not of numbers, single letters and stop words.

    A word in capitals is no stop word: WHO is not *who*.
    """
    stops = STOP_WORDS[language]
    found = []
    for word in filter(is_word, words(text)):
        base = lemma(word, language)
        if word.isupper() or stops.isdisjoint((base, word.lower().replace("’", "'"))):
            found.append(base)
    return found


def is_word(text: str) -> bool:
    """Whether it is made of letters, and is more than an initial."""
    return len(text) > 1 and text.replace("'", "").replace("’", "").isalpha()
