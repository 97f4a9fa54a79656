"""How a token was written: its case or kind, and what stood before it.

The tokenizer is uncased and drops blanks, so "Will" and "will", or a new line in a form, look the same to it. One
number per token gives that back: ``shape + len(SHAPES) * gap``. Training and running share this module.
"""

from __future__ import annotations

from collections.abc import Sequence

SHAPES = ("special", "lower", "title", "upper", "mixed", "digits", "punctuation", "other")
GAPS = ("glued", "blank", "line")
COUNT = len(SHAPES) * len(GAPS)

_SHAPE = {name: number for number, name in enumerate(SHAPES)}


def shape(piece: str) -> int:
    """The shape of a token as it stands in the original text."""
    if piece.islower():
        name = "lower" if piece.isalpha() else "mixed"
    elif piece.isupper():
        name = "upper" if piece.isalpha() else "mixed"
    elif piece.istitle() and piece.isalpha():
        name = "title"
    elif piece.isdigit():
        name = "digits"
    elif not any(map(str.isalnum, piece)):
        name = "punctuation"
    elif piece.lower() != piece.upper():
        name = "mixed"
    else:
        name = "other"
    return _SHAPE[name]


def shape_ids(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """One number per token; a text begins as if after a line break. Special tokens, which have no text, are 0."""
    numbers, before = [], 0
    for start, end in offsets:
        between = text[before:start]
        gap = 2 if before == 0 == start or "\n" in between or "\r" in between else int(between != "")
        numbers.append(shape(text[start:end]) + len(SHAPES) * gap)
        before = end
    return numbers
