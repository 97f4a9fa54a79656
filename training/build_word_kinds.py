"""Derive the table of ``sfumato.lexicon.word_kinds`` from the shipped lists of words, names, places and medical terms.

Run it from the repository root: ``python -m training.build_word_kinds``.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from sfumato.lexicon import name_lists, tables
from sfumato.lexicon.word_kinds import kind_number, word_hash
from sfumato.models.table_scorers import FREQUENCY_LANGUAGES, frequencies
from training.tables import DATA

BANDS = ((400, "frequent"), (500, "common"), (600, "uncommon"))
"""Bounds of ``-100 log10 p`` below which a word is in a band; above them it is rare."""


def kinds() -> dict[str, int]:
    """Word -> kind, for the words of all lists."""
    rarity: dict[str, int] = {}
    for language in FREQUENCY_LANGUAGES:
        for word, number in frequencies(language).items():
            if word.isalpha():
                rarity[word] = min(number, rarity.get(word, number))
    lists = {
        "given name": name_lists.given_names(),
        "family name": name_lists.family_names(),
        "place": name_lists.places(),
        "medical term": [line.split("\t")[0] for table in ("drugs", "diseases") for line in tables.table_lines(table)],
    }
    flags: dict[str, set[str]] = defaultdict(set)
    for flag, words in lists.items():
        for word in map(tables.frequency_key, words):
            if word.isalpha():
                flags[word].add(flag)
    return {word: kind_number(_band(rarity.get(word)), flags[word]) for word in {*rarity, *flags}}


def _band(rarity: int | None) -> str:
    if rarity is None:
        return "unknown"
    return next((band for bound, band in BANDS if rarity < bound), "rare")


def main() -> None:
    entries = sorted(word_hash(word) | kind for word, kind in kinds().items())
    np.save(DATA / "word_kinds.npy", np.array(entries, np.uint64))
    print(f"{len(entries)} words, {8 * len(entries)} bytes")


if __name__ == "__main__":
    main()
