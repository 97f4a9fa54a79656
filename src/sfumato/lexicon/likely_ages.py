"""Numbers from 90 to 125 that are likely somebody's age: *died at 94 of stroke*, *turns 95*, *aged 88, 91 and 97*.

For ages so high a miss is worse than a number too many: a word of life or of age in the clause is enough, in any
language, unless a unit or a word of measuring stands beside the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from sfumato.annotated_text import read_once
from sfumato.lexicon.tables import languages_with, load_toml
from sfumato.lexicon.tokens import lazy_pattern

_TOPIC = "age_forms"
_FIRST = 90
_BEFORE, _AFTER = 70, 60
"""Characters around a number that tell whether it is an age."""


class LikelyAge(NamedTuple):
    """``text[start:end]`` is likely an age over 89, with its unit."""

    start: int
    end: int


@read_once
def find_likely_old_ages(text: str) -> tuple[LikelyAge, ...]:
    """The numbers that are likely an age over 89, from left to right."""
    forms = _forms()
    ages: list[LikelyAge] = []
    for number in forms.number.finditer(text):
        before = text[max(0, number.start() - _BEFORE) : number.start()]
        after = text[number.end() : number.end() + _AFTER]
        before = before[_last_end(_CLAUSE_START, before) :]
        unit = forms.unit.match(after)
        is_repeated = bool(ages) and _REPEATED.fullmatch(text, ages[-1].end, number.start()) is not None
        if not is_repeated and not _LETTER.search(before + after):
            continue
        if is_repeated or forms.is_age(before, after, unit):
            joined = ages and _RANGE.search(text, ages[-1].start, number.start())
            end = unit.end() if unit else after.startswith("- ")
            start = ages.pop().start if joined else number.start()
            ages.append(LikelyAge(start, number.end() + end))
    return tuple(ages)


def find_repeated(text: str, end: int) -> Iterator[LikelyAge]:
    """The same age once more in brackets behind an age that ends here: 96 (*ninety-six*), 90+ (exact *94*)."""
    if (opened := _REPEATED.match(text, end)) and (number := _forms().number.match(text, opened.end())):
        yield LikelyAge(*number.span())


def _last_end(pattern: re.Pattern[str], text: str) -> int:
    return max((match.end() for match in pattern.finditer(text)), default=0)


_LETTER = lazy_pattern(r"[^\W\d_]")
_CLAUSE_START = lazy_pattern(r"[.!?](?=[ ]+[A-ZÀ-Þ])|[;\n]")
_REPEATED = lazy_pattern(r"\+?[ ]?\((?:[a-zé.]{2,9}[ ])?")
_RANGE = lazy_pattern(r"(?<=\w)(?:[ ]?[-–][ ]?|-?[ ](?:to|bis)[ ])\Z")
_SEPARATOR = r"(?:-?,?[ ](?:and|or|to|but|und|oder|bis|y|o|a|et|ou|à|e|of|en|tot)[ ]|,[ ]|[ ]?[-–/&][ ]?|[ ])"


class _Forms:
    """The words of all languages: the language of a short text is often not certain."""

    def __init__(self) -> None:
        every = [load_toml(_TOPIC, language) for language in languages_with(_TOPIC)]
        names = {name for data in every for name in data["numbers"][_FIRST:]}
        names |= {name for data in every for name, years in data["variants"].items() if years >= _FIRST}
        in_words = "|".join(re.escape(name).replace(r"\-", "[- ]") for name in sorted(names, key=len, reverse=True))
        self.number = re.compile(
            rf"(?i)(?<![\w.,:/$€£#+])(?<![$€£] )(?<!\d-)"
            rf"(?:(?:9\d|1[01]\d|12[0-5])(?:[.,]\d{{1,2}})?(?![\d:%]|[.,]\d|/\d)"
            rf"|(?:{in_words})(?![\w-]*\w))"
        )

        def words(key: str) -> str:
            return "|".join(form for data in every for form in data.get("likely", {}).get(key, ())) or "(?!)"

        numbers = rf"(?:(?:\d{{1,3}}|{in_words}){_SEPARATOR}(?:{words('links')}|)[ ]?){{0,6}}"
        cue = rf"(?<![\w-])(?:{words('cues')})"
        units = "|".join(unit for data in every for unit in data["years"])
        old = "|".join(form for data in every for form in data["old"])
        self.unit = re.compile(rf"(?i)(?:{old}|[ \u00a0-]?(?:{units}|y(?:rs?|/?o)?))(?!\w)")
        self.old = re.compile(rf"(?i)(?:{_SEPARATOR}\d{{1,3}}){{0,6}}-?(?:{old}|{words('after')})(?!\w)")
        self.verbs = re.compile(
            rf"(?i)(?:{cue}(?!\w)[^;\n]{{0,50}}?(?<!\w)(?:{words('links')})|(?<![\w-])(?:{words('direct')}))"
            rf"(?:\.?[:,(]?[ ]|[ ]?\()(?:(?:{words('bounds')})[ ])?{numbers}\Z"
        )
        self.cue = re.compile(rf"(?i){cue}(?!\w)")
        self.opening = re.compile(rf"(?i)(?:(?:\A|[.!?:,]|(?<!\w)(?:and|but))[ ]*(?:{words('links')})[ ]|\A)\Z")
        self.still = re.compile(rf"(?i),?[ ](?:{words('still')})(?!\w)")
        measures = words("measures")
        self.measured_before = re.compile(rf"(?i)(?<!\w)(?:{measures})(?!\w)[^,]{{0,24}}\Z")
        self.measured_after = re.compile(
            rf"(?i)[ -]?(?:[%°$€£]|(?:{words('units')})(?!\w)|(?-i:[A-ZÀ-Þ](?![A-Z]))|"
            rf"(?!(?:{units}|this|plus|sans|tras|towards|besides)(?!\w))[a-zà-ÿ]{{3,}}s(?!\w))"
        )

    def is_age(self, before: str, after: str, unit: re.Match[str] | None) -> bool:
        """Whether the number between is likely an age; ``unit``: that of years behind it."""
        if self.old.match(after):
            return True
        if self.measured_before.search(before) or (unit is None and self.measured_after.match(after)):
            return False
        if self.verbs.search(before) or (unit and self.cue.search(before)):
            return True
        return bool(self.opening.search(before) and self.still.match(after))


@cache
def _forms() -> _Forms:
    return _Forms()
