"""Which countries a text speaks of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from sfumato.knowledge import lexicon
from sfumato.knowledge.accents import fold
from sfumato.knowledge.geography import settlements, world
from sfumato.knowledge.geography.settlements import Settlement
from sfumato.knowledge.ladders.places import heads as place_heads
from sfumato.knowledge.ladders.places.sites import CITY, TOWN

METROPOLIS = 500_000
_FAMOUS = ((20, METROPOLIS), (5, 2 * METROPOLIS))
"""How many times larger than all others together, and how large, a city must be to be meant without saying so."""
_FAMOUS_CAPITAL = (3, CITY)
LONGEST = 7
"""Words in a name that is looked up."""
_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
_SMALL_WORDS = frozenset({"of", "and", "the", "de", "la"})
SHORT = 3
"""Letters that are a code rather than a name."""
_STATES_AS_NAMES = frozenset({"virginia", "georgia", "washington"})
KNOWN = frozenset(
    "geneva florence venice verona strasbourg salzburg bruges granada odessa ghent pisa frankfurt".split()
)
"""Cities that are meant by their name though it is a person's or a word, or that of places elsewhere."""
AMBIGUOUS_COUNTRIES = frozenset({"georgia"})


@lru_cache(maxsize=64)
def evidence(text: str) -> Mapping[str, int]:
    """How often a text names each country, as itself, by its people or by a city that is in no other."""
    found = Counter[str]()
    words = [(match.group(), match.start()) for match in _WORD.finditer(text)]
    at = 0
    while at < len(words):
        if not words[at][0][0].isupper():
            at += 1
            continue
        end = at + 1
        while end < len(words) and end - at < LONGEST and (words[end][0][0].isupper() or words[end][0] in _SMALL_WORDS):
            end += 1
        codes: tuple[str, ...] = ()
        while end > at and not codes:
            end -= 1
            last, start = words[end]
            if last[0].isupper():
                name = text[words[at][1] : start + len(last)].rstrip(".,;:'’-")
                codes = _named(name.removesuffix("'s").removesuffix("’s"))
        found.update(codes)
        at = max(at, end) + 1
    return MappingProxyType(dict(found))


@lru_cache(maxsize=8192)
def _named(name: str) -> tuple[str, ...]:
    if fold(name) in AMBIGUOUS_COUNTRIES:
        return ()
    people = world.country_of_people(name)
    land = world.country(name) or world.country_of_adjective(name) or (people[0] if people else None)
    if land:
        return land.people if land.is_former else (land.code[:2],) * 2
    # Geneva and Strasbourg stand for what sits there.
    if is_everyday(name) or place_heads.is_head(name) or lexicon.key(name) in KNOWN:
        return ()
    readings = settlements.settlements(name)
    codes = {one.code[:2] for one in readings} | {one.code[:2] for one in settlements.provinces(name)}
    if readings and (len(codes) == 1 or is_famous(readings)) and readings[0].population >= CITY:
        return (readings[0].code[:2],)
    return tuple(codes) if not readings and len(codes) == 1 and len(name) > SHORT else ()


def is_everyday(name: str) -> bool:
    """Whether it is a word or a person's name as well, and no large city."""
    word = lexicon.key(name)
    if len(name) > SHORT and any(one.state for one in settlements.provinces(name)):
        return word in _STATES_AS_NAMES
    readings = settlements.settlements(name)
    if word in KNOWN:
        return False
    if readings and readings[0].population >= METROPOLIS:
        return word in lexicon.common_words() and readings[0].population < 4 * METROPOLIS
    return (
        word in lexicon.common_words()
        or word in lexicon.given_names()
        or (word in lexicon.family_names() and (not readings or readings[0].population < TOWN))
    )


def is_famous(readings: Sequence[Settlement]) -> bool:
    """Whether the first is meant wherever nothing speaks against it."""
    if not readings:
        return False
    if lexicon.key(readings[0].name) in KNOWN:
        return True
    others = sum(max(one.population, 500) for one in readings[1:])
    bars = (*_FAMOUS, _FAMOUS_CAPITAL) if readings[0].is_capital else _FAMOUS
    return any(readings[0].population >= max(least, times * others) for times, least in bars)
