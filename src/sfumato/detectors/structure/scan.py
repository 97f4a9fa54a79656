"""Find the structured parts of a text in one pass for each format. What no format claims counts as prose."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import attrgetter

from sfumato.detectors.structure import lines as by_line
from sfumato.detectors.structure.code import find_code, find_statements, find_trace, lines_of
from sfumato.detectors.structure.markup import find_json, find_tags
from sfumato.detectors.structure.pieces import Piece, Region, Structure, in_order


def find_structure(text: str) -> Structure:
    """The pieces of a text. Where two formats claim a part, the first of those below has it."""
    claims = _Claims()
    claims.add_regions(find_json(text))
    claims.add_regions(find_tags(text))
    lines = lines_of(text)
    claims.add_regions(by_line.find_settings(lines, in_sections=True))
    claims.add_regions(find_statements(text, lines))
    claims.add_regions(find_code(text, lines))
    claims.add_regions(by_line.find_table(lines))
    claims.add_regions(by_line.find_settings(lines, in_sections=False))
    claims.add_regions(by_line.find_yaml(lines))
    stamps = list(by_line.find_times(text))
    claims.add_pieces(stamps)
    for find in (find_trace, by_line.find_log, by_line.find_header, by_line.find_columns):
        claims.add_pieces(piece for line in lines for piece in find(line))
    claims.add_pieces(by_line.find_cards(lines))
    claims.add_pieces(by_line.find_borders(text))
    return Structure(text, in_order(_with_stamps(claims.pieces, stamps)))


class _Claims:
    """Ranges of a text that a format has claimed, and their pieces."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._ranges: list[tuple[int, int]] = []

    def add_regions(self, regions: Iterable[Region]) -> None:
        """Regions that touch nothing claimed; of a region around claimed ones, the pieces beside them."""
        added: list[tuple[int, int]] = []
        for region in sorted(regions, key=attrgetter("start")):
            if not added or added[-1][1] <= region.start:
                self.pieces += [piece for piece in in_order(region.pieces) if self._is_free(piece.start, piece.end)]
                added.append((region.start, region.end))
        self._extend(added)

    def add_pieces(self, pieces: Iterable[Piece]) -> None:
        """Pieces that touch nothing claimed."""
        free = [piece for piece in in_order(pieces) if self._is_free(piece.start, piece.end)]
        self.pieces += free
        self._extend([(piece.start, piece.end) for piece in free])

    def _extend(self, added: list[tuple[int, int]]) -> None:
        merged: list[tuple[int, int]] = []
        for start, end in sorted([*self._ranges, *added]):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        self._ranges = merged

    def _is_free(self, start: int, end: int) -> bool:
        index = bisect_right(self._ranges, (start, end))
        is_before = index == len(self._ranges) or end <= self._ranges[index][0]
        return is_before and (index == 0 or self._ranges[index - 1][1] <= start)


def _with_stamps(pieces: Iterable[Piece], stamps: list[Piece]) -> Iterator[Piece]:
    """The pieces, with values cut around the time stamps in them."""
    starts = [stamp.start for stamp in stamps]
    for piece in pieces:
        if piece.kind != "value":
            yield piece
            continue
        position = piece.start
        index = bisect_right(starts, piece.start - 1)
        while index < len(stamps) and stamps[index].end <= piece.end:
            yield piece._replace(start=position, end=stamps[index].start)
            yield stamps[index]
            position = stamps[index].end
            index += 1
        yield piece._replace(start=position)
