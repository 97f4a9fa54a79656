"""Reads tags of de-identified notes: ``[**Last Name 12**]``, ``[**2151-7-16**]`` (MIMIC), ``[NAME]``, ``<DATE>``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from sfumato.errors import InputError, RecipeError, suggest
from sfumato.lexicon.tables import load_toml
from sfumato_papers.synthesis import PACKAGE

TagStyle = Literal["mimic", "generic", "both"]
"""``mimic``: ``[**...**]``; ``generic``: words in capitals in brackets or braces, where they are known."""
STYLES: tuple[TagStyle, ...] = ("mimic", "generic", "both")
UNKNOWN = "unknown"
"""The kind of a tag of MIMIC's form that no phrase of the table explains."""

_MIMIC = re.compile(r"\[\*\*(?P<content>[^\[\]]{0,200}?)\*\*\]")
_MIMIC_BEGIN = "[**"
_GENERIC = re.compile(r"(?:\[|<|\{\{|\{)(?P<content>[A-Z][A-Z /_-]{0,38}?[ _#-]?\d{0,5})(?:\]|>|\}\}|\})")
_OPENING, _CLOSING = "[<{", {"[": "]", "<": ">", "{": "}"}
_WORD = re.compile(r"[a-z]+|\d+")
_ISO = re.compile(r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})")
_AMERICAN = re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})")
_MONTH_DAY = re.compile(r"(?P<month>\d{1,2})[-/](?P<day>\d{1,2})")
_MONTH_YEAR = re.compile(r"-?(?P<month>\d{1,2})-?[-/](?P<year>\d{4})")
_YEAR_MONTH = re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-?")
_YEAR = re.compile(r"(?P<year>[12]\d{3})")
_VALUES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("date", _ISO),
    ("date", _AMERICAN),
    ("month-day", _MONTH_DAY),
    ("month-year", _MONTH_YEAR),
    ("month-year", _YEAR_MONTH),
    ("year", _YEAR),
)


@dataclass(frozen=True)
class DateParts:
    """What a date tag says; None is what it leaves open."""

    year: int | None = None
    month: int | None = None
    day: int | None = None


@dataclass(frozen=True)
class DeidTag:
    """A tag ``text[start:end]``. Tags of one note with the same ``key`` stand for the same person, place or number."""

    start: int
    end: int
    kind: str
    """A kind of the table of phrases, or ``unknown``."""
    key: str = field(repr=False)
    """What stands in the tag, in small letters, with single blanks and its id."""
    value: DateParts | None = field(default=None, repr=False)
    """Of a date that is written out."""


class BrokenTag(InputError):
    """A tag begins and does not end. The message names the line, and nothing of the note."""


def kinds() -> tuple[str, ...]:
    """The kinds that tags may have."""
    return tuple(load_toml("deid_tags", package=PACKAGE))


@cache
def _phrases() -> Mapping[tuple[str, ...], str]:
    table = load_toml("deid_tags", package=PACKAGE)
    return {tuple(phrase.split()): kind for kind, phrases in table.items() for phrase in phrases.split(",")}


def check_own_kinds(own: Mapping[str, str] | None) -> dict[str, str]:
    """A user's kinds by what stands in a tag, as they are looked up. Raises RecipeError for an unknown kind."""
    checked = {}
    for text, kind in (own or {}).items():
        if kind not in kinds():
            raise RecipeError(f"no kind of tag {kind!r}: {suggest(kind, kinds())}")
        if not (words := _words(text)):
            raise RecipeError(f"the kind {kind!r} is given for a tag without words: write what stands in the tag")
        checked[" ".join(words)] = kind
    return checked


def find_tags(text: str, style: TagStyle = "mimic", own: Mapping[str, str] | None = None) -> list[DeidTag]:
    """The tags of a note from left to right. ``own``: further kinds, as ``check_own_kinds`` gives them.

    Raises BrokenTag where a tag of MIMIC's form has no end.
    """
    tags: list[DeidTag] = []
    if style in ("mimic", "both"):
        tags += [_mimic_tag(match, own or {}) for match in _MIMIC.finditer(text)]
        _check_ends(text, tags)
    if style in ("generic", "both"):
        ends = [tag.end for tag in tags]
        starts = [*(tag.start for tag in tags), len(text)]
        for match in _GENERIC.finditer(text):
            is_free = match.end() <= starts[bisect_right(ends, match.start())]
            kind = _kind(_words(match["content"]), own or {})
            if is_free and _is_closed(match.group()) and kind is not None:
                tags.append(DeidTag(match.start(), match.end(), kind, _key(match["content"])))
    return sorted(tags, key=lambda tag: tag.start)


def _is_closed(written: str) -> bool:
    return all(written[-1 - n] == _CLOSING[sign] for n, sign in enumerate(written[:2]) if sign in _OPENING)


def count_generic(text: str) -> int:
    """How many generic tags a text has, for a hint where none of MIMIC's form was found."""
    return len(find_tags(text, "generic"))


def _check_ends(text: str, tags: list[DeidTag]) -> None:
    begun = {tag.start for tag in tags}
    position = text.find(_MIMIC_BEGIN)
    while position >= 0:
        if position not in begun:
            line = text.count("\n", 0, position) + 1
            raise BrokenTag(f"line {line}: a tag begins with [** and does not end with **]; close it or remove it")
        position = text.find(_MIMIC_BEGIN, position + 1)


def _mimic_tag(match: re.Match[str], own: Mapping[str, str]) -> DeidTag:
    content = match["content"].strip()
    place = match.start(), match.end()
    key = _key(content)
    for kind, form in _VALUES:
        if (found := form.fullmatch(content)) and (value := _date_parts(found)) is not None:
            return DeidTag(*place, kind, key, value)
    return DeidTag(*place, _kind(_words(content), own) or UNKNOWN, key)


def _date_parts(match: re.Match[str]) -> DateParts | None:
    """None where month or day cannot be one: a range of numbers is no date."""
    parts = {name: int(value) for name, value in match.groupdict().items()}
    if not 1 <= parts.get("month", 1) <= 12 or not 1 <= parts.get("day", 1) <= 31 or parts.get("year", 1) < 1:
        return None
    return DateParts(**parts)


def _key(content: str) -> str:
    return " ".join(content.casefold().split())


def _words(content: str) -> list[str]:
    """The words of a tag without its id: numbers at its end, and those written onto a word (Name8)."""
    words = _WORD.findall(re.sub(r"(?<=[a-z])\d+", "", content.casefold()))
    while words and words[-1].isdecimal():
        words.pop()
    return words


def _kind(words: list[str], own: Mapping[str, str]) -> str | None:
    if (kind := own.get(" ".join(words))) is not None:
        return kind
    phrases = _phrases()
    best = max(
        (
            (last - first, last, kind)
            for first in range(len(words))
            for last in range(first + 1, len(words) + 1)
            if (kind := phrases.get(tuple(words[first:last]))) is not None
        ),
        default=None,
    )
    return best[2] if best else None
