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
from sfumato.lexicon.ages import StatedAge, any_number, number_names
from sfumato.lexicon.grammar_en import word_classes
from sfumato.lexicon.tables import languages_with, load_toml
from sfumato.lexicon.tables import words as words_of
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
def find_likely_old_ages(text: str, *, in_doubt: bool = False) -> tuple[LikelyAge, ...]:
    """The numbers that are likely an age over 89, from left to right; ``in_doubt``, also those that may be one."""
    forms = _forms()
    ages: list[LikelyAge] = []
    for number in forms.number.finditer(text):
        before = text[max(0, number.start() - _BEFORE) : number.start()]
        after = text[number.end() : number.end() + _AFTER]
        before = before[_last_end(_CLAUSE_START, before) :]
        unit = forms.unit.match(after) or (forms.lifetime.match(after) if in_doubt else None)
        opened = _OPENED.fullmatch(text, ages[-1].end, number.start()) if ages else None
        is_repeated = opened is not None and not forms.is_measured(opened.group())
        if not is_repeated and not _LETTER.search(before + after):
            continue
        if is_repeated or forms.is_age(before, after, unit) or (in_doubt and forms.may_be_age(before, after, unit)):
            joined = ages and _RANGE.match(text, ages[-1].end, number.start())
            end = number.end() + (unit.end() if unit else after.startswith("- "))
            upper = _UPPER_END.match(text, number.end())
            start = ages.pop().start if joined else number.start()
            ages.append(LikelyAge(start, upper.end() if upper else end))
    return tuple(ages)


def find_ages_at_events(text: str) -> list[StatedAge]:
    """Numbers from 10 to 89 behind what links an age to an event, in any language: *at* 22, *when she was* 58."""
    return [StatedAge(*match.span("years"), int(match["years"])) for match in _forms().at_event.finditer(text)]


def find_adult_years(text: str) -> list[StatedAge]:
    """The years, with the age of 0, of what only adults do: *class of* 1943."""
    return [StatedAge(*match.span("year"), 0) for match in _forms().adult_event.finditer(text)]


def find_durations(text: str, start: int, end: int) -> Iterator[StatedAge]:
    """The numbers of years in a range of a text, ages or not."""
    forms = _forms()
    for match in forms.duration.finditer(text, start, end):
        years = match["years"].casefold()
        number = int(years) if years.isdecimal() else forms.values.get(years.replace(" ", "-"), 0)
        yield StatedAge(*match.span(), number)


def old_numbers(text: str, start: int, end: int) -> Iterator[LikelyAge]:
    """All numbers in a range that would be ages over 89."""
    yield from (LikelyAge(*number.span()) for number in _forms().number.finditer(text, start, end))


def find_repeated(text: str, end: int) -> Iterator[LikelyAge]:
    """Ages in brackets behind one that ends here: 96 (*ninety-six*), 90+ (exact *94*), twins (*both 97*)."""
    forms = _forms()
    opened = _OPENED.match(text, end)
    number = forms.number.match(text, opened.end()) if opened and not forms.is_measured(opened.group()) else None
    while number is not None:
        yield LikelyAge(*number.span())
        following = _ANOTHER.match(text, number.end())
        number = forms.number.match(text, following.end()) if following else None


def _last_end(pattern: re.Pattern[str], text: str) -> int:
    return max((match.end() for match in pattern.finditer(text)), default=0)


_LETTER = lazy_pattern(r"[^\W\d_]")
_CLAUSE_START = lazy_pattern(r"[.!?](?=[ ]+[A-ZÀ-Þ])|[;\n]")
_UPPER_END = lazy_pattern(r"[ ]?[-–][ ]?\d{2,3}(?![\d/.-])")
_OPENED = lazy_pattern(r"\+?(?:[ ](?!with)[a-z]+)?[ ]?\((?:[a-zé.]{2,9}[ ])?")
_RANGE = lazy_pattern(r"(?:[ ]?[-–][ ]?|-?[ ](?:to|bis)[ ])\Z")
_ABBREVIATION = lazy_pattern(r"(?<!\w)[A-Z]\w?[A-Z0-9]\w*[ :]*\Z")
"""What a value of a test follows: BUN 97."""
_VERBS = ("verb", "past", "participle", "gerund")
_LAST_WORD = lazy_pattern(r"([^\W\d_]+(?:['’][^\W\d_]+)?)[ ][(\"“]?\Z")
_PHRASE_END = (
    r"\s*(?:[;:!?)\"”–—/-]|[.,](?!\d)|\Z|\n)"
    r"|[ ](?:and|but|so|who|when|while|with|in|on|at|for|by|since|after|before|next|last|this|today|tomorrow"
    r"|years|n|y|e|et|und|en)(?!\w)"
)
_END_OF_PHRASE = lazy_pattern(_PHRASE_END, re.IGNORECASE)
_SEPARATOR = r"(?:-?,?[ ](?:and|or|to|but|und|oder|bis|y|o|a|et|ou|à|e|of|en|tot)[ ]|,[ ]|[ ]?[-–/&][ ]?|[ ])"
_ANOTHER = lazy_pattern(_SEPARATOR)


class _Forms:
    """The words of all languages: the language of a short text is often not certain."""

    def __init__(self) -> None:
        every = [load_toml(_TOPIC, language) for language in languages_with(_TOPIC)]
        self.values = {name: years for each in languages_with(_TOPIC) for name, years in number_names(each).items()}
        in_words = any_number(name for name, years in self.values.items() if years >= _FIRST)
        self.number = re.compile(
            rf"(?i)(?<![\w.,:/$€£#+])(?<![$€£] )(?<!\d-)"
            rf"(?:(?:9\d|1[01]\d|12[0-5])(?:[.,]\d{{1,2}}|[¼½¾])?(?![\d:%]|[.,]\d|/\d)"
            rf"|(?:{in_words})(?![\w-]*\w))"
        )

        def words(key: str) -> str:
            return "|".join(form for data in every for form in data.get("likely", {}).get(key, ())) or "(?!)"

        def words_of_all(key: str) -> str:
            return "|".join(word for data in every for word in data.get("likely", {}).get(key, "").split()) or "(?!)"

        numbers = rf"(?:(?:\d{{1,3}}|{in_words}){_SEPARATOR}(?:{words('links')}|)[ ]?){{0,6}}"
        cue = rf"(?<![\w-])(?:{words('cues')})"
        units = "|".join(unit for data in every for unit in data["years"])
        old = "|".join(form for data in every for form in data["old"])
        self.unit = re.compile(
            rf"(?i)(?:[ -]?plus|[ -]odd|[ -]something)?(?:{old}|[ \u00a0-]?(?:{units}|y(?:rs?|/?o)?))(?!\w)"
        )
        self.old = re.compile(
            rf"(?i)(?:{_SEPARATOR}\d{{1,3}}){{0,6}}-?(?:plus|odd|something)?(?:{old}|{words('after')})(?!\w)"
        )
        self.verbs = re.compile(
            rf"(?i)(?:{cue}(?!\w)[^;\n]{{0,50}}?(?<!\w)(?:{words('links')})|(?<![\w-])(?:{words('direct')}))"
            rf"(?:\.?[:,(]?[ ]|[ ]?\()(?:(?:{words('bounds')})[ ])?{numbers}\Z"
        )
        self.cue = re.compile(rf"(?i){cue}(?!\w)")
        self.opening = re.compile(rf"(?i)(?:(?:\A|[.!?:,]|(?<!\w)(?:and|but))[ ]*(?:{words('links')})[ ]|\A)\Z")
        self.still = re.compile(rf"(?i),?[ ](?:{words('still')})(?!\w)")
        self.lifetime = re.compile(rf"(?i)[ ](?:{'|'.join(lifetimes())})(?!\w)")
        people = {name for language in languages_with(_TOPIC) for name in words_of(_TOPIC, "people", language)}
        persons = f"{words_of_all('persons')}|{'|'.join(people)}"
        self.subject = re.compile(rf"(?i)(?<![\w'’-])(?:{persons}|{words('cues')})(?![\w-]|['’]s)")
        of = "|".join(word for data in every for word in data["of"])
        self.after_person = re.compile(
            rf"(?i)(?<![\w-])(?:{persons})(?:[ ][a-zà-ÿ]+)?(?:[:,]|[ ][-–—])?[ ](?:(?:{of})[ ])?[(\"“]?\Z"
        )
        labels = "|".join(label for data in every for label in data["labels"])
        self.label = re.compile(
            rf"(?i)(?<![\w-])(?:{labels})(?![\w-])(?:[^.;\d\n]{{0,40}}|[ :=<>≥]{{1,3}}\d{{2,3}}\+?[ ])[ (]\Z"
        )
        self.before = re.compile(rf"(?i)(?:{words_of_all('before')}|{words('links')})")
        self.given = re.compile(rf"(?i)(?<!\w)(?:{words('given')}|{words('measures')})(?!\w)")
        self.measured = re.compile(rf"(?i)(?:[^,.;\n]|,(?= on )){{0,40}}?(?<!\w)(?:{words('measures')})(?!\w)")
        self.at_event = re.compile(
            rf"(?i)(?<!\w)(?:{words('links')})[ ](?P<years>[1-8]\d)"
            rf"(?![\w-]|[.,:/]?\d|[ ]?(?:%|(?:{words('units')})(?!\w)))"
        )
        self.adult_event = re.compile(
            rf"(?i)(?<!\w)(?:{words('adult_events')})(?!\w)[^.;\d\n]{{0,40}}(?<![\w.,/-])(?P<year>1[89]\d\d)(?![\w/-])"
        )
        self.duration = re.compile(
            rf"(?i)(?<![\w.,-])(?P<years>\d{{1,3}}|{any_number(self.values)})[ ](?:{units})(?!\w)"
        )
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

    def is_measured(self, before: str) -> bool:
        """Whether what stands before a number says that it is measured or given."""
        return any(form.search(before) for form in (self.given, _ABBREVIATION))

    def may_be_age(self, before: str, after: str, unit: re.Match[str] | None) -> bool:
        """Whether the number may be an age, as far as its clause tells: of a person, and not measured or given."""
        if unit and len(unit.group().strip()) > 1:  # a lone y is a word, too
            return True
        if self.is_measured(before) or self.measured.match(after) or self.measured_after.match(after):
            return False
        if not _END_OF_PHRASE.match(after):
            return False
        if self.after_person.search(before) or self.label.search(before):
            return True
        last = _LAST_WORD.search(before)
        is_governed = last is not None and (
            self.before.fullmatch(last[1]) is not None or word_classes().get(last[1].casefold()) in _VERBS
        )
        return is_governed and self.subject.search(before) is not None


def lifetimes() -> list[str]:
    """What years of a life are also counted in: *97 winters*."""
    return [
        form
        for each in languages_with(_TOPIC)
        for form in load_toml(_TOPIC, each).get("likely", {}).get("lifetimes", ())
    ]


@cache
def _forms() -> _Forms:
    return _Forms()
