"""How well a record supports a claim: 1 the same is said, 2 something similar, 3 it is not supported (paper 003).

Judges without a language model. Their thresholds were fixed beforehand, on 150 patient stories that no reported
figure uses: claims against stories of other people (to be rated 3), and against their own story with one word of the
claim replaced by a label (to be rated 2). docs/attacks.md has the shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from sfumato.attacks.claims.split import Clauses, content
from sfumato.knowledge.grammar.sentences import sentences
from sfumato.models.base import Embedder

SAME, SIMILAR, UNSUPPORTED = 1, 2, 3


class Question(NamedTuple):
    """Claims, and the passage they are rated against."""

    claims: Sequence[str]
    passage: str


@runtime_checkable
class Judge(Protocol):
    """Rates claims against passages."""

    name: str

    def rate(self, questions: Sequence[Question]) -> list[list[int | None]]:
        """1, 2 or 3 for each claim of each question; None where the judge gave no readable answer."""
        ...


class LexicalJudge:
    """Rates by shared words: all of a claim's words in one sentence of the record are the same, half are similar."""

    paper: ClassVar[str | None] = None
    extra: ClassVar[str | None] = None
    name = "lexical"

    def __init__(self, *, similar: float = 0.5) -> None:
        """``similar``: least share of a claim's words, stop words aside, in one sentence of the record."""
        self._similar = similar

    def rate(self, questions: Sequence[Question]) -> list[list[int | None]]:
        return [self._rate(*question) for question in questions]

    def _rate(self, claims: Sequence[str], passage: str) -> list[int | None]:
        said = [frozenset(content(passage[start:end])) for start, end in sentences(passage)]
        return [self._rating(frozenset(content(claim)), said) for claim in claims]

    def _rating(self, claim: frozenset[str], said: Sequence[frozenset[str]]) -> int:
        shared = max((len(claim & sentence) for sentence in said), default=0)
        if not shared or shared < self._similar * len(claim):
            return UNSUPPORTED
        return SAME if shared == len(claim) else SIMILAR


class EmbeddingJudge:
    """Rates by the cosine of a claim and the nearest sentence or clause of the record."""

    paper: ClassVar[str | None] = None
    extra: ClassVar[str | None] = None

    def __init__(self, *, embedder: str | Embedder = "default", same: float = 0.95, similar: float = 0.6) -> None:
        """``same``, ``similar``: least cosines; the defaults are meant for the default embedder."""
        from sfumato.models import load_embedder

        self._embedder = load_embedder(embedder) if isinstance(embedder, str) else embedder
        self._same, self._similar = same, similar
        self.name = f"embedding:{self._embedder.name}"

    def rate(self, questions: Sequence[Question]) -> list[list[int | None]]:
        return [self._rate(*question) for question in questions]

    def _rate(self, claims: Sequence[str], passage: str) -> list[int | None]:
        parts = [passage[start:end] for start, end in sentences(passage)]
        parts += [claim.text for claim in Clauses().split([passage])[0]]
        if not parts or not claims:
            return [UNSUPPORTED] * len(claims)
        nearest = (self._embedder.embed(claims) @ self._embedder.embed(parts).T).max(axis=1)
        # Rounding may leave the cosine of a text with itself a little below 1.
        ratings = np.where(nearest >= self._same - 1e-6, SAME, np.where(nearest >= self._similar, SIMILAR, UNSUPPORTED))
        return [int(rating) for rating in ratings]
