"""Incremental linking attacks: scores that follow each change of one document's text.

After a repair the text is read again, which costs the same however many people there are; of the people's scores only
the contribution of the changed terms is updated. What an attacker who has read more than we have may know of a person
is modelled at the end of the module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array, vstack

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.joint import JointScorer
from sfumato.attacks.linking.sparse import SkipGrams, SparseAttack, fit_together
from sfumato.models.base import Floats
from sfumato.protection.followed_terms import FollowedTerms

KnownWeights = Callable[[SparseAttack, int, Ints, Ints], Floats]
"""(attack, row of a subject, terms, how often the text has each) -> the subject's weights of these terms."""

RIVALS = 200
"""The best-fitting people at the start, whose weights are kept in memory to see whom a repair would affect."""
_MARGIN = 3
"""People beyond the last who must pass that are considered, too."""
_TIE = 1e-5
"""Scores nearer than this, as a share, are a tie."""


def background_weights(attack: SparseAttack, row: int, terms: Ints, times: Ints | None = None) -> Floats:
    """What the background says of a person, however often the text has the terms."""
    return attack.weights_of(row, terms).astype(np.float64)


@dataclass(frozen=True, slots=True)
class SubjectRank:
    """A subject's rank under one attack. ``gap``: how much their score must fall; 0: the target holds."""

    row: int
    rank: int | None
    score: float
    gap: float


def rank_subject(row: int, score: float, others: Floats, rank: int) -> SubjectRank:
    """The rank of a score among the others where ``rank - 1`` of them must fit better."""
    if score <= 0:
        return SubjectRank(row, None, 0.0, 0.0)  # shares nothing with the text: the attack does not guess them
    above = int((others > score * (1 + _TIE)).sum())
    if above >= rank - 1:
        return SubjectRank(row, 1 + above, score, 0.0)
    if len(others) < rank - 1:
        return SubjectRank(row, 1 + above, score, score)
    border = np.partition(others, len(others) - (rank - 1))[len(others) - (rank - 1)]
    return SubjectRank(row, 1 + above, score, max(score - float(border), score * _TIE))


def rivals_to_pass(scores: Floats, score: float, rank: int) -> Ints:
    """Indices of the people who have to pass a score: from the first below it to the last who must."""
    above = int((scores > score * (1 + _TIE)).sum())
    order = np.argsort(-scores, kind="stable")
    return order[min(above, len(order) - 1) : max(above + 1, rank + _MARGIN)]


class MarginalGain(NamedTuple):
    """By place: its part of the gain if everything that says the same goes with it, and its gain if it goes alone."""

    together: Floats
    alone: Floats


class IncrementalAttack(Protocol):
    """What the loop asks of an attack while a document's text changes."""

    name: str

    def update(self, text: str) -> None:
        """Read the current text."""

    def ranks(self) -> list[SubjectRank]:
        """Every subject's current rank."""

    def marginal_gain(self, row: int, places: Ints, count: int) -> MarginalGain:
        """For each of ``count`` places, how much nearer to their rivals a subject would come without it.

        ``places``: for each character of the text the place it belongs to, or ``count`` where it belongs to none.
        """

    def own_contribution(self, row: int, places: Ints, count: int) -> MarginalGain:
        """For each place, what it adds to a subject's score, whatever it does to rivals."""


class IncrementalSparseAttack:
    """An attack by shared terms on one document, its subjects' rows, and the rank that each of them must reach."""

    def __init__(
        self,
        name: str,
        attack: SparseAttack,
        subjects: Sequence[int],
        rank: int,
        known_weights: KnownWeights = background_weights,
        excluded: Sequence[int] = (),
    ) -> None:
        """``excluded``: rows that are no people, so that no subject can hide behind them."""
        self.name = name
        self._attack, self._rank, self._known_weights = attack, rank, known_weights
        self._subjects = tuple(subjects)
        self._others = np.ones(attack.people, bool)
        self._others[[*subjects, *excluded]] = False
        self._is_pairs = isinstance(attack.terms, SkipGrams)
        self._scores: Floats = np.zeros(attack.people)
        self._followed = FollowedTerms(attack)
        self._first_terms: tuple[Ints, Ints] | None = None
        self._subject_weights: dict[int, Floats] = {}
        self._rivals: Ints = np.zeros(0, np.int64)
        self._rival_terms: Ints = np.zeros(0, np.int64)
        self._rival_weights = csr_array((0, 0))

    def update(self, text: str) -> None:
        followed, before = self._followed, self._followed.terms
        change = followed.update(text)
        if self._first_terms is None:
            self._scores = self._attack.score_change(followed.terms, followed.weights)
            self._first_terms = followed.terms, followed.counts
        elif not len(followed.terms):
            self._scores = np.zeros(self._attack.people)  # exactly: rounding must not tell people apart
        elif len(change.terms):
            self._scores += self._attack.score_change(change.terms, change.weights)
        if len(change.terms) or not self._subject_weights:
            self._subject_weights = {row: self._weights_of_subject(row, before) for row in self._subjects}

    def _weights_of_subject(self, row: int, before: Ints) -> Floats:
        """A subject's weights of the terms of the text. ``before``: the terms of the last update."""
        assert self._first_terms is not None
        terms = self._followed.terms
        if self._known_weights is not background_weights:
            times = _most_times(*self._first_terms, terms, self._followed.counts)
            return self._known_weights(self._attack, row, terms, times)
        if not len(before) or row not in self._subject_weights:
            return background_weights(self._attack, row, terms)
        # What is known does not change with the text, so only new terms are looked up.
        index = np.minimum(np.searchsorted(before, terms), len(before) - 1)
        weights: Floats = self._subject_weights[row][index]
        if len(new := np.flatnonzero(before[index] != terms)):
            weights[new] = background_weights(self._attack, row, terms[new])
        return weights

    def ranks(self) -> list[SubjectRank]:
        return [self._rank_subject(row) for row in self._subjects]

    def _rank_subject(self, row: int) -> SubjectRank:
        weights = self._followed.weights
        score = float(weights @ self._subject_weights[row])
        # What rounding may have added to the others must not hide anyone.
        rounding = self._attack.min_score * float(np.linalg.norm(weights))
        score = score + rounding if score > rounding else 0.0
        return rank_subject(row, score, self._scores[self._others], self._rank)

    def marginal_gain(self, row: int, places: Ints, count: int) -> MarginalGain:
        return self._gain(self._subject_weights[row] - self._rivals_mean(row), places, count)

    def own_contribution(self, row: int, places: Ints, count: int) -> MarginalGain:
        return self._gain(self._subject_weights[row], places, count)

    # For a joint attack, of which this is a member.

    @property
    def scores(self) -> Floats:
        """Everyone's scores by raw weights."""
        return self._scores

    @property
    def rounding(self) -> float:
        """What a score of someone who shares nothing may be above 0."""
        return 1e-9 * float(np.linalg.norm(self._followed.weights))

    def gain(
        self, row: int, spread: float, rivals: Ints, rival_spreads: Floats, places: Ints, count: int
    ) -> MarginalGain:
        """As ``marginal_gain`` against the rivals named, where each person's scores are divided by their spread."""
        weights = self._subject_weights[row] / spread
        if len(rivals):
            others = self._attack.weights_of_some(self._followed.terms, rivals)
            weights = weights - (others @ (1 / rival_spreads)) / len(rivals)
        return self._gain(weights, places, count)

    def _gain(self, weights: Floats, places: Ints, count: int) -> MarginalGain:
        query = self._followed.query
        together = weights * query.weights / query.counts
        alone = weights * (query.weights - self._attack.raw_weights(query.terms, query.counts - 1))
        return MarginalGain(*(self._by_place(part[query.term_index], places, count) for part in (together, alone)))

    def _by_place(self, weights: Floats, places: Ints, count: int) -> Floats:
        """Each term's weight, added to every place that has one of its words."""
        occurrences, starts = self._followed.query.occurrences, self._followed.starts
        place_of_word = places[starts] if len(starts) else np.zeros(0, np.int64)
        first, last = place_of_word[occurrences.first], place_of_word[occurrences.last]
        total: Floats = np.bincount(first, weights, count + 1).astype(np.float64)
        differ = last != first
        total += np.bincount(last[differ], weights[differ], count + 1)
        if not self._is_pairs:
            long = np.flatnonzero(occurrences.last - occurrences.first == 2)
            middle = place_of_word[occurrences.first[long] + 1]
            differ = (middle != first[long]) & (middle != last[long])
            total += np.bincount(middle[differ], weights[long][differ], count + 1)
        return total[:count]

    def _rivals_mean(self, row: int) -> Floats:
        """The mean weights of those who have to pass a subject."""
        terms, weights = self._followed.terms, self._followed.weights
        if not len(self._rivals):
            size = min(max(RIVALS, 2 * self._rank), int(self._others.sum()))
            if not size:
                return np.zeros(len(terms))  # nobody is left to pass
            scores = np.where(self._others, self._scores, -np.inf)
            self._rivals = np.argpartition(-scores, size - 1)[:size]
            self._rival_weights = csr_array((0, size))
        score = float(weights @ self._subject_weights[row])
        passing = rivals_to_pass(self._scores[self._rivals], score, self._rank)
        share = np.zeros(len(self._rivals))
        share[passing] = 1 / len(passing)
        mean: Floats = self._weights_of_rivals(terms) @ share
        return mean

    def _weights_of_rivals(self, terms: Ints) -> csr_array:
        """The rivals' weights of some terms; new terms are looked up."""
        new = np.setdiff1d(terms, self._rival_terms, assume_unique=True)
        if len(new):
            weights = self._attack.weights_of_some(new, self._rivals)
            all_terms = np.concatenate([self._rival_terms, new])
            order = np.argsort(all_terms)
            all_weights = vstack([self._rival_weights, weights], format="csr")
            self._rival_terms, self._rival_weights = all_terms[order], all_weights[order]
        return self._rival_weights[np.searchsorted(self._rival_terms, terms)]


def _most_times(first_terms: Ints, first_counts: Ints, terms: Ints, counts: Ints) -> Ints:
    """How often the text had each term before it was repaired: repairs do not change what a text is about."""
    if not len(first_terms):
        return counts
    index = np.minimum(np.searchsorted(first_terms, terms), len(first_terms) - 1)
    return np.where(first_terms[index] == terms, np.maximum(first_counts[index], counts), counts)


class IncrementalJointAttack:
    """The scores of a joint attack on one document, corrected as for the set of releases that the attack last saw."""

    def __init__(self, name: str, scorer: JointScorer, subjects: Sequence[int], rank: int) -> None:
        self.name = name
        self._members = [IncrementalSparseAttack(name, member, subjects, rank) for member in scorer.members]
        self._scale, self._subjects, self._rank = scorer.scale, tuple(subjects), rank
        self._weights = scorer.weights
        is_other = np.ones(len(scorer.scale.offset), bool)
        is_other[list(subjects)] = False
        self._others: Ints = np.flatnonzero(is_other)

    def update(self, text: str) -> None:
        for member in self._members:
            member.update(text)
        self._deviations = [float(member.scores.std()) or 1.0 for member in self._members]
        scaled = [
            (member.scores - member.scores.mean()) / deviation
            for member, deviation in zip(self._members, self._deviations, strict=True)
        ]
        if self._weights is None:
            total, spread = np.mean(scaled, axis=0), 1.0
            weights = np.full(len(scaled), 1 / len(scaled))
        else:
            total, weights = self._weights @ np.array(scaled), self._weights
            spread = float(total.std()) or 1.0
        self._units = [
            float(weight) / (deviation * spread) for weight, deviation in zip(weights, self._deviations, strict=True)
        ]
        corrected = self._scale.apply((total / spread).astype(np.float32))
        self._scores: Floats = corrected - corrected.min()  # above 0, as gaps are taken as shares of scores

    def ranks(self) -> list[SubjectRank]:
        others = self._scores[self._others]
        return [rank_subject(row, self._score(row), others, self._rank) for row in self._subjects]

    def marginal_gain(self, row: int, places: Ints, count: int) -> MarginalGain:
        scores = self._scores[self._others]
        rivals = self._others[rivals_to_pass(scores, self._score(row), self._rank)]
        return self._gain(row, rivals, places, count)

    def own_contribution(self, row: int, places: Ints, count: int) -> MarginalGain:
        return self._gain(row, np.zeros(0, np.int64), places, count)

    def _score(self, row: int) -> float:
        """0 where the person shares nothing with the text: the attack does not guess them."""
        shares = any(member.scores[row] > member.rounding for member in self._members)
        return float(self._scores[row]) if shares else 0.0

    def _gain(self, row: int, rivals: Ints, places: Ints, count: int) -> MarginalGain:
        """For each place the members' gains, in the unit of the corrected scores."""
        spread = self._scale.spread
        gains = [member.gain(row, spread[row], rivals, spread[rivals], places, count) for member in self._members]
        together, alone = (
            np.sum([unit * part for unit, part in zip(self._units, parts, strict=True)], axis=0)
            for parts in zip(*gains, strict=True)
        )
        return MarginalGain(together, alone)


# Attacker knowledge.
#
# A background is a sample of what can be known. How often a term of a document occurs in what was read about its own
# subject tells how likely an unseen term is to occur in what was not read: an attacker who has read f times as much
# finds it with p = h * f^1.5, where h is that share among terms that as many people have and that the document says as
# often. (The exponent is above 1 because what is found first about people is what is said of everybody.) The loop
# gives a subject p times the typical weight of an unseen term.

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


@dataclass(frozen=True)
class AttackerKnowledge:
    """An attack on our background, and what an attacker who has read ``factor`` times as much would know."""

    attack: SparseAttack
    vocabulary_row: int
    """A row of the background that is no person: with the terms of the releases, so that all of them have weights."""
    factor: float
    hit_rates: Floats
    """By class of terms: how often a document's term occurred in what was read of its subject."""
    length: float
    """Of a typical person's weights."""

    def known_weights(self, attack: SparseAttack, row: int, terms: Ints, times: Ints) -> Floats:
        """The weights in the background, and expected weights of terms that are not in it."""
        weights = attack.weights_of(row, terms).astype(np.float64)
        others = attack.frequency(terms) - 1 - (weights > 0)
        likely = np.minimum(_MOST_LIKELY, self.hit_rates[_term_classes(others, times)] * self.factor**GROWTH)
        typical = attack.rarity(terms) / self.length
        expected: Floats = np.where(weights > 0, weights, likely * typical)
        return expected


class UnseenTermModel:
    """What may be known of a person of whom nothing was read, in a population of similar people."""

    def __init__(self, attack: SparseAttack, factor: float) -> None:
        self._factor, self.length = factor, _typical_length(attack)

    def known_weights(self, attack: SparseAttack, row: int, terms: Ints, times: Ints) -> Floats:
        """Expected weights, whatever the person's own text says."""
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
