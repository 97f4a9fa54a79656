"""Kinds of organisations, the phrases that tell them, and known names, from our own lists.

Made by ``training/build_org_kinds.py`` from ``training/wordlists/org_*.tsv``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from sfumato.knowledge import shipped

_DOTS = re.compile(r"(?<=\w)\.(?=\w|$|\s)")


@dataclass(frozen=True, slots=True)
class Kind:
    """What an organisation is: "criminal court"."""

    name: str
    wider: str
    members: float
    where: str
    """nation: it is of a country; local: it is where its name says; city: mostly so; -: its name does not say."""


@dataclass(frozen=True, slots=True)
class Head:
    """A phrase that tells the kind of what has it in its name, and where in the name it does: end, start, any."""

    phrase: str
    kind: str
    place: str


@dataclass(frozen=True, slots=True)
class Known:
    """An organisation that is known by its name."""

    name: str
    kind: str
    code: str
    others: tuple[str, ...]


@cache
def kinds() -> Mapping[str, Kind]:
    found = (
        Kind(name, "" if wider == "-" else wider, float(many), where)
        for name, wider, many, where in shipped.rows("org_kinds")
    )
    return MappingProxyType({kind.name: kind for kind in found})


@cache
def climb(kind: str) -> tuple[Kind, ...]:
    """The kind and all wider ones, the narrowest first."""
    found = []
    while kind:
        found.append(kinds()[kind])
        kind = kinds()[kind].wider
    return tuple(found)


def common(one: str, other: str) -> str | None:
    """The narrowest kind that holds both."""
    above = {kind.name for kind in climb(other)}
    return next((kind.name for kind in climb(one) if kind.name in above), None)


def is_a(kind: str, wider: str) -> bool:
    return any(step.name == wider for step in climb(kind))


def words_of(phrase: str) -> tuple[str, ...]:
    """The words of a phrase as the tables compare them: without case and dots, with straight apostrophes."""
    folded = phrase.casefold().replace("i\u0307", "i").replace("’", "'").replace("‑", "-")
    return tuple(word.rstrip("'") or word for word in _DOTS.sub("", folded).split())


@cache
def heads() -> Mapping[tuple[str, ...], tuple[Head, ...]]:
    """By their words; several where a phrase tells different things in different places of a name."""
    found: dict[tuple[str, ...], list[Head]] = {}
    for phrase, kind, place in shipped.rows("org_heads"):
        found.setdefault(words_of(phrase), []).append(Head(phrase, kind, place))
    return MappingProxyType({words: tuple(same) for words, same in found.items()})


@cache
def longest_head() -> int:
    return max(map(len, heads()))


@cache
def usual() -> Mapping[str, tuple[str, ...]]:
    """A kind -> what texts mostly call those of it, the likeliest first."""
    return MappingProxyType({kind: tuple(names.split(";")) for kind, names in shipped.rows("org_usual")})


@cache
def known_names() -> tuple[Known, ...]:
    found = []
    for name, kind, code, others in shipped.rows("org_names"):
        found.append(Known(name, kind, code, tuple(other for one in others.split(";") if (other := one.strip()))))
    return tuple(found)


@cache
def _by_name() -> Mapping[str, tuple[Known, ...]]:
    found: dict[str, list[Known]] = {}
    for known in known_names():
        for name in dict.fromkeys((known.name, *known.others)):
            found.setdefault(_name_key(name), []).append(known)
    return MappingProxyType({name: tuple(same) for name, same in found.items()})


def _name_key(name: str) -> str:
    """Initials by their letters, case and all; of other names case does not count."""
    bare = _DOTS.sub("", name).replace("’", "'").replace("‑", "-")
    if is_initials(bare):
        return bare
    return " ".join(words_of(bare)).removeprefix("the ")


def is_initials(name: str) -> bool:
    """Whether it is a short word in capitals: PKK, UNHCR, P.K.K."""
    bare = name.replace(".", "").replace("-", "").replace("/", "")
    return 2 <= len(bare) <= 8 and bare.isupper() and " " not in bare


def known(name: str) -> tuple[Known, ...]:
    """What is known under a name; several where organisations share it."""
    return _by_name().get(_name_key(name.strip()), ())
