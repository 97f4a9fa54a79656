"""The tables of base forms, ``lexicon/data/<language>/lemmas.txt.gz``: what simplemma says of frequent words.

python -m training.build_lemmas        # after a change of simplemma or of the frequencies
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from pathlib import Path

import simplemma

import sfumato.lexicon
from sfumato.lexicon.grammar import LEMMA_TABLES
from sfumato.lexicon.tables import read_numbers

DATA = Path(sfumato.lexicon.__file__).parent / "data"


def simplemma_form(word: str, language: str) -> str:
    """The base form of a word without our tables."""
    return simplemma.lemmatize(word, lang=language, low_memory=True).lower()


def table(language: str) -> str:
    """One line for each base form: the form, a tab, and the words of the table of frequencies that have it."""
    words = defaultdict(list)
    for word in sorted(read_numbers(f"{language}/frequency")):
        base = simplemma_form(word, language)
        if base != word:
            words[base].append(word)
    return "\n".join(f"{base}\t{' '.join(words[base])}" for base in sorted(words))


if __name__ == "__main__":
    for language in LEMMA_TABLES:
        (DATA / language / "lemmas.txt.gz").write_bytes(gzip.compress(table(language).encode(), 9, mtime=0))
