"""Several attacks as one: scores made comparable, weighed, corrected over a set of releases, and assigned.

``combination``, ``joint`` and the attacks that have this software are configurations of these steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.followed import Followed, MarginalGain
from sfumato.attacks.linking.ranking import RangeWeights, RankingAttack, Scores, merge_range_weights
from sfumato.attacks.linking.sparse import FollowedSparse, SparseAttack
from sfumato.models.base import Floats

LARGE = 2000
"""From so many people on, each release is compared with its likeliest candidates alone."""
CANDIDATES = 100
MIN_RELEASES = 10
"""With fewer releases, how well a person fits the others says too little."""
TEMPERATURE = 0.2
"""Of the assignment, in standard deviations of the scores."""
MAX_STEPS = 300
_TOLERANCE = 1e-4
_SPREAD_FLOOR = 0.05
"""Added to a person's deviation: nobody fits a release by having almost none."""
_STANDING = 10
"""How far the first guess stands out is measured against the guess at this rank."""
EVENNESS_PENALTY = 0.1
"""Nats per piece that a weight twice (or none of) its even share must earn: pieces are not quite releases."""
MIN_WEIGHT = 0.02
"""A member with less weight is left out: it would cost time and decide nothing."""
SURE = 0.9
"""The probability from which on a link between a release and a person counts as if it were known."""
LINK_PENALTY = 0.01
"""As EVENNESS_PENALTY, of weights that are learned from links of releases and drawn towards those of pieces."""
STEPS = 3
"""How often links are found and weights are learned from them."""


def in_deviations(scores: Scores, *, centred: bool = False) -> Scores:
    """Scores in standard deviations over people, so that those of different attacks and texts can be compared.

    A person who stands out counts by how far, and one who shares nothing still has 0, unless the mean is taken away.
    """
    shifted = scores - scores.mean() if centred else scores
    deviation = scores.std()
    in_units: Scores = shifted / deviation if deviation > 0 else shifted
    return in_units


class Fusion:
    """Fitted members as one attack: the weighted mean of their scores, each in deviations over people."""

    def __init__(
        self, members: Sequence[RankingAttack], weights: Floats | None = None, *, centred: bool = False
    ) -> None:
        """``weights``: by default all count equally. ``centred``: whether each member's mean is taken away."""
        weights = np.ones(len(members)) if weights is None else weights
        self._counting = [
            (float(weight), member) for weight, member in zip(weights, members, strict=True) if weight > 0
        ]
        self._total, self._centred = float(weights.sum()), centred
        self._last: tuple[str, list[Scores]] | None = None  # evidence is asked for right after the scores

    def member_scores(self, text: str) -> list[Scores]:
        """Of each member that counts, everyone's scores of a text."""
        if self._last is None or self._last[0] != text:
            self._last = text, [member.scores(text) for _, member in self._counting]
        return self._last[1]

    def scores(self, text: str) -> Scores:
        """Everyone's weighted mean for a text."""
        pairs = zip(self._counting, self.member_scores(text), strict=True)
        weighed = [np.float32(weight) * in_deviations(scores, centred=self._centred) for (weight, _), scores in pairs]
        total: Scores = np.stack(weighed).sum(axis=0, dtype=np.float32)
        return np.divide(total, np.float32(self._total))

    def evidence(self, text: str, row: int) -> RangeWeights:
        """What each range of a text adds to a person's score; where means are taken away, members count by weight."""
        shares = [1.0] * len(self._counting)
        if not self._centred:
            shares = [float(in_deviations(scores)[row]) for scores in self.member_scores(text)]
        parts: list[RangeWeights] = []
        for (weight, member), share in zip(self._counting, shares, strict=True):
            part = member.evidence(text, row)
            scale = weight / self._total * share / (part.weights.sum() or 1)
            parts.append(part._replace(weights=part.weights * scale))
        return merge_range_weights(parts)


@dataclass(frozen=True)
class PersonScale:
    """How people's scores are made comparable over a set of releases: what is taken away, and what is divided by."""

    offset: Floats
    spread: Floats
    centred: bool

    def apply(self, scores: Scores) -> Floats:
        scaled: Floats = (scores - self.offset) / self.spread
        return scaled

    @property
    def digest(self) -> str:
        """A fingerprint."""
        return sha256(self.offset.tobytes() + self.spread.tobytes()).hexdigest()


def learn_scale(scores: Scores, centred: bool | None = None) -> PersonScale:
    """The scale for scores [release, person]; ``centred``: whether people's means are taken away, where it is known.

    Scores are divided by the root of each person's deviation over the releases. Whether each person's mean is taken
    away first depends on the background: among people of one kind, who fits all releases fits none in particular;
    among people of all kinds, the mean tells those whom such releases are about. The choice under which first guesses
    stand out more is taken; it needs no truth.
    """
    people = scores.shape[1]
    if len(scores) < MIN_RELEASES:
        return PersonScale(np.zeros(people), np.ones(people), False)
    mean = scores.mean(axis=0, dtype=np.float64)
    spread = np.sqrt(scores.std(axis=0, dtype=np.float64) + _SPREAD_FLOOR)
    choices = [PersonScale(mean * choice, spread, choice) for choice in (True, False) if centred in (None, choice)]
    return max(choices, key=lambda choice: _standing_out(choice.apply(scores)))


def _standing_out(scores: Floats) -> float:
    """The mean gap between first and second guess, as a share of the gap between the first and the tenth.

    Releases that have the same first guess share its gap: at most one of them is right.
    """
    size = min(_STANDING, scores.shape[1])
    best = -np.sort(-np.partition(scores, -size, axis=1)[:, -size:], axis=1)
    gaps = best[:, 0] - best[:, -1]
    first = scores.argmax(axis=1)
    sharing = np.bincount(first, minlength=scores.shape[1])[first]
    return float(np.mean((best[:, 0] - best[:, 1]) / np.where(gaps > 0, gaps, 1) / sharing))


def assign(scores: Floats, people: Ints, per_person: float, count: int) -> Floats:
    """The probability of each candidate of each release, where nobody has more releases than ``per_person``.

    ``scores`` and ``people``: [release, candidate], with the people's rows among ``count``. Entropic optimal transport
    (Sinkhorn; Cuturi 2013) in which a person's share may stay below the limit: most people have no release at all.
    """
    logits = scores / TEMPERATURE
    share: Floats = np.exp(logits - logits.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    limit = max(per_person, len(scores) / count)  # more releases than places: all people are filled alike
    for _ in range(MAX_STEPS):
        taken = np.bincount(people.ravel(), share.ravel(), count)
        if taken.max() <= limit * (1 + _TOLERANCE):
            break
        share *= np.minimum(1, limit / np.maximum(taken, limit))[people]
        share /= share.sum(axis=1, keepdims=True)
    return share


def sure_links(scores: Scores, least: float) -> tuple[Ints, Ints]:
    """The releases of scores [release, person] whose first guess has that probability at least, and those guesses.

    People's scores are corrected over the releases, and nobody has more than one of them.
    """
    deviations = scores.std(axis=1, keepdims=True)
    scores = (scores - scores.mean(axis=1, keepdims=True)) / np.where(deviations > 0, deviations, 1)
    scaled = learn_scale(scores).apply(scores)
    people, best = (np.stack(parts) for parts in zip(*map(candidates, scaled), strict=True))
    share = assign(best / (float(best.std()) or 1), people, 1, scores.shape[1])
    first = share.argmax(axis=1)[:, None]
    releases = np.flatnonzero(np.take_along_axis(share, first, axis=1)[:, 0] >= least)
    return releases, np.take_along_axis(people, first, axis=1)[releases, 0]


def candidates(scores: Floats) -> tuple[Ints, Floats]:
    """The people who compete for a release, and their scores."""
    if len(scores) <= LARGE:
        return np.arange(len(scores)), scores
    # A copy: a view would keep the indices of everyone in memory for every release.
    rows = np.argpartition(-scores, CANDIDATES - 1)[:CANDIDATES].copy()
    return rows, scores[rows]


def fit_weights(
    scores: Scores,
    owners: NDArray[np.int64],
    expected: Floats | None = None,
    penalty: float = EVENNESS_PENALTY,
) -> Floats:
    """Weights of the members by their scores [piece, person, member]: a conditional logit of the true people.

    Weights w >= 0 are drawn towards ``expected`` weights w0 by ``penalty`` · Σ(w / w0 - 1)²; by default even
    ones, which means that members' scores spread equally over people. The size of w0 is fitted first.
    """
    pieces, _, members = scores.shape
    spread = scores.std(axis=1).mean(axis=0).astype(np.float64)
    spread[spread == 0] = 1.0
    true = scores[np.arange(pieces), owners] / spread
    towards = np.ones(members) if expected is None else expected * spread * members / (expected @ spread)

    def loss(weights: Floats) -> tuple[float, Floats]:
        logits = scores @ (weights / spread).astype(np.float32)
        logits -= logits.max(axis=1, keepdims=True)
        odds = np.exp(logits, dtype=np.float32)
        total = odds.sum(axis=1, keepdims=True)
        mean = np.einsum("ij,ijk->ik", odds / total, scores) / spread
        likelihood = logits[np.arange(pieces), owners] - np.log(total[:, 0])
        return -float(likelihood.mean(dtype=np.float64)), -(true - mean).mean(axis=0, dtype=np.float64)

    def size_loss(size: Floats) -> tuple[float, Floats]:
        value, slope = loss(size[0] * towards)
        return value, np.array([slope @ towards])

    towards = towards * minimize(size_loss, [1.0], jac=True, bounds=[(1e-3, 1e3)], method="L-BFGS-B").x[0]

    def drawn_loss(relative: Floats) -> tuple[float, Floats]:
        value, slope = loss(relative * towards)
        away = relative - 1
        return value + penalty * float(away @ away), slope * towards + 2 * penalty * away

    relative = minimize(drawn_loss, np.ones(members), jac=True, bounds=[(0, None)] * members, method="L-BFGS-B").x
    weights: Floats = relative * towards / spread
    weights /= weights.sum()
    weights[weights < MIN_WEIGHT] = 0
    weights /= weights.sum()
    return weights


def adapt_weights(scores: Scores, learned: Floats) -> Floats:
    """Weights for releases by their scores [release, person, member], by steps of expectation maximization.

    Links that are sure where nobody has two of the releases stand in for the truth. With fewer than MIN_RELEASES of
    them the learned weights stay.
    """
    weights = learned
    for _ in range(STEPS):
        releases, people = sure_links(scores @ weights.astype(np.float32), SURE)
        if len(releases) < MIN_RELEASES:
            return learned
        weights = fit_weights(scores[releases], people, learned, LINK_PENALTY)
    return weights


class FollowedFusion(Followed):
    """A text that changes, as attacks by shared terms score it together, corrected as for the last releases."""

    def __init__(
        self,
        members: Sequence[SparseAttack],
        weights: Floats,
        scale: PersonScale,
        text: str,
        subjects: Sequence[int],
        *,
        in_own_deviations: bool = False,
    ) -> None:
        """``in_own_deviations``: whether the weighted mean is taken in its own deviations before it is corrected."""
        self._members = [FollowedSparse(member, text, subjects) for member in members]
        self._weights, self._scale = weights / weights.sum(), scale
        self._in_own_deviations = in_own_deviations
        self._fuse()

    def change(self, text: str) -> None:
        for member in self._members:
            member.change(text)
        self._fuse()

    def _fuse(self) -> None:
        deviations = np.array([float(member.scores.std()) or 1.0 for member in self._members])
        units = self._weights / deviations
        total = sum(
            unit * (member.scores - member.scores.mean()) for unit, member in zip(units, self._members, strict=True)
        )
        spread = (float(total.std()) or 1.0) if self._in_own_deviations else 1.0
        self._units = units / spread
        corrected = self._scale.apply((total / spread).astype(np.float32))
        self.scores: Floats = corrected - corrected.min()  # above 0, as gaps are taken as shares of scores

    def score(self, row: int) -> float:
        # The rounding of a member's sums makes nobody share anything.
        shares = any(member.scores[row] > 1e-9 * member.length for member in self._members)
        return float(self.scores[row]) if shares else 0.0

    def gain(self, row: int, rivals: Ints, places: Ints, count: int) -> MarginalGain:
        gains = [member.gain(row, rivals, places, count, self._scale.spread) for member in self._members]
        together, alone = (
            np.sum([unit * part for unit, part in zip(self._units, parts, strict=True)], axis=0)
            for parts in zip(*gains, strict=True)
        )
        return MarginalGain(together, alone)
