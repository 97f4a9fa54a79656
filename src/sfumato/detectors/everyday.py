"""Everyday words: which words of a text are ordinary words of its language, in the form in which they stand there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache

from sfumato.lexicon import name_lists
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.tables import frequency_key, load_toml
from sfumato.models.table_scorers import FREQUENCY_LANGUAGES, frequencies

KNOWN, COMMON, VERY_COMMON = 600, 480, 350
"""Ranks of ``frequencies``: one word in a million, in 60,000, in 3,000."""
_SAMPLE = 4000
_FUNCTION_WORD = re.compile(r"(?<!\w)[^\W\d_]{2,}(?!\w)")
"""A single letter is more often an abbreviation than a word."""
_UNLISTED = 1000


class EverydayWords:
    """The everyday words of one text.

    A capital makes a name of a word that is a name as well ("Penny"), but not of the most frequent words ("Will"). In
    small letters such a word is the ordinary one ("a penny").
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def language(self) -> str:
        """The language whose function words the text has most of; English where it has none."""
        return _language_of(self._text[:_SAMPLE])

    @cached_property
    def ranks(self) -> Mapping[str, int]:
        """Word -> how rare it is in the language of the text."""
        return frequencies(self.language)

    @property
    def has_capital_nouns(self) -> bool:
        """Whether all nouns are written with a capital."""
        return "nouns_are_capitalised" in load_toml("detection", self.language)["names"]

    def rank(self, word: str) -> int:
        return self.ranks.get(frequency_key(word), _UNLISTED)

    def is_function_word(self, word: str) -> bool:
        return frequency_key(word) in STOP_WORDS[self.language]

    def includes(self, word: str, label: str = "PERSON", limit: int = KNOWN) -> bool:
        """Whether a word, as written, is an everyday word rather than a name of the kind that the label says."""
        key = name_lists.lookup_key(word)
        if key in name_lists.common_words() or self.is_function_word(word):
            return True
        if self.rank(word) > limit:
            return False
        return (word.islower() and label == "PERSON") or not may_name(word, label)


@lru_cache(maxsize=64)
def _language_of(sample: str) -> str:
    counts = Counter(_FUNCTION_WORD.findall(sample.lower()))
    weights = _function_word_weights()
    scores = {
        language: sum(count * weights[word] for word, count in counts.items() if word in STOP_WORDS[language])
        for language in FREQUENCY_LANGUAGES
    }
    return max(scores, key=lambda language: scores[language])


@cache
def _function_word_weights() -> Mapping[str, float]:
    """Function word -> its weight: a word that several languages have tells less."""
    shared = Counter(word for language in FREQUENCY_LANGUAGES for word in STOP_WORDS[language])
    return {word: 1 / count for word, count in shared.items()}


def may_name(word: str, label: str = "PERSON") -> bool:
    """Whether the name lists have a word as a name of a person, or as a place for any other label."""
    key = name_lists.lookup_key(word)
    if label == "PERSON":
        return key in name_lists.given_names() or key in name_lists.family_names()
    return key in name_lists.places()
