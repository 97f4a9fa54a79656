"""A single line of source code or of a shell, told by what code is: operators, brackets, calls, sigils, flags.

Blocks of code are found by ``structured_lines``, which needs two lines that can hardly be prose. One line needs more
signs. Only its strings, comments and numbers can be personal; mail addresses and known given names are looked at, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sfumato.detectors.structured_lines import CODE_LINE, Line, Piece, Region, is_prose, lex_code
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.name_lists import common_words, given_names, is_full_name
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.tokens import alternation, lazy_pattern

_LONGEST = 500
"""Characters of a line that is looked at: a longer one is data, or a whole program."""
_DATA = lazy_pattern(r"\W*(?:\d[\d.:/-]{3,}|[\da-f]{7,}\b|at\s)")
"""How a line of a log, a list or a table begins: with a time, an address, a number; and one of a stack trace."""
_NOT_CODE = lazy_pattern(r"(?<=[\w)\]])[.?!…] (?=[\w(\0])|(?<!\S)[\w.-]+=[\w.:/-]+\s(?:.*\s)?[\w.-]+=[\w.:/-]+(?=\s|$)")
"""The end of a sentence, and pairs of keys and values, which are read as such."""
_ENOUGH = 2
_SHORTEST_NAME = 4
"""Letters of a given name: "max", "min" and "sum" are functions."""

_KEYWORDS = word_set("structure", "keywords")
_COMMANDS, _COMMAND_WORDS = word_set("structure", "commands"), word_set("structure", "command_words")
"""Commands that are no words of a sentence, and those that are, which need a flag, a path or a pipe after them."""
_SETTING_KEYS, _SETTING_VALUES = word_set("structure", "setting_keys"), word_set("structure", "setting_values")
_PROMPT = lazy_pattern(
    r"[ \t]*+(?:[$%>] |PS> |sudo )?(?:(?:RUN|CMD|HEALTHCHECK|ENTRYPOINT|then|do) )*(?:[A-Z_]+=\S* )*"
)
_ARGUMENT = lazy_pattern(r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s"'|;&])+|[|;&]+""")
_IN_QUOTES = lazy_pattern(r'"(?:[^"\\\n]|\\.)*+"')
_FLAG = lazy_pattern(r"--?[A-Za-z][\w-]*(?==|$)|-\d{1,2}$|[|;&<>].*|\d?>.*")
_PATH = lazy_pattern(r"\.{0,2}/|\.{1,3}$|~|[\w-]*\.\w{1,4}$|\*|\$")
_LITERAL = lazy_pattern(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*+"|(?<!\w)'(?:[^'\\\n]|\\.)*+'(?!\w)|`[^`\n]*+`)"""
    r"""|(?P<comment>(?:(?<=^)|(?<=\s))(?:\#(?![\w!]|$)|//|--(?=\s)).*|/\*.*?(?:\*/|$))"""
)
_OPERATOR = r"(?<=\s)(?:\|>|->>|<[$*|]>|>>=|=<<|@@)(?=\s)"
"""What stands between words that follow each other as in a sentence, and never in one."""
_OPERATORS = lazy_pattern(_OPERATOR)
_SIGNS = (
    # Written nowhere but in code: operators, brackets at the end, sigils.
    (2, r"[=!]==?|:=|(?<=[\s)])(?:&&|\|\|) |(?<=[\w\s\])])[-+*/|]=(?=[\w\s])|\w \?\? [\w\0]|\w\?\.\w|=~|%>%|[$\#]\{"),
    (2, r"(?<!\w)(?![\da-fA-F]+::)[A-Za-z_]\w*::[A-Za-z_]|^\s*[a-z]\w* :: |(?<=[a-z_)]) => "),
    (2, r"\)\s?[;{]\s*$|(?<=\w)\(\)|\[\]|\{\}"),
    (2, r"(?:\+\+|--)[;)]|(?<![^\s(])\+\+[a-z]|^\s*\w+(?:\+\+|--)$"),
    (2, r"(?<![\w$])\$[A-Za-z_]\w*(?=[\s;,)=\[+*/-]|$)|(?<![\w.])[@%&][A-Za-z_]\w*(?=\s*(?:\|\||[=;\[]))"),
    (2, r"\\[a-zA-Z]{2,}[{\[(]|\\[dwsb](?:[+*{]|\b)|\[a-z|\[A-Z|\(\?[:=!<]|\\[a-z]+ [+=-]"),
    (2, rf"{_OPERATOR}|(?<=\s)\+\+(?=\s)"),
    (2, r"^\s*\(.*\([+*/=<>-]{1,2} [\w(]"),
    # Directives, annotations, declarations.
    (2, r"\w\([a-z_]\w*(?:, ?[a-z_]\w*)*\s?: ?\w[^()]*\)\s*(?::|->) ?[\w<>\[\]]+ ?[={]"),
    (2, r"^\s*@[a-z_]+ (?::\w+|~\w|%\{)"),
    (2, r"^\s*\#\s?(?:include|define|undef|if|ifdef|ifndef|endif|else|pragma|!)|^\s*@[A-Z]\w+\("),
    (2, r"^\s*@(?:media|import|font-face|keyframes|charset|supports|include|mixin)\b|^\s*<\?(?:php|=)"),
    (2, r"^\s*@[A-Z]\w+ (?:public|private|protected|static|final|class|var|val|func|fun|def|override)\b"),
    (2, r"^\s*[a-z_]+ :[a-z]\w{2,}(?:,|$)|\b(?:var|val|let|const|def|fn|func|fun)\s+[a-z_]\w*\s*[:=(<]"),
    (2, r"^FROM [a-z][\w./-]*(?::\S+)?(?: AS \w+)?$|^\s*[a-z_][\w.]*\((?!\d{1,3}\)$)[^()]*\)$"),
    # An assignment of something that is computed or literal.
    (
        2,
        r"^\s*(?:[\w.<>\[\]]+\s+){0,3}[$*&@]?[\w.\[\]\0]+(?:\s*:\s*[\w<>\[\], |?]+)?\s*[-+*/|]?=\s*"
        r"(?:[\0({\[&*!]|-?\d|new |[a-z][\w.]*[(\[^]|[a-z]\w+\.[a-z]\w{2,}|[a-z]\w* [-+*/^|&] )",
    ),
    # Rare in prose.
    (1, r"^\s*[a-z]+ (?:[A-Za-z]{0,2}\0|[A-Z]\w*\([^()]*\))(?:\s*[,;:+%.)].*|\s\(.*\))?$"),
    (1, r"(?<=[\w)\]]) [.$] (?=[\w(\0\\])"),
    (1, r"(?<![\w./@-])[a-z]{2,}[A-Z]\w*|(?<![\w./@-])[A-Z]\w+\.[a-z]\w* [\w(\[\0]"),
    (1, r"^\s*(?:import|package|using|use) [a-z]\w*(?:[.:]{1,2}\w+)+;?$"),
    (1, r"(?<![\w.])[a-z_]\w* (?:[<>]=?|==) -?[\d\0]"),
    (1, r"[;{}]\s*$|^\s*[})\]]"),
    # A call, but not "the child(ren)" or "Anna (34)".
    (
        1,
        r"(?<![\w.])(?!\w+\((?:s|en|e|r|in|innen|a|o|es|as|os|\d{1,3})\))"
        r"(?:[a-z_$]\w*(?:[.:]+\w+)*|[\w$]+\.\w+)\((?!\s)",
    ),
    (1, r"(?<![\w.@/-])[a-z_]\w*(?:\.[a-z_]\w*)+(?=[(;=\]])"),
    (1, r"\w<[\w\[\], &*?:]*>|[a-z]\[[\w\0: -]*\]|(?<=\w )(?:<-|->|<<|>>) (?=[\w\0])|(?<=\w)\^(?=\w)|(?<=\s)\|\w+\| "),
)
"""Points for what stands outside of strings and comments."""
_PATTERNS = tuple((points, lazy_pattern(sign)) for points, sign in _SIGNS)
_KEYWORD_START = lazy_pattern(rf"\s*(?:{alternation(sorted(_KEYWORDS))})\b(?![,.!?'’])")
_PERSONAL = lazy_pattern(
    r"""["']|~\w|://|/(?:home|Users)/|^(?![\w./-]+(?:[:@]|==?)v?\d+(?:\.\d+){0,2}[\w-]*$)"""
    r"""(?:\S+@\S|(?=\S*[A-Za-z])(?=(?:\D*\d){3})\S{8})"""
)
_ANNOTATION, _ARGUMENTS = lazy_pattern(r"^\s*@\w+"), lazy_pattern(r"(?<=\w)\([^()]*\)")
_SETTING = lazy_pattern(r"(?<!\S)(?P<key>[A-Za-z_][\w.-]*)(?P<mark>\s?=\s?)(?P<value>[\w./:@+-]+)(?!\S)")
_SETTINGS = lazy_pattern(rf"\s*(?:export |set )?(?:{_SETTING.pattern.replace('?P<', '?P<_')}\s*)+")
_NUMBER, _CONSTANT = lazy_pattern(r"-?\d{1,4}"), lazy_pattern(r"-?\d\.\d{3,}")
_KEY_WORD = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+")
_PLACE_KEYS = frozenset("lat lon lng long latitude longitude coord geo gps pos position loc location x y".split())
_BARE_RIGHT = lazy_pattern(r"(?<![=!<>])=\s*([^\W\d][\w.]*)\s*;?\s*$")
"""All of the right side of an assignment, without quotes."""
_NAME = lazy_pattern(r"[^\W\d_]+")


def find_code_lines(text: str, lines: Sequence[Line]) -> Iterator[Region]:
    """Lines that are code beyond doubt, each as a region."""
    for line in lines:
        if not 1 < len(line.text) <= _LONGEST or _DATA.match(line.text):
            continue
        if _SETTINGS.fullmatch(line.text):
            yield Region(line.start, line.end, list(_setting_pieces(line)))
        elif is_command(line.text):
            yield Region(line.start, line.end, list(_command_pieces(line)))
        elif is_code_line(line.text):
            right = _BARE_RIGHT.search(line.text)
            at = line.start + right.start(1) if right else None
            is_place = _speaks_of_a_place(line.text)
            pieces = lex_code(text, line.start, line.end)
            looked_at = [_looked_at(text, piece, piece.start == at, is_place) for piece in pieces]
            yield Region(line.start, line.end, looked_at)


def is_code_line(line: str) -> bool:
    """Whether a line has enough signs of code outside of its strings and comments, and is no sentence."""
    bare = _LITERAL.sub(lambda literal: "\0" if literal["string"] else " ", line).rstrip()
    is_marked = _OPERATORS.search(bare) or (bare.endswith("{") and _KEYWORD_START.match(bare))
    if not bare.strip() or _NOT_CODE.search(bare):
        return False
    if not is_marked and is_prose(_ARGUMENTS.sub("()", _ANNOTATION.sub("", bare))):
        return False
    points = 0
    if _KEYWORD_START.match(bare) or CODE_LINE.match(bare.replace("\0", '""')):
        points += 1
    for worth, sign in _PATTERNS:
        if sign.search(bare):
            points += worth
            if points >= _ENOUGH:
                return True
    return False


def is_command(line: str) -> bool:
    """Whether a line calls a program: ``git push origin main``, ``kill -9 1234``."""
    prompt = _PROMPT.match(line)
    start = prompt.end() if prompt else 0
    words = _ARGUMENT.findall(line, start)
    if not words or not (words[0] in _COMMANDS or words[0] in _COMMAND_WORDS) or _NOT_CODE.search(line, start):
        return False
    arguments = words[1:]
    is_marked = any(_FLAG.match(word) or _PATH.match(word) for word in arguments)
    # "up" and "on" are subcommands, too.
    if sum(len(word) > 1 and word in STOP_WORDS["en"] for word in arguments) > is_marked:
        return False
    if any(word.endswith((",", "?", "!")) and word[0] != "-" for word in arguments):
        return False
    is_word = words[0] in _COMMAND_WORDS or any(words[0] in stop_words for stop_words in STOP_WORDS.values())
    return is_marked or (not is_word and bool(arguments))


def _command_pieces(line: Line) -> Iterator[Piece]:
    """The words of a command: strings are values, and so is what may name someone."""
    is_comment = False
    for number, argument in enumerate(_ARGUMENT.finditer(line.text)):
        start, end = line.start + argument.start(), line.start + argument.end()
        word = argument.group()
        is_comment = is_comment or word == "#"
        if is_comment or (number and _may_be_personal(word)):
            for string in () if is_comment else _IN_QUOTES.finditer(line.text, *argument.span()):
                first, last = line.start + string.start(), line.start + string.end()
                yield Piece(first, first + 1, "fixed")
                yield Piece(first + 1, last - 1, "value", '"', "code")
                yield Piece(last - 1, last, "fixed")
            continue
        yield Piece(start, end, "fixed" if number == 0 else "name")


def _setting_pieces(line: Line) -> Iterator[Piece]:
    """Keys, and the values that say nothing about anyone; the others are looked at."""
    for pair in _SETTING.finditer(line.text):
        start, end = line.start + pair.start("value"), line.start + pair.end("value")
        yield Piece(line.start + pair.start(), line.start + pair.end("key"), "name")
        yield Piece(line.start + pair.start("mark"), start, "fixed")
        if _is_technical(pair["key"], pair["value"]):
            yield Piece(start, end, "fixed")
        elif " " in pair["mark"] and pair["value"].isdigit():
            yield Piece(start, end, "number", '"', "code")  # code, where words need quotes
        else:
            yield Piece(start, end, "value")


def _is_technical(key: str, value: str) -> bool:
    if _CONSTANT.fullmatch(value):
        return not _speaks_of_a_place(key)
    words = [word.lower() for word in _KEY_WORD.findall(key)]
    is_number = bool(words) and words[-1] in _SETTING_KEYS and _NUMBER.fullmatch(value) is not None
    return is_number or value.lower() in _SETTING_VALUES


def _speaks_of_a_place(code: str) -> bool:
    return not _PLACE_KEYS.isdisjoint(word.lower() for word in _KEY_WORD.findall(code))


def _may_be_personal(word: str) -> bool:
    """Whether a word of a command is or holds a string, an address, the name of a user or a secret."""
    return _PERSONAL.search(word) is not None or _has_name(word)


def _looked_at(text: str, piece: Piece, is_value: bool, is_place: bool) -> Piece:
    """The piece, as a value where it has a given name, or ``is_value``: it may be no identifier.

    A number with many digits after its point is a constant, but where the line speaks of a place (``is_place``).
    """
    identifier = text[piece.start : piece.end]
    if piece.kind == "number" and _CONSTANT.fullmatch(identifier) and not is_place:
        return piece._replace(kind="fixed")
    is_called = text.startswith("(", piece.end) and identifier.islower()
    if piece.kind == "name" and (is_value or (_has_name(identifier) and not is_called)):
        return piece._replace(kind="value", style="code")
    return piece


def _has_name(identifier: str) -> bool:
    words = [word for word in _NAME.findall(identifier) if word not in _KEYWORDS]
    return any(map(_is_given_name, words)) or any(is_full_name(*pair) for pair in pairwise(map(str.casefold, words)))


def _is_given_name(word: str) -> bool:
    folded = word.casefold()
    return len(folded) >= _SHORTEST_NAME and folded in given_names() and folded not in common_words()
