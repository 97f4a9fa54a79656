"""Derive the word frequencies that ``sfumato.models.table_scorers`` ships.

Run it from the repository root: ``pip install wordfreq==3.1.1 && python -m training.build_frequencies``.
Source and licence: ``src/sfumato/lexicon/data/SOURCES.md``.
"""

from __future__ import annotations

import math

import wordfreq
from training.tables import number_lines, write

from sfumato.lexicon import tables
from sfumato.models.table_scorers import FREQUENCY_LANGUAGES, RAREST

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


def main() -> None:
    for language in FREQUENCY_LANGUAGES:
        found = rarities(language)
        size = write(f"{language}/frequency", number_lines(found))
        print(f"{language}: {len(found)} words, {size} bytes")


if __name__ == "__main__":
    main()
