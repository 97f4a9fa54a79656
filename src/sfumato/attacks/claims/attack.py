"""Someone who knows three facts about a person looks for their record among the sanitized ones (paper 003)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import TOP, margin
from sfumato.attacks.claims.split import content
from sfumato.attacks.linking.sparse.weights import Bm25
from sfumato.document import Attempt, Evidence, Guess
from sfumato.errors import InputError, RecipeError, suggest
from sfumato.knowledge.grammar.lemmas import WORD

Which = Literal["first", "random", "last"]
WHICH: tuple[Which, ...] = ("first", "random", "last")
KNOWN = 3
"""Claims that the attacker knows of each record."""
K1, B = 0.9, 0.4
"""BM25 as Lucene and Pyserini, which the paper uses, have it by default."""


def known_claims(count: int, which: str, seed: int, record: str) -> tuple[int, ...]:
    """Which of a record's claims the attacker knows: the first three, the last, or three drawn for this record."""
    if which not in WHICH:
        raise RecipeError(f"no way {which!r} to choose known claims: {suggest(which, WHICH)}")
    if count < KNOWN:
        raise ValueError(f"{count} claims are too few to know {KNOWN}")
    match which:
        case "first":
            return tuple(range(KNOWN))
        case "last":
            return tuple(range(count - KNOWN, count))
    drawn = _dice(seed, record).choice(count, KNOWN, replace=False)
    return tuple(sorted(map(int, drawn)))


class ClaimsAttack:
    """Find a person's sanitized record by a few facts known about them: BM25 over all sanitized records."""

    name: ClassVar[str] = "claims"
    goal: ClassVar[str] = "Knows three claims of each record, and looks for it among all the sanitized records."
    paper: ClassVar[str | None] = "003"
    extra: ClassVar[str | None] = None

    def __init__(self, *, seed: int = 0) -> None:
        """``seed``: settles ties, and what is guessed where nothing fits."""
        self._seed = seed

    def fit(self, released: Mapping[str, str]) -> Self:
        """Index the sanitized records (id -> text); empty ones are kept: they may be guessed blindly."""
        if not released:
            raise InputError("there is no sanitized record to look in: give at least one")
        self._ids, self._texts = list(released), list(released.values())
        self._index = Index([content(text) for text in self._texts])
        return self

    def run(self, known: Mapping[str, Sequence[str]]) -> list[Attempt]:
        """One attempt for each person, by the claims known of them; the guesses are sanitized records' ids.

        Where no record shares a word with the claims there is one blind guess, of score 0.
        """
        return [self._attempt(person, " ".join(claims)) for person, claims in known.items()]

    def _attempt(self, person: str, query: str) -> Attempt:
        terms = Counter(content(query))
        scores = self._index.scores(terms)
        fitting = self._best(scores, person)
        guesses = tuple(Guess(self._ids[number], float(scores[number])) for number in fitting)
        sure = margin(guesses) if guesses[0].score else 0.0
        return Attempt(self.name, person, guesses, None, sure, self._evidence(fitting[0], terms))

    def _best(self, scores: NDArray[np.float64], person: str) -> list[int]:
        """The records that fit best, or one blind guess. Ties fall to the dice: the records' order must not help."""
        dice = _dice(self._seed, person)
        least = np.partition(scores, -TOP)[-TOP] if len(scores) > TOP else 0.0
        able = np.flatnonzero((scores >= least) & (scores > 0))
        if not len(able):
            return [int(dice.integers(len(scores)))]
        order = np.lexsort((dice.random(len(able)), -scores[able]))[:TOP]
        return [int(number) for number in able[order]]

    def _evidence(self, record: int, terms: Mapping[str, int]) -> tuple[Evidence, ...]:
        """The words of the linked record that the claims share, each where it first stands there."""
        found: dict[str, Evidence] = {}
        for match in WORD.finditer(self._texts[record]):
            for term in content(match[0]):
                if term in terms and term not in found:
                    weight = terms[term] * self._index.weight(term, record)
                    found[term] = Evidence(match[0], weight, match.start(), match.end())
        return tuple(sorted(found.values(), key=lambda item: (-item.weight, item.start)))


class Index:
    """BM25 weights of terms in records."""

    def __init__(self, records: Sequence[Sequence[str]]) -> None:
        from scipy.sparse import csr_array

        self._terms: dict[str, int] = {}
        rows, columns = list[int](), list[int]()
        for number, record in enumerate(records):
            for term in record:
                rows.append(self._terms.setdefault(term, len(self._terms)))
                columns.append(number)
        shape = (len(self._terms), len(records))
        counts = csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)
        self._weights, self._size = Bm25(K1, B).learn(counts), len(records)

    def scores(self, query: Mapping[str, int]) -> NDArray[np.float64]:
        """Of each record: the sum of the weights of the query's terms in it, a term said twice counting twice."""
        found = np.zeros(self._size)
        for term in query.keys() & self._terms.keys():
            records, weights = self._row(term)
            found[records] += query[term] * weights
        return found

    def weight(self, term: str, record: int) -> float:
        """Of one term in one record that has it."""
        records, weights = self._row(term)
        return float(weights[records == record].sum())

    def _row(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        number = self._terms[term]
        part = slice(*self._weights.indptr[number : number + 2])
        return self._weights.indices[part], self._weights.data[part]


def _dice(seed: int, record: str) -> np.random.Generator:
    return np.random.default_rng([seed, crc32(record.encode("utf-8", "surrogatepass"))])
