"""Pieces of what is known about people, held out and roughened: they play the releases that nobody has seen yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sfumato.attacks.linking.sparse.words import Ints, ReadText, Words

SHARE = 0.25
"""Of a person's words, how much is held out."""
LONGEST = 400
"""Words in a piece, at most: what is released is mostly shorter than what is known."""
SHORTEST = 8
"""Fewer words are no text."""
ROUGHNESS = (0.2, 0.5)
"""Shares of plain words that an anonymizer took out beside all names and numbers; each piece is played with each."""


class Piece(NamedTuple):
    """A piece that plays a release, and the row of the person it is of."""

    owner: int
    text: ReadText


def held_out(words: Words, seed: int) -> tuple[Words, list[Piece]]:
    """The words without a piece of each person, and the pieces. People with too few words give none."""
    chance = np.random.default_rng(seed)
    borders = np.searchsorted(words.owner, np.arange(words.owners + 1))
    kept = np.ones(len(words.ids), bool)
    pieces: list[Piece] = []
    for owner, (start, end) in enumerate(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)):
        size = min(LONGEST, int((end - start) * SHARE))
        at = start + int(chance.integers(0, end - start - size + 1))
        if size < SHORTEST:
            continue
        kept[at : at + size] = False
        pieces += [Piece(owner, text) for text in _roughened(words, at, at + size, chance)]
    stretch = words.stretch + np.cumsum(~kept)  # nor does one reach across the hole that a piece leaves
    rest = replace(words, ids=words.ids[kept], owner=words.owner[kept], stretch=stretch[kept], named=words.named[kept])
    return rest, pieces


def _roughened(words: Words, start: int, end: int, chance: np.random.Generator) -> Iterator[ReadText]:
    ids, stretch, named = words.ids[start:end], words.stretch[start:end], words.named[start:end]
    for share in ROUGHNESS:
        stays = (chance.random(len(ids)) >= share) & ~named
        gaps = np.cumsum(~stays)  # a phrase reaches across nothing that was taken out
        yield _as_read(ids[stays], (stretch + gaps)[stays], words.forms)


def _as_read(ids: Ints, stretch: Ints, forms: Sequence[str]) -> ReadText:
    nowhere = np.zeros(len(ids), np.int64)
    return ReadText(ids, stretch, nowhere, nowhere, [forms[number] for number in ids.tolist()])
