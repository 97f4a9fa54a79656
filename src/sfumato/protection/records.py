"""Results of protection: repairs, documents, threat scenarios, and the whole protected corpus with its verification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from sfumato.attacks.continuation import Sign
from sfumato.attacks.risk import LinkageRisk, RiskAtRank, find_strongest
from sfumato.document import Outcome, Release, Score, Withheld
from sfumato.errors import NotReleased
from sfumato.protection.target import Target

Ranks = Mapping[str, int | None]
"""An attack's name -> the true person's rank under it, ties against us; None: not among those who share anything."""

EMPTY = "it holds no text"
"""Why a document without text is withheld."""


class Scenario(StrEnum):
    """What a verifying attacker does differently from the loop."""

    OTHER_ATTACKS = "other attacks, same background"
    MORE_BACKGROUND = "same attacks, more background"
    OTHER_ATTACKS_MORE_BACKGROUND = "other attacks, more background"


@dataclass(frozen=True, slots=True)
class Repair:
    """One change that the loop made, everywhere in the document where it was needed. Confidential."""

    kind: str
    """"generalize", "hypernym", "figure", "rephrase" ("something"), "drop" (a modifier, a phrase, a sentence) or
    "suppress"."""
    before: str = field(repr=False)
    after: str = field(repr=False)
    places: int
    loss: float
    """The share of the document's information that it cost."""
    attack: str
    """The attack that forced it."""
    partial: bool = False
    """Whether only an identifying phrase was broken up: elsewhere in the document the same word still stands."""


@dataclass(frozen=True)
class ProtectedDocument:
    """One document after the loop."""

    outcome: Outcome
    """The protected release, or the reason why the document is withheld."""
    initial: Outcome
    """What the recipe made of it, before the loop."""
    repairs: tuple[Repair, ...] = ()
    loss: float = 0.0
    """The share of the original's information that the loop cost, beyond what the recipe did."""
    ranks_before: Ranks = field(default_factory=dict, repr=False)
    ranks: Ranks = field(default_factory=dict, repr=False)
    """Under the attacks of the loop."""
    hardest_subject: str | None = field(default=None, repr=False)
    """Of several subjects the one for whom most had to be repaired, or for whom the target was missed."""
    released_anyway: str | None = None
    """Why it would have been withheld, had the user not asked to release it anyway."""
    secret_rank: int = field(default=0, repr=False)

    @property
    def id(self) -> str:
        return self.outcome.document.id

    @property
    def withheld(self) -> str | None:
        """Why it must not be released; None where it may."""
        return self.outcome.reason if isinstance(self.outcome, Withheld) else None

    @property
    def release(self) -> Release:
        """The protected release. Raises for a document that is withheld."""
        if isinstance(self.outcome, Withheld):
            raise NotReleased(f"{self.id}: withheld, so there is no release of it ({self.withheld})")
        return self.outcome

    def withhold(self, reason: str, target: Target) -> ProtectedDocument:
        """The document withheld, or released with the reason noted where the user asked to release it anyway."""
        if target.release_anyway:
            return replace(self, released_anyway=reason)
        return replace(self, outcome=Withheld(self.outcome.document, reason))


Standing = Literal["shown", "met in this sample", "missed"]
"""Of a target: ``shown`` where even the upper end of every attack's interval is within it, ``met in this sample`` where
what was found is, but the releases are too few to show it."""


@dataclass(frozen=True)
class ThreatScenario:
    """Attacks that verify the releases, with one kind of knowledge."""

    name: str
    """One of ``Scenario``."""
    about: str
    """One sentence: what this attacker knows and does."""
    people: int
    attacks: Mapping[str, LinkageRisk]
    binding: bool
    """Whether the target has to hold here, or whether this is for information."""
    joined_loop: tuple[str, ...] = ()
    """Attacks that found too many and joined the loop: the loop works against them, so they prove nothing."""

    @property
    def verifying(self) -> dict[str, LinkageRisk]:
        """The attacks that the loop did not work against."""
        return {name: risk for name, risk in self.attacks.items() if name not in self.joined_loop}

    @property
    def strongest(self) -> tuple[str, RiskAtRank]:
        """The verifying attack (or else any attack) that finds most, at the rank that other releases teach."""
        return find_strongest(self.verifying or self.attacks, "learned")


@dataclass(frozen=True)
class Protection:
    """A corpus after the loop, verified."""

    target: Target
    guarantee: str
    """"background": attacked with a background; "population": no background was given, see the docs."""
    documents: tuple[ProtectedDocument, ...]
    before: Mapping[str, LinkageRisk]
    """Every attack, of the loop and verifying, on the initial releases with the loop's background."""
    after: Mapping[str, LinkageRisk]
    """The same attacks on the protected releases."""
    loop_attacks: tuple[str, ...]
    scenarios: tuple[ThreatScenario, ...]
    rounds: int
    """How often the loop ran: more than once where a verifying attack still found too many."""
    people: int
    background: str
    """Fingerprint of the background."""
    settings: Mapping[str, object]
    seconds: float
    checks: Mapping[str, tuple[Score, Score]] = field(default_factory=dict)
    """Metrics of other attackers before and after, where there is no background to link with."""
    also_named: tuple[str, ...] = ()
    """Released documents that name people of the background other than their subjects: see ``attacks.ground_truth``."""
    continuation: tuple[Sign, ...] = ()
    """Signs that the background goes on with the documents or repeats them: see ``attacks.continuation``."""

    is_unkeyed: bool = False
    """Whether nothing was kept by which a later release would hide the same: two versions undo each other."""
    not_read: int = 0
    """Files or records that could not be read, and are not part of the release."""

    @property
    def released(self) -> list[ProtectedDocument]:
        return [document for document in self.documents if document.withheld is None]

    @property
    def withheld(self) -> list[ProtectedDocument]:
        return [document for document in self.documents if document.withheld is not None]

    @property
    def met(self) -> bool:
        """Whether all that is released is within the target, for the loop's attacks and in every binding scenario."""
        if not self.released or not self.binding_scenarios:
            return False
        return all(self.target.is_met(risk.learned.risk) for risk in self._deciding)

    @property
    def standing(self) -> Standing:
        """How certain it is that the target holds."""
        if not self.met:
            return "missed"
        return "shown" if self.target.is_met(self.upper_bound) else "met in this sample"

    @property
    def upper_bound(self) -> float:
        """The highest upper end of an interval among the attacks that decide."""
        return max((risk.learned.interval[1] for risk in self._deciding), default=1.0)

    @property
    def _deciding(self) -> list[LinkageRisk]:
        """Under which the target has to hold: the loop's attacks and those of binding scenarios."""
        binding = [risk for scenario in self.binding_scenarios for risk in scenario.attacks.values()]
        return [*self.after.values(), *binding]

    @property
    def binding_scenarios(self) -> list[ThreatScenario]:
        return [scenario for scenario in self.scenarios if scenario.binding and scenario.attacks]

    @property
    def loop_risks(self) -> dict[str, LinkageRisk]:
        """What the loop's own attacks find in the protected releases."""
        return {name: self.after[name] for name in self.loop_attacks if name in self.after}

    @property
    def released_anyway(self) -> int:
        """How many were released although something speaks against it."""
        return sum(document.released_anyway is not None for document in self.documents)

    @property
    def is_acceptable(self) -> bool:
        """Whether nothing speaks against the release: the target is met, or there was nothing to verify it with."""
        return self.met or self.guarantee == "population"

    @property
    def unchecked(self) -> Counter[str]:
        """Parts of the releases that no attack can read (images), by kind: released because the user asked for it."""
        parts: Counter[str] = Counter()
        for document in self.released:
            parts.update(document.release.document.meta.get("unchecked", {}))
        return parts

    @property
    def loss(self) -> float:
        """Mean share of information that the loop cost a released document."""
        losses = [document.loss for document in self.released]
        return sum(losses) / len(losses) if losses else 0.0

    @property
    def repairs(self) -> Counter[str]:
        """How many places were repaired, by kind, in what is released."""
        places: Counter[str] = Counter()
        for document in self.released:
            for repair in document.repairs:
                places[repair.kind] += repair.places
        return places

    def to_json(self) -> dict[str, Any]:
        """The figures. Documents are counted, not named."""
        return {
            "guarantee": self.guarantee,
            "target": {"k": self.target.k, "risk": self.target.risk, "budget": self.target.budget},
            "met": self.met,
            "shown": self.standing == "shown",
            "not_read": self.not_read,
            "released": len(self.released),
            "withheld": len(self.withheld),
            "released_anyway": self.released_anyway,
            "unchecked": dict(sorted(self.unchecked.items())),
            "also_named": len(self.also_named),
            "continuation": {sign.name: sign.to_json() for sign in self.continuation},
            "information_lost": self.loss,
            "repairs": dict(self.repairs),
            "rounds": self.rounds,
            "people": self.people,
            "before": _risks_json(self.before),
            "after": _risks_json(self.after),
            "scenarios": [
                {"name": scenario.name, "binding": scenario.binding, "attacks": _risks_json(scenario.attacks)}
                for scenario in self.scenarios
            ],
            "checks": {
                name: {"before": before.value, "after": after.value} for name, (before, after) in self.checks.items()
            },
            "seconds": self.seconds,
        }


def _risks_json(attacks: Mapping[str, LinkageRisk]) -> dict[str, Any]:
    return {
        name: {"risk": risk.learned.risk, "interval": list(risk.learned.interval), "n": risk.n}
        for name, risk in attacks.items()
    }


@dataclass(frozen=True)
class FrontierPoint:
    """A corpus released with one target. ``k``: None is the start, before the loop.

    ``risk``: that of the strongest verified attack, which is ``attack``. ``kept``: the share of the information (TPS).
    """

    name: str
    k: int | None
    risk: float
    risk_interval: tuple[float, float]
    kept: float
    kept_interval: tuple[float, float]
    withheld: int
    n: int
    attack: str


def in_input_order(
    initial: Sequence[Outcome], protected: Iterable[ProtectedDocument], unchecked: str
) -> tuple[ProtectedDocument, ...]:
    """All documents in input order; those that the loop did not get are withheld: empty, or for ``unchecked``."""
    by_id = {document.id: document for document in protected}
    for outcome in initial:
        document = outcome.document
        if document.id not in by_id:
            withheld = outcome
            if isinstance(outcome, Release):
                withheld = Withheld(document, unchecked if outcome.text.strip() else EMPTY)
            by_id[document.id] = ProtectedDocument(withheld, outcome)
    return tuple(by_id[outcome.document.id] for outcome in initial)
