"""The joint linking attack: all releases against all people at once, each person with a limited number of releases.

An attacker who gets a whole set of releases knows more than one who gets a single text. Some people fit any text of the
set (long texts, common subjects), and a link to them says little; and a person who is taken by one release is not there
for the next.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import MAX_GUESSES, AttackKind, Person, check_count, margin, not_fitted
from sfumato.attacks.linking.cleaning import NO_STEMS, Ints
from sfumato.attacks.linking.ranking import MAX_EVIDENCE, RangeWeights, Scores, as_evidence, merge_range_weights
from sfumato.attacks.linking.sparse import CharacterAttack, SparseAttack, TfIdfAttack, fit_together
from sfumato.document import Attempt, Guess
from sfumato.models.base import Floats

LARGE = 2000
"""From so many people on, each release is compared with its likeliest candidates alone."""
CANDIDATES = 100
SAMPLE = 1000
"""Releases by which people's means and deviations are learned, where there are more."""
HUGE = 20_000
"""From so many people on, two members take part, which leave common words out: time and memory grow with those."""
MAX_SCORES = 2**25
"""Scores held in memory to learn them: an eighth of a gigabyte, and several times that while they are compared."""
PREPARED = 64
"""Texts that are prepared at once."""
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
    people, best = (np.stack(parts) for parts in zip(*map(_candidates, scaled), strict=True))
    share = assign(best / (float(best.std()) or 1), people, 1, scores.shape[1])
    first = share.argmax(axis=1)[:, None]
    releases = np.flatnonzero(np.take_along_axis(share, first, axis=1)[:, 0] >= least)
    return releases, np.take_along_axis(people, first, axis=1)[releases, 0]


class JointScorer(NamedTuple):
    """What the scores of single releases come from, before people compete for them."""

    members: Sequence[SparseAttack]
    scale: PersonScale
    weights: Floats | None = None
    """Of the members, whose weighted sum is then taken in its own deviations; None: all count equally."""


class TextScores(NamedTuple):
    """How well everyone fits a text, and who shares anything with it."""

    scores: Scores
    shared: NDArray[np.bool_]


class JointLinking(ABC):
    """Base of the attacks on all texts at once: people's scores are corrected over the texts, then people compete.

    A score is a probability. It is exact up to LARGE people; beyond, the CANDIDATES best of each release compete.
    """

    kind: ClassVar[AttackKind] = "linking"
    name: ClassVar[str]
    goal: ClassVar[str]
    joint: ClassVar[bool] = True
    """It sees all releases at once."""
    cite: ClassVar[str | None] = "cuturi2013"

    _ids: Sequence[str] = ()

    def __init__(self, per_person: int | None) -> None:
        if per_person is not None:
            check_count("per_person", per_person)
        self._stated, self._per_person = per_person, per_person or 1
        self._scale: PersonScale | None = None

    def assume(self, per_person: int) -> None:
        """How many of the texts may be about one person, unless the user stated it: whoever knows the truth tells."""
        self._per_person = self._stated or per_person

    @abstractmethod
    def learn(self, people: Sequence[Person]) -> None:
        """Learn the texts of people, who come in the order of their ids."""

    @abstractmethod
    def read(self, text: str) -> TextScores:
        """How well each person fits a released text, in the order of their ids, and who shares anything with it."""

    def prepare(self, texts: Sequence[str]) -> None:
        """Do what is faster for several texts at once; each of them is read next."""
        return

    def read_likely(self, text: str) -> TextScores:
        """As ``read``, of a text by which nothing is learned of people: the unlikely may count as sharing nothing."""
        return self.read(text)

    @property
    def sample(self) -> int:
        """How many texts are read in full, to learn people's means and deviations."""
        return SAMPLE

    @abstractmethod
    def range_weights(self, text: str, row: int) -> RangeWeights:
        """What each range of the text says for the person in a row, as shares."""

    def is_centred(self, texts: Sequence[str]) -> bool | None:
        """Whether people's means are to be taken away; None: as the attack's own scores tell."""
        return None

    @property
    def settings(self) -> dict[str, object]:
        """What the figures depend on: the assumption, and the correction that the last set of releases led to."""
        correction = {} if self._scale is None else {"people's means taken away": self._scale.centred}
        return {"texts per person at most": self._per_person, **correction}

    def fit(self, background: Sequence[Person]) -> Self:
        people = sorted(background, key=lambda person: person.id)
        self._ids = [person.id for person in people]
        self._row = {key: row for row, key in enumerate(self._ids)}
        self.learn(people)
        return self

    def row(self, person_id: str) -> int:
        """A person's index in the scores."""
        return self._row[person_id]

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        if not self._ids:
            raise not_fitted(self.name)
        guesses = self._guesses({key: released[key] for key in sorted(released)})
        return [self._attempt(key, text, guesses.get(key, ())) for key, text in released.items()]

    def _guesses(self, released: Mapping[str, str]) -> dict[str, tuple[Guess, ...]]:
        """By document; without those who share nothing with anyone."""
        # People's means and deviations by all texts, or by as many as suffice and fit in memory, drawn at random.
        most = min(self.sample, max(MIN_RELEASES, MAX_SCORES // len(self._ids)))
        drawn = np.random.default_rng(0).permutation(len(released))[:most]
        keys = list(released)
        drawn_keys = [keys[number] for number in np.sort(drawn)]
        known = {key: self.read(text) for key, text in self._prepared(released, drawn_keys)}
        if not (sharing := [scores for scores, shared in known.values() if shared.any()]):
            return {}
        scale = learn_scale(np.stack(sharing), self.is_centred([released[key] for key in known]))
        self._scale = scale
        rest = [key for key in keys if key not in known]
        likely = ((key, self.read_likely(text)) for key, text in self._prepared(released, rest))
        rows: dict[str, tuple[Ints, Floats]] = {}
        for key, (scores, shared) in chain(known.items(), likely):
            if shared.any():
                rows[key] = _candidates(np.where(shared, scale.apply(scores), -np.inf))
        people, scaled = (np.stack(parts) for parts in zip(*rows.values(), strict=True))
        deviation = float(scaled[np.isfinite(scaled)].std())
        share = assign(scaled / (deviation or 1), people, self._per_person, len(self._ids))
        return {key: self._best(*row) for key, *row in zip(rows, people, share, strict=True)}

    def _prepared(self, released: Mapping[str, str], keys: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Some of the texts, each after ``prepare`` has seen it."""
        for start in range(0, len(keys), PREPARED):
            batch = [(key, released[key]) for key in keys[start : start + PREPARED]]
            self.prepare([text for _, text in batch])
            yield from batch

    def _best(self, people: Ints, share: Floats) -> tuple[Guess, ...]:
        order = np.lexsort((people, -share))[:MAX_GUESSES]
        return tuple(Guess(self._ids[people[row]], float(share[row])) for row in order if share[row] > 0)

    def _attempt(self, document_id: str, text: str, guesses: tuple[Guess, ...]) -> Attempt:
        if not guesses:
            return Attempt(self.name, document_id, ())
        evidence = as_evidence(text, self.range_weights(text, self._row[guesses[0].answer]), most=MAX_EVIDENCE)
        return Attempt(self.name, document_id, guesses, score=margin(guesses), evidence=tuple(evidence))


class JointAttack(JointLinking):
    """Link all texts at once by words, stems, rare stems and pieces of words; nobody has more texts than stated.

    Three members count rare terms more than usual: where names and numbers are left, those alone find people.
    """

    name: ClassVar[str] = "joint"
    goal: ClassVar[str] = (
        "Find whom each text is about by comparing all texts with everyone at once, where nobody has more texts than "
        "stated."
    )

    def __init__(self, *, stems: str = "english", per_person: int | None = None) -> None:
        """``stems``: a Snowball language, or "none". ``per_person``: how many of the texts may be about one person; by
        default as many as there are about anyone, where that is known, else 1."""
        super().__init__(per_person)
        self._stems = stems
        self._members = _new_members(stems, 0)

    @property
    def scorer(self) -> JointScorer | None:
        """How the releases of the last run were scored; None before a run."""
        return None if self._scale is None else JointScorer(self._members, self._scale)

    def learn(self, people: Sequence[Person]) -> None:
        self._members = _new_members(self._stems, len(people))
        fit_together(self._members, people)

    def read(self, text: str) -> TextScores:
        """The mean over members of everyone's scores, which each member gives in its own deviations."""
        total, shared = np.zeros(len(self._ids), np.float32), np.zeros(len(self._ids), bool)
        for member in self._members:
            scores = member.all_scores(text)
            shared |= scores > 0
            total += (scores - scores.mean()) / (scores.std() or 1)
        return TextScores(total / np.float32(len(self._members)), shared)

    def range_weights(self, text: str, row: int) -> RangeWeights:
        """Each member counts equally."""
        parts: list[RangeWeights] = []
        for member in self._members:
            part = member.range_weights(text, row)
            total = part.weights.sum() * len(self._members)
            parts.append(part._replace(weights=part.weights / (total or 1)))
        return merge_range_weights(parts)


def _new_members(stems: str, people: int) -> list[SparseAttack]:
    if people >= HUGE:
        return [
            TfIdfAttack(longest=2, stems=stems, common=0.1, rarity=2),
            TfIdfAttack(longest=1, stems=NO_STEMS, common=0.1, rarity=2),
        ]
    return [
        TfIdfAttack(longest=2, stems=NO_STEMS),
        TfIdfAttack(longest=3, stems=stems),
        TfIdfAttack(longest=2, stems=stems, common=0.5),
        CharacterAttack(stems=stems),
        TfIdfAttack(longest=2, stems=stems, rarity=2),
        TfIdfAttack(longest=1, stems=stems, rarity=2),
    ]


def _candidates(scores: Floats) -> tuple[Ints, Floats]:
    """The people who compete for a release, and their scores."""
    if len(scores) <= LARGE:
        return np.arange(len(scores)), scores
    # A copy: a view would keep the indices of everyone in memory for every release.
    rows = np.argpartition(-scores, CANDIDATES - 1)[:CANDIDATES].copy()
    return rows, scores[rows]
