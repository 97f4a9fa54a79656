"""Kinds of places and what they are called: by the head noun of a name, by the size of a settlement, by the area.

The head nouns are those of ``training/wordlists/place_heads.txt``, the other words those of ``data/*/places.toml``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from sfumato.lexicon import tables, world
from sfumato.lexicon.tables import fold_name, load_toml, word_set
from sfumato.lexicon.tokens import lazy_pattern
from sfumato.lexicon.world import UNKNOWN_POPULATION, Area, Province, Settlement, find_settlements

_ALL = load_toml("places", package="sfumato.generalize")
ENGLISH = load_toml("places", "en", "sfumato.generalize")
place_words = partial(word_set, "places", package="sfumato.generalize")
ADMINISTRATIVE = frozenset(ENGLISH["administrative"])

# Head nouns: streets, buildings, waters and other places.


@dataclass(frozen=True, slots=True)
class Kind:
    """What a head noun says: kinds, the narrowest first, and whether a place in the name says where it is."""

    nouns: tuple[str, ...]
    is_located: bool


_COMPOUND_ENDINGS: Mapping[str, str] = _ALL["compound_endings"]
_HEADS_BEFORE_NAMES = place_words("heads_before_names")
_BETWEEN_HEAD_AND_NAME = place_words("between_head_and_name")
_UNLIKE_TOWNS = word_set("places", "unlike_towns", "en", "sfumato.generalize")
_HEAD_WORD = lazy_pattern(r"[\w.'’-]+")


@cache
def _heads() -> dict[str, Kind]:
    heads: dict[str, Kind] = {}
    for named, words in tables.table_rows("place_heads"):
        nouns = tuple(named.removeprefix("+").split(", "))
        for word in words.split():
            heads.setdefault(fold_name(word), Kind(nouns, named.startswith("+") or nouns[0] in ADMINISTRATIVE))
    return heads


def kinds() -> dict[str, Kind]:
    """Kinds by the first of their nouns."""
    return {kind.nouns[0]: kind for kind in _heads().values()}


def is_head(word: str) -> bool:
    return fold_name(word) in _heads()


def read_head(phrase: str) -> tuple[Kind, str] | None:
    """The kind that the last or first words of a name tell, and the rest of the name: "Manchester" of its airport.

    "Mount X", "Rue X" and "X Street" say it at either end; "Province of X" before "of".
    """
    words = _HEAD_WORD.findall(phrase)
    if len(words) < 2:
        return _by_compound_ending(phrase)
    is_town = bool(find_settlements(phrase))
    for count in (2, 1):
        kind = _heads().get(fold_name(" ".join(words[-count:])).rstrip(".")) if len(words) > count else None
        if kind and all(word[:1].isupper() or word[:1].isdigit() or len(word) < 4 for word in words[:-count]):
            return None if is_town and kind.nouns[0] not in _UNLIKE_TOWNS else (kind, _name_after_head(words[:-count]))
    for count in (2, 1):
        kind = _heads().get(fold_name(" ".join(words[:count])).rstrip(".")) if len(words) > count else None
        is_first = words[count : count + 1] == ["of"] or words[0].casefold().rstrip(".") in _HEADS_BEFORE_NAMES
        if kind and is_first and not is_town:
            return kind, _name_after_head(words[count:])
    return _by_compound_ending(words[-1]) if len(words) < 4 else None


def _name_after_head(words: list[str]) -> str:
    while words and words[0].casefold() in _BETWEEN_HEAD_AND_NAME:
        words = words[1:]
    return " ".join(words)


def _by_compound_ending(word: str) -> tuple[Kind, str] | None:
    lowered = word.casefold()
    for suffix, name in _COMPOUND_ENDINGS.items():
        if lowered.endswith(suffix.casefold()) and len(lowered) > len(suffix) + 2:
            return kinds()[name], ""
    return None


# What a country, a region or a settlement is called, and what it lies in; of several readings, what holds for all.

LARGE_BRITISH, LARGE, CITY, LARGE_TOWN, TOWN, VILLAGE = 400_000, 300_000, 100_000, 40_000, 15_000, 5_000
"""Inhabitants that make a place a large city, a city, a town; below the last it is a village or a small town."""
TERRITORIES = place_words("territories")
_SIZES: Mapping[str, str] = ENGLISH["settlements"]
SETTLED = frozenset(_SIZES) | {"capital city"}
"""All kinds of places that people live in."""
_WIDER: Mapping[str, str] = ENGLISH["wider_settlements"]


@dataclass(frozen=True, slots=True)
class Site:
    """What is certain of a place: kinds and areas, the narrowest first; ``part`` of the first area."""

    nouns: tuple[str, ...]
    areas: tuple[Area, ...]
    part: str = ""
    codes: frozenset[str] = frozenset()
    """The country that it is in, where that is one."""

    def within(self, nouns: tuple[str, ...]) -> Site:
        """Something else that lies there."""
        return replace(self, nouns=nouns)


def country_site(country: world.Country) -> Site:
    """A country, a territory, or a state that is no more."""
    if country.is_former:
        return Site(("former state",), world.former_areas(country))
    if "-" in country.code:
        return Site(("part",), world.areas_around(country.code)[1:])
    noun = "territory" if country.code in TERRITORIES else "country"
    return Site((noun,), world.areas_around(country.code)[1:], codes=frozenset({country.code}))


def codes_of(places: Iterable[Settlement | Province]) -> set[str]:
    return {place.code[:2] for place in places}


def of_one_country(places: Sequence[Settlement | Province]) -> frozenset[str]:
    """The codes of the places, where they are all of one country; else none."""
    return frozenset(place.code for place in places) if len(codes_of(places)) == 1 else frozenset()


def common_areas(chains: list[tuple[Area, ...]]) -> tuple[Area, ...]:
    """The areas that hold all places, given the areas around each of them."""
    return tuple(area for area in chains[0] if all(area in chain for chain in chains[1:]))


def areas_of(place: Settlement) -> tuple[Area, ...]:
    chain = world.areas_around(place.code)
    if place.is_asian:
        return (*chain[:1], world.world_regions()["Asia"])
    return chain[:1] if place.may_be_on_other_continent else chain


def _sizes(place: Settlement) -> set[str]:
    """The sizes that a settlement may have, as ``data/en/places.toml`` writes them."""
    population = place.population
    if population == UNKNOWN_POPULATION:
        sizes = {"v", "s", "t"}
    elif population >= (LARGE_BRITISH if place.code.startswith("GB") else CITY):  # smaller British ones are often towns
        sizes = {"L" if population >= LARGE else "c"}
    elif population < VILLAGE:
        sizes = {"v", "s"}
    else:
        sizes = {"s" if population < TOWN else "t" if population < LARGE_TOWN else "b"}
    return sizes | ({"d"} if place.may_be_district else set())


def settlement_site(places: Sequence[Settlement]) -> Site | None:
    """What holds for all of them."""
    areas = common_areas([areas_of(place) for place in places])
    if len(places) == 1 and places[0].is_capital and places[0].code not in TERRITORIES:
        # With its country it would be named.
        outer = tuple(area for area in areas if len(area.countries) > 1)
        return Site(("capital city", "city"), outer, codes=frozenset({places[0].code}))
    sizes = set().union(*(_sizes(place) for place in places))
    noun = next(noun for noun, covered in _SIZES.items() if sizes <= set(covered))
    is_one_part = len({(place.code, place.part_of_country) for place in places}) == 1 and not places[0].is_asian
    if not areas and noun in ("settlement", "town or city district"):
        return None
    nouns = (noun, _WIDER[noun]) if noun in _WIDER else (noun,)
    return Site(nouns, areas, places[0].part_of_country if is_one_part else "", of_one_country(places))


def province_site(regions: Sequence[Province]) -> Site:
    """What holds for all of them; their kind where it is one."""
    areas = common_areas([world.areas_around(place.code) for place in regions])
    kinds = {place.kind for place in regions}
    kind = kinds.pop() if len(kinds) == 1 else "region"
    wider = {"region": (), "island": (), "urban district": ("urban area",)}.get(kind, ("region",))
    return Site((kind, *wider), areas, codes=of_one_country(regions))
