"""The attacks that the loop runs after every repair, what their attacker may know, and the verifying attacks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import NO_STEMS, Ints
from sfumato.attacks.linking.sparse import FollowedSparse, SkipGramAttack, SparseAttack, TfIdfAttack, fit_together
from sfumato.attacks.linking.topics import TopicAttack
from sfumato.lexicon.language import document_language
from sfumato.models.base import Floats

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


# Attacker knowledge.
#
# A background is a sample of what can be known. How often a term of a document occurs in what was read about its own
# subject tells how likely an unseen term is to occur in what was not read: an attacker who has read f times as much
# finds it with p = h * f^1.5, where h is that share among terms that as many people have and that the document says as
# often. (The exponent is above 1 because what is found first about people is what is said of everybody.) The loop gives
# a subject p times the typical weight of an unseen term.

_BORDERS = np.array([0, 1, 2, 3, 6, 11, 31, 101, 301])
"""Classes of terms by how many people have them: the lower border of each."""
_OFTEN = 3
"""Classes of terms by how often the document says them: once, twice, and from here on."""
_VOCABULARY = "\x7fterms of the releases"
_SAMPLE = 20_000
_MOST_LIKELY = 0.9
GROWTH = 1.5
"""How fast hits grow with what is read: on 92 rulings, four times as much held 6 to 10 times as many rare terms."""
PRIOR: Floats = np.array(
    [
        [0.0037, 0.0102, 0.0151, 0.0165, 0.0179, 0.0338, 0.0428, 0.1128, 0.5957],
        [0.0238, 0.0232, 0.0714, 0.0440, 0.0510, 0.0610, 0.0786, 0.1581, 0.5562],
        [0.0521, 0.0658, 0.1000, 0.1053, 0.1304, 0.1187, 0.1651, 0.2166, 0.7010],
    ]
).T.reshape(-1)
"""Hit rates without a background: what 2,200 characters about each of 1,141 people held of 92 rulings' terms,
phrases of up to three stems, by people who have a term and by times the ruling says it. By
``training/measure_hits.py``."""
PRIOR_PEOPLE = 1141


class KnowledgeModel(ABC):
    """An attack by an attacker who may know other things of a subject than the background says."""

    attack: SparseAttack

    def row(self, person_id: str) -> int:
        """A person's index in the scores."""
        return self.attack.row(person_id)

    def follow(self, text: str, subjects: Sequence[int], rank: int) -> FollowedSparse:
        """As the attack follows a text, with what may be known of the subjects."""
        return FollowedSparse(self.attack, text, subjects, self.known_weights)

    @abstractmethod
    def known_weights(self, row: int, terms: Ints, times: Ints) -> Floats:
        """A subject's weights of terms, by how often the text has each."""


@dataclass(frozen=True)
class AttackerKnowledge(KnowledgeModel):
    """An attack on our background, and what an attacker who has read ``factor`` times as much would know."""

    attack: SparseAttack
    vocabulary_row: int
    """A row of the background that is no person: with the terms of the releases, so that all of them have weights."""
    factor: float
    hit_rates: Floats
    """By class of terms: how often a document's term occurred in what was read of its subject."""
    length: float
    """Of a typical person's weights."""

    def known_weights(self, row: int, terms: Ints, times: Ints) -> Floats:
        """The weights in the background, and expected weights of terms that are not in it."""
        attack = self.attack
        weights = attack.weights_of(row, terms).astype(np.float64)
        others = attack.frequency(terms) - 1 - (weights > 0)
        likely = np.minimum(_MOST_LIKELY, self.hit_rates[_term_classes(others, times)] * self.factor**GROWTH)
        typical = attack.rarity(terms) / self.length
        expected: Floats = np.where(weights > 0, weights, likely * typical)
        return expected


class UnseenTermModel(KnowledgeModel):
    """What may be known of a person of whom nothing was read, in a population of similar people."""

    def __init__(self, attack: SparseAttack, factor: float) -> None:
        self.attack, self._factor, self.length = attack, factor, _typical_length(attack)

    def known_weights(self, row: int, terms: Ints, times: Ints) -> Floats:
        """Expected weights, whatever the person's own text says."""
        attack = self.attack
        in_own_text = attack.weights_of(row, terms) > 0
        others = (attack.frequency(terms) - in_own_text) * PRIOR_PEOPLE // attack.people
        likely = np.minimum(_MOST_LIKELY, PRIOR[_term_classes(others, times)] * self._factor**GROWTH)
        expected: Floats = likely * attack.rarity(terms) / self.length
        return expected


def model_attacker_knowledge(
    attacks: Sequence[SparseAttack],
    background: Sequence[Person],
    released: Mapping[str, str],
    subjects: Mapping[str, Sequence[str]],
    factor: float,
) -> list[AttackerKnowledge]:
    """Fit attacks on the background and the releases' vocabulary. ``factor``: how much more the attacker has read.

    ``released``: document id -> text, ``subjects``: document id -> ids of people in the background.
    """
    vocabulary = Person(_VOCABULARY, tuple(released.values()))
    fit_together(attacks, [*background, vocabulary])
    return [
        AttackerKnowledge(
            attack, attack.row(_VOCABULARY), factor, _hit_rates(attack, released, subjects), _typical_length(attack)
        )
        for attack in attacks
    ]


def _term_classes(people: Ints, times: Ints) -> Ints:
    """By how many people have a term, and by how often the document says it."""
    classes: Ints = (np.maximum(np.digitize(people, _BORDERS), 1) - 1) * _OFTEN + np.minimum(times, _OFTEN) - 1
    return classes


def _hit_rates(attack: SparseAttack, released: Mapping[str, str], subjects: Mapping[str, Sequence[str]]) -> Floats:
    hits, seen = np.full(len(_BORDERS) * _OFTEN, 0.5), np.ones(len(_BORDERS) * _OFTEN)
    for document_id, text in released.items():
        query = attack.raw_query(attack.read(text))
        for person in subjects.get(document_id, ()):
            is_hit = attack.weights_of(attack.row(person), query.terms) > 0
            classes = _term_classes(attack.frequency(query.terms) - 1 - is_hit, query.counts)
            np.add.at(seen, classes, 1)
            np.add.at(hits, classes, is_hit)
    return hits / seen


def _typical_length(attack: SparseAttack) -> float:
    """The length of a person's weights before normalization: rarity by weight, of terms that occur once."""
    terms, weights = attack.sample(_SAMPLE)
    return float(np.median(attack.rarity(terms) / weights)) if len(terms) else 1.0
