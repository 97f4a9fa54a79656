"""A linking attack small enough to work out by hand, and invented people for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from sfumato.attacks.base import MAX_GUESSES, AttackKind, Person
from sfumato.document import Attempt, Document, Evidence, Guess

PEOPLE = {
    "anna": "Anna Quorvex races pigeons in Lublin and repairs church organs.",
    "belo": "Belo Tvesk bakes bread in Oslo and sings in a choir.",
    "cora": "Cora Brimdale drives a tram in Ghent and paints tiles.",
    "dano": "Dano Ostrow keeps bees in Porto and carves wooden spoons.",
    "edda": "Edda Zemlin knits hats in Turku and skates on lakes.",
}
ORIGINALS = [
    Document("anna", "Anna Quorvex said that she races pigeons."),
    Document("belo", "Belo Tvesk has a choir."),
    Document("cora", "Cora Brimdale paints."),
    Document("dano", "Dano Ostrow slept."),
]
RELEASED = {
    "anna": "PERSON said that she races pigeons.",
    "belo": "PERSON has a choir.",
    "cora": "PERSON keeps bees.",
    "dano": "PERSON slept.",
}
"""The first two lead to their person, the third to another (Dano), the fourth to nobody."""

_COMMON = frozenset("a in and on that she has the said person".split())


class SharedWords:
    """People by how many words they share with the text."""

    kind: ClassVar[AttackKind] = "linking"
    name: ClassVar[str] = "words"
    goal: ClassVar[str] = "Find the person who shares most words."

    def __init__(self) -> None:
        self.fits = self.runs = 0

    def fit(self, background: Sequence[Person]) -> Self:
        self.fits += 1
        self._people = {person.id: set(_words(" ".join(person.texts))) for person in background}
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        self.runs += 1
        return [self._attempt(key, text) for key, text in released.items()]

    def _attempt(self, key: str, text: str) -> Attempt:
        own = _words(text)
        counts = {person: len(own.keys() & words) for person, words in self._people.items()}
        guesses = sorted((Guess(person, float(n)) for person, n in counts.items() if n), key=lambda one: -one.score)
        if not guesses:
            return Attempt(self.name, key, ())
        second = guesses[1].score if len(guesses) > 1 else 0.0
        shared = own.keys() & self._people[guesses[0].answer]
        evidence = tuple(Evidence(word.upper(), 1.0, *own[word]) for word in sorted(shared))
        return Attempt(self.name, key, tuple(guesses[:MAX_GUESSES]), None, 1 - second / guesses[0].score, evidence)


def _words(text: str) -> dict[str, tuple[int, int]]:
    items = {match[0].lower(): match.span() for match in re.finditer(r"\w+", text)}
    return {word: place for word, place in items.items() if word not in _COMMON}


class Fixed:
    """Says what it was told to say."""

    kind: ClassVar[AttackKind] = "linking"
    name: ClassVar[str]
    goal: ClassVar[str] = "None."

    def __init__(self, name: str, guesses: Mapping[str, Sequence[tuple[str, float]]]) -> None:
        self.name = name  # type: ignore[misc]
        self._guesses = guesses

    def fit(self, background: Sequence[Person]) -> Self:
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        return [
            Attempt(self.name, key, tuple(Guess(*guess) for guess in self._guesses.get(key, ()))) for key in released
        ]
