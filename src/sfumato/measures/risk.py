"""How many people can still be found: the attacks' judged attempts, counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sfumato.attacks.risk import AtRank, Attempts, any_link, linked, share_at, strongest
from sfumato.document import Attempt, Release
from sfumato.errors import NotMeasurable
from sfumato.intervals import Estimate
from sfumato.measures.base import metric

if TYPE_CHECKING:
    from sfumato.attacks.background import Background


@metric("risk", family="risk", higher_is_better=False)
def strongest_attack(
    releases: Sequence[Release], attempts: Attempts, background: Background, rank: AtRank = "first"
) -> Estimate:
    """Share of releases whose person the strongest single attack finds.

    ``rank = "best"``: at the rank that pays best, for releases made by a method that itself looks at ranks.
    """
    by_attack = {name: linked(own) for name, own in attempts.items()}
    name, found = strongest(by_attack, rank)
    said = {"attack": name, "at_rank": found.rank, **_about(releases, attempts[name], background)}
    per_document = {attempt.document_id: share_at(attempt, found.rank) for attempt in attempts[name]}
    return Estimate(found.risk, found.interval, by_attack[name].n, per_document, said)


@metric("risk-any", family="risk", higher_is_better=False)
def any_attack(releases: Sequence[Release], attempts: Attempts, background: Background) -> Estimate:
    """Share of releases whose person at least one attack finds; grows with every attack, and is no single attacker."""
    found = any_link(attempts, len(background))
    per_document = {key: float(is_linked) for key, is_linked in found.documents.items()}
    said = {"attacks": list(attempts), **_about(releases, next(iter(attempts.values())), background)}
    return Estimate(found.risk, found.interval, len(per_document), per_document, {**said, "chance": found.chance})


@metric("trir", family="risk", paper="000", higher_is_better=False)
def text_re_identification_risk(releases: Sequence[Release], attempts: Attempts, background: Background) -> Estimate:
    """Share of releases that a language model trained on the background links to their person."""
    if "trir" not in attempts:
        raise NotMeasurable("it needs the attack trir to be run (--attack trir)")
    found = linked(attempts["trir"])
    per_document = {attempt.document_id: float(attempt.rank == 1) for attempt in attempts["trir"]}
    return Estimate(found.risk, found.interval, found.n, per_document, _about(releases, attempts["trir"], background))


def _about(releases: Sequence[Release], attempts: Sequence[Attempt], background: Background) -> dict[str, Any]:
    left_out = len(releases) - len(attempts)
    return {
        "people": len(background),
        "chance": 1 / len(background),
        **({"without_background": left_out} if left_out else {}),
    }
