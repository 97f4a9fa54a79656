"""What attackers find whom the loop did not have in mind: other attacks, and attackers who have read more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.attacks.base import Person
from sfumato.attacks.risk import Linked, linked
from sfumato.document import Attempt
from sfumato.protection.records import Column

SAME = "other attacks, same background"
MORE = "same attacks, more background"
BOTH = "other attacks, more background"


def counted(found: Mapping[str, Sequence[Attempt]]) -> dict[str, Linked]:
    """How often each attack finds the true person."""
    return {name: linked(own) for name, own in found.items()}


def part_of(background: Sequence[Person], share: float) -> list[Person]:
    """The background as someone has it who has read the first part of each text only."""
    return [Person(person.id, tuple(_first(text, share) for text in person.texts)) for person in background]


def _first(text: str, share: float) -> str:
    end = max(1, round(len(text) * share))
    space = text.find(" ", end)
    return text[: space if 0 <= space < end + 30 else end]


def same_background(found: Mapping[str, Linked], people: int, joined: Sequence[str] = ()) -> Column:
    """Attacks that the loop did not run, on the background that it read."""
    about = "Attacks that the loop did not run, with the background that it read."
    if joined:
        about += f" {_listed(joined)} found too many at first and joined the loop: what they find now is no proof."
    return Column(SAME, about, people, found, True, tuple(joined))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def more_background(
    by_loop: Mapping[str, Linked], by_others: Mapping[str, Linked], people: int, share: float, binding: bool
) -> list[Column]:
    """A rehearsal: the loop read a part of the background, the attackers all of it."""
    how = f"A rehearsal in which the loop read the first {share:.0%} of each text of the background"
    return [
        Column(MORE, f"{how}: the loop's attacks with all of it.", people, by_loop, binding),
        Column(BOTH, f"{how}: attacks that it did not run, with all of it.", people, by_others, binding),
    ]
