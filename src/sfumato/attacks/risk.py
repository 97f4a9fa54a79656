"""Re-identification risk from attempts: how often the true person is found, by the strongest attack and by any.

A rank is that of the true person among an attempt's guesses, ties counting against the release; None: not among them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from math import inf
from statistics import median
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.abstention import Abstention
from sfumato.attacks.background import Background
from sfumato.attacks.continuation import Sign
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
"""The rank at which the attacker looks: the first; or, since the method may have changed ranks, the one that finds most
people, or the one learned from the other releases."""

Shares = NDArray[np.float64]
"""[attempt, rank]: the probability that the true person has this rank."""
Attempts = Mapping[str, Sequence[Attempt]]
"""An attack's name -> one attempt with its true rank for each document, the same documents for every attack."""


@dataclass(frozen=True, slots=True)
class RiskAtRank:
    """A rank at which the attacker looks, and how often that finds the person."""

    rank: int
    risk: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class LinkageRisk:
    """How often one attack finds the true person. ``median_rank`` is None where it lies beyond the guesses."""

    risk: float
    interval: tuple[float, float]
    n: int
    found: int
    median_rank: float | None
    best: RiskAtRank
    """The rank that the true person has most often; among few releases some rank always stands out."""
    learned: RiskAtRank
    """For an attacker who learns from the other releases at which rank to look, or looks at the first."""

    def at(self, rank: RankChoice) -> RiskAtRank:
        others = {"best": self.best, "learned": self.learned}
        return others.get(rank) or RiskAtRank(1, self.risk, self.interval)


@dataclass(frozen=True, slots=True)
class AnyAttackRisk:
    """Documents linked by at least one attack, and the share that as many random guesses would link."""

    risk: float
    interval: tuple[float, float]
    chance: float
    documents: Mapping[str, bool]
    """Whether each was linked, by id."""


def with_true_rank(attempt: Attempt, true: Iterable[str]) -> Attempt:
    """The attempt with the rank of the true person (of several, the best): 1 + the number of higher scores."""
    people = frozenset(true)
    guesses = tuple(sorted(attempt.guesses, key=lambda guess: -guess.score))
    score = max((guess.score for guess in guesses if guess.answer in people), default=None)
    rank = None if score is None else 1 + sum(guess.score > score for guess in guesses)
    return replace(attempt, guesses=guesses, rank=rank)


def count_ties(attempt: Attempt) -> int:
    """How many guesses, the true person's included, share the true person's score."""
    scores = [guess.score for guess in attempt.guesses]
    return 0 if attempt.rank is None else scores.count(scores[attempt.rank - 1])


def candidate_count(attempt: Attempt) -> int | None:
    """How many people fit at least as well as the true one, who is among them; None: more than were guessed."""
    return None if attempt.rank is None else attempt.rank - 1 + count_ties(attempt)


def hit_probability(attempt: Attempt, rank: int) -> float:
    """The probability that the true person has this rank: 0 or 1 but for ties, which count in full at rank 1."""
    return _rank_shares(attempt, rank)[rank - 1]


def linkage_risk(attempts: Sequence[Attempt]) -> LinkageRisk:
    """How often one attack finds the true person, by its attempts with their true ranks."""
    n = len(attempts)
    if not n:
        raise NotMeasurable("there is no release whose person is in the background")
    found = sum(attempt.rank == 1 for attempt in attempts)
    median_rank = median(inf if attempt.rank is None else attempt.rank for attempt in attempts)
    first = RiskAtRank(1, found / n, wilson(found, n))
    last = max((size for attempt in attempts if (size := candidate_count(attempt)) is not None), default=1)
    shares = np.array([_rank_shares(attempt, last) for attempt in attempts])
    middle = None if median_rank == inf else float(median_rank)
    best, learned = _best_rank(shares, first), _learned_rank(shares, first)
    return LinkageRisk(first.risk, first.interval, n, found, middle, best, learned)


def _best_rank(shares: Shares, first: RiskAtRank) -> RiskAtRank:
    """The rank that the true person has most often; people who tie have each of their ranks with equal probability."""
    hits = shares.sum(axis=0)[1:]
    if not len(hits) or hits.max() / len(shares) <= first.risk:
        return first
    most = float(hits.max())
    return RiskAtRank(2 + int(hits.argmax()), most / len(shares), wilson(most, len(shares)))


def _learned_rank(shares: Shares, first: RiskAtRank) -> RiskAtRank:
    """Leave one out: for each release the rank that finds most of the others; of equal ones each, with equal weight."""
    others = shares.sum(axis=0) - shares
    most = others.max(axis=1, keepdims=True)
    looked_at = np.isclose(others, most) & (most > 0)
    looked_at[~looked_at.any(axis=1), 0] = True  # nothing to learn from: the first rank
    hits = float((shares * looked_at / looked_at.sum(axis=1, keepdims=True)).sum())
    rank = 1 + int(shares.sum(axis=0).argmax())
    risk = hits / len(shares)
    return RiskAtRank(rank, risk, wilson(hits, len(shares))) if risk > first.risk else first


def _rank_shares(attempt: Attempt, last: int) -> list[float]:
    """``hit_probability`` of every rank up to the last."""
    if attempt.rank is None:
        return [0.0] * last
    ties = count_ties(attempt)
    shares = [0.0] * (attempt.rank - 1) + [1 / ties] * ties + [0.0] * last
    return [float(attempt.rank == 1), *shares[1:last]]


def find_strongest(by_attack: Mapping[str, LinkageRisk], rank: RankChoice = "first") -> tuple[str, RiskAtRank]:
    """The single attack that finds most people; of equals the one whose true people rank better."""

    def order(name: str) -> tuple[float, float]:
        return by_attack[name].at(rank).risk, -(by_attack[name].median_rank or inf)

    name = max(by_attack, key=order)
    return name, by_attack[name].at(rank)


def any_attack_risk(attempts: Attempts, people: int) -> AnyAttackRisk:
    """Linked by any attack; by chance 1 - (1 - 1/N)^attacks for N people. It is no single attacker."""
    is_linked: dict[str, bool] = defaultdict(bool)
    for attempt in chain.from_iterable(attempts.values()):
        is_linked[attempt.document_id] |= attempt.rank == 1
    hits, n = sum(is_linked.values()), len(is_linked)
    return AnyAttackRisk(hits / n, wilson(hits, n), 1 - (1 - 1 / people) ** len(attempts), dict(is_linked))


MAX_QUOTED_TERMS = 10
"""Different terms of a document's evidence, heaviest first, each with all its occurrences."""


@dataclass(frozen=True, slots=True)
class StrongestAttack:
    """The strongest single attack, at the rank where the attacker looks."""

    attack: str
    risk: float
    interval: tuple[float, float]
    rank: int = 1


@dataclass(frozen=True, slots=True)
class DocumentRisk:
    """One release. ``candidates``: of all attacks the fewest people who fit at least as well as the true one."""

    id: str
    candidates: int | None
    linked_by: tuple[str, ...]
    ranks: Mapping[str, int | None]
    margin: float | None
    """The margin of the right guess over the second, as a share, in the attack where it was largest."""
    evidence: tuple[Evidence, ...]
    """The words of the release that led that attack to the person; empty where none found them."""

    @property
    def quotes(self) -> list[str]:
        """The terms of the evidence, each once, heaviest first."""
        quotes: dict[str, str] = {}
        for evidence in self.evidence:
            quotes.setdefault(_folded(evidence.term), " ".join(evidence.term.split()))
        return list(quotes.values())

    def to_json(self) -> dict[str, Any]:
        evidence = [asdict(evidence) for evidence in self.evidence]
        return {**asdict(self), "linked_by": list(self.linked_by), "evidence": evidence}


@dataclass(frozen=True)
class AttackReport:
    """What ``sfumato.attack`` returns. ``documents`` are sorted, those at most risk first."""

    attacks: Mapping[str, LinkageRisk]
    strongest: StrongestAttack
    any: AnyAttackRisk
    documents: tuple[DocumentRisk, ...]
    people: int
    excluded: Mapping[str, int]
    """How many documents and people do not count in the risk, by reason."""
    problems: tuple[Problem, ...] = ()
    cost: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Of attacks that ask a language model: the model, the prompt and the usage."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By attack what its figures depend on, of those that say it."""
    also_named: tuple[str, ...] = ()
    """Documents that name people of the background whom they are not about: ``ground_truth``."""
    continuation: tuple[Sign, ...] = ()
    """Signs that the background goes on with the documents or repeats them: ``continuation``."""
    joint: tuple[str, ...] = ()
    """The attacks that see all releases at once."""
    abstaining: Mapping[str, Abstention] = field(default_factory=dict)
    """By attack what it finds if it asserts only links it is sure of; without those whose margin was not learned."""

    @property
    def strongest_single(self) -> StrongestAttack | None:
        """Of the attacks that see one release at a time; None where there is none."""
        return self._strongest_of([name for name in self.attacks if name not in self.joint])

    @property
    def strongest_joint(self) -> StrongestAttack | None:
        """Of the attacks that see all releases at once; None where there is none."""
        return self._strongest_of(self.joint)

    def _strongest_of(self, names: Sequence[str]) -> StrongestAttack | None:
        if not names:
            return None
        name, risk = find_strongest({name: self.attacks[name] for name in names})
        return StrongestAttack(name, risk.risk, risk.interval, risk.rank)

    @property
    def n(self) -> int:
        return len(self.documents)

    @property
    def exposed(self) -> int:
        """Documents whose person some attack finds among fewer than eleven candidates."""
        return sum(document.candidates is not None and document.candidates < STRONG_K for document in self.documents)

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato attack --json`` prints it."""
        return {
            "attacks": {
                name: {**_risk(risk), "n": risk.n, "median_rank": risk.median_rank}
                | ({"settings": dict(self.settings[name])} if name in self.settings else {})
                | ({"abstaining": _abstaining(self.abstaining[name])} if name in self.abstaining else {})
                for name, risk in self.attacks.items()
            },
            "strongest": {"attack": self.strongest.attack, **_risk(self.strongest)},
            **{
                key: {"attack": strongest.attack, **_risk(strongest)}
                for key, strongest in (("single", self.strongest_single), ("joint", self.strongest_joint))
                if strongest is not None
            },
            "any": {**_risk(self.any), "chance": self.any.chance},
            "documents": [document.to_json() for document in self.documents],
            "best_rank": {name: {"rank": risk.best.rank, **_risk(risk.best)} for name, risk in self.attacks.items()},
            "rank": self.strongest.rank,
            "candidates": {
                "smallest": min((item.candidates for item in self.documents if item.candidates), default=None),
                "below_11": self.exposed / self.n,
                "interval": list(wilson(self.exposed, self.n)),
            },
            "people": self.people,
            "chance": 1 / self.people,
            "excluded": dict(self.excluded),
            "also_named": list(self.also_named),
            "continuation": {sign.name: sign.to_json() for sign in self.continuation},
            "cost": {name: dict(cost) for name, cost in self.cost.items()},
            "problems": [str(problem) for problem in self.problems],
        }


def _abstaining(value: Abstention) -> dict[str, Any]:
    return {**asdict(value), "interval": list(value.interval)}


def _risk(value: LinkageRisk | StrongestAttack | AnyAttackRisk | RiskAtRank) -> dict[str, Any]:
    return {"risk": value.risk, "interval": list(value.interval)}


def build_report(
    attempts: Attempts,
    released: Mapping[str, str],
    background: Background,
    truth: GroundTruth,
    *,
    rank: RankChoice = "first",
    problems: Sequence[Problem] = (),
) -> AttackReport:
    """The report of attempts with their true ranks. ``released``: what the attacks read; evidence quotes only that."""
    attacks = {name: linkage_risk(of_attack) for name, of_attack in attempts.items()}
    name, strongest = find_strongest(attacks, rank)
    return AttackReport(
        attacks,
        StrongestAttack(name, strongest.risk, strongest.interval, strongest.rank),
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
    by_document: dict[str, dict[str, Attempt]] = defaultdict(dict)
    for name, of_attack in attempts.items():
        for attempt in of_attack:
            by_document[attempt.document_id][name] = attempt
    documents = [_document_risk(key, by_attack, released[key]) for key, by_attack in by_document.items()]

    def most_at_risk_first(item: DocumentRisk) -> tuple[float, int, float, str]:
        return item.candidates or inf, -len(item.linked_by), -(item.margin or 0.0), item.id

    return tuple(sorted(documents, key=most_at_risk_first))


def _document_risk(key: str, by_attack: Mapping[str, Attempt], text: str) -> DocumentRisk:
    sizes = [size for attempt in by_attack.values() if (size := candidate_count(attempt)) is not None]
    linked_by = tuple(name for name, attempt in by_attack.items() if attempt.rank == 1)
    # The evidence of an attempt with ties may be another person's, so only those with one first guess are quoted.
    untied = [by_attack[name] for name in linked_by if candidate_count(by_attack[name]) == 1]
    surest = max(untied, key=lambda attempt: attempt.score or 0.0, default=None)
    return DocumentRisk(
        key,
        min(sizes, default=None),
        linked_by,
        {name: attempt.rank for name, attempt in by_attack.items()},
        surest.score if surest else None,
        _quote(surest.evidence, text) if surest else (),
    )


def _quote(evidence: Sequence[Evidence], text: str) -> tuple[Evidence, ...]:
    """The evidence in the words of the release, whatever form of them the attack works with."""
    inside = [item for item in evidence if 0 <= item.start < item.end <= len(text)]
    quotes = [replace(item, term=text[item.start : item.end]) for item in inside]
    terms = set(list(dict.fromkeys(_folded(quote.term) for quote in quotes))[:MAX_QUOTED_TERMS])
    return tuple(quote for quote in quotes if _folded(quote.term) in terms)


def _folded(term: str) -> str:
    return " ".join(term.casefold().split())


def headline(report: AttackReport) -> str:
    """One sentence: the share of people that can be found, by which attack, with its interval."""
    strongest = report.strongest
    low, high = strongest.interval
    where = "" if strongest.rank == 1 else f" at rank {strongest.rank}"
    if strongest.risk == 0:
        return (
            f"Nobody in {pluralize(report.n, 'release')} was found by any attack; by that number alone the true share "
            f"may still be up to {format_percent(high)}."
        )
    share = format_odds(strongest.risk)
    return (
        f"{share[0].upper()}{share[1:]} of the people in these {report.n:,} releases can be found{where} by the "
        f"strongest attack, {strongest.attack}: {format_percent(strongest.risk)} "
        f"(95 % interval {format_percent(low)} to {format_percent(high)})."
    )
