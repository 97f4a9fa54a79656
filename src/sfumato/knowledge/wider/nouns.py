"""Common nouns and wider nouns that are true of the same things: a *letter* is a *document*. English.

Made by ``training/build_nouns.py`` from ``training/wordlists/nouns.txt``; ours. For the nouns that the lists of things
leave out because they have several senses: here the words around them decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sfumato.knowledge import shipped
from sfumato.knowledge.grammar.inflection import is_plural, singular


@dataclass(frozen=True, slots=True)
class WiderNoun:
    """A noun that says less."""

    name: str
    is_mass: bool
    """It takes no article and no plural: "food"."""
    is_plural: bool
    """It is only said in the plural: "authorities"."""
    conditions: tuple[str, ...]
    """When it is true, in the signs that ``training/wordlists/nouns.txt`` explains."""


@dataclass(frozen=True, slots=True)
class _Table:
    wider: Mapping[str, Sequence[WiderNoun]]
    sets: Mapping[str, frozenset[str]]


@cache
def _table() -> _Table:
    wider: dict[str, list[WiderNoun]] = {}
    sets: dict[str, frozenset[str]] = {}
    for row in shipped.lines("nouns"):
        first, *rest = row.split("\t")
        if first.startswith("@"):
            sets[first[1:]] = frozenset(rest)
            continue
        conditions, things = rest
        one = WiderNoun(first.rstrip("~+"), first.endswith("~"), first.endswith("+"), tuple(conditions.split()))
        for thing in things.split(";"):
            wider.setdefault(thing, []).append(one)
    return _Table(wider, sets)


def wider_nouns(word: str) -> Sequence[WiderNoun]:
    """What may be said of what a noun names, in the singular or plural; in the order in which they are to be tried."""
    table = _table().wider
    if f"{word}+" in table:
        return table[f"{word}+"]
    return table.get(word) or (table.get(singular(word), ()) if is_plural(word) else ())


def topic(name: str) -> frozenset[str]:
    """The words of one of the sets that conditions speak of; "court": judge, accused, verdict ..."""
    return _table().sets[name]
