"""The attacker who has this software: a background generalized as releases are, links weighed on pseudo-releases.

Alone (``with-software``) and with all releases at once (``joint-with-software``). A release that says "a town in
northern Belgium" or "in the early 1980s" shares no word with a background that says "Moll" or "1981", but the
hierarchies that wrote it can be run on the background as well.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import NO_STEMS
from sfumato.attacks.linking.combination import MAX_DRAWS, MIN_PIECES
from sfumato.attacks.linking.fusion import FollowedFusion, Fusion, fit_weights, in_deviations
from sfumato.attacks.linking.generalizations import (
    Generalizer,
    Interval,
    KnownPerson,
    PseudoRelease,
    read_people,
    split_pseudo_releases,
)
from sfumato.attacks.linking.joint import JointLinking, TextScores
from sfumato.attacks.linking.ranking import RangeWeights, RankingAttack, Scores, merge_range_weights
from sfumato.attacks.linking.sparse import CharacterAttack, SparseAttack, TfIdfAttack, fit_together
from sfumato.models.base import Floats

MAX_PEOPLE = 600
"""People of the background among whom the weights are learned."""
MAX_PIECES = 400
"""Pseudo-releases by which they are learned."""
_PRIOR_WEIGHTS = {"intervals": 0.5}
"""Members that count other than 1 before weights are learned: times fit many people."""


class IntervalAttack(RankingAttack):
    """Link a text to the person whose times and amounts lie within those that the text says.

    A score is the sum, over the text's different times and amounts, of ln(people / people who have one within it).
    """

    name: ClassVar[str] = "intervals"
    goal: ClassVar[str] = "Find whom a text is about by times and amounts that fit, however vague they became."

    def __init__(self, generalizer: Generalizer) -> None:
        self._generalizer = generalizer

    def learn(self, people: Sequence[Person]) -> None:
        self.learn_known(read_people(people, self._generalizer))

    def learn_known(self, people: Sequence[KnownPerson]) -> None:
        """Learn people whose mentions were read, in the order of their ids."""
        self.set_people([person.id for person in people])
        by_unit: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
        for row, person in enumerate(people):
            for unit, low, high in {interval for text in person.texts for interval, *_ in text.intervals()}:
                by_unit[unit].append((low, high, row))
        self._known = {unit: sorted(intervals) for unit, intervals in by_unit.items()}

    def scores(self, text: str) -> Scores:
        scores = np.zeros(len(self._ids), np.float32)
        for people, weight, _ in self._matches(text):
            scores[people] += weight
        return scores

    def evidence(self, text: str, row: int) -> RangeWeights:
        ranges = [
            (start, end, weight / len(places))
            for people, weight, places in self._matches(text)
            if row in people
            for start, end in places
        ]
        starts, ends, weights = np.array(ranges, np.float64).reshape(-1, 3).T
        return merge_range_weights([RangeWeights(starts.astype(np.int64), ends.astype(np.int64), weights)])

    def _matches(self, text: str) -> Iterator[tuple[list[int], float, list[tuple[int, int]]]]:
        """The people who fit each different time or amount of a text, its weight, and where the text says it."""
        places: dict[Interval, list[tuple[int, int]]] = defaultdict(list)
        (read,) = self._generalizer.read([text])
        for interval, start, end in read.intervals():
            places[interval].append((start, end))
        for interval, ranges in places.items():
            if people := self._people_within(interval):
                yield people, float(np.log(len(self._ids) / len(people))), ranges

    def _people_within(self, interval: Interval) -> list[int]:
        known = self._known.get(interval.unit, [])
        first = bisect_left(known, interval.low, key=lambda item: item[0])
        last = bisect_right(known, interval.high, key=lambda item: item[0])
        return sorted({row for _, high, row in known[first:last] if high <= interval.high})


Member = SparseAttack | IntervalAttack


class SoftwareMembers:
    """The links that the attacker combines, fitted on one background, with the weights learned on pseudo-releases."""

    def __init__(self, stems: str, detector: str, folder: str | Path | None, seed: int) -> None:
        self._stems, self._seed = stems, seed
        self.generalizer = Generalizer(detector, folder)
        self._members = self._new_members()
        self.weights: Floats = np.full(len(self._members), 1 / len(self._members))

    def _new_members(self) -> dict[str, Member]:
        """By what they compare; the first reads the background as it is, the others as it is generalized."""
        stems = self._stems
        return {
            "rare phrases as they are": TfIdfAttack(longest=2, stems=stems, rarity=2),
            "words": TfIdfAttack(longest=2, stems=NO_STEMS),
            "phrases": TfIdfAttack(longest=3, stems=stems),
            "stems without common ones": TfIdfAttack(longest=2, stems=stems, common=0.5),
            "rare phrases": TfIdfAttack(longest=2, stems=stems, rarity=2),
            "rare stems": TfIdfAttack(longest=1, stems=stems, rarity=2),
            "characters": CharacterAttack(stems=stems),
            "intervals": IntervalAttack(self.generalizer),
        }

    def learn(self, people: Sequence[Person]) -> None:
        """Learn people, who come in the order of their ids."""
        known = read_people(people, self.generalizer)
        self.weights = self._learn_weights(known)
        self._fit(self._members, known)
        self.fusion = Fusion(list(self._members.values()), self.weights)

    def by_words(self) -> tuple[list[SparseAttack], Floats]:
        """The members that score words, and their weights: those that follow each change of a text."""
        pairs = zip(self._members.values(), self.weights, strict=True)
        chosen = [(member, weight) for member, weight in pairs if isinstance(member, SparseAttack) and weight > 0]
        return [member for member, _ in chosen], np.array([weight for _, weight in chosen])

    def describe(self) -> dict[str, float]:
        """How much each member counts; they sum to 1."""
        return {name: round(float(weight), 3) for name, weight in zip(self._members, self.weights, strict=True)}

    @staticmethod
    def _fit(members: Mapping[str, Member], known: Sequence[KnownPerson]) -> None:
        as_it_is, *sparse = [member for member in members.values() if isinstance(member, SparseAttack)]
        fit_together([as_it_is], [person.as_person() for person in known])
        fit_together(sparse, [person.generalized() for person in known])
        for member in members.values():
            if isinstance(member, IntervalAttack):
                member.learn_known(known)

    def _learn_weights(self, known: Sequence[KnownPerson]) -> Floats:
        """By pieces of the background that are anonymized as releases are; prior ones where there are too few."""
        generator = np.random.default_rng(self._seed)
        if len(known) > MAX_PEOPLE:
            known = [known[row] for row in np.sort(generator.choice(len(known), MAX_PEOPLE, replace=False))]
        members = self._new_members()
        columns, owners = list[Scores](), list[int]()
        for draw in range(MAX_DRAWS):
            rest, pieces = split_pseudo_releases(known, self._seed + draw)
            chosen = [pieces[index] for index in generator.permutation(len(pieces))[: MAX_PIECES - len(owners)]]
            if len(known) < 2 or not chosen:
                break
            self._fit(members, rest)
            columns += [_member_scores(members, piece) for piece in chosen]
            owners += [piece.owner for piece in chosen]
            if len(owners) >= MAX_PIECES:
                break
        # Pieces share more with the rest of their text than releases do, dates above all: they may weigh a member down
        # and not up.
        weights: Floats = np.array([_PRIOR_WEIGHTS.get(name, 1.0) for name in members])
        if len(owners) >= MIN_PIECES:
            weights *= np.minimum(1, fit_weights(np.stack(columns), np.array(owners)) * len(members))
        weights /= weights.sum()
        return weights


def _member_scores(members: Mapping[str, Member], piece: PseudoRelease) -> Scores:
    return np.stack([in_deviations(member.scores(piece.text)) for member in members.values()], axis=1)


class WithSoftwareAttack(RankingAttack):
    """Link a text to the person whose background, generalized by this software, fits what the text says.

    A score is the weighted sum of the members' scores, each in its standard deviation over people.
    """

    name: ClassVar[str] = "with-software"
    goal: ClassVar[str] = (
        "Find whom a text is about with this software at hand: the background is generalized as releases are, and "
        "pieces of it are anonymized to learn how releases look."
    )
    named_only: ClassVar[bool] = True
    """Detectors read the background, which takes minutes where others take seconds."""

    def __init__(
        self, *, stems: str = "english", detector: str = "default", folder: str | Path | None = None, seed: int = 0
    ) -> None:
        """``stems``: a Snowball language, or "none". ``detector``: of the recipe under attack; "default": those of the
        default recipe. ``folder``: keeps the generalizations for later runs; confidential. ``seed``: of the pieces."""
        self._software = SoftwareMembers(stems, detector, folder, seed)

    @property
    def settings(self) -> dict[str, object]:
        """What the figures depend on."""
        return {"weights": self._software.describe()}

    def learn(self, people: Sequence[Person]) -> None:
        self._software.learn(people)

    def scores(self, text: str) -> Scores:
        return self._software.fusion.scores(text)

    def evidence(self, text: str, row: int) -> RangeWeights:
        return self._software.fusion.evidence(text, row)


class JointWithSoftwareAttack(JointLinking):
    """Link all texts at once, with a background generalized by this software; nobody has more texts than stated."""

    name: ClassVar[str] = "joint-with-software"
    goal: ClassVar[str] = (
        "Find whom each text is about with all texts and this software at hand: the background is generalized as "
        "releases are, and nobody has more texts than stated."
    )
    named_only: ClassVar[bool] = True
    """As for ``with-software``."""

    def __init__(
        self,
        *,
        stems: str = "english",
        per_person: int | None = None,
        detector: str = "default",
        folder: str | Path | None = None,
        seed: int = 0,
    ) -> None:
        """``per_person``: as for ``joint``; the others as for ``with-software``."""
        super().__init__(per_person)
        self._software = SoftwareMembers(stems, detector, folder, seed)

    @property
    def settings(self) -> dict[str, object]:
        return {**super().settings, "weights": self._software.describe()}

    def learn(self, people: Sequence[Person]) -> None:
        self._software.learn(people)

    def prepare(self, texts: Sequence[str]) -> None:
        self._software.generalizer.read(texts)  # which remembers them

    def read(self, text: str) -> TextScores:
        """In deviations over people."""
        total = self._software.fusion.scores(text)
        return TextScores(in_deviations(total, centred=True), total > 0)

    def evidence(self, text: str, row: int) -> RangeWeights:
        ranges = self._software.fusion.evidence(text, row)
        return ranges._replace(weights=ranges.weights / (ranges.weights.sum() or 1))

    @property
    def learned(self) -> str | None:
        return super().learned if self._software.by_words()[0] else None

    def follow(self, text: str, subjects: Sequence[int], rank: int) -> FollowedFusion:
        """By words alone; times and amounts are not followed."""
        members, weights = self._software.by_words()
        return FollowedFusion(members, weights, self.scale, text, subjects, in_own_deviations=True)
