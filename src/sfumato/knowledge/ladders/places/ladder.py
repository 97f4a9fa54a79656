"""The ladder of places: building or street, city by its size, country, part of the world, continent."""

from __future__ import annotations

import re

from sfumato.knowledge.geography import world
from sfumato.knowledge.grammar.inflection import in_plural
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.places.climb import SOURCE, climb
from sfumato.knowledge.ladders.places.names import one_country
from sfumato.knowledge.ladders.places.phrases import read
from sfumato.knowledge.ladders.places.sites import SETTLED, Site, of_land

_SAID = re.compile(r"\s+")
_SHORT_FORM = re.compile(r"(?<=\w) \((?:the )?[\"“]?[A-Z.]{2,8}[\"”]?\)?$")
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")


def nationality(said: str) -> list[Rung]:
    """What is true of a people or of what is theirs: "Turkish" is "Western Asian", a "Swede" "a Northern European"."""
    said = said.strip()
    if not said[:1].isupper() or len(said) > 40:
        return []
    adjective, people = world.country_of_adjective(said), world.country_of_people(said)
    if adjective is None and people is None:
        return []
    land, is_plural = people if adjective is None and people is not None else (adjective, False)
    assert land is not None
    found = []
    areas = world.former_areas(land) if land.is_former else world.areas(land.code)[1:]
    wider = (*world.shores().values(), *(world.pairs().values() if adjective else ()))
    others = [area for area in wider if land.code in area.countries][:2]
    for area in sorted((*areas, *others), key=lambda area: len(area.countries)):
        if area.adjective:
            noun = "Briton" if area.adjective == "British" and adjective is None else area.adjective
            found.append(
                Rung(
                    world.plural(noun) if is_plural else noun,
                    float(max(len(area.countries), 4)),
                    article="a" if adjective is None and not is_plural else "",
                    plural=is_plural,
                    modifier=area.adjective,
                    source=SOURCE,
                )
            )
    return found


def where(said: str, text: str) -> list[str]:
    """Where a named place lies, without naming it: "Turkey", "Western Asia" and "Asia" for Istanbul."""
    said = _SAID.sub(" ", said).strip(" ,.;:'\"“”()")
    land = world.country(said)
    if land is None and (land := world.country_of_adjective(said)):
        site: Site | None = of_land(land)
    else:
        site = read(said, text)
    if site is None:
        return []
    names = [area.name for area in site.areas]
    if site.nouns[0] == "capital city":
        for code in site.codes:
            names = [area.name for area in world.areas(code)]
    return names


def rungs(mention: Mention) -> list[Rung]:
    """What is true of a place, the narrowest first."""
    if mention.language not in ("en", "es") or mention.is_cut:
        return []
    said = _SAID.sub(" ", mention.said).strip(" ,.;:'\"“”").removesuffix("'s").removesuffix("’s")
    said = _SHORT_FORM.sub("", said)
    if said.islower() and mention.label == "LOC" and len(said) > 3 and world.country(said):
        said = said.title()  # as people write in chats
    if not said or len(said) > 150:
        return []
    if mention.language == "en" and world.country(said) is None and (found := nationality(said)):
        return found
    site = read(said, mention.text, mention.before, mention.after)
    if site is None and mention.label == "LOC":
        site = one_country(said, mention.text)
    if site is not None and mention.label == "ORG" and ({"place"} | SETTLED) & {*site.nouns}:
        return []  # a club or a court that is called by its city's name
    if site is not None:
        return climb(site, said, mention.language)
    return _several(said, mention.text) if mention.language == "en" else []


def _several(said: str, text: str) -> list[Rung]:
    """ "Izmir and Ankara", where both are of one kind: "cities in Turkey"."""
    pieces = [piece for piece in _AND.split(said) if piece]
    if not 1 < len(pieces) < 8:
        return []
    sites = [read(piece, text) for piece in pieces]
    known = [site for site in sites if site is not None]
    if len(known) < len(sites):
        return []
    nouns = [noun for noun in known[0].nouns if all(noun in site.nouns for site in known)]
    areas = tuple(area for area in known[0].areas if all(area in site.areas for site in known))
    if not nouns or any(" " in noun for noun in nouns[:1]):
        return []
    return [
        Rung(in_plural(rung.text), rung.members, "", True, rung.modifier, None, SOURCE)
        for rung in climb(Site((nouns[0],), areas))
    ]
