"""Gazetteer: countries and their people, subregions and continents, cities, provinces, rivers and seas.

Subregions are those of the UN's M49 standard, under the names that readers know ("Southeast Asia"). Names are matched
as a whole, without case and accents. The tables are made by ``training/build_places.py`` and ``build_countries.py``;
licences in ``data/SOURCES.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from heapq import merge
from itertools import chain, takewhile
from types import MappingProxyType
from typing import NamedTuple

from sfumato.lexicon import tables
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.tables import fold_name

# Countries, the subregions and continents they belong to, and their people.


@dataclass(frozen=True, slots=True)
class Area:
    """A country or a part of the world, as something can lie in it."""

    name: str
    """As it is written in a sentence: "the Netherlands"."""
    adjective: str | None
    countries: frozenset[str]


@dataclass(frozen=True, slots=True)
class Country:
    """A country, a territory or, with a small ``x`` in its code, a former state."""

    code: str
    name: str
    other_names: tuple[str, ...]
    adjectives: tuple[str, ...]
    people: tuple[str, ...]
    subregion: str
    population: int
    frequency: float
    foreign_names: Mapping[str, str] = field(compare=False)
    """Language -> its name there."""

    @property
    def is_former(self) -> bool:
        return self.code.startswith("x")

    @property
    def name_without_article(self) -> str:
        return self.name.removeprefix("the ")


@dataclass(frozen=True, slots=True)
class Subregion:
    """A part of a continent."""

    continent: str
    adjective: str


LANGUAGES_OF_ADJECTIVES = frozenset({"en"})
"""Languages in which the tables have adjectives and nationalities of places."""
_FOREIGN_NAMES = ("es",)
"""Languages of the last columns of the table of countries, which have their names."""
_REGIONS = tables.load_toml("world_regions", "en")
SUBREGIONS: Mapping[str, Subregion] = MappingProxyType(
    {name: Subregion(**fields) for name, fields in _REGIONS["subregions"].items()}
)
_CONTINENTS: Mapping[str, str | None] = {name: adjective or None for name, adjective in _REGIONS["continents"].items()}


@cache
def countries() -> Mapping[str, Country]:
    """Countries by their code (ISO 3166; ``GB-ENG`` and the like for the parts of the United Kingdom)."""
    by_code = {}
    for code, name, others, adjectives, people, part, population, frequency, *foreign in tables.table_rows("countries"):
        lists = [tuple(filter(None, field.split(";"))) for field in (others, adjectives, people)]
        foreign_names = {language: name for language, name in zip(_FOREIGN_NAMES, foreign, strict=True) if name}
        by_code[code] = Country(
            code, name, lists[0], lists[1], lists[2], part, int(population), float(frequency), foreign_names
        )
    return MappingProxyType(by_code)


@cache
def _codes_by_name() -> Mapping[str, str]:
    codes: dict[str, str] = {}
    for country in countries().values():
        names = country.other_names if country.is_former else (country.name, *country.other_names)
        codes.update({fold_name(name): country.code for name in names})
    for country in countries().values():
        for name in country.foreign_names.values():
            codes.setdefault(fold_name(name), country.code)
    return MappingProxyType(codes)


@cache
def _codes_by_adjective() -> Mapping[str, str]:
    return MappingProxyType(
        {fold_name(word): country.code for country in countries().values() for word in country.adjectives}
    )


@cache
def _people() -> Mapping[str, tuple[str, bool]]:
    codes: dict[str, tuple[str, bool]] = {}
    for country in countries().values():
        if country.is_former or not country.people:
            nouns = [(word, people_plural(word)) for word in country.adjectives]
        else:
            names = [name.replace("_", " ") for name in country.people]
            nouns = list(zip(names[::2], [*names[1::2], ""], strict=False))
        for singular, plural in nouns:
            codes[fold_name(singular)] = (country.code, False)
            if plural and fold_name(plural) != fold_name(singular):
                codes[fold_name(plural)] = (country.code, True)
    return MappingProxyType(codes)


def people_plural(noun: str) -> str:
    """The plural of a people's name that is an adjective too: the Germans, the Chinese."""
    return noun if noun.endswith(("ese", "ish", "ch", "sh", "ss", "ois", "Myanmar")) else noun + "s"


def find_country(name: str) -> Country | None:
    """The country that a name, with or without "the", stands for; never by its people."""
    folded = fold_name(name)
    code = _codes_by_name().get(folded) or _codes_by_name().get(folded.replace(".", ""))
    return countries()[code] if code else None


def country_of_adjective(word: str) -> Country | None:
    """The country of "Turkish"."""
    code = _codes_by_adjective().get(fold_name(word))
    return countries()[code] if code else None


def country_of_people(word: str) -> tuple[Country, bool] | None:
    """The country of "Swede" or "Swedes", and whether the word is the plural."""
    entry = _people().get(fold_name(word))
    return (countries()[entry[0]], entry[1]) if entry else None


def name_in_sentence(subregion: str) -> str:
    """A subregion as it is written in a sentence: "the Caribbean"."""
    return f"the {subregion}" if subregion in _REGIONS["with_article"] else subregion


def area_names(language: str) -> dict[str, str]:
    """Names of subregions, continents and countries in another language, by their English name in a sentence."""
    regions = tables.load_toml("world_regions", language)["names"]
    names = {name_in_sentence(english): name for english, name in regions.items()}
    lands = countries().values()
    return names | {land.name: land.foreign_names[language] for land in lands if language in land.foreign_names}


@cache
def world_regions() -> Mapping[str, Area]:
    """Subregions and continents, by their name in a sentence."""
    members: dict[str, set[str]] = {}
    for country in countries().values():
        if country.subregion in SUBREGIONS and "-" not in country.code:
            members.setdefault(name_in_sentence(country.subregion), set()).add(country.code)
            members.setdefault(SUBREGIONS[country.subregion].continent, set()).add(country.code)
    adjectives = dict(_CONTINENTS)
    adjectives |= {name_in_sentence(name): subregion.adjective for name, subregion in SUBREGIONS.items()}
    return MappingProxyType({name: Area(name, adjectives[name], frozenset(codes)) for name, codes in members.items()})


@cache
def continent_pairs() -> Mapping[str, Area]:
    """Two continents together, by their adjective: for nationalities that their continent would give away."""
    areas = {}
    for first, second in (("Europe", "Asia"), ("Africa", "Asia")):
        adjective = f"{_CONTINENTS[first]} or {_CONTINENTS[second]}"
        codes = world_regions()[first].countries | world_regions()[second].countries
        areas[adjective] = Area(f"{first} or {second}", adjective, codes)
    return MappingProxyType(areas)


@cache
def sea_coasts() -> Mapping[str, Area]:
    """Seas, each with the countries on it. A country lies on a sea, its cities may not."""
    return MappingProxyType(
        {
            name: Area(name, sea["adjective"], frozenset(sea["countries"].split()))
            for name, sea in _REGIONS["seas"].items()
        }
    )


def former_areas(country: Country) -> tuple[Area, ...]:
    """What a former state lay in, as far as that is one continent."""
    if area := world_regions().get(country.name):
        return (area, world_regions()[SUBREGIONS[country.name].continent])
    if country.name == "Central Europe":
        return (Area(country.name, "Central European", frozenset(country.people)), world_regions()["Europe"])
    return ()


@cache
def areas_around(code: str) -> tuple[Area, ...]:
    """A country and what it lies in, the smallest first: Turkey, Western Asia, Asia."""
    country = countries().get(code)
    if country is None or country.subregion not in SUBREGIONS:
        return ()
    area = Area(country.name, country.adjectives[0] if country.adjectives else None, frozenset({code}))
    if "-" in code:
        return (area, *areas_around(code[:2]))
    subregion = world_regions()[name_in_sentence(country.subregion)]
    return (area, subregion, world_regions()[SUBREGIONS[country.subregion].continent])


# The country that a name, a people, a city, a region, a web address or a phone number belongs to, as its name.

_GENERIC_COUNTRY_DOMAINS = frozenset("co io ai me tv cc fm ly to ws".split())
"""Country endings of web addresses that are used all over the world."""


def _name_key(phrase: str) -> str:
    return lookup_key(phrase.strip()).removeprefix("the ").strip()


@cache
def _names_by_code() -> Mapping[str, str]:
    return MappingProxyType({code: name.removeprefix("The ") for code, name, _ in tables.table_rows("country_names")})


@cache
def _names_by_phrase() -> Mapping[str, str]:
    names = {}
    for _, name, others in tables.table_rows("country_names"):
        names.update({_name_key(other): name.removeprefix("The ") for other in (name, *others.split(";")) if other})
    return MappingProxyType(names)


@cache
def _names_by_place() -> Mapping[str, str]:
    return MappingProxyType({name: _names_by_code()[code] for name, code in tables.table_rows("place_countries")})


def country_name_of(phrase: str) -> str | None:
    """The country that a phrase names, itself or by its people: ``country_name_of("Dutch") == "Netherlands"``."""
    return _names_by_phrase().get(_name_key(phrase))


def country_name_of_place(place: str) -> str | None:
    """The country that a city or region lies in; of cities that share a name, that of the largest."""
    return _names_by_place().get(lookup_key(place.strip()))


def country_name_of_code(code: str) -> str | None:
    """The country of a code of two letters (ISO 3166); UK counts as one."""
    return _names_by_code().get("GB" if code.upper() == "UK" else code.upper())


def country_name_of_domain(domain: str) -> str | None:
    """The country that the ending of a web or mail address stands for."""
    ending = domain.rpartition(".")[2].casefold()
    return None if ending in _GENERIC_COUNTRY_DOMAINS or len(ending) != 2 else country_name_of_code(ending)


def country_name_of_phone(number: str) -> str | None:
    """The country of a phone number in international form, by its country code alone, unchecked."""
    digits = "+" + "".join(filter(str.isdigit, number))
    if not number.lstrip("( ").startswith(("+", "00")):
        return None
    import phonenumbers  # slow to import, and few texts need it

    try:
        parsed = phonenumbers.parse(digits.replace("+00", "+"), None)
    except phonenumbers.NumberParseException:
        return None
    if parsed.country_code in (None, 1):  # half a continent shares +1
        return None
    return country_name_of_code(phonenumbers.region_code_for_country_code(parsed.country_code))


# Cities, towns, villages, provinces, rivers and other features.

UNKNOWN_POPULATION = -1
_VILLAGE = re.compile(r"(?P<code>[A-Z]{2}(?:-[A-Z]{3})?)(?:\.(?P<state>[A-Z]{2}))?(?P<size>[vs?])(?P<mark>.*)")
_ONE_WORD = re.compile(r"[\w'’.-]+")
_VILLAGE_POPULATIONS = {"v": 2_000, "s": 8_000, "?": UNKNOWN_POPULATION}
PARTS_OF_COUNTRY = MappingProxyType(
    {"N": "northern", "S": "southern", "E": "eastern", "W": "western", "C": "central"}
    | {"NE": "north-eastern", "NW": "north-western", "SE": "south-eastern", "SW": "south-western"}
)


@cache
def _part_of_country(mark: str) -> str:
    return PARTS_OF_COUNTRY.get("".join(letter for letter in mark if letter.isupper()), "")


class Settlement(NamedTuple):
    """A city, a town or a village."""

    name: str
    code: str
    state: str
    population: int
    """``UNKNOWN_POPULATION`` where no source says; of small places a rough figure."""
    mark: str
    """Signs of the table that the properties below read."""

    @property
    def part_of_country(self) -> str:
        """The part of its country that it surely lies in: "northern", or nothing."""
        return _part_of_country(self.mark)

    @property
    def may_be_district(self) -> bool:
        """Whether a far larger city is so near that it may belong to it."""
        return "*" in self.mark

    @property
    def is_capital(self) -> bool:
        return "!" in self.mark

    @property
    def may_be_on_other_continent(self) -> bool:
        """Whether it may lie on another continent than its country."""
        return "u" in self.mark or "a" in self.mark

    @property
    def is_asian(self) -> bool:
        return "a" in self.mark


class Province(NamedTuple):
    """A region of a country; ``state`` is its short form in the United States."""

    name: str
    code: str
    kind: str
    state: str = ""


class Feature(NamedTuple):
    """A sea, a river, a mountain, a part of the world; ``area`` is its continent, if it is in one."""

    name: str
    kind: str
    area: str


def towns() -> tuple[Settlement, ...]:
    """Cities and towns of 15,000 people or more, the largest first."""
    return tuple(map(town_at, range(town_count())))


def town_count() -> int:
    return len(_town_lines())


@cache
def town_at(number: int) -> Settlement:
    """The town on a line of the table, where the largest stand first."""
    name, code, state, size, mark = _town_lines()[number].split("\t")
    return Settlement(name, code, state, int(size), mark)


def towns_of(has_code: Callable[[str], bool], among: int | None = None) -> Iterator[Settlement]:
    """Those in the countries, or parts of countries, that are asked for, the largest first.

    ``among``: of so many of the largest of the world.
    """
    codes = frozenset(filter(has_code, _towns_by_code()))
    if len(codes) > _MANY_COUNTRIES:
        numbers: Iterable[int] = (number for number, code in enumerate(_town_codes()) if code in codes)
    else:
        numbers = merge(*(_towns_by_code()[code] for code in codes))
    return map(town_at, numbers if among is None else takewhile(among.__gt__, numbers))


@cache
def _town_lines() -> list[str]:
    return tables.table_lines("towns")


_MANY_COUNTRIES = 8
"""For more of them, the table is read from its beginning rather than the lists of the countries merged."""


@cache
def _town_codes() -> list[str]:
    return [line.split("\t", 2)[1] for line in _town_lines()]


@cache
def _towns_by_code() -> Mapping[str, list[int]]:
    numbers: dict[str, list[int]] = {}
    for number, code in enumerate(_town_codes()):
        numbers.setdefault(code, []).append(number)
    return MappingProxyType(numbers)


def village_rows() -> Iterator[tuple[str, str]]:
    """Small places: a folded name, and the codes of the countries that have it (with more)."""
    for line in tables.sorted_table("villages").lines:
        name, _, codes = line.partition("\t")
        yield name, codes


def villages_of(code: str) -> Iterator[tuple[str, Iterator[Settlement]]]:
    """The folded names of small places that may be in a country, each with all that has the name there."""
    rows = (line.partition("\t") for line in tables.sorted_table("villages").lines if code in line)
    return ((name, _settlements_in(code, name, entries)) for name, _, entries in rows if code in entries)


def _settlements_in(code: str, folded: str, entries: str) -> Iterator[Settlement]:
    """Those in a country, given what the table of villages says of their name."""
    there = (entry for entry in entries.split(";") if entry.startswith(code))
    yield from (village for entry in there if (village := _village(folded, entry)) and village.code == code)
    yield from (town for town in _towns_named(folded) if town.code == code)


def _village(name: str, entry: str) -> Settlement | None:
    match = _VILLAGE.fullmatch(entry)
    if match is None:
        return None
    population = _VILLAGE_POPULATIONS[match["size"]]
    return Settlement(name, match["code"], match["state"] or "", population, match["mark"])


def _towns_named(folded: str) -> Iterator[Settlement]:
    return map(town_at, tables.sorted_table("town_names").numbers(folded))


@cache
def _provinces_by_name() -> Mapping[str, tuple[Province, ...]]:
    by_name: dict[str, list[Province]] = {}
    for *row, folded in tables.table_rows("provinces"):
        by_name.setdefault(folded, []).append(Province(*row))
    return MappingProxyType({name: tuple(provinces) for name, provinces in by_name.items()})


@cache
def _features() -> Mapping[str, Feature]:
    rows = tables.table_rows("features")
    return MappingProxyType({fold_name(name): Feature(name, kind, area) for name, kind, area in rows})


@lru_cache(maxsize=4096)
def find_settlements(name: str) -> tuple[Settlement, ...]:
    """All that have the name, the largest first."""
    return settlements_listed(name, fold_name(name))


def settlements_listed(name: str, folded: str) -> tuple[Settlement, ...]:
    """Those that the tables list under a folded name; not kept, for where whole lists of names are looked up."""
    entries = tables.sorted_table("villages").get(folded)
    villages = [village for entry in entries.split(";") if (village := _village(name, entry))] if entries else []
    return (*_towns_named(folded), *sorted(villages, key=lambda village: -village.population))


@lru_cache(maxsize=4096)
def begins_longer_name(word_and_gap: str) -> bool:
    """Whether a country, a people, a region or a settlement may have a name that goes on after a word.

    It spares looking up every run of words in a text. ``word_and_gap``: the word, and all that stands before the next.
    """
    word = word_and_gap.rstrip()
    if word == word_and_gap or _ONE_WORD.fullmatch(word) is None:
        return True  # signs or numbers are between the words
    beginning = fold_name(f"{word} x")[:-1]
    first = beginning.partition(" ")[0]
    if not first or not _first_words_of_names().isdisjoint((first, first.replace(".", ""))):
        return True
    return any(tables.sorted_table(table).has_beginning(beginning) for table in ("town_names", "villages"))


@cache
def _first_words_of_names() -> frozenset[str]:
    names = (*_codes_by_name(), *_codes_by_adjective(), *_people(), *_provinces_by_name())
    return frozenset([first for first, space, _ in [name.partition(" ") for name in names] if space])


def find_provinces(name: str) -> tuple[Province, ...]:
    """The states, provinces, counties and other regions that have the name."""
    return _provinces_by_name().get(fold_name(name), ())


@cache
def all_provinces() -> tuple[Province, ...]:
    return tuple(chain.from_iterable(_provinces_by_name().values()))


def find_feature(name: str) -> Feature | None:
    """The sea, river, mountain or part of the world that has the name."""
    return _features().get(fold_name(name))


def all_features() -> tuple[Feature, ...]:
    return tuple(_features().values())
