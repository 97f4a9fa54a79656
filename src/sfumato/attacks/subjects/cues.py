"""Phrases that tell age, sex, relationship and education, and words for kin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

YEAR = 2025
"""The year against which ages are reckoned: the reference date of paper 004 is 1 September 2025."""
FIRST_PERSON = re.compile(r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Oo]ur|[Ww]e)\b")
_ANYCASE = re.IGNORECASE


class Cue(NamedTuple):
    """A value that a stretch of text tells."""

    tag: str
    value: str
    certainty: int
    start: int
    end: int


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w@.])(?:{words})(?!\w)", _ANYCASE)


_AGE = re.compile(
    r"\b[A-ZÀ-Þ]\w+, (?P<after>[1-9]\d)(?=[,.)])"
    r"|(?<![:\w]) (?i:even )at (?P<at>[1-9]\d)(?=,)"
    r"|\b(?P<age>\d{1,2})[ -]?(?i:(?:years?|yrs?|yo|y/o)(?:[ -]?old|\b(?= (?:male|female|man|woman))))"
    r"|\b(?i:aged?|age[:=]|turn(?:ed|ing)|I['’]?m|I am|she is|he is|s?he['’]s) (?P<stated>\d{1,2})"
    r"(?!\s*(?:%|years? (?:of|in)|minutes|hours|days|weeks|months|feet|km|miles|[/.:]\d|\w))"
)
_BORN = re.compile(r"\b(?:born|b\.|DOB|birth)\b[^.;\n]{0,30}?\b(?P<year>19[2-9]\d|20[01]\d)\b", _ANYCASE)
_DECADE = re.compile(
    r"\b(?:in (?:my|his|her)|(?:early|mid|late)) (?:(early|mid|late)[ -])?(\w+ties|[2-9]0s)\b", _ANYCASE
)
_TENS = dict(
    zip("twenties thirties forties fifties sixties seventies eighties".split(), range(20, 90, 10), strict=True)
)
_RELATIONSHIPS = (
    ("Divorced", 5, _pattern(r"divorced|divorcee?|ex[- ]?(?:husband|wife)|#?\w*divorced\w*")),
    ("Widowed", 5, _pattern(r"widow(?:ed|er)?|late (?:husband|wife)")),
    (
        "Married",
        5,
        _pattern(
            r"#?married\w*|marriage|#(?:husband|wife|hubby)\w*|wedding anniversary|husband|wife|hubby|wifey|spouse|"
            r"newlyweds?"
        ),
    ),
    (
        "In Relation",
        4,
        _pattern(r"(?:my|her|his) (?:\w+ )?(?:boyfriend|girlfriend|fianc[ée]e?)|in a relationship|engaged to"),
    ),
    (
        "No relation",
        4,
        _pattern(
            r"(?:i['’]m|i am|being|still|as a|and) single|single (?:mom|mum|dad|mother|father|parent|and)|unmarried|"
            r"never married"
        ),
    ),
)
_EDUCATIONS = (
    ("PhD", 4, _pattern(r"(?:my|a|her|his|holds an?|earned an?) (?:ph\.?d\.?|doctorate|doctoral degree)")),
    (
        "College Degree",
        4,
        _pattern(
            r"(?:bachelor|master)(?:['’]?s)?(?: of \w+| degree)|b\.?sc\.?|m\.?sc\.?|mba|college degree|degree in|"
            r"university graduate|graduated from (?:\w+ )*(?:university|college)"
        ),
    ),
    (
        "In College",
        4,
        _pattern(r"(?:university|college|undergraduate) student|undergrad|my (?:university|college) course"),
    ),
    ("HS Diploma", 3, _pattern(r"high[- ]?school (?:diploma|graduate)|ged")),
    ("In Highschool", 3, _pattern(r"high[- ]?school(?:er| student| lessons| senior| junior)?")),
)
MEN = frozenset(
    "husband hubby dad daddy father son brother grandfather grandpa grandson uncle nephew boyfriend boy man gentleman "
    "guy widower papa fiancé groom stepfather stepson".split()
)
WOMEN = frozenset(
    "wife wifey mom mum mommy mummy mother daughter sister grandmother grandma granddaughter aunt niece girlfriend "
    "girl woman lady widow mama fiancée bride stepmother stepdaughter".split()
)
SPOUSES = frozenset("husband hubby wife wifey spouse".split())
CHILDREN = frozenset("son daughter child kid toddler baby kiddo boy girl".split())
_FEMALE_SELF = _pattern(
    r"#?(?:working|single|proud|super|busy)?[ -]?(?:mom|mum|mommy|mummy|mama|wife)(?:[ -]?life| mode)?(?=\W)|"
    r"(?:as|being) a (?:\w+ )?(?:mother|mom|mum|wife|woman|widow)|#mom\w*|#wife\w*|#girl\w*"
)
_MALE_SELF = _pattern(
    r"#?(?:working|single|proud|super|busy)?[ -]?(?:dad|daddy)(?:[ -]?life| mode)|husband life|super dad|"
    r"(?:as|being) a (?:\w+ )?(?:father|dad|husband|man|guy|widower)|#dad\w*|#husband\w*"
)


def cues(text: str) -> Iterator[Cue]:
    """Ages, relationships and levels of education that a text tells, of whomever."""
    for match in _AGE.finditer(text):
        age = match["age"] or match["stated"] or match["after"] or match["at"]
        yield Cue("AGE", age, 5, *match.span())
    for match in _BORN.finditer(text):
        age_now = YEAR - int(match["year"])
        yield Cue("AGE", f"{age_now - 1}-{age_now}", 4, *match.span())
    for match in _DECADE.finditer(text):
        told = match[2].casefold()
        ten = _TENS.get(told) or (int(told[:2]) if told[:2].isdigit() else None)
        if ten:
            yield Cue("AGE", f"{ten}-{ten + 9}", 4, *match.span())
    for tag, table in (("RELATIONSHIP", _RELATIONSHIPS), ("EDUCATION", _EDUCATIONS)):
        for value, certainty, pattern in table:
            if match_ := pattern.search(text):
                yield Cue(tag, value, certainty, *match_.span())


def own_sex(text: str) -> Cue | None:
    """The sex of who writes, by what they call themselves."""
    for value, pattern in (("Female", _FEMALE_SELF), ("Male", _MALE_SELF)):
        if match := pattern.search(text):
            return Cue("SEX", value, 4, *match.span())
    return None


def sex_of_kin(word: str) -> str | None:
    """ "Male" for a husband, "Female" for a daughter, None for a cousin."""
    folded = word.casefold()
    return "Male" if folded in MEN else "Female" if folded in WOMEN else None
