"""What kind of thing a person's attribute is: *cardiologist* is a medical specialist, a physician, a professional.

Made by ``training/build_demographics.py`` from word lists of ours and ICD-10; licences in ``data/SOURCES.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from heapq import merge
from typing import Literal

from sfumato.knowledge import shipped
from sfumato.knowledge.ladders.base import Rung
from sfumato.knowledge.ladders.demographics.number import plural

WordClass = Literal["noun", "mass", "adjective", "verb"]
Table = Literal["demographics", "languages"]
_CLASSES: dict[str, WordClass] = {"n": "noun", "m": "mass", "a": "adjective", "v": "verb"}
_BEHIND_A_NOUN = tuple(
    f" {word} " for word in "of in at with from for to by on or who against without affecting".split()
)

_ONLY_ADJECTIVES = ("ish", "ese", "Orthodox", "Nordic", "Balkan", "Caucasus")


@dataclass(frozen=True, eq=False)
class Kind:
    """A node of the hierarchy: the phrase that names it, and what stands directly under it."""

    phrase: str
    word_class: WordClass
    above: Kind | None
    modifier: str | None
    own: tuple[tuple[int, str], ...]
    """Its own names, with their rarity, commonest first."""
    terms: tuple[tuple[int, str], ...]
    """Names that climb to it."""
    is_rung: bool
    below: list[Kind] = field(default_factory=list)

    @cached_property
    def chain(self) -> tuple[Kind, ...]:
        """It and what is above it, without those that only group."""
        higher = self.above.chain if self.above else ()
        return (self, *higher) if self.is_rung else higher

    @cached_property
    def members(self) -> int:
        """How many names climb to it, from wherever below."""
        return len(self.terms) + sum(kind.members + 1 for kind in self.below)

    def names(self) -> Iterator[tuple[int, str]]:
        """All that climbs to it, commonest first."""
        shown = (kind.own for kind in self.below if kind.is_rung)
        return merge(self.terms, *shown, *(kind.names() for kind in self.below))

    @cached_property
    def before_a_noun(self) -> str | None:
        if self.modifier or self.word_class == "verb" or any(word in f" {self.phrase} " for word in _BEHIND_A_NOUN):
            return self.modifier
        return self.phrase

    @cached_property
    def _is_noun_too(self) -> bool:
        """*Muslim*, *Southern European*: one of them is a Muslim; but nobody is a Jewish."""
        last = self.phrase.rpartition(" ")[2]
        return last[0].isupper() and self.before_a_noun == self.phrase and not last.endswith(_ONLY_ADJECTIVES)

    def rung(self, many: bool = False, as_person: bool = False) -> Rung:
        """As something to put into a text; ``many``: of several; ``as_person``: an adjective where a noun is wanted."""
        text = self.phrase
        if self.word_class == "adjective" and (many or as_person) and self._is_noun_too:
            text = plural(text) if many else text
        elif self.word_class == "adjective" and (many or as_person):
            person = "people" if many else "person"
            text = f"{self.before_a_noun} {person}" if self.before_a_noun else f"{person} {text}"
        elif many and self.word_class == "noun":
            text = plural(text)
        is_one = (self.word_class == "noun" or as_person) and not many
        is_many = many and self.word_class in ("noun", "adjective")
        return Rung(
            text,
            float(self.members),
            "a" if is_one else "",
            is_many,
            modifier=self.before_a_noun,
            source="demographics",
        )


class Kinds:
    """A table of kinds, and the ways into it."""

    def __init__(self, table: Table) -> None:
        self.climbs: dict[str, tuple[Kind, ...]] = {}
        """Name -> the kinds directly above it, one a reading."""
        self.own: dict[str, Kind] = {}
        """Name of a kind, in small letters -> that kind."""
        self.whole: set[str] = set()
        """Names that say this only where they stand alone: *general*, but not *inspector general*."""
        self._surely: dict[str, tuple[str, ...]] = {}
        path: list[Kind] = []
        for depth, sign, phrase, modifier, names, terms in shipped.rows(table):
            del path[int(depth) :]
            above = path[-1] if path else None
            own, weighed = self._weighed(names), self._weighed(terms)
            kind = Kind(phrase, _CLASSES[sign.lower()], above, modifier or None, own, weighed, sign.islower())
            path.append(kind)
            if above:
                above.below.append(kind)
            for _, term in weighed:
                self.climbs[term] = (*self.climbs.get(term, ()), kind)
            if kind.is_rung:
                for _, name in own:
                    self.own[name] = kind
                    if above and above.chain:
                        self.climbs[name] = (*self.climbs.get(name, ()), above)

    def _weighed(self, listed: str) -> tuple[tuple[int, str], ...]:
        found = []
        for one in filter(None, listed.split(";")):
            name, _, rarity = one.rpartition("=")
            if name.endswith("!"):
                name = name[:-1]
                self.whole.add(name)
            found.append((int(rarity), name))
        return tuple(sorted(found))

    def above(self, name: str) -> tuple[Kind, ...]:
        """The kinds that a name belongs to whatever it means, narrowest first; () where that is none."""
        readings = self.climbs.get(name, ())
        if not readings:
            return ()
        first, *others = (kind.chain for kind in readings)
        return tuple(kind for kind in first if all(kind in other for other in others))

    def surely(self, kind: Kind) -> tuple[str, ...]:
        """The names of a kind that belong to it whatever they mean."""
        if kind.phrase not in self._surely:
            self._surely[kind.phrase] = tuple(name for _, name in kind.names() if kind in self.above(name))
        return self._surely[kind.phrase]

    def knows(self, name: str) -> bool:
        return name in self.climbs or name in self.own


@cache
def kinds(table: Table = "demographics") -> Kinds:
    return Kinds(table)
