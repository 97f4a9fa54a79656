"""Linking attacks by shared terms (n-grams, skip-grams, pieces of words), weighted by TF-IDF or BM25.

A score is the dot product of a text's and a person's weights, by an inverted index and never a full matrix. While the
loop repairs a text, only the contribution of the changed terms is updated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array, vstack

from sfumato.attacks.base import MAX_GUESSES, Person
from sfumato.attacks.linking.cleaning import BackgroundTokens, Ints, TextTokens, Vocabulary
from sfumato.attacks.linking.followed import Followed, MarginalGain
from sfumato.attacks.linking.followed_terms import FollowedTerms
from sfumato.attacks.linking.index import MemoryIndex, ShardedIndex, TokenShards, needs_shards
from sfumato.attacks.linking.ranking import RangeWeights, RankingAttack, Scores, merge_range_weights
from sfumato.attacks.linking.terms import CharacterGrams, NGrams, Query, SkipGrams, Terms, find_terms
from sfumato.attacks.linking.weighting import Bm25, TfIdf, Weighting, Weights, raw_weights
from sfumato.document import Attempt
from sfumato.models.base import Floats
from sfumato.parallel import Engine

KnownWeights = Callable[[int, Ints, Ints], Floats]
"""(row of a subject, terms, how often the text has each at most) -> the subject's weights of these terms."""
RIVALS = 200
"""The best-fitting people at the start, whose weights are kept in memory to see whom a repair would affect."""


class SparseAttack(RankingAttack):
    """Base of the attacks by shared terms: a family of terms and a weighting make one."""

    has_shards: ClassVar[bool] = True
    can_be_sharded: ClassVar[bool] = True
    """Whether the attack needs its index through the methods that a sharded one has, too."""
    min_score: ClassVar[float] = 0.0
    """As a share of the length of a text's raw weights: people who score no more share nothing with the text."""

    def __init__(self, terms: Terms, weighting: Weighting, stems: str) -> None:
        self.terms, self.weighting, self.stems = terms, weighting, stems
        self.engine: Engine | None = None
        """What counts and scores shards of people, in the place of this process; set before ``fit``."""
        self._vocabulary = Vocabulary(stems)

    def learn(self, people: Sequence[Person]) -> None:
        if self.can_be_sharded and (self.engine is not None or needs_shards(people)):
            self.learn_shards(TokenShards(people, self._vocabulary))
        else:
            self.learn_tokens(self._vocabulary.read(people), self._vocabulary)

    def learn_tokens(self, words: BackgroundTokens, vocabulary: Vocabulary) -> None:
        """Learn people whose words a shared vocabulary has read."""
        self._vocabulary = vocabulary
        self._index: MemoryIndex | ShardedIndex = MemoryIndex(self.weighting.learn(self.terms.learn(words)))

    def learn_shards(self, tokens: TokenShards) -> None:
        """The same, of more people than fit in memory; everything but time and memory stays the same."""
        self._vocabulary = tokens.vocabulary
        self._index = ShardedIndex(self.terms, self.weighting, tokens, self.engine)

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        if self._row is None or not isinstance(self._index, ShardedIndex):
            return super().run(released)
        queries = [self._query(self.read(text)) for text in released.values()]
        best = self._index.top([(query.terms, query.weights) for query in queries], MAX_GUESSES)
        return [
            self._attempt_by_score(key, text, pairs) for (key, text), pairs in zip(released.items(), best, strict=True)
        ]

    @property
    def rarity_power(self) -> float:
        """The power of a term's rarity in its weight."""
        return self.weighting.power if isinstance(self.weighting, TfIdf) else 1.0

    def read(self, text: str) -> TextTokens:
        """The words of a released text."""
        return self._vocabulary.read_released(text)

    def scores(self, text: str) -> Scores:
        return self.scores_of(self.read(text))

    def scores_of(self, tokens: TextTokens) -> Scores:
        """As ``scores``, of a text that was read."""
        query = self._query(tokens)
        return self._index.scores(query.terms, query.weights)

    def evidence(self, text: str, row: int) -> RangeWeights:
        tokens = self.read(text)
        query = self._query(tokens)
        weights = query.weights.astype(np.float64) * self.weights_of(row, query.terms) / query.counts
        starts, ends = tokens.starts[query.occurrences.first], tokens.ends[query.occurrences.last]
        return merge_range_weights([RangeWeights(starts, ends, weights[query.term_index])])

    def follow(self, text: str, subjects: Sequence[int], rank: int) -> FollowedSparse:
        return FollowedSparse(self, text, subjects)

    def weights_of(self, row: int, terms: Ints) -> Weights | Floats:
        """A person's weights of some terms."""
        return self._index.weights_of(row, terms)

    def _query(self, tokens: TextTokens) -> Query:
        return find_terms(self.terms, tokens, self.weighting.weigh)

    @property
    def people(self) -> int:
        return len(self._ids)

    def raw_query(self, tokens: TextTokens) -> Query:
        """The query of a text with weights that do not depend on the text's other terms."""
        return find_terms(self.terms, tokens, self.weighting.raw)

    def raw_weights(self, terms: Ints, counts: Ints) -> Floats:
        """A text's raw weights of terms by their counts, which may be 0; as in ``raw_query``."""
        return raw_weights(self.weighting, terms, counts)

    def rarity(self, terms: Ints) -> Floats:
        """The raw weights of terms that a text has once each."""
        return self.raw_weights(terms, np.ones(len(terms), np.int64))

    def frequency(self, terms: Ints) -> Ints:
        """How many people have each of some terms."""
        return self._index.frequency(terms)

    def sample(self, size: int) -> tuple[Ints, Weights]:
        """Some terms that people have, with the weights they have there; the same for the same background."""
        return self._index.sample(size)

    def score_change(self, terms: Ints, weights: Floats) -> Floats:
        """What some terms with a text's raw weights add to everyone's score."""
        change: Floats = self._index.scores(terms, weights)
        return change

    def weights_of_some(self, terms: Ints, rows: Ints) -> csr_array:
        """Some people's weights of some terms: [term, person]."""
        return self._index.weights_of_some(terms, rows)


class FollowedSparse(Followed):
    """A text that changes, as an attack by shared terms scores it by raw weights.

    After a change the text is read again, which costs the same however many people there are; of the people's scores
    only the contribution of the changed terms is updated.
    """

    rivals = RIVALS

    def __init__(
        self, attack: SparseAttack, text: str, subjects: Sequence[int], known_weights: KnownWeights | None = None
    ) -> None:
        """``known_weights``: what may be known of the subjects; by default what the background says."""
        self._attack, self._known_weights = attack, known_weights
        self._terms = FollowedTerms(attack.terms, attack.weighting)
        self._terms.update(attack.read(text))
        self._first_terms, self._first_counts = self._terms.terms, self._terms.counts
        self.scores: Floats = attack.score_change(self._terms.terms, self._terms.weights)
        self._subjects = {row: self._weights_of_subject(row) for row in subjects}
        self._rivals: Ints = np.zeros(0, np.int64)
        self._rival_terms: Ints = np.zeros(0, np.int64)
        self._rival_weights = csr_array((0, 0))

    def change(self, text: str) -> None:
        change = self._terms.update(self._attack.read(text))
        if not len(self._terms.terms):
            self.scores = np.zeros(self._attack.people)  # exactly: rounding must not tell people apart
        elif len(change.terms):
            self.scores = self.scores + self._attack.score_change(change.terms, change.weights)
        if len(change.terms):
            self._subjects = {row: self._weights_of_subject(row) for row in self._subjects}

    def _weights_of_subject(self, row: int) -> Floats:
        """A subject's weights of the terms of the text."""
        if self._known_weights is not None:
            return self._known_weights(row, self._terms.terms, self._most_times())
        return self._attack.weights_of(row, self._terms.terms).astype(np.float64)

    def _most_times(self) -> Ints:
        """How often the text had each term before it was repaired: repairs do not change what a text is about."""
        terms, counts, first = self._terms.terms, self._terms.counts, self._first_terms
        if not len(first):
            return counts
        index = np.minimum(np.searchsorted(first, terms), len(first) - 1)
        return np.where(first[index] == terms, np.maximum(self._first_counts[index], counts), counts)

    @property
    def length(self) -> float:
        """Of the text's raw weights: rounding of scores grows with it."""
        return float(np.linalg.norm(self._terms.weights))

    @property
    def rounding(self) -> float:  # type: ignore[override]  # computed for the current text
        return self._attack.min_score * self.length

    def score(self, row: int) -> float:
        return float(self._terms.weights @ self._subjects[row])

    def gain(self, row: int, rivals: Ints, places: Ints, count: int, spread: Floats | None = None) -> MarginalGain:
        """``spread``: what everyone's scores are divided by, for an attack of which this is a member."""
        weights = self._subjects[row] / (1.0 if spread is None else spread[row])
        if len(rivals):
            weights = weights - self._mean_weights(rivals, np.ones(len(rivals)) if spread is None else spread[rivals])
        query = self._terms.query
        together = weights * query.weights / query.counts
        alone = weights * (query.weights - self._attack.raw_weights(query.terms, query.counts - 1))
        return MarginalGain(*(self._by_place(part[query.term_index], places, count) for part in (together, alone)))

    def _by_place(self, weights: Floats, places: Ints, count: int) -> Floats:
        """Each term's weight, added to every place that has one of its words."""
        occurrences, starts = self._terms.query.occurrences, self._terms.starts
        place_of_word = places[starts] if len(starts) else np.zeros(0, np.int64)
        first, last = place_of_word[occurrences.first], place_of_word[occurrences.last]
        total: Floats = np.bincount(first, weights, count + 1).astype(np.float64)
        differ = last != first
        total += np.bincount(last[differ], weights[differ], count + 1)
        if not self._attack.terms.is_pair:
            long = np.flatnonzero(occurrences.last - occurrences.first == 2)
            middle = place_of_word[occurrences.first[long] + 1]
            differ = (middle != first[long]) & (middle != last[long])
            total += np.bincount(middle[differ], weights[long][differ], count + 1)
        return total[:count]

    def _mean_weights(self, rivals: Ints, spread: Floats) -> Floats:
        """The rivals' mean weights of the terms of the text; those of people and terms seen before are kept."""
        terms = self._terms.terms
        if len(np.setdiff1d(rivals, self._rivals)):
            self._rivals, self._rival_terms = np.union1d(self._rivals, rivals), terms
            self._rival_weights = self._attack.weights_of_some(terms, self._rivals)
        elif len(new := np.setdiff1d(terms, self._rival_terms, assume_unique=True)):
            all_terms = np.concatenate([self._rival_terms, new])
            order = np.argsort(all_terms)
            weights = self._attack.weights_of_some(new, self._rivals)
            self._rival_terms = all_terms[order]
            self._rival_weights = vstack([self._rival_weights, weights], format="csr")[order]
        share = np.zeros(len(self._rivals))
        share[np.searchsorted(self._rivals, rivals)] = 1 / (spread * len(rivals))
        mean: Floats = self._rival_weights[np.searchsorted(self._rival_terms, terms)] @ share
        return mean


def group_by_stemming(attacks: Sequence[SparseAttack]) -> dict[str, list[SparseAttack]]:
    """Attacks by how they stem words: those of one group can share a vocabulary."""
    groups: dict[str, list[SparseAttack]] = {}
    for attack in attacks:
        groups.setdefault(attack.stems, []).append(attack)
    return groups


def fit_together(attacks: Sequence[SparseAttack], background: Sequence[Person]) -> None:
    """Fit several attacks on one background, reading it once for each stemming."""
    people = sorted(background, key=lambda person: person.id)
    ids = [person.id for person in people]
    is_large = needs_shards(people)
    for stems, group in group_by_stemming(attacks).items():
        vocabulary = Vocabulary(stems)
        sharded = [attack for attack in group if attack.can_be_sharded] if is_large else []
        for attack in group:
            attack.set_people(ids)
        if len(sharded) < len(group):
            words = vocabulary.read(people)
            for attack in group:
                if attack not in sharded:
                    attack.learn_tokens(words, vocabulary)
            del words
        if sharded:
            tokens = TokenShards(people, vocabulary)
            for attack in sharded:
                attack.learn_shards(tokens)


class TfIdfAttack(SparseAttack):
    """Link a text to the person with the nearest TF-IDF vector of words and phrases."""

    name: ClassVar[str] = "tfidf"
    goal: ClassVar[str] = "Find whom a text is about by rare words and phrases it shares with what is known of them."
    cite: ClassVar[str | None] = "sparckjones1972"

    def __init__(self, *, longest: int = 2, stems: str = "english", common: float = 1.0, rarity: float = 1.0) -> None:
        """``longest``: words in a phrase. ``stems``: a Snowball language, or "none" for words as they are.
        ``common``: words that a larger share of people have are left out, as stop words are. ``rarity``: the power of
        a term's rarity; above 1, few rare terms outweigh many common ones."""
        super().__init__(NGrams(longest, common), TfIdf(rarity), stems)


class Bm25Attack(SparseAttack):
    """Link a text to the person who ranks first when the text is a BM25 query."""

    name: ClassVar[str] = "bm25"
    goal: ClassVar[str] = "Find whom a text is about by searching what is known of people, with the text as the query."
    cite: ClassVar[str | None] = "robertson2009"

    def __init__(self, *, longest: int = 2, k1: float = 2.0, b: float = 1.0, stems: str = "english") -> None:
        """``longest``: words in a phrase. ``k1``: how slowly repeats saturate. ``b``: how much length counts.

        By default repeats and length count in full: backgrounds are long, and of unequal length.
        """
        super().__init__(NGrams(longest), Bm25(k1, b), stems)


class SkipGramAttack(SparseAttack):
    """Link a text to the person with the nearest TF-IDF vector of pairs of near words."""

    name: ClassVar[str] = "skip-grams"
    goal: ClassVar[str] = "Find whom a text is about by words that come together, though others between them changed."
    cite: ClassVar[str | None] = "sparckjones1972"

    def __init__(self, *, reach: int = 4, stems: str = "english") -> None:
        """``reach``: words a pair is apart at most. ``stems``: a Snowball language, or "none"."""
        super().__init__(SkipGrams(reach), TfIdf(), stems)


class CharacterAttack(SparseAttack):
    """Link a text to the person with the nearest TF-IDF vector of pieces of words."""

    name: ClassVar[str] = "characters"
    goal: ClassVar[str] = "Find whom a text is about though its words are spelled, inflected or derived differently."
    cite: ClassVar[str | None] = "sparckjones1972"

    def __init__(self, *, shortest: int = 5, longest: int = 5, stems: str = "english") -> None:
        """``shortest`` and ``longest``: characters in a piece; the border of a word counts as one."""
        super().__init__(CharacterGrams(shortest, longest), TfIdf(), stems)
