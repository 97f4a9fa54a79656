"""Tables in a text: rows of cells between commas, semicolons, tabs or bars, recognized by reading them.

Rows belong together that have the same number of cells. What keeps prose out is that nobody writes a comma without a
blank after it: where blanks stand after the separators, there must be a header and several rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

from sfumato.detectors.structured_lines import TIME, Line, Piece, Region
from sfumato.lexicon.name_lists import common_words, family_names, given_names
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.tokens import lazy_pattern

SEPARATORS = ",;\t|"
_EMPTY = "-"
_NO_SEPARATOR = "\x1f"
"""Of tables of one column."""
_LONGEST_CELL = 1_000
"""Characters of a cell in quotes, which may hold line breaks: a quote that is never closed costs no more."""
_CELLS = {
    separator: lazy_pattern(
        rf'"(?:[^"]|""){{0,{_LONGEST_CELL}}}+"(?=[{re.escape(separator)}\r\n]|\Z)|(?!")[^{re.escape(separator)}\n]*+'
    )
    for separator in SEPARATORS
}
_HEADER_CELL = lazy_pattern(r"[^\W\d][\w .()/%#-]{0,40}")
_FEWEST_ROWS, _FEWEST_CELLS = 3, 3
"""Of tables with blanks after the separators."""
_THOUSANDS = lazy_pattern(r"\d,\d{3}(?!\d)")
_COMMA_OF_PROSE = lazy_pattern(r"(?<=\d),(?=\d{1,3}(?!\d))|,\s*\Z")
_AMOUNT = lazy_pattern(r"\W{0,3}\d{1,3}(?:,\d{3})+(?:\.\d+)?\W{0,3}")
_RULE = lazy_pattern(r"[ |:-]*-[ |:-]*")
_WORDS = lazy_pattern(r"[^\W\d_]+")
_CODE_CELL = lazy_pattern(
    r'"(?:[^"\n]|""){0,200}+"|-|\S+@\S+|(?=.{0,60}\d)[A-Z]{0,4}[-+(]{0,2}\d[\dA-Z .,:/+()-]{0,60}'
)
"""A line that is a number, a date, a code or a mail address, or stands in quotes."""
_SHORT_CELL = lazy_pattern(r"[^\W\d_][^\s,;:|]*(?: [^\s,;:|]+){0,2}(?<![.!?])")
_COLUMNS = word_set("structure", "columns")
_SHORT_ABBREVIATION = 5


class Row(NamedTuple):
    """A row with the ranges of its cells, quotes included."""

    start: int
    end: int
    cells: list[tuple[int, int]]


def find_tables(text: str, lines: Sequence[Line]) -> Iterator[Region]:
    """Tables of two columns or more."""
    position = 0
    refused = dict.fromkeys(SEPARATORS, 0)
    for line in lines:
        for separator in SEPARATORS if line.start >= position else "":
            if separator not in line.text or line.start < refused[separator]:
                continue
            rows = _read_rows(text, line.start, separator)
            if _is_table(text, rows, separator):
                # A single row may be prose or code: it is cut at its separators, and not held to be a table.
                form = f"table {separator}" if len(rows) > 1 else ""
                yield Region(rows[0].start, rows[-1].end, list(_pieces(text, rows, separator)), form)
                position = rows[-1].end + 1
                break
            refused[separator] = rows[-1].end if rows else line.end


def find_lists(text: str, lines: Sequence[Line]) -> Iterator[Region]:
    """Tables of one column: paragraphs whose lines are numbers, codes, mail addresses or a few words without a stop."""
    block: list[Line] = []
    for line in (*lines, Line(0, 0, "")):
        string = line.text.rstrip()
        if string and (_CODE_CELL.fullmatch(string) or _SHORT_CELL.fullmatch(string)):
            block.append(line)
            continue
        codes = sum(_CODE_CELL.fullmatch(each.text.rstrip()) is not None for each in block)
        empty = sum(each.text.rstrip() == _EMPTY for each in block)
        is_list = codes >= len(block) - 1 or (codes == empty and not string)
        if len(block) > 1 and is_list:
            rows = [Row(each.start, each.end, [(each.start, each.end)]) for each in block]
            may_have_header = codes > empty or block[0].text.strip().casefold() in _COLUMNS
            pieces = list(_pieces(text, rows, ",", may_have_header=may_have_header))
            yield Region(block[0].start, block[-1].end, pieces, f"table {_NO_SEPARATOR}")
        block = []


def _read_row(text: str, start: int, separator: str) -> Row | None:
    """The row that begins at an offset, where a line does; None where a quote in it is not closed."""
    cells, position, pattern = [], start, _CELLS[separator]
    while cell := pattern.match(text, position):
        cells.append(cell.span())
        position = cell.end()
        if not text.startswith(separator, position):
            break
        position += 1
    end = position + text.startswith("\r", position)
    return Row(start, position, cells) if cells and (end == len(text) or text[end] == "\n") else None


def _read_rows(text: str, start: int, separator: str) -> list[Row]:
    """Rows with as many cells as the first one, and like it with or without blanks after the separators."""
    rows: list[Row] = []
    while start <= len(text) and (row := _read_row(text, start, separator)) is not None:
        if rows and (
            len(row.cells) != len(rows[0].cells)
            or (separator in ",;" and _is_spaced(text, row) != _is_spaced(text, rows[0]))
        ):
            break
        rows.append(row)
        start = text.find("\n", row.end) + 1 or len(text) + 1
    return rows


def _is_spaced(text: str, row: Row) -> bool:
    return any(text[start : start + 1] == " " for start, _ in row.cells[1:])


def _is_table(text: str, rows: Sequence[Row], separator: str) -> bool:
    size = len(rows[0].cells) if rows else 0
    if size < 2:
        return False
    strings = [text[row.start : row.end] for row in rows]
    if separator in ",;" and _is_spaced(text, rows[0]):
        header = [text[slice(*cell)].strip().strip('"') for cell in rows[0].cells]
        return size >= _FEWEST_CELLS and len(rows) >= _FEWEST_ROWS and all(map(_HEADER_CELL.fullmatch, header))
    if separator == ",":
        of_prose = sum(_is_amount_in_prose(string) for string in strings)
        has_header = of_prose < len(rows) > 1 and _has_header(_contents(text, rows))
        if 2 * of_prose > len(rows) and not has_header:
            return False
        if any("," in stamp.group() for string in strings for stamp in TIME.finditer(string)):
            return False
    is_quoted = all(string.startswith('"') and string.endswith('"') for string in strings)
    return len(rows) > 1 or is_quoted or (size >= _FEWEST_CELLS and not _is_spaced(text, rows[0]))


def _is_amount_in_prose(row: str) -> bool:
    """Whether the comma of a row may be that of 1,200: the row is such an amount, or several words stand beside it.

    So may all commas of a row that are within numbers (24,90) or at its end, where a line of prose is wrapped.
    """
    if _THOUSANDS.search(row) is None and "," in _COMMA_OF_PROSE.sub("", row):
        return False
    return _AMOUNT.fullmatch(row.strip()) is not None or any(
        len(cell.split()) > 2 and _WORDS.search(cell) for cell in row.split(",")
    )


def _contents(text: str, rows: Sequence[Row]) -> list[list[str]]:
    return [[text[slice(*cell)].strip().strip('"') for cell in row.cells] for row in rows]


def _has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: it has no values, and a column below it has other things than words."""
    head, body = rows[0], rows[1:]
    if len(head) == 1 and head[0].casefold() in _COLUMNS:
        return True
    if not any(head) or not all(_HEADER_CELL.fullmatch(cell) for cell in head if cell):
        return False
    names = [word for cell in head for word in _WORDS.findall(cell) if _is_name(word)]
    if 2 * len(names) >= len(head) or not all(map(str.islower, names)):
        return False
    for column in zip(*body, strict=True):
        if (cells := [cell for cell in column if cell.strip(_EMPTY)]) and all(
            any(map(str.isdigit, cell)) or "@" in cell for cell in cells
        ):
            return True
    return all(map(_is_plain, filter(None, head))) and not all(_is_plain(cell) for row in body for cell in row if cell)


def _is_name(word: str) -> bool:
    folded = word.casefold()
    return folded in given_names() and folded not in common_words()


def _is_plain(cell: str) -> bool:
    """Whether a cell is words that are nobody's name: in small letters, an abbreviation, or words of the language."""
    words = _WORDS.findall(cell)
    if not words or any(map(_is_name, words)):
        return False
    folded = [word.casefold() for word in words]
    return (
        cell.islower()
        or (cell.isupper() and len(cell) <= _SHORT_ABBREVIATION)
        or all(word in common_words() and word not in family_names() for word in folded)
    )


def _pieces(text: str, rows: Sequence[Row], separator: str, *, may_have_header: bool = True) -> Iterator[Piece]:
    contents = _contents(text, rows)
    has_header = may_have_header and len(rows) > 1 and _has_header(contents)
    position = rows[0].start
    for row in rows:
        if _RULE.fullmatch(text, row.start, row.end):
            continue  # the line below the header of a Markdown table
        for (start, end), header in zip(row.cells, contents[0] if has_header else repeat(""), strict=False):
            string = text[start:end]
            is_quoted = len(string) > 1 and string[0] == '"' == string[-1]
            inner = string[1:-1] if is_quoted else string.strip()
            start += 1 if is_quoted else len(string) - len(string.lstrip())
            if inner:
                yield Piece(position, start, "fixed")
                position = start + len(inner)
                if has_header and row is rows[0]:
                    yield Piece(start, position, "name")
                elif is_quoted:
                    yield Piece(start, position, "value", '"', "quoted", header=header)
                else:
                    yield Piece(start, position, "value", separator, "cell", header=header)
    yield Piece(position, rows[-1].end, "fixed")
