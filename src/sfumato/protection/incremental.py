"""One attack on one document while its text changes: scores that follow each change, and what each place adds to them.

A text is read again after a repair, which costs the same however many people there are; of the people's scores only
what the changed terms add is taken away or put on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.sparse import Query, SkipGrams, SparseAttack, fit_together

Floats = NDArray[np.float64]
Knowledge = Callable[[SparseAttack, int, Ints, Ints], Floats]
"""What is known of a subject, as weights of terms that a text has so many times: the attack's own, or foreseen."""

RIVALS = 200
"""People who fit best at the start, whose weights are kept at hand to see whom a repair would hurt."""
_MORE = 3
"""People beyond the last who must pass that are looked at, too."""
_HAIR = 1e-5
"""Scores nearer than this, as a share, are a tie."""


def known(attack: SparseAttack, row: int, terms: Ints, times: Ints) -> Floats:
    """What the background says of a person."""
    return attack.weights_of(row, terms).astype(np.float64)


@dataclass(frozen=True, slots=True)
class SubjectRank:
    """How one subject stands under one attack. ``gap``: how much their score must fall; 0: nothing is left to do."""

    row: int
    rank: int | None
    score: float
    gap: float


def rank_subject(row: int, own: float, others: Floats, rank: int) -> SubjectRank:
    """How someone with a score stands among the others if so many must fit as well, themselves included."""
    if own <= 0:
        return SubjectRank(row, None, 0.0, 0.0)  # shares nothing with the text: no guess of this attack
    above = int((others > own * (1 + _HAIR)).sum())
    if above >= rank - 1:
        return SubjectRank(row, 1 + above, own, 0.0)
    if len(others) < rank - 1:
        return SubjectRank(row, 1 + above, own, own)
    border = np.partition(others, len(others) - (rank - 1))[len(others) - (rank - 1)]
    return SubjectRank(row, 1 + above, own, max(own - float(border), own * _HAIR))


def passing(scores: Floats, own: float, rank: int) -> Ints:
    """Of people by score those who have to pass someone: from the first below them to the last who must."""
    above = int((scores > own * (1 + _HAIR)).sum())
    order = np.argsort(-scores, kind="stable")
    return order[min(above, len(order) - 1) : max(above + 1, rank + _MORE)]


class MarginalGain(NamedTuple):
    """By place: its part where all that says the same goes with it, and what it does if it goes alone."""

    together: Floats
    alone: Floats


class IncrementalAttack(Protocol):
    """What the loop asks of an attack while a document's text changes."""

    name: str

    def update(self, text: str) -> None:
        """Take in the text as it stands now."""
        ...

    def ranks(self) -> list[SubjectRank]:
        """Every subject as they stand now."""
        ...

    def marginal_gain(self, row: int, places: Ints, count: int) -> MarginalGain:
        """For each of ``count`` places, how much nearer to their rivals a subject would come if it said nothing.

        ``places``: for each character of the text the place it belongs to, or ``count`` where it is nobody's.
        """
        ...

    def own_contribution(self, row: int, places: Ints, count: int) -> MarginalGain:
        """For each place, what it adds to a subject's score, whatever it does to rivals."""
        ...


class IncrementalSparseAttack:
    """An attack by shared terms, the document's subjects in its background, and the rank each of them must reach."""

    def __init__(
        self,
        name: str,
        attack: SparseAttack,
        subjects: Sequence[int],
        rank: int,
        *,
        knows: Knowledge = known,
        besides: Sequence[int] = (),
    ) -> None:
        """``besides``: rows that are nobody, so that nobody hides behind them."""
        self.name = name
        self._attack, self._rank, self._knows = attack, rank, knows
        self._subjects = tuple(subjects)
        self._others = np.ones(attack.people, bool)
        self._others[[*subjects, *besides]] = False
        self._pairs = isinstance(attack.terms, SkipGrams)
        self._scores: Floats = np.zeros(attack.people)
        self._query: Query | None = None
        self._first: Query | None = None
        self._own: dict[int, Floats] = {}
        self._columns: Ints = np.zeros(0, np.int64)
        self._known_terms: Ints = np.zeros(0, np.int64)
        self._rivals = csr_array((0, 0))

    def update(self, text: str) -> None:
        read = self._attack.read(text)
        query = self._attack.raw_query(read)
        before = self._query
        if before is None:
            self._scores = self._attack.score_change(query.terms, query.weights.astype(np.float64))
        else:
            terms = np.union1d(before.terms, query.terms)
            change = np.zeros(len(terms))
            change[np.searchsorted(terms, query.terms)] += query.weights
            change[np.searchsorted(terms, before.terms)] -= before.weights
            changed = np.flatnonzero(change)
            if len(changed):
                self._scores += self._attack.score_change(terms[changed], change[changed])
        self._first = self._first or query
        self._query = query
        self._starts: Ints = read.starts
        said = _most_times(self._first, query)
        self._own = {row: self._knows(self._attack, row, query.terms, said) for row in self._subjects}

    def ranks(self) -> list[SubjectRank]:
        return [self._standing(row) for row in self._subjects]

    def _standing(self, row: int) -> SubjectRank:
        assert self._query is not None, "see a text first"
        weights = self._query.weights
        own, hair = float(weights @ self._own[row]), self._attack.min_score * float(np.linalg.norm(weights))
        # What rounding may have added to the others does not hide anyone.
        return rank_subject(row, own + hair if own > hair else 0.0, self._scores[self._others], self._rank)

    def marginal_gain(self, row: int, places: Ints, count: int) -> MarginalGain:
        return self._relief(self._own[row] - self._rivals_mean(row), places, count)

    def own_contribution(self, row: int, places: Ints, count: int) -> MarginalGain:
        return self._relief(self._own[row], places, count)

    def _relief(self, weights: Floats, places: Ints, count: int) -> MarginalGain:
        assert self._query is not None
        query = self._query
        together = weights * query.weights / query.times
        alone = weights * (query.weights - self._attack.raw_weights(query.terms, query.times - 1))
        return MarginalGain(*(self._shared_out(part[query.which], places, count) for part in (together, alone)))

    def _shared_out(self, weights: Floats, places: Ints, count: int) -> Floats:
        assert self._query is not None
        found = self._query.found
        of_word = places[self._starts] if len(self._starts) else np.zeros(0, np.int64)
        first, last = of_word[found.first], of_word[found.last]
        total: Floats = np.bincount(first, weights, count + 1).astype(np.float64)
        apart = last != first
        total += np.bincount(last[apart], weights[apart], count + 1)
        if not self._pairs:
            long = np.flatnonzero(found.last - found.first == 2)
            middle = of_word[found.first[long] + 1]
            alone = (middle != first[long]) & (middle != last[long])
            total += np.bincount(middle[alone], weights[long][alone], count + 1)
        return total[:count]

    def _rivals_mean(self, row: int) -> Floats:
        """The mean weights of those who have to pass a subject: from the first below them to the last who must."""
        assert self._query is not None
        if not len(self._columns):
            size = min(max(RIVALS, 2 * self._rank), int(self._others.sum()))
            if not size:
                return np.zeros(len(self._query.terms))  # nobody is left to pass
            scores = np.where(self._others, self._scores, -np.inf)
            self._columns = np.argpartition(-scores, size - 1)[:size]
            self._rivals = csr_array((0, size))
        those = passing(self._scores[self._columns], float(self._query.weights @ self._own[row]), self._rank)
        chosen = np.zeros(len(self._columns))
        chosen[those] = 1 / len(those)
        mean: Floats = self._rival_rows(self._query.terms) @ chosen
        return mean

    def _rival_rows(self, terms: Ints) -> csr_array:
        """The rivals' weights of some terms; those met for the first time are looked up."""
        new = np.setdiff1d(terms, self._known_terms, assume_unique=True)
        if len(new):
            rows = self._attack.weights_of_some(new, self._columns)
            joined = np.concatenate([self._known_terms, new])
            order = np.argsort(joined)
            both = vstack([self._rivals, rows], format="csr")
            self._known_terms, self._rivals = joined[order], both[order]
        return self._rivals[np.searchsorted(self._known_terms, terms)]


def _most_times(first: Query, query: Query) -> Ints:
    """How often each term stood in the text before it was repaired: what a text is about does not change with that."""
    if not len(first.terms):
        return query.times
    at = np.minimum(np.searchsorted(first.terms, query.terms), len(first.terms) - 1)
    return np.where(first.terms[at] == query.terms, np.maximum(first.times[at], query.times), query.times)


# -- What an attacker who has read more than we have may know of a person.
#
# A background is a sample of what can be known. How often a term of a document turns up in what was read about its
# own subject says how likely a term that did not is to turn up in what was not read: an attacker who has read f times
# as much finds it with p = h * f^1.5, where h is that share among terms that as many people have and that the
# document says as often. (The exponent is above 1 because what is found first about people is what is said of
# everybody.) The loop counts a term that was not seen as p times what a person who has it gets for it.


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
class AttackerKnowledge:
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
class UnseenTermModel:
    """What may be known of a person of whom we have read nothing, in a population of people like them."""

    factor: float
    length: float

    @classmethod
    def of(cls, attack: SparseAttack, factor: float) -> UnseenTermModel:
        return cls(factor, _length(attack))

    def knows(self, attack: SparseAttack, row: int, terms: Ints, times: Ints) -> Floats:
        """What has to be reckoned with, whatever the person's own text says."""
        own = attack.weights_of(row, terms) > 0
        others = (attack.frequency(terms) - own) * PRIOR_PEOPLE // attack.people
        likely = np.minimum(_SURE, PRIOR[_classes(others, times)] * self.factor**GROWTH)
        expected: Floats = likely * attack.rarity(terms) / self.length
        return expected


def model_attacker_knowledge(
    attacks: Sequence[SparseAttack],
    background: Sequence[Person],
    released: Mapping[str, str],
    subjects: Mapping[str, Sequence[str]],
    factor: float,
) -> list[AttackerKnowledge]:
    """Fit attacks on the background and on the releases' vocabulary. ``factor``: how much more the attacker has read.

    ``released``: document -> text, ``subjects``: document -> people of the background.
    """
    nobody = Person(_NOBODY, tuple(released.values()))
    fit_together(attacks, [*background, nobody])
    return [
        AttackerKnowledge(attack, attack.row(_NOBODY), factor, _hits(attack, released, subjects), _length(attack))
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
