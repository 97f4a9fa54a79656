"""The attacks that the loop runs after every repair, and those that verify what it made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sfumato.attacks.base import Person
from sfumato.attacks.linking.sparse import SkipGramAttack, SparseAttack, TfIdfAttack, fit_together
from sfumato.attacks.linking.sparse.words import NO_STEMS
from sfumato.knowledge.grammar.language import language_of
from sfumato.protection.topics import TopicAttack

VERIFYING = ("bm25", "characters", "combination", "dense")
"""Attacks that check the result unless others are named. Characters and dense share no features with the loop's."""
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


def loop_attacks(stems: str) -> dict[str, SparseAttack]:
    """By name, not yet fitted: phrases of stems, words as they are and two by two, pairs of near stems, topics."""
    return {
        "phrases": TfIdfAttack(longest=3, stems=stems),
        "words": TfIdfAttack(longest=2, stems=NO_STEMS),
        "pairs": SkipGramAttack(stems=stems),
        "topics": TopicAttack(stems=stems),
    }


def by_words(attacks: LoopAttacks) -> dict[str, SparseAttack]:
    """Those by shared terms: what may be known is reckoned term by term, and a topic is no term."""
    return {name: attack for name, attack in attacks.items() if not isinstance(attack, TopicAttack)}


def fitted(stems: str, background: Sequence[Person]) -> dict[str, SparseAttack]:
    """The loop's attacks on a background."""
    attacks = loop_attacks(stems)
    fit_together(list(attacks.values()), background)
    return attacks


def stems_of(texts: Iterable[str]) -> str:
    """The stemmer for most of the texts."""
    languages = Counter(language_of(text) for text in texts)
    languages.pop(None, None)
    most = languages.most_common(1)
    return _STEMS[most[0][0] or "en"] if most else "english"
