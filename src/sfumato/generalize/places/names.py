"""What a name of a place stands for in a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType

from sfumato.lexicon import name_lists, tables, world
from sfumato.lexicon.tables import fold_name
from sfumato.lexicon.world import UNKNOWN_POPULATION, Area, Province, Settlement, find_settlements

# -- Streets, buildings, waters and other places by their head noun, in English and the main European languages.
#
# The words are those of ``training/wordlists/place_heads.txt``.


@dataclass(frozen=True, slots=True)
class Kind:
    """What a head noun says: kinds, the narrowest first, and whether a place in the name says where it is."""

    nouns: tuple[str, ...]
    is_located: bool


_SUFFIXES = {
    "strasse": "street",
    "straße": "street",
    "str.": "street",
    "gasse": "street",
    "gatan": "street",
    "straat": "street",
    "platz": "square",
    "plein": "square",
    "torget": "square",
    "allee": "avenue",
    "vägen": "road",
    "brücke": "bridge",
    "bahnhof": "railway station",
    "flughafen": "airport",
    "krankenhaus": "hospital",
}
_FIRST = frozenset(
    "mount mt mont monte lake lago lac loch lough river cape rue calle carrer via viale vicolo rua ulica ulitsa ul "
    "strada avenida avenue plaza plaça praça piazza place platz boulevard bd quai puente pont ponte plac trg "
    "aeropuerto aéroport gare estación hospital hôpital hmp jva château castillo castello palais palazzo palacio parc "
    "parque iglesia église museo musée universidad université isla île isola ulice odos hotel".split()
)
"""Heads that stand before a name; others do with "of" alone."""
_BEFORE_NAMES = frozenset("of the de del la du des di da do d no no.".split())
_SURE = frozenset(
    "street avenue airport prison hospital cathedral mosque university district province county municipality".split()
)
"""What no town is called after."""
ADMINISTRATIVE = frozenset({"district", "municipality", "province", "county", "region", "state", "republic"})
_HEADS_WORD = re.compile(r"[\w.'’-]+")


@cache
def _heads() -> dict[str, Kind]:
    found: dict[str, Kind] = {}
    for named, words in tables.table_rows("place_heads"):
        nouns = tuple(named.removeprefix("+").split(", "))
        for word in words.split():
            found.setdefault(fold_name(word), Kind(nouns, named.startswith("+") or nouns[0] in ADMINISTRATIVE))
    return found


@cache
def kinds() -> dict[str, Kind]:
    """By what they are called."""
    return {kind.nouns[0]: kind for kind in _heads().values()}


def is_head(word: str) -> bool:
    return fold_name(word) in _heads()


@lru_cache(maxsize=4096)
def head(phrase: str) -> tuple[Kind, str] | None:
    """The kind that the last or first words of a name tell, and the rest of the name: "Manchester" of its airport.

    "Mount X", "Rue X" and "X Street" say it at either end; "Province of X" before "of".
    """
    words = _HEADS_WORD.findall(phrase)
    if len(words) < 2:
        return _suffixed(phrase)
    is_town = bool(find_settlements(phrase))
    for count in (2, 1):
        kind = _heads().get(fold_name(" ".join(words[-count:])).rstrip(".")) if len(words) > count else None
        if kind and all(word[:1].isupper() or word[:1].isdigit() or len(word) < 4 for word in words[:-count]):
            return None if is_town and kind.nouns[0] not in _SURE else (kind, _rest(words[:-count]))
    for count in (2, 1):
        kind = _heads().get(fold_name(" ".join(words[:count])).rstrip(".")) if len(words) > count else None
        is_first = words[count : count + 1] == ["of"] or words[0].casefold().rstrip(".") in _FIRST
        if kind and is_first and not is_town:
            return kind, _rest(words[count:])
    return _suffixed(words[-1]) if len(words) < 4 else None


def _rest(words: list[str]) -> str:
    while words and words[0].casefold() in _BEFORE_NAMES:
        words = words[1:]
    return " ".join(words)


def _suffixed(word: str) -> tuple[Kind, str] | None:
    lowered = word.casefold()
    for suffix, name in _SUFFIXES.items():
        if lowered.endswith(suffix.casefold()) and len(lowered) > len(suffix) + 2:
            return kinds()[name], ""
    return None


# -- What a country, a region or a settlement is called, and what it lies in; of several, what holds for all.


LARGE_BRITISH, LARGE, CITY, TOWN, VILLAGE = 400_000, 300_000, 100_000, 15_000, 5_000
"""How many people make a place a large city, a city, a town; below the last it is a village or a small town."""
_TERRITORIES = frozenset(
    "AI AS AW AX BL BM CK CW FK FO GF GG GI GL GP GU HK IM JE KY MF MO MP MQ MS NC NU PF PM PR RE SH SJ SX TC VG VI WF "
    "YT EH".split()
)
_PHRASES: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (phrase, frozenset(classes))
    for phrase, classes in (
        ("large city", "L"),
        ("city", "cL"),
        ("small town", "s"),
        ("town", "st"),
        ("village or small town", "vs"),
        ("town or city", "tbcL"),
        ("town or village", "vst"),
        ("city or urban district", "cLd"),
        ("town or urban district", "stbd"),
        ("town or city district", "stbcLd"),
        ("settlement", "vstbcLd"),
    )
)
"""What to call a place of which only this is known; ``vstbcL`` from village to large city, ``d`` a district of one."""
SETTLED = frozenset(phrase for phrase, _ in _PHRASES) | {"capital city"}
"""All that places are called that people live in."""
_WIDER = {"large city": "city", "small town": "town", "village or small town": "town or village"}


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


def of_land(land: world.Country) -> Site:
    """A country, a territory, or a state that is no more."""
    if land.is_former:
        return Site(("former state",), world.former_areas(land))
    if "-" in land.code:
        return Site(("part",), world.areas_around(land.code)[1:])
    noun = "territory" if land.code in _TERRITORIES else "country"
    return Site((noun,), world.areas_around(land.code)[1:], codes=frozenset({land.code}))


def _one(codes: set[str]) -> frozenset[str]:
    """The codes, where they are of one country."""
    return frozenset(codes) if len({code[:2] for code in codes}) == 1 else frozenset()


def common(chains: list[tuple[Area, ...]]) -> tuple[Area, ...]:
    return tuple(area for area in chains[0] if all(area in chain for chain in chains[1:]))


def areas_of(place: Settlement) -> tuple[Area, ...]:
    chain = world.areas_around(place.code)
    if place.is_asian:
        return (*chain[:1], world.world_regions()["Asia"])
    return chain[:1] if place.may_be_on_other_continent else chain


def _classes(place: Settlement) -> set[str]:
    size = place.population
    if size == UNKNOWN_POPULATION:
        found = {"v", "s", "t"}
    else:
        found = {"v" if size < VILLAGE else "s" if size < TOWN else "t" if size < 40_000 else "b"}
        # In Britain a place of that size is often no city.
        if size >= (LARGE_BRITISH if place.code.startswith("GB") else CITY):
            found = {"L" if size >= LARGE else "c"}
        found |= {"s"} if size < VILLAGE else set()
    return found | ({"d"} if place.may_be_district else set())


def of_settlements(places: Sequence[Settlement]) -> Site | None:
    """What holds for all of them."""
    areas = common([areas_of(one) for one in places])
    if len(places) == 1 and places[0].is_capital and places[0].code not in _TERRITORIES:
        # With its country it would be named.
        outer = tuple(area for area in areas if len(area.countries) > 1)
        return Site(("capital city", "city"), outer, codes=frozenset({places[0].code}))
    classes = set().union(*(_classes(one) for one in places))
    noun = next(phrase for phrase, covered in _PHRASES if classes <= covered)
    is_one_part = len({(one.code, one.part_of_country) for one in places}) == 1 and not places[0].is_asian
    if not areas and noun in ("settlement", "town or city district"):
        return None
    nouns = (noun, _WIDER[noun]) if noun in _WIDER else (noun,)
    return Site(nouns, areas, places[0].part_of_country if is_one_part else "", _one({one.code for one in places}))


def of_provinces(regions: Sequence[Province]) -> Site:
    """What holds for all of them; their kind where it is one."""
    areas = common([world.areas_around(one.code) for one in regions])
    kinds = {one.kind for one in regions}
    kind = kinds.pop() if len(kinds) == 1 else "region"
    wider = {"region": (), "island": (), "urban district": ("urban area",)}.get(kind, ("region",))
    nouns = (kind, *wider)
    return Site(nouns, areas, codes=_one({one.code for one in regions}))


# -- Which countries a text speaks of.


METROPOLIS = 500_000
_FAMOUS = ((20, METROPOLIS), (5, 2 * METROPOLIS))
"""How many times larger than all others together, and how large, a city must be to be meant without saying so."""
_FAMOUS_CAPITAL = (3, CITY)
LONGEST = 7
"""Words in a name that is looked up."""
_EVIDENCE_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
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
    words = [(match.group(), match.start()) for match in _EVIDENCE_WORD.finditer(text)]
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
    if fold_name(name) in AMBIGUOUS_COUNTRIES:
        return ()
    people = world.country_of_people(name)
    land = world.find_country(name) or world.country_of_adjective(name) or (people[0] if people else None)
    if land:
        return land.people if land.is_former else (land.code[:2],) * 2
    # Geneva and Strasbourg stand for what sits there.
    if is_everyday(name) or is_head(name) or name_lists.lookup_key(name) in KNOWN:
        return ()
    readings = world.find_settlements(name)
    codes = {one.code[:2] for one in readings} | {one.code[:2] for one in world.find_provinces(name)}
    if readings and (len(codes) == 1 or is_famous(readings)) and readings[0].population >= CITY:
        return (readings[0].code[:2],)
    return tuple(codes) if not readings and len(codes) == 1 and len(name) > SHORT else ()


def is_everyday(name: str) -> bool:
    """Whether it is a word or a person's name as well, and no large city."""
    word = name_lists.lookup_key(name)
    if len(name) > SHORT and any(one.state for one in world.find_provinces(name)):
        return word in _STATES_AS_NAMES
    readings = world.find_settlements(name)
    if word in KNOWN:
        return False
    if readings and readings[0].population >= METROPOLIS:
        return word in name_lists.common_words() and readings[0].population < 4 * METROPOLIS
    return (
        word in name_lists.common_words()
        or word in name_lists.given_names()
        or (word in name_lists.family_names() and (not readings or readings[0].population < TOWN))
    )


def is_famous(readings: Sequence[Settlement]) -> bool:
    """Whether the first is meant wherever nothing speaks against it."""
    if not readings:
        return False
    if name_lists.lookup_key(readings[0].name) in KNOWN:
        return True
    others = sum(max(one.population, 500) for one in readings[1:])
    bars = (*_FAMOUS, _FAMOUS_CAPITAL) if readings[0].is_capital else _FAMOUS
    return any(readings[0].population >= max(least, times * others) for times, least in bars)


# -- What a name of a place stands for in a document.


_SMALL_TOWN = 5_000
_RIVAL = 5
"""A city that is so many times larger than those in the countries that the text names may be meant all the same."""
_LANDMARKS = frozenset({"mountain", "river", "lake", "mountain range", "desert"})
_CITY_OR_STATE = frozenset({"new york", "georgia", "washington", "virginia"})
_FAINT = 8
"""A country that is named that many times less often than another counts as not named."""


def resolve(
    name: str, text: str, inside: frozenset[str] = frozenset(), wanted: str = "", state: str = ""
) -> Site | None:
    """What ``name`` is, by the countries that the text names or, more surely, those it is said to be ``inside``.

    ``wanted``: "region" or "settlement", where the words around tell; ``state``: the American one that it is in.
    """
    name = name.strip()
    if not name[:1].isupper() or len(name) > 80:
        return None
    land = world.find_country(name)
    if land and not inside and not (fold_name(name) in AMBIGUOUS_COUNTRIES and _is_state(name, text)):
        return of_land(land)
    seen = evidence(text)
    readings = world.find_settlements(name) if wanted != "region" else ()
    if state:
        readings = tuple(one for one in readings if one.state == state)
    places = _likely(readings, seen, inside, is_everyday(name))
    regions = world.find_provinces(name) if wanted != "settlement" else ()
    states = _american(name, regions, seen, inside)
    if inside or len(name) <= SHORT or len({one.code[:2] for one in regions}) > 1:
        regions = tuple(one for one in regions if one.code[:2] in (inside or seen))
    elif regions and is_everyday(name) and regions[0].code[:2] not in seen:
        regions = ()
    if states:
        return of_provinces(states)
    districts = tuple(one for one in regions if one.kind == "urban district")
    if any(one.kind == "state" for one in regions) and all(one.population < CITY for one in places):
        places = tuple(one for one in places if one.code not in {region.code for region in regions})
    is_small = all(one.population < METROPOLIS for one in places)
    if districts and is_small and {one.code[:2] for one in places} <= {one.code[:2] for one in districts}:
        return of_provinces(districts)
    if places and not inside and regions and {one.code[:2] for one in regions} - {one.code[:2] for one in places}:
        return _both(places, regions)
    if places:
        return of_settlements(places)
    found = world.find_feature(name)
    if regions and found and found.kind in _LANDMARKS:
        return None  # the mountain, or the region that is called after it
    if regions:
        return of_provinces(regions)
    if found and not inside and wanted != "settlement":
        return Site((found.kind,), (world.world_regions()[found.area],) if found.area in world.world_regions() else ())
    return None


def _is_state(name: str, text: str) -> bool:
    """Whether Georgia is the American one, or nobody can tell."""
    seen = evidence(text)
    regions = {one.code for one in world.find_provinces(name)}
    own = world.find_country(name)
    return bool(regions) and not (own is not None and own.code in seen and not regions & set(seen))


def _american(
    name: str, regions: Sequence[Province], seen: Mapping[str, int], inside: frozenset[str]
) -> tuple[Province, ...]:
    """The American state of the name, where a text that says no more can mean nothing else: California, Florida."""
    states = tuple(one for one in regions if one.state)
    if not states or len(name) <= SHORT or fold_name(name) in _CITY_OR_STATE:
        return ()
    if inside:
        return states if inside == {"US"} else ()
    is_elsewhere = any(one.code[:2] in seen for one in regions if not one.state)
    return states if "US" in seen or not is_elsewhere else ()


def one_country(name: str, text: str) -> Site | None:
    """Of a name of many towns, all of any size in one country: Springfield is an American one."""
    readings = world.find_settlements(name)
    large = tuple(one for one in readings if one.population >= TOWN)
    if len({one.code for one in large}) != 1 or len(large) < 2 or world.find_provinces(name):
        return None
    seen, own = evidence(text), large[0].code
    others = {one.code[:2] for one in readings} - {own[:2]}
    if others & seen.keys() or (seen and own[:2] not in seen):
        return None
    return Site(("town or city",), common([areas_of(one) for one in large]), codes=frozenset({own}))


def _likely(
    readings: tuple[Settlement, ...], seen: Mapping[str, int], inside: frozenset[str], is_doubtful: bool
) -> tuple[Settlement, ...]:
    if inside:
        return _or_largest(tuple(one for one in readings if one.code[:2] in inside))
    supported = [one for one in readings if one.code[:2] in seen]
    if supported:
        most = max(seen[one.code[:2]] for one in supported)
        kept = tuple(one for one in supported if seen[one.code[:2]] * _FAINT >= most)
        # A city abroad may be named without its country, even in a text about another.
        rivals = [one for one in readings if one.code[:2] not in seen and one.population >= CITY]
        rivals = [one for one in rivals if one.population > _RIVAL * kept[0].population or one.is_capital]
        if rivals:
            return (*rivals, *kept)
        return kept[:1] if is_famous(kept) else _or_largest(kept)
    if is_doubtful:
        return ()
    if is_famous(readings):
        return readings[:1]
    if seen:
        return readings if len({one.code for one in readings}) == 1 and readings[0].population >= CITY else ()
    if len({one.code[:2] for one in readings}) == 1 and readings[0].population >= _SMALL_TOWN:
        return readings
    return readings if readings and readings[0].population >= TOWN else ()


def _or_largest(readings: tuple[Settlement, ...]) -> tuple[Settlement, ...]:
    """The first alone, where it is far larger than all others in the countries in question."""
    others = sum(max(one.population, 500) for one in readings[1:])
    return readings[:1] if readings and readings[0].population >= max(CITY, 20 * others) else readings


def countries_of(name: str) -> frozenset[str]:
    """All countries that have a place of the name."""
    land = world.find_country(name)
    codes = {one.code[:2] for one in world.find_settlements(name)}
    codes |= {one.code[:2] for one in world.find_provinces(name)}
    return frozenset(codes | ({land.code[:2]} if land and not land.is_former else set()))


def _both(places: Sequence[Settlement], regions: Sequence[Province]) -> Site | None:
    areas = common([*(areas_of(one) for one in places), *(world.areas_around(one.code) for one in regions)])
    return Site(("town or region",), areas) if areas else None
