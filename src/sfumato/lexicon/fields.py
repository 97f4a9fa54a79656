"""Fields of records, forms and tables that hold a date of birth, an age or a postal code, whatever they are called.

The name of a field is read into words once (``patientBirthDate``, ``PATIENT_BIRTH_DATE`` and *Patient's birth date* are
the same) and looked up in ``data/<language>/fields.toml``. What stands in its slot has the concept of the name: behind
the key of JSON, YAML or a form, in an element or attribute of XML, in the column under a header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from sfumato.annotated_text import read_once
from sfumato.lexicon.tables import languages_with, load_toml, words_of_all_languages
from sfumato.lexicon.tokens import lazy_pattern

Concept = Literal["birth", "age", "zip", "postcode"]
"""``zip``: a ZIP code of the United States; ``postcode``: one of another country."""
_TOPIC = "fields"
_LONGEST_NAME, _LONGEST_VALUE = 48, 60
_WORD = lazy_pattern(r"[A-ZÀ-Þ]+(?![a-zà-ÿ])|[^\W\d_][^\W\d_A-ZÀ-Þ]*|\d+")
"""A word of a name, also in camel case: ``patientDOB`` has two."""


class Field(NamedTuple):
    """``text[start:end]`` is the value of a field; ``name`` is what the field is called."""

    start: int
    end: int
    concept: Concept
    name: str
    language: str = "en"
    """That of the name."""
    in_prose: bool = False
    """Whether a sentence calls the value so, and no form."""


class Meaning(NamedTuple):
    """What a name says, and in which language."""

    concept: Concept
    language: str


# Names.


_PREFERRED = "en"
"""The language that a name is taken to be in which several have."""


@cache
def _concepts() -> Mapping[str, Meaning]:
    """The words of a name, written together -> the concept, and the language; the last language wins."""
    return {
        _glue(phrase): Meaning(concept, language)
        for language in sorted(languages_with(_TOPIC), key=_PREFERRED.__eq__)
        for concept, phrases in load_toml(_TOPIC, language)["concepts"].items()
        for phrase in phrases
    }


@cache
def _around(key: str) -> frozenset[str]:
    return frozenset(words_of_all_languages(_TOPIC, f"around.{key}"))


_OF_SEVERAL = frozenset({"grp", "group", "range", "band", "bracket", "category"})


def is_of_several(name: str) -> bool:
    """Whether a field of this name holds what several people have: an *age group*."""
    return not _OF_SEVERAL.isdisjoint(_words(name))


def _glue(phrase: str) -> str:
    return "".join(_words(phrase))


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(re.sub(r"['’]s(?!\w)", "", name))]


def concept_of(name: str) -> Concept | None:
    """The concept that ``meaning_of`` tells."""
    meaning = meaning_of(name)
    return meaning.concept if meaning else None


def meaning_of(name: str) -> Meaning | None:
    """What the field of this name holds, if it is one of the concepts: ``ptAge``, *ZIP Code*, ``DATE_OF_BIRTH``."""
    words = _words(name)
    if not words or len(words) > 8 or not _around("never").isdisjoint(words):
        return None
    for number, word in enumerate(words):
        if number and word in _around("follows") and (meaning := _meaning_of_words(words[:number])):
            return meaning
    return _meaning_of_words(words)


def _meaning_of_words(words: list[str]) -> Meaning | None:
    removed_before = _around("owners") | _around("before")
    for start in range(len(words)):
        for end in range(len(words), start, -1):
            glued = "".join(words[start:end])
            meaning = _concepts().get(glued) or _meaning_of_glued(glued)
            if meaning is not None:
                return meaning
            if words[end - 1] not in _around("behind"):
                break
        if words[start] not in removed_before:
            break
    return None


def _meaning_of_glued(word: str) -> Meaning | None:
    """Of a name whose words are written together: ``patientage``, ``HOMEZIPCODE``, ``AGEINYEARS``."""
    match = _glued().fullmatch(word)
    return _concepts()[match["concept"]] if match else None


@cache
def _glued() -> re.Pattern[str]:
    before = "|".join(word for word in sorted(_around("owners") | _around("before")) if len(word) > 1)
    behind = "|".join(sorted(_around("behind")))
    follows = "|".join(word for word in sorted(_around("follows")) if len(word) > 1)
    concepts = "|".join(sorted(_concepts(), key=len, reverse=True))
    return re.compile(rf"(?:{before}){{0,3}}(?P<concept>{concepts})(?:(?:{behind}){{0,3}}|(?:{follows})\w+)")


@cache
def _stem() -> re.Pattern[str]:
    """The longest word of each name: without one of them a text has no such field."""
    phrases = (
        phrase
        for language in languages_with(_TOPIC)
        for phrases in load_toml(_TOPIC, language)["concepts"].values()
        for phrase in phrases
    )
    stems = {max(phrase.split(), key=len) for phrase in phrases}
    needed = [
        stem for stem in stems if len(stem) > 1 and not any(len(s) > 1 and s != stem and s in stem for s in stems)
    ]
    return re.compile(rf"(?i){'|'.join(sorted(needed))}|(?<!\w)(?:d[. _]{{1,2}}o[. _]{{1,2}}b|c\. ?p|c\.a\.p)(?!\w)")


# Slots behind a name.

_NAME_BEFORE = lazy_pattern(r"[\n\t{}\[\]|<>\"“”,;:=&?!*^]|(?<!\w)['’(]|['’](?!\w)|  +|[.)] ")
_QUOTE = r"""(?:\\?["'])"""
_GENERIC = r"(?:value|val|answer|result|content|text|amount|years?|[#@_](?:text|value)?)[A-Za-z]*"
"""Names of fields that say nothing of their value."""
_SCALAR = rf"{_QUOTE}[\w@#.-]+{_QUOTE}\s*:\s*(?:\"[^\"\n]*\"|[\d.]+|true|false|null)\s*,\s*"
_OBJECT = rf"{_QUOTE}\w+{_QUOTE}\s*:\s*\{{[^{{}}\n]*\}}\s*,\s*"
_TAGS = r"(?:\s*</?[A-Za-z][^<>\n]{0,60}>)+\s*"
_SLOT = lazy_pattern(
    rf"""(?P<rest>(?:[\w'’/+-]|\.(?=[^\W\d_]|[ ]?[:="'>|])){{0,40}}+
      (?:[ ]?\([^()\n]{{1,16}}\)|[ ][\w.'’-]{{1,24}}){{0,4}}?)
    (?: # a key and its value, perhaps within an object or a list, or the mark-up around both
      \*{{0,2}}{_QUOTE}?\*{{0,2}}[ \t.…_·]*[:=]>?\*{{0,2}}[ \t]*(?:\n[ \t]+(?:value|val)\s*:[ \t]*)?
      (?:\s*\{{\s*(?:{_SCALAR}){{0,4}}?{_QUOTE}{_GENERIC}{_QUOTE}\s*:\s*[{{\[]?\s*|\s*\[\s*)?(?:{_TAGS})?
    # an element, or one with the value in an attribute
    | \"?(?:[ ][\w:-]+=\"[^\"<>\n]*\"){{0,4}}(?:[ ]value=(?=\")|\s*>\s*) | {_TAGS}
    # the name itself is a value, and the next field of the object has the value
    | {_QUOTE}(?:\s*[}}\]])*\s*,\s*(?:{_SCALAR}|{_OBJECT}){{0,4}}?{_QUOTE}{_GENERIC}{_QUOTE}\s*:\s*
      [{{\[]?\s*(?:{_SCALAR}){{0,2}}?(?:{_QUOTE}{_GENERIC}{_QUOTE}\s*:\s*)?
    | \.?[ \t]*\n[ \t]+{_GENERIC}[ \t]*:[ \t]*
    # columns and leaders
    | [ \t]*\|{{1,2}}[ \t]* | \t+ | [ ]{{2,}} | [ ]?[.…_]{{3,}}[ ]?
    # prose
    | (?P<prose>[ ](?:(?:is|was|of|no\.?|number|[#])[ ])?(?=['’]?\d))
    )""",
    re.VERBOSE,
)
_VALUE = lazy_pattern(rf"[^\n\t|<>{{}}\[\]\"&]{{1,{_LONGEST_VALUE}}}")
_VALUE_END = lazy_pattern(r"[ \t]{2}|\s(?=[^\W\d][\w.]*[ \t]?[:=])|[,;](?!\s?(?:1[89]|20)\d\d(?!\d))|['\\]\Z")
_QUOTED = lazy_pattern(rf"""(?P<quote>\\?["'])(?P<value>[^"'\\\n<>]{{1,{_LONGEST_VALUE}}})(?P=quote)""")
_SEVERAL_CODES = lazy_pattern(r"\d{5}(?:[ ]?/[ ]?\d{5})+(?!\d)")
_CODE = lazy_pattern(r"\d{5}")
_PARTS = lazy_pattern(rf"{_QUOTE}?\s*:\s*(?:\{{[^{{}}]{{1,200}}\}}|(?<=:)(?:\n[ \t]+[\w-]+:[^\n]{{0,40}}){{1,6}})")
_PART = lazy_pattern(
    rf"(?<!\w){_QUOTE}?(?:month|day|mm?|dd?|dayOfMonth){_QUOTE}?\s*:\s*{_QUOTE}?"
    r"(?P<value>\d{1,2}|[A-Z]\w{2,8})(?!\w)"
)
"""Month and day of a date of birth that is an object."""
_NEXT_IN_LIST = lazy_pattern(r"\s*,\s*(?=[\"'\d])")


@read_once
def find_fields(text: str) -> tuple[Field, ...]:
    """The fields of a text whose concept is known, from left to right."""
    fields: dict[int, Field] = {}
    headers: dict[int, None] = {}
    for stem in _stem().finditer(text):
        start = _start_of_name(text, stem.start())
        headers[text.rfind("\n", 0, start) + 1] = None
        slot = _SLOT.match(text, stem.end())
        if slot is None:
            continue
        name = text[start : slot.end("rest")]
        meaning = meaning_of(name) or _meaning_of_end(name, in_prose=slot["prose"] is not None)
        if meaning is None and "/" in name:
            for field in _fields_of_several(text, name, slot.end()):
                fields.setdefault(field.start, field)
        elif meaning is not None:
            for value_start, value_end in _values(text, slot.end(), in_list=meaning.concept == "zip" or "[" in slot[0]):
                field = Field(
                    value_start, value_end, meaning.concept, name, meaning.language, slot["prose"] is not None
                )
                if meaning.concept == "zip" and _SEVERAL_CODES.match(text, value_start, value_end):
                    for code in _CODE.finditer(text, value_start, value_end):
                        fields.setdefault(code.start(), field._replace(start=code.start(), end=code.end()))
                fields.setdefault(value_start, field)
            if meaning.concept == "birth" and (parts := _PARTS.match(text, slot.end("rest"))):
                for part in _PART.finditer(text, *parts.span()):
                    fields.setdefault(part.start("value"), Field(*part.span("value"), "birth", name, meaning.language))
    for field in (*_inserted(text), *_answers(text), *(_nested(text) if headers else ())):
        fields[field.start] = field
    end = 0
    for line_start in sorted(headers):
        if line_start < end:
            continue  # a row of the table before
        for field in _columns(text, line_start):
            fields[field.start] = field
            end = field.end
    return tuple(fields[start] for start in sorted(fields))


def _fields_of_several(text: str, name: str, offset: int) -> Iterator[Field]:
    """The parts of a value whose name has several parts: *DOB/Age: 3/14/1931 (97)*."""
    end = _END_OF_SEVERAL.search(text, offset)
    borders = [border.span() for border in _BETWEEN_PARTS.finditer(text, offset, end.start() if end else len(text))]
    starts = [offset, *(last for _, last in borders)]
    ends = [*(first for first, _ in borders), end.start() if end else len(text)]
    for part, start, last in zip(name.split("/"), starts, ends, strict=False):
        if start < last and (meaning := meaning_of(part)):
            yield Field(start, last, meaning.concept, part, meaning.language)


_END_OF_SEVERAL = lazy_pattern(r"[\n<>\"{}\t|]|  ")
_BETWEEN_PARTS = lazy_pattern(r"[ ][/|-][ ]|[ ]?\(|[,;][ ]|/(?=[A-Za-z])")


def _start_of_name(text: str, offset: int) -> int:
    first = max(0, offset - _LONGEST_NAME)
    start = first
    for mark in _NAME_BEFORE.finditer(text, first, offset):
        start = mark.end()
    return start


def _meaning_of_end(name: str, *, in_prose: bool) -> Meaning | None:
    """Of a name that follows other words: *Anna Quorvex DOB: ...*, *lives in ZIP ...*."""
    words = name.split()
    for number in range(max(1, len(words) - 4), len(words)):
        meaning = meaning_of(" ".join(words[number:]))
        if meaning is None or words[number - 1].casefold() in _around("never"):
            continue
        if meaning.concept != "age" or (words[number][0].isupper() and not in_prose):
            return meaning
    return None


def _values(text: str, position: int, *, in_list: bool) -> Iterator[tuple[int, int]]:
    while True:
        if quoted := _QUOTED.match(text, position):
            yield quoted.span("value")
            position = quoted.end()
        elif value := _VALUE.match(text, position):
            end = _VALUE_END.search(text, *value.span())
            position = end.start() if end else value.end()
            if text[value.start() : position].strip():
                yield value.start(), position
        else:
            return
        following = _NEXT_IN_LIST.match(text, position) if in_list else None
        if following is None:
            return
        position = following.end()


# Columns under a header.

_SEPARATORS = ("|", "\t", ";", ",", "  ")
_CELL = {
    separator: lazy_pattern(
        rf'[ ]*(?:"(?:[^"\n]|"")*+"|[^{re.escape(separator)}"\n]*+)' if separator != "  " else r"\S+(?: \S+)*"
    )
    for separator in _SEPARATORS
}
_RULER = lazy_pattern(r"[\s|:+-]+")
_VALUE_ALONE = lazy_pattern(r"(?=[^\d\n]*\d)(?![^\W\d][\w ]*[:=])[^\n]{1,30}")


def _columns(text: str, line_start: int) -> Iterator[Field]:
    """The cells under the names of a header that begins here; the values below a line that is a name alone."""
    header = _line(text, line_start)
    for separator in _SEPARATORS:
        if separator not in header.strip():
            continue
        cells = _cells(header, separator)
        names = [header[start:end].strip(' "*') for start, end in cells]
        meanings = {number: meaning for number, name in enumerate(names) if (meaning := meaning_of(name))}
        if len(cells) == 2 and 0 in meanings and names[1][:1].isdigit():  # no header, but a name and its value
            start, end = cells[1]
            yield Field(line_start + start, line_start + end, meanings[0].concept, names[0], meanings[0].language)
            return
        if meanings and not any(name[:1].isdigit() or len(name) > _LONGEST_NAME for name in names):
            for row_start, row in _lines(text, line_start + len(header) + 1):
                row_cells = _cells(row, separator)
                if _RULER.fullmatch(row):
                    continue
                if len(row_cells) != len(cells):
                    break
                for number, meaning in meanings.items():
                    start, end = row_cells[number]
                    cell = row[start:end]
                    start += len(cell) - len(cell.lstrip(' "'))
                    end -= len(cell) - len(cell.rstrip(' "\r'))
                    if start < end:
                        yield Field(
                            row_start + start, row_start + end, meaning.concept, names[number], meaning.language
                        )
            return
    if meaning := meaning_of(header.strip(' ":*')):
        for row_start, row in _lines(text, line_start + len(header) + 1):
            value = row.strip(' "\r')
            if not _VALUE_ALONE.fullmatch(value):
                return
            start = row_start + row.index(value)
            yield Field(start, start + len(value), meaning.concept, header, meaning.language)


def _inserted(text: str) -> Iterator[Field]:
    """The values of an SQL statement that names the columns before them."""
    for insert in _INSERT.finditer(text):
        names = [name.strip(' "`[]') for name in insert["names"].split(",")]
        meanings = {number: meaning for number, name in enumerate(names) if (meaning := meaning_of(name))}
        position = insert.end()
        while meanings and (row := _ROW.match(text, position)):
            cells = list(_SQL_CELL.finditer(text, row.start("cells"), row.end("cells")))
            for number, meaning in meanings.items() if len(cells) == len(names) else ():
                value = cells[number].span("bare" if cells[number]["value"] is None else "value")
                yield Field(*value, meaning.concept, names[number], meaning.language)
            position = row.end()


def _answers(text: str) -> Iterator[Field]:
    """What answers a question after an age: ``{"question": "How old are you?", "answer": 96}``."""
    for asked in _asked().finditer(text) if "?" in text else ():
        for start, end in _values(text, asked.end(), in_list=False):
            yield Field(start, end, "age", "age")


@cache
def _asked() -> re.Pattern[str]:
    asked = "|".join(words_of_all_languages("age_forms", "asked"))
    return re.compile(rf"(?i)\"[^\"\n]*(?:{asked})[^\"\n]{{0,80}}\?\"\s*,\s*\"\w+\"\s*:\s*")


def _nested(text: str) -> Iterator[Field]:
    """The cells of a table in HTML, and of lists in JSON, below a first row of names."""
    for rows, cells_of in ((_TABLE_ROW, _TABLE_CELL), (_LIST, _ITEM)):
        count, meanings = 0, dict[int, tuple[str, Meaning]]()
        for row in rows.finditer(text):
            cells = list(cells_of.finditer(text, *row.span("cells")))
            values = [cell.span(cell.lastgroup or 0) for cell in cells]
            names = [text[start:end].strip() for start, end in values]
            named = {number: (name, meaning) for number, name in enumerate(names) if (meaning := meaning_of(name))}
            if len(names) > 1 and named and not any(name[:1].isdigit() for name in names):
                count, meanings = len(names), named
            elif len(names) == count:
                for number, (name, meaning) in meanings.items():
                    if names[number]:
                        yield Field(*values[number], meaning.concept, name, meaning.language)


_TABLE_ROW = lazy_pattern(r"<tr\b[^<>]*>(?P<cells>(?:(?!</?tr\b).){1,4000})", re.IGNORECASE | re.DOTALL)
_TABLE_CELL = lazy_pattern(r"<t[hd]\b[^<>]*>\s*(?:<\w+>)*(?P<value>[^<>]*)", re.IGNORECASE)
_LIST = lazy_pattern(r"\[(?P<cells>[^\[\]]*)\]")
_ITEM = lazy_pattern(r'"(?P<quoted>[^"\n]*)"|(?P<bare>[^\s,"]+)')


_INSERT = lazy_pattern(r"\((?P<names>[^()]{1,600})\)\s*VALUES\s*", re.IGNORECASE)
_ROW = lazy_pattern(r"\s*,?\s*\((?P<cells>(?:'(?:[^']|'')*+'|[^()'])*+)\)")
_SQL_CELL = lazy_pattern(
    r"\s*+(?:N?'(?=(?P<value>(?:[^']|'')*+))(?:[^']|'')*+'\s*+|(?=(?P<bare>[^',\s]*+))[^',]++)(?:,|\Z)"
)


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)]


def _lines(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Lines up to the next one without content."""
    while start < len(text) and (line := _line(text, start)).strip():
        yield start, line
        start += len(line) + 1


def _cells(line: str, separator: str) -> Sequence[tuple[int, int]]:
    """The ranges of the cells of a row; none where a quote is not closed."""
    if separator == "  ":
        return [match.span() for match in _CELL[separator].finditer(line)]
    cells, position = [], 0
    while cell := _CELL[separator].match(line, position):
        cells.append(cell.span())
        position = cell.end()
        if not line.startswith(separator, position):
            return cells if not line[position:].strip() else []
        position += 1
    return []
