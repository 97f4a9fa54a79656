"""Several links as one attack, weighed by how well they find people by pieces of their own background."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import NO_STEMS, BackgroundTokens, Ints, TextTokens, Vocabulary
from sfumato.attacks.linking.ranking import RangeWeights, RankingAttack, Scores, merge_range_weights
from sfumato.attacks.linking.sparse import SkipGramAttack, SparseAttack, TfIdfAttack, fit_together, group_by_stemming

# -- Pieces of what is known about people, held out and roughened: they play the releases that nobody has seen yet.


SHARE = 0.25
"""Of a person's words, how much is held out."""
LONGEST = 400
"""Words in a piece, at most: what is released is mostly shorter than what is known."""
SHORTEST = 8
"""Fewer words are no text."""
MASKED_SHARES = (0.2, 0.5)
"""Shares of plain words that an anonymizer took out beside all names and numbers; each piece is played with each."""


class HoldoutPiece(NamedTuple):
    """A piece that plays a release, and the row of the person it is of."""

    owner: int
    text: TextTokens


def split_holdout(words: BackgroundTokens, seed: int) -> tuple[BackgroundTokens, list[HoldoutPiece]]:
    """The words without a piece of each person, and the pieces. People with too few words give none."""
    chance = np.random.default_rng(seed)
    borders = np.searchsorted(words.owner, np.arange(words.owners + 1))
    kept = np.ones(len(words.ids), bool)
    pieces: list[HoldoutPiece] = []
    for owner, (start, end) in enumerate(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)):
        size = min(LONGEST, int((end - start) * SHARE))
        at = start + int(chance.integers(0, end - start - size + 1))
        if size < SHORTEST:
            continue
        kept[at : at + size] = False
        pieces += [HoldoutPiece(owner, text) for text in _masked_copies(words, at, at + size, chance)]
    segment = words.segment + np.cumsum(~kept)  # nor does one reach across the hole that a piece leaves
    rest = replace(words, ids=words.ids[kept], owner=words.owner[kept], segment=segment[kept], named=words.named[kept])
    return rest, pieces


def _masked_copies(words: BackgroundTokens, start: int, end: int, chance: np.random.Generator) -> Iterator[TextTokens]:
    ids, segment, named = words.ids[start:end], words.segment[start:end], words.named[start:end]
    for share in MASKED_SHARES:
        stays = (chance.random(len(ids)) >= share) & ~named
        gaps = np.cumsum(~stays)  # a phrase reaches across nothing that was taken out
        yield _as_tokens(ids[stays], (segment + gaps)[stays], words.forms)


def _as_tokens(ids: Ints, segment: Ints, forms: Sequence[str]) -> TextTokens:
    nowhere = np.zeros(len(ids), np.int64)
    return TextTokens(ids, segment, nowhere, nowhere, [forms[number] for number in ids.tolist()])


# -- How much each member of a combination counts: learned by finding people by held-out pieces of their background.


Floats = NDArray[np.float64]

PEOPLE = 1000
"""Weights are learned in a world of at most so many people of the background,"""
PIECES = 400
"""and by at most so many pieces, the longest, since releases are texts and not sentences;"""
DRAWS = 4
"""held out anew at most so often;"""
FEWEST = 40
"""with fewer pieces than this, members count equally."""
EVENNESS_PENALTY = 0.01
"""Nats per piece that a weight twice (or none of) its even share must earn: pieces are not quite releases."""

LEAST = 0.02
"""A member that counts for less is left out: it would cost its time and decide nothing."""


def normalize_by_best(scores: Scores) -> Scores:
    """Scores as shares of the highest, which makes those of different attacks and texts comparable."""
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores


def learn_weights(people: Sequence[Person], members: Sequence[SparseAttack], seed: int) -> Floats:
    """Weights of new members that sum to 1; equal ones where the background gives too few pieces."""
    chance = np.random.default_rng(seed)
    if len(people) > PEOPLE:
        people = [people[row] for row in np.sort(chance.choice(len(people), PEOPLE, replace=False))]
    columns: dict[int, Scores] = {}
    owners: list[int] = []
    for stems, group in group_by_stemming(members).items():
        vocabulary = Vocabulary(stems)
        words = vocabulary.read(people)
        games = list(
            _holdout_splits(words, seed)
        )  # the same pieces for each group, since words are cut in the same places
        owners = [piece.owner for _, pieces in games for piece in pieces]
        if len(people) < 2 or len(owners) < FEWEST:
            return np.full(len(members), 1 / len(members))
        for member in group:
            columns[members.index(member)] = np.concatenate(
                [_holdout_scores(member, vocabulary, *game) for game in games]
            )
    return fit_weights(np.stack([columns[number] for number in range(len(members))], axis=2), np.array(owners))


def _holdout_splits(words: BackgroundTokens, seed: int) -> Iterator[tuple[BackgroundTokens, list[HoldoutPiece]]]:
    """What is left, and the longest pieces; held out anew until there are enough pieces."""
    found = 0
    for draw in range(DRAWS):
        rest, pieces = split_holdout(words, seed + draw)
        pieces = sorted(pieces, key=lambda piece: -len(piece.text))[: PIECES - found]
        found += len(pieces)
        yield rest, pieces
        if found >= PIECES:
            return


def _holdout_scores(
    member: SparseAttack, vocabulary: Vocabulary, rest: BackgroundTokens, pieces: Sequence[HoldoutPiece]
) -> Scores:
    member.learn_tokens(rest, vocabulary)
    shares = [normalize_by_best(member.all_scores_of(piece.text)) for piece in pieces]
    return np.stack(shares) if shares else np.zeros((0, rest.owners), np.float32)


def fit_weights(scores: Scores, owners: NDArray[np.int64]) -> Floats:
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
        return value + EVENNESS_PENALTY * float(away @ away), slope * even + 2 * EVENNESS_PENALTY * away

    relative = minimize(drawn_loss, np.ones(members), jac=True, bounds=[(0, None)] * members, method="L-BFGS-B").x
    weights: Floats = relative / spread
    weights /= weights.sum()
    weights[weights < LEAST] = 0
    weights /= weights.sum()
    return weights


# -- Several links as one attack, weighed by how well they find people by pieces of their own background.


class CombinedAttack(RankingAttack):
    """Link a text to the person whom links by words, by stems and by pairs of stems find together.

    A score is the weighted sum of the members' scores, each as a share of the best that it gives anyone for the text.
    """

    name: ClassVar[str] = "combination"
    goal: ClassVar[str] = "Find whom a text is about by all sparse links at once, weighed on the background alone."

    def __init__(self, *, stems: str = "english", seed: int = 0) -> None:
        """``stems``: a Snowball language, or "none". ``seed``: of the pieces held out to learn the weights."""
        self._stems, self._seed = stems, seed
        self._members = self._new_members()
        self._weights = np.full(len(self._members), 1 / len(self._members))
        self._last: tuple[str, list[Scores]] | None = None  # a text's evidence is asked for right after its scores

    @property
    def weights(self) -> Mapping[str, float]:
        """How much each member counts; they sum to 1."""
        names = [f"{member.name} ({'words' if member.stems == NO_STEMS else 'stems'})" for member in self._members]
        return dict(zip(names, self._weights.tolist(), strict=True))

    def learn(self, people: Sequence[Person]) -> None:
        self._weights = learn_weights(people, self._new_members(), self._seed)
        counting = [member for member, weight in zip(self._members, self._weights, strict=True) if weight > 0]
        fit_together(counting, people)
        self._last = None

    def all_scores(self, text: str) -> Scores:
        scores = np.zeros(len(self._ids), np.float32)
        for weight, _, shares in self._weighed(text):
            scores += np.float32(weight) * shares
        return scores

    def range_weights(self, text: str, row: int) -> RangeWeights:
        parts: list[RangeWeights] = []
        for weight, member, shares in self._weighed(text):
            own = member.range_weights(text, row)
            scale = weight * shares[row] / (own.weights.sum() or 1)
            parts.append(own._replace(weights=own.weights * scale))
        return merge_range_weights(parts)

    def _new_members(self) -> list[SparseAttack]:
        # Cosines only: BM25 depends on how much is known of a person, so a weight learned for one kind of background
        # misleads in another where people's texts are of unequal length.
        return [
            TfIdfAttack(longest=2, stems=NO_STEMS),
            TfIdfAttack(longest=3, stems=self._stems),
            SkipGramAttack(stems=self._stems),
        ]

    def _weighed(self, text: str) -> Iterator[tuple[float, SparseAttack, Scores]]:
        """The members that count, each with its weight and its scores as shares of its best."""
        counting = [pair for pair in zip(self._weights.tolist(), self._members, strict=True) if pair[0] > 0]
        if self._last is None or self._last[0] != text:
            self._last = text, [normalize_by_best(member.all_scores(text)) for _, member in counting]
        for (weight, member), shares in zip(counting, self._last[1], strict=True):
            yield weight, member, shares
