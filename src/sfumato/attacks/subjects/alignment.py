"""Who is who: the best one-to-one pairing of a document's people with those that an attacker found there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
from scipy.optimize import linear_sum_assignment

from sfumato.attacks.subjects.ground_truth import Subject
from sfumato.attacks.subjects.matching import AttributeJudge, agreement, is_open
from sfumato.attacks.subjects.tags import Profile

Agreements = Mapping[str, float]
"""S by tag, for every tag of a subject."""


def aligned(
    subjects: Sequence[Subject], profiles: Sequence[Profile], judge: AttributeJudge | None = None
) -> list[Agreements]:
    """For each subject S of each of their tags, by the pairing with the largest sum of all S.

    A subject that is paired with nobody has S = 0 throughout.
    """
    found = [[_compared(subject, profile, judge) for profile in profiles] for subject in subjects]
    best: list[Agreements] = [dict.fromkeys(subject.facts, 0.0) for subject in subjects]
    if not subjects or not profiles:
        return best
    sums = np.array([[sum(pair.values()) for pair in row] for row in found])
    for row, column in zip(*linear_sum_assignment(sums, maximize=True), strict=True):
        best[row] = found[row][column]
    return best


def questions(subjects: Sequence[Subject], profiles: Sequence[Profile]) -> Iterator[tuple[str, str, str]]:
    """What a judge is asked about these people: tag, truth and guess of each pair that no rule decides."""
    for subject, profile in product(subjects, profiles):
        for guess in profile.attributes:
            for fact in subject.facts.get(guess.tag, ()):
                if is_open(guess.tag, fact.value, guess.value):
                    yield guess.tag, fact.value, guess.value


def _compared(subject: Subject, profile: Profile, judge: AttributeJudge | None) -> Agreements:
    """One score for each tag: that of the best pair."""
    return {
        tag: max(
            (
                agreement(tag, fact.value, guess.value, judge)
                for fact in facts
                for guess in profile.attributes
                if guess.tag == tag
            ),
            default=0.0,
        )
        for tag, facts in subject.facts.items()
    }
