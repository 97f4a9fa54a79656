"""Tables with more columns than a terminal is wide: some columns below the others, no figure broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

_GAP = 2


def in_blocks(figures: Mapping[str, Sequence[Text]], beside: Sequence[str], width: int) -> list[list[str]]:
    """The names of the columns by table: each has as many as fit a width next to what stands ``beside`` them."""
    found: list[list[str]] = [[]]
    taken = start = sum(len(one) + _GAP for one in beside)
    for name, cells in figures.items():
        own = max((len(line) for cell in cells for line in cell.plain.splitlines()), default=0) + _GAP
        if found[-1] and taken + own > width:
            found.append([])
            taken = start
        found[-1].append(name)
        taken += own
    return found
