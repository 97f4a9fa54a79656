"""TRIR as its authors report it: at the epoch that finds most people, which only who knows the answer can choose.

For numbers to set beside published ones; what an attacker can do is ``Trir`` by itself, at its last epoch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.attacks.base import Person
from sfumato.attacks.trir.attack import Trir
from sfumato.document import Attempt
from sfumato.errors import InputError

Sets = Mapping[str, Mapping[str, str]]
"""Name of a set of releases (a method, say) -> document id -> released text."""


@dataclass(frozen=True, slots=True)
class BestEpoch:
    """The epoch chosen, what each would have found, and the attempts at the chosen one."""

    epoch: int
    found: tuple[Mapping[str, float], ...]
    """Per epoch and set, the share of documents linked to the right person."""
    attempts: Mapping[str, Sequence[Attempt]]


def best_epoch(attack: Trir, background: Sequence[Person], released: Sets, truth: Mapping[str, str]) -> BestEpoch:
    """Train, try every set after every epoch, and take the (first) epoch of the best mean accuracy over the sets.

    ``truth`` (document id -> person id) is used for the choice. Fine-tuning starts anew each time: the epochs before
    a checkpoint could not be looked at.
    """
    for name, documents in released.items():
        if unknown := [document for document in documents if document not in truth]:
            raise InputError(f"set {name!r}: the truth does not say whom document {unknown[0]!r} is about")
        if not documents:
            raise InputError(f"set {name!r} has no documents: leave it out")
    if not released:
        raise InputError("no releases to choose an epoch by: give at least one set")
    found: list[Mapping[str, float]] = []
    best: tuple[float, int, Mapping[str, Sequence[Attempt]]] | None = None

    def watch(epoch: int) -> None:
        nonlocal best
        attempts = {name: attack.run(documents) for name, documents in released.items()}
        found.append({name: _accuracy(tried, truth) for name, tried in attempts.items()})
        mean = sum(found[-1].values()) / len(found[-1])
        if best is None or mean > best[0]:
            best = (mean, epoch, attempts)

    attack.fit_watched(background, watch)
    assert best is not None  # there is at least one epoch
    return BestEpoch(best[1], tuple(found), best[2])


def _accuracy(attempts: Sequence[Attempt], truth: Mapping[str, str]) -> float:
    right = sum(
        attempt.guesses[:1] != () and attempt.guesses[0].answer == truth[attempt.document_id] for attempt in attempts
    )
    return right / len(attempts)
