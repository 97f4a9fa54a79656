"""How much each member of a combination counts: learned by finding people by held-out pieces of their background."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sfumato.attacks.base import Person
from sfumato.attacks.linking.combination.pieces import Piece, held_out
from sfumato.attacks.linking.ranking import Scores
from sfumato.attacks.linking.sparse.base import SparseAttack, by_stems
from sfumato.attacks.linking.sparse.words import Lexicon, Words

Floats = NDArray[np.float64]

PEOPLE = 1000
"""Weights are learned in a world of at most so many people of the background,"""
PIECES = 400
"""and by at most so many pieces, the longest, since releases are texts and not sentences;"""
DRAWS = 4
"""held out anew at most so often;"""
FEWEST = 40
"""with fewer pieces than this, members count equally."""
EVENNESS = 0.01
"""Nats per piece that a weight twice (or none of) its even share must earn: pieces are not quite releases."""

LEAST = 0.02
"""A member that counts for less is left out: it would cost its time and decide nothing."""


def share_of_best(scores: Scores) -> Scores:
    """Scores as shares of the highest, which makes those of different attacks and texts comparable."""
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores


def learned_weights(people: Sequence[Person], members: Sequence[SparseAttack], seed: int) -> Floats:
    """Weights of new members that sum to 1; equal ones where the background gives too few pieces."""
    chance = np.random.default_rng(seed)
    if len(people) > PEOPLE:
        people = [people[row] for row in np.sort(chance.choice(len(people), PEOPLE, replace=False))]
    columns: dict[int, Scores] = {}
    owners: list[int] = []
    for stems, group in by_stems(members).items():
        lexicon = Lexicon(stems)
        words = lexicon.read(people)
        games = list(_games(words, seed))  # the same pieces for each group, since words are cut in the same places
        owners = [piece.owner for _, pieces in games for piece in pieces]
        if len(people) < 2 or len(owners) < FEWEST:
            return np.full(len(members), 1 / len(members))
        for member in group:
            columns[members.index(member)] = np.concatenate([_played(member, lexicon, *game) for game in games])
    return fitted(np.stack([columns[number] for number in range(len(members))], axis=2), np.array(owners))


def _games(words: Words, seed: int) -> Iterator[tuple[Words, list[Piece]]]:
    """What is left, and the longest pieces; held out anew until there are enough pieces."""
    found = 0
    for draw in range(DRAWS):
        rest, pieces = held_out(words, seed + draw)
        pieces = sorted(pieces, key=lambda piece: -len(piece.text))[: PIECES - found]
        found += len(pieces)
        yield rest, pieces
        if found >= PIECES:
            return


def _played(member: SparseAttack, lexicon: Lexicon, rest: Words, pieces: Sequence[Piece]) -> Scores:
    member.learn_words(rest, lexicon)
    shares = [share_of_best(member.all_scores_of(piece.text)) for piece in pieces]
    return np.stack(shares) if shares else np.zeros((0, rest.owners), np.float32)


def fitted(scores: Scores, owners: NDArray[np.int64]) -> Floats:
    """Weights of [piece, person, member] scores under which a softmax over people gives the owners the most.

    A conditional logit, w >= 0, drawn towards even weights w0 by EVENNESS · Σ(w / w0 - 1)². Even means that members'
    scores spread equally over people; w0's height is fitted first.
    """
    pieces, _, members = scores.shape
    spread = scores.std(axis=1).mean(axis=0).astype(np.float64)
    spread[spread == 0] = 1.0
    own = scores[np.arange(pieces), owners] / spread

    def loss(weights: Floats) -> tuple[float, Floats]:
        raised = scores @ (weights / spread).astype(np.float32)
        raised -= raised.max(axis=1, keepdims=True)
        chances = np.exp(raised, dtype=np.float32)
        total = chances.sum(axis=1, keepdims=True)
        expected = np.einsum("ij,ijk->ik", chances / total, scores) / spread
        found = raised[np.arange(pieces), owners] - np.log(total[:, 0])
        return -float(found.mean(dtype=np.float64)), -(own - expected).mean(axis=0, dtype=np.float64)

    def even_loss(height: Floats) -> tuple[float, Floats]:
        value, slope = loss(np.full(members, height[0]))
        return value, np.array([slope.sum()])

    even = minimize(even_loss, [1.0], jac=True, bounds=[(1e-3, 1e3)], method="L-BFGS-B").x[0]

    def drawn_loss(relative: Floats) -> tuple[float, Floats]:
        value, slope = loss(relative * even)
        away = relative - 1
        return value + EVENNESS * float(away @ away), slope * even + 2 * EVENNESS * away

    relative = minimize(drawn_loss, np.ones(members), jac=True, bounds=[(0, None)] * members, method="L-BFGS-B").x
    weights: Floats = relative / spread
    weights /= weights.sum()
    weights[weights < LEAST] = 0
    weights /= weights.sum()
    return weights
