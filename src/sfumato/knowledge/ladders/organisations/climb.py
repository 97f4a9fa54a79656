"""The rungs of an organisation: from its kind in its country outwards, in steps that each hold the one before."""

from __future__ import annotations

from functools import lru_cache

from sfumato.knowledge.geography import world
from sfumato.knowledge.geography.world import Area
from sfumato.knowledge.grammar.function_words import ENGLISH
from sfumato.knowledge.grammar.inflection import in_plural, in_singular
from sfumato.knowledge.grammar.lemmas import lemma, words
from sfumato.knowledge.ladders.base import Rung
from sfumato.knowledge.ladders.organisations import tables as org_tables
from sfumato.knowledge.ladders.organisations.heads import Read
from sfumato.knowledge.ladders.organisations.tables import Kind
from sfumato.knowledge.ladders.organisations.where import Where

MOST = 7
_WORLD = 8_000_000_000
_COUNTRIES = 200
_FEW = 20
"""With fewer of a kind in a country, to name the country is to name the organisation."""
_GROWTH = 1.25
_PLURAL = "forces"
"""What kinds end with that are plurals: "armed forces"."""
_NGRAM = 4
_PUBLIC = "public body"
_OF_A_COUNTRY = {"government": "national government"}
_OF_A_PART = {"government": "regional government", "national parliament": "legislature"}
"""What Scotland's is, which has a country around it."""
_NATIONAL = frozenset({"national government", "national parliament"})
"""Kinds that are national by being of a country."""

Step = tuple[Kind, Area | None]


def rungs_of(read: Read, phrase: str, where: Where) -> list[Rung]:
    """What is true of what was read, the narrowest first."""
    found: list[Rung] = []
    for kind, area in _steps(_wider(_kinds(read, where), phrase), phrase, where):
        text = described(kind, area)
        if any(rung.text == text for rung in found):
            continue
        members = max(2.0, members_of(kind, area), found[-1].members * _GROWTH if found else 0.0)
        is_plural = read.is_plural or kind.name.endswith(_PLURAL)
        found.append(
            Rung(
                _in_plural(text) if read.is_plural else text,
                members,
                "" if is_plural else "a",
                plural=is_plural,
                modifier=_modifier(kind, area),
                source=read.source,
            )
        )
    return found if len(found) <= MOST else [*found[: MOST - 1], found[-1]]


def _in_plural(text: str) -> str:
    return in_plural(text).replace(" of a country in ", " of countries in ")


def _wider(kinds: tuple[Kind, ...], phrase: str) -> tuple[Kind, ...]:
    """The kinds that are wider than what the phrase says by itself: of a "ministry" not "government ministry"."""
    said = phrase.casefold()
    forms = (said, in_singular(said))
    own = [
        place
        for place, kind in enumerate(kinds)
        if kind.name.casefold() in forms or (" " not in said and set(forms) & set(kind.name.casefold().split()))
    ]
    return kinds[own[-1] + 1 :] if own else kinds


def described(kind: Kind, area: Area | None) -> str:
    """The kind, and where it is: "criminal court in Western Asia", "government of a country in Asia"."""
    if area is None:
        return kind.name
    if kind.where != "nation" or " of " in kind.name or kind.name == "government":
        return f"{kind.name} in {area.name}"
    name = kind.name.removeprefix("national ") if kind.name in _NATIONAL else kind.name
    return f"{name} of {area.name if len(area.countries) == 1 else f'a country in {area.name}'}"


@lru_cache(maxsize=4096)
def members_of(kind: Kind, area: Area | None) -> float:
    """About how many there are: all of the kind, shared out by countries or by people."""
    if area is None:
        return kind.members
    if kind.where == "nation":
        return kind.members * len(area.countries) / _COUNTRIES
    # Of the parts of the United Kingdom only the whole has a count.
    people = sum(world.lands()[code[:2]].population / (4 if "-" in code else 1) for code in area.countries)
    return kind.members * people / _WORLD


def _kinds(read: Read, where: Where) -> tuple[Kind, ...]:
    """The kind and wider ones; the government of a country is a national one, that of Scotland is not."""
    if where.is_nation and len(where.areas) > 3:
        return org_tables.climb(_OF_A_PART.get(read.kind, read.kind))
    return org_tables.climb(_OF_A_COUNTRY.get(read.kind, read.kind) if where.is_nation else read.kind)


def _steps(kinds: tuple[Kind, ...], phrase: str, where: Where) -> list[Step]:
    """First the area grows around the kind, then the kind; each step holds the one before.

    Where the kind repeats a word of the name, the area grows around the first wider one that repeats none.
    """
    if not kinds:
        return []
    if len(where.areas) < 2:
        return [(kind, area) for kind in kinds for area in (*where.areas, None)] if where.areas else _bare(kinds)
    near, far = where.areas[-2:]
    first = kinds[0]
    own: Area | None = where.areas[0]
    if where.is_told:
        own = where.areas[1] if len(where.areas) > 3 and first.where != "nation" else None
    untold = next((place for place, kind in enumerate(kinds) if not shares(phrase, kind.name)), len(kinds) - 1)
    steps: list[Step] = []
    if own and members_of(first, own) >= (_FEW if first.where == "nation" else 2):
        steps.append((first, own))
    steps.append((first, near))
    if untold == 0:
        steps.append((first, far))
    elif kinds[-1].name == _PUBLIC:
        # Courts, ministries and the like are everyday words of the texts that name them, and tell little.
        steps += [(first, far), *([(kinds[1], far)] if untold > 1 else []), (kinds[untold], far)]
    else:
        steps += [(kinds[untold], near), (kinds[untold], far)]
    return [*steps, *_bare(kinds[untold:])]


def _bare(kinds: tuple[Kind, ...]) -> list[Step]:
    return [(kind, None) for kind in kinds]


def _modifier(kind: Kind, area: Area | None) -> str | None:
    """Before a noun: "Western Asian government" officials."""
    if any(f" {word} " in kind.name for word in ("of", "in", "for", "to", "or")):
        return None
    if area is None:
        return kind.name
    return f"{area.adjective} {kind.name}" if area.adjective else None


@lru_cache(maxsize=4096)
def shares(phrase: str, other: str) -> bool:
    """Whether two phrases share a telling word, or four letters of one."""
    return bool(_pieces(phrase) & _pieces(other))


@lru_cache(maxsize=4096)
def _pieces(phrase: str) -> frozenset[str]:
    found = set()
    for word in words(phrase.casefold()):
        if word not in ENGLISH:
            found |= {lemma(word), *(word[at : at + _NGRAM] for at in range(len(word) - _NGRAM + 1))}
    return frozenset(found)
