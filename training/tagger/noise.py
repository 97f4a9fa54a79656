"""Spoiling a text the way the world does, with its marks moved along."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable

from training.tagger.records import Mark

Text = tuple[str, list[Mark]]
Change = tuple[int, int, str]

_LOOKALIKE = {
    "0": "O",
    "O": "0",
    "1": "l",
    "l": "1",
    "I": "l",
    "5": "S",
    "S": "5",
    "8": "B",
    "m": "rn",
    "e": "c",
    "g": "q",
}


def rewritten(text: str, marks: Iterable[Mark], changes: list[Change]) -> Text:
    """The text after disjoint changes ``(start, end, new)``; a mark grows or shrinks with what changes inside it."""
    pieces, shifts, at, moved = [], list[tuple[int, int, int]](), 0, 0
    for start, end, new in sorted(changes):
        pieces += [text[at:start], new]
        moved += len(new) - (end - start)
        shifts.append((start, end, moved))
        at = end
    pieces.append(text[at:])

    def new_place(position: int) -> int:
        shift = 0
        for start, end, total in shifts:
            if end > position or (start == end == position):
                break
            shift = total
        return position + shift

    kept = [mark._replace(start=new_place(mark.start), end=new_place(mark.end)) for mark in marks]
    return "".join(pieces), [mark for mark in kept if mark.start < mark.end]


def lower(text: str, marks: list[Mark], rng: random.Random) -> Text:
    return _same_length(text, marks, str.lower)


def upper(text: str, marks: list[Mark], rng: random.Random) -> Text:
    return _same_length(text, marks, str.upper)


def _same_length(text: str, marks: list[Mark], change: Callable[[str], str]) -> Text:
    """Case letter by letter: "ß".upper() is two letters, and offsets are sacred."""
    return "".join(new if len(new := change(sign)) == 1 else sign for sign in text), marks


def ocr(text: str, marks: list[Mark], rng: random.Random) -> Text:
    """Look-alike letters and blanks that come and go."""
    changes: list[Change] = []
    for at, sign in enumerate(text):
        if sign in _LOOKALIKE and rng.random() < 0.03:
            changes.append((at, at + 1, _LOOKALIKE[sign]))
        elif sign == " " and rng.random() < 0.02:
            changes.append((at, at + 1, rng.choice(["", "  "])))
        elif sign.isalpha() and at > 0 and text[at - 1].isalpha() and rng.random() < 0.006:
            changes.append((at, at + 1, f" {sign}"))
    return rewritten(text, marks, changes)


def typos(text: str, marks: list[Mark], rng: random.Random) -> Text:
    """Letters dropped, doubled or swapped within a word."""
    changes: list[Change] = []
    skip = 0
    for found in re.finditer(r"(?<=\w)[^\W\d_]{2}", text):
        if found.start() >= skip and rng.random() < 0.025:
            pair = found.group()
            changes.append((found.start(), found.end(), rng.choice([pair[0], pair[1] + pair[0], pair[0] + pair])))
            skip = found.end() + 1
    return rewritten(text, marks, changes)


def no_punctuation(text: str, marks: list[Mark], rng: random.Random) -> Text:
    """Commas, colons and full stops gone, as in dictated or hasty text."""
    return rewritten(
        text, marks, [(found.start(), found.end(), "") for found in re.finditer(r"[,.:;!?](?=\s|$)", text)]
    )


def wrapped(text: str, marks: list[Mark], rng: random.Random) -> Text:
    """Lines broken at a narrow column, also inside names and addresses."""
    width, changes, line = rng.randint(28, 72), list[Change](), 0
    for found in re.finditer(r" ", text):
        if found.start() - line > width:
            changes.append((found.start(), found.end(), rng.choice(["\n", "\n", "\n  ", "\r\n"])))
            line = found.end()
    return rewritten(text, marks, changes)


def quoted(text: str, marks: list[Mark], rng: random.Random) -> Text:
    """Every line begins like a quoted mail."""
    return rewritten(text, marks, [(found.start(), found.start(), "> ") for found in re.finditer(r"^", text, re.M)])


NOISES: tuple[tuple[Callable[[str, list[Mark], random.Random], Text], float], ...] = (
    (typos, 0.10),
    (ocr, 0.12),
    (no_punctuation, 0.10),
    (wrapped, 0.12),
    (quoted, 0.03),
    (lower, 0.12),
    (upper, 0.06),
)
"""Each noise and how often it strikes; several may meet in one text."""


def spoiled(text: str, marks: list[Mark], rng: random.Random) -> Text:
    """The text after whichever noises strike."""
    for noise, chance in NOISES:
        if rng.random() < chance:
            text, marks = noise(text, marks, rng)
    return text, marks
