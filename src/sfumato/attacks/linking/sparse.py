"""Linking attacks by shared terms (n-grams, skip-grams, pieces of words), weighted by TF-IDF or BM25.

A score is the dot product of a text's and a person's weights, by an inverted index and never a full matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import UNKNOWN, BackgroundTokens, Ints, TextTokens, Vocabulary
from sfumato.attacks.linking.ranking import RangeWeights, RankingAttack, Scores, merge_range_weights
from sfumato.errors import InputError
from sfumato.models.base import Floats

Keys = tuple[Ints, Ints, Ints]
"""Keys of terms, and the first and the last word of each."""
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class TermOccurrences:
    """Terms of a released text: the term's number, and the numbers of its first and last word."""

    term: Ints
    first: Ints
    last: Ints


class _WordTerms:
    """Base of terms of one or more words in order: a key's digits are words, its base the size of the vocabulary."""

    longest: int
    """Words in the longest term."""
    common: float = 1.0
    """Words that a larger share of people have are left out, before terms are formed."""

    def learn(self, words: BackgroundTokens) -> csr_array:
        """How often each owner has each term: [term, owner], counts."""
        self._base = max(1, len(words.forms))
        self._left_out = _common_words(words, self.common)
        kept = self._kept(words.ids)
        owner = words.owner[kept]
        if self._base**self.longest > _LARGEST // 4:
            raise InputError(
                f"{self._base} different words are too many for phrases of {self.longest}: set longest = 2"
            )
        parts = [
            _count(((keys, owner[first]) for keys, first, _ in part), words.owners)
            for part in self.parts(words.ids[kept], words.segment[kept])
        ]
        self._table = np.concatenate([table for table, _ in parts])
        return vstack([counts for _, counts in parts], format="csr")

    def find(self, text: TextTokens) -> TermOccurrences:
        """The learned terms of a released text, in any order."""
        kept = self._kept(text.ids)
        parts = [keys for part in self.parts(text.ids[kept], text.segment[kept]) for keys in part]
        keys, first, last = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return _look_up(self._table, keys, kept[first], kept[last])

    def _kept(self, ids: Ints) -> Ints:
        """The indices of words that are not left out."""
        if self._left_out is None:
            return np.arange(len(ids))
        return np.flatnonzero((ids == UNKNOWN) | ~self._left_out[ids])

    def parts(self, ids: Ints, segment: Ints) -> Iterator[Iterator[Keys]]:
        """Keys of all terms without an unknown word, lazily and in parts, to save memory.

        Every key of a part is below every key of the next.
        """
        raise NotImplementedError


class NGrams(_WordTerms):
    """Runs of one to ``longest`` words; words that a larger share of people than ``common`` have do not count."""

    def __init__(self, longest: int, common: float = 1.0) -> None:
        if not 1 <= longest <= 3:
            raise ValueError(f"phrases of 1 to 3 words are compared, got {longest}")
        if not 0 < common <= 1:
            raise ValueError(f"common is a share of people, above 0 and up to 1, got {common}")
        self.longest, self.common = longest, common

    def parts(self, ids: Ints, segment: Ints) -> Iterator[Iterator[Keys]]:
        whole = ids != UNKNOWN
        first = np.flatnonzero(whole)
        yield iter([(ids[first], first, first)])
        start = 0
        for more in range(1, self.longest):
            start += self._base**more  # keys of longer runs lie behind those of shorter ones
            whole = whole[:-1] & _in_same_segment(ids, segment, more)
            first = np.flatnonzero(whole)
            key = np.zeros(len(first), np.int64)
            for step in range(more + 1):
                key = key * self._base + ids[first + step]
            yield iter([(key + start, first, first + more)])


class SkipGrams(_WordTerms):
    """Pairs of words in order, at most ``reach`` words apart; the distance does not matter."""

    longest = 2

    def __init__(self, reach: int) -> None:
        if not 1 <= reach <= 10:
            raise ValueError(f"words 1 to 10 apart are paired, got {reach}")
        self._reach = reach

    def parts(self, ids: Ints, segment: Ints) -> Iterator[Iterator[Keys]]:
        yield self._keys(ids, segment)

    def _keys(self, ids: Ints, segment: Ints) -> Iterator[Keys]:
        for distance in range(1, self._reach + 1):
            first = np.flatnonzero(_in_same_segment(ids, segment, distance))
            yield ids[first] * self._base + ids[first + distance], first, first + distance


class CharacterGrams:
    """Runs of ``shortest`` to ``longest`` characters within a word, whose borders count as characters."""

    def __init__(self, shortest: int, longest: int) -> None:
        if not 1 <= shortest <= longest <= 8:
            raise ValueError(f"runs of 1 to 8 characters are compared, got {shortest} to {longest}")
        self._sizes = range(shortest, longest + 1)

    def learn(self, words: BackgroundTokens) -> csr_array:
        used, word_counts = _count([(words.ids, words.owner)], words.owners)
        keys, word = self._of_words([words.forms[number] for number in used.tolist()])
        self._table, gram_counts = _count([(keys, word)], max(1, len(used)))
        counts = gram_counts[:, : len(used)] @ word_counts
        counts.sort_indices()
        return counts

    def find(self, text: TextTokens) -> TermOccurrences:
        keys, word = self._of_words(text.forms)
        return _look_up(self._table, keys, word, word)

    def _of_words(self, forms: Sequence[str]) -> tuple[Ints, Ints]:
        """Hashes of the runs of each word, with the word's number; 63 bits, so that no two collide in practice."""
        padded = [f" {form} " for form in forms]
        lengths = np.array([len(form) for form in padded], np.int64)
        row = "".join(padded).encode("utf-32-le", "surrogatepass")
        codes = np.frombuffer(row, np.uint32).astype(np.uint64)
        word = np.repeat(np.arange(len(padded)), lengths)
        keys, owners = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for size in self._sizes:
            first = np.flatnonzero(word[size - 1 :] == word[: len(word) - size + 1]) if len(word) >= size else word[:0]
            key = np.full(len(first), size, np.uint64)
            for step in range(size):
                key = (key ^ codes[first + step]) * np.uint64(0x9E3779B97F4A7C15)
                key ^= key >> np.uint64(29)
            keys.append((key >> np.uint64(1)).astype(np.int64))
            owners.append(word[first])
        return np.concatenate(keys), np.concatenate(owners)


def _common_words(words: BackgroundTokens, share: float) -> NDArray[np.bool_] | None:
    """Whether each word of the vocabulary is had by more than a share of the people; None where all words count."""
    if share >= 1:
        return None
    pairs = np.unique(words.ids * words.owners + words.owner)
    people = np.bincount(pairs // words.owners, minlength=len(words.forms))
    common: NDArray[np.bool_] = people > share * words.owners
    return common


def _in_same_segment(ids: Ints, segment: Ints, distance: int) -> NDArray[np.bool_]:
    """Of each word: whether it and the word at the distance are known and in the same segment."""
    near: NDArray[np.bool_] = segment[distance:] == segment[:-distance]
    near &= (ids[distance:] != UNKNOWN) & (ids[:-distance] != UNKNOWN)
    return near


def _look_up(table: Ints, keys: Ints, first: Ints, last: Ints) -> TermOccurrences:
    if not len(table):
        return TermOccurrences(*(np.zeros(0, np.int64) for _ in range(3)))
    term = np.minimum(np.searchsorted(table, keys), len(table) - 1)
    is_known = table[term] == keys
    return TermOccurrences(term[is_known], first[is_known], last[is_known])


def _count(pairs: Iterable[tuple[Ints, Ints]], owners: int) -> tuple[Ints, csr_array]:
    """The different keys of pairs of keys and owners, sorted, and the counts [key, owner]."""
    table, both = _join_keys(iter(pairs), owners)
    both.sort()  # one sort in place puts keys and their owners in order
    first = _run_starts(both)
    counts = np.diff(first, append=len(both)).astype(np.float32)
    both = both[first]
    del first
    term = both // owners
    both -= term * owners
    owner = both.astype(np.int32)
    del both
    starts = _run_starts(term)
    table = term[starts] if table is None else table
    return table, csr_array((counts, owner, np.append(starts, len(term))), shape=(len(table), owners))


def _join_keys(pairs: Iterator[tuple[Ints, Ints]], owners: int) -> tuple[Ints | None, Ints]:
    """Key and owner as one number; where that would be too large, of the key's index in a table."""
    parts: list[Ints] = []
    for keys, owner in pairs:
        if int(keys.max(initial=0)) > _LARGEST // owners - 1:
            before = [np.divmod(part, owners) for part in parts]
            every = [*before, (keys, owner), *pairs]
            table, indices = np.unique(np.concatenate([keys for keys, _ in every]), return_inverse=True)
            return table, indices * owners + np.concatenate([owner for _, owner in every])
        parts.append(keys * owners + owner)
    return None, np.concatenate(parts)


def _run_starts(values: Ints) -> Ints:
    """The indices at which sorted values change."""
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1]))) if len(values) else values


Weights = NDArray[np.float32]


class TfIdf:
    """Cosine of (1 + ln tf) · (ln((1 + N) / (1 + df)) + 1) over N people: their lengths do not matter."""

    def learn(self, counts: csr_array) -> csr_array:
        """People's weights [term, person] of their counts, which are overwritten."""
        frequency = np.diff(counts.indptr)
        self._idf = (np.log((1 + counts.shape[1]) / (1 + frequency)) + 1).astype(np.float32)
        weights = np.log(counts.data, out=counts.data)
        weights += 1
        weights *= np.repeat(self._idf, frequency)
        lengths = np.sqrt(np.bincount(counts.indices, weights.astype(np.float64) ** 2, counts.shape[1]))
        weights /= np.where(lengths > 0, lengths, 1).astype(np.float32)[counts.indices]
        return counts

    def weigh(self, terms: Ints, counts: Ints) -> Weights:
        """A text's weights of its terms."""
        raw = self.raw(terms, counts)
        weights: Weights = (raw / (np.sqrt(raw @ raw) or 1)).astype(np.float32)
        return weights

    def raw(self, terms: Ints, counts: Ints) -> Floats:
        """The same but for a factor that all terms share, so that each depends on its own count alone."""
        raw: Floats = (1 + np.log(counts)) * self._idf[terms]
        return raw


class Bm25:
    """Sum over the text's terms of idf · tf (k1 + 1) / (tf + k1 (1 - b + b · length / mean length)).

    idf = ln(1 + (N - df + 0.5) / (df + 0.5)); a person's length is their number of terms.
    """

    def __init__(self, k1: float, b: float) -> None:
        if k1 < 0 or not 0 <= b <= 1:
            raise ValueError(f"BM25 needs k1 of 0 or more and b between 0 and 1, got {k1} and {b}")
        self._k1, self._b = k1, b

    def learn(self, counts: csr_array) -> csr_array:
        frequency, people = np.diff(counts.indptr), counts.shape[1]
        idf = np.log(1 + (people - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
        lengths = np.bincount(counts.indices, counts.data, people)
        relative = lengths / (lengths.mean() or 1)
        damping = (self._k1 * (1 - self._b + self._b * relative)).astype(np.float32)
        weights = counts.data
        weights *= np.float32(self._k1 + 1) / (weights + damping[counts.indices])
        weights *= np.repeat(idf, frequency)
        return counts

    def weigh(self, terms: Ints, counts: Ints) -> Weights:
        return counts.astype(np.float32)

    def raw(self, terms: Ints, counts: Ints) -> Floats:
        return counts.astype(np.float64)


Terms = NGrams | SkipGrams | CharacterGrams
Weighting = TfIdf | Bm25


class Query(NamedTuple):
    """A released text's different terms with weights and counts; its occurrences, and the index of each one's term."""

    terms: Ints
    weights: Weights | Floats
    occurrences: TermOccurrences
    term_index: Ints
    counts: Ints


class SparseAttack(RankingAttack):
    """Base of the attacks by shared terms: a family of terms and a weighting make one."""

    min_score: ClassVar[float] = 0.0
    """As a share of the length of a text's raw weights: people who score no more share nothing with the text."""

    def __init__(self, terms: Terms, weighting: Weighting, stems: str) -> None:
        self.terms, self._weighting, self.stems = terms, weighting, stems
        self._vocabulary = Vocabulary(stems)

    def learn(self, people: Sequence[Person]) -> None:
        self.learn_tokens(self._vocabulary.read(people), self._vocabulary)

    def learn_tokens(self, words: BackgroundTokens, vocabulary: Vocabulary) -> None:
        """Learn people whose words a shared vocabulary has read."""
        self._vocabulary = vocabulary
        self._index: csr_array = self._weighting.learn(self.terms.learn(words))

    def read(self, text: str) -> TextTokens:
        """The words of a released text."""
        return self._vocabulary.read_released(text)

    def all_scores(self, text: str) -> Scores:
        return self.all_scores_of(self.read(text))

    def all_scores_of(self, tokens: TextTokens) -> Scores:
        """As ``all_scores``, of a text that was read."""
        query = self._query(tokens, self._weighting.weigh)
        scores: Scores = query.weights @ self._index[query.terms]
        return scores

    def range_weights(self, text: str, row: int) -> RangeWeights:
        tokens = self.read(text)
        query = self._query(tokens, self._weighting.weigh)
        weights = query.weights.astype(np.float64) * self.weights_of(row, query.terms) / query.counts
        starts, ends = tokens.starts[query.occurrences.first], tokens.ends[query.occurrences.last]
        return merge_range_weights([RangeWeights(starts, ends, weights[query.term_index])])

    def weights_of(self, row: int, terms: Ints) -> Weights | Floats:
        """A person's weights of some terms: a search in all their rows of the index at once."""
        indices = self._index.indices
        low, ends = self._index.indptr[terms].astype(np.int64), self._index.indptr[terms + 1].astype(np.int64)
        high = ends.copy()
        while len(open_ := np.flatnonzero(low < high)):
            middle = (low[open_] + high[open_]) // 2
            before = indices[middle] < row
            low[open_[before]] = middle[before] + 1
            high[open_[~before]] = middle[~before]
        has = low < ends
        has[has] = indices[low[has]] == row
        weights = np.zeros(len(terms), np.float32)
        weights[has] = self._index.data[low[has]]
        return weights

    def _query(self, tokens: TextTokens, weigh: Callable[[Ints, Ints], Weights | Floats]) -> Query:
        occurrences = self.terms.find(tokens)
        terms, term_index, counts = np.unique(occurrences.term, return_inverse=True, return_counts=True)
        return Query(terms, weigh(terms, counts), occurrences, term_index, counts)

    # For protection/, which repairs a release against the attack.

    @property
    def people(self) -> int:
        return len(self._ids)

    def raw_query(self, tokens: TextTokens) -> Query:
        """The query of a text with weights that do not depend on the text's other terms."""
        return self._query(tokens, self._weighting.raw)

    def raw_weights(self, terms: Ints, counts: Ints) -> Floats:
        """A text's raw weights of terms by their counts, which may be 0; as in ``raw_query``."""
        raw = self._weighting.raw(terms, np.maximum(counts, 1))
        return np.where(counts > 0, raw, 0.0)

    def rarity(self, terms: Ints) -> Floats:
        """The raw weights of terms that a text has once each."""
        return self.raw_weights(terms, np.ones(len(terms), np.int64))

    def frequency(self, terms: Ints) -> Ints:
        """How many people have each of some terms."""
        starts = self._index.indptr.astype(np.int64)
        frequency: Ints = starts[terms + 1] - starts[terms]
        return frequency

    def sample(self, size: int) -> tuple[Ints, Weights]:
        """Some terms that people have, with the weights they have there; the same for the same background."""
        entries: Ints = np.random.default_rng(0).integers(max(1, self._index.nnz), size=min(size, self._index.nnz))
        terms = np.searchsorted(self._index.indptr, entries, "right") - 1
        return terms.astype(np.int64), self._index.data[entries]

    def score_change(self, terms: Ints, weights: Floats) -> Floats:
        """What some terms with a text's raw weights add to everyone's score."""
        change: Floats = weights @ self._index[terms]
        return change

    def weights_of_some(self, terms: Ints, rows: Ints) -> csr_array:
        """Some people's weights of some terms: [term, person]."""
        return self._index[terms][:, rows]


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
    for stems, group in group_by_stemming(attacks).items():
        vocabulary = Vocabulary(stems)
        words = vocabulary.read(people)
        for attack in group:
            attack.set_people(ids)
            attack.learn_tokens(words, vocabulary)


class TfIdfAttack(SparseAttack):
    """Link a text to the person with the nearest TF-IDF vector of words and phrases."""

    name: ClassVar[str] = "tfidf"
    goal: ClassVar[str] = "Find whom a text is about by rare words and phrases it shares with what is known of them."
    cite: ClassVar[str | None] = "sparckjones1972"

    def __init__(self, *, longest: int = 2, stems: str = "english", common: float = 1.0) -> None:
        """``longest``: words in a phrase. ``stems``: a Snowball language, or "none" for words as they are.
        ``common``: words that a larger share of people have are left out, as stop words are."""
        super().__init__(NGrams(longest, common), TfIdf(), stems)


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
