"""People of a small town, what the town knows of each, and what a clerk wrote down. All of it invented."""

from __future__ import annotations

from random import Random

from sfumato.attacks.background import Background, as_background
from sfumato.document import Document, Release

_TRADES = "baker miller cooper weaver potter tailor saddler glazier joiner mason tinker chandler".split()
_HOBBIES = "pigeons falcons orchids sundials accordions kites canoes puppets beetles clocks mosaics trombones".split()
_THINGS = "barn orchard cellar chapel ferry quarry bridge meadow tower brewery harbour windmill".split()
_HABITS = "whistles skates fences gardens paints juggles sings sails rides carves knits dances".split()

_COMMON = (
    "The clerk gave them a form.",
    "They asked to wait at home.",
    "A friend came along to buy a room and left.",
    "They said little because of the small fee.",
    "The person wants to pay for it.",
    "There was an office that they asked about.",
    "They have to wait and pay.",
)
"""What anyone may be said to have done: nobody is found by it, and no two people have it all in common."""
_KNOWN = "{name} is a {trade} who keeps {hobby}. In town they say that the {trade} {habit} by the {thing} at night."
_WRITTEN = (
    "The person came to the office and asked for a form. The form was about the {thing}, which the person wants to "
    "buy. The clerk said that a {trade} has to wait and pay a small fee. The person said that there was no room left "
    "at home because of the {hobby}. A friend who {habit} came along and said little. The clerk gave them the form."
)


def _facts(number: int) -> dict[str, str]:
    turn = number // len(_TRADES)
    return {
        "name": f"Quor{chr(97 + number % 26)}ex {chr(65 + turn)}.",
        "trade": _TRADES[number % 12],
        "hobby": _HOBBIES[(number + 5 * turn) % 12],
        "thing": _THINGS[(number + 7 * turn) % 12],
        "habit": _HABITS[(number + 4 * turn) % 12],
    }


def background(people: int = 24) -> Background:
    return as_background({f"n{number}": _known(number) for number in range(people)})


def _known(number: int) -> str:
    draw = Random(number)
    return " ".join([_KNOWN.format(**_facts(number)), *draw.choices(_COMMON, k=draw.randint(2, 6))])


def starts(count: int = 10) -> list[Release]:
    """What a recipe released that found no name, because there was none."""
    return [Release(Document(f"n{number}", _WRITTEN.format(**_facts(number)))) for number in range(count)]
