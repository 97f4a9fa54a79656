"""Pieces of what is written about people, drawn from the file of ``prepare.py``: what is released, and what is known.

A query is a piece of a person's text as released, a document another piece about the same person in clear.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WINDOW = 256
"""Tokens of a piece, with [CLS] and [SEP]."""
FIRST, LAST = 101, 102
"""[CLS] and [SEP]."""
NO_WORD = 2**16 - 1
CLEAR_QUERIES = 0.12
SCATTERED = 0.3
"""Share of the cuts that draw sentences from anywhere; the others cut a text in two."""
SET_WEIGHTS = {
    "rulings": 3.0, "db_bio": 3.0, "wikibio": 2.0, "everyday": 1.0, "synthpai": 1.0, "panorama": 0.5,
    "personalreddit": 0.25,
}  # fmt: skip
"""How often a set is drawn."""
CAPITALS = "capitals"
_CAPITALS_WEIGHT = 0.5
NEIGHBOUR_BATCHES, NEIGHBOURS = 0.6, 11
"""Share of the batches that are made of people with similar words, and how many come with each."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Text:
    """A text's sentences by version: the number of the first, and how many."""

    side: str
    versions: dict[str, int]
    sentences: int


class Pieces(NamedTuple):
    """Pieces as the network reads them; ``word_of``: the slot of each token's word, -1 for none."""

    ids: Ints
    mask: NDArray[np.bool_]
    word_of: Ints
    weights: Floats
    """[piece, slot]: rarity as the attack weighs it, summing to 1; 0 for a slot without a word."""
    forms: Ints
    """[piece, slot]; -1 for a slot without a word."""


class People:
    """The file, and draws from it."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as arrays:
            self._tokens, self._word_of = arrays["tokens"].astype(np.int64), arrays["word_of"].astype(np.int64)
            self._forms, self._rarity = arrays["forms"].astype(np.int64), arrays["rarity"].astype(np.float32)
            self._token_ends, self._word_ends = (
                np.concatenate([[0], arrays[name].astype(np.int64)]) for name in ("token_ends", "word_ends")
            )
            versions, people = arrays["versions"], arrays["people"].astype(np.int64)
            self._neighbours = arrays["neighbours"]
            self.sets, names = arrays["sets"].tolist(), arrays["names"].tolist()
        texts: dict[int, dict[int, Text]] = defaultdict(dict)
        for person, text, side, name, first, count in versions.tolist():
            known = texts[person].setdefault(text, Text(("both", "release", "background")[side], {}, count))
            known.versions[names[name]] = first
        self.texts = [list(texts[person].values()) for person in range(len(people))]
        self.set_of, self._part_of = people[:, 0], people[:, 1]

    def rows(self, name: str, parts: Sequence[str]) -> Ints:
        """People of a set and of some of the parts train, validation and held out."""
        wanted = [("train", "validation", "held out").index(part) for part in parts]
        return np.flatnonzero((self.set_of == self.sets.index(name)) & np.isin(self._part_of, wanted))

    def draw(self, person: int, random: np.random.Generator) -> tuple[list[int], list[int]]:
        """The sentences of a query and of a document."""
        texts = self.texts[person]
        if any(text.side == "release" for text in texts):
            query = [number for text in texts if text.side == "release" for number in _sentences(text, random)]
            document = [number for text in texts if text.side != "release" for number in _clear(text)]
        else:
            order = random.permutation(len(texts))
            shown = [number for index in order for number in _sentences(texts[index], random)]
            known = [number for index in order for number in _clear(texts[index])]
            query, document = _cut(shown, known, random)
        return self._window(query, random), self._window(document, random)

    def _window(self, sentences: list[int], random: np.random.Generator) -> list[int]:
        """As many sentences in a row as fit in a window, beginning anywhere."""
        sizes = np.array([self._token_ends[number + 1] - self._token_ends[number] for number in sentences])
        last = max(1, int(np.searchsorted(np.cumsum(sizes[::-1]), WINDOW - 2, "right")))  # so many at the end fit
        start = int(random.integers(0, len(sentences) - last + 1))
        count = int(np.searchsorted(np.cumsum(sizes[start:]), WINDOW - 2, "left")) + 1
        return sentences[start : start + count]

    def assemble(self, pieces: Sequence[Sequence[int]]) -> Pieces:
        """Pieces of sentences as arrays, as wide as the longest."""
        rows = [self._piece(sentences) for sentences in pieces]
        length, slots = max(len(row[0]) for row in rows), max(1, *(len(row[2]) for row in rows))
        ids, word_of = np.zeros((len(rows), length), np.int64), np.full((len(rows), length), -1)
        mask = np.zeros((len(rows), length), bool)
        weights, forms = np.zeros((len(rows), slots), np.float32), np.full((len(rows), slots), -1)
        for number, (tokens, words, kinds, rarity) in enumerate(rows):
            ids[number, : len(tokens)], word_of[number, : len(tokens)], mask[number, : len(tokens)] = (
                tokens,
                words,
                True,
            )
            forms[number, : len(kinds)] = kinds
            weights[number, : len(kinds)] = _weights(kinds, rarity)
        return Pieces(ids, mask, word_of, weights, forms)

    def _piece(self, sentences: Sequence[int]) -> tuple[Ints, Ints, Ints, Floats]:
        tokens, words, forms, rarity = [], [], [], []
        slot = 0
        for number in sentences:
            start, end = self._token_ends[number], self._token_ends[number + 1]
            first, last = self._word_ends[number], self._word_ends[number + 1]
            place = self._word_of[start:end]
            tokens.append(self._tokens[start:end])
            words.append(np.where(place == NO_WORD, -1, place + slot))
            forms.append(self._forms[first:last])
            rarity.append(self._rarity[first:last])
            slot += int(last - first)
        ids, places = np.concatenate(tokens)[: WINDOW - 2], np.concatenate(words)[: WINDOW - 2]
        read = int(places.max(initial=-1)) + 1
        ids, places = np.concatenate([[FIRST], ids, [LAST]]), np.concatenate([[-1], places, [-1]])
        return ids, places, np.concatenate(forms)[:read], np.concatenate(rarity)[:read]

    def batches(self, size: int, random: np.random.Generator) -> Iterator[tuple[Pieces, Pieces, Floats]]:
        """Queries, documents, and how much of each query's weight is on words that each document has, without end."""
        sets = [name for name in self.sets if len(self.rows(name, ["train"])) > 1]
        chances = np.array([SET_WEIGHTS[name] for name in sets])
        rows = {name: self.rows(name, ["train"]) for name in sets}
        while True:
            some = rows[sets[int(random.choice(len(sets), p=chances / chances.sum()))]]
            yield self.batch(self._people(some, min(size, len(some)), random), random)

    def batch(self, people: Sequence[int], random: np.random.Generator) -> tuple[Pieces, Pieces, Floats]:
        """One query and one document of each person."""
        drawn = [self.draw(person, random) for person in people]
        queries, documents = (self.assemble(side) for side in zip(*drawn, strict=True))
        return queries, documents, shared(queries, documents)

    def _people(self, rows: Ints, size: int, random: np.random.Generator) -> list[int]:
        chosen: dict[int, None] = {}
        if random.random() < NEIGHBOUR_BATCHES:
            for seed in random.permutation(rows)[: max(1, size // (NEIGHBOURS + 1))].tolist():
                near = self._neighbours[seed]
                near = near[near >= 0]
                chosen |= dict.fromkeys([seed, *random.permutation(near)[:NEIGHBOURS].tolist()])
        chosen |= dict.fromkeys(random.permutation(rows).tolist())
        return list(chosen)[:size]


def _clear(text: Text) -> range:
    return range(text.versions["clear"], text.versions["clear"] + text.sentences)


def _sentences(text: Text, random: np.random.Generator) -> range:
    """A text as released, in one of the ways there are."""
    names = [name for name in text.versions if name != "clear"]
    if not names or random.random() < CLEAR_QUERIES:
        return _clear(text)
    chances = np.array([_CAPITALS_WEIGHT if name == CAPITALS else 1.0 for name in names])
    first = text.versions[names[int(random.choice(len(names), p=chances / chances.sum()))]]
    return range(first, first + text.sentences)


def _cut(shown: list[int], known: list[int], random: np.random.Generator) -> tuple[list[int], list[int]]:
    """The sentences of a text, released and in clear, cut in two: some released, the others in clear."""
    count = len(shown)
    if random.random() < SCATTERED:
        chosen = random.permutation(count) < max(1, count // 2)
    else:
        chosen = np.arange(count) < random.integers(max(1, count // 4), max(2, count - count // 4))
        if random.random() < 0.5:
            chosen = ~chosen
    return [shown[place] for place in np.flatnonzero(chosen)], [known[place] for place in np.flatnonzero(~chosen)]


def _weights(forms: Ints, rarity: Floats) -> Floats:
    """As the attack weighs words: a form that occurs n times counts 1 + ln n times, shared by its occurrences."""
    _, which, counts = np.unique(forms, return_inverse=True, return_counts=True)
    weights = rarity * (1 + np.log(counts))[which] / counts[which]
    scaled: Floats = (weights / (weights.sum() or 1)).astype(np.float32)
    return scaled


def shared(queries: Pieces, documents: Pieces) -> Floats:
    """[query, document]: the share of the query's weight that is on words the document has."""
    forms = np.unique(queries.forms)
    share = np.zeros((len(queries.forms), len(forms)), np.float32)
    rows = np.repeat(np.arange(len(queries.forms)), queries.forms.shape[1])
    np.add.at(share, (rows, np.searchsorted(forms, queries.forms.ravel())), queries.weights.ravel())
    has = np.stack([np.isin(forms, row) for row in documents.forms]).astype(np.float32)
    scores: Floats = share @ has.T
    return scores
