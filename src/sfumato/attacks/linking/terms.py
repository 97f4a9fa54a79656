"""Terms that texts share: n-grams, skip-grams, pieces of words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from sfumato.attacks.linking.cleaning import UNKNOWN, BackgroundTokens, Ints, TextTokens
from sfumato.attacks.linking.weighting import Weights
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


def count_people_by_word(words: BackgroundTokens) -> Ints:
    """How many people have each word of the vocabulary."""
    pairs = np.unique(words.ids * words.owners + words.owner)
    counts: Ints = np.bincount(pairs // words.owners, minlength=len(words.forms))
    return counts


class _Terms(ABC):
    """Base of the families of terms."""

    common: float = 1.0
    """Words that a larger share of people have are left out, before terms are formed."""
    reach: int
    """How many words, of those that are not left out, the last of a term may come after the first."""
    reads_unknown: ClassVar[bool] = False
    """Whether words that the background does not have may have terms."""
    is_pair: ClassVar[bool] = False
    """Whether a term is its first and its last word alone, whatever stands between them."""
    _left_out: NDArray[np.bool_] | None = None

    def learn(self, words: BackgroundTokens) -> csr_array:
        """How often each owner has each term: [term, owner], counts."""
        people_by_word = count_people_by_word(words) if self.common < 1 else np.zeros(0, np.int64)
        self.prepare(len(words.forms), people_by_word, words.owners)
        table, counts = self.count(words)
        self.set_table(table)
        return counts

    def prepare(self, words: int, people_by_word: Ints, people: int) -> None:
        """Set what depends on the whole background: the number of words, and which of them too many people have."""
        if self.common < 1:  # the last is for UNKNOWN, -1
            self._left_out = np.append(people_by_word > self.common * people, False)

    @abstractmethod
    def count(self, words: BackgroundTokens) -> tuple[Ints, csr_array]:
        """The keys of the terms, sorted, and how often each owner has each: [term, owner]."""

    def set_table(self, table: Ints) -> None:
        """Set the keys of all learned terms, sorted: a term's number is its place there."""
        self._table = table

    @abstractmethod
    def find(self, text: TextTokens) -> TermOccurrences:
        """The learned terms of a released text, in any order."""

    def kept(self, ids: Ints) -> Ints:
        """The indices of words that are not left out."""
        return np.arange(len(ids)) if self._left_out is None else np.flatnonzero(~self._left_out[ids])


class _WordTerms(_Terms):
    """Base of terms of one or more words in order: a key's digits are words, its base the size of the vocabulary."""

    longest: int
    """Words in the longest term."""

    def prepare(self, words: int, people_by_word: Ints, people: int) -> None:
        super().prepare(words, people_by_word, people)
        self._base = max(1, words)
        if self._base**self.longest > _LARGEST // 4:
            raise InputError(
                f"{self._base} different words are too many for phrases of {self.longest}: set longest = 2"
            )

    def count(self, words: BackgroundTokens) -> tuple[Ints, csr_array]:
        kept = self.kept(words.ids)
        owner = words.owner[kept]
        parts = [
            _count(((keys, owner[first]) for keys, first, _ in part), words.owners)
            for part in self.parts(words.ids[kept], words.segment[kept])
        ]
        table = np.concatenate([table for table, _ in parts])
        return table, vstack([counts for _, counts in parts], format="csr")

    def find(self, text: TextTokens) -> TermOccurrences:
        kept = self.kept(text.ids)
        parts = [keys for part in self.parts(text.ids[kept], text.segment[kept]) for keys in part]
        keys, first, last = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return _look_up(self._table, keys, kept[first], kept[last])

    @abstractmethod
    def parts(self, ids: Ints, segment: Ints) -> Iterator[Iterator[Keys]]:
        """Keys of all terms without an unknown word, lazily and in parts, to save memory.

        Every key of a part is below every key of the next.
        """


class NGrams(_WordTerms):
    """Runs of one to ``longest`` words; words that a larger share of people than ``common`` have do not count."""

    def __init__(self, longest: int, common: float = 1.0) -> None:
        if not 1 <= longest <= 3:
            raise ValueError(f"phrases of 1 to 3 words are compared, got {longest}")
        if not 0 < common <= 1:
            raise ValueError(f"common is a share of people, above 0 and up to 1, got {common}")
        self.longest, self.common, self.reach = longest, common, longest - 1

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
    is_pair: ClassVar[bool] = True

    def __init__(self, reach: int) -> None:
        if not 1 <= reach <= 10:
            raise ValueError(f"words 1 to 10 apart are paired, got {reach}")
        self.reach = reach

    def parts(self, ids: Ints, segment: Ints) -> Iterator[Iterator[Keys]]:
        yield self._keys(ids, segment)

    def _keys(self, ids: Ints, segment: Ints) -> Iterator[Keys]:
        for distance in range(1, self.reach + 1):
            first = np.flatnonzero(_in_same_segment(ids, segment, distance))
            yield ids[first] * self._base + ids[first + distance], first, first + distance


class CharacterGrams(_Terms):
    """Runs of ``shortest`` to ``longest`` characters within a word, whose borders count as characters."""

    reach = 0
    reads_unknown: ClassVar[bool] = True

    def __init__(self, shortest: int, longest: int) -> None:
        if not 1 <= shortest <= longest <= 8:
            raise ValueError(f"runs of 1 to 8 characters are compared, got {shortest} to {longest}")
        self._sizes = range(shortest, longest + 1)

    def count(self, words: BackgroundTokens) -> tuple[Ints, csr_array]:
        used, word_counts = _count([(words.ids, words.owner)], words.owners)
        keys, word = self._of_words([words.forms[number] for number in used.tolist()])
        table, gram_counts = _count([(keys, word)], max(1, len(used)))
        counts = gram_counts[:, : len(used)] @ word_counts
        counts.sort_indices()
        return table, counts

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


Terms = NGrams | SkipGrams | CharacterGrams


class Query(NamedTuple):
    """A released text's different terms with weights and counts; its occurrences, and the index of each one's term."""

    terms: Ints
    weights: Weights | Floats
    occurrences: TermOccurrences
    term_index: Ints
    counts: Ints


def find_terms(terms: Terms, tokens: TextTokens, weigh: Callable[[Ints, Ints], Weights | Floats]) -> Query:
    """The terms of a released text, weighed by their counts."""
    occurrences = terms.find(tokens)
    numbers, term_index, counts = np.unique(occurrences.term, return_inverse=True, return_counts=True)
    return Query(numbers, weigh(numbers, counts), occurrences, term_index, counts)
