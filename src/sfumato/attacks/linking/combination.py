"""The combined linking attack: several sparse attacks, weighted by how well they find people by held-out texts.

Held-out pieces of the background are not like releases. So the weights are then corrected by the releases themselves:
by the links that hold if nobody has two of them, without any truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import NO_STEMS, BackgroundTokens, TextTokens, Vocabulary
from sfumato.attacks.linking.fusion import MIN_RELEASES, Fusion, adapt_weights, fit_weights, in_deviations
from sfumato.attacks.linking.joint import MAX_SCORES, SAMPLE
from sfumato.attacks.linking.ranking import RangeWeights, RankingAttack, Scores
from sfumato.attacks.linking.sparse import SparseAttack, TfIdfAttack, fit_together, group_by_stemming
from sfumato.attacks.linking.terms import NGrams
from sfumato.document import Attempt
from sfumato.models.base import Floats

HOLDOUT_SHARE = 0.25
"""Of a person's words, how much is held out."""
LONGEST = 400
"""Words in a piece, at most: releases are mostly shorter than what is known of a person."""
SHORTEST = 8
"""Fewer words are no text."""


class Masking(NamedTuple):
    """How a piece is made like a release: whether names and numbers go, and the share of the other words that goes."""

    names: bool
    share: float


MASKINGS = (Masking(False, 0.0), Masking(False, 0.3), Masking(True, 0.2), Masking(True, 0.5))
"""Each piece is used once with each: releases keep everything, next to nothing, and what is between."""


class HoldoutPiece(NamedTuple):
    """A held-out piece, masked as an anonymizer might, and the row of the person it is about."""

    owner: int
    text: TextTokens


def split_holdout(words: BackgroundTokens, seed: int) -> tuple[BackgroundTokens, list[HoldoutPiece]]:
    """The words without a piece of each person, and the pieces. People with too few words give none."""
    generator = np.random.default_rng(seed)
    borders = np.searchsorted(words.owner, np.arange(words.owners + 1))
    rest = np.ones(len(words.ids), bool)
    pieces: list[HoldoutPiece] = []
    for owner, (start, end) in enumerate(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)):
        size = min(LONGEST, int((end - start) * HOLDOUT_SHARE))
        first = start + int(generator.integers(0, end - start - size + 1))
        if size < SHORTEST:
            continue
        rest[first : first + size] = False
        pieces += [HoldoutPiece(owner, text) for text in _masked(words, first, first + size, generator)]
    segment = words.segment + np.cumsum(~rest)  # no phrase reaches across the gap that a piece leaves
    left = replace(words, ids=words.ids[rest], owner=words.owner[rest], segment=segment[rest], named=words.named[rest])
    return left, pieces


def _masked(words: BackgroundTokens, start: int, end: int, generator: np.random.Generator) -> Iterator[TextTokens]:
    ids, segment, named = words.ids[start:end], words.segment[start:end], words.named[start:end]
    for masking in MASKINGS:
        stays = (generator.random(len(ids)) >= masking.share) & ~(named & masking.names)
        gaps = np.cumsum(~stays)  # no phrase reaches across a masked word
        forms = [words.forms[number] for number in ids[stays].tolist()]
        nowhere = np.zeros(len(forms), np.int64)
        yield TextTokens(ids[stays], (segment + gaps)[stays], nowhere, nowhere, forms)


MAX_PEOPLE = 1000
"""People of the background among whom the weights are learned."""
MAX_PIECES = 800
"""Pieces by which they are learned; the longest ones, since releases are texts and not sentences."""
MAX_DRAWS = 4
"""How often pieces are held out anew, until there are enough."""
MIN_PIECES = 80
"""With fewer pieces, members count equally."""


def learn_weights(people: Sequence[Person], members: Sequence[SparseAttack], seed: int) -> Floats:
    """Weights of unfitted members that sum to 1; equal ones where the background gives too few pieces."""
    generator = np.random.default_rng(seed)
    if len(people) > MAX_PEOPLE:
        people = [people[row] for row in np.sort(generator.choice(len(people), MAX_PEOPLE, replace=False))]
    columns: dict[int, Scores] = {}
    owners: list[int] = []
    for stems, group in group_by_stemming(members).items():
        vocabulary = Vocabulary(stems)
        words = vocabulary.read(people)
        # The same pieces for each group: words are split at the same places, whatever the stemming.
        splits = list(_holdout_splits(words, seed))
        owners = [piece.owner for _, pieces in splits for piece in pieces]
        if len(people) < 2 or len(owners) < MIN_PIECES:
            return np.full(len(members), 1 / len(members))
        for member in group:
            scores = [_holdout_scores(member, vocabulary, *split) for split in splits]
            columns[members.index(member)] = np.concatenate(scores)
    return fit_weights(np.stack([columns[number] for number in range(len(members))], axis=2), np.array(owners))


def _holdout_splits(words: BackgroundTokens, seed: int) -> Iterator[tuple[BackgroundTokens, list[HoldoutPiece]]]:
    """The rest of the words and the longest pieces, held out anew until there are enough pieces."""
    count = 0
    for draw in range(MAX_DRAWS):
        rest, pieces = split_holdout(words, seed + draw)
        pieces = sorted(pieces, key=lambda piece: -len(piece.text))[: MAX_PIECES - count]
        count += len(pieces)
        yield rest, pieces
        if count >= MAX_PIECES:
            return


def _holdout_scores(
    member: SparseAttack, vocabulary: Vocabulary, rest: BackgroundTokens, pieces: Sequence[HoldoutPiece]
) -> Scores:
    member.learn_tokens(rest, vocabulary)
    shares = [in_deviations(member.scores_of(piece.text)) for piece in pieces]
    return np.stack(shares) if shares else np.zeros((0, rest.owners), np.float32)


def _describe(member: SparseAttack) -> str:
    """A member's name with what its terms are: "tfidf (stems up to 2, rarity 3)"."""
    kind = "words" if member.stems == NO_STEMS else "stems"
    longest = f" up to {member.terms.longest}" if isinstance(member.terms, NGrams) else ""
    power = f", rarity {member.rarity_power:g}" if member.rarity_power != 1 else ""
    return f"{member.name} ({kind}{longest}{power})"


class CombinedAttack(RankingAttack):
    """Link a text to the person whom links by words, by rare phrases and by rare stems find together.

    A score is the weighted sum of the members' scores, each in the standard deviation of the member's scores over
    people for the text. Weights are learned on the background, and corrected by the releases of each run.
    """

    name: ClassVar[str] = "combination"
    goal: ClassVar[str] = (
        "Find whom a text is about by all sparse links at once, weighed on the background and by sure links of a set."
    )

    def __init__(self, *, stems: str = "english", seed: int = 0) -> None:
        """``stems``: a Snowball language, or "none". ``seed``: of the pieces held out to learn the weights."""
        self._stems, self._seed = stems, seed
        self._members = self._new_members()
        self._learned = self._weights = np.full(len(self._members), 1 / len(self._members))

    @property
    def weights(self) -> Mapping[str, float]:
        """How much each member counts in the last run, or by the background before any; they sum to 1."""
        return dict(zip(map(_describe, self._members), self._weights.tolist(), strict=True))

    def learn(self, people: Sequence[Person]) -> None:
        self._learned = learn_weights(people, self._new_members(), self._seed)
        fit_together([self._members[number] for number in np.flatnonzero(self._learned)], people)
        self._weigh(self._learned)

    def _weigh(self, weights: Floats) -> None:
        self._weights, self._fusion = weights, Fusion(self._members, weights)

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        if self._row is not None:
            self._weigh(self._adapted_weights(released))
        return super().run(released)

    def _adapted_weights(self, released: Mapping[str, str]) -> Floats:
        """By all releases, or by as many as suffice and fit in memory, drawn at random."""
        counting = np.flatnonzero(self._learned)
        most = min(SAMPLE, MAX_SCORES // (len(self._ids) * len(counting)))
        if len(counting) < 2 or min(most, len(released)) < MIN_RELEASES:
            return self._learned
        keys = sorted(released)
        drawn = np.sort(np.random.default_rng(0).permutation(len(keys))[:most])
        texts = [released[keys[number]] for number in drawn]
        scores = [[in_deviations(self._members[member].scores(text)) for member in counting] for text in texts]
        weights = np.zeros(len(self._members))
        weights[counting] = adapt_weights(np.array(scores).transpose(0, 2, 1), self._learned[counting])
        return weights

    def scores(self, text: str) -> Scores:
        return self._fusion.scores(text)

    def evidence(self, text: str, row: int) -> RangeWeights:
        return self._fusion.evidence(text, row)

    def _new_members(self) -> list[SparseAttack]:
        # Cosines only: BM25 depends on how much is known of a person, so that a weight learned on one background
        # misleads on another where people's texts are of unequal length.
        return [
            TfIdfAttack(longest=2, stems=NO_STEMS),
            TfIdfAttack(longest=2, stems=NO_STEMS, rarity=3),
            TfIdfAttack(longest=2, stems=self._stems, rarity=3),
            TfIdfAttack(longest=1, stems=self._stems, rarity=2),
        ]
