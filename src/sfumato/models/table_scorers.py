"""Information content from tables: word frequency (Resnik, 1995) and position in WordNet (Seco et al., 2004).

With h hyponyms (all below it, instances too) among N concepts, ``IC = -ln((h + 1) / N)``: 0 for the root, ln N for a
leaf. Divided by ln N it is the intrinsic information content of Seco et al., ``1 - ln(h + 1) / ln N``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.errors import RecipeError, suggest
from sfumato.lexicon import tables
from sfumato.lexicon.grammar_en import FUNCTION_WORDS
from sfumato.lexicon.tokens import WORD_WITH_APOSTROPHE, WORD_WITH_HYPHEN
from sfumato.models.base import Floats, Range
from sfumato.models.tokens import check_terms

FREQUENCY_LANGUAGES = ("en", "es", "de", "fr", "it", "pt", "nl")
FREQUENCY_SOURCE = "wordfreq-3.1.1"
RAREST = 650
"""In hundredths of a decade: words rarer than 10^-6.5 (one in three million) are not listed, and count as that."""


class FrequencyScorer:
    """Information content by the frequency of a term's rarest word; ignores context and needs no model."""

    cite: ClassVar[str | None] = "resnik1995"

    def __init__(self, *, language: str = "en") -> None:
        if language not in FREQUENCY_LANGUAGES:
            raise RecipeError(
                f"no word frequencies for language {language!r}: {suggest(language, FREQUENCY_LANGUAGES)}"
            )
        self.languages = frozenset({language})
        self.name = f"frequency:language={language},table={FREQUENCY_SOURCE},floor=1e-{RAREST / 100}"
        self._table = frequencies(language)

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """``-ln`` of the least p(word) among a term's words; 0 where it has no letter or digit."""
        rarities = [max(self._rarities(text[start:end]), default=0) for start, end in check_terms(text, terms)]
        return np.array(rarities, np.float64) * (math.log(10) / 100)

    def _rarities(self, term: str) -> Iterator[int]:
        for match in WORD_WITH_APOSTROPHE.finditer(term):
            word = tables.frequency_key(match[0])
            if word in self._table:
                yield self._table[word]
            else:
                # "l'homme", "Anna's": words with an apostrophe are listed whole or in parts.
                yield from (self._table.get(part, RAREST) for part in word.split("'"))


def frequencies(language: str) -> Mapping[str, int]:
    """Word -> how rare it is, ``-100 log10 p``. Made by ``training/build_frequencies.py``."""
    return tables.read_numbers(f"{language}/frequency")


TAXONOMY_SOURCE = "WordNet-3.0"
CONCEPTS = {"noun": 82_115, "verb": 13_767}
"""N: the concepts (synsets) of each class."""
_LEAF = math.log(CONCEPTS["noun"])
"""A word that WordNet lacks is mostly a name, and a name has no hyponyms."""
_ENDINGS: Mapping[str, Sequence[tuple[str, str]]] = tables.load_toml("inflection", "en", "sfumato.models")
"""Endings and their replacements, by which WordNet reduces an inflected noun or verb to the form it lists."""


class TaxonomyScorer:
    """Information content by the number of hyponyms of a term's concept in WordNet; English."""

    cite: ClassVar[str | None] = "seco2004"
    languages: ClassVar[frozenset[str] | None] = frozenset({"en"})
    name: ClassVar[str] = f"taxonomy:table={TAXONOMY_SOURCE}"

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """``-ln((hyponyms + 1) / concepts)`` of the term, or of its most informative word; 0 where it has none."""
        return np.array([_term_information(text[start:end]) for start, end in check_terms(text, terms)], np.float64)


def _term_information(term: str) -> float:
    words = [tables.frequency_key(match[0]).removesuffix("'s") for match in WORD_WITH_HYPHEN.finditer(term)]
    content = [number for number, word in enumerate(words) if word not in FUNCTION_WORDS and not word.endswith("n't")]
    if not content:
        return 0.0
    whole = _word_information("_".join(words[content[0] : content[-1] + 1]))
    if whole is not None:
        return whole
    parts = (_word_information(words[number]) for number in content)
    return max(_LEAF if part is None else part for part in parts)


def _word_information(word: str) -> float | None:
    """A word's information by its most frequent noun sense, else its most frequent verb sense."""
    for kind, concepts in CONCEPTS.items():
        count = lookup(word, hyponyms(kind), kind)
        if count is not None:
            return math.log(concepts / (count + 1))
    return None


def lookup(word: str, table: Mapping[str, int], kind: str) -> int | None:
    """How many hyponyms a word has in a table, as it stands or reduced to its base form."""
    if word in table:
        return table[word]
    bases = (word.removesuffix(ending) + base for ending, base in _ENDINGS[kind] if word.endswith(ending))
    return next((table[base] for base in bases if base in table), None)


def hyponyms(kind: str) -> Mapping[str, int]:
    """Word -> hyponyms of its most frequent sense as a noun or verb. Made by ``training/build_taxonomy.py``."""
    return tables.read_numbers(f"en/hyponyms-{kind}")
