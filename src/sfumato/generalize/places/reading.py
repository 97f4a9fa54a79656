"""What a phrase says of a place: "northern Iraq", "Gdynia, Poland", "12 Mill Lane, Leeds", "Manchester Airport".

Names are resolved by head noun, by the size of the places that bear them and by the countries that the text names.
The head nouns are those of ``training/wordlists/place_heads.txt``, the other words those of ``data/*/places.toml``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, partial
from types import MappingProxyType

from sfumato.annotated_text import AnnotatedText, read_once
from sfumato.lexicon import name_lists, tables, world
from sfumato.lexicon.caches import remember_in_run
from sfumato.lexicon.tables import fold_name, load_toml, word_set
from sfumato.lexicon.tokens import alternation, lazy_pattern
from sfumato.lexicon.world import UNKNOWN_POPULATION, Area, Province, Settlement, find_provinces, find_settlements

_ALL = load_toml("places", package="sfumato.generalize")
ENGLISH = load_toml("places", "en", "sfumato.generalize")
_words = partial(word_set, "places", package="sfumato.generalize")
ADMINISTRATIVE = frozenset(ENGLISH["administrative"])

# Head nouns: streets, buildings, waters and other places.


@dataclass(frozen=True, slots=True)
class Kind:
    """What a head noun says: kinds, the narrowest first, and whether a place in the name says where it is."""

    nouns: tuple[str, ...]
    is_located: bool


_COMPOUND_ENDINGS: Mapping[str, str] = _ALL["compound_endings"]
_HEADS_BEFORE_NAMES = _words("heads_before_names")
_BETWEEN_HEAD_AND_NAME = _words("between_head_and_name")
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
_TERRITORIES = _words("territories")
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
    noun = "territory" if country.code in _TERRITORIES else "country"
    return Site((noun,), world.areas_around(country.code)[1:], codes=frozenset({country.code}))


def _countries(places: Iterable[Settlement | Province]) -> set[str]:
    return {place.code[:2] for place in places}


def _of_one_country(places: Sequence[Settlement | Province]) -> frozenset[str]:
    """The codes of the places, where they are all of one country; else none."""
    return frozenset(place.code for place in places) if len(_countries(places)) == 1 else frozenset()


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
    if len(places) == 1 and places[0].is_capital and places[0].code not in _TERRITORIES:
        # With its country it would be named.
        outer = tuple(area for area in areas if len(area.countries) > 1)
        return Site(("capital city", "city"), outer, codes=frozenset({places[0].code}))
    sizes = set().union(*(_sizes(place) for place in places))
    noun = next(noun for noun, covered in _SIZES.items() if sizes <= set(covered))
    is_one_part = len({(place.code, place.part_of_country) for place in places}) == 1 and not places[0].is_asian
    if not areas and noun in ("settlement", "town or city district"):
        return None
    nouns = (noun, _WIDER[noun]) if noun in _WIDER else (noun,)
    return Site(nouns, areas, places[0].part_of_country if is_one_part else "", _of_one_country(places))


def province_site(regions: Sequence[Province]) -> Site:
    """What holds for all of them; their kind where it is one."""
    areas = common_areas([world.areas_around(place.code) for place in regions])
    kinds = {place.kind for place in regions}
    kind = kinds.pop() if len(kinds) == 1 else "region"
    wider = {"region": (), "island": (), "urban district": ("urban area",)}.get(kind, ("region",))
    return Site((kind, *wider), areas, codes=_of_one_country(regions))


# Which countries a text names.

METROPOLIS = 500_000
_FAMOUS = ((20, METROPOLIS), (5, 2 * METROPOLIS))
"""How many times larger than all others together, and how large, a city must be to be meant without saying so."""
_FAMOUS_CAPITAL = (3, CITY)
LONGEST = 7
"""Words in a name that is looked up."""
_NAME_WORD = lazy_pattern(r"[^\W\d_][\w'’.-]*")
_LOWER_IN_NAMES = frozenset({"of", "and", "the", "de", "la"})
SHORT = 3
"""Letters; so few are a code rather than a name."""
_STATES_AS_NAMES = _words("states_as_names")
_WELL_KNOWN_CITIES = _words("well_known_cities")
AMBIGUOUS_COUNTRIES = _words("ambiguous_countries")


_MARKS = load_toml("country_marks", package="sfumato.generalize")
_CALLING_CODE = lazy_pattern(r"(?<![\w+])\+(\d{2,3})(?!\d)|(?<![\w+])\+(\d{2})(?=\d)")
_COUNTRY_OF_WORD = {word: code for code, listed in _MARKS["words"].items() for word in listed}
_COUNTRY_WORD = lazy_pattern(rf"(?<!\w)(?:{alternation(sorted(_COUNTRY_OF_WORD, key=len, reverse=True))})(?!\w)")
_COUNTRY_PATTERNS = tuple((code, lazy_pattern("|".join(marks))) for code, marks in _MARKS["patterns"].items())
_MAY_MARK_COUNTRY = lazy_pattern(_MARKS["may_mark"])
_DIGIT = lazy_pattern(r"\d")
_MARK_COUNTS = 9
"""A postcode or a telephone number counts as so many names of cities: a city named once says less of the text."""


def marked_countries(text: str) -> frozenset[str]:
    """The countries that postcodes, telephone numbers, currencies and public services in a text belong to."""
    codes: set[str] = set()
    if any(map(text.__contains__, _COUNTRY_OF_WORD)):
        codes = {_COUNTRY_OF_WORD[match.group()] for match in _COUNTRY_WORD.finditer(text)}
    if _DIGIT.search(text) is None:  # which all others have
        return frozenset(codes)
    if "+" in text:
        calls = (match[1] or match[2] for match in _CALLING_CODE.finditer(text))
        codes |= {_MARKS["calling_codes"][call] for call in calls if call in _MARKS["calling_codes"]}
    if _MAY_MARK_COUNTRY.search(text) is None:
        return frozenset(codes)
    return frozenset(codes | {code for code, pattern in _COUNTRY_PATTERNS if pattern.search(text)})


_STATED_COUNTRY: ContextVar[str | None] = ContextVar("stated_country", default=None)
_STATED_COUNTS = 100
"""The country that the user states counts as so many names of cities."""


@contextmanager
def stating_country(country: str | None) -> Iterator[None]:
    """Within it, texts are read as texts of the country that the user states for a document."""
    token = _STATED_COUNTRY.set(country)
    try:
        yield
    finally:
        _STATED_COUNTRY.reset(token)


def count_countries(text: str) -> Mapping[str, int]:
    """How often a text names each country: as itself, by its people, by a city of no other, by a postcode."""
    return _count_countries(text, _STATED_COUNTRY.get())


_PARAGRAPH_END = lazy_pattern(r"\n[^\S\n]*\n")


@read_once
def _count_countries(text: str, stated: str | None) -> Mapping[str, int]:
    # A release that is read again and again while its levels are chosen differs in a few paragraphs.
    part = AnnotatedText(text).part
    paragraphs = [_countries_of_paragraph(part(paragraph)) for paragraph in _PARAGRAPH_END.split(text)]
    marked = sorted({code for marks, _ in paragraphs for code in marks})
    counts = Counter[str](dict.fromkeys(marked, _MARK_COUNTS))
    if stated is not None:
        counts[stated] += _STATED_COUNTS
    for _, named in paragraphs:
        counts.update(named)
    return MappingProxyType(dict(counts))


@read_once
def _countries_of_paragraph(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The countries that marks in a paragraph belong to, and each country as often as it is named."""
    return marked_countries(text), tuple(code for run in _capitalised_runs(text) for code in _countries_in_run(run))


def _capitalised_runs(text: str) -> Iterator[str]:
    """The parts of a text from a capitalised word to the last one of them before an uncapitalised word."""
    start = end = -1
    for match in _NAME_WORD.finditer(text):
        word = match.group()
        if word[0].isupper():
            start, end = match.start() if start < 0 else start, match.end()
        elif start >= 0 and word not in _LOWER_IN_NAMES:
            yield text[start:end]
            start = -1
    if start >= 0:
        yield text[start:end]


@remember_in_run(8192)
def _countries_in_run(run: str) -> tuple[str, ...]:
    """The countries that a run of capitalised words names, the longest names first."""
    words = [(match.group(), match.start()) for match in _NAME_WORD.finditer(run)]
    countries: list[str] = []
    first = 0
    while first < len(words):
        if not words[first][0][0].isupper():
            first += 1
            continue
        end = min(len(words), first + LONGEST)
        if end - first > 1 and not world.begins_longer_name(run[words[first][1] : words[first + 1][1]]):
            end = first + 1
        codes: tuple[str, ...] = ()
        while end > first and not codes:
            end -= 1
            last, start = words[end]
            if last[0].isupper():
                name = run[words[first][1] : start + len(last)].rstrip(".,;:'’-")
                codes = _countries_named(name.removesuffix("'s").removesuffix("’s"))
        countries += codes
        first = max(first, end) + 1
    return tuple(countries)


def named_countries(text: str) -> list[str]:
    """The codes of the countries that a text names, the one it names most often first."""
    return most_named(count_countries(text))


def most_named(counts: Mapping[str, int]) -> list[str]:
    """The codes of countries, the one that is counted most often first."""
    return sorted((code for code in counts if code in world.countries()), key=lambda code: -counts[code])


@remember_in_run(8192)
def _countries_named(name: str) -> tuple[str, ...]:
    if fold_name(name) in AMBIGUOUS_COUNTRIES:
        return ()
    people = world.country_of_people(name)
    country = world.find_country(name) or world.country_of_adjective(name) or (people[0] if people else None)
    if country:
        return country.people if country.is_former else (country.code[:2],) * 2
    readings = find_settlements(name)
    codes = _countries(readings) | _countries(find_provinces(name))
    # Geneva and Strasbourg stand for the organisations that sit there.
    if not codes or is_everyday(name) or is_head(name) or name_lists.lookup_key(name) in _WELL_KNOWN_CITIES:
        return ()
    if readings and (len(codes) == 1 or is_famous(readings)) and readings[0].population >= CITY:
        return (readings[0].code[:2],)
    return tuple(codes) if not readings and len(codes) == 1 and len(name) > SHORT else ()


def is_everyday(name: str) -> bool:
    """Whether it is a word or a person's name as well, and no large city."""
    word = name_lists.lookup_key(name)
    if len(name) > SHORT and any(place.state for place in find_provinces(name)):
        return word in _STATES_AS_NAMES
    readings = find_settlements(name)
    if word in _WELL_KNOWN_CITIES:
        return False
    if readings and readings[0].population >= METROPOLIS:
        return word in name_lists.common_words() and readings[0].population < 4 * METROPOLIS
    is_surname = word in name_lists.family_names() and (not readings or readings[0].population < TOWN)
    return is_surname or word in name_lists.common_words() or word in name_lists.given_names()


def is_famous(readings: Sequence[Settlement]) -> bool:
    """Whether the first is meant wherever nothing in the text speaks against it."""
    if not readings:
        return False
    if name_lists.lookup_key(readings[0].name) in _WELL_KNOWN_CITIES:
        return True
    others = sum(max(place.population, 500) for place in readings[1:])
    bars = (*_FAMOUS, _FAMOUS_CAPITAL) if readings[0].is_capital else _FAMOUS
    return any(readings[0].population >= max(least, times * others) for times, least in bars)


# What a name stands for in a document.

_RIVAL = 5
"""A city that is so many times larger than those in the countries that the text names may be meant all the same."""
_LANDMARKS = frozenset(ENGLISH["landmarks"])
_CITY_OR_STATE = _words("city_or_state")
_FAINT = 8
"""A country that is named that many times less often than another counts as not named."""


def resolve_name(
    name: str, text: str, inside: frozenset[str] = frozenset(), wanted: str = "", state: str = ""
) -> Site | None:
    """What ``name`` is, by the countries that the text names or, more surely, those it is said to be ``inside``.

    ``wanted``: "region" or "settlement", where the words around tell; ``state``: the American one that it is in.
    """
    name = name.strip()
    if not name[:1].isupper() or len(name) > 80:
        return None
    country = world.find_country(name)
    if country and not inside and not (fold_name(name) in AMBIGUOUS_COUNTRIES and _is_state(name, text)):
        return country_site(country)
    seen = count_countries(text)
    readings = find_settlements(name) if wanted != "region" else ()
    if state:
        readings = tuple(place for place in readings if place.state == state)
    places = _likely_readings(readings, seen, inside, is_everyday(name))
    regions = find_provinces(name) if wanted != "settlement" else ()
    states = _american_states(name, regions, seen, inside)
    if inside or len(name) <= SHORT or len(_countries(regions)) > 1:
        regions = tuple(place for place in regions if place.code[:2] in (inside or seen))
    elif regions and is_everyday(name) and regions[0].code[:2] not in seen:
        regions = ()
    if states:
        return province_site(states)
    districts = tuple(place for place in regions if place.kind == "urban district")
    if any(place.kind == "state" for place in regions) and all(place.population < CITY for place in places):
        places = tuple(place for place in places if place.code not in {region.code for region in regions})
    if not (_countries(places) & seen.keys()) and _countries(regions) & seen.keys() and not is_famous(places):
        places = ()  # in a text about England, Surrey is no city of another country
    is_small = all(place.population < METROPOLIS for place in places)
    if districts and is_small and _countries(places) <= _countries(districts):
        return province_site(districts)
    if places and not inside and regions and _countries(regions) - _countries(places):
        shared = common_areas([*map(areas_of, places), *(world.areas_around(place.code) for place in regions)])
        return Site(("town or region",), shared) if shared else None
    if places:
        return settlement_site(places)
    feature = world.find_feature(name)
    if regions and feature and feature.kind in _LANDMARKS:
        return None  # the mountain, or the region that is called after it
    if regions:
        return province_site(regions)
    if feature and not inside and wanted != "settlement":
        area = world.world_regions().get(feature.area)
        return Site((feature.kind,), (area,) if area else ())
    return None


def _is_state(name: str, text: str) -> bool:
    """Whether Georgia is the American one, or nobody can tell."""
    seen = count_countries(text)
    regions = {place.code for place in find_provinces(name)}
    country = world.find_country(name)
    return bool(regions) and not (country is not None and country.code in seen and not regions & set(seen))


def _american_states(
    name: str, regions: Sequence[Province], seen: Mapping[str, int], inside: frozenset[str]
) -> tuple[Province, ...]:
    """The American state of the name, where a text that says no more can mean nothing else: California, Florida."""
    states = tuple(place for place in regions if place.state)
    if not states or len(name) <= SHORT or fold_name(name) in _CITY_OR_STATE:
        return ()
    if inside:
        return states if inside == {"US"} else ()
    is_elsewhere = any(place.code[:2] in seen for place in regions if not place.state)
    return states if "US" in seen or not is_elsewhere else ()


def resolve_in_one_country(name: str, text: str) -> Site | None:
    """Of a name of many towns, all of any size in one country: Springfield is an American one."""
    readings = find_settlements(name)
    large = tuple(place for place in readings if place.population >= TOWN)
    if len({place.code for place in large}) != 1 or len(large) < 2 or find_provinces(name):
        return None
    seen, code = count_countries(text), large[0].code
    if (_countries(readings) - {code[:2]}) & seen.keys() or (seen and code[:2] not in seen):
        return None
    return Site(("town or city",), common_areas([areas_of(place) for place in large]), codes=frozenset({code}))


def _likely_readings(
    readings: tuple[Settlement, ...], seen: Mapping[str, int], inside: frozenset[str], is_doubtful: bool
) -> tuple[Settlement, ...]:
    """The settlements that may be meant; none where that is not sure."""
    if inside:
        return _largest_or_all(tuple(place for place in readings if place.code[:2] in inside))
    supported = [place for place in readings if place.code[:2] in seen]
    if supported:
        most = max(seen[place.code[:2]] for place in supported)
        likely = tuple(place for place in supported if seen[place.code[:2]] * _FAINT >= most)
        # A city abroad may be named without its country, even in a text about another.
        rivals = [place for place in readings if place not in likely and place.population >= CITY]
        rivals = [place for place in rivals if place.population > _RIVAL * likely[0].population or place.is_capital]
        if rivals:
            return (*rivals, *likely)
        return likely[:1] if is_famous(likely) else _largest_or_all(likely)
    if is_doubtful:
        return ()
    if is_famous(readings):
        return readings[:1]
    if seen:
        return readings if len({place.code for place in readings}) == 1 and readings[0].population >= CITY else ()
    # Without a country in the text a small place may be one that no table has.
    least = VILLAGE if len(_countries(readings)) == 1 and len(readings) == 1 else CITY
    return readings if readings and readings[0].population >= least else ()


def _largest_or_all(readings: tuple[Settlement, ...]) -> tuple[Settlement, ...]:
    """The first alone, where it is far larger than all others in the countries in question."""
    others = sum(max(place.population, 500) for place in readings[1:])
    return readings[:1] if readings and readings[0].population >= max(CITY, 20 * others) else readings


def countries_of(name: str) -> frozenset[str]:
    """All countries that have a place of the name."""
    country = world.find_country(name)
    codes = {country.code[:2]} if country and not country.is_former else set()
    return frozenset(codes | _countries(find_settlements(name)) | _countries(find_provinces(name)))


# Phrases around names.

_REGION_WORDS = "|".join(ENGLISH["regions"])
_COMPASS = lazy_pattern(
    r"(?:the )?(?:(?:north|south|east|west|north-?east|north-?west|south-?east|south-?west|cent(?:re|er)|middle|"
    r"mid-?\w*|upper|lower)(?:ern|-ern)?|central|inner|outer|far \w+)(?: part)?(?: of)? (?P<name>.+)",
    re.I,
)
_ADDRESS = lazy_pattern(
    r"(?:(?:flat|apartment|unit|no\.?|nº|number|room|house|block)\s*)?\d+\s?[A-Za-z]?(?:[/-]\d+)?[,\s]+(?=\D)", re.I
)
_NUMBER_LAST = lazy_pattern(r"[,\s]+(?:n[º°o.]+\s*)?\d+\s?[A-Za-z]?(?:[/-]\d+)?$")
_POSTCODE = lazy_pattern(r"\b(?:[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}|(?:[A-Z]{1,2}-)?\d{4,6}(?:-\d{3,4})?)\b")
_SPLIT = lazy_pattern(r"\s*[,;(]\s*|\s+(?:in|near)\s+(?=(?:the )?[^\Wa-z\d_])")
_PART_OF = lazy_pattern(rf" (?:{'|'.join(ENGLISH['parts'])}) of (?=(?:the )?[^\Wa-z\d_])")
_REGION_AFTER = lazy_pattern(rf"\s*(?:{_REGION_WORDS})\b", re.I)
_REGION_BEFORE = lazy_pattern(rf"\b(?:{_REGION_WORDS})s? of (?:the )?$", re.I)
_OUTSIDE = lazy_pattern(
    r"(?:,\s+|\s+\(|,?\s+in\s+)(?:the )?(?P<outer>[A-ZÀ-Þ][\w.'’-]*(?: (?:and )?[A-ZÀ-Þ][\w.'’-]*){0,2})"
)
_LISTED = lazy_pattern(r"\s*(?:,|and|or|,\s*and)\s+(?:the )?(?P<next>[A-ZÀ-Þ][\w.-]*(?: [A-ZÀ-Þ][\w.-]*)?)")
_WASHINGTON = lazy_pattern(r"Washington,? D\.?\s?C\.?")
_SAINT = lazy_pattern(rf"(?:{'|'.join(_ALL['saints'])})\b")
_SHRINE = lazy_pattern(rf"\b(?:{'|'.join(_ALL['shrines'])}) of (?:the )?$", re.I)
_STATE = lazy_pattern(r"[A-Z]\. ?[A-Z]\.?")
_LONG = 5
"""Words; so many are more than the name of a place."""
_FEDERAL = _words("federal")
_LIVED_IN = frozenset({"city", "town", "town or city", "town or village", "city or urban district"})


def read(phrase: str, text: str, before: str = "", after: str = "") -> Site | None:
    """What a phrase says of a place; None where any of it cannot be read."""
    if _WASHINGTON.fullmatch(phrase):
        return resolve_name("Washington", text, frozenset({"US"}), "settlement", "DC")
    if _STATE.fullmatch(phrase) and (state := _state_of_code(phrase.replace(".", "").replace(" ", ""))):
        return province_site([state])
    if _SAINT.match(phrase) and _SHRINE.search(before[-40:]):
        return None
    if after and (site := _beside(phrase, text, after)):
        return site
    is_region = _REGION_AFTER.match(after[:20]) or _REGION_BEFORE.search(before[-30:])
    if is_region and (site := resolve_name(phrase, text, wanted="region")):
        return site
    if site := resolve_name(phrase.removeprefix("the ").removeprefix("The "), text):
        return site.within(("region",)) if is_region and site.nouns[0] not in ("country", "territory") else site
    if (match := _COMPASS.fullmatch(phrase)) and (phrase[0].islower() or not countries_of(phrase)):
        return _side(match["name"], text)
    return _composite(phrase, text) or _by_head(phrase, text)


def _state_of_code(code: str) -> Province | None:
    return next((province for province in world.all_provinces() if province.state == code), None)


def _beside(name: str, text: str, after: str) -> Site | None:
    """By the country or American state that follows: "[Canton], Ohio", "[Ried] (Austria)", "[Sambek] in Russia"."""
    match = _OUTSIDE.match(after[:80])
    if match is None or world.find_country(name) or any(province.state for province in find_provinces(name)):
        return None
    words = match["outer"].split()
    for size in range(len(words), 0, -1):
        outer = " ".join(words[:size]).rstrip(".,'’")
        if len(outer) <= SHORT and not outer.isupper():
            continue  # "Ms" is no Mississippi
        country = world.find_country(outer)
        states = [province.state for province in find_provinces(outer) if province.state]
        if country is None and not states:
            continue
        rest = after[match.start("outer") + len(outer) :]
        if (listed := _LISTED.match(rest)) and world.find_country(listed["next"]):
            return None  # countries in a row
        code = "US" if states and (country is None or country.code == "GE") else country.code if country else ""
        if country and country.is_former:
            return None
        is_sure = not match[0].startswith(",") or not countries_of(name)
        return _within(name, text, code, states[0] if code == "US" and states else "", is_sure)
    return None


def _within(name: str, text: str, code: str, state: str, is_sure: bool) -> Site | None:
    """What lies in a country or a state; ``is_sure``: that it does, though no table has it there."""
    site = resolve_name(name, text, frozenset({code[:2]}), state=state)
    if site is not None:
        return site
    if parsed := read_head(name):
        return Site(parsed[0].nouns, world.areas_around(code))
    is_name = name[:1].isupper() and not any(map(str.isdigit, name)) and len(name.split()) < _LONG
    return Site(("place",), world.areas_around(code)) if is_sure and is_name else None


def _side(name: str, text: str) -> Site | None:
    """The north of a country, of a region or of a city."""
    country = world.find_country(name)
    if country and not country.is_former:
        # "North Jersey" and "South Georgia" may be elsewhere.
        is_sure = country.code != "JE" and (country.code != "GE" or "GE" in count_countries(text))
        return Site(("region",), world.areas_around(country.code)) if is_sure else None
    inner = resolve_name(name, text)
    if inner is None or not inner.areas:
        return None
    is_urban = bool(_LIVED_IN & {*inner.nouns})
    return Site((f"area in a {inner.nouns[0]}", "urban area") if is_urban else ("region",), inner.areas)


def _composite(phrase: str, text: str) -> Site | None:
    """ "Gdynia, Poland"; "Başkale (Van)"; "12 Mill Lane, Leeds LS1 4AP"; "a prison in Izmir"."""
    phrase = _PART_OF.sub(", ", phrase)
    pieces = [piece for piece in _SPLIT.split(_POSTCODE.sub("", phrase).replace(")", "")) if piece.strip()]
    has_number = bool(_ADDRESS.match(phrase)) or any(_NUMBER_LAST.search(piece) for piece in pieces)
    if has_number:
        pieces = [_NUMBER_LAST.sub("", _ADDRESS.sub("", piece)) for piece in pieces]
        pieces = [piece for piece in pieces if piece.strip() and not piece.strip().isdigit()]
    if any(piece.strip()[:1].islower() for piece in pieces[1:]):
        return None
    if len(pieces) < 2:
        if has_number and pieces and (site := _by_head(pieces[0], text)):
            return site.within(("address",))
        return None
    codes, state, outer = _outer(pieces, text)
    if not codes:
        return None
    inner = resolve_name(pieces[0], text, codes, state=state)
    if inner is not None and not has_number:
        # Two cities are a list, not a place and what it is in.
        return None if "city" in inner.nouns and outer is not None and _LIVED_IN & {*outer.nouns} else inner
    if outer is None:
        return None
    parsed = read_head(pieces[0])
    nouns = ("address",) if has_number else parsed[0].nouns if parsed else ("place",)
    return _inside(nouns, outer)


def _outer(pieces: list[str], text: str) -> tuple[frozenset[str], str, Site | None]:
    """The country that the last pieces of a phrase tell, the American state, and the narrowest place they name."""
    codes: frozenset[str] = frozenset()
    state = ""
    outer: Site | None = None
    for place in reversed(pieces[1:]):
        states = [province.state for province in find_provinces(place) if province.state]
        is_american = codes <= {"US"} and bool(states)
        if is_american:
            state = states[0]
        country = world.find_country(place)
        if country and not country.is_former and not (is_american and not codes):
            site: Site | None = Site(("country",), world.areas_around(country.code), codes=frozenset({country.code}))
        else:
            wanted = "region" if is_american else ""
            site = resolve_name(place, text, codes, wanted, state if codes and not is_american else "")
        place_codes = _codes(site) if site else frozenset()
        # Two names that only one country has both of tell it as well as its name does.
        if not place_codes and len(both := countries_of(place) & (codes or countries_of(pieces[0]))) == 1:
            place_codes, site = both, resolve_name(place, text, both)
        codes = place_codes or codes
        outer = site or outer
    return codes, state, outer


def _codes(site: Site) -> frozenset[str]:
    """The country that a site is in."""
    return frozenset(code[:2] for code in site.codes)


def _inside(nouns: tuple[str, ...], outer: Site) -> Site:
    """Something in a city: "street in a large city" in the same areas."""
    if not _LIVED_IN & {*outer.nouns} or not outer.areas:
        return outer.within(nouns)
    article = "an" if outer.nouns[-1][0] in "aeiou" else "a"
    return outer.within((f"{nouns[0]} in {article} {outer.nouns[0]}", *nouns))


def _by_head(phrase: str, text: str) -> Site | None:
    parsed = read_head(phrase.removeprefix("the ").removeprefix("The "))
    if parsed is None or not any(letter.isupper() for letter in phrase):
        return None
    kind, name = parsed
    site = None
    if kind.nouns[-1] == "public road" and any(map(str.isdigit, phrase)):
        kind = Kind(("address",), kind.is_located)
    if kind.nouns[0] in ADMINISTRATIVE:
        site = resolve_name(name, text, wanted="region") or resolve_name(name, text)
    elif kind.is_located or kind.nouns[0] in ("village", "town", "city"):
        site = resolve_name(name, text, wanted="settlement")
    elif kind.nouns[-1] == "urban area":
        site = resolve_name(name, text)
    if kind.nouns[0] == "state" and site is not None and not _codes(site) <= _FEDERAL:
        return None
    if site is None or not (
        site.nouns[-1] in ("city", "region", "urban area") or _codes(site) & count_countries(text).keys()
    ):
        return Site(kind.nouns, ())
    return Site(kind.nouns, site.areas)
