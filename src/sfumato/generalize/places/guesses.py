"""Names that an attacker would guess to have stood where a level of a place stands, the likeliest first."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice

from sfumato.generalize.hierarchy import unique, with_first_kept
from sfumato.generalize.places.countries import count_countries, most_named
from sfumato.generalize.places.kinds import (
    CITY,
    ENGLISH,
    LARGE,
    LARGE_BRITISH,
    LARGE_TOWN,
    TOWN,
    VILLAGE,
    country_site,
    settlement_site,
)
from sfumato.generalize.places.kinds import kinds as place_kinds
from sfumato.lexicon import world
from sfumato.lexicon.tables import fold_name, group, word_set, words
from sfumato.lexicon.world import PARTS_OF_COUNTRY, UNKNOWN_POPULATION, Country, Feature, Province, Settlement

_LEAST_POPULATIONS = (UNKNOWN_POPULATION, 0, VILLAGE, TOWN, LARGE_TOWN, CITY, LARGE, LARGE_BRITISH)
_MOST = 300
_HOMOGRAPHS = word_set("places", "homographs", package="sfumato.generalize")
_SMALL_COUNTRY = 20_000_000
_SHORTEST = 2
_SPREAD = frozenset(ENGLISH["spread_over_countries"])
_PHRASE = re.compile(r"(?:(?:an?|the|some)\s+)?(?P<noun>.+?)(?:\s+(?:in|of|on)\s+(?P<place>(?!an? )[\w' -]+))?")
_INNER = re.compile(r"(?P<noun>.+?) in an? (?P<outer>.+)")
_SIDES = frozenset(PARTS_OF_COUNTRY.values())
_PLURALS: Mapping[str, str] = ENGLISH["plurals"]
_STATES = words("places", "most_named_states", package="sfumato.generalize")


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Places that generalize to ``phrase``: those in countries that the text still names first, then the best known."""
    if language not in world.LANGUAGES_OF_ADJECTIVES or not phrase.strip() or len(phrase) > 200:
        return
    yield from _originals(" ".join(phrase.split()), tuple(count_countries(text).items()))


@with_first_kept
def _originals(phrase: str, counts: tuple[tuple[str, int], ...]) -> Iterator[str]:
    """The names under a phrase in a text that names these countries so often, each once."""
    match = _PHRASE.fullmatch(phrase)
    if match is None:
        return
    seen = dict(counts)
    noun, place = match["noun"], match["place"]
    if place is None and (candidates := _of_adjective(noun.removesuffix("s"))):
        yield from unique(_by_mentions(candidates, seen))
        return
    if inner := _INNER.fullmatch(noun):
        noun = inner["outer"]
    singular = noun.removesuffix("s") if noun.endswith(("ns", "ts")) else noun
    noun = "city" if noun in ("place", "address") else _PLURALS.get(noun, singular)
    inside: list[str] = []
    if noun in _town_nouns():
        # Of a large area only its largest cities are listed; of a country all.
        area = _area(place or "")
        is_wide = area is None or len(area[1]) > 1
        inside = [code for code in most_named(seen) if is_wide and (area is None or code in area[1])]
    yield from unique(_by_mentions(_candidates(noun, place or ""), seen, noun, inside))


def _by_mentions(
    candidates: tuple[tuple[str, str], ...], seen: Mapping[str, int], noun: str = "", inside: Sequence[str] = ()
) -> Iterator[str]:
    """Names of candidates, first those in countries that the text names most often.

    Of each country ``inside`` all towns that are called ``noun`` come before its candidates; they are listed only when
    all names in countries that are named more often have been taken.
    """
    by_count = group((seen.get(code, 0), name) for name, code in candidates)
    for count in sorted({*by_count, *(seen[code] for code in inside)}, reverse=True):
        for code in inside:
            if seen[code] == count:
                yield from (name for name, _ in _candidates(noun, world.countries()[code].name))
        yield from by_count.get(count, ())


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
        states = tuple((entry.name, "US") for entry in world.all_provinces() if entry.state and "US" in codes)
        return (*_candidates("part", place), *states)
    if noun in ("country", "territory", "part", "former state"):
        return _countries_called(noun, place, codes)
    if noun in _town_nouns():
        return _towns_called(noun, side, codes)
    countries_inside = {code[:2] for code in codes}
    provinces = [entry for entry in _provinces_called(noun) if entry.code[:2] in countries_inside]
    names = [(name, "US") for name in _STATES if noun in ("state", "region") and "US" in codes]
    by_size = sorted(provinces, key=lambda entry: -_population_of_namesake(entry.name))
    names += [(entry.name, entry.code[:2]) for entry in by_size if len(entry.name) > _SHORTEST]
    if not (place and provinces) or noun in place_kinds():
        features = _features_of_kind().get(noun, ())
        names += [(entry.name, "") for entry in features if not place or entry.area == place]
    if not names or noun in place_kinds():
        names += _facilities(noun, codes if place else frozenset())
    return tuple(names[:_MOST])


def _countries_called(noun: str, place: str, codes: frozenset[str]) -> tuple[tuple[str, str], ...]:
    countries = [country for country in _countries_by_frequency() if _is_in(country, noun, place, codes)]
    if noun == "part" and not countries:
        spread = (entry for entry in world.all_features() if entry.kind in _SPREAD and entry.area == place)
        return tuple((entry.name, "") for entry in spread)
    return tuple(
        (country.other_names[0] if country.is_former else country.name_without_article, country.code[:2])
        for country in countries
    )


def _towns_called(noun: str, side: str, codes: frozenset[str]) -> tuple[tuple[str, str], ...]:
    places = world.towns_of(lambda code: code in codes or code[:2] in codes)
    fitting = (entry for entry in places if (not side or entry.part_of_country == side) and noun in _nouns(entry))
    large = tuple((entry.name, entry.code[:2]) for entry in islice(fitting, _MOST))
    small = ((name.title(), code[:2]) for code in sorted(codes) for name in _villages(noun, code))
    return large or tuple(islice(small, _MOST))


def _provinces_called(noun: str) -> Sequence[Province]:
    """Those of a kind; as regions, all but the parts of towns."""
    if noun == "region":
        return [entry for entry in world.all_provinces() if entry.kind != "urban district"]
    return _provinces_of_kind().get(noun, ())


@cache
def _provinces_of_kind() -> Mapping[str, Sequence[Province]]:
    return group([(entry.kind, entry) for entry in world.all_provinces()])


def _features_of_kind() -> Mapping[str, Sequence[Feature]]:
    return group((entry.kind, entry) for entry in world.all_features())


def size_class(population: int) -> int:
    """The least population of all settlements that are of the same size for ``settlement_site``."""
    return _LEAST_POPULATIONS[bisect_right(_LEAST_POPULATIONS, population) - 1]


def _nouns(entry: Settlement) -> tuple[str, ...]:
    return _nouns_of_size(entry.code, entry.mark, size_class(entry.population))


@cache
def _nouns_of_size(code: str, mark: str, population: int) -> tuple[str, ...]:
    """What a settlement is called, by its country, its signs in the table and the least population of its size."""
    site = settlement_site((Settlement("", code, "", population, mark),))
    return site.nouns if site else ()


@cache
def _town_nouns() -> frozenset[str]:
    """What settlements are called."""
    small = ENGLISH["small_settlements"]
    sample = map(world.town_at, range(0, world.town_count(), 50))
    return frozenset(noun for entry in sample for noun in _nouns(entry)) | {*small, "capital city"}


@lru_cache(maxsize=512)
def _villages(noun: str, code: str) -> tuple[str, ...]:
    """Small places of a country."""
    villages = world.villages_of(code)
    return tuple(islice((name for name, there in villages if any(noun in _nouns(entry) for entry in there)), _MOST))


def _is_in(country: Country, noun: str, place: str, codes: frozenset[str]) -> bool:
    if country.is_former or noun == "former state":
        return country.is_former and noun == "former state" and place in ("", country.name)
    if noun == "part":
        return "-" in country.code and country.code[:2] in codes
    return country.code in codes and country_site(country).nouns[0] == noun


def _countries_by_frequency() -> tuple[Country, ...]:
    """All countries, those that texts name most first."""
    return tuple(sorted(world.countries().values(), key=lambda country: -country.frequency + _overcounted(country)))


def _overcounted(country: Country) -> float:
    """What the count of a name's words has too much: "Jersey" is a shirt too, "Virgin Islands" two everyday words."""
    name = country.name_without_article
    if name in _HOMOGRAPHS or (" " in name and country.population < _SMALL_COUNTRY):
        return 1.0
    return -math.log10(country.population + 1) / 20


def _population_of_namesake(name: str) -> int:
    """Of the largest settlement that has the name of a province; 0 where none has it."""
    namesakes = world.settlements_listed(name, fold_name.__wrapped__(name))
    return namesakes[0].population if namesakes else 0


def _facilities(noun: str, codes: frozenset[str]) -> list[tuple[str, str]]:
    """Those that are called after a city there."""
    kinds = [kind for kind in place_kinds().values() if noun in kind.nouns and kind.is_located]
    if not kinds:
        return []
    cities = list(islice(world.towns_of(lambda code: code in codes or code[:2] in codes, among=3000), 40))
    return [(f"{entry.name} {kind.nouns[0].title()}", entry.code[:2]) for entry in cities for kind in kinds]


def _of_adjective(word: str) -> tuple[tuple[str, str], ...]:
    """Of "Western Asian": peoples and countries there; of "Turkish": Turkish cities."""
    areas = (*world.world_regions().values(), *world.sea_coasts().values(), *world.continent_pairs().values())
    if area := next((area for area in areas if area.adjective == word), None):
        countries = [country for country in _countries_by_frequency() if country.code in area.countries]
        peoples = [(country.adjectives[0], country.code[:2]) for country in countries if country.adjectives]
        return (*peoples, *((country.name_without_article, country.code[:2]) for country in countries))
    country = world.country_of_adjective(word)
    if country is None or country.is_former:
        return ()
    cities = islice(world.towns_of(lambda code: code.startswith(country.code)), _MOST)
    return ((country.name_without_article, country.code[:2]), *((city.name, city.code[:2]) for city in cities))
