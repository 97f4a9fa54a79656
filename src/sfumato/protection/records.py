"""What a protected release comes with: what was repaired and why, and what attacks still find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sfumato.attacks.risk import LinkageRisk, RiskAtRank, find_strongest
from sfumato.document import Document, Edit, Release, Score, Span
from sfumato.protection.target import Target

Ranks = Mapping[str, int | None]
"""An attack's name -> the true person's rank under it, ties against us; None: not among those who share anything."""

EMPTY = "it holds no text"
"""Why a document is withheld that says nothing."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One change that the loop made, everywhere in the document where it had to be made. Confidential."""

    kind: str
    """"climb" a level, "hypernym", "figure", "drop" a modifier, or "suppress"."""
    said: str
    """What stood in the release before."""
    put: str
    """What stands there now."""
    places: int
    loss: float
    """The share of the document's information that it cost."""
    against: str
    """The attack that forced it."""
    splits: bool = False
    """Whether only a telling phrase was taken apart: elsewhere in the document the same word still stands."""


@dataclass(frozen=True)
class ProtectedDocument:
    """One document after the loop. ``withheld``: why it must not go out; None where it may."""

    id: str
    release: Release
    start: Release
    """What the recipe made of it, before the loop."""
    repairs: tuple[Repair, ...]
    loss: float
    """The share of the original's information that the loop cost, beyond what the recipe did."""
    ranks_before: Ranks
    ranks: Ranks
    """Under the attacks of the loop."""
    hardest: str | None
    """Of several subjects the one for whom most had to be repaired, or who was not brought down."""
    withheld: str | None = None
    released_anyway: str | None = None
    """Why it would have been withheld, had the user not insisted."""
    secret_rank: int = field(default=0, repr=False)

    def release_anyway(self) -> ProtectedDocument:
        """The same where the user wants it released whatever speaks against it, which is kept."""
        return self if self.withheld is None else replace(self, withheld=None, released_anyway=self.withheld)


@dataclass(frozen=True)
class ThreatScenario:
    """Attacks that verify, on one kind of knowledge."""

    name: str
    """"other attacks, same background", "same attacks, more background" or "other attacks, more background"."""
    about: str
    """In a sentence: what this attacker knows and does."""
    people: int
    attacks: Mapping[str, LinkageRisk]
    binding: bool
    """Whether the target has to hold here, or whether this is said for information."""
    joined: tuple[str, ...] = ()
    """Those of them that found too many and joined the loop: it works against them, so they prove nothing."""

    @property
    def verifying(self) -> dict[str, LinkageRisk]:
        """The attacks that the loop did not work against."""
        return {name: one for name, one in self.attacks.items() if name not in self.joined}

    @property
    def strongest(self) -> tuple[str, RiskAtRank]:
        """Of those that still verify, if any does, the one that finds most, at the rank that other releases teach."""
        return find_strongest(self.verifying or self.attacks, "learned")


@dataclass(frozen=True)
class Protection:
    """A corpus after the loop, verified."""

    target: Target
    guarantee: str
    """"background": attacked with a background; "population": nobody's background was given, see the docs."""
    documents: tuple[ProtectedDocument, ...]
    before: Mapping[str, LinkageRisk]
    """Every attack, loop and verifying, on what the recipe released and on the loop's background."""
    after: Mapping[str, LinkageRisk]
    """The same attacks on what the loop made of it."""
    loop_attacks: tuple[str, ...]
    columns: tuple[ThreatScenario, ...]
    rounds: int
    """How often the loop ran: more than once where a binding column missed the target and it widened."""
    people: int
    background: str
    """Fingerprint of the background."""
    settings: Mapping[str, object]
    seconds: float
    checks: Mapping[str, tuple[Score, Score]] = field(default_factory=dict)
    """Other attackers' figures before and after, by metric, where there is no background to link with."""
    also_named: tuple[str, ...] = ()
    """Documents that name people of the background whom they are not filed under: see ``attacks.mentions``."""

    @property
    def released(self) -> list[ProtectedDocument]:
        return [one for one in self.documents if one.withheld is None]

    @property
    def withheld(self) -> list[ProtectedDocument]:
        return [one for one in self.documents if one.withheld is not None]

    @property
    def met(self) -> bool:
        """Whether all that is released is within the target, for the loop's attacks and in every binding column."""
        if not self.released:
            return False
        checked = [column for column in self.columns if column.binding and column.attacks]
        found = [*self.after.values(), *(one for column in checked for one in column.attacks.values())]
        return bool(checked) and all(self.target.is_met(one.learned.risk) for one in found)

    @property
    def is_acceptable(self) -> bool:
        """Whether nothing speaks against the release: the target is met, or there was nothing to verify it with."""
        return self.met or self.guarantee == "population"

    @property
    def unchecked(self) -> Counter[str]:
        """Parts of what is released that nothing here can read (images), by kind: the user insisted."""
        found: Counter[str] = Counter()
        for one in self.released:
            found.update(one.release.document.meta.get("unchecked", {}))
        return found

    def naming(self, documents: Iterable[str]) -> Protection:
        """The same with those of these documents that are released noted as ``also_named``."""
        out = {one.id for one in self.released}
        return replace(self, also_named=tuple(key for key in documents if key in out))

    @property
    def loss(self) -> float:
        """Mean share of information that the loop cost a released document."""
        out = self.released
        return sum(one.loss for one in out) / len(out) if out else 0.0

    @property
    def repairs(self) -> Counter[str]:
        """How many places were repaired, by kind, in what is released."""
        return kinds([repair for one in self.released for repair in one.repairs])

    def to_json(self) -> dict[str, Any]:
        """The figures for machines. Documents are counted, not named."""
        return {
            "guarantee": self.guarantee,
            "target": {"k": self.target.k, "risk": self.target.risk, "budget": self.target.budget},
            "met": self.met,
            "released": len(self.released),
            "withheld": len(self.withheld),
            "insisted": sum(one.released_anyway is not None for one in self.documents),
            "unchecked": dict(sorted(self.unchecked.items())),
            "also_named": len(self.also_named),
            "information_lost": self.loss,
            "repairs": dict(self.repairs),
            "rounds": self.rounds,
            "people": self.people,
            "before": {name: _figures(one) for name, one in self.before.items()},
            "after": {name: _figures(one) for name, one in self.after.items()},
            "columns": [
                {
                    "name": column.name,
                    "binding": column.binding,
                    "attacks": {name: _figures(one) for name, one in column.attacks.items()},
                }
                for column in self.columns
            ],
            "checks": {
                name: {"before": before.value, "after": after.value} for name, (before, after) in self.checks.items()
            },
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class FrontierPoint:
    """A corpus released with one target. ``k``: None is the start, before the loop.

    ``risk``: the strongest verified attack's, which is ``attack``. ``kept``: the share of the information (TPS).
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


def withheld_release(document: Document, reason: str) -> Release:
    """A document that a recipe withheld, as a release that says nothing: so it is counted, and never goes out."""
    return Release(document, (Edit(Span(0, len(document.text), "MISC"), "", (reason,)),))


def in_order(
    starts: Sequence[Release], made: Iterable[ProtectedDocument], unchecked: str
) -> tuple[ProtectedDocument, ...]:
    """All documents as they were given; those that were not protected are withheld: empty, or for a reason."""
    by_id = {one.id: one for one in made}
    for start in starts:
        key = start.document.id
        if key not in by_id:
            why = unchecked if start.text.strip() else _why_empty(start)
            by_id[key] = ProtectedDocument(key, start, start, (), 0.0, {}, {}, None, why)
    return tuple(by_id[start.document.id] for start in starts)


def _why_empty(start: Release) -> str:
    """What a recipe said when it withheld a document (``not_released``), or that there was nothing in it."""
    if len(start.edits) == 1 and start.edits[0].reasons:
        return start.edits[0].reasons[0]
    return EMPTY


def kinds(repairs: Sequence[Repair]) -> Counter[str]:
    """Places by kind of repair."""
    found: Counter[str] = Counter()
    for repair in repairs:
        found[repair.kind] += repair.places
    return found


def _figures(one: LinkageRisk) -> dict[str, Any]:
    return {"risk": one.learned.risk, "interval": list(one.learned.interval), "n": one.n}
