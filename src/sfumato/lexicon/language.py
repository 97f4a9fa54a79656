"""The language of a text, by two methods of different strength and cost.

``guess_language`` counts function words: it takes microseconds, is right for a paragraph in one of the seven languages,
and does not know other languages. ``identify_language`` is a statistical classifier of 97 languages (py3langid): it
takes a second to load, gives a confidence, and is right for a sentence or more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from sfumato.lexicon.grammar import STOP_WORDS, split_words
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.tokens import LETTERS

CONFIDENT = 0.9
"""The least confidence of ``identify_language`` for what must not be wrong."""
SCRIPT_LETTERS: Mapping[str, str] = MappingProxyType(
    {script: entry["letters"] for script, entry in load_toml("scripts").items()}
)
"""Ranges of letters by script, for a character class."""
SCRIPT_LANGUAGES: Mapping[str, frozenset[str]] = MappingProxyType(
    {script: frozenset(entry["languages"].split()) for script, entry in load_toml("scripts").items()}
)

_GUESS_SAMPLE = 20_000
_IDENTIFY_SAMPLE = 600
_NO_LANGUAGE = "zxx"


class Language(NamedTuple):
    """An ISO 639-1 code, or None where there is nothing to tell it by, with a confidence from 0 to 1."""

    code: str | None
    confidence: float


@lru_cache(maxsize=64)
def guess_language(text: str) -> str | None:
    """The language with most function words in the text; None where there are none, or two languages have as many."""
    counts = Counter(word.lower() for word in split_words(text[:_GUESS_SAMPLE]))
    matches = {
        language: sum(count for word, count in counts.items() if word in stop_words)
        for language, stop_words in STOP_WORDS.items()
    }
    first, second = sorted(matches, key=lambda language: -matches[language])[:2]
    return first if matches[first] > matches[second] else None


def identify_language(text: str, min_confidence: float = 0.0) -> Language:
    """The language of a text, judged by its beginning, middle and end; no code below ``min_confidence``."""
    if len(text) > 3 * _IDENTIFY_SAMPLE:
        middle = (len(text) - _IDENTIFY_SAMPLE) // 2
        parts = (text[:_IDENTIFY_SAMPLE], text[middle : middle + _IDENTIFY_SAMPLE], text[-_IDENTIFY_SAMPLE:])
        text = "\n".join(parts)
    language = _classify(text)
    return language if language.confidence >= min_confidence else Language(None, language.confidence)


def language_probabilities(text: str) -> list[tuple[str, float]]:
    """All languages of ``identify_language`` with their probabilities, the likeliest first."""
    return [(code, float(probability)) for code, probability in _classifier().rank(text)]


@lru_cache(maxsize=512)
def _classify(text: str) -> Language:
    if not LETTERS.search(text):
        return Language(None, 0.0)
    code, confidence = _classifier().classify(text)
    return Language(None if code == _NO_LANGUAGE else code, float(confidence))


@cache
def _classifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # takes a second to load, and most texts do not need it

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
