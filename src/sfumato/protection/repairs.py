"""What the loop made of a document, told as repairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.protection.records import Repair
from sfumato.protection.text import WorkingText


@dataclass(frozen=True)
class Made:
    """One step of the loop: some places say their next wording."""

    places: tuple[int, ...]
    against: str
    cost: float
    loss: float
    """Of the cost what is information, and not the sentence that suffers."""


def repairs_of(text: WorkingText, made: Sequence[Made]) -> tuple[Repair, ...]:
    """What was made, each place once: from what it said at the start to what it says now, whatever came between."""
    against: dict[int, str] = {}
    loss: defaultdict[int, float] = defaultdict(float)
    for one in made:
        for number in one.places:
            against.setdefault(number, one.against)
            loss[number] += one.loss / len(one.places)
    alike: defaultdict[tuple[int, str, str, str], list[int]] = defaultdict(list)
    for number in against:
        if text.levels[number]:
            offer = text.offers(number)[text.levels[number] - 1]
            said = text.said_first(number)
            alike[text.places[number].group, offer.kind, said, offer.edit.replacement].append(number)
    return tuple(
        Repair(
            kind,
            said,
            put,
            len(numbers),
            sum(loss[number] for number in numbers),
            against[numbers[0]],
            splits=any(not text.levels[number] for number in text.groups[group]),
        )
        for (group, kind, said, put), numbers in alike.items()
    )
