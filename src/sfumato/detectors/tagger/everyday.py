"""Everyday words that the tagger takes for names in languages it knows from generated text only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from sfumato.detectors.language import identify
from sfumato.document import Span
from sfumato.knowledge import lexicon
from sfumato.knowledge.grammar.function_words import ENGLISH
from sfumato.knowledge.word_tables import key
from sfumato.models.frequency import frequencies

_LANGUAGES = frozenset({"de", "fr", "it", "pt", "nl"})
_WORD = re.compile(r"[^\W\d_]+")
_KNOWN, _COMMON, _VERY_COMMON = 600, 480, 350
"""As ``frequencies`` counts: one word in a million, in 60,000, in 3,000."""
_SAMPLE = 1000
_ENGLISH_SHARE = 0.25


def without_everyday(text: str, spans: list[Span]) -> list[Span]:
    """The spans less those that hold nothing but everyday words of the text's language, and no known name or place.

    "Sehr geehrte Damen", "vriendelijke groet": German writes its nouns as English writes names. Places, organisations
    and what someone is may well be named by common words, so of these only the very common ones go.
    """
    if not spans or _is_english(text):
        return spans
    language = identify(text).code
    if language not in _LANGUAGES:
        return spans
    table = frequencies(language)
    return [span for span in spans if not _is_everyday(text[span.start : span.end], span.label, table)]


def _is_english(text: str) -> bool:
    """Whether English small words abound: the identifier takes a second to load, and most texts are spared it."""
    words = _WORD.findall(text[:_SAMPLE].lower())
    return sum(word in ENGLISH for word in words) >= _ENGLISH_SHARE * len(words)


def _is_everyday(string: str, label: str, table: Mapping[str, int]) -> bool:
    words = _WORD.findall(string)
    if not words or any(letter.isdecimal() for letter in string):
        return False

    def limit(word: str) -> int:
        if label != "PERSON":
            return _VERY_COMMON
        return _KNOWN if word.islower() else _COMMON

    return all(table.get(key(word), 1000) <= limit(word) and not _may_name(lexicon.key(word)) for word in words)


def _may_name(word: str) -> bool:
    return any(word in names for names in _names())


@cache
def _names() -> tuple[frozenset[str], ...]:
    return (
        frozenset(lexicon.given_names()),
        frozenset(lexicon.family_names()),
        frozenset(lexicon.major_cities()),
        frozenset(lexicon.regions()),
    )
