"""What a mention says about time: the days of each date in it, how they are joined, weekdays, times of day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from sfumato.knowledge.ladders.dates.facts import DateFacts
from sfumato.knowledge.ladders.dates.pieces import Piece, completed, read_piece
from sfumato.knowledge.ladders.dates.tokens import tokens
from sfumato.knowledge.ladders.dates.words import Token

Joint = Literal["one", "range", "list", "mixed"]


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a mention says. Without pieces it is a weekday or a time of day."""

    pieces: tuple[Piece, ...]
    joint: Joint
    weekdays: tuple[int, ...] = ()
    clock: tuple[tuple[int, int], ...] = ()
    """Times of day, in minutes since midnight, from and to."""
    season: int | None = None
    """A season without a year."""
    holiday: str | None = None
    """The kind of a holiday without a year."""
    plural: bool = False
    between: bool = False

    @property
    def dated(self) -> bool:
        return all(piece.dated for piece in self.pieces)


# A letter stands for a kind of token, see ``words``: D a day, M a month, Y a year, P a part, W a weekday, T a time.
_DATE = (
    "i|u|m|DM,?[Yn]|MD,?Y|DM|MD|P?M,?[Yn]|P?M|P?S,?[Ys]|S|H,?Y|H|"
    "P?dY|P?[da]n|aY|P?d?E|P?Dc|P?c[rD]|P?rc|s|P?Y|D,Y|D|P?r"
)
_ITEM = re.compile(
    rf"(?:(?P<t1>P?N|[Tt]N?),?)?(?:(?P<w1>[Ww]),?)?(?P<date>{_DATE})?(?:,?(?P<w2>W)(?![,&-]?(?:D|i|u)))?"
    r"(?:,?(?P<t2>P?N|[Tt]N?))?"
)
_JOINER = re.compile(r",?&|,-?|-")


def read(said: str, facts: DateFacts, language: str) -> Reading | None:
    """What is said, or None where any part of it cannot be read."""
    found = tokens(said, facts, language)
    if not found:
        return None
    between = found[0].kind == "<"
    row = found[1:] if between else found
    kinds = "".join(token.kind for token in row).rstrip(",")
    if kinds == "DN" and cast("int", row[0].value) <= 12:
        row, kinds = row[1:], "N"  # "9 in the morning"
    if "r" in kinds and "c" not in kinds:
        return None
    items: list[re.Match[str]] = []
    joiners: list[str] = []
    at = len(kinds) - len(kinds.lstrip(","))
    while True:
        item = _ITEM.match(kinds, at)
        if item is None or item.end() == at:
            return None
        items.append(item)
        if item.end() == len(kinds):
            break
        joiner = _JOINER.match(kinds, item.end())
        if joiner is None or joiner.end() == len(kinds):
            return None
        joiners.append(joiner.group())
        at = joiner.end()
    return _reading(items, joiners, row, between)


def _reading(items: list[re.Match[str]], joiners: list[str], row: Sequence[Token], between: bool) -> Reading | None:
    pieces = [read_piece(item["date"], row[item.start("date") : item.end("date")]) for item in items if item["date"]]
    ranging = between or any("-" in joiner for joiner in joiners)
    known = completed([piece for piece in pieces if piece is not None], ranging)
    if None in pieces or known is None or len({piece.dated for piece in known}) > 1:
        return None
    weekdays = tuple(cast("int", row[item.start(name)].value) for item in items for name in ("w1", "w2") if item[name])
    clock = _clock(items, row)
    if clock is None or (pieces and len(pieces) < len(items)):
        return None
    joint: Joint = "one" if len(items) == 1 else "list" if not ranging else "range" if len(items) == 2 else "mixed"
    if between and len(items) < 2:
        return None
    if joint == "range" and len(known) == 2:
        known = _in_order(known)
        if known is None:
            return None
    alone = row[items[0].start("date")] if known and len(items) == 1 and not known[0].dated else None
    return Reading(
        pieces=tuple(known),
        joint=joint,
        weekdays=weekdays,
        clock=clock,
        season=known[0].season if alone is not None else None,
        holiday=cast("tuple[str, object, object]", alone.value)[0] if alone and items[0]["date"] == "H" else None,
        plural=any(item["w1"] == "w" for item in items),
        between=between,
    )


def _clock(items: list[re.Match[str]], row: Sequence[Token]) -> tuple[tuple[int, int], ...] | None:
    """The times of day; None where one may be in the morning or in the evening."""
    found: list[tuple[int, int]] = []
    for item in items:
        for name in ("t1", "t2"):
            if item[name]:
                said = {token.kind: token.value for token in row[item.start(name) : item.end(name)]}
                if "N" in said:
                    found.append(_in_part(cast("tuple[int, int]", said["N"]), said.get("T")))
                elif "T" in said:
                    found.append(cast("tuple[int, int]", said["T"]))
                elif item["date"] is None:
                    return None
    return tuple(found)


def _in_part(hours: tuple[int, int], time: object) -> tuple[int, int]:
    """The time in the part of the day that is said with it, of twelve hours or of 24; else that part."""
    first, last = hours[0] * 60, hours[1] * 60 - 1
    if time is not None:
        minute = cast("tuple[int, int]", time)[0]
        for known in (minute, minute + 720):
            if first <= known <= last:
                return known, known
    return first, last


def _in_order(pieces: list[Piece]) -> list[Piece] | None:
    first, second = pieces
    if first.days and second.days and first.days[0] > second.days[1]:
        return None if first.dated else pieces
    return pieces
