"""The tables of base forms, ``lexicon/data/<language>/lemmas.txt.gz``: what simplemma says of frequent words.

python -m training.build_lemmas        # after a change of simplemma or of the frequencies
"""

from __future__ import annotations

import gzip
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
    """A sorted line for each word of the table of frequencies that is not its own base form: word, tab, form."""
    words = read_numbers(f"{language}/frequency")
    bases = ((word, simplemma_form(word, language)) for word in words)
    return "\n".join(sorted(f"{word}\t{base}" for word, base in bases if base != word))


if __name__ == "__main__":
    for language in LEMMA_TABLES:
        (DATA / language / "lemmas.txt.gz").write_bytes(gzip.compress(table(language).encode(), 9, mtime=0))
