"""Derive the word frequencies that ``sfumato.models.table_scorers`` ships.

Run it from the repository root: ``pip install wordfreq==3.1.1 && python -m training.build_frequencies``.
Source and licence: ``src/sfumato/lexicon/data/SOURCES.md``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import wordfreq

from sfumato.lexicon import tables
from sfumato.lexicon.grammar import lemma
from sfumato.models.table_scorers import FREQUENCY_LANGUAGES, RAREST
from sfumato.replacers.generalize import FREQUENT_WORDS
from training.tables import number_lines, write

NUMBERS = range(2101)
"""Numbers that are listed one by one: up to the years of our time. wordfreq itself estimates them from their shape."""


def rarities(language: str) -> dict[str, int]:
    """Word -> ``-100 log10 p``, of the words that are common enough."""
    found: dict[str, int] = {}
    listed = wordfreq.get_frequency_list(language, "large")
    for rarity, words in enumerate(listed[: RAREST + 1]):
        for word in words:
            if not any(letter.isdigit() for letter in word) and " " not in word:
                found.setdefault(tables.frequency_key(word), rarity)
    for number in map(str, NUMBERS):
        frequency = wordfreq.word_frequency(number, language)
        if frequency and (rarity := round(-100 * math.log10(frequency))) <= RAREST:
            found[number] = rarity
    return found


def frequent_lemmas(rarity: Mapping[str, int], language: str) -> list[str]:
    """The base forms of the most used words, in their order."""
    words = sorted(rarity, key=lambda word: (rarity[word], word))[:FREQUENT_WORDS]
    return [lemma(word, language) for word in words]


def main() -> None:
    for language in FREQUENCY_LANGUAGES:
        found = rarities(language)
        size = write(f"{language}/frequency", number_lines(found))
        write(f"{language}/frequent_lemmas", frequent_lemmas(found, language))
        print(f"{language}: {len(found)} words, {size} bytes")


if __name__ == "__main__":
    main()
