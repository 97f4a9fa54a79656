"""How much each member of a combination counts: learned by finding people by held-out pieces of their background."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sfumato.attacks.base import Person
from sfumato.attacks.combination_pieces import held_out
from sfumato.attacks.ranking import Scores
from sfumato.attacks.sparse import SparseAttack
from sfumato.attacks.sparse_words import Lexicon

Floats = NDArray[np.float64]

PEOPLE = 1000
"""Weights are learned in a world of at most so many people of the background,"""
PIECES = 800
"""and by at most so many pieces;"""
FEWEST = 40
"""with fewer pieces than this, members count equally."""
EVENNESS = 0.01
"""Nats per piece that a weight twice (or none of) its even share must earn: pieces are not quite releases."""


def share_of_best(scores: Scores) -> Scores:
    """Scores as shares of the highest, which makes those of different attacks and texts comparable."""
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores


def by_stems(members: Sequence[SparseAttack]) -> dict[str, list[SparseAttack]]:
    """Members that read words the same way, so that one reading does for all of them."""
    groups: dict[str, list[SparseAttack]] = {}
    for member in members:
        groups.setdefault(member.stems, []).append(member)
    return groups


def learned_weights(people: Sequence[Person], members: Sequence[SparseAttack], seed: int) -> Floats:
    """Weights of new members that sum to 1; equal ones where the background gives too few pieces."""
    chance = np.random.default_rng(seed)
    if len(people) > PEOPLE:
        people = [people[row] for row in np.sort(chance.choice(len(people), PEOPLE, replace=False))]
    equal = np.full(len(members), 1 / len(members))
    columns: dict[int, NDArray[np.float32]] = {}
    chosen: NDArray[np.int64] | None = None
    for stems, group in by_stems(members).items():
        lexicon = Lexicon(stems)
        rest, pieces = held_out(lexicon.read(people), seed)  # the same pieces for each group
        if len(people) < 2 or len(pieces) < FEWEST:
            return equal
        if chosen is None:
            chosen = np.sort(chance.choice(len(pieces), min(PIECES, len(pieces)), replace=False))
        pieces = [pieces[number] for number in chosen]
        for member in group:
            member.learn_words(rest, lexicon)
            shares = [share_of_best(member.all_scores_of(piece.text)) for piece in pieces]
            columns[members.index(member)] = np.stack(shares)
    scores = np.stack([columns[number] for number in range(len(members))], axis=2)
    return fitted(scores, np.array([piece.owner for piece in pieces]))


def fitted(scores: NDArray[np.float32], owners: NDArray[np.int64]) -> Floats:
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
    return weights
