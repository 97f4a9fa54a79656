"""Everyday words: which words of a text are ordinary words of its language, in the form in which they stand there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from sfumato.annotated_text import read_once
from sfumato.lexicon import name_lists
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.language import document_language
from sfumato.lexicon.tables import frequency_key, load_toml
from sfumato.models.table_scorers import frequencies

LISTED, KNOWN, COMMON = 650, 600, 480
"""Ranks of ``frequencies``: one word in 3,000,000 (the rarest in the tables), in 1,000,000, in 60,000."""
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
        """The main language of the text; English where too few words tell."""
        return document_language(self._text) or "en"

    @cached_property
    def ranks(self) -> Mapping[str, int]:
        """Word -> how rare it is in the language of the text."""
        return frequencies(self.language)

    @cached_property
    def has_capital_nouns(self) -> bool:
        """Whether all nouns are written with a capital."""
        return "nouns_are_capitalised" in load_toml("detection", self.language)["names"]

    def rank(self, word: str) -> int:
        return self.ranks.get(frequency_key(word), _UNLISTED)

    def is_function_word(self, word: str) -> bool:
        return frequency_key(word) in STOP_WORDS[self.language]

    def includes(self, word: str, label: str = "PERSON", limit: int | None = None) -> bool:
        """Whether a word, as written, is an everyday word rather than a name of the kind that the label says.

        ``limit``: the rank up to which words count; by default fewer of those with a capital, many of which are names.
        """
        key = name_lists.lookup_key(word)
        if key in name_lists.common_words() or self.is_function_word(word):
            return True
        if limit is None:
            limit = KNOWN if word.islower() or self.has_capital_nouns else COMMON
        if self.rank(word) > limit:
            return False
        return (word.islower() and label == "PERSON") or not may_name(word, label)


everyday_words = read_once(EverydayWords)


def may_name(word: str, label: str = "PERSON") -> bool:
    """Whether the name lists have a word as a name of a person, or as a place for any other label."""
    key = name_lists.lookup_key(word)
    if label == "PERSON":
        return key in name_lists.given_names() or key in name_lists.family_names()
    return key in name_lists.places()
