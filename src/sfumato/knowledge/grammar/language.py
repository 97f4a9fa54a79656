"""Which of the seven languages a text is written in, by its function words. For what must be quick and never wrong
by much; whether a text is in a language that nobody covers is ``detectors.language``'s question."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from sfumato.knowledge.grammar.function_words import STOP_WORDS
from sfumato.knowledge.grammar.lemmas import words

_ENOUGH = 20_000
"""Characters that are read."""


@lru_cache(maxsize=64)
def language_of(text: str) -> str | None:
    """The language most of whose function words stand in the text; None where there are none, or as many of another."""
    counts = Counter(word.lower() for word in words(text[:_ENOUGH]))
    found = {code: sum(count for word, count in counts.items() if word in own) for code, own in STOP_WORDS.items()}
    first, second = sorted(found, key=lambda code: -found[code])[:2]
    return first if found[first] > found[second] else None
