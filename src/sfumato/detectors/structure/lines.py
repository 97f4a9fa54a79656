"""Structure by the line: logs, key and value pairs, tables, headers of mails, cards, columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sfumato.detectors.structure.code import Line
from sfumato.detectors.structure.pieces import Piece, Region, Style
from sfumato.lexicon.name_lists import common_words, given_names
from sfumato.lexicon.tables import words
from sfumato.lexicon.tokens import alternation

_PACKAGE = "sfumato.detectors"
_LEVELS = alternation(words("structure", "levels", package=_PACKAGE))
_HEADERS = alternation(words("structure", "headers", package=_PACKAGE))
_PLAIN_HEADERS = alternation(words("structure", "plain_headers", package=_PACKAGE))

_CLOCK = r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_ZONE = r"(?: ?(?:Z\b|[+-]\d{2}:?\d{2}\b|UTC\b))?"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
TIME = re.compile(
    rf"(?<![\d.-])(?:\d{{4}}-\d{{2}}-\d{{2}}[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:[.,]\d{{1,9}})?)?{_ZONE}"
    rf"|\d{{8}}T\d{{4,6}}Z?\b|\d{{2}}/{_MONTH}/\d{{4}}:\d{{2}}:\d{{2}}:\d{{2}}(?: [+-]\d{{4}})?"
    rf"|(?:{_DAY},? )?(?:{_MONTH} +\d{{1,2}}|\d{{1,2}} {_MONTH} \d{{4}}) {_CLOCK}(?: \d{{4}}\b)?{_ZONE}"
    r"|\d{2}:\d{2}:\d{2}[.,]\d{3,9})(?![\d:])"
)
"""A time stamp as programs write it. A date alone or a clock time alone is left to the detectors."""

_LOG_START = re.compile(
    rf"[ \t]*+(?:<\d{{1,3}}>)?\[?{TIME.pattern}\]?(?P<head>[ \t]*+(?:\[[\w .#:-]*\][ \t]*+)*"
    rf"(?:(?P<level>(?:{_LEVELS})\b(?:\[[\w-]*\])*)[ \t]*+(?:\[[\w .#:/-]*\][ \t]*+)*"
    r"(?:[A-Za-z][\w$/]*(?:[.][\w$]+)*(?:[ \t]+-[ \t]|:(?=[ \t])))?)?)"
)
_PROCESS = re.compile(r"(?<![\w.])[A-Za-z][\w./-]*\[\d+\]:?")
_LEVEL = re.compile(rf"(?<![\w-])(?:{_LEVELS})(?![\w-])")
_ACCESS = re.compile(
    r"\S+ \S+ \S+ \[[^\]\n]+\] \"(?P<method>[A-Z]{3,8}) (?P<path>\S*)(?P<version> HTTP/[\d.]+)?\""
    r"(?P<status>(?: (?:\d+|-))*)"
)
_REQUEST = re.compile(
    r"(?<![\w/])(?P<method>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?P<path>/\S*)(?P<version> HTTP/[\d.]+)?"
)
_PATH_PART = re.compile(r"/(?P<word>[a-z]{3,})(?=[/?#\s]|$)|/v\d{1,2}(?=[/?#\s]|$)|[/?&#]|(?<=[?&])[\w.-]+=")
_AGENT = re.compile(
    r"Mozilla/\d\.\d(?: \([^)\n]*\))?(?: [A-Za-z]+/[\w.]+(?: \([^)\n]*\))?)*"
    r"|(?<![\w.@/-])(?:HTTP|curl|Wget|okhttp|python-requests|PostmanRuntime|kube-probe|Go-http-client|Dalvik|axios|node-fetch|Java|libwww-perl)/[\d.]+[\d]"
)
_BOOT = re.compile(r"\[ *\d+\.\d{6}\]")
_PAIR = re.compile(
    r"""(?<![\w&?/.#%=@-])(?P<key>[A-Za-z_][\w.-]{0,40})=(?:"(?P<double>[^"\n]*+)"|'(?P<single>[^'\n]*+)'|(?P<bare>[^\s,;)\]}>"'=|][^\s,;)\]}>"'|]*+))"""
)
_ASSIGNMENT = re.compile(
    r"""[ \t]*+(?:export[ ]|set[ ])?(?P<key>[A-Za-z_][\w.-]{0,60})[ \t]*+=[ \t]*+
    (?:"(?P<double>(?:[^"\\\n]|\\.)*+)" | '(?P<single>[^'\n]*+)' | (?P<bare>[^\n]*?))
    (?:[ \t]++[\#;][^\n]*)?[ \t\r]*+$""",
    re.VERBOSE,
)
_SECTION = re.compile(r"[ \t]*+\[{1,2}(?P<name>[\w.:-]+)(?: \"[^\"\n]*\")?\]{1,2}[ \t\r]*+$")
_TOML_LITERAL = re.compile(r"-?\d[\d_.:TZ+-]*|true|false|\[.*\]|\{.*\}")
_NUMERIC = re.compile(r"-?\d[\d_.:TZ+-]*")
_FEWEST_PAIRS = 2
_COMMENT = re.compile(r"[ \t]*+[#;]")

_YAML = re.compile(
    r"""(?P<indent>[ ]*+)(?:-[ ]+)*(?P<key>[A-Za-z_][\w./-]{0,60} | "[^"\n]{1,60}"):(?P<gap>[ ]+|$)
    (?:(?P<quote>["'])(?P<quoted>.*?)(?P=quote)[ ]*$ | (?P<plain>.*?)(?:[ ]+\#.*)?$)""",
    re.VERBOSE,
)
_FEWEST_KEYS = 3
_YAML_ITEM = re.compile(r"(?P<indent>[ ]*+)-[ ]+(?P<plain>[^\s].*)$")

_CARD_START = re.compile(r"BEGIN:(?:VCARD|VCALENDAR|VEVENT|VTODO)\s*$")
_CARD_LINE = re.compile(r"(?P<head>[A-Z][A-Z0-9-]*(?:;[A-Z-]+=(?:\"[^\"\n]*\"|[^:;\n]*))*:)(?P<value>.*)$")
_CARD_PLAIN = frozenset("BEGIN END VERSION PRODID CALSCALE METHOD".split())

_MAIL_HEADER = re.compile(
    rf"(?:>[ >]*)?(?:(?P<name>(?:{_HEADERS}):)|(?P<plain>(?:{_PLAIN_HEADERS}):.*))", re.IGNORECASE
)
_HEADER_CELL = re.compile(r"[ \t]*\"?[^\W\d][\w .()/%#-]{0,40}\"?[ \t]*")
_CELLS = {separator: re.compile(rf'(?:"(?:[^"\n]|"")*+"|[^{re.escape(separator)}"\n]*+)') for separator in ",;\t"}
_FEWEST_ROWS, _FEWEST_CELLS = 3, 3

_COLUMN = re.compile(r"(?<=\S)(?:[ \u00a0]{3,}|[ \u00a0]*\t[ \u00a0\t]*)(?=\S)|\|")
_NARROW_COLUMN = re.compile(r"(?<=\S)  (?=\S)")
_PARAGRAPH = re.compile(r"\n[ \t\r\u00a0]*+\n\s*+")
_FIELD_LINE = re.compile(r"\n(?=[ \t]*[^\W\d_][\w ./()-]{0,30}:[ \t])")


def find_borders(text: str) -> Iterator[Piece]:
    """What no span crosses in any text: blank lines, columns, the beginning of the next field of a form."""
    for border in _PARAGRAPH.finditer(text):
        yield Piece(*border.span(), "fixed")
    for border in _FIELD_LINE.finditer(text):
        yield Piece(*border.span(), "fixed")


def find_times(text: str) -> Iterator[Piece]:
    """Time stamps: a span takes in all of one or none."""
    if ":" in text or "T" in text:
        for stamp in TIME.finditer(text):
            yield Piece(*stamp.span(), "time")


def find_columns(line: Line) -> Iterator[Piece]:
    """The gaps between the columns of a line."""
    if "  " not in line.text and "\t" not in line.text and "|" not in line.text and "\u00a0" not in line.text:
        return
    gaps = list(_NARROW_COLUMN.finditer(line.text))
    for gap in (*_COLUMN.finditer(line.text), *(gaps if len(gaps) > 1 else ())):
        yield Piece(line.start + gap.start(), line.start + gap.end(), "fixed")


def find_log(line: Line) -> Iterator[Piece]:
    """Levels, loggers, processes, requests and agents of a log line, and pairs of key and value in any line."""
    string, offset = line.text, line.start
    start = _LOG_START.match(string)
    if start is not None:
        if start["level"]:
            yield Piece(offset + start.start("head"), offset + start.end("head"), "name")
        elif level := _LEVEL.search(string, start.end()):
            yield Piece(offset + level.start(), offset + level.end(), "fixed")
    elif boot := _BOOT.match(string):
        yield Piece(offset, offset + boot.end(), "fixed")
    if "[" in string:
        for process in _PROCESS.finditer(string):
            yield Piece(offset + process.start(), offset + process.end(), "name")
    if "/" in string:
        yield from _requests(line)
        for agent in _AGENT.finditer(string):
            yield Piece(offset + agent.start(), offset + agent.end(), "fixed")
    if "=" in string:
        yield from _pairs(line)


def _requests(line: Line) -> Iterator[Piece]:
    access = _ACCESS.match(line.text)
    request = access or _REQUEST.search(line.text)
    if request is None:
        return
    for group in ("method", "version", "status") if access else ("method", "version"):
        if request[group]:
            yield Piece(line.start + request.start(group), line.start + request.end(group), "fixed")
    for part in _PATH_PART.finditer(line.text, *request.span("path")):
        is_name = part["word"] in given_names() and part["word"] not in common_words()
        yield Piece(line.start + part.start(), line.start + (part.start() + 1 if is_name else part.end()), "fixed")


def _pairs(line: Line) -> Iterator[Piece]:
    for pair in _PAIR.finditer(line.text):
        group = "double" if pair["double"] is not None else "single" if pair["single"] is not None else "bare"
        start, end = line.start + pair.start(group), line.start + pair.end(group)
        yield Piece(line.start + pair.start("key"), line.start + pair.end("key"), "name")
        yield Piece(line.start + pair.end("key"), start, "fixed")
        if group != "bare":
            yield Piece(start, end, "value", '"' if group == "double" else "'")
            yield Piece(end, end + 1, "fixed")
        elif not TIME.match(line.text, pair.start(group)):
            yield Piece(start, end, "value")


def find_settings(lines: Sequence[Line], *, in_sections: bool) -> Iterator[Region]:
    """Files of ``key = value`` lines (INI, TOML, environment): with sections, or else at least two in a row."""
    block: list[tuple[Line, re.Match[str]]] = []
    has_section = False
    for line in (*lines, Line(0, 0, "\0")):
        setting = _SECTION.match(line.text) or _ASSIGNMENT.match(line.text)
        if setting is not None:
            has_section = has_section or setting.re is _SECTION
            block.append((line, setting))
        elif line.text.strip() and not _COMMENT.match(line.text):
            pairs = [(place, pair) for place, pair in block if pair.re is _ASSIGNMENT]
            if has_section == in_sections and len(pairs) >= (1 if has_section else _FEWEST_PAIRS):
                pieces = [*_section_pieces(block), *_setting_pieces(pairs)]
                yield Region(block[0][0].start, block[-1][0].end, pieces)
            block, has_section = [], False


def _section_pieces(block: Sequence[tuple[Line, re.Match[str]]]) -> Iterator[Piece]:
    for line, section in block:
        if section.re is _SECTION:
            yield Piece(line.start, line.start + section.start("name"), "fixed")
            yield Piece(line.start + section.start("name"), line.start + section.end("name"), "name")


def _setting_pieces(pairs: Sequence[tuple[Line, re.Match[str]]]) -> Iterator[Piece]:
    # A file with strings in quotes is TOML or code: there a number cannot be replaced by words without quotes.
    is_typed = any(pair["double"] is not None for _, pair in pairs) and all(
        pair["bare"] is None or _TOML_LITERAL.fullmatch(pair["bare"]) for _, pair in pairs
    )
    for line, pair in pairs:
        group = "double" if pair["double"] is not None else "single" if pair["single"] is not None else "bare"
        start, end = line.start + pair.start(group), line.start + pair.end(group)
        yield Piece(line.start + pair.start("key"), line.start + pair.end("key"), "name")
        yield Piece(line.start + pair.end("key"), start, "fixed")
        if group != "bare":
            quote: tuple[str, Style] = ('"', "json") if group == "double" else ("'", "plain")
            yield Piece(start, end, "value", *quote)
            yield Piece(end, end + 1, "fixed")
        elif is_typed and _NUMERIC.fullmatch(pair["bare"]):
            yield Piece(start, end, "number", '"', "json")
        elif not is_typed or not _TOML_LITERAL.fullmatch(pair["bare"]):
            yield Piece(start, end, "value")


def find_yaml(lines: Sequence[Line]) -> Iterator[Region]:
    """Nested mappings of YAML. Lines of one level alone may be a form or a chat, and are prose."""
    block: list[tuple[Line, re.Match[str]]] = []
    for line in (*lines, Line(0, 0, "\0")):
        entry = _YAML.match(line.text) or (_YAML_ITEM.match(line.text) if block else None)
        if entry is not None:
            block.append((line, entry))
        elif line.text.strip() and not _COMMENT.match(line.text) and line.text.strip() != "---":
            if _is_nested([entry for _, entry in block]):
                yield Region(block[0][0].start, block[-1][0].end, list(_yaml_pieces(block)))
            block = []


def _is_nested(entries: Sequence[re.Match[str]]) -> bool:
    """Whether there are at least three keys, and one of them opens a mapping or a list."""

    def opens(entry: re.Match[str], following: re.Match[str]) -> bool:
        is_list = following.group().lstrip().startswith("- ")
        depth = len(following["indent"]) - len(entry["indent"])
        return _has_key(entry) and not entry["gap"] and (depth > 0 or (depth == 0 and is_list))

    return sum(map(_has_key, entries)) >= _FEWEST_KEYS and any(opens(*pair) for pair in pairwise(entries))


def _has_key(entry: re.Match[str]) -> bool:
    return entry.re is _YAML


def _yaml_pieces(block: Sequence[tuple[Line, re.Match[str]]]) -> Iterator[Piece]:
    for line, entry in block:
        offset = line.start
        if _has_key(entry):
            yield Piece(offset + entry.start("key"), offset + entry.end("key"), "name")
            group = "plain" if entry["quote"] is None else "quoted"
            yield Piece(offset + entry.end("key"), offset + entry.start(group), "fixed")
            quote = entry["quote"] or ""
        else:
            group, quote = "plain", ""
            yield Piece(offset, offset + entry.start("plain"), "fixed")
        start, end = offset + entry.start(group), offset + entry.end(group)
        if quote:
            yield Piece(start, end, "value", quote, "json" if quote == '"' else "sql")
            yield Piece(end, end + 1, "fixed")
        elif line.text[entry.start(group) : entry.end(group)][:1] not in ("", "{", "[", "|", ">"):
            yield Piece(start, end, "value", "", "yaml")


def find_cards(lines: Sequence[Line]) -> Iterator[Piece]:
    """vCards and calendars: the names of their properties, and the borders of their parts."""
    is_inside = 0
    for line in lines:
        string = line.text
        if _CARD_START.match(string):
            is_inside += 1
        entry = _CARD_LINE.match(string) if is_inside else None
        if entry is not None:
            name = re.split("[;:]", entry["head"], maxsplit=1)[0]
            yield Piece(line.start, line.start + entry.end("head"), "fixed")
            if name in _CARD_PLAIN:
                yield Piece(line.start + entry.start("value"), line.end, "fixed")
            else:
                for border in re.finditer(r"(?<!\\);+", entry["value"]):
                    start = line.start + entry.start("value")
                    yield Piece(start + border.start(), start + border.end(), "fixed")
        if string.startswith("END:"):
            is_inside = max(0, is_inside - 1)


def find_header(line: Line) -> Iterator[Piece]:
    """The names of mail headers, and headers that say nothing about anyone."""
    if ":" in line.text[:30] and (header := _MAIL_HEADER.match(line.text)):
        group = "name" if header["name"] else "plain"
        yield Piece(line.start + header.start(group), line.start + header.end(group), "fixed")


def find_table(lines: Sequence[Line]) -> Iterator[Region]:
    """Tables with a header and cells between commas, semicolons or tabs."""
    number = 0
    while number < len(lines):
        size, separator = _rows(lines, number)
        if size:
            rows = lines[number : number + size]
            pieces = [piece for row in rows for piece in _cells(row, separator, is_header=row is rows[0])]
            yield Region(rows[0].start, rows[-1].end, pieces)
        number += max(size, 1)


def _rows(lines: Sequence[Line], first: int) -> tuple[int, str]:
    header = lines[first].text
    for separator in ",;\t":
        count = header.count(separator)
        if count + 1 < _FEWEST_CELLS or not all(map(_HEADER_CELL.fullmatch, header.split(separator))):
            continue
        last = first + 1
        while last < len(lines) and len(_split(lines[last].text, separator)) == count + 1:
            last += 1
        if last - first >= _FEWEST_ROWS:
            return last - first, separator
    return 0, ""


def _split(row: str, separator: str) -> list[tuple[int, int]]:
    cells, position = [], 0
    while cell := _CELLS[separator].match(row, position):
        cells.append(cell.span())
        position = cell.end()
        if not row.startswith(separator, position):
            break
        position += 1
    return cells if position == len(row) else []


def _cells(line: Line, separator: str, *, is_header: bool) -> Iterator[Piece]:
    for start, end in _split(line.text, separator):
        is_quoted = line.text.startswith('"', start) and end - start > 1
        inner = (line.start + start + is_quoted, line.start + end - is_quoted)
        if inner[0] > line.start:
            yield Piece(line.start + start - (start > 0), inner[0], "fixed")
        if is_header:
            yield Piece(*inner, "name")
        else:
            yield Piece(*inner, "value", separator, "plain" if is_quoted else "cell")
        if is_quoted:
            yield Piece(inner[1], inner[1] + 1, "fixed")
