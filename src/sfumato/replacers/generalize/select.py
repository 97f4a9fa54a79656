"""Selection under attack (paper 002): the most specific candidate from which the original is not guessed.

The paper tries one candidate of one span at a time, in the order of the text. Here all spans of a document stand at
their most specific candidate, all are attacked at once, and each entity of which a mention was guessed climbs one
rung; so on until nothing is guessed. Other spans only get vaguer on the way, so nobody is decided on less than what an
attacker of the release sees, and the last round attacks the very text that is released.

What is guessed from the bare label as well (QUANTITY_1 hides *three* no better than *several* does) need not end as
one: it stays on its widest rung.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from sfumato.attacks.inference.attack import Guesser
from sfumato.document import Span
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.fit.put import Fitted, fit, fits, numbered
from sfumato.replacers.generalize.candidates import Telling

Room = tuple[int, int]
_OF_THE_FIRST = re.compile(r"['’](?:s\b)?|[^\S\n]+\w+(?=\W+\w+\W+\w)|")
"""Of what stands between two mentions: a possessive ending, or the first of three words. The rest is the second's."""


@dataclass
class Entity:
    """One thing, all its mentions, and what may stand for it; ``at`` is where it stands on its ladder."""

    mentions: list[int]
    candidates: tuple[Rung, ...]
    label: str
    """What stands there when the ladder is climbed to its end."""
    named: frozenset[int] = frozenset()
    """Mentions that keep the label: the text says right there who it is."""
    at: int = 0
    guessed: list[str] = field(default_factory=list)
    """The candidates from which it was guessed, with who guessed."""


@dataclass(frozen=True, slots=True)
class Placed:
    """What stands in a mention's place, and on which rung (None: the label)."""

    fitted: Fitted
    rung: int | None


class Board:
    """A document's mentions, each with its entity and the room its replacement may take."""

    def __init__(self, text: str, mentions: Sequence[Mention], entities: Sequence[Entity]) -> None:
        self.text, self.mentions, self.entities = text, mentions, entities
        self._rooms = _rooms(text, mentions)
        self._entities = {number: entity for entity in entities for number in entity.mentions}
        self._fitted: dict[tuple[int, int], Placed] = {}

    def entity_of(self, number: int) -> Entity:
        return self._entities[number]

    def placed(self, number: int) -> Placed:
        """The mention's replacement at its entity's rung; where that does not fit, at the next one that does."""
        return self.placed_at(number, self._entities[number].at)

    def placed_at(self, number: int, at: int) -> Placed:
        """The mention's replacement at a rung, or the next one that fits; past the last of them, the label."""
        key = (number, at)
        if key not in self._fitted:
            self._fitted[key] = self._place(number, at)
        return self._fitted[key]

    def _place(self, number: int, lowest: int) -> Placed:
        entity, mention, room = self._entities[number], self.mentions[number], self._rooms[number]
        for at in range(lowest, 0 if number in entity.named else len(entity.candidates)):
            if fits(entity.candidates[at], mention, room):
                return Placed(fit(entity.candidates[at], mention, room), at)
        return Placed(numbered(entity.label, mention, room), None)

    def release(self) -> tuple[str, list[Span]]:
        """The text as it stands now, and where in it each mention's replacement stands."""
        return self._text_of([self.placed(number).fitted for number in range(len(self.mentions))])

    def labelled(self) -> tuple[str, list[Span]]:
        """The text with a label in each mention's place."""
        places = enumerate(zip(self.mentions, self._rooms, strict=True))
        return self._text_of([numbered(self.entity_of(at).label, *place) for at, place in places])

    def _text_of(self, replaced: Sequence[Fitted]) -> tuple[str, list[Span]]:
        pieces, spans = list[str](), list[Span]()
        at = length = 0
        for mention, fitted in zip(self.mentions, replaced, strict=True):
            pieces += [self.text[at : fitted.start], fitted.text]
            length += fitted.start - at
            spans.append(Span(length, length + len(fitted.text), mention.label))
            length += len(fitted.text)
            at = fitted.end
        return "".join([*pieces, self.text[at:]]), spans

    def open(self) -> list[int]:
        """Mentions that stand on a rung: what can be guessed, and can climb."""
        return [number for number in range(len(self.mentions)) if self.placed(number).rung is not None]

    def is_widest(self, number: int) -> bool:
        """Whether only the label is left to climb to."""
        return self.placed(number).rung == len(self.entity_of(number).candidates) - 1

    def climb(self, numbers: Sequence[int], why: str) -> None:
        """Let the mentions' entities climb past the rungs on which they stand now; each entity once."""
        for number, placed in [(number, self.placed(number)) for number in numbers]:
            entity = self.entity_of(number)
            if placed.rung is not None and entity.at <= placed.rung:
                entity.guessed.append(f"guessed at rung {placed.rung + 1} of {len(entity.candidates)}: {why}")
                entity.at = placed.rung + 1


def under_attack(board: Board, guesser: Guesser, guesses: int, telling: Telling) -> None:
    """Climb until no mention is guessed, but for those that a label would hide no better than their widest rung."""
    attack = partial(_guessed, board, guesser, guesses, telling)
    from_label = set(attack(board.labelled(), range(len(board.mentions))))
    while open_ := board.open():
        guessed = attack(board.release(), open_)
        climbing = [number for number in guessed if not (board.is_widest(number) and number in from_label)]
        if not climbing:
            return
        board.climb(climbing, guesser.name)


def _guessed(
    board: Board,
    guesser: Guesser,
    guesses: int,
    telling: Telling,
    released: tuple[str, list[Span]],
    numbers: Sequence[int],
) -> list[int]:
    """Those of the mentions whose original is among the guesses."""
    text, spans = released
    answers = guesser.guess(text, [spans[number] for number in numbers], guesses)
    return [
        number
        for number, own in zip(numbers, answers, strict=True)
        if any(telling.matches(board.mentions[number], guess.answer) for guess in own)
    ]


def most_specific(board: Board, guesser: Guesser, guesses: int, telling: Telling) -> None:
    """Leave every entity at its first candidate: no attack."""


def least_specific(board: Board, guesser: Guesser, guesses: int, telling: Telling) -> None:
    """Put every entity at its last candidate: no attack."""
    for entity in board.entities:
        entity.at = max(0, len(entity.candidates) - 1)


CHOICES: dict[str, Callable[[Board, Guesser, int, Telling], None]] = {
    "under-attack": under_attack,
    "most-specific": most_specific,
    "least-specific": least_specific,
}


def _rooms(text: str, mentions: Sequence[Mention]) -> list[Room]:
    """How far each replacement may reach. What stands between two mentions is shared out: edits never overlap."""
    borders = [
        before.end + len(_OF_THE_FIRST.match(text[before.end : after.start])[0])  # type: ignore[index]
        for before, after in pairwise(mentions)
    ]
    return list(zip([0, *borders], [*borders, len(text)], strict=True)) if mentions else []
