"""What a text is compared by: word n-grams, pairs of near words, and pieces of words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.attacks.linking.sparse.words import UNKNOWN, Ints, ReadText, Words
from sfumato.errors import InputError

Keys = tuple[Ints, Ints, Ints]
"""Keys of terms, and the first and the last word of each."""
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Occurrences:
    """Terms of a released text: the term's number, and the first and the last word that it stands on."""

    term: Ints
    first: Ints
    last: Ints


class Terms(Protocol):
    """A family of terms."""

    def learn(self, words: Words) -> csr_array:
        """How often each owner has each term: [term, owner], counts."""
        ...

    def find(self, text: ReadText) -> Occurrences:
        """The learned terms of a released text, in any order."""
        ...


class _Phrases:
    """Base of terms that are one or more words in order: a key's digits are words, its base is their number."""

    longest: int
    """Words in the longest term."""

    def learn(self, words: Words) -> csr_array:
        self._base = max(1, len(words.forms))
        if self._base**self.longest > _LARGEST // 4:
            raise InputError(
                f"{self._base} different words are too many for phrases of {self.longest}: set longest = 2"
            )
        parts = [
            _counted(((keys, words.owner[first]) for keys, first, _ in part), words.owners)
            for part in self.parts(words.ids, words.stretch)
        ]
        self._table = np.concatenate([table for table, _ in parts])
        return _stacked([counts for _, counts in parts])

    def find(self, text: ReadText) -> Occurrences:
        found = [keys for part in self.parts(text.ids, text.stretch) for keys in part]
        keys, first, last = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return _known(self._table, keys, first, last)

    def parts(self, ids: Ints, stretch: Ints) -> Iterator[Iterator[Keys]]:
        """Keys of all terms, those with an unknown word left out. Lazily and in parts, to save memory.

        Every key of a part is below every key of the next.
        """
        raise NotImplementedError


class NGrams(_Phrases):
    """Runs of one to ``longest`` words."""

    def __init__(self, longest: int) -> None:
        if not 1 <= longest <= 3:
            raise ValueError(f"phrases of 1 to 3 words are compared, got {longest}")
        self.longest = longest

    def parts(self, ids: Ints, stretch: Ints) -> Iterator[Iterator[Keys]]:
        whole = ids != UNKNOWN
        at = np.flatnonzero(whole)
        yield iter([(ids[at], at, at)])
        start = 0
        for more in range(1, self.longest):
            start += self._base**more  # keys of longer runs lie behind those of shorter ones
            whole = whole[:-1] & _apart(ids, stretch, more)
            at = np.flatnonzero(whole)
            key = np.zeros(len(at), np.int64)
            for step in range(more + 1):
                key = key * self._base + ids[at + step]
            yield iter([(key + start, at, at + more)])


class SkipGrams(_Phrases):
    """Pairs of words in order, at most ``reach`` words apart; the distance does not matter."""

    longest = 2

    def __init__(self, reach: int) -> None:
        if not 1 <= reach <= 10:
            raise ValueError(f"words 1 to 10 apart are paired, got {reach}")
        self._reach = reach

    def parts(self, ids: Ints, stretch: Ints) -> Iterator[Iterator[Keys]]:
        yield self._keys(ids, stretch)

    def _keys(self, ids: Ints, stretch: Ints) -> Iterator[Keys]:
        for distance in range(1, self._reach + 1):
            at = np.flatnonzero(_apart(ids, stretch, distance))
            yield ids[at] * self._base + ids[at + distance], at, at + distance


class CharacterGrams:
    """Runs of ``shortest`` to ``longest`` characters within a word, whose borders count as characters."""

    def __init__(self, shortest: int, longest: int) -> None:
        if not 1 <= shortest <= longest <= 8:
            raise ValueError(f"runs of 1 to 8 characters are compared, got {shortest} to {longest}")
        self._sizes = range(shortest, longest + 1)

    def learn(self, words: Words) -> csr_array:
        used, has = _counted([(words.ids, words.owner)], words.owners)
        keys, word = self._of_words([words.forms[number] for number in used.tolist()])
        self._table, of_words = _counted([(keys, word)], max(1, len(used)))
        counts = of_words[:, : len(used)] @ has
        counts.sort_indices()
        return counts

    def find(self, text: ReadText) -> Occurrences:
        keys, word = self._of_words(text.forms)
        return _known(self._table, keys, word, word)

    def _of_words(self, forms: Sequence[str]) -> tuple[Ints, Ints]:
        """Hashes of the runs of each word, with the word's number; as wide as a key, so that no two meet."""
        padded = [f" {form} " for form in forms]
        lengths = np.array([len(form) for form in padded], np.int64)
        row = "".join(padded).encode("utf-32-le", "surrogatepass")
        codes = np.frombuffer(row, np.uint32).astype(np.uint64)
        word = np.repeat(np.arange(len(padded)), lengths)
        keys, owners = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for size in self._sizes:
            at = np.flatnonzero(word[size - 1 :] == word[: len(word) - size + 1]) if len(word) >= size else word[:0]
            key = np.full(len(at), size, np.uint64)
            for step in range(size):
                key = (key ^ codes[at + step]) * np.uint64(0x9E3779B97F4A7C15)
                key ^= key >> np.uint64(29)
            keys.append((key >> np.uint64(1)).astype(np.int64))
            owners.append(word[at])
        return np.concatenate(keys), np.concatenate(owners)


def _apart(ids: Ints, stretch: Ints, distance: int) -> NDArray[np.bool_]:
    """Whether a known word is followed, so many words on in the same stretch, by another; shorter by the distance."""
    near: NDArray[np.bool_] = stretch[distance:] == stretch[:-distance]
    near &= (ids[distance:] != UNKNOWN) & (ids[:-distance] != UNKNOWN)
    return near


def _known(table: Ints, keys: Ints, first: Ints, last: Ints) -> Occurrences:
    if not len(table):
        return Occurrences(*(np.zeros(0, np.int64) for _ in range(3)))
    term = np.minimum(np.searchsorted(table, keys), len(table) - 1)
    known = table[term] == keys
    return Occurrences(term[known], first[known], last[known])


def _stacked(parts: Sequence[csr_array]) -> csr_array:
    ends, size = [np.zeros(1, np.int64)], 0
    for part in parts:
        ends.append(part.indptr[1:].astype(np.int64) + size)
        size += part.nnz
    data, indices = (np.concatenate([getattr(part, name) for part in parts]) for name in ("data", "indices"))
    rows = sum(part.shape[0] for part in parts)
    return csr_array((data, indices, np.concatenate(ends)), shape=(rows, parts[0].shape[1]))


def _counted(found: Iterable[tuple[Ints, Ints]], owners: int) -> tuple[Ints, csr_array]:
    """The sorted different keys of keys and their owners, and [key, owner] counts."""
    table, both = _numbered(iter(found), owners)
    both.sort()  # one sort in place puts keys and their owners in order
    first = _changes(both)
    counts = np.diff(first, append=len(both)).astype(np.float32)
    both = both[first]
    del first
    term = both // owners
    both -= term * owners
    of = both.astype(np.int32)
    del both
    starts = _changes(term)
    table = term[starts] if table is None else table
    return table, csr_array((counts, of, np.append(starts, len(term))), shape=(len(table), owners))


def _numbered(found: Iterator[tuple[Ints, Ints]], owners: int) -> tuple[Ints | None, Ints]:
    """Key and owner as one number; where that would be too large, of the key's place in a table."""
    parts: list[Ints] = []
    for keys, owner in found:
        if int(keys.max(initial=0)) > _LARGEST // owners - 1:
            before = [np.divmod(part, owners) for part in parts]
            pairs = [*before, (keys, owner), *found]
            table, places = np.unique(np.concatenate([keys for keys, _ in pairs]), return_inverse=True)
            return table, places * owners + np.concatenate([owner for _, owner in pairs])
        parts.append(keys * owners + owner)
    return None, np.concatenate(parts)


def _changes(values: Ints) -> Ints:
    """Where a row of sorted values has a new one."""
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1]))) if len(values) else values
