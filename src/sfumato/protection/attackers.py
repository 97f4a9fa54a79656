"""The attacks that the loop runs after every repair, and the default verifying attacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import NO_STEMS
from sfumato.attacks.linking.sparse import SkipGramAttack, SparseAttack, TfIdfAttack, fit_together
from sfumato.attacks.linking.topics import TopicAttack
from sfumato.lexicon.language import document_language

VERIFYING = (
    "bm25",
    "characters",
    "combination",
    "dense",
    "joint",
    "late-interaction",
    "joint-with-software",
    "record-linkage",
)
"""The default attacks that verify the result. Characters, dense and record-linkage share no features with the loop's;
the last four see all releases at once, and one of them has this software as well."""
_STEMS = {
    "en": "english",
    "es": "spanish",
    "de": "german",
    "fr": "french",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
}

LoopAttacks = Mapping[str, SparseAttack]


def term_attacks(stems: str) -> dict[str, SparseAttack]:
    """By name, not yet fitted: stemmed phrases, unstemmed words and bigrams, pairs of nearby stems.

    What an attacker may know besides a background is modelled for these, term by term.
    """
    return {
        "phrases": TfIdfAttack(longest=3, stems=stems),
        "words": TfIdfAttack(longest=2, stems=NO_STEMS),
        "pairs": SkipGramAttack(stems=stems),
    }


def loop_attacks(stems: str) -> dict[str, SparseAttack]:
    """The same, and topics."""
    return {**term_attacks(stems), "topics": TopicAttack(stems=stems)}


def fit_loop_attacks(stems: str, background: Sequence[Person]) -> dict[str, SparseAttack]:
    """The loop's attacks, fitted on a background."""
    attacks = loop_attacks(stems)
    fit_together(list(attacks.values()), background)
    return attacks


def majority_stemmer(texts: Iterable[str]) -> str:
    """The stemmer of the most frequent language."""
    languages = Counter(document_language(text) for text in texts)
    languages.pop(None, None)
    most = languages.most_common(1)
    return _STEMS[most[0][0] or "en"] if most else "english"
