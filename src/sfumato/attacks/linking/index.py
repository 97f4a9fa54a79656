"""Indexes of terms and people (the weights of a person's terms): in memory, or in shards on disk for large backgrounds.

A shard holds the people of some rows. Words are read once; the terms of each shard are counted and written; their keys
are merged into one sorted table with the number of people who have each; then each shard is weighted. One shard is in
memory at a time (one a thread when releases are scored), and the best people of every shard are merged into the best of
all. Sums over terms run in the order in which one index in memory would add them, so that scores, ranks and evidence
are equal to the bit.

The files hold numbers of words and no words; they have no name, so that none is left behind.
"""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import BackgroundTokens, Ints, Vocabulary
from sfumato.attacks.linking.ranking import top_rows
from sfumato.attacks.linking.terms import Terms, count_people_by_word
from sfumato.attacks.linking.weighting import Weighting, Weights
from sfumato.errors import InputError
from sfumato.files import reports_full_disk
from sfumato.models.base import Floats
from sfumato.parallel import Engine

MEMORY_CHARACTERS = 250_000_000
"""Of a background that is indexed in memory, at most; phrases of two words take it to some 3 GB."""
SHARD_CHARACTERS = 32_000_000
"""Of the texts of a shard; some 4 million words."""
_FEW_TERMS = 100
"""Terms whose weights are added one by one."""
_MERGED_KEYS = 1 << 24
"""Keys that are merged at once."""
_MOST_TERMS = 2**32
"""Terms have numbers of 32 bits."""
_THREADS = 2
"""Shards that are scored at once: each is some 100 MB."""


class MemoryIndex:
    """All weights in memory. ``ShardedIndex`` has the same methods, for backgrounds that are too large for it."""

    def __init__(self, matrix: csr_array) -> None:
        self.matrix = matrix

    def scores(self, terms: Ints, weights: Weights | Floats) -> NDArray[Any]:
        """What some terms with a text's weights add to everyone's score, in the precision of these weights."""
        if len(terms) > _FEW_TERMS:
            scores: NDArray[Any] = weights @ self.matrix[terms]
            return scores
        # The same sums in the same order, without a copy of the rows as a matrix.
        indptr, indices, data = self.matrix.indptr, self.matrix.indices, self.matrix.data
        scores = np.zeros(self.matrix.shape[1], np.result_type(weights, data))
        for term, weight in zip(terms.tolist(), weights, strict=True):
            row = slice(indptr[term], indptr[term + 1])
            scores[indices[row]] += weight * data[row]
        return scores

    def weights_of(self, row: int, terms: Ints) -> Weights:
        """A person's weights of some terms: a search in all their rows of the index at once."""
        indices = self.matrix.indices
        low, ends = self.matrix.indptr[terms].astype(np.int64), self.matrix.indptr[terms + 1].astype(np.int64)
        high = ends.copy()
        while len(open_ := np.flatnonzero(low < high)):
            middle = (low[open_] + high[open_]) // 2
            before = indices[middle] < row
            low[open_[before]] = middle[before] + 1
            high[open_[~before]] = middle[~before]
        has = low < ends
        has[has] = indices[low[has]] == row
        weights = np.zeros(len(terms), np.float32)
        weights[has] = self.matrix.data[low[has]]
        return weights

    def frequency(self, terms: Ints) -> Ints:
        """How many people have each of some terms."""
        starts = self.matrix.indptr.astype(np.int64)
        frequency: Ints = starts[terms + 1] - starts[terms]
        return frequency

    def sample(self, size: int) -> tuple[Ints, Weights]:
        """Some terms that people have, with the weights they have there; the same for the same background."""
        matrix = self.matrix
        entries: Ints = np.random.default_rng(0).integers(max(1, matrix.nnz), size=min(size, matrix.nnz))
        terms = np.searchsorted(matrix.indptr, entries, "right") - 1
        return terms.astype(np.int64), matrix.data[entries]

    def weights_of_some(self, terms: Ints, rows: Ints) -> csr_array:
        """Some people's weights of some terms: [term, person]."""
        return self.matrix[terms][:, rows]


class _Storage:
    """A file without a name, to which arrays are added; it is gone with the last of them."""

    def __init__(self) -> None:
        self.file: IO[bytes] = tempfile.TemporaryFile(prefix="sfumato-")  # noqa: SIM115
        self.lock = threading.Lock()
        self._end = 0
        weakref.finalize(self, self.file.close)

    def add(self, values: NDArray[Any]) -> _DiskArray:
        array = self.reserve(values.dtype, len(values))
        array.overwrite(values)
        return array

    def reserve(self, dtype: np.dtype[Any], size: int) -> _DiskArray:
        start = -(-self._end // 64) * 64
        self._end = start + size * dtype.itemsize
        return _DiskArray(self, start, dtype, size)


@dataclass(frozen=True)
class _DiskArray:
    """An array in a file that several arrays share."""

    storage: _Storage
    offset: int
    dtype: np.dtype[Any]
    size: int

    def load(self) -> NDArray[Any]:
        values = np.empty(self.size, self.dtype)
        with self.storage.lock:
            self.storage.file.seek(self.offset)
            self.storage.file.readinto(values.view(np.uint8).data)  # type: ignore[attr-defined]
        return values

    def overwrite(self, values: NDArray[Any]) -> None:
        with self.storage.lock, reports_full_disk(tempfile.gettempdir()):
            self.storage.file.seek(self.offset)
            self.storage.file.write(np.ascontiguousarray(values, self.dtype).view(np.uint8).data)
            self.storage.file.flush()

    def map(self) -> NDArray[Any]:
        """The array where it lies: what is used of it is read."""
        if not self.size:
            return np.empty(0, self.dtype)
        with self.storage.lock:  # it moves the file's position
            return np.memmap(self.storage.file, self.dtype, "r", self.offset, (self.size,))

    def part(self, start: int, end: int) -> _DiskArray:
        return _DiskArray(self.storage, self.offset + start * self.dtype.itemsize, self.dtype, end - start)


class TokenShards:
    """The words of a background on disk, in shards of people who come in the order of their rows."""

    def __init__(self, people: Sequence[Person], vocabulary: Vocabulary, shard_characters: int | None = None) -> None:
        self.vocabulary = vocabulary
        self.people = len(people)
        storage = _Storage()
        self._shards: list[tuple[int, _DiskArray, _DiskArray, _DiskArray]] = []
        self.people_by_word = np.zeros(0, np.int64)
        for shard in _split(people, shard_characters or SHARD_CHARACTERS):
            tokens = vocabulary.read(shard)
            starts = np.flatnonzero(np.diff(tokens.segment, prepend=-1))  # texts without words have no segment
            arrays = (tokens.ids.astype(np.int32), starts, tokens.owner[starts].astype(np.int32))
            ids, first, owner = (storage.add(values) for values in arrays)
            self._shards.append((len(shard), ids, first, owner))
            counts = count_people_by_word(tokens)
            counts[: len(self.people_by_word)] += self.people_by_word
            self.people_by_word = counts

    def __iter__(self) -> Iterator[BackgroundTokens]:
        """The words of each shard; its people are numbered from 0."""
        forms = self.vocabulary.forms
        for people, ids, starts, owners in self._shards:
            first = starts.load()
            sizes = np.diff(first, append=ids.size)
            owner = np.repeat(owners.load().astype(np.int64), sizes)
            segment = np.repeat(np.arange(len(first)), sizes)
            yield BackgroundTokens(ids.load().astype(np.int64), owner, segment, np.zeros(ids.size, bool), people, forms)


def needs_shards(people: Iterable[Person]) -> bool:
    """Whether a background is too large for an index in memory."""
    return sum(len(text) for person in people for text in person.texts) > MEMORY_CHARACTERS


def _split(people: Sequence[Person], characters: int) -> Iterator[Sequence[Person]]:
    first = size = 0
    for number, person in enumerate(people):
        size += sum(map(len, person.texts))
        if size >= characters:
            yield people[first : number + 1]
            first, size = number + 1, 0
    if first < len(people):
        yield people[first:]


@dataclass(frozen=True)
class Shard:
    """The weights of some people: a sparse matrix [term, person] whose terms have the numbers ``terms``."""

    first_row: int
    people: int
    terms: _DiskArray
    indptr: _DiskArray
    indices: _DiskArray
    data: _DiskArray

    def load(self) -> LoadedShard:
        return LoadedShard(self.terms.load(), self._matrix(*(part.load() for part in self._parts())))

    def map(self) -> LoadedShard:
        """The shard where it lies, to look up a few terms."""
        return LoadedShard(self.terms.map(), self._matrix(*(part.map() for part in self._parts())))

    def _parts(self) -> tuple[_DiskArray, _DiskArray, _DiskArray]:
        return self.data, self.indices, self.indptr

    def _matrix(self, data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any]) -> csr_array:
        return csr_array((data, indices, indptr), shape=(self.terms.size, self.people))


@dataclass(frozen=True)
class LoadedShard:
    """A shard whose arrays can be used."""

    terms: NDArray[np.uint32]
    matrix: csr_array

    def find(self, terms: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """The rows of those of some terms that its people have, and which these are."""
        if not len(self.terms):
            return np.zeros(0, np.int64), np.zeros(len(terms), bool)
        wanted = terms.astype(self.terms.dtype)
        places = np.minimum(np.searchsorted(self.terms, wanted), len(self.terms) - 1)
        is_here = self.terms[places] == wanted
        return places[is_here], is_here

    def scores(self, terms: Ints, weights: Weights | Floats) -> NDArray[Any]:
        """Of its people, in the precision of the text's weights."""
        rows, is_here = self.find(terms)
        scores: NDArray[Any] = weights[is_here] @ self.matrix[rows]
        return scores


class ShardedIndex:
    """As ``MemoryIndex``, in shards on disk."""

    def __init__(self, terms: Terms, weighting: Weighting, tokens: TokenShards, engine: Engine | None = None) -> None:
        """``engine``: what counts and scores the shards, in the place of this process."""
        self.people = tokens.people
        self._engine = engine
        storage, keys_storage = _Storage(), _Storage()
        terms.prepare(len(tokens.vocabulary.forms), tokens.people_by_word, tokens.people)
        counted: list[tuple[int, _DiskArray, list[_DiskArray]]] = []
        lengths = np.zeros(tokens.people)
        row = 0
        count = terms.count
        for keys, counts in map(count, tokens) if engine is None else engine.map(partial(_Applied, count), tokens):
            people = counts.shape[1]
            parts = [counts.indptr.astype(np.int32), counts.indices.astype(np.int32), counts.data.astype(np.float32)]
            counted.append((people, keys_storage.add(keys), [storage.add(part) for part in parts]))
            lengths[row : row + people] = np.bincount(counts.indices, counts.data, people)
            row += people
        first_rows = accumulate((people for people, _, _ in counted), initial=0)
        self._shards = [
            Shard(first, people, storage.reserve(np.dtype(np.uint32), keys.size), *arrays)
            for first, (people, keys, arrays) in zip(first_rows, counted, strict=False)
        ]
        table, frequency = _merge_keys([keys for _, keys, _ in counted], self._shards, storage)
        terms.set_table(table.map())
        self._frequency = frequency.map()
        stored = storage.reserve(np.dtype(np.float32), frequency.size)
        for start in range(0, frequency.size, _MERGED_KEYS):
            part = weighting.rarity(self._frequency[start : start + _MERGED_KEYS].astype(np.int64), tokens.people)
            stored.part(start, start + len(part)).overwrite(part)
        rarity = stored.map()
        weighting.set_rarity(rarity)
        mean_length = float(lengths.mean())
        for shard in self._shards:
            loaded = shard.load()
            shard.data.overwrite(weighting.weigh_people(loaded.matrix, rarity[loaded.terms], mean_length).data)

    def top(self, queries: Sequence[tuple[Ints, Weights | Floats]], size: int) -> list[list[tuple[int, float]]]:
        """For each query of terms and weights the rows of the best people with their scores, as ``top_rows`` orders.

        The best of each shard are merged; rows of a later shard are higher, so that equal scores stay in order.
        """
        find_best = partial(_top_of_shard, queries, size)
        if self._engine is None:
            with ThreadPoolExecutor(_THREADS) as pool:
                of_shards = list(pool.map(lambda shard: find_best((shard.first_row, shard.load())), self._shards))
        else:
            shards = ((shard.first_row, shard.load()) for shard in self._shards)
            of_shards = list(self._engine.map(partial(_Applied, find_best), shards))
        return [merge_top(of_query, size) for of_query in zip(*of_shards, strict=True)] if of_shards else []

    def scores(self, terms: Ints, weights: Weights | Floats) -> NDArray[Any]:
        """What some terms with a text's weights add to everyone's score."""
        return np.concatenate([shard.map().scores(terms, weights) for shard in self._shards])

    def weights_of(self, row: int, terms: Ints) -> Weights:
        """A person's weights of some terms."""
        shard = next(shard for shard in reversed(self._shards) if shard.first_row <= row)
        loaded = shard.map()
        rows, is_here = loaded.find(terms)
        weights = np.zeros(len(terms), np.float32)
        weights[is_here] = MemoryIndex(loaded.matrix).weights_of(row - shard.first_row, rows)
        return weights

    def frequency(self, terms: Ints) -> Ints:
        """How many people have each of some terms."""
        frequency: Ints = self._frequency[terms].astype(np.int64)
        return frequency

    def weights_of_some(self, terms: Ints, rows: Ints) -> csr_array:
        """Some people's weights of some terms: [term, person]."""
        columns = [csr_array((len(rows), len(terms)), dtype=np.float32)]
        for shard in self._shards:
            inside = np.flatnonzero((rows >= shard.first_row) & (rows < shard.first_row + shard.people))
            if len(inside):
                loaded = shard.map()
                places, is_here = loaded.find(terms)
                part = loaded.matrix[places][:, rows[inside] - shard.first_row].tocoo()
                at = (inside[part.col], np.flatnonzero(is_here)[part.row])
                columns.append(csr_array((part.data, at), shape=(len(rows), len(terms))))
        return sum(columns[1:], columns[0]).T.tocsr()

    def sample(self, size: int) -> tuple[Ints, Weights]:
        """Some terms that people have, with the weights they have there; the same for the same background."""
        total = sum(shard.data.size for shard in self._shards)
        entries: Ints = np.random.default_rng(0).integers(max(1, total), size=min(size, total))
        terms, nth = self._terms_of_entries(entries)
        weights = np.zeros(len(entries), np.float32)
        for shard in self._shards:  # the n-th of all people who have a term is in one of them
            loaded = shard.map()
            rows, is_here = loaded.find(terms)
            starts, ends = loaded.matrix.indptr[rows], loaded.matrix.indptr[rows + 1]
            here, degree = np.flatnonzero(is_here), ends - starts
            is_inside = (nth[here] >= 0) & (nth[here] < degree)
            weights[here[is_inside]] = loaded.matrix.data[starts[is_inside] + nth[here[is_inside]]]
            nth[here] -= degree
        return terms, weights

    def _terms_of_entries(self, entries: Ints) -> tuple[Ints, Ints]:
        """Of entries that are numbered term by term: the term, and which of the people who have it."""
        terms, nth = np.zeros(len(entries), np.int64), np.zeros(len(entries), np.int64)
        before = 0
        for first in range(0, len(self._frequency), _MERGED_KEYS):
            ends = before + np.cumsum(self._frequency[first : first + _MERGED_KEYS], dtype=np.int64)
            inside = np.flatnonzero((entries >= before) & (entries < ends[-1]))
            places = np.searchsorted(ends, entries[inside], "right")
            terms[inside] = first + places
            nth[inside] = entries[inside] - np.where(places > 0, ends[places - 1], before)
            before = int(ends[-1])
        return terms, nth


class _Applied:
    """A function as what a worker of an engine applies; ``partial(_Applied, function)`` makes it there."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def __call__(self, item: Any) -> Any:
        return self._function(item)


def _top_of_shard(
    queries: Sequence[tuple[Ints, Weights | Floats]], size: int, shard: tuple[int, LoadedShard]
) -> list[list[tuple[int, float]]]:
    first_row, loaded = shard
    best = []
    for query in queries:
        scores = loaded.scores(*query)
        best.append([(first_row + row, float(scores[row])) for row in top_rows(scores, size)])
    return best


def merge_top(parts: Iterable[Sequence[tuple[int, float]]], size: int) -> list[tuple[int, float]]:
    """The best rows of all parts, best first; of equal ones the lowest row."""
    return sorted((pair for part in parts for pair in part), key=lambda pair: (-pair[1], pair[0]))[:size]


def _merge_keys(
    tables: Sequence[_DiskArray], shards: Sequence[Shard], storage: _Storage
) -> tuple[_DiskArray, _DiskArray]:
    """The keys of all shards, sorted, and how many people have each; writes the numbers of each shard's terms.

    Keys are merged in ranges, so that few are in memory at once.
    """
    mapped = [table.map() for table in tables]
    degrees = [np.diff(shard.indptr.load()) for shard in shards]
    total = sum(len(keys) for keys in mapped)
    merged = storage.reserve(np.dtype(np.int64), total)
    frequencies = storage.reserve(np.dtype(np.int32), total)
    written = 0
    at = [0] * len(mapped)
    for border in _borders(mapped, max(1, -(-total // _MERGED_KEYS))):
        ends = [len(keys) if border is None else int(np.searchsorted(keys, border)) for keys in mapped]
        parts = [np.asarray(keys[start:end]) for keys, start, end in zip(mapped, at, ends, strict=True)]
        keys = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        keys.sort(kind="stable")  # of sorted parts, so that they are merged
        keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if len(keys) else keys
        if written + len(keys) > _MOST_TERMS:
            raise InputError("the background has more than four billion different terms: set longest = 1")
        frequency = np.zeros(len(keys), np.int32)
        for shard, part, degree, start, end in zip(shards, parts, degrees, at, ends, strict=True):
            places = np.searchsorted(keys, part)
            frequency[places] += degree[start:end]
            shard.terms.part(start, end).overwrite((places + written).astype(np.uint32))
        merged.part(written, written + len(keys)).overwrite(keys)
        frequencies.part(written, written + len(keys)).overwrite(frequency)
        written += len(keys)
        at = ends
    return merged.part(0, written), frequencies.part(0, written)


def _borders(tables: Sequence[NDArray[Any]], parts: int) -> Iterator[int | None]:
    """Keys that split all tables into about equal parts, and None for the end."""
    total = sum(map(len, tables))
    step = max(1, total // (parts * 1000))
    sample = np.sort(np.concatenate([np.asarray(table[::step]) for table in tables])) if total else np.zeros(0)
    for part in range(1, parts):
        yield int(sample[part * len(sample) // parts])
    yield None
