"""What a text is compared by: word n-grams, pairs of near words, and pieces of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.attacks.sparse_words import UNKNOWN, Ints, ReadText, Words

_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Occurrences:
    """Terms of a released text: the term's number, and the first and the last word that it stands on."""

    term: Ints
    first: Ints
    last: Ints

    def __len__(self) -> int:
        return len(self.term)


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

    def learn(self, words: Words) -> csr_array:
        self._base = max(1, len(words.forms))
        if self._base**self.longest > _LARGEST // 4:
            raise ValueError(f"{self._base} different words are too many for terms of {self.longest} words")
        found = self.keys(words.ids, words.stretch)
        keys = np.concatenate([part for part, _, _ in found])
        owner = np.concatenate([words.owner[first] for _, first, _ in found])
        del found
        self._table, counts = _counted(keys, owner, words.owners)
        return counts

    def find(self, text: ReadText) -> Occurrences:
        found = self.keys(text.ids, text.stretch)
        keys, first, last = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return _known(self._table, keys, first, last)

    @property
    def longest(self) -> int:
        """Words in the longest term."""
        raise NotImplementedError

    def keys(self, ids: Ints, stretch: Ints) -> list[tuple[Ints, Ints, Ints]]:
        """Keys with first and last word, in parts; terms with an unknown word are left out."""
        raise NotImplementedError


class NGrams(_Phrases):
    """Runs of one to ``longest`` words."""

    def __init__(self, longest: int) -> None:
        if not 1 <= longest <= 3:
            raise ValueError(f"phrases of 1 to 3 words are compared, got {longest}")
        self._longest = longest

    @property
    def longest(self) -> int:
        return self._longest

    def keys(self, ids: Ints, stretch: Ints) -> list[tuple[Ints, Ints, Ints]]:
        whole = ids != UNKNOWN
        at = np.flatnonzero(whole)
        parts = [(ids[at], at, at)]
        start = 0
        for more in range(1, self._longest):
            start += self._base**more  # keys of longer runs lie behind those of shorter ones
            whole = whole[:-1] & _apart(ids, stretch, more)
            at = np.flatnonzero(whole)
            key = np.zeros(len(at), np.int64)
            for step in range(more + 1):
                key = key * self._base + ids[at + step]
            parts.append((key + start, at, at + more))
        return parts


class SkipGrams(_Phrases):
    """Pairs of words in order, at most ``reach`` words apart; the distance does not matter."""

    def __init__(self, reach: int) -> None:
        if not 1 <= reach <= 10:
            raise ValueError(f"words 1 to 10 apart are paired, got {reach}")
        self._reach = reach

    @property
    def longest(self) -> int:
        return 2

    def keys(self, ids: Ints, stretch: Ints) -> list[tuple[Ints, Ints, Ints]]:
        parts = []
        for distance in range(1, self._reach + 1):
            at = np.flatnonzero(_apart(ids, stretch, distance))
            parts.append((ids[at] * self._base + ids[at + distance], at, at + distance))
        return parts


class CharacterGrams:
    """Runs of ``shortest`` to ``longest`` characters within a word, whose borders count as characters."""

    def __init__(self, shortest: int, longest: int) -> None:
        if not 1 <= shortest <= longest <= 8:
            raise ValueError(f"runs of 1 to 8 characters are compared, got {shortest} to {longest}")
        self._sizes = range(shortest, longest + 1)

    def learn(self, words: Words) -> csr_array:
        used, has = _counted(words.ids, words.owner, words.owners)
        keys, word = self._of_words([words.forms[number] for number in used.tolist()])
        self._table, of_words = _counted(keys, word, max(1, len(used)))
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


def _counted(keys: Ints, owner: Ints, owners: int) -> tuple[Ints, csr_array]:
    """The sorted different keys, and [key, owner] counts."""
    if len(keys) and int(keys.max()) > _LARGEST // owners - 1:
        table, keys = np.unique(keys, return_inverse=True)
    else:
        table = None
    both = keys * owners + owner  # one sort in place puts keys and their owners in order
    both.sort()
    first = np.flatnonzero(np.concatenate(([True], both[1:] != both[:-1]))) if len(both) else both
    counts = np.diff(first, append=len(both)).astype(np.float32)
    both = both[first]
    term, of = np.divmod(both, owners)
    starts = np.flatnonzero(np.concatenate(([True], term[1:] != term[:-1]))) if len(term) else term
    ends = np.append(starts, len(term))
    table = term[starts] if table is None else table
    return table, csr_array((counts, of.astype(np.int32), ends), shape=(len(table), owners))
