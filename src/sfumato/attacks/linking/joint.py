"""The joint linking attack: all releases against all people at once, each person with a limited number of releases.

An attacker who gets a whole set of releases knows more than one who gets a single text. Some people fit any text of the
set (long texts, common subjects), and a link to them says little; and a person who is taken by one release is not there
for the next.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import MAX_GUESSES, Person, check_count, not_fitted
from sfumato.attacks.linking.cleaning import NO_STEMS, Ints
from sfumato.attacks.linking.fusion import (
    MIN_RELEASES,
    FollowedFusion,
    Fusion,
    PersonScale,
    assign,
    candidates,
    learn_scale,
)
from sfumato.attacks.linking.ranking import PeopleAttack, RangeWeights, Scores
from sfumato.attacks.linking.sparse import CharacterAttack, SparseAttack, TfIdfAttack, fit_together
from sfumato.document import Attempt, Guess
from sfumato.errors import NotMeasurable
from sfumato.models.base import Floats

SAMPLE = 1000
"""Releases by which people's means and deviations are learned, where there are more."""
HUGE = 20_000
"""From so many people on, two members take part, which leave common words out: time and memory grow with those."""
MAX_SCORES = 2**25
"""Scores held in memory to learn them: an eighth of a gigabyte, and several times that while they are compared."""
PREPARED = 64
"""Texts that are prepared at once."""


class TextScores(NamedTuple):
    """How well everyone fits a text, and who shares anything with it."""

    scores: Scores
    shared: NDArray[np.bool_]


class JointLinking(PeopleAttack):
    """Base of the attacks on all texts at once: people's scores are corrected over the texts, then people compete.

    A score is a probability. It is exact up to LARGE people; beyond, the CANDIDATES best of each release compete.
    """

    joint: ClassVar[bool] = True
    """It sees all releases at once."""
    cite: ClassVar[str | None] = "cuturi2013"

    def __init__(self, per_person: int | None) -> None:
        if per_person is not None:
            check_count("per_person", per_person)
        self._stated, self._per_person = per_person, per_person or 1
        self._scale: PersonScale | None = None

    def assume(self, per_person: int) -> None:
        """How many of the texts may be about one person, unless the user stated it: whoever knows the truth tells."""
        self._per_person = self._stated or per_person

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

    def is_centred(self, texts: Sequence[str]) -> bool | None:
        """Whether people's means are to be taken away; None: as the attack's own scores tell."""
        return None

    @property
    def settings(self) -> dict[str, object]:
        """What the figures depend on: the assumption, and the correction that the last set of releases led to."""
        correction = {} if self._scale is None else {"people's means taken away": self._scale.centred}
        return {"texts per person at most": self._per_person, **correction}

    @property
    def learned(self) -> str | None:
        return None if self._scale is None else self._scale.digest

    @property
    def scale(self) -> PersonScale:
        """How people's scores were corrected in the last run."""
        if self._scale is None:
            raise NotMeasurable(f"the attack {self.name!r} has seen no releases yet: run it first")
        return self._scale

    def scores(self, text: str) -> Scores:
        return self.read(text).scores

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        if self._row is None:
            raise not_fitted(self.name)
        guesses = self._guesses({key: released[key] for key in sorted(released)})
        return [self._attempt_of(key, text, guesses.get(key, ())) for key, text in released.items()]

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
                rows[key] = candidates(np.where(shared, scale.apply(scores), -np.inf))
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

    def learn(self, people: Sequence[Person]) -> None:
        self._members = _new_members(self._stems, len(people))
        fit_together(self._members, people)
        self._fusion = Fusion(self._members, centred=True)

    def read(self, text: str) -> TextScores:
        """The mean over members of everyone's scores, which each member gives in its own deviations."""
        shared = np.any([scores > 0 for scores in self._fusion.member_scores(text)], axis=0)
        return TextScores(self._fusion.scores(text), shared)

    def evidence(self, text: str, row: int) -> RangeWeights:
        """Each member counts equally."""
        return self._fusion.evidence(text, row)

    def follow(self, text: str, subjects: Sequence[int], rank: int) -> FollowedFusion:
        return FollowedFusion(self._members, np.ones(len(self._members)), self.scale, text, subjects)


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
