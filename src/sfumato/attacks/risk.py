"""From attempts to risk: how often the true person is found, by the strongest attack and by any.

A rank is that of the true person among an attempt's guesses, ties counting against us; None is beyond those named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from statistics import median
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.background import Background
from sfumato.attacks.ground_truth import GroundTruth
from sfumato.document import Attempt, Evidence
from sfumato.errors import NotMeasurable, Problem
from sfumato.report.html import format_odds, format_percent, pluralize
from sfumato.statistics import wilson

STRONG_K = 11
STRONG_RISK = 0.09
"""The risk that health regulators accept for public releases, 9 % or 1 in 11 (El Emam 2013; European Medicines Agency
2014; Health Canada 2019): each person among at least 11 who fit as well."""

RankChoice = Literal["first", "best", "learned"]
"""At which rank the attacker looks: the first; where the method itself looks at ranks, the one that pays best, or the
one that he learns from the other releases."""

Shares = NDArray[np.float64]
"""[attempt, rank]: how likely the true person is who stands there."""
Attempts = Mapping[str, Sequence[Attempt]]
"""An attack's name -> one judged attempt for each document, the same documents for every attack."""


@dataclass(frozen=True, slots=True)
class RiskAtRank:
    """The rank at which an attacker who knows the method should look, and how often that finds the person."""

    rank: int
    risk: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class LinkageRisk:
    """How often one attack finds the true person. ``median_rank`` is None where it lies beyond the people named."""

    risk: float
    interval: tuple[float, float]
    n: int
    found: int
    median_rank: float | None
    best: RiskAtRank
    """Of all ranks the one at which the true person sits most often: among few releases some rank always is."""
    learned: RiskAtRank
    """What an attacker gets who learns from the other releases at which rank to look, or looks at the first."""

    def at(self, rank: RankChoice) -> RiskAtRank:
        chosen = {"best": self.best, "learned": self.learned}
        return chosen.get(rank) or RiskAtRank(1, self.risk, self.interval)


@dataclass(frozen=True, slots=True)
class AnyAttackRisk:
    """Documents linked by at least one attack, and how many guessing as often would link by chance."""

    risk: float
    interval: tuple[float, float]
    chance: float
    documents: Mapping[str, bool]
    """Whether each was linked, by id."""


def with_true_rank(attempt: Attempt, true: Iterable[str]) -> Attempt:
    """The attempt with the rank of the true person (of several, the one found first): 1 + guesses scored higher."""
    people = frozenset(true)
    guesses = tuple(sorted(attempt.guesses, key=lambda guess: -guess.score))
    own = max((guess.score for guess in guesses if guess.answer in people), default=None)
    rank = None if own is None else 1 + sum(guess.score > own for guess in guesses)
    return replace(attempt, guesses=guesses, rank=rank)


def count_ties(attempt: Attempt) -> int:
    """How many guesses, the true person's included, share the true person's score."""
    if attempt.rank is None:
        return 0
    own = attempt.guesses[attempt.rank - 1].score
    return sum(guess.score == own for guess in attempt.guesses)


def candidate_count(attempt: Attempt) -> int | None:
    """How many people fit at least as well as the true one, who is among them; None: more than were named."""
    return None if attempt.rank is None else attempt.rank - 1 + count_ties(attempt)


def hit_probability(attempt: Attempt, rank: int) -> float:
    """How likely the true person is who stands at this rank: all or nothing but for ties, which count in full at 1."""
    if attempt.rank is None or not attempt.rank <= rank < attempt.rank + count_ties(attempt):
        return 0.0
    return 1.0 if rank == 1 else 1 / count_ties(attempt)


def linkage_risk(attempts: Sequence[Attempt]) -> LinkageRisk:
    """What one attack achieved over its judged attempts."""
    n = len(attempts)
    if not n:
        raise NotMeasurable("there is no release whose person is in the background")
    found = sum(attempt.rank == 1 for attempt in attempts)
    middle = median(inf if attempt.rank is None else attempt.rank for attempt in attempts)
    first = RiskAtRank(1, found / n, wilson(found, n))
    last = _last_rank(attempts)
    shares = np.array([_shares(attempt, last) for attempt in attempts])
    return LinkageRisk(
        first.risk,
        first.interval,
        n,
        found,
        None if middle == inf else float(middle),
        _best(shares, first),
        _learned(shares, first),
    )


def _best(shares: Shares, first: RiskAtRank) -> RiskAtRank:
    """The rank at which the true person sits most often; people who tie share their ranks, each as likely."""
    hits = shares.sum(axis=0)[1:]
    if not len(hits) or hits.max() / len(shares) <= first.risk:
        return first
    most = float(hits.max())
    return RiskAtRank(2 + int(hits.argmax()), most / len(shares), wilson(most, len(shares)))


def _learned(shares: Shares, first: RiskAtRank) -> RiskAtRank:
    """Leave one out: for each release the rank that pays best on all others; of equals any, as likely."""
    others = shares.sum(axis=0) - shares
    most = others.max(axis=1, keepdims=True)
    chosen = np.isclose(others, most) & (most > 0)
    chosen[~chosen.any(axis=1), 0] = True  # nothing to learn from: the first rank it is
    hits = float((shares * chosen / chosen.sum(axis=1, keepdims=True)).sum())
    rank = 1 + int(shares.sum(axis=0).argmax())
    risk = hits / len(shares)
    return RiskAtRank(rank, risk, wilson(hits, len(shares))) if risk > first.risk else first


def _shares(attempt: Attempt, last: int) -> list[float]:
    """``hit_probability`` of every rank up to the last."""
    shares = [0.0] * last
    if attempt.rank is not None:
        ties = count_ties(attempt)
        shares[attempt.rank - 1 : attempt.rank - 1 + ties] = [1 / ties] * ties
        shares[0] = float(attempt.rank == 1)
    return shares


def _last_rank(attempts: Sequence[Attempt]) -> int:
    """The last rank at which a true person may sit."""
    return max((size for attempt in attempts if (size := candidate_count(attempt)) is not None), default=1)


def find_strongest(by_attack: Mapping[str, LinkageRisk], rank: RankChoice = "first") -> tuple[str, RiskAtRank]:
    """The single attack that finds most people; of equals the one whose true people rank better."""

    def order(name: str) -> tuple[float, float]:
        middle = by_attack[name].median_rank
        return by_attack[name].at(rank).risk, -(inf if middle is None else middle)

    name = max(by_attack, key=order)
    return name, by_attack[name].at(rank)


def any_attack_risk(attempts: Attempts, people: int) -> AnyAttackRisk:
    """Linked by any attack; the chance floor is 1 - (1 - 1/N)^attacks for N people. It is no single attacker."""
    linked_by_any: dict[str, bool] = {}
    for own in attempts.values():
        for attempt in own:
            linked_by_any[attempt.document_id] = linked_by_any.get(attempt.document_id, False) or attempt.rank == 1
    hits, n = sum(linked_by_any.values()), len(linked_by_any)
    return AnyAttackRisk(hits / n, wilson(hits, n), 1 - (1 - 1 / people) ** len(attempts), linked_by_any)


# -- What the attacks found out, document by document, and the risk that follows.


MAX_QUOTED_TERMS = 10
"""Different terms kept as a document's evidence, heaviest first, each with all the places it was found at."""


@dataclass(frozen=True, slots=True)
class StrongestAttack:
    """The headline: the strongest single attack, at the rank where the attacker looks."""

    attack: str
    risk: float
    interval: tuple[float, float]
    rank: int = 1


@dataclass(frozen=True, slots=True)
class DocumentRisk:
    """One release. ``candidate_count``: the fewest people any attack has to look at to have seen the true one."""

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

    attacks: Mapping[str, LinkageRisk]
    strongest: StrongestAttack
    any: AnyAttackRisk
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
        return sum(one.candidates is not None and one.candidates < STRONG_K for one in self.documents)

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


def build_report(
    attempts: Attempts,
    released: Mapping[str, str],
    background: Background,
    truth: GroundTruth,
    *,
    rank: RankChoice = "first",
    problems: Sequence[Problem] = (),
) -> AttackReport:
    """The risk of judged attempts. ``released`` is what the attacks read; evidence is quoted from nothing else."""
    attacks = {name: linkage_risk(own) for name, own in attempts.items()}
    name, headline = find_strongest(attacks, rank)
    return AttackReport(
        attacks,
        StrongestAttack(name, headline.risk, headline.interval, headline.rank),
        any_attack_risk(attempts, len(background)),
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
    sets = [size for attempt in own.values() if (size := candidate_count(attempt)) is not None]
    linked_by = tuple(name for name, attempt in own.items() if attempt.rank == 1)
    # Of people who tie for the first place the evidence may be another's, so an attack that saw one alone speaks.
    alone = [own[name] for name in linked_by if candidate_count(own[name]) == 1]
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
    kept = set(list(dict.fromkeys(_folded(one.term) for one in quoted))[:MAX_QUOTED_TERMS])
    return tuple(one for one in quoted if _folded(one.term) in kept)


def _folded(term: str) -> str:
    return " ".join(term.casefold().split())


def headline(report: AttackReport) -> str:
    """The headline: what share can be found, by which attack, and how sure that is."""
    strongest = report.strongest
    low, high = strongest.interval
    where = "" if strongest.rank == 1 else f" at rank {strongest.rank}"
    if strongest.risk == 0:
        return (
            f"Nobody in {pluralize(report.n, 'release')} was found by any attack; by that number alone the true share "
            f"may still be up to {format_percent(high)}."
        )
    said = format_odds(strongest.risk)
    return (
        f"{said[0].upper()}{said[1:]} of the people in these {report.n:,} releases can be found{where} by the "
        f"strongest attack, {strongest.attack}: {format_percent(strongest.risk)} "
        f"(95 % interval {format_percent(low)} to {format_percent(high)})."
    )
