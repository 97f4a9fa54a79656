"""Information content by how often a word is used at all, whatever its context (Resnik 1995)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import ClassVar

import numpy as np

from sfumato.errors import RecipeError, suggest
from sfumato.knowledge import word_tables as tables
from sfumato.models.base import Floats, Range
from sfumato.models.subtokens import checked

LANGUAGES = ("en", "es", "de", "fr", "it", "pt", "nl")
SOURCE = "wordfreq-3.1.1"
RAREST = 650
"""In hundredths of a decade: words rarer than 10^-6.5 (one in three million) are not listed, and count as that."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class FrequencyScorer:
    """How rare a term's rarest word is in everyday use; takes no account of context and needs no model."""

    paper: ClassVar[str | None] = "000"
    extra: ClassVar[str | None] = None

    def __init__(self, *, language: str = "en") -> None:
        if language not in LANGUAGES:
            raise RecipeError(f"no word frequencies for language {language!r}: {suggest(language, LANGUAGES)}")
        self.languages = frozenset({language})
        self.name = f"frequency:language={language},table={SOURCE},floor=1e-{RAREST / 100}"
        self._table = frequencies(language)

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """``-ln`` of the least p(word) among a term's words; 0 where it has no letter or digit."""
        rarest = [max(self._rarities(text[start:end]), default=0) for start, end in checked(text, terms)]
        return np.array(rarest, np.float64) * (math.log(10) / 100)

    def _rarities(self, term: str) -> Iterator[int]:
        for match in _WORD.finditer(term):
            word = tables.key(match[0])
            if word in self._table:
                yield self._table[word]
            else:
                # "l'homme", "Anna's": words with an apostrophe are listed whole or in parts.
                yield from (self._table.get(part, RAREST) for part in word.split("'"))


@cache
def frequencies(language: str) -> Mapping[str, int]:
    """Word -> how rare it is, ``-100 log10 p``. Made by ``training/build_frequencies.py``."""
    return tables.read(f"frequency-{language}")
