"""What training adds to the shapes of tokens: texts in another case."""

from __future__ import annotations

from sfumato.detectors.tagger import SHAPE_COUNT, SHAPES

_CASED = {SHAPES.index(name) for name in ("lower", "title", "upper", "mixed")}


def recased(to: str) -> list[int]:
    """A table from number to number that turns every cased shape into ``to``: a text in lower or upper case."""
    wanted = SHAPES.index(to)
    return [
        (wanted if number % len(SHAPES) in _CASED else number % len(SHAPES)) + number // len(SHAPES) * len(SHAPES)
        for number in range(SHAPE_COUNT)
    ]
