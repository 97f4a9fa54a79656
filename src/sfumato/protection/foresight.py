"""What an attacker who has read more than we have may know of a person.

A background is a sample of what can be known. How often a term of a document turns up in what was read about its own
subject says how likely a term that did not is to turn up in what was not read: an attacker who has read f times as
much finds it with p = h * f^1.5, where h is that share among terms that as many people have and that the document says
as often. (The exponent is above 1 because what is found first about people is what is said of everybody.) The loop
counts a term that was not seen as p times what a person who has it gets for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.attacks.linking.sparse import SparseAttack, fit_together
from sfumato.attacks.linking.sparse.words import Ints

Floats = NDArray[np.float64]

_BORDERS = np.array([0, 1, 2, 3, 6, 11, 31, 101, 301])
"""Numbers of people who have a term at which another class of terms begins."""
_OFTEN = 3
"""Times that a document says a term from which it does not matter how often: it is what the document is about."""
_NOBODY = "\x7fterms of the releases"
_SAMPLED = 20_000
_SURE = 0.9
GROWTH = 1.5
"""How fast hits grow with what is read: on 92 rulings, four times as much held 6 to 10 times as many rare terms."""


@dataclass(frozen=True)
class Foresight:
    """One attack that has read as much as we have, and what an attacker who read more would have found."""

    attack: SparseAttack
    nobody: int
    """A row of the background that is no person: it holds the terms of the releases, so that all of them are known."""
    factor: float
    """How many times as much as we the attacker has read."""
    hits: Floats
    """By class of terms: how often a document's term stood in what was read of its subject."""
    length: float
    """Of a typical person's weights."""

    def knows(self, attack: SparseAttack, row: int, terms: Ints, times: Ints) -> Floats:
        """What is known of a subject, and what has to be reckoned with."""
        own = attack.weights_of(row, terms).astype(np.float64)
        others = attack.frequency(terms) - 1 - (own > 0)
        likely = np.minimum(_SURE, self.hits[_classes(others, times)] * self.factor**GROWTH)
        typical = attack.rarity(terms) / self.length
        expected: Floats = np.where(own > 0, own, likely * typical)
        return expected


PRIOR: Floats = np.array(
    [
        [0.0037, 0.0102, 0.0151, 0.0165, 0.0179, 0.0338, 0.0428, 0.1128, 0.5957],
        [0.0238, 0.0232, 0.0714, 0.0440, 0.0510, 0.0610, 0.0786, 0.1581, 0.5562],
        [0.0521, 0.0658, 0.1000, 0.1053, 0.1304, 0.1187, 0.1651, 0.2166, 0.7010],
    ]
).T.reshape(-1)
"""Hits where nobody's background is given: what 2,200 characters about each of 1,141 people held of 92 rulings' terms,
phrases of up to three stems, by people who have a term and by times the ruling says it. By
``training/measure_hits.py``."""
PRIOR_PEOPLE = 1141


@dataclass(frozen=True)
class Unknown:
    """What may be known of a person of whom we have read nothing, in a population of people like them."""

    factor: float
    length: float

    @classmethod
    def of(cls, attack: SparseAttack, factor: float) -> Unknown:
        return cls(factor, _length(attack))

    def knows(self, attack: SparseAttack, row: int, terms: Ints, times: Ints) -> Floats:
        """What has to be reckoned with, whatever the person's own text says."""
        own = attack.weights_of(row, terms) > 0
        others = (attack.frequency(terms) - own) * PRIOR_PEOPLE // attack.people
        likely = np.minimum(_SURE, PRIOR[_classes(others, times)] * self.factor**GROWTH)
        expected: Floats = likely * attack.rarity(terms) / self.length
        return expected


def foresee(
    attacks: Sequence[SparseAttack],
    background: Sequence[Person],
    released: Mapping[str, str],
    subjects: Mapping[str, Sequence[str]],
    factor: float,
) -> list[Foresight]:
    """Fit attacks on the background and on the releases' vocabulary. ``factor``: how much more the attacker has read.

    ``released``: document -> text, ``subjects``: document -> people of the background.
    """
    nobody = Person(_NOBODY, tuple(released.values()))
    fit_together(attacks, [*background, nobody])
    return [
        Foresight(attack, attack.row(_NOBODY), factor, _hits(attack, released, subjects), _length(attack))
        for attack in attacks
    ]


def _classes(people: Ints, times: Ints) -> Ints:
    """By how many people have a term, and by how often the document says it."""
    found: Ints = (np.maximum(np.digitize(people, _BORDERS), 1) - 1) * _OFTEN + np.minimum(times, _OFTEN) - 1
    return found


def _hits(attack: SparseAttack, released: Mapping[str, str], subjects: Mapping[str, Sequence[str]]) -> Floats:
    hit, seen = np.full(len(_BORDERS) * _OFTEN, 0.5), np.ones(len(_BORDERS) * _OFTEN)
    for key, text in released.items():
        query = attack.raw_query(attack.read(text))
        for person in subjects.get(key, ()):
            own = attack.weights_of(attack.row(person), query.terms) > 0
            classes = _classes(attack.frequency(query.terms) - 1 - own, query.times)
            np.add.at(seen, classes, 1)
            np.add.at(hit, classes, own)
    return hit / seen


def _length(attack: SparseAttack) -> float:
    """How long a person's weights are before they are brought to length 1: rarity by weight, of single mentions."""
    terms, weights = attack.sample(_SAMPLED)
    return float(np.median(attack.rarity(terms) / weights)) if len(terms) else 1.0
