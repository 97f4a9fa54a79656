"""What is found out about a release: an attack's attempts, a metric's score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.document.span import Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """A term of the released text that helped an attack, with its weight and where it stands."""

    term: str
    weight: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Guess:
    """One answer of an attack and how sure it is."""

    answer: str
    score: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """One record from every attack on one released text. Whoever knows the subjects decides on success."""

    attack: str
    document_id: str
    guesses: tuple[Guess, ...]
    rank: int | None = None
    score: float | None = None
    evidence: tuple[Evidence, ...] = ()
    span: Span | None = None
    """Where in the released text, for an attack on one span of it."""


@dataclass(frozen=True, slots=True)
class Score:
    """A measured value: never a bare float."""

    metric: str
    value: float
    interval: tuple[float, float]
    n: int
    per_document: Mapping[str, float]
    higher_is_better: bool
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        low, high = self.interval
        if not low <= self.value <= high:
            raise ValueError(f"{self.metric}: value {self.value} lies outside its interval [{low}, {high}]")
        if self.n < 1:
            raise ValueError(f"{self.metric}: a score over no documents is not a score")
