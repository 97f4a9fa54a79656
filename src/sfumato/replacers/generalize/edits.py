"""What a board says, as edits: each with the wider wordings that may stand in its place.

The mentions of one entity line up. The i-th wider wording of each of them is the same rung, so that whoever widens a
thing widens it everywhere; where that rung does not fit into a mention's sentence, the mention takes the next one that
does, twice or more if need be. Rungs at which no mention would change are left out. The last wording is the numbered
label; a mention that is labelled already has nothing wider.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, overload

from sfumato.document import Edit, Span
from sfumato.replacers.base import found_by
from sfumato.replacers.generalize.select import Board, Entity, Placed


def edits(board: Board, spans: Sequence[Span]) -> list[Edit]:
    """An edit for each span of the board, in their order."""
    found: dict[int, Edit] = {}
    for entity in board.entities:
        ladder = _Ladder(board, entity)
        for number in entity.mentions:
            placed, span = board.placed(number), spans[number]
            wider = () if placed.rung is None else Wider(partial(ladder.above, number, span))
            found[number] = _edit(entity, number, span, placed, wider)
    return [found[number] for number in range(len(spans))]


class Wider(Sequence[Edit]):
    """Wider wordings, fitted into their sentence when somebody asks for them: most releases are never widened."""

    def __init__(self, make: Callable[[], tuple[Edit, ...]]) -> None:
        self._make = make

    @cached_property
    def _edits(self) -> tuple[Edit, ...]:
        return self._make()

    def __len__(self) -> int:
        return len(self._edits)

    @overload
    def __getitem__(self, at: int) -> Edit: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Edit]: ...
    def __getitem__(self, at: int | slice) -> Edit | Sequence[Edit]:
        return self._edits[at]

    def __reduce__(self) -> tuple[Any, ...]:  # a plain tuple travels: the board holds the whole document
        return (tuple, (self._edits,))


class _Ladder:
    """What stands above an entity on its ladder; its board has been played to the end."""

    def __init__(self, board: Board, entity: Entity) -> None:
        self._board, self._entity = board, entity

    def above(self, number: int, span: Span) -> tuple[Edit, ...]:
        """The wider wordings of one mention."""
        return tuple(_edit(self._entity, number, span, self._board.placed_at(number, at)) for at in self._rungs)

    @cached_property
    def _rungs(self) -> list[int]:
        """The rungs above the entity's own that change a mention; one past the last of them is the label."""
        board, entity = self._board, self._entity
        open_ = [number for number in entity.mentions if board.placed(number).rung is not None]
        rungs = range(entity.at, len(entity.candidates) + 1)
        stands = [[board.placed_at(number, at).fitted for number in open_] for at in rungs]
        return [at for at, (before, now) in zip(rungs[1:], pairwise(stands), strict=True) if now != before]


def _edit(entity: Entity, number: int, span: Span, placed: Placed, wider: Sequence[Edit] = ()) -> Edit:
    found = found_by(span)
    where = span.moved(placed.fitted.start, placed.fitted.end)
    if placed.rung is None:
        climbed = entity.candidates and number not in entity.named
        chosen = "label: no candidate is left" if climbed else "label"
        return Edit(where, placed.fitted.text, (found, *entity.guessed, chosen))
    rung = placed.rung + 1
    chosen = f"rung {rung} of {len(entity.candidates)} ({entity.candidates[placed.rung].source})"
    return Edit(where, placed.fitted.text, (found, *entity.guessed, chosen), rung, wider)
