"""Things and their kinds, from our own lists: *robbery* is a violent crime, a violent crime is a crime.

Made by ``training/build_things.py`` from ``training/wordlists/things-*.txt``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from sfumato.knowledge import shipped
from sfumato.knowledge.grammar.inflection import head as split_head
from sfumato.knowledge.grammar.inflection import in_plural, in_singular, is_plural
from sfumato.knowledge.grammar.lemmas import lemma
from sfumato.knowledge.ladders.base import Rung
from sfumato.knowledge.wider.concepts import rarity, senses
from sfumato.knowledge.wider.plurals import several

SOURCE = "things"
_NEVER_PLURAL = frozenset(
    {
        "branch of knowledge",
        "leisure activity",
        "sport",
        "pastime",
        "form of exercise",
        "publication",
        "public event",
        "creative work",
        "game",
        "online service",
        "software",
        "distinction",
        "means of communication",
        "school of thought or movement",
        "armed conflict",
        "holiday or festival",
        "artistic style",
    }
)
"""Kinds whose things may end in s and yet are one: physics, the Olympic Games."""
_WIDEST = frozenset(
    (
        "means of transport;movable property;financial matter;official measure;inhabited place;economic activity;"
        "institution;personal achievement;written material;event in public life;personal matter;substance;"
        "health matter;living creature;digital product or service;system of ideas;act with legal consequences;"
        "real estate;part of a property;legal text;legal matter;natural or built feature;recording"
    ).split(";")
)
"""Kinds that only give height: they hold things of many sorts."""
_SHARE = 3
"""A list holds about one of so many things of its kind."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing, and the kinds above it."""

    name: str
    wider: str
    """The next kind above; empty at the top."""
    things: tuple[str, ...]
    is_mass: bool
    """It takes no article and no plural: "food"."""
    is_plural: bool
    """It is only said in the plural: "court proceedings"."""


@dataclass(frozen=True, slots=True)
class Found:
    """A thing as the lists have it."""

    thing: str
    kind: str
    is_plural: bool


@cache
def kinds() -> Mapping[str, Kind]:
    """Casefolded name -> kind."""
    rows = shipped.rows("things")
    return {
        name.rstrip("~+").casefold(): Kind(
            name=name.rstrip("~+"),
            wider=wider.rstrip("~+"),
            things=tuple(things.split(";")) if things else (),
            is_mass=name.endswith("~"),
            is_plural=name.endswith("+"),
        )
        for name, wider, things in rows
    }


@cache
def _things() -> Mapping[str, str]:
    """Thing -> its kind; a plural keeps its mark. A kind is a thing of the kind above it."""
    found = {kind.name.casefold(): kind.wider for kind in kinds().values()}
    for kind in kinds().values():
        for thing in kind.things:
            found.setdefault(thing, kind.name)
    return found


@lru_cache(maxsize=2**13)
def find(phrase: str) -> Found | None:
    """The thing that a phrase names as a whole, in the singular or plural; the top kinds are things of no kind."""
    table, said = _things(), " ".join(phrase.casefold().replace("’", "'").split())
    if f"{said}+" in table:
        return Found(said, _wider(said, table[f"{said}+"]), is_plural=True)
    if said in table:
        kind = table[said]
        many = (said in kinds() and kinds()[said].is_plural) or (
            said not in kinds() and tops(kind) not in _NEVER_PLURAL and _is_plural(said)
        )
        return Found(said, _wider(said, kind), many)
    for single in dict.fromkeys((in_singular(said), _base(said))):
        if single != said and single in table:
            return Found(single, _wider(single, table[single]), is_plural=True)
    return None


def _wider(thing: str, kind: str) -> str:
    """The kind, or the next that is no other word for the thing: a movie is not a kind of film."""
    own = set(senses(thing)[:1])
    while kind and not own.isdisjoint(senses(kind)[:1]):
        kind = kinds()[kind.casefold()].wider
    return kind


def _base(phrase: str) -> str:
    """The phrase with the base form of its last word, for plurals that do not look like one."""
    *others, last = phrase.split() or [""]
    return " ".join((*others, lemma(last))) if last.endswith("s") and not last.endswith("'s") else phrase


def _is_plural(phrase: str) -> bool:
    """Whether the head of a phrase is a plural; *block of flats* is none."""
    noun = split_head(phrase)[0].split()
    return bool(noun) and is_plural(noun[-1]) and noun[-1] not in ("summons", "series", "means", "news")


def climb(kind: str) -> list[Kind]:
    """The kind and those above it, narrowest first."""
    found = []
    while kind:
        found.append(kinds()[kind.casefold()])
        kind = found[-1].wider
    return found


def tops(kind: str) -> str:
    """The last kind above this one that still says what sort of word names it."""
    found = [above.name for above in climb(kind) if above.name not in _WIDEST] if kind else []
    return found[-1] if found else ""


@cache
def members(kind: str) -> int:
    """About how many things are of this kind."""
    return _SHARE * sum(len(kinds()[name].things) + 1 for name in _below(kind.casefold()))


@cache
def _below(kind: str) -> tuple[str, ...]:
    under = [name for name, other in kinds().items() if other.wider.casefold() == kind]
    return (kind, *(name for other in under for name in _below(other)))


def rungs_of(kind: str, is_plural: bool) -> list[Rung]:
    """The kind and those above it as rungs."""
    return [rung_of(above, is_plural) for above in climb(kind)]


@lru_cache(maxsize=2**10)
def rung_of(kind: Kind, is_plural: bool) -> Rung:
    """The kind as a rung, in the number of what it stands for."""
    if kind.is_mass:
        return Rung(kind.name, members(kind.name), article="", source=SOURCE)
    if kind.is_plural:
        return Rung(kind.name, members(kind.name), article="", plural=True, source=SOURCE)
    if is_plural:
        return Rung(in_plural(kind.name), members(kind.name), article="", plural=True, source=SOURCE)
    return Rung(kind.name, members(kind.name), source=SOURCE)


def originals_of(phrase: str) -> Iterator[str]:
    """The things of a kind, best known first; in the plural where the phrase is."""
    single = in_singular(phrase)
    kind = next((name for name in (phrase.casefold(), single.casefold()) if name in kinds()), None)
    if kind is None:
        return
    many = kind != phrase.casefold()
    for thing in _known(kind):
        yield several(thing) if many and not thing.endswith("+") else thing.rstrip("+")


@lru_cache(maxsize=512)
def _known(kind: str) -> tuple[str, ...]:
    found = {thing for name in _below(kind) for thing in (*kinds()[name].things, name)} - {kind}
    return tuple(sorted(found, key=lambda thing: (rarity(thing.rstrip("+")), thing)))
