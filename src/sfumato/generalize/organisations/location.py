"""Where an organisation is, or which country's it is, as far as its name leaves no doubt."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.generalize import places
from sfumato.generalize.organisations.kinds import ENGLISH, is_a, kinds, words_of
from sfumato.generalize.organisations.reading import Reading
from sfumato.generalize.places.countries import AMBIGUOUS_COUNTRIES, count_countries
from sfumato.generalize.places.kinds import is_head
from sfumato.lexicon import wordnet, world
from sfumato.lexicon.grammar_en import word_classes
from sfumato.lexicon.name_lists import (
    family_names,
    given_names,
    lookup_key,
    major_cities,
)
from sfumato.lexicon.tables import fold_name
from sfumato.lexicon.tokens import lazy_pattern
from sfumato.lexicon.world import Area

# Where an organisation is, or which country's it is, as far as its name leaves no doubt.

_RUN = lazy_pattern(r"[^\W\d_][\w.'’‑-]*")
_PLACED = lazy_pattern(r"\b(?:of|in|at|de|di|von|van|d['’])\s+(?:the\s+)?$", re.I)
_PART = lazy_pattern(
    r"\b(?:Lower|Upper|North|South|East|West|Northern|Southern|Eastern|Western|Central|New|Inner|Outer|Anti)[ -]+$"
)
"""What makes a country or a people part of another name: "Lower Austrian"."""
_BEFORE = lazy_pattern(r"([A-ZÀ-ÞİŞĆŁŚŻŽČŠ][\w'’]*)[ -]$")
_AFTER = lazy_pattern(r"[ -]([A-ZÀ-ÞİŞĆŁŚŻŽČŠ][\w'’]*)")
_SEVERAL = lazy_pattern(r"\band\b|&|[,/]")
_LONGEST = 3
_OF_THEIR_PEOPLE = ENGLISH["of_their_people"]


@dataclass(frozen=True, slots=True)
class Location:
    """The areas around an organisation, the smallest first; ``is_told``: its name tells the first by its own word."""

    areas: tuple[Area, ...] = ()
    is_told: bool = False
    is_nation: bool = False
    """Whether the whole country is meant, as in "Turkish Government"."""


NOWHERE = Location()


def locate(reading: Reading, phrase: str, text: str) -> Location:
    """The areas that a name tells, or its country where the organisation is known; else ``NOWHERE``."""
    if reading.code in world.countries():
        country = world.countries()[reading.code]
        is_told = any(
            fold_name(name) in fold_name(phrase)
            for name in (country.name_without_article, *country.other_names, *country.adjectives)
        )
        return Location(world.areas_around(reading.code), is_told, is_nation=True)
    mode = kinds()[reading.kind].where
    if mode == "-" or (reading.is_plural and _SEVERAL.search(phrase)):
        return NOWHERE
    rest = phrase[: -len(reading.phrase)] if phrase.casefold().endswith(reading.phrase) else phrase
    nation = _nation(rest, reading, mode, text)
    if nation.areas or mode == "nation":
        return nation
    return _place(rest, reading, mode, text)


def _nation(rest: str, reading: Reading, mode: str, text: str) -> Location:
    for name, before in _runs(rest):
        country = world.find_country(name.replace(".", ""))
        if country is None:
            country = world.country_of_adjective(name)
            by_people = mode == "city" and not any(is_a(reading.kind, kind) for kind in _OF_THEIR_PEOPLE)
            if country is None or by_people or name[0].islower():
                continue
        elif mode == "city" and not (_PLACED.search(before) or rest.startswith(name)):
            continue
        if fold_name(name) in AMBIGUOUS_COUNTRIES and country.code not in count_countries(text):
            return NOWHERE
        if country.is_former or name[0].islower() or _PART.search(before) or (len(name) < 3 and not name.isupper()):
            continue
        return Location(world.areas_around(country.code), is_told=True, is_nation=True)
    return NOWHERE


def _place(rest: str, reading: Reading, mode: str, text: str) -> Location:
    for name, before in _runs(rest):
        if not name[0].isupper() or len(name) < 3 or " ".join(words_of(name)) in reading.phrase:
            continue
        if mode == "city" and not _PLACED.search(before) and not _is_city(name):
            continue
        if _is_word(name) if " " not in name else is_head(name.rpartition(" ")[2]):
            continue
        areas = _areas(tuple(places.surrounding_areas(name, text)))
        if areas:
            return Location(areas)
    return NOWHERE


def _is_city(name: str) -> bool:
    """Whether a name without "of" or "in" is surely a city's, and nobody's."""
    folded = lookup_key(name)
    return folded in major_cities() and folded not in given_names() and folded not in family_names()


def _is_word(name: str) -> bool:
    """Whether a place would have to be called as an everyday word: "Penal", "Independence"."""
    low = name.lower()
    if lookup_key(name) in major_cities():
        return False
    return low in word_classes() or any(concept.name.islower() for concept in wordnet.senses(low))


def _runs(rest: str) -> tuple[tuple[str, str], ...]:
    """The capitalised words, several in a row first, each with what stands before it."""
    words = list(_RUN.finditer(rest))
    runs = []
    for size in range(_LONGEST, 0, -1):
        for first in range(len(words) - size + 1):
            part = words[first : first + size]
            name = rest[part[0].start() : part[-1].end()]
            if "," not in name and name[0].isupper() and part[-1].group()[0].isupper() and not _goes_on(rest, part):
                runs.append((name.removesuffix("'s").removesuffix("’s"), rest[: part[0].start()]))
    return tuple(runs)


def _goes_on(rest: str, part: list[re.Match[str]]) -> bool:
    """Whether the words are part of a longer name: "Sól" of "Nowa Sól"."""
    before, after = _BEFORE.search(rest[: part[0].start()]), _AFTER.match(rest[part[-1].end() :])
    words = [match[1].rstrip("'’").removesuffix("'s").removesuffix("’s") for match in (before, after) if match]
    return any(not _is_word(word) and world.country_of_adjective(word) is None for word in words)


def _areas(names: tuple[str, ...]) -> tuple[Area, ...]:
    """The areas of these names, a country with its parts of the world behind it."""
    for name in names:
        country = world.find_country(name)
        if country and not country.is_former:
            return world.areas_around(country.code)
    return tuple(world.world_regions()[name] for name in names if name in world.world_regions())
