"""Structured text by the line: logs, settings, tables, headers, source code, SQL, stack traces, and their pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Literal, NamedTuple

from sfumato.lexicon.name_lists import common_words, given_names
from sfumato.lexicon.tables import word_set, words
from sfumato.lexicon.tokens import alternation, lazy_pattern, without_case

Kind = Literal["fixed", "name", "value", "number", "part", "time"]
"""``fixed``: punctuation, keywords, tags, which never change. ``name``: keys and identifiers, which change only where
they hold an identifier of someone. ``value``: text that a span may lie in and never leaves. ``number``: a literal
without quotes. ``time``: a time stamp; both are replaced as a whole. ``part``: a number of which a part must stay, and
which becomes a string where the rest is replaced."""
Style = Literal["plain", "json", "code", "sql", "markup", "cell", "quoted", "json in cell", "raw", "yaml", "comment"]
"""How text is written in a value: with backslashes (JSON, code), doubled quotes (SQL, cells in quotes), references;
without separators (cells without quotes), without quotes (raw) or without line breaks (comments)."""


class Piece(NamedTuple):
    """``text[start:end]`` is of a kind; ``quote`` is put around a number that becomes text.

    ``depth``: how many strings of JSON it stands in, each of which escapes it once more.
    """

    start: int
    end: int
    kind: Kind
    quote: str = ""
    style: Style = "plain"
    depth: int = 0
    header: str = ""
    """What the column of a cell is called."""


class Region(NamedTuple):
    """A range of a text in one format, with its pieces. What lies between them is prose: comments, free text."""

    start: int
    end: int
    pieces: list[Piece]
    format: str = ""
    """How it is read again after replacing (``structure_check``); empty where nothing checks it."""


def in_order(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces sorted by their place, those left out that begin before an earlier one ends."""
    ordered: list[Piece] = []
    for piece in sorted(pieces, key=attrgetter("start", "end")):
        if piece.end > piece.start and (not ordered or piece.start >= ordered[-1].end):
            ordered.append(piece)
    return ordered


class Line(NamedTuple):
    """A line without its end."""

    start: int
    end: int
    text: str


def lines_of(text: str) -> list[Line]:
    """All lines of a text."""
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append(Line(start, start + len(line), line))
        start += len(line) + 1
    return lines


# Logs, settings, tables, headers, cards, columns.

_LEVELS = alternation(words("structure", "levels"))
_HEADERS = alternation(words("structure", "headers"))
_PLAIN_HEADERS = alternation(words("structure", "plain_headers"))

_CLOCK = r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_ZONE = r"(?: ?(?:Z\b|[+-]\d{2}:?\d{2}\b|UTC\b))?"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
TIME = lazy_pattern(
    rf"(?<![\d.-])(?:\d{{4}}-\d{{2}}-\d{{2}}[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:[.,]\d{{1,9}})?)?{_ZONE}"
    rf"|\d{{8}}T\d{{4,6}}Z?\b|\d{{2}}/{_MONTH}/\d{{4}}:\d{{2}}:\d{{2}}:\d{{2}}(?: [+-]\d{{4}})?"
    rf"|(?:{_DAY},? )?(?:{_MONTH} +\d{{1,2}}|\d{{1,2}} {_MONTH} \d{{4}}) {_CLOCK}(?: \d{{4}}\b)?{_ZONE}"
    r"|\d{2}:\d{2}:\d{2}[.,]\d{3,9})(?![\d:])"
)
"""A time stamp as programs write it. A date alone or a clock time alone is left to the detectors."""
_CLOCK_TIME, _TIME_AFTER_DATE = lazy_pattern(r":\d\d"), lazy_pattern(r"T\d{4}")
"""A time stamp has one of these, which are found many times faster."""

_LOG_START = lazy_pattern(
    rf"[ \t]*+(?:<\d{{1,3}}>)?\[?{TIME.pattern}\]?(?P<head>[ \t]*+(?:\[[\w .#:-]*\][ \t]*+)*"
    rf"(?:(?P<level>(?:{_LEVELS})\b(?:\[[\w-]*\])*)[ \t]*+(?:\[[\w .#:/-]*\][ \t]*+)*"
    r"(?:[A-Za-z][\w$/]*(?:[.][\w$]+)*(?:[ \t]+-[ \t]|:(?=[ \t])))?)?)"
)
_PROCESS = lazy_pattern(r"(?<![\w.])[A-Za-z][\w./-]*\[\d+\]:?")
_LEVEL = lazy_pattern(rf"(?<![\w-])(?:{_LEVELS})(?![\w-])")
_ACCESS = lazy_pattern(
    r"\S+ \S+ \S+ \[[^\]\n]+\] \"(?P<method>[A-Z]{3,8}) (?P<path>\S*)(?P<version> HTTP/[\d.]+)?\""
    r"(?P<status>(?: (?:\d+|-))*)"
)
_REQUEST = lazy_pattern(
    r"(?<![\w/])(?P<method>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?P<path>/\S*)(?P<version> HTTP/[\d.]+)?"
)
_PATH_PART = lazy_pattern(r"/(?P<word>[a-z]{3,})(?=[/?#\s]|$)|/v\d{1,2}(?=[/?#\s]|$)|[/?&#]|(?<=[?&])[\w.-]+=")
_AGENT = lazy_pattern(
    r"Mozilla/\d\.\d(?: \([^)\n]*\))?(?: [A-Za-z]+/[\w.]+(?: \([^)\n]*\))?)*"
    r"|(?<![\w.@/-])(?:HTTP|curl|Wget|okhttp|python-requests|PostmanRuntime|kube-probe|Go-http-client|Dalvik|axios|node-fetch|Java|libwww-perl)/[\d.]+[\d]"
)
_BOOT = lazy_pattern(r"\[ *\d+\.\d{6}\]")
_PAIR = lazy_pattern(
    r"""(?<![\w&?/.#%=@-])(?P<key>[A-Za-z_][\w.-]{0,40})=(?:"(?P<double>[^"\n]*+)"|'(?P<single>[^'\n]*+)'|(?P<bare>[^\s,;)\]}>"'=|][^\s,;)\]}>"'|]*+))"""
)
_ASSIGNMENT = re.compile(
    r"""[ \t]*+(?:export[ ]|set[ ])?(?P<key>[A-Za-z_][\w.-]{0,60})[ \t]*+=[ \t]*+
    (?:"(?P<double>(?:[^"\\\n]|\\.)*+)" | '(?P<single>[^'\n]*+)' | (?P<bare>[^\n]*?))
    (?:[ \t]++[\#;][^\n]*)?[ \t\r]*+$""",
    re.VERBOSE,
)
_SECTION = re.compile(r"[ \t]*+\[{1,2}(?P<name>[\w.:-]+)(?: \"(?P<part>[^\"\n]*)\")?\]{1,2}[ \t\r]*+$")
_TOML_LITERAL = lazy_pattern(r"-?\d[\d_.:TZ+-]*|true|false|\[.*\]|\{.*\}")
_NUMERIC = lazy_pattern(r"-?\d[\d_.:TZ+-]*")
_FEWEST_PAIRS = 2
_COMMENT = re.compile(r"[ \t]*+[#;]")

_CARD_START = lazy_pattern(r"BEGIN:(?:VCARD|VCALENDAR|VEVENT|VTODO)\s*$")
_CARD_LINE = lazy_pattern(r"(?P<head>[A-Z][A-Z0-9-]*(?:;[A-Z-]+=(?:\"[^\"\n]*\"|[^:;\n]*))*:)(?P<value>.*)$")
_CARD_PLAIN = word_set("structure", "plain_properties")

_MAIL_HEADER = lazy_pattern(
    rf"(?:>[ >]*)?(?:(?P<name>(?:{_HEADERS}):)|(?P<plain>(?:{_PLAIN_HEADERS}):.*))", re.IGNORECASE
)

_COLUMN = lazy_pattern(r"(?<=\S)(?:[ \u00a0]{3,}|[ \u00a0]*\t[ \u00a0\t]*)(?=\S)|\|")
_NARROW_COLUMN = lazy_pattern(r"(?<=\S)  (?=\S)")
_PARAGRAPH = lazy_pattern(r"\n[ \t\r\u00a0]*+\n\s*+")
_FIELD_LINE = lazy_pattern(r"\n(?=[ \t]*[^\W\d_][\w ./()-]{0,30}:[ \t])")


def find_borders(text: str) -> Iterator[Piece]:
    """What no span crosses in any text: blank lines, columns, the beginning of the next field of a form."""
    for border in _PARAGRAPH.finditer(text):
        yield Piece(*border.span(), "fixed")
    for border in _FIELD_LINE.finditer(text):
        yield Piece(*border.span(), "fixed")


def find_times(text: str) -> Iterator[Piece]:
    """Time stamps: a span takes in all of one or none."""
    if _CLOCK_TIME.search(text) or _TIME_AFTER_DATE.search(text):
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


_LONG_MARKS = ('"""', "'''")


def find_settings(lines: Sequence[Line], *, in_sections: bool) -> Iterator[Region]:
    """Files of ``key = value`` lines (INI, TOML, environment): with sections, or else at least two in a row."""
    block: list[tuple[Line, re.Match[str]]] = []
    has_section = False
    marks = ""  # of a TOML string over several lines that is open
    for line in (*lines, Line(0, 0, "\0")):
        if marks and line.start:
            marks = "" if marks in line.text else marks
            continue
        setting = _SECTION.match(line.text) or _ASSIGNMENT.match(line.text)
        if setting is not None and len(_SETTINGS.findall(line.text)) > 1:
            setting = None  # several pairs on a line are a log
        if setting is not None:
            has_section = has_section or setting.re is _SECTION
            block.append((line, setting))
            bare = setting["bare"] or "" if setting.re is _ASSIGNMENT else ""
            marks = bare[:3] if bare.startswith(_LONG_MARKS) and bare.count(bare[:3]) == 1 else ""
        elif comment := _COMMENT.match(line.text):
            block.append((line, comment))
        elif line.text.strip():
            pairs = [(place, pair) for place, pair in block if pair.re is _ASSIGNMENT]
            if has_section == in_sections and len(pairs) >= (1 if has_section else _FEWEST_PAIRS):
                pieces = [*_section_pieces(block), *_setting_pieces(pairs)]
                yield Region(block[0][0].start, block[-1][0].end, pieces, "settings")
            block, has_section = [], False


def setting_keys(text: str) -> list[str]:
    """The sections and keys of settings, in order."""
    matches = (_SECTION.match(line) or _ASSIGNMENT.match(line) for line in text.split("\n"))
    return [match["name"] if match.re is _SECTION else match["key"] for match in matches if match]


def _section_pieces(block: Sequence[tuple[Line, re.Match[str]]]) -> Iterator[Piece]:
    for line, section in block:
        if section.re is _COMMENT:
            yield Piece(line.start, line.start + section.end(), "fixed")
            yield Piece(line.start + section.end(), line.end, "value", style="comment")
        if section.re is _SECTION:
            yield Piece(line.start, line.start + section.start("name"), "fixed")
            yield Piece(line.start + section.start("name"), line.start + section.end("name"), "name")
            end = section.end("name")
            if section["part"]:
                yield Piece(line.start + end, line.start + section.start("part"), "fixed")
                yield Piece(line.start + section.start("part"), line.start + section.end("part"), "value", '"', "raw")
                end = section.end("part")
            yield Piece(line.start + end, line.end, "fixed")


def _setting_pieces(pairs: Sequence[tuple[Line, re.Match[str]]]) -> Iterator[Piece]:
    # A file with strings in quotes is TOML or code: there a number cannot be replaced by words without quotes.
    bare = [pair["bare"] for _, pair in pairs if pair["bare"] is not None]
    has_strings = any(pair["double"] is not None for _, pair in pairs)
    is_typed = has_strings and all(_TOML_LITERAL.fullmatch(value) or value.startswith(_LONG_MARKS) for value in bare)
    for line, pair in pairs:
        group = "double" if pair["double"] is not None else "single" if pair["single"] is not None else "bare"
        start, end = line.start + pair.start(group), line.start + pair.end(group)
        yield Piece(line.start + pair.start("key"), line.start + pair.end("key"), "name")
        yield Piece(line.start + pair.end("key"), start, "fixed")
        if group != "bare":
            quote: tuple[str, Style] = ('"', "code") if group == "double" else ("'", "plain")
            yield Piece(start, end, "value", *quote)
            yield Piece(end, end + 1, "fixed")
        elif is_typed and _NUMERIC.fullmatch(pair["bare"]):
            yield Piece(start, end, "number", '"', "code")
        elif is_typed and pair["bare"].startswith(_LONG_MARKS):
            yield Piece(start, start + len(_LONG_MARKS[0]), "fixed")
        elif not is_typed or not _TOML_LITERAL.fullmatch(pair["bare"]):
            yield Piece(start, end, "value")


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


def find_fence(line: Line) -> Iterator[Piece]:
    """The line that opens or closes a fenced block."""
    if _FENCE.match(line.text):
        yield Piece(line.start, line.end, "fixed")


def find_header(line: Line) -> Iterator[Piece]:
    """The names of mail headers, and headers that say nothing about anyone."""
    if ":" in line.text[:30] and (header := _MAIL_HEADER.match(line.text)):
        group = "name" if header["name"] else "plain"
        yield Piece(line.start + header.start(group), line.start + header.end(group), "fixed")


# Source code, SQL and stack traces.

_KEYWORDS = word_set("structure", "keywords")
_SQL_KEYWORDS = word_set("structure", "sql")

CODE_LINE = lazy_pattern(
    r"""[ \t]*+(?:
    # modules, classes, functions
    \#!/\S | import[ ](?:static[ ])?[\w.*{"'].{0,200}$ | from[ ][\w.]+[ ]import\b | \#include\b
    | (?:using|package|use)[ ][\w.:\\]+;
    | (?:async[ ])?def[ ]\w+\(.*$ | class[ ]\w+(?:\(.*\))?(?:[ ](?:extends|implements)[ ][\w., ]+)?[ ]*[:{]
    | (?:export[ ])?(?:default[ ])?(?:async[ ])?function\b.*\( | func[ ][\w(].*\{$ | fn[ ]\w+
    | (?:public|private|protected|static|final)[ ].*[({;=] | (?:export[ ])?(?:const|let|var)[ ][\w{\[$].*=.*
    | @\w+(?:\.\w+)*(?:\(.*\))?$ | @[\w-]+[ ][^;{}]*\{
    # statements
    | (?:if|while|for|switch|catch|else[ ]if)[ ]?\(.*\)[ ]*\{?.*$
    | (?:for[ ]\w+(?:,[ ]*\w+)*[ ]in|if|elif|while|with)[ ].*[\w)\]'"]:$
    | (?:else|try|finally|do)[ ]*[:{]$ | except\b.*:$ | return\b.*;$ | return[ ](?:[\w.]+(?:\(.*\))?|[bfru]{0,2}["'].*)$
    | throw[ ]new\b.* | raise[ ]\w+.* | [})\]]+[;,]?$ | \}[ ]*(?:else|catch|finally)\b.*
    | (?:assert|print|echo|yield|await|self|this)\b[ (.].*[\w()\[\]'"=<>]$
    # calls, assignments, rules of style sheets
    | [\w.\[\]>$-]+\(.*\)[ ]*[;{]$ | [\w.$-]+\(.*\)(?:\.\w+\(.*\))*;?$
    | [A-Za-z_$][\w.$\[\]'"]*(?:[ ]*:[ ]*[\w\[\], |.]+)?[ ]*[-+*/|]?=(?!=)[ ]*
      (?:["'\[({\d]|[\w.]+\(|True\b|False\b|None\b|null\b|new[ ]|-?\d).*
    | [.\#]?[\w-]+(?:[ ,>:.\#][\w-]+)*[ ]*\{.* | [a-z-]+:[ ][^;{}]{1,80};$
    )""",
    re.VERBOSE,
)
_COMMENT_LINE = lazy_pattern(r"[ \t]*+(?:#|//|/\*|\*|--|\"\"\"|''')")
_COMMENT_ABOVE = lazy_pattern(r"[ \t]*+(?:#(?!include|define|if|end)|//|-- |/\*.*\*/$)")
_FENCE = lazy_pattern(r"[ \t]*+(?:```|~~~)[ \t]*([\w+-]*)[ \t]*$")
_NOT_CODE = word_set("structure", "not_code")
_SQL_START = lazy_pattern(
    r"""[ \t]*+(?:
    INSERT[ ]+INTO[ ] | SELECT[ ].*\bFROM\b | SELECT[ ].*[*,] | SELECT[ ][a-z_.]+$ | UPDATE[ ]+[\w.`"]+[ ]+SET[ ]
    | DELETE[ ]+FROM[ ] | WITH[ ]+\w+[ ]+AS[ ]*\(
    | CREATE[ ]+(?:OR[ ]+REPLACE[ ]+)?(?:TEMP[ ]+)?(?:TABLE|VIEW|INDEX|USER|FUNCTION)[ ]
    | ALTER[ ]+TABLE[ ] | DROP[ ]+TABLE[ ] | MERGE[ ]+INTO[ ]
    )""",
    re.VERBOSE,
)
_SQL_VERBS = ("insert ", "select ", "update ", "delete ", "create ", "alter ", "drop ", "merge ", "with ")
_SQL_START_ANY_CASE = lazy_pattern(
    r"insert into \w+ ?\(|select [\w.*, ()]+ from \w+ ?(?:where\b.*=|;|$)|update \w+ set \w+ ?=|delete from \w+ where",
    re.IGNORECASE,
)

_TOKEN = lazy_pattern(
    r"""
    (?P<space>\s+)
    | (?P<comment>\#(?!include|define|if|end)[^\n]* | //[^\n]* | /\*(?:[^*]|\*(?!/))*+(?:\*/)? | --(?=[ ])[^\n]*)
    | (?P<long>[rRbBuUfF]{0,2}(?:\"\"\"(?:[^"\\]|\\.|\"(?!\"\"))*+\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*+'''))
    | (?P<string>[rRbBuUfF$@]{0,2}(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.|'')*+'|`(?:[^`\\]|\\.)*+`))
    | (?P<regex>(?<=[(,=:])[ ]*/(?![/*\s])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/[a-z]*+(?![\w/]))
    | (?P<value>\d+(?:[.:/-]\d+){2,} | \d{1,2}[-./][^\W\d_]{3,9}[-./]\d{2,4}\b | \d{1,3}[yY]\b
        | [\dA-Fa-f]{1,4}(?:::?[\dA-Fa-f]{1,4}){3,} | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
        | (?!0[xX])\d(?=\d*[A-Za-z])[A-Za-z\d]{7,} | (?:(?<=/home/)|(?<=[/\\]Users[/\\]))[\w.-]+)
    | (?P<number>(?<![\w.)\]])-?(?:0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b)
    | (?P<name>[A-Za-z_$@][\w$-]*(?:\.[A-Za-z_$][\w$]*)*)
    | (?P<mark>[^\s"'`])
    """,
    re.VERBOSE,
)
_SQL_TOKEN = lazy_pattern(_TOKEN.pattern.replace(r"'(?:[^'\\\n]|", r"'(?:[^'\\]|"), re.VERBOSE)
"""A string of SQL may hold line breaks."""
_LONGEST_IN_STRING = 2_000
"""Characters of the lines over which a string of SQL may go."""
_FILLED_IN = lazy_pattern(r"\$?\{([^{}\n]*+)\}")
_PROSE_WORDS = lazy_pattern(r"(?<![\w.])[^\W\d_]{2,}(?:['’][a-z]{1,2})?(?:,? [^\W\d_]{1,}(?![\w(.=\[]))+")
_MOST_WORDS = 3
_SETTINGS = lazy_pattern(r"(?<![^\s])[A-Za-z_][\w.]*=(?:\"[^\"\n]*\"|[^\s=,;(){}\"]+)(?=\s|$)")
"""Variables of an environment, or pairs of a log: PGHOST=10.0.0.7 level=info."""
_PATH = lazy_pattern(r"(?P<home>(?:/home/|/Users/|\\Users\\)(?P<user>[\w.-]+))?(?:[/\\][\w.+@-]+)+")

_TRACE_LINES = (
    lazy_pattern(r"[ \t]*+at (?P<code>[\w.$<>/]+\((?:[\w$.]+:\d+|Native Method|Unknown Source|<anonymous>)\))"),
    lazy_pattern(r'[ \t]*+File "(?P<path>[^"\n]+)", (?P<code>line \d+(?:, in [\w<>.]+)?)'),
    lazy_pattern(r"[ \t]*+(?P<code>\.\.\. \d+ (?:more|common frames omitted))"),
    lazy_pattern(r"(?:Caused by: )?(?P<code>(?:[a-z_]\w*\.)*[A-Z]\w*(?:Exception|Error|Warning|Interrupt))(?=: |$)"),
    lazy_pattern(r"(?P<code>Traceback \(most recent call last\):|goroutine \d+ \[[\w ]+\]:|panic: |Caused by: )"),
    lazy_pattern(r"(?P<code>Exception in thread \"[\w-]+\" )"),
    lazy_pattern(r"[ \t]*+(?P<path>/[\w./-]+\.\w+)(?P<code>:\d+(?::\d+)?(?: \+0x[0-9a-f]+)?)$"),
)


def find_code(text: str, lines: Sequence[Line]) -> Iterator[Region]:
    """Blocks of code."""
    for first, last in _code_blocks(lines):
        start, end = lines[first].start, lines[last].end
        yield Region(start, end, list(lex_code(text, start, end)), "code")


def find_statements(text: str, lines: Sequence[Line]) -> Iterator[Region]:
    """SQL statements."""
    folded = without_case(text)
    for start, end in _statements(lines) if any(verb in folded for verb in _SQL_VERBS) else ():
        yield Region(start, end, list(_lex(text, start, end, "'", "sql")), "SQL")


def _code_blocks(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """The first and last lines of blocks of code: two lines that can hardly be prose, or one within a fence."""
    block: list[int] = []
    above: int | None = None  # the first of the comments right before the block
    strong = 0
    fence: str | None = None
    for number, line in enumerate((*lines, Line(0, 0, "```"))):
        mark = _FENCE.match(line.text)
        is_blank = not line.text.strip()
        if mark is None and (is_blank and block):
            continue
        is_code = mark is None and not is_blank and CODE_LINE.match(line.text) is not None and not is_prose(line.text)
        if is_code or (block and mark is None and _COMMENT_LINE.match(line.text)):
            block += (number,) if block or above is None else (above, number)
            strong += is_code
            continue
        if block and mark is None and _continues(lines, block[-1], line):
            block.append(number)
            continue
        if not block and _COMMENT_ABOVE.match(line.text):
            above = number if above is None else above
            continue
        if strong >= (1 if fence else 2):
            yield block[0], block[-1]
        block, above, strong = [], None, 0
        if mark is not None:
            fence = None if fence is not None else mark[1].lower() if mark[1].lower() not in _NOT_CODE else ""


def _continues(lines: Sequence[Line], previous: int, line: Line) -> bool:
    """Whether a line within a block is deeper than the one before, or ends like code."""
    indent = len(line.text) - len(line.text.lstrip())
    above = lines[previous].text
    opens = above.rstrip().endswith(("(", "[", "{", ",", "=", "\\"))
    is_deeper = indent > 0 and (opens or indent >= len(above) - len(above.lstrip()))
    return is_deeper and not is_prose(line.text)


def is_prose(line: str) -> bool:
    """Whether several words stand side by side outside of strings and comments, as they do in sentences only."""
    if len(_SETTINGS.findall(line)) > 1:
        return True
    rest = "".join(
        "\0" if token.lastgroup in ("comment", "long", "string", "regex") else token.group()
        for token in _TOKEN.finditer(line)
    )
    for run in _PROSE_WORDS.finditer(rest):
        others = [word for word in run.group().replace(",", " ").split() if word not in _KEYWORDS]
        if len(others) >= _MOST_WORDS or sum(word[0].isupper() and word[1:].islower() for word in others) >= 2:
            return True
    return False


def _statements(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """The ranges of SQL statements: from their first keyword to a semicolon or a blank line that is in no string."""
    start: int | None = None
    end = 0
    string = ""
    for line in lines:
        if start is None:
            statement = _SQL_START.match(line.text) or _SQL_START_ANY_CASE.search(line.text)
            if statement is None:
                continue
            start, string = line.start + statement.start(), ""
        elif not _has_open_string(string) and (not line.text.strip() or _is_sql_prose(line.text)):
            yield start, end
            start = None
            continue
        end = line.end
        # What a string holds is kept from the line on in which it was opened.
        string = string + "\n" + line.text if _has_open_string(string) else line.text.partition("--")[0]
        if line.text.rstrip().endswith(";") and not _has_open_string(string):
            yield start, end
            start = None
    if start is not None:
        yield start, end


def _has_open_string(text: str) -> bool:
    """Whether a statement breaks off inside a string; a quote in a string is doubled."""
    return len(text) <= _LONGEST_IN_STRING and text.count("'") % 2 == 1


def _is_sql_prose(line: str) -> bool:
    if line.split()[0] in _SQL_KEYWORDS:
        return False
    return is_prose(" ".join(word for word in line.split(" ") if word.upper() not in _SQL_KEYWORDS))


def lex_code(text: str, start: int, end: int) -> Iterator[Piece]:
    """The pieces of a range that is source code."""
    return _lex(text, start, end, '"', "code")


def code_tokens(text: str, *, is_sql: bool = False) -> Iterator[tuple[str, str]]:
    """The tokens of code with their kinds, without white space; a mark that no token has is one of its own."""
    position = 0
    for token in (_SQL_TOKEN if is_sql else _TOKEN).finditer(text):
        if position < token.start():
            yield "mark", text[position : token.start()]
        position = token.end()
        if token.lastgroup != "space":
            yield token.lastgroup or "", token.group()
    if position < len(text):
        yield "mark", text[position:]


def _lex(text: str, start: int, end: int, quote: str, style: Style) -> Iterator[Piece]:
    """The pieces of code: what is not a string, a comment or a number stays."""
    for token in (_SQL_TOKEN if style == "sql" else _TOKEN).finditer(text, start, end):
        kind = token.lastgroup
        if kind in ("string", "long"):
            yield from _literal_pieces(text, token, style)
        elif kind == "number":
            yield Piece(*token.span(), "number", quote, style)
        elif kind == "comment":
            yield from comment_pieces(token)
        elif kind == "name":
            yield Piece(*token.span(), "name")
        elif kind in ("mark", "regex"):
            yield Piece(*token.span(), "fixed")


def comment_pieces(token: re.Match[str]) -> Iterator[Piece]:
    """The marks of a comment, and what it says."""
    comment = token.group()
    start, end = token.start() + (1 if comment[0] == "#" else 2), token.end()
    yield Piece(token.start(), start, "fixed")
    if comment.startswith("/*") and comment.endswith("*/") and len(comment) > 3:
        end -= 2
        yield Piece(end, token.end(), "fixed")
    yield Piece(start, end, "value", style="comment")


def _literal_pieces(text: str, token: re.Match[str], style: Style) -> Iterator[Piece]:
    literal = token.group()
    prefix = len(literal) - len(literal.lstrip("rRbBuUfF$@"))
    size = 3 if token.lastgroup == "long" else 1
    quote = literal[prefix]
    start, end = token.start() + prefix + size, token.end() - size
    yield Piece(token.start(), start, "fixed")
    is_template = quote == "`" or "f" in literal[:prefix].lower() or "$" in literal[:prefix]
    position = start
    written: Style = style if quote == "'" or style != "sql" else "plain"
    if "r" in literal[:prefix].lower():
        written = "raw"  # a raw string has no escapes
    for part in _FILLED_IN.finditer(text, start, end) if is_template else ():
        yield Piece(position, part.start(), "value", quote, written)
        yield Piece(part.start(), part.start(1), "fixed")
        yield from _lex(text, *part.span(1), "'" if quote == '"' else '"', "raw")
        yield Piece(part.end(1), part.end(), "fixed")
        position = part.end()
    yield Piece(position, end, "value", quote, written)
    yield Piece(end, token.end(), "fixed")


def find_trace(line: Line) -> Iterator[Piece]:
    """Frames of stack traces and names of exceptions; of paths all but the home directory's owner."""
    for pattern in _TRACE_LINES:
        frame = pattern.match(line.text)
        if frame is None:
            continue
        if "path" in pattern.groupindex:
            yield from _path(line, *frame.span("path"))
        yield Piece(line.start + frame.start("code"), line.start + frame.end("code"), "fixed")
        return


def _path(line: Line, start: int, end: int) -> Iterator[Piece]:
    path = _PATH.match(line.text, start, end)
    if path is None:
        return
    if path["user"]:
        yield Piece(line.start + start, line.start + path.start("user"), "fixed")
        yield Piece(line.start + path.start("user"), line.start + path.end("user"), "value")
        start = path.end("user")
    yield Piece(line.start + start, line.start + path.end(), "name")
