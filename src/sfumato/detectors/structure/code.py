"""Source code, SQL and stack traces inside a text: which lines are code, and what in them is a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sfumato.detectors.structure.pieces import Piece, Region, Style
from sfumato.lexicon.tables import word_set

KEYWORDS = word_set("structure", "keywords", package="sfumato.detectors")
_SQL_KEYWORDS = word_set("structure", "sql", package="sfumato.detectors")

_CODE_LINE = re.compile(
    r"""[ \t]*+(?:
    # modules, classes, functions
    import[ ](?:static[ ])?[\w.*{"'].{0,200}$ | from[ ][\w.]+[ ]import\b | \#include\b
    | (?:using|package|use)[ ][\w.:\\]+;
    | (?:async[ ])?def[ ]\w+\(.*$ | class[ ]\w+(?:\(.*\))?(?:[ ](?:extends|implements)[ ][\w., ]+)?[ ]*[:{]
    | (?:export[ ])?(?:default[ ])?(?:async[ ])?function\b.*\( | func[ ][\w(].*\{$ | fn[ ]\w+
    | (?:public|private|protected|static|final)[ ].*[({;=] | (?:export[ ])?(?:const|let|var)[ ][\w{\[$].*=.*
    | @\w+(?:\.\w+)*(?:\(.*\))?$
    # statements
    | (?:if|while|for|switch|catch|else[ ]if)[ ]?\(.*\)[ ]*\{?.*$
    | (?:for[ ]\w+(?:,[ ]*\w+)*[ ]in|if|elif|while|with)[ ].*[\w)\]'"]:$
    | (?:else|try|finally|do)[ ]*[:{]$ | except\b.*:$ | return\b.*;$ | return[ ][\w.]+(?:\(.*\))?$
    | throw[ ]new\b.* | raise[ ]\w+.* | [})\]]+[;,]?$ | \}[ ]*(?:else|catch|finally)\b.*
    | (?:assert|print|echo|yield|await|self|this)\b[ (.].*[\w()\[\]'"=<>]$
    # calls, assignments, rules of style sheets
    | [\w.\[\]>$-]+\(.*\)[ ]*[;{]$ | [\w.$-]+\(.*\)(?:\.\w+\(.*\))*;?$
    | [A-Za-z_$][\w.$\[\]'"]*(?:[ ]*:[ ]*[\w\[\], |.]+)?[ ]*[-+*/|]?=(?!=)[ ]*
      (?:["'\[({\d]|[\w.]+\(|True\b|False\b|None\b|null\b|new[ ]|-?\d).*
    | [.\#]?[\w-]+(?:[ ,>:.\#][\w-]+)*[ ]*\{.*
    )""",
    re.VERBOSE,
)
_COMMENT_LINE = re.compile(r"[ \t]*+(?:#|//|/\*|\*|--|\"\"\"|''')")
_FENCE = re.compile(r"[ \t]*+(?:```|~~~)[ \t]*([\w+-]*)[ \t]*$")
_NOT_CODE = frozenset(
    ("text", "txt", "log", "console", "json", "yaml", "yml", "xml", "html", "csv", "md", "ini", "toml")
)
_SQL_START = re.compile(
    r"""[ \t]*+(?:
    INSERT[ ]+INTO[ ] | SELECT[ ].*\bFROM\b | SELECT[ ].*[*,] | UPDATE[ ]+[\w.`"]+[ ]+SET[ ] | DELETE[ ]+FROM[ ]
    | CREATE[ ]+(?:OR[ ]+REPLACE[ ]+)?(?:TEMP[ ]+)?(?:TABLE|VIEW|INDEX|USER|FUNCTION)[ ]
    | ALTER[ ]+TABLE[ ] | DROP[ ]+TABLE[ ] | MERGE[ ]+INTO[ ]
    )""",
    re.VERBOSE,
)
_SQL_START_ANY_CASE = re.compile(
    r"insert into \w+ ?\(|select [\w.*, ()]+ from \w+ ?(?:where\b.*=|;|$)|update \w+ set \w+ ?=|delete from \w+ where",
    re.IGNORECASE,
)

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
    | (?P<comment>\#(?!include|define|if|end)[^\n]* | //[^\n]* | /\*(?:[^*]|\*(?!/))*+(?:\*/)? | --(?=[ ])[^\n]*)
    | (?P<long>[rRbBuUfF]{0,2}(?:\"\"\"(?:[^"\\]|\\.|\"(?!\"\"))*+\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*+'''))
    | (?P<string>[rRbBuUfF$@]{0,2}(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`))
    | (?P<regex>(?<=[(,=:])[ ]*/(?![/*\s])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/[a-z]*)
    | (?P<value>\d+(?:[.:/-]\d+){2,})
    | (?P<number>(?<![\w.)\]])-?(?:0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b)
    | (?P<name>[A-Za-z_$@][\w$-]*(?:\.[A-Za-z_$][\w$]*)*)
    | (?P<mark>[^\s"'`])
    """,
    re.VERBOSE,
)
_FILLED_IN = re.compile(r"\$?\{([^{}\n]*+)\}")
_PROSE_WORDS = re.compile(r"(?<![\w.])[^\W\d_]{2,}(?:['’][a-z]{1,2})?(?:,? [^\W\d_]{1,}(?![\w(.=\[]))+")
_MOST_WORDS = 3
_SETTINGS = re.compile(r"(?<![^\s])[A-Z_][A-Z0-9_]+=[^\s=]+(?=\s|$)")
"""Variables of an environment: PGHOST=10.0.0.7."""
_PATH = re.compile(r"(?P<home>(?:/home/|/Users/|\\Users\\)(?P<user>[\w.-]+))?(?:[/\\][\w.+@-]+)+")

_TRACE_LINES = (
    re.compile(r"[ \t]*+at (?P<code>[\w.$<>/]+\((?:[\w$.]+:\d+|Native Method|Unknown Source|<anonymous>)\))"),
    re.compile(r'[ \t]*+File "(?P<path>[^"\n]+)", (?P<code>line \d+(?:, in [\w<>.]+)?)'),
    re.compile(r"[ \t]*+(?P<code>\.\.\. \d+ (?:more|common frames omitted))"),
    re.compile(r"(?:Caused by: )?(?P<code>(?:[a-z_]\w*\.)*[A-Z]\w*(?:Exception|Error|Warning|Interrupt))(?=: |$)"),
    re.compile(r"(?P<code>Traceback \(most recent call last\):|goroutine \d+ \[[\w ]+\]:|panic: |Caused by: )"),
    re.compile(r"(?P<code>Exception in thread \"[\w-]+\" )"),
    re.compile(r"[ \t]*+(?P<path>/[\w./-]+\.\w+)(?P<code>:\d+(?::\d+)?(?: \+0x[0-9a-f]+)?)$"),
)


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


def find_code(text: str, lines: Sequence[Line]) -> Iterator[Region]:
    """Blocks of code."""
    for first, last in _code_blocks(lines):
        start, end = lines[first].start, lines[last].end
        yield Region(start, end, list(_lex(text, start, end, '"', "json")))


def find_statements(text: str, lines: Sequence[Line]) -> Iterator[Region]:
    """SQL statements."""
    for start, end in _statements(lines):
        yield Region(start, end, list(_lex(text, start, end, "'", "sql")))


def _code_blocks(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """The first and last lines of blocks of code: two lines that can hardly be prose, or one within a fence."""
    block: list[int] = []
    strong = 0
    fence: str | None = None
    for number, line in enumerate((*lines, Line(0, 0, "```"))):
        mark = _FENCE.match(line.text)
        is_blank = not line.text.strip()
        if mark is None and (is_blank and block):
            continue
        is_code = mark is None and not is_blank and _CODE_LINE.match(line.text) is not None and not _is_prose(line.text)
        if is_code or (block and mark is None and _COMMENT_LINE.match(line.text)):
            block.append(number)
            strong += is_code
            continue
        if block and mark is None and _continues(lines, block[-1], line):
            block.append(number)
            continue
        if strong >= (1 if fence else 2):
            yield block[0], block[-1]
        block, strong = [], 0
        if mark is not None:
            fence = None if fence is not None else mark[1].lower() if mark[1].lower() not in _NOT_CODE else ""


def _continues(lines: Sequence[Line], previous: int, line: Line) -> bool:
    """Whether a line within a block is deeper than the one before, or ends like code."""
    indent = len(line.text) - len(line.text.lstrip())
    above = lines[previous].text
    opens = above.rstrip().endswith(("(", "[", "{", ",", "=", "\\"))
    is_deeper = indent > 0 and (opens or indent >= len(above) - len(above.lstrip()))
    return is_deeper and not _is_prose(line.text)


def _is_prose(line: str) -> bool:
    """Whether several words stand side by side outside of strings and comments, as they do in sentences only."""
    if len(_SETTINGS.findall(line)) > 1:
        return True
    rest = "".join(
        "\0" if token.lastgroup in ("comment", "long", "string", "regex") else token.group()
        for token in _TOKEN.finditer(line)
    )
    for run in _PROSE_WORDS.finditer(rest):
        words = [word for word in run.group().replace(",", " ").split() if word not in KEYWORDS]
        if len(words) >= _MOST_WORDS or sum(word[0].isupper() and word[1:].islower() for word in words) >= 2:
            return True
    return False


def _statements(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """The ranges of SQL statements: from their first keyword to a semicolon or a blank line."""
    start: int | None = None
    end = 0
    for line in (*lines, Line(0, 0, "")):
        if start is None:
            statement = _SQL_START.match(line.text) or _SQL_START_ANY_CASE.search(line.text)
            if statement is None:
                continue
            start = line.start + statement.start()
        elif not line.text.strip() or _is_sql_prose(line.text):
            yield start, end
            start = None
            continue
        end = line.end
        if line.text.rstrip().endswith(";"):
            yield start, end
            start = None


def _is_sql_prose(line: str) -> bool:
    return _is_prose(" ".join(word for word in line.split(" ") if word.upper() not in _SQL_KEYWORDS))


def _lex(text: str, start: int, end: int, quote: str, style: Style) -> Iterator[Piece]:
    """The pieces of code: what is not a string, a comment or a number stays."""
    for token in _TOKEN.finditer(text, start, end):
        kind = token.lastgroup
        if kind in ("string", "long"):
            yield from _literal_pieces(text, token, style)
        elif kind == "number":
            yield Piece(*token.span(), "number", quote, style)
        elif kind == "regex":
            yield Piece(*token.span(), "fixed")
        elif kind == "name":
            yield Piece(*token.span(), "name")
        elif kind == "mark":
            yield Piece(*token.span(), "fixed")


def _literal_pieces(text: str, token: re.Match[str], style: Style) -> Iterator[Piece]:
    literal = token.group()
    prefix = len(literal) - len(literal.lstrip("rRbBuUfF$@"))
    size = 3 if token.lastgroup == "long" else 1
    quote = literal[prefix]
    start, end = token.start() + prefix + size, token.end() - size
    yield Piece(token.start(), start, "fixed")
    is_template = quote == "`" or "f" in literal[:prefix].lower() or "$" in literal[:prefix]
    position = start
    written: Style = style if quote == "'" or style == "json" else "plain"
    for part in _FILLED_IN.finditer(text, start, end) if is_template else ():
        yield Piece(position, part.start(), "value", quote, written)
        yield Piece(part.start(), part.start(1), "fixed")
        yield from _lex(text, *part.span(1), "'" if quote == '"' else '"', "json")
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
