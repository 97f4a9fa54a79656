"""Names that an attacker would guess to have stood where a level of a place stands, the likeliest first."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice

from sfumato.generalize.places.reading import count_countries, country_site, settlement_site
from sfumato.generalize.places.reading import kinds as place_kinds
from sfumato.lexicon import world
from sfumato.lexicon.tables import load_toml, word_set, words
from sfumato.lexicon.world import (
    PARTS_OF_COUNTRY,
    Area,
    Country,
    Province,
    Settlement,
    all_features,
    all_provinces,
    find_settlements,
    towns,
    village_rows,
)

_MOST = 300
_ENGLISH = load_toml("places", "en", "sfumato.generalize")
_HOMOGRAPHS = word_set("places", "homographs", package="sfumato.generalize")
_SMALL_COUNTRY = 20_000_000
_SHORTEST = 2
_SPREAD = frozenset(_ENGLISH["spread_over_countries"])
_PHRASE = re.compile(r"(?:(?:an?|the|some)\s+)?(?P<noun>.+?)(?:\s+(?:in|of|on)\s+(?P<place>(?!an? )[\w' -]+))?")
_INNER = re.compile(r"(?P<noun>.+?) in an? (?P<outer>.+)")
_SIDES = frozenset(PARTS_OF_COUNTRY.values())
_PLURALS: Mapping[str, str] = _ENGLISH["plurals"]
_STATES = words("places", "most_named_states", package="sfumato.generalize")


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Places that generalize to ``phrase``: those in countries that the text still names first, then the best known."""
    if language not in world.LANGUAGES_OF_ADJECTIVES or not phrase.strip() or len(phrase) > 200:
        return
    match = _PHRASE.fullmatch(" ".join(phrase.split()))
    if match is None:
        return
    seen = count_countries(text)
    noun, place = match["noun"], match["place"]
    if place is None and (candidates := _of_adjective(noun.removesuffix("s"))):
        yield from _by_mentions(candidates, seen)
        return
    if inner := _INNER.fullmatch(noun):
        noun = inner["outer"]
    noun = "city" if noun in ("place", "address") else _singular(noun)
    candidates = _candidates(noun, place or "")
    if noun in _town_nouns():
        # Of a large area only its largest cities are listed; of a country all.
        area = _area(place or "")
        wide = area is None or len(area[1]) > 1
        named = [
            world.countries()[code] for code in sorted(seen, key=lambda code: -seen[code]) if code in world.countries()
        ]
        inside = [country for country in named if area is None or country.code in area[1]] if wide else []
        candidates = (*(entry for country in inside for entry in _candidates(noun, country.name)), *candidates)
    yield from _by_mentions(candidates, seen)


def _by_mentions(candidates: tuple[tuple[str, str], ...], seen: Mapping[str, int]) -> Iterator[str]:
    """Each name once; those in countries that the text names first."""
    names = sorted(candidates, key=lambda entry: -seen.get(entry[1], 0))
    yield from dict.fromkeys(name for name, _ in names)


def _singular(noun: str) -> str:
    return _PLURALS.get(noun, noun.removesuffix("s") if noun.endswith(("ns", "ts")) else noun)


def _area(name: str) -> tuple[str, frozenset[str]] | None:
    """The side of a country, and the codes of the countries of an area."""
    words = name.removeprefix("the ").split(" ", 1)
    side = words[0] if len(words) == 2 and words[0] in _SIDES else ""
    bare = words[1] if side else name
    for form in (bare, f"the {bare}"):
        for areas in (world.world_regions(), world.sea_coasts()):
            if form in areas:
                return side, areas[form].countries
    country = world.find_country(bare)
    return (side, frozenset({country.code})) if country and not country.is_former else None


@lru_cache(maxsize=512)
def _candidates(noun: str, place: str) -> tuple[tuple[str, str], ...]:
    """Names of places of a kind, each with the code of its country."""
    area = _area(place) if place else ("", frozenset(world.countries()))
    if area is None:
        return ()
    side, codes = area
    if noun == "part of a country":
        states = tuple((entry.name, "US") for entry in all_provinces() if entry.state and "US" in codes)
        return (*_candidates("part", place), *states)
    if noun in ("country", "territory", "part", "former state"):
        countries = [country for country in _countries_by_frequency() if _is_in(country, noun, place, codes)]
        if noun == "part" and not countries:
            return tuple((entry.name, "") for entry in all_features() if entry.kind in _SPREAD and entry.area == place)
        return tuple(
            (country.other_names[0] if country.is_former else country.name_without_article, country.code[:2])
            for country in countries
        )
    if noun in _town_nouns():
        places = (entry for entry in towns() if entry.code in codes or entry.code[:2] in codes)
        fitting = (entry for entry in places if (not side or entry.part_of_country == side) and noun in _nouns(entry))
        large = tuple((entry.name, entry.code[:2]) for entry in islice(fitting, _MOST))
        small = ((name.title(), code[:2]) for code in sorted(codes) for name in _villages(noun, code))
        return large or tuple(islice(small, _MOST))
    provinces = [
        entry
        for entry in all_provinces()
        if noun in (entry.kind, "region" if entry.kind != "urban district" else "")
        and entry.code[:2] in {c[:2] for c in codes}
    ]
    features = [entry for entry in all_features() if entry.kind == noun and (not place or entry.area == place)]
    if place and (provinces or features) and noun not in place_kinds():
        features = [] if provinces else features
    names = [(name, "US") for name in _STATES if noun in ("state", "region") and "US" in codes]
    names += [
        (entry.name, entry.code[:2])
        for entry in sorted(provinces, key=_size_of_namesake)
        if len(entry.name) > _SHORTEST
    ]
    names += [(entry.name, "") for entry in features]
    if not names or noun in place_kinds():
        names += _facilities(noun, codes if place else frozenset())
    return tuple(names[:_MOST])


def _nouns(entry: Settlement) -> tuple[str, ...]:
    site = settlement_site((entry,))
    return site.nouns if site else ()


@cache
def _town_nouns() -> frozenset[str]:
    """What settlements are called."""
    small = _ENGLISH["small_settlements"]
    return frozenset(noun for entry in towns()[::50] for noun in _nouns(entry)) | {*small, "capital city"}


@lru_cache(maxsize=64)
def _villages(noun: str, code: str) -> tuple[str, ...]:
    """Small places of a country."""
    names = (name for name, codes in village_rows() if code in codes)
    return tuple(
        islice(
            (
                name
                for name in names
                if any(entry.code == code and noun in _nouns(entry) for entry in find_settlements(name))
            ),
            _MOST,
        )
    )


def _is_in(country: Country, noun: str, place: str, codes: frozenset[str]) -> bool:
    if country.is_former or noun == "former state":
        return country.is_former and noun == "former state" and place in ("", country.name)
    if noun == "part":
        return "-" in country.code and country.code[:2] in codes
    return country.code in codes and country_site(country).nouns[0] == noun


@cache
def _countries_by_frequency() -> tuple[Country, ...]:
    """All countries, those that texts name most first."""
    return tuple(sorted(world.countries().values(), key=lambda country: -country.frequency + _overcounted(country)))


def _overcounted(country: Country) -> float:
    """What the count of a name's words has too much: "Jersey" is a shirt too, "Virgin Islands" two everyday words."""
    if country.name_without_article in _HOMOGRAPHS or (
        " " in country.name_without_article and country.population < _SMALL_COUNTRY
    ):
        return 1.0
    return -math.log10(country.population + 1) / 20


def _size_of_namesake(entry: Province) -> int:
    namesakes = find_settlements(entry.name)
    return -namesakes[0].population if namesakes else 0


def _facilities(noun: str, codes: frozenset[str]) -> list[tuple[str, str]]:
    """Those that are called after a city there."""
    kinds = [kind for kind in place_kinds().values() if noun in kind.nouns and kind.is_located]
    cities = [entry for entry in towns()[:3000] if entry.code in codes or entry.code[:2] in codes][:40]
    return [(f"{entry.name} {kind.nouns[0].title()}", entry.code[:2]) for entry in cities for kind in kinds]


@lru_cache(maxsize=256)
def _of_adjective(word: str) -> tuple[tuple[str, str], ...]:
    """Of "Western Asian": peoples and countries there; of "Turkish": Turkish cities."""
    known = (*world.world_regions().values(), *world.sea_coasts().values(), *world.continent_pairs().values())
    areas: list[Area] = [area for area in known if area.adjective == word]
    if areas:
        countries = [country for country in _countries_by_frequency() if country.code in areas[0].countries]
        peoples = [(country.adjectives[0], country.code[:2]) for country in countries if country.adjectives]
        return (*peoples, *((country.name_without_article, country.code[:2]) for country in countries))
    country = world.country_of_adjective(word)
    if country is None or country.is_former:
        return ()
    cities = tuple((entry.name, entry.code[:2]) for entry in towns() if entry.code.startswith(country.code))
    return ((country.name_without_article, country.code[:2]), *cities[:_MOST])
