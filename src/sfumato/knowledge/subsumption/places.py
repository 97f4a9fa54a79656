"""Names of places and peoples: how wide they are, and which countries they lie in."""

from __future__ import annotations

import re
from typing import NamedTuple

from sfumato.knowledge import lexicon
from sfumato.knowledge.accents import fold
from sfumato.knowledge.geography import countries, world
from sfumato.knowledge.grammar.lemmas import words
from sfumato.knowledge.subsumption.pairs import bare

TOWN, REGION, COUNTRY, COUNTRIES = range(4)
_PEOPLE = re.compile(r"\s+(?:nationals?|citizens?|nationality|people)$")


class Area(NamedTuple):
    """How wide a place is, and in which countries it lies."""

    level: int
    lands: frozenset[str]


def area_of(phrase: str) -> Area | None:
    """What a phrase that is nothing but a name of a place or a people stands for."""
    name = _PEOPLE.sub("", bare(phrase))
    said = next((word for word in words(phrase) if word.lower() == re.split(r"[ '-]", name)[0]), "")
    if not said[:1].isupper():
        return None  # male is no town
    people = world.country_of_people(name)
    land = world.country(name) or world.country_of_adjective(name) or (people[0] if people else None)
    if land:
        return Area(REGION if "-" in land.code else COUNTRY, frozenset({land.code.partition("-")[0]}))
    for part in world.parts().values():
        if fold(name) in (fold(part.name), fold(part.adjective or part.name)):
            return Area(COUNTRIES, part.countries)
    code = _around(name)
    return Area(REGION if name in lexicon.regions() else TOWN, frozenset({code})) if code else None


def _around(name: str) -> str | None:
    around = countries.around(name)
    land = world.country(around) if around else None
    return land.code if land else None


def _country(phrase: str) -> str | None:
    """The country a phrase names or lies in."""
    return countries.named(phrase) or countries.around(phrase)


def countries_in(phrase: str) -> set[str]:
    """The countries of the places and peoples that a phrase names with a capital letter."""
    said = words(phrase)
    found = set()
    for size in (3, 2, 1):
        for at in range(len(said) - size + 1):
            part = said[at : at + size]
            if part[0][:1].isupper() and part[-1][:1].isupper():
                place = _country(" ".join(part))
                if place:
                    found.add(place)
    return found
