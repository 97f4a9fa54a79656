"""Countries, their people, and the parts of the world they lie in.

Parts of the world are those of the UN's M49 standard, under the names that readers know ("Southeast Asia").
Made by ``training/build_places.py``; licences in ``data/SOURCES.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from sfumato.knowledge import shipped
from sfumato.knowledge.accents import fold


@dataclass(frozen=True, slots=True)
class Area:
    """A country or a part of the world, as something can lie in it."""

    name: str
    """As it stands in a sentence: "the Netherlands"."""
    adjective: str | None
    countries: frozenset[str]


@dataclass(frozen=True, slots=True)
class Land:
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


PARTS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
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
def lands() -> Mapping[str, Land]:
    """Countries by their code (ISO 3166; ``GB-ENG`` and the like for the parts of the United Kingdom)."""
    found = {}
    for code, name, others, adjectives, people, part, population, frequency, spanish in shipped.rows("lands"):
        lists = [tuple(filter(None, field.split(";"))) for field in (others, adjectives, people)]
        found[code] = Land(code, name, lists[0], lists[1], lists[2], part, int(population), float(frequency), spanish)
    return MappingProxyType(found)


@cache
def _by_name() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for land in lands().values():
        names = land.others if land.is_former else (land.name, *land.others)
        found.update({fold(name): land.code for name in names})
    for land in lands().values():
        if land.spanish:
            found.setdefault(fold(land.spanish), land.code)
    return MappingProxyType(found)


@cache
def _adjectives() -> Mapping[str, str]:
    return MappingProxyType({fold(word): land.code for land in lands().values() for word in land.adjectives})


def plural(noun: str) -> str:
    """Of a people's name that is an adjective too: the Germans, the Chinese."""
    return noun if noun.endswith(("ese", "ish", "ch", "sh", "ss", "ois", "Myanmar")) else noun + "s"


@cache
def _people() -> Mapping[str, tuple[str, bool]]:
    found: dict[str, tuple[str, bool]] = {}
    for land in lands().values():
        if land.is_former or not land.people:
            nouns = [(word, plural(word)) for word in land.adjectives]
        else:
            names = [name.replace("_", " ") for name in land.people]
            nouns = list(zip(names[::2], [*names[1::2], ""], strict=False))
        for one, many in nouns:
            found[fold(one)] = (land.code, False)
            if many and fold(many) != fold(one):
                found[fold(many)] = (land.code, True)
    return MappingProxyType(found)


def country(name: str) -> Land | None:
    """The country that a name, with or without "the", stands for; never by its people."""
    folded = fold(name)
    code = _by_name().get(folded) or _by_name().get(folded.replace(".", ""))
    return lands()[code] if code else None


def country_of_adjective(word: str) -> Land | None:
    """The country of "Turkish"."""
    code = _adjectives().get(fold(word))
    return lands()[code] if code else None


def country_of_people(word: str) -> tuple[Land, bool] | None:
    """The country of "Swede" or "Swedes", and whether it is the plural."""
    found = _people().get(fold(word))
    return (lands()[found[0]], found[1]) if found else None


def sentence_name(part: str) -> str:
    """A part of the world as it stands in a sentence: "the Caribbean"."""
    return f"the {part}" if part in _WITH_ARTICLE else part


@cache
def parts() -> Mapping[str, Area]:
    """Parts of the world and continents, by the name that they have in a sentence."""
    members: dict[str, set[str]] = {}
    for land in lands().values():
        if land.part in PARTS and "-" not in land.code:
            members.setdefault(sentence_name(land.part), set()).add(land.code)
            members.setdefault(PARTS[land.part][0], set()).add(land.code)
    adjectives = {sentence_name(part): PARTS[part][1] for part in PARTS} | {
        name: adjective for name, (adjective, _) in CONTINENTS.items()
    }
    return MappingProxyType({name: Area(name, adjectives[name], frozenset(codes)) for name, codes in members.items()})


@cache
def pairs() -> Mapping[str, Area]:
    """Two continents together: what is left to say of a nationality that its continent would give away."""
    found = {}
    for one, other in (("Europe", "Asia"), ("Africa", "Asia")):
        adjective = f"{CONTINENTS[one][0]} or {CONTINENTS[other][0]}"
        found[adjective] = Area(f"{one} or {other}", adjective, parts()[one].countries | parts()[other].countries)
    return MappingProxyType(found)


@cache
def shores() -> Mapping[str, Area]:
    """Seas, each with the countries on it. A country lies on a sea, its cities may not."""
    return MappingProxyType(
        {name: Area(name, adjective, frozenset(codes)) for name, (adjective, codes) in _SHORES.items()}
    )


def former_areas(land: Land) -> tuple[Area, ...]:
    """What a state that is no more lay in, as far as that is one continent."""
    if area := parts().get(land.name):
        return (area, parts()[PARTS[land.name][0]])
    if land.name == "Central Europe":
        return (Area(land.name, "Central European", frozenset(land.people)), parts()["Europe"])
    return ()


@cache
def areas(code: str) -> tuple[Area, ...]:
    """A country and what it lies in, the smallest first: Turkey, Western Asia, Asia."""
    land = lands().get(code)
    if land is None or land.part not in PARTS:
        return ()
    own = Area(land.name, land.adjectives[0] if land.adjectives else None, frozenset({code}))
    outer = areas(code[:2]) if "-" in code else (parts()[sentence_name(land.part)], parts()[PARTS[land.part][0]])
    return (own, *outer)
