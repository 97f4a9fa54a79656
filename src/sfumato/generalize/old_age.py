"""Ages over 89 and what gives them away: one group, as US health rules (45 CFR 164.514(b)(2)(i)(C)) ask for.

People of 90 and more are few. Their ages become *90 or over*, and a date or year of birth from which such an age can be
computed becomes a bound that does not tell it: *1934 or earlier* in a text of 2024. An age at an event tells it, too,
where the year of the event and a later year stand in the text: *she was 34 in 1950*, in a text of 2024.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from sfumato.annotated_text import read_once
from sfumato.lexicon.ages import (
    StatedAge,
    find_ages,
    find_birthdays,
    find_old_age_words,
    is_birth_after,
    is_birth_before,
)
from sfumato.lexicon.fields import Field, find_fields
from sfumato.lexicon.likely_ages import (
    find_adult_years,
    find_ages_at_events,
    find_durations,
    find_likely_old_ages,
    find_repeated,
    lifetimes,
    old_numbers,
)
from sfumato.lexicon.tables import load_toml, words_of_all_languages
from sfumato.lexicon.time import MONTH_WORDS, YEAR, find_dates, full_year, present_year
from sfumato.lexicon.tokens import alternation, lazy_pattern

OLDEST_GROUP = 90
"""From this age on, all ages are one group."""
_OLDEST = 125
_LATEST = 2035
"""No text that this version reads was written later."""
_LIFE = re.compile(
    rf"(?<![\d/.-])(?P<born>{YEAR})(?:\s?[-–—]\s?|[ ](?:to|bis|a|à|until)[ ])(?P<died>{YEAR})(?![\d/-]|\.\d)"
)
_OTHER_YEAR = lazy_pattern(rf"(?:[ ](?:or|oder|o|ou|of)[ ]|/)(?P<year>{YEAR})(?![\d/.-]\d)")
"""Behind a year of birth, another that it may be: 1925 *or 1926*."""
_COMPACT = lazy_pattern(r"(?P<year>(?:18|19|20)\d\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T?\d{4,6}Z?)?(?!\w)")
"""A date without separators: only in a field for dates, elsewhere it may be any number."""
_SHORT_YEAR = lazy_pattern(r"(?:(?<=\s)|(?<=\A))['’](?P<year>\d\d)(?![\w'’])")
_PART_OF_YEAR = lazy_pattern(
    rf"(?:the )?(?:(?:very )?(?:early|mid|late)[- ])?"
    rf"(?:{alternation(words_of_all_languages('detection', 'dates.seasons'))})"
    r" (?:(?:of|de|del|von|van) )?\Z|(?:the )?(?:early|mid|late)(?: in)?[- ]\Z",
    re.IGNORECASE,
)
"""What stands before a year of birth and is gone with it: *the spring of* '31."""
_SENTENCE_END = lazy_pattern(r"[.!?](?=\s)|\n")
_YEAR_IN_TEXT = lazy_pattern(rf"(?<![\d/.,-])(?:{YEAR})(?![\d])")


class OldAge(NamedTuple):
    """``text[start:end]`` tells an age of 90 or more.

    It is the age itself or the number of a birthday, words for such an age, a date or year of birth, or the age at an
    event of long ago.
    """

    start: int
    end: int
    kind: Literal["age", "birthday", "words", "birth", "event"]
    bound: int
    """Of a birth, the last year of birth of somebody who is 90 in the text; of an age, 90."""
    words: str = ""
    """Of words for such an age, those that stand for the whole group."""
    language: str = ""
    """Of the value of a field, that of the field's name; else the language of the text counts."""

    def group(self, language: str = "en", shift_days: int = 0) -> str:
        """What stands for everybody in the group: *90 or over*, *1934 or earlier*.

        ``shift_days``: by how much the other dates of the document are shifted, so that the bound fits them.
        """
        if self.words:
            return self.words
        groups = load_toml("age_groups", package="sfumato.generalize")
        templates = groups.get(self.language or language, groups["en"])
        year = self.bound + round(shift_days / 365.25)
        template = {"birth": "born", "birthday": "birthday"}.get(self.kind, "age")
        return str(templates[template].format(year=year))

    def replacement(self, text: str, language: str = "en", shift_days: int = 0) -> str:
        """The group in the form of what it replaces: *93 yo* -> *90+ yo*, *90M* -> *90+M*, *am 94* -> *90 or over*."""
        start = _BOUND_BEFORE_AGE.match(text, self.start, self.end).end()  # type: ignore[union-attr]  # may be empty
        number = _NUMBER_BEFORE_UNIT.match(text, start, self.end) if self.kind == "age" else None
        if number is None:
            return self.group(language, shift_days)
        rest = _SMALLER_UNIT.sub("", text[number.end() : self.end])
        if not rest:
            return self.group(language, shift_days)
        return f"{OLDEST_GROUP}+{' ' + rest[1:] if rest[0] == '-' else rest}"


_BOUND_BEFORE_AGE = lazy_pattern(r"(?:[^\W\d_]+\.?[ ](?=\d))*")
_NUMBER_BEFORE_UNIT = lazy_pattern(
    r"\d+(?=\D)|[^\W\d_]+(?:[ -][^\W\d_]+)*?"
    rf"(?=[ -](?:years?|yrs?)(?:[ -](?:olds?|young)\b|\Z)|[ ](?:{'|'.join(lifetimes())})\Z)",
    re.IGNORECASE,
)
_SMALLER_UNIT = lazy_pattern(
    r",?(?: and)? \d.*?(?= old| of age|\Z)"
    r"|[.,]\d+|(?<=^)-?\s?(?:[-–]|to|bis)\s?\d+|(?<=^)[-+]\Z"
    r"|(?<=^)[ -]?(?:plus|odd|something)(?=[ -])|(?<=^)['’]?s\Z|[¼½¾]"
)
"""Of an age, what is more exact than its years: 97 years *and 3 months* old."""


@read_once
def find_old_ages(text: str, language: str | None = None, *, in_doubt: bool = False) -> Sequence[OldAge]:
    """What in the text tells an age over 89, from left to right; ``in_doubt``, also what may tell one."""
    ages = find_ages(text, language)
    stated = [age for age in ages if age.years >= OLDEST_GROUP]
    languages = {field.start: field.language for field in find_fields(text)}
    old_ages = _stated_old_ages(text, language, stated, languages)
    reference = _reference_year(text, stated)
    bound = reference - OLDEST_GROUP
    old_ages += [
        OldAge(start, end, "birth", bound, "", languages.get(start, ""))
        for start, end, born, in_field in find_births(text)
        if born is not None and born <= bound and (in_field or born >= reference - _OLDEST)
    ]
    old_ages += [
        OldAge(age.start, age.end, "event", bound)
        for age in ages
        if 0 < age.years < OLDEST_GROUP
        and any(reference - _OLDEST <= year - age.years <= bound for year in _years_beside(text, age))
    ]
    if in_doubt:
        old_ages += _doubtful_ages(text, language, ages, reference)
    disjoint: list[OldAge] = []
    for old_age in sorted(old_ages, key=lambda old_age: (old_age.start, old_age.kind != "words", -old_age.end)):
        if not disjoint or disjoint[-1].end <= old_age.start:
            disjoint.append(old_age)
    return _without_repetition(text, disjoint)


def _stated_old_ages(
    text: str, language: str | None, stated: Sequence[StatedAge], languages: Mapping[int, str]
) -> list[OldAge]:
    """Ages, birthdays and words for such an age."""
    old_ages = [OldAge(*words[:2], "words", OLDEST_GROUP, words.group) for words in find_old_age_words(text)]
    old_ages += [
        OldAge(_start_of_bound(text, age.start), age.end, "age", OLDEST_GROUP, "", languages.get(age.start, ""))
        for age in stated
    ]
    likely = [*find_likely_old_ages(text)]
    likely += [again for old_age in old_ages for again in find_repeated(text, old_age.end)]
    old_ages += [OldAge(_start_of_bound(text, age.start), age.end, "age", OLDEST_GROUP) for age in likely]
    birthdays = (birthday for birthday in find_birthdays(text, language) if birthday.years >= OLDEST_GROUP)
    return [*old_ages, *(OldAge(birthday.start, birthday.end, "birthday", OLDEST_GROUP) for birthday in birthdays)]


def _reference_year(text: str, stated: Sequence[StatedAge]) -> int:
    """The year that the text is of."""
    births, latest = _births_and_latest_year(text)
    # "Born in 1931 ... is 93": the text is of 2024 or 2025, whatever its latest date.
    computed = [
        birth.year + age.years
        for age in stated
        for birth in _near(births, age.start)
        if birth.year is not None and 1990 <= birth.year + age.years <= _LATEST
    ]
    return max((year for year in (latest, *computed) if year is not None), default=present_year())


def _doubtful_ages(text: str, language: str | None, ages: Sequence[StatedAge], reference: int) -> Iterator[OldAge]:
    """Numbers that may be such an age, and what tells one by a sum: *70 years since she was 25*, *class of 1943*."""
    bound = reference - OLDEST_GROUP
    likely = [*find_likely_old_ages(text, in_doubt=True)]
    for field in find_fields(text):
        likely += old_numbers(text, field.start, field.end) if field.concept == "age" else ()
    for number in likely:
        has_unit = not text[number.start : number.end].replace("-", " ").strip().isdecimal()
        yield OldAge(_start_of_bound(text, number.start), number.end, "age" if has_unit else "event", OLDEST_GROUP)
    for year in find_adult_years(text):
        if reference - _OLDEST <= int(text[year.start : year.end]) - _ADULT <= bound:
            yield OldAge(year.start, year.end, "event", bound)
    at_events = [*find_ages_at_events(text), *find_birthdays(text, language)]
    starts = {age.start for age in at_events}
    for age in at_events:
        start, end = _sentence_around(text, age)
        is_now = any(start <= other.start < end and other.start not in starts for other in ages)
        durations = () if is_now else find_durations(text, start, end)
        sums = [age.years + duration.years for duration in durations if duration.start not in starts]
        sums += [reference - year + age.years for year in _years_beside(text, age)]
        if any(OLDEST_GROUP <= years <= _OLDEST for years in sums):
            yield OldAge(age.start, age.end, "event", bound)


_ADULT = 16
"""Nobody marries, serves or leaves school much younger."""


def _without_repetition(text: str, old_ages: Sequence[OldAge]) -> list[OldAge]:
    """Two births that become one bound, *1925 or 1926*, as one."""
    joined: list[OldAge] = []
    for old_age in old_ages:
        if (
            joined
            and old_age.kind == joined[-1].kind == "birth"
            and _OTHER_YEAR.fullmatch(text, joined[-1].end, old_age.end)
        ):
            joined[-1] = joined[-1]._replace(end=old_age.end)
        else:
            joined.append(old_age)
    return joined


def _near(births: Sequence[Birth], offset: int) -> Sequence[Birth]:
    """The births so near to an age that they may be those of the same person."""
    first = bisect_left(births, offset - _NEAR, key=lambda birth: birth.start)
    return births[first : bisect_right(births, offset + _NEAR, key=lambda birth: birth.start)]


_NEAR = 200
"""Characters."""


def _start_of_bound(text: str, start: int) -> int:
    """Where *over* or *nearly* before an age begins: the group says it, too."""
    bound = _BOUND_BEFORE.search(text, max(0, start - 16), start)
    return bound.start() if bound else start


_BOUND_BEFORE = lazy_pattern(
    r"(?<![\w-])(?:well over|over|past|the big|nearly|almost|about|around|approximately|approx\.?|roughly"
    r"|(?:older|more) than"
    r"|(?:weit |deutlich )?über|fast|knapp|más de|casi|plus de|presque|oltre|quasi|mais de|quase|ruim|bijna)[ ]\Z",
    re.IGNORECASE,
)


def _years_beside(text: str, age: StatedAge) -> list[int]:
    """The years that the sentence of an age writes out."""
    return [int(year) for year in _YEAR_IN_TEXT.findall(text, *_sentence_around(text, age))]


def _sentence_around(text: str, age: StatedAge) -> tuple[int, int]:
    first = max(0, age.start - 100)
    start = max((end.end() for end in _SENTENCE_END.finditer(text, first, age.start)), default=first)
    after = _SENTENCE_END.search(text, age.end, age.end + 100)
    return start, after.start() if after else min(len(text), age.end + 100)


class Birth(NamedTuple):
    """``text[start:end]`` is a date or a year of birth; None where its year is not certain."""

    start: int
    end: int
    year: int | None
    in_field: bool = False
    """Whether the field that it stands in says so: then it counts however old somebody would be."""


def find_births(text: str) -> list[Birth]:
    """The dates and years of birth in a text, from left to right."""
    return _births_and_latest_year(text)[0]


@read_once
def _births_and_latest_year(text: str) -> tuple[list[Birth], int | None]:
    """The dates of birth, and the latest year of the other dates."""
    read = (_birth_in_field(text, field) for field in find_fields(text) if field.concept == "birth")
    in_fields = [birth for birth in read if birth is not None]
    births = {birth.start: birth for birth in in_fields}
    years: list[int] = []
    for form, match in find_dates(text):
        written = match.groupdict().get("year")
        if not written or form == "weekday" or _is_within(match.start(), in_fields):
            continue
        if is_birth_before(text, match.start()) or is_birth_after(text, match.end()):
            start = _start_of_part(text, match.start())
            births[start] = Birth(start, _end_of_time(text, match.end()), _year_of_birth(written))
        elif len(written) == 4:
            years.append(int(written))
    for short in _SHORT_YEAR.finditer(text):
        if is_birth_before(text, short.start()) and not _is_within(short.start(), in_fields):
            start = _start_of_part(text, short.start())
            births[start] = Birth(start, short.end(), _year_of_birth(short["year"]))
    in_years = [*_births_in_years(text, births.values())]
    births |= {birth.start: birth for birth in in_years}
    born_in = {birth.year for birth in in_years}
    latest = max((year for year in years if year <= _LATEST and year not in born_in), default=None)
    return [births[start] for start in sorted(births)], latest


def _births_in_years(text: str, births: Iterable[Birth]) -> Iterator[Birth]:
    """The second of two years that each of the births may be of, and the first of the years of a long life."""
    for birth in births:
        if other := _OTHER_YEAR.match(text, birth.end):
            yield Birth(*other.span("year"), int(other["year"]))
    for life in _LIFE.finditer(text):
        born, died = int(life["born"]), int(life["died"])
        if OLDEST_GROUP <= died - born <= _OLDEST:
            yield Birth(*life.span("born"), born)


def _year_of_birth(written: str) -> int | None:
    return full_year(written, context="birth", latest_birth=present_year())


def _is_within(offset: int, births: Sequence[Birth]) -> bool:
    index = bisect_right(births, offset, key=lambda birth: birth.start) - 1
    return index >= 0 and offset < births[index].end


def _birth_in_field(text: str, field: Field) -> Birth | None:
    """The date with which the value of a field begins: also 19310314 and '31, which are dates nowhere else."""
    value = text[field.start : field.end]
    if compact := _COMPACT.match(value):
        return Birth(field.start, field.start + compact.end(), int(compact["year"]), in_field=not field.in_prose)
    for _, match in find_dates(value):
        if written := match.groupdict().get("year"):
            end = min(_end_of_time(text, field.start + match.end()), field.end)
            return Birth(field.start, end, _year_of_birth(written), in_field=not field.in_prose)
    part = None if field.in_prose else _PART_OF_DATE.fullmatch(value.strip())
    if part and (part[0].isdigit() or part[0].casefold() in MONTH_WORDS):
        return Birth(field.start, field.end, None, in_field=True)
    if short := _SHORT_DATE.match(value):
        return Birth(field.start, field.start + short.end(), _year_of_birth(short["year"]), in_field=not field.in_prose)
    return None


_PART_OF_DATE = lazy_pattern(r"\d{1,2}|[^\W\d_]{3,10}")
_SHORT_DATE = lazy_pattern(r"(?:(?:\d{1,2}|[^\W\d_]{3,9}\.?)[ ./-]+){0,2}['’](?P<year>\d\d)(?![\w'’])")
"""*'27* and *Mar '27*: in a field for dates only."""


def _end_of_time(text: str, end: int) -> int:
    time = _TIME_OF_DAY.match(text, end)
    return time.end() if time else end


_TIME_OF_DAY = lazy_pattern(r"[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?(?!\w)")


def _start_of_part(text: str, start: int) -> int:
    part = _PART_OF_YEAR.search(text, max(0, start - 40), start)
    return part.start() if part else start


class _OldAges:
    """The old ages of a text, to look them up by their place."""

    def __init__(self, old_ages: Sequence[OldAge], text: str) -> None:
        self._old_ages = old_ages
        self._births = {text[each.start : each.end]: each for each in reversed(old_ages) if each.kind == "birth"}

    def within(self, start: int, end: int, surface: str) -> list[OldAge]:
        first = bisect_right(self._old_ages, start, key=lambda old_age: old_age.end)
        last = bisect_left(self._old_ages, end, key=lambda old_age: old_age.start)
        if first < last:
            return list(self._old_ages[first:last])
        repeated = self._births.get(surface) if len(surface) > _SHORTEST_DATE else None
        return [repeated] if repeated else []


_SHORTEST_DATE = 3


@read_once
def _old_ages(text: str, language: str | None, in_doubt: bool) -> _OldAges:
    return _OldAges(find_old_ages(text, language, in_doubt=in_doubt), text)


def old_ages_in(
    text: str, start: int, end: int, language: str | None = None, *, in_doubt: bool = False
) -> list[OldAge]:
    """What the range tells of ages over 89; a date of birth also where it is repeated elsewhere."""
    return _old_ages(text, language, in_doubt).within(start, end, text[start:end].strip())


def old_age_in(text: str, start: int, end: int, language: str | None = None) -> OldAge | None:
    """The first of these."""
    return next(iter(old_ages_in(text, start, end, language)), None)
