"""Several links as one attack, weighed by how well they find people by pieces of their own background."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Person
from sfumato.attacks.linking.combination.weights import learned_weights, share_of_best
from sfumato.attacks.linking.evidence import Carried, merged
from sfumato.attacks.linking.ranking import RankingAttack, Scores
from sfumato.attacks.linking.sparse import SkipGramAttack, SparseAttack, TfIdfAttack, fit_together
from sfumato.attacks.linking.sparse.words import NO_STEMS


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
        self._weights = learned_weights(people, self._new_members(), self._seed)
        counting = [member for member, weight in zip(self._members, self._weights, strict=True) if weight > 0]
        fit_together(counting, people)
        self._last = None

    def all_scores(self, text: str) -> Scores:
        scores = np.zeros(len(self._ids), np.float32)
        for weight, _, shares in self._weighed(text):
            scores += np.float32(weight) * shares
        return scores

    def carried(self, text: str, row: int) -> Carried:
        parts: list[Carried] = []
        for weight, member, shares in self._weighed(text):
            own = member.carried(text, row)
            scale = weight * shares[row] / (own.weights.sum() or 1)
            parts.append(own._replace(weights=own.weights * scale))
        return merged(parts)

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
            self._last = text, [share_of_best(member.all_scores(text)) for _, member in counting]
        for (weight, member), shares in zip(counting, self._last[1], strict=True):
            yield weight, member, shares
