"""Countries, their people, and the parts of the world they lie in.

Parts of the world are those of the UN's M49 standard, under the names that readers know ("Southeast Asia").
Made by ``training/build_places.py``; licences in ``data/SOURCES.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

import phonenumbers

from sfumato.lexicon import tables
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.tables import fold_name


@dataclass(frozen=True, slots=True)
class Area:
    """A country or a part of the world, as something can lie in it."""

    name: str
    """As it stands in a sentence: "the Netherlands"."""
    adjective: str | None
    countries: frozenset[str]


@dataclass(frozen=True, slots=True)
class Country:
    """A country, a territory or, with a small ``x`` in its code, a state that is no more."""

    code: str
    name: str
    others: tuple[str, ...]
    adjectives: tuple[str, ...]
    people: tuple[str, ...]
    part: str
    population: int
    frequency: float
    spanish: str

    @property
    def is_former(self) -> bool:
        return self.code.startswith("x")

    @property
    def bare(self) -> str:
        return self.name.removeprefix("the ")


SUBREGIONS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "Eastern Europe": ("Europe", "Eastern European", "Europa Oriental"),
        "Northern Europe": ("Europe", "Northern European", "Europa del Norte"),
        "Southern Europe": ("Europe", "Southern European", "Europa del Sur"),
        "Western Europe": ("Europe", "Western European", "Europa Occidental"),
        "Western Asia": ("Asia", "Western Asian", "Asia Occidental"),
        "Central Asia": ("Asia", "Central Asian", "Asia Central"),
        "East Asia": ("Asia", "East Asian", "Asia Oriental"),
        "Southeast Asia": ("Asia", "Southeast Asian", "Sudeste Asiático"),
        "South Asia": ("Asia", "South Asian", "Asia del Sur"),
        "North Africa": ("Africa", "North African", "África del Norte"),
        "East Africa": ("Africa", "East African", "África Oriental"),
        "Central Africa": ("Africa", "Central African", "África Central"),
        "Southern Africa": ("Africa", "Southern African", "África Austral"),
        "West Africa": ("Africa", "West African", "África Occidental"),
        "North America": ("the Americas", "North American", "América del Norte"),
        "Central America": ("the Americas", "Central American", "América Central"),
        "Caribbean": ("the Americas", "Caribbean", "Caribe"),
        "South America": ("the Americas", "South American", "América del Sur"),
        "Australasia": ("Oceania", "Australasian", "Australasia"),
        "Melanesia": ("Oceania", "Melanesian", "Melanesia"),
        "Micronesia": ("Oceania", "Micronesian", "Micronesia"),
        "Polynesia": ("Oceania", "Polynesian", "Polinesia"),
    }
)
"""A part of the world -> its continent, its adjective, its Spanish name."""
CONTINENTS: Mapping[str, tuple[str | None, str]] = MappingProxyType(
    {
        "Europe": ("European", "Europa"),
        "Asia": ("Asian", "Asia"),
        "Africa": ("African", "África"),
        "the Americas": (None, "América"),  # "American" is the adjective of one country
        "Oceania": (None, "Oceanía"),
    }
)
_WITH_ARTICLE = frozenset({"Caribbean"})
_SHORES = {
    "the Mediterranean": (
        "Mediterranean", "AL BA CY DZ EG ES FR GR HR IL IT LB LY MA MC ME MT PS SI SY TN TR".split()
    ),
}  # fmt: skip


@cache
def countries() -> Mapping[str, Country]:
    """Countries by their code (ISO 3166; ``GB-ENG`` and the like for the parts of the United Kingdom)."""
    found = {}
    for code, name, others, adjectives, people, part, population, frequency, spanish in tables.table_rows("lands"):
        lists = [tuple(filter(None, field.split(";"))) for field in (others, adjectives, people)]
        found[code] = Country(
            code, name, lists[0], lists[1], lists[2], part, int(population), float(frequency), spanish
        )
    return MappingProxyType(found)


@cache
def _places_by_name() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for land in countries().values():
        names = land.others if land.is_former else (land.name, *land.others)
        found.update({fold_name(name): land.code for name in names})
    for land in countries().values():
        if land.spanish:
            found.setdefault(fold_name(land.spanish), land.code)
    return MappingProxyType(found)


@cache
def _adjectives() -> Mapping[str, str]:
    return MappingProxyType({fold_name(word): land.code for land in countries().values() for word in land.adjectives})


def people_plural(noun: str) -> str:
    """Of a people's name that is an adjective too: the Germans, the Chinese."""
    return noun if noun.endswith(("ese", "ish", "ch", "sh", "ss", "ois", "Myanmar")) else noun + "s"


@cache
def _people() -> Mapping[str, tuple[str, bool]]:
    found: dict[str, tuple[str, bool]] = {}
    for land in countries().values():
        if land.is_former or not land.people:
            nouns = [(word, people_plural(word)) for word in land.adjectives]
        else:
            names = [name.replace("_", " ") for name in land.people]
            nouns = list(zip(names[::2], [*names[1::2], ""], strict=False))
        for one, many in nouns:
            found[fold_name(one)] = (land.code, False)
            if many and fold_name(many) != fold_name(one):
                found[fold_name(many)] = (land.code, True)
    return MappingProxyType(found)


def find_country(name: str) -> Country | None:
    """The country that a name, with or without "the", stands for; never by its people."""
    folded = fold_name(name)
    code = _places_by_name().get(folded) or _places_by_name().get(folded.replace(".", ""))
    return countries()[code] if code else None


def country_of_adjective(word: str) -> Country | None:
    """The country of "Turkish"."""
    code = _adjectives().get(fold_name(word))
    return countries()[code] if code else None


def country_of_people(word: str) -> tuple[Country, bool] | None:
    """The country of "Swede" or "Swedes", and whether it is the plural."""
    found = _people().get(fold_name(word))
    return (countries()[found[0]], found[1]) if found else None


def name_in_sentence(part: str) -> str:
    """A part of the world as it stands in a sentence: "the Caribbean"."""
    return f"the {part}" if part in _WITH_ARTICLE else part


@cache
def world_regions() -> Mapping[str, Area]:
    """Parts of the world and continents, by the name that they have in a sentence."""
    members: dict[str, set[str]] = {}
    for land in countries().values():
        if land.part in SUBREGIONS and "-" not in land.code:
            members.setdefault(name_in_sentence(land.part), set()).add(land.code)
            members.setdefault(SUBREGIONS[land.part][0], set()).add(land.code)
    adjectives = {name_in_sentence(part): SUBREGIONS[part][1] for part in SUBREGIONS} | {
        name: adjective for name, (adjective, _) in CONTINENTS.items()
    }
    return MappingProxyType({name: Area(name, adjectives[name], frozenset(codes)) for name, codes in members.items()})


@cache
def continent_pairs() -> Mapping[str, Area]:
    """Two continents together: what is left to say of a nationality that its continent would give away."""
    found = {}
    for one, other in (("Europe", "Asia"), ("Africa", "Asia")):
        adjective = f"{CONTINENTS[one][0]} or {CONTINENTS[other][0]}"
        found[adjective] = Area(
            f"{one} or {other}", adjective, world_regions()[one].countries | world_regions()[other].countries
        )
    return MappingProxyType(found)


@cache
def sea_coasts() -> Mapping[str, Area]:
    """Seas, each with the countries on it. A country lies on a sea, its cities may not."""
    return MappingProxyType(
        {name: Area(name, adjective, frozenset(codes)) for name, (adjective, codes) in _SHORES.items()}
    )


def former_areas(land: Country) -> tuple[Area, ...]:
    """What a state that is no more lay in, as far as that is one continent."""
    if area := world_regions().get(land.name):
        return (area, world_regions()[SUBREGIONS[land.name][0]])
    if land.name == "Central Europe":
        return (Area(land.name, "Central European", frozenset(land.people)), world_regions()["Europe"])
    return ()


@cache
def areas_around(code: str) -> tuple[Area, ...]:
    """A country and what it lies in, the smallest first: Turkey, Western Asia, Asia."""
    land = countries().get(code)
    if land is None or land.part not in SUBREGIONS:
        return ()
    own = Area(land.name, land.adjectives[0] if land.adjectives else None, frozenset({code}))
    outer = (
        areas_around(code[:2])
        if "-" in code
        else (world_regions()[name_in_sentence(land.part)], world_regions()[SUBREGIONS[land.part][0]])
    )
    return (own, *outer)


# -- Which country a name, a people, a city, a region, a web address or a phone number belongs to.
#
# Made by ``training/build_countries.py``; licences in ``data/SOURCES.md``.


_NOT_COUNTRIES_ONLINE = frozenset("co io ai me tv cc fm ly to ws".split())
"""Endings of web addresses that belong to a country and are used by all the world."""


def _bare(phrase: str) -> str:
    return lookup_key(phrase.strip()).removeprefix("the ").strip()


@cache
def _by_code() -> Mapping[str, str]:
    return MappingProxyType({code: name.removeprefix("The ") for code, name, _ in tables.table_rows("countries")})


@cache
def _countries_by_name() -> Mapping[str, str]:
    found = {}
    for _, name, others in tables.table_rows("countries"):
        found.update({_bare(one): name.removeprefix("The ") for one in (name, *others.split(";")) if one})
    return MappingProxyType(found)


@cache
def _by_place() -> Mapping[str, str]:
    return MappingProxyType({name: _by_code()[code] for name, code in tables.table_rows("places")})


def country_name_of(phrase: str) -> str | None:
    """The country that a phrase names, as itself or by its people: ``named("Dutch") == "Netherlands"``."""
    return _countries_by_name().get(_bare(phrase))


def country_name_of_place(place: str) -> str | None:
    """The country that a city or region lies in; of cities that share a name, that of the largest."""
    return _by_place().get(lookup_key(place.strip()))


def country_name_of_code(code: str) -> str | None:
    """The country of a code of two letters (ISO 3166); UK counts as one."""
    return _by_code().get("GB" if code.upper() == "UK" else code.upper())


def country_name_of_domain(domain: str) -> str | None:
    """The country that the ending of a web or mail address stands for."""
    ending = domain.rpartition(".")[2].casefold()
    return None if ending in _NOT_COUNTRIES_ONLINE or len(ending) != 2 else country_name_of_code(ending)


def country_name_of_phone(number: str) -> str | None:
    """The country of a phone number that is written with its country's number; by that number alone, unchecked."""
    digits = "+" + "".join(filter(str.isdigit, number))
    if not number.lstrip("( ").startswith(("+", "00")):
        return None
    try:
        parsed = phonenumbers.parse(digits.replace("+00", "+"), None)
    except phonenumbers.NumberParseException:
        return None
    if parsed.country_code in (None, 1):  # half a continent shares +1
        return None
    return country_name_of_code(phonenumbers.region_code_for_country_code(parsed.country_code))


# -- Which cities, towns, villages, regions, rivers and the like a name may stand for.
#
# Names are matched as a whole, without case and accents. Made by ``training/build_places.py``; licences in
# ``data/SOURCES.md``.


UNKNOWN_POPULATION = -1
_SMALL = re.compile(r"(?P<code>[A-Z]{2}(?:-[A-Z]{3})?)(?:\.(?P<state>[A-Z]{2}))?(?P<size>[vs?])(?P<mark>.*)")
_SIZES = {"v": 2_000, "s": 8_000, "?": UNKNOWN_POPULATION}
SETTLEMENT_PARTS = MappingProxyType(
    {"N": "northern", "S": "southern", "E": "eastern", "W": "western", "C": "central"}
    | {"NE": "north-eastern", "NW": "north-western", "SE": "south-eastern", "SW": "south-western"}
)


@dataclass(frozen=True, slots=True)
class Settlement:
    """A city, a town or a village."""

    name: str
    code: str
    state: str
    population: int
    """``UNKNOWN`` where nobody says; of small places about."""
    mark: str

    @property
    def part(self) -> str:
        """The part of its country that it surely lies in: "northern", or nothing."""
        return SETTLEMENT_PARTS.get("".join(letter for letter in self.mark if letter.isupper()), "")

    @property
    def may_be_district(self) -> bool:
        """Whether a far larger city is so near that it may belong to it."""
        return "*" in self.mark

    @property
    def is_capital(self) -> bool:
        return "!" in self.mark

    @property
    def is_astray(self) -> bool:
        """Whether it may lie on another continent than its country."""
        return "u" in self.mark or "a" in self.mark

    @property
    def is_asian(self) -> bool:
        return "a" in self.mark


@dataclass(frozen=True, slots=True)
class Province:
    """A region of a country; ``state`` is its short form in the United States."""

    name: str
    code: str
    kind: str
    state: str = ""


@dataclass(frozen=True, slots=True)
class Feature:
    """A sea, a river, a mountain, a part of the world; ``area`` is its continent, if it is in one."""

    name: str
    kind: str
    area: str


@cache
def towns() -> tuple[Settlement, ...]:
    """Cities and towns of 15,000 people or more, the largest first."""
    return tuple(
        Settlement(name, code, state, int(size), mark)
        for name, code, state, size, mark, _ in tables.table_rows("towns")
    )


@cache
def _towns_by_name() -> Mapping[str, tuple[Settlement, ...]]:
    found: dict[str, list[Settlement]] = {}
    for town, row in zip(towns(), tables.table_rows("towns"), strict=True):
        for name in (fold_name.__wrapped__(town.name), *filter(None, row[5].split(";"))):
            found.setdefault(name, []).append(town)
    return MappingProxyType({name: tuple(places) for name, places in found.items()})


@cache
def _villages() -> Mapping[str, str]:
    return MappingProxyType({row[0]: row[1] for row in tables.table_rows("villages")})


def village_rows() -> Iterator[tuple[str, str]]:
    """Small places: a folded name, and the codes of the countries that have it (with more)."""
    yield from _villages().items()


@cache
def _provinces() -> Mapping[str, tuple[Province, ...]]:
    found: dict[str, list[Province]] = {}
    for row in tables.table_rows("provinces"):
        found.setdefault(fold_name.__wrapped__(row[0]), []).append(Province(*row))
    return MappingProxyType({name: tuple(places) for name, places in found.items()})


@cache
def _features() -> Mapping[str, Feature]:
    return MappingProxyType(
        {fold_name(name): Feature(name, kind, area) for name, kind, area in tables.table_rows("features")}
    )


@lru_cache(maxsize=4096)
def find_settlements(name: str) -> tuple[Settlement, ...]:
    """All that have the name, the largest first."""
    folded = fold_name(name)
    small = []
    for one in _villages().get(folded, "").split(";"):
        if match := _SMALL.fullmatch(one):
            small.append(Settlement(name, match["code"], match["state"] or "", _SIZES[match["size"]], match["mark"]))
    return (*_towns_by_name().get(folded, ()), *sorted(small, key=lambda place: -place.population))


def find_provinces(name: str) -> tuple[Province, ...]:
    """The states, provinces, counties and other regions that have the name."""
    return _provinces().get(fold_name(name), ())


def all_provinces() -> tuple[Province, ...]:
    return tuple(one for places in _provinces().values() for one in places)


def find_feature(name: str) -> Feature | None:
    """The sea, river, mountain or part of the world that has the name."""
    return _features().get(fold_name(name))


def all_features() -> tuple[Feature, ...]:
    return tuple(_features().values())
