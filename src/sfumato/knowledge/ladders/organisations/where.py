"""Where an organisation is, or which country's it is, as far as its name leaves no doubt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sfumato.knowledge.accents import fold
from sfumato.knowledge.geography import world
from sfumato.knowledge.geography.world import Area
from sfumato.knowledge.grammar.word_classes import word_classes
from sfumato.knowledge.ladders import places
from sfumato.knowledge.ladders.organisations import tables as org_tables
from sfumato.knowledge.ladders.organisations.heads import Read
from sfumato.knowledge.ladders.places import heads as place_heads
from sfumato.knowledge.ladders.places.evidence import AMBIGUOUS_COUNTRIES, evidence
from sfumato.knowledge.lexicon import family_names, given_names, key, major_cities
from sfumato.knowledge.wider import concepts

_RUN = re.compile(r"[^\W\d_][\w.'’‑-]*")
_PLACED = re.compile(r"\b(?:of|in|at|de|di|von|van|d['’])\s+(?:the\s+)?$", re.I)
_PART = re.compile(
    r"\b(?:Lower|Upper|North|South|East|West|Northern|Southern|Eastern|Western|Central|New|Inner|Outer|Anti)[ -]+$"
)
"""What makes a country or a people part of another name: "Lower Austrian"."""
_BEFORE = re.compile(r"([A-ZÀ-ÞİŞĆŁŚŻŽČŠ][\w'’]*)[ -]$")
_AFTER = re.compile(r"[ -]([A-ZÀ-ÞİŞĆŁŚŻŽČŠ][\w'’]*)")
_SEVERAL = re.compile(r"\band\b|&|[,/]")
_LONGEST = 3
_OF_THEIR_PEOPLE = (
    "political organisation",
    "trade union",
    "airline",
    "broadcaster",
    "sports league",
    "sports federation",
)
"""Kinds that, where a people stands in their name, are that people's; a Chinese restaurant is wherever it is."""


@dataclass(frozen=True, slots=True)
class Where:
    """The areas around an organisation, the smallest first; ``is_told``: its name tells the first by its own word."""

    areas: tuple[Area, ...] = ()
    is_told: bool = False
    is_nation: bool = False
    """Whether the whole country is meant, as in "Turkish Government"."""


NOWHERE = Where()


def where(read: Read, phrase: str, text: str) -> Where:
    """The areas that a name tells, or its country where the organisation is known; else ``NOWHERE``."""
    if read.code in world.lands():
        land = world.lands()[read.code]
        told = any(fold(name) in fold(phrase) for name in (land.bare, *land.others, *land.adjectives))
        return Where(world.areas(read.code), told, is_nation=True)
    mode = org_tables.kinds()[read.kind].where
    if mode == "-" or (read.is_plural and _SEVERAL.search(phrase)):
        return NOWHERE
    rest = phrase[: -len(read.phrase)] if phrase.casefold().endswith(read.phrase) else phrase
    nation = _nation(rest, read, mode, text)
    if nation.areas or mode == "nation":
        return nation
    return _place(rest, read, mode, text)


def _nation(rest: str, read: Read, mode: str, text: str) -> Where:
    for said, before in _runs(rest):
        land = world.country(said.replace(".", ""))
        if land is None:
            land = world.country_of_adjective(said)
            by_people = mode == "city" and not any(org_tables.is_a(read.kind, kind) for kind in _OF_THEIR_PEOPLE)
            if land is None or by_people or said[0].islower():
                continue
        elif mode == "city" and not (_PLACED.search(before) or rest.startswith(said)):
            continue
        if fold(said) in AMBIGUOUS_COUNTRIES and land.code not in evidence(text):
            return NOWHERE
        if land.is_former or said[0].islower() or _PART.search(before) or (len(said) < 3 and not said.isupper()):
            continue
        return Where(world.areas(land.code), is_told=True, is_nation=True)
    return NOWHERE


def _place(rest: str, read: Read, mode: str, text: str) -> Where:
    for said, before in _runs(rest):
        if not said[0].isupper() or len(said) < 3 or " ".join(org_tables.words_of(said)) in read.phrase:
            continue
        if mode == "city" and not _PLACED.search(before) and not _is_city(said):
            continue
        if _is_word(said) if " " not in said else place_heads.is_head(said.rpartition(" ")[2]):
            continue
        areas = _areas(tuple(places.where(said, text)))
        if areas:
            return Where(areas)
    return NOWHERE


def _is_city(said: str) -> bool:
    """Whether a name without "of" or "in" is surely a city's, and nobody's."""
    folded = key(said)
    return folded in major_cities() and folded not in given_names() and folded not in family_names()


@lru_cache(maxsize=1024)
def _is_word(said: str) -> bool:
    """Whether a place would have to be called as an everyday word: "Penal", "Independence"."""
    low = said.lower()
    if key(said) in major_cities():
        return False
    return low in word_classes() or any(concept.name.islower() for concept in concepts.senses(low))


@lru_cache(maxsize=1024)
def _runs(rest: str) -> tuple[tuple[str, str], ...]:
    """The capitalised words, several in a row first, each with what stands before it."""
    words = list(_RUN.finditer(rest))
    found = []
    for size in range(_LONGEST, 0, -1):
        for first in range(len(words) - size + 1):
            part = words[first : first + size]
            said = rest[part[0].start() : part[-1].end()]
            if "," not in said and said[0].isupper() and part[-1].group()[0].isupper() and not _goes_on(rest, part):
                found.append((said.removesuffix("'s").removesuffix("’s"), rest[: part[0].start()]))
    return tuple(found)


def _goes_on(rest: str, part: list[re.Match[str]]) -> bool:
    """Whether the words are part of a longer name: "Sól" of "Nowa Sól"."""
    before, after = _BEFORE.search(rest[: part[0].start()]), _AFTER.match(rest[part[-1].end() :])
    words = [found[1].rstrip("'’").removesuffix("'s").removesuffix("’s") for found in (before, after) if found]
    return any(not _is_word(word) and not _is_people(word) for word in words)


def _is_people(word: str) -> bool:
    return world.country_of_adjective(word) is not None


@lru_cache(maxsize=1024)
def _areas(names: tuple[str, ...]) -> tuple[Area, ...]:
    """The areas of these names, a country with its parts of the world behind it."""
    for name in names:
        land = world.country(name)
        if land and not land.is_former:
            return world.areas(land.code)
    return tuple(world.parts()[name] for name in names if name in world.parts())
