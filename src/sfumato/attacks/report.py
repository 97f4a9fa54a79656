"""What the attacks found out, document by document, and the risk that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from sfumato.attacks.background import Background
from sfumato.attacks.risk import AnyLink, AtRank, Attempts, Linked, any_link, candidates, linked, strongest
from sfumato.attacks.truth import Truth
from sfumato.document import Attempt, Evidence
from sfumato.errors import Problem
from sfumato.intervals import wilson
from sfumato.report import counted, in_words, percent

CROWD = 11
"""The number of people that a strong release hides each person among."""
QUOTES = 10
"""Different terms kept as a document's evidence, heaviest first, each with all the places it was found at."""


@dataclass(frozen=True, slots=True)
class Strongest:
    """The headline: the strongest single attack, at the rank where the attacker looks."""

    attack: str
    risk: float
    interval: tuple[float, float]
    rank: int = 1


@dataclass(frozen=True, slots=True)
class DocumentRisk:
    """One release. ``candidates``: the fewest people any attack has to look at to have seen the true one."""

    id: str
    candidates: int | None
    linked_by: tuple[str, ...]
    ranks: Mapping[str, int | None]
    margin: float | None
    """How far ahead of the second the right guess was, as a share, in the attack that was surest of it."""
    evidence: tuple[Evidence, ...]
    """The words of the release that gave the person away in that attack. Empty where nobody found them."""

    @property
    def quotes(self) -> list[str]:
        """The terms of the evidence, each once, heaviest first."""
        found: dict[str, str] = {}
        for one in self.evidence:
            found.setdefault(_folded(one.term), " ".join(one.term.split()))
        return list(found.values())

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "candidates": self.candidates,
            "linked_by": list(self.linked_by),
            "ranks": dict(self.ranks),
            "margin": self.margin,
            "evidence": [
                {"term": one.term, "weight": one.weight, "start": one.start, "end": one.end} for one in self.evidence
            ],
        }


@dataclass(frozen=True)
class AttackReport:
    """What ``sfumato.attack`` returns. ``documents`` come sorted, those at most risk first."""

    attacks: Mapping[str, Linked]
    strongest: Strongest
    any: AnyLink
    documents: tuple[DocumentRisk, ...]
    people: int
    excluded: Mapping[str, int]
    """What was left out of the risk, counted by reason."""
    problems: tuple[Problem, ...] = ()
    cost: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Of attacks that ask a language model: which one, with which prompt, and what was spent."""
    also_named: tuple[str, ...] = ()
    """Documents that name people of the background whom they are not filed under: see ``attacks.mentions``."""

    @property
    def n(self) -> int:
        return len(self.documents)

    @property
    def exposed(self) -> int:
        """Documents whose person some attack finds among fewer than eleven."""
        return sum(one.candidates is not None and one.candidates < CROWD for one in self.documents)

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato attack --json`` prints it."""
        return {
            "attacks": {
                name: {
                    "risk": one.risk,
                    "interval": list(one.interval),
                    "n": one.n,
                    "median_rank": one.median_rank,
                }
                for name, one in self.attacks.items()
            },
            "strongest": {
                "attack": self.strongest.attack,
                "risk": self.strongest.risk,
                "interval": list(self.strongest.interval),
            },
            "any": {"risk": self.any.risk, "interval": list(self.any.interval), "chance": self.any.chance},
            "documents": [one.to_json() for one in self.documents],
            "best_rank": {
                name: {"rank": one.best.rank, "risk": one.best.risk, "interval": list(one.best.interval)}
                for name, one in self.attacks.items()
            },
            "rank": self.strongest.rank,
            "candidates": {
                "smallest": min((one.candidates for one in self.documents if one.candidates), default=None),
                "below_11": self.exposed / self.n,
                "interval": list(wilson(self.exposed, self.n)),
            },
            "people": self.people,
            "chance": 1 / self.people,
            "excluded": dict(self.excluded),
            "also_named": list(self.also_named),
            "cost": {name: dict(cost) for name, cost in self.cost.items()},
            "problems": [str(problem) for problem in self.problems],
        }


def reported(
    attempts: Attempts,
    released: Mapping[str, str],
    background: Background,
    truth: Truth,
    *,
    rank: AtRank = "first",
    problems: Sequence[Problem] = (),
) -> AttackReport:
    """The risk of judged attempts. ``released`` is what the attacks read; evidence is quoted from nothing else."""
    attacks = {name: linked(own) for name, own in attempts.items()}
    name, headline = strongest(attacks, rank)
    return AttackReport(
        attacks,
        Strongest(name, headline.risk, headline.interval, headline.rank),
        any_link(attempts, len(background)),
        _documents(attempts, released),
        len(background),
        {
            "releases_without_background": len(truth.without_background),
            "people_without_release": truth.without_release,
            "people_without_text": background.empty,
            "records_merged": background.merged,
            "blank_releases": sum(not released[key].strip() for key in truth.people if key in released),
        },
        tuple(problems),
    )


def _documents(attempts: Attempts, released: Mapping[str, str]) -> tuple[DocumentRisk, ...]:
    by_document: dict[str, dict[str, Attempt]] = {}
    for name, own in attempts.items():
        for attempt in own:
            by_document.setdefault(attempt.document_id, {})[name] = attempt
    found = [_document(key, own, released[key]) for key, own in by_document.items()]

    def most_at_risk_first(one: DocumentRisk) -> tuple[float, int, float, str]:
        return inf if one.candidates is None else one.candidates, -len(one.linked_by), -(one.margin or 0.0), one.id

    return tuple(sorted(found, key=most_at_risk_first))


def _document(key: str, own: Mapping[str, Attempt], text: str) -> DocumentRisk:
    sets = [size for attempt in own.values() if (size := candidates(attempt)) is not None]
    linked_by = tuple(name for name, attempt in own.items() if attempt.rank == 1)
    # Of people who tie for the first place the evidence may be another's, so an attack that saw one alone speaks.
    alone = [own[name] for name in linked_by if candidates(own[name]) == 1]
    surest = max(alone, key=lambda attempt: attempt.score or 0.0, default=None)
    return DocumentRisk(
        key,
        min(sets, default=None),
        linked_by,
        {name: attempt.rank for name, attempt in own.items()},
        surest.score if surest else None,
        _quoted(surest.evidence, text) if surest else (),
    )


def _quoted(evidence: Sequence[Evidence], text: str) -> tuple[Evidence, ...]:
    """The evidence in the release's own words, whatever form of them the attack works with."""
    quoted = [
        Evidence(text[one.start : one.end], one.weight, one.start, one.end)
        for one in evidence
        if 0 <= one.start < one.end <= len(text)
    ]
    kept = set(list(dict.fromkeys(_folded(one.term) for one in quoted))[:QUOTES])
    return tuple(one for one in quoted if _folded(one.term) in kept)


def _folded(term: str) -> str:
    return " ".join(term.casefold().split())


def sentence(report: AttackReport) -> str:
    """The headline: what share can be found, by which attack, and how sure that is."""
    strongest = report.strongest
    low, high = strongest.interval
    where = "" if strongest.rank == 1 else f" at rank {strongest.rank}"
    if strongest.risk == 0:
        return (
            f"Nobody in {counted(report.n, 'release')} was found by any attack; by that number alone the true share "
            f"may still be up to {percent(high)}."
        )
    said = in_words(strongest.risk)
    return (
        f"{said[0].upper()}{said[1:]} of the people in these {report.n:,} releases can be found{where} by the "
        f"strongest attack, {strongest.attack}: {percent(strongest.risk)} "
        f"(95 % interval {percent(low)} to {percent(high)})."
    )
