"""Ages that a text states, in seven languages: *a 91-year-old*, *67M*, *aged 27*, *I am 34*, *Anna (88)*, *62 ans*."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from sfumato.annotated_text import read_once
from sfumato.lexicon.fields import Field, find_fields, is_of_several
from sfumato.lexicon.language import document_language
from sfumato.lexicon.name_lists import family_names, given_names, is_title, lookup_key
from sfumato.lexicon.tables import languages_with, load_toml, words
from sfumato.lexicon.time import MONTH_WORDS
from sfumato.lexicon.tokens import find_at, first_words, lazy_pattern, number_starts, starts_of

_TOPIC = "age_forms"
_LANGUAGES = languages_with(_TOPIC)
_OLDEST = 122
_OLDEST_GROUP = 90
"""From this age on, a clause with *if* or *when* makes no rule of a number: nothing begins or ends so late."""
_BEFORE, _AFTER = 48, 24
"""Characters around a number that tell whether it is an age."""
_DIGITS = lazy_pattern(
    r"(?:(?<![\w.,:/$€£#+-])|(?<=(?<!\w)[MF]/))(?<![$€£] )"
    r"(?:[1-9]?\d|1[01]\d|12[0-2])(?![\d:]|[.,/]\d|[.,]?\d)"
)

_LETTER = lazy_pattern(r"[^\W\d_]")


class StatedAge(NamedTuple):
    """``text[start:end]`` states an age of so many years; 0 where it is counted in months, weeks or days."""

    start: int
    end: int
    years: int


def find_ages(text: str, language: str | None = None) -> list[StatedAge]:
    """The ages of somebody that the text states, from left to right; no age limits and no ages of groups.

    ``language``: of the text; where it is not given and cannot be told, all languages are tried.
    """
    return list(_find_ages(text, _possible_languages(text, language)))


@read_once
def _find_ages(text: str, languages: tuple[str, ...]) -> tuple[StatedAge, ...]:
    ages: dict[int, StatedAge] = {}
    possible = [_forms(language) for language in languages]
    for forms in possible:
        for start, end, years in _numbers(text, forms):
            before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
            if not _LETTER.search(before + after):
                continue
            if more_or_less := forms.approximately.search(before):
                before = before[: more_or_less.start()]
            length = _age_length(before, after, forms, has_two_digits=years >= 10)
            if length is None:
                length = _length_after_name(before, after, forms)
            if length is not None and not any(each.is_rule(before, after[length:], years) for each in possible):
                in_years = 0 if forms.young.match(after) else years
                ages.setdefault(start, StatedAge(start, end + length, in_years))
    for age in [*ages.values()]:
        first = _JOINED_BEFORE.search(text, max(0, age.start - 16), age.start)
        second = _JOINED_AFTER.match(text, age.end) if text[age.end - 1].isdigit() else None
        for joined in (first, second if second and _CLAUSE_END.match(text, second.end()) else None):
            if joined is not None:
                ages.setdefault(joined.start("number"), StatedAge(*joined.span("number"), int(joined["number"])))
    fields = (field for field in find_fields(text) if field.concept == "age")
    in_fields = filter(None, (_age_in_field(text, field, possible) for field in fields))
    disjoint: list[StatedAge] = []
    for age in heapq.merge(in_fields, sorted(ages.values()), key=lambda age: age.start):
        if disjoint and age.start < disjoint[-1].end:
            continue  # the field's value begins first, or with it
        disjoint.append(age)
    return tuple(disjoint)


_JOINED_BEFORE = lazy_pattern(
    r"(?<![\w.,:/$€£#+-])(?P<number>[1-9]\d|1[012]\d)[ ](?:and|or|und|oder|y|et|e|en|of)[ ]\Z"
)
_JOINED_AFTER = lazy_pattern(r"[ ](?:and|or|und|oder|y|et|e|en)[ ](?P<number>[1-9]\d|1[012]\d)(?![\d/:%]|[.,]\d)")
"""Two ages that share their unit: *97 and* 99 years old."""
_PER_YEAR = {**dict.fromkeys(("m", "mo", "month", "months"), 12), **dict.fromkeys(("w", "week", "weeks"), 52)}
_PER_YEAR |= dict.fromkeys(("d", "day", "days"), 365)
"""How many of a unit are a year."""


def _age_in_field(text: str, field: Field, possible: Sequence[_Forms]) -> StatedAge | None:
    """The age that is the value of a field: *97*, *97 years*, *097Y*, *P97Y*, *ninety-three*, or months."""
    value = _FIELD_AGE.match(text, field.start, field.end)
    if roman := _ROMAN.match(text, field.start, field.end):
        return StatedAge(*roman.span(), _OLDEST_GROUP)
    if value is None:
        words = (forms.words.match(text, field.start, field.end) for forms in possible)
        return next(
            (
                StatedAge(*word.span(), forms.value(word.group()))
                for word, forms in zip(words, possible, strict=True)
                if word
            ),
            None,
        )
    unit = next((forms.unit.match(text, value.end(), field.end) for forms in possible), None)
    named = (word.casefold() for word in (value["unit"] or "", *re.findall(r"[^\W\d_]+", field.name.replace("_", " "))))
    years = int(value["number"].replace(" ", "")) // next((_PER_YEAR[word] for word in named if word in _PER_YEAR), 1)
    end = unit.end() if unit and not value["unit"] else value.end()
    is_group = years < _OLDEST_GROUP and is_of_several(field.name)
    return None if is_group or years > _OLDEST else StatedAge(value.start("number"), end, years)


_FIELD_AGE = lazy_pattern(
    r"[ ~≈+]{0,3}P?(?P<number>[1-9][ ]\d(?![ ]?\d)|\d{1,5})(?!\d)(?:[.,]\d{1,2}(?!\d)|[¼½¾])?"
    r"(?:\s?[-–]\s?\d{2,3}(?!\d)|\+|['’]?s(?!\w))?(?![/:.,-]\d)"
    r"(?P<unit>(?-i:[YMWD]|[ -]?(?:months?|mo|weeks?|days?|[ymwd]))(?!\w))?"
)


_ROMAN = lazy_pattern(r"(?:XC(?:IX|IV|V?I{0,3})|CX{0,2}(?:IX|IV|V?I{1,3}))(?!\w)")


class OldAgeWords(NamedTuple):
    """``text[start:end]`` tells an age over 89 in words of its own, *nonagenarian*; ``group`` can stand for it."""

    start: int
    end: int
    group: str


@read_once
def find_old_age_words(text: str) -> Sequence[OldAgeWords]:
    """What tells an age over 89 without the number of an age, in any language: *a nonagenarian*, *in her nineties*."""
    if _OLD_AGE_WORD.search(text) is None:
        return []
    matches = ((match, write) for find, write in _old_age_forms() for match in find.finditer(text))
    return sorted(OldAgeWords(*match.span(), match.expand(write)) for match, write in matches)


_OLD_AGE_WORD = lazy_pattern(
    r"nona|cent[eé]n|centur|1[01]0|centiè|vingt-|hund[re]|ninet|9[0-9]|1[012]\d|neunzi|novant|negentig|honderd|tenth|1[01]th",
    re.IGNORECASE,
)
"""Each of these phrases has one of them."""


@cache
def _old_age_forms() -> list[tuple[re.Pattern[str], str]]:
    entries = (entry for language in _LANGUAGES for entry in load_toml(_TOPIC, language).get("over_89", ()))
    return [(re.compile(rf"(?i)(?<![\w-])(?:{entry['find']})(?!\w)"), entry["write"]) for entry in entries]


@read_once
def find_birthdays(text: str, language: str | None = None) -> Sequence[StatedAge]:
    """The numbers of birthdays that the text counts: *her 90th birthday*."""
    forms = _possible_forms(text, language)[0]
    matches = find_at(forms.birthday, text, number_starts(text))
    counted = [StatedAge(match.start(), _end_of_ordinal(text, match), int(match["years"])) for match in matches]
    named = (
        StatedAge(*match.span("name"), _round_birthdays().get(match["name"].lower()) or int(match["name"][:-2]))
        for match in _birthday_named().finditer(text)
    )
    return sorted(age for age in (*counted, *named) if age.years <= _OLDEST)


def _end_of_ordinal(text: str, birthday: re.Match[str]) -> int:
    ordinal = _ORDINAL_END.match(text, birthday.end("years"), birthday.end())
    return ordinal.end() if ordinal else birthday.end("years")


_ORDINAL_END = lazy_pattern(r"(?:st|nd|rd|th|[.º°]+|e|ème)(?=[ -])")


@cache
def _round_birthdays() -> dict[str, int]:
    return dict(load_toml(_TOPIC, "en")["round_birthdays"])


@cache
def _birthday_named() -> re.Pattern[str]:
    """*celebrated her ninetieth*, *mom's ninetieth is*: somebody's birthday, without the word."""
    return lazy_pattern(
        rf"(?:(?<=\b(?:her|his|our)[ ])|(?<=\bmy[ ])|(?<=\byour[ ])|(?<=['’]s[ ]))"
        rf"(?P<name>{'|'.join(_round_birthdays())}|(?:9\d|1[01]\d)(?:st|nd|rd|th))"
        r"(?=[ ](?:on|in|at|with|birthday|is|was|will|next|last|this|came|comes)\b|[.,!])",
        re.I,
    )


def _possible_languages(text: str, language: str | None) -> tuple[str, ...]:
    language = language or document_language(text)
    return (language,) if language in _LANGUAGES else tuple(_LANGUAGES)


def _possible_forms(text: str, language: str | None) -> list[_Forms]:
    return [_forms(each) for each in _possible_languages(text, language)]


def is_age_limit(text: str, start: int, end: int, language: str | None = None) -> bool:
    """Whether a number, with or without its unit, is an age limit: *under 18*, *over 65s*, *until he is 18*."""
    number = _NUMBER_AND_UNIT.fullmatch(text, start, end)
    if number is None or int(number["years"]) > _OLDEST:
        return False
    before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
    for forms in _possible_forms(text, language):
        unit = forms.unit.match(after)
        rest = after[unit.end() :] if unit else after
        if forms.limit.search(before) and (number["unit"] or unit or _CLAUSE_END.match(rest)):
            return True
        if forms.bound_after.match(after) and not re.match(r"\s?(?:-|–|\w{1,3}) ?\d", after):
            return True
    return False


def is_birth_before(text: str, offset: int) -> bool:
    """Whether a date that begins here is one of birth, by the words before it: *born on*, *DOB:*, *geb.*, *née le*."""
    return _forms("en").birth_before.search(text[max(0, offset - _BEFORE) : offset]) is not None


def is_birth_after(text: str, offset: int) -> bool:
    """Whether a date that ends here is one of birth, by the words behind it: *am 12.3.1931 in Kiel geboren*."""
    return _forms("en").born_after.match(text, offset) is not None


_NUMBER_AND_UNIT = lazy_pattern(r"(?P<years>\d{1,3})(?P<unit>[ \u00a0][^\W\d_]{1,6})?")


@cache
def number_names(language: str) -> dict[str, int]:
    """The numbers of ages in words, from 0 on, with their values."""
    data = load_toml(_TOPIC, language)
    names = {name: years for years, name in enumerate(data["numbers"])}
    joined = {
        f"{hundred}{name}": 100 + years
        for hundred in data.get("hundreds", ())
        for name, years in names.items()
        if 0 < years <= _OLDEST - 100
    }
    return {**names, **joined, **data["variants"]}


class _Forms:
    """How ages are stated in a language, as patterns of what stands before and after the number."""

    def __init__(self, language: str) -> None:
        data = load_toml(_TOPIC, language)
        every = [load_toml(_TOPIC, each) for each in _LANGUAGES]
        self.values = number_names(language)
        self.first_words = first_words(self.values)
        milestones, when = data.get("milestones", ()), data.get("after_milestones", ())
        self.milestone = lazy_pattern(rf"(?<!\w)(?:{'|'.join(milestones) or '(?!)'})\s\Z", re.IGNORECASE)
        approximately = "|".join(data.get("approximately", ()))
        self.approximately = lazy_pattern(rf"(?<![\w-])(?:{approximately or '(?!)'})[ ]\Z", re.IGNORECASE)
        opening, about = "|".join(data.get("opening", ())), "|".join(data.get("about", ()))
        self.opening = lazy_pattern(rf"(?:\A|[.!?\n]\s?)(?:{opening or '(?!)'})[ ]\Z", re.IGNORECASE)
        self.about = lazy_pattern(rf",[ ](?:{about or '(?!)'})(?!\w)", re.IGNORECASE)
        self.ago = lazy_pattern(rf"(?:{data.get('ago', '(?!)')})(?!\w)", re.IGNORECASE)
        self.when = lazy_pattern(rf"\s(?:{'|'.join(when) or '(?!)'})(?!\w)", re.IGNORECASE)
        # In three cases: the search for a regex that ignores case takes several times as long.
        names = {form for name in self.values for form in (name, name.capitalize(), name.upper())}
        # Unmistakable in whatever language.
        old = [form for each in every for form in (*each["old"], *each["young"])]
        self.old = lazy_pattern(rf"(?:{'|'.join(old)})(?!\w)", re.IGNORECASE)
        self.words = lazy_pattern(
            rf"(?<![\w-])(?:{any_number(names)})(?:(?=(?:{'|'.join(data['old'])})(?!\w))|(?![\w-]*[\w]))"
        )
        self.young = lazy_pattern(
            rf"(?:{'|'.join((*data['young'], *(f'[ -]?(?:{unit})' for unit in data['months'])))})(?!\w)", re.IGNORECASE
        )
        labels = "|".join(label for each in every for label in each["labels"])
        self.label = lazy_pattern(
            rf"(?<![\w-])(?:{labels})(?:\s?/\s?sex)?(?:\s?[:=]\s*|\s+|\t)(?:{'|'.join(data['of']) or 'of'})?\s?\Z"
            rf"|[\"']age\w*[\"']\s*:\s*[\"']?\Z",
            re.IGNORECASE,
        )
        units = "|".join((*data["years"], *data["months"]))
        self.unit = lazy_pattern(rf"[ \u00a0-]?(?:{units})(?!\w)(?![ ](?:de|d['’]|of|di)\b)", re.IGNORECASE)
        # Without white space a y is a unit, with it a word.
        self.short_unit = lazy_pattern(r"y(?:rs?)?(?: ?\d{1,2} ?m(?:o|th)?s?)?(?!\w)")
        people, of = "|".join(words(_TOPIC, "people", language)), "|".join(data["of"])
        self.person = lazy_pattern(
            rf"(?<!\w)(?:{people})\.?,?\s(?:[\w-]{{2,14}},?\s){{0,2}}(?:{of})\s\Z", re.IGNORECASE
        )
        self.relative = lazy_pattern(rf"(?<!\w)(?:{people})(?:[ ]*\(|,[ ])\Z", re.IGNORECASE)
        is_ = rf"(?:{people})[ ](?:is|was|ist|war)(?:[ ](?:now|already))?"
        self.be = lazy_pattern(rf"(?<![\w'’])(?:{'|'.join((*data['be'], is_))})\s\Z", re.IGNORECASE)
        asked = "|".join(question for each in every for question in each["asked"])
        self.asked = lazy_pattern(rf"(?<!\w)(?:{asked})[^?\n]*\?\s+(?:[\w. ]{{1,16}}[:.]\s+)?\Z", re.IGNORECASE)
        birth = "|".join(word for each in every for word in each["birth"])
        self.birth = lazy_pattern(rf"(?<!\w)(?:{birth})(?!\w)", re.IGNORECASE)
        self.birth_word = lazy_pattern(rf"(?<!\w)(?:{birth})[ ]\Z", re.IGNORECASE)
        self.birth_before = lazy_pattern(
            rf"(?<!\w)(?:{birth})(?!\w)(?:(?!(?<=\w{{4}})[.!?][ ]+(?-i:[A-ZÀ-Þ]))[^\d\n;]){{0,30}}[^.,;\d\n]{{0,30}}\Z",
            re.I,
        )
        born_after = "|".join(word for each in every for word in each.get("born_after", ()))
        self.born_after = lazy_pattern(
            rf"(?:T[\d:.]+Z?)?[ ](?:(?:in|zu|te)[ ][\w-]+[ ])?(?:{born_after})\b", re.IGNORECASE
        )
        birthday = "|".join(form for each in every for form in each["birthday"])
        self.birthday = lazy_pattern(rf"(?<![\w.,:/-])(?P<years>\d{{1,3}})(?:{birthday})(?!\w)", re.IGNORECASE)
        self.have = lazy_pattern(rf"(?<![\w'’])(?:{'|'.join(data['have']) or '(?!)'})\s\Z", re.IGNORECASE)
        self.bound = lazy_pattern(
            rf"(?<!\w)(?:{'|'.join((*data['limits'], *data['bounds']))})\s"
            rf"(?:the )?(?:(?:{labels}) )?(?:of |de |di |van |von )?\Z|[<>≤≥]\s?\Z",
            re.IGNORECASE,
        )
        limit = rf"(?:{'|'.join(data['limits'])})\s(?:the )?(?:(?:{labels}) )?(?:of |de )?\Z"
        self.limit = lazy_pattern(rf"(?<!\w){limit}", re.IGNORECASE)
        self.bound_after = lazy_pattern(f"(?:{'|'.join(data['bounds_after'])})", re.IGNORECASE)
        self.condition = lazy_pattern(rf"(?<!\w)(?:{'|'.join(data['conditions'])})\b[^.,;:!?\n]*\Z", re.IGNORECASE)
        self.group = lazy_pattern(rf"(?<!\w){data['plurals']},? (?:aged|ages|de|di|van|von|im Alter von)\s\Z")

    def is_rule(self, before: str, after: str, years: int) -> bool:
        """Whether it is an age limit or the age of a group: *under 18*, *until he is 18*, *children aged 5*."""
        is_bounded = (self.bound.search(before) and not self.milestone.search(before)) or self.bound_after.match(after)
        is_conditional = years < _OLDEST_GROUP and self.condition.search(before) and not _AFTER_YEAR.search(before)
        return bool(is_bounded or is_conditional or self.group.search(before))

    def value(self, words: str) -> int:
        """The number that words say; -1 of others."""
        key = words.lower()
        return self.values.get(key, self.values.get(key.replace(" ", "-"), -1))


@cache
def _forms(language: str) -> _Forms:
    return _Forms(language)


def any_number(names: Iterable[str]) -> str:
    """A pattern for any number in words, hyphens or spaces between them."""
    return "|".join(re.escape(name).replace(r"\-", "[- ]") for name in sorted(names, key=len, reverse=True))


def _numbers(text: str, forms: _Forms) -> Iterator[tuple[int, int, int]]:
    """Numbers that may be an age, in digits and in words, with their values."""
    in_digits = ((*match.span(), int(match.group())) for match in find_at(_DIGITS, text, number_starts(text)))
    in_words = (
        (*match.span(), forms.value(match.group()))
        for match in find_at(forms.words, text, starts_of(forms.first_words, text))
    )
    yield from sorted(number for number in (*in_digits, *in_words) if 0 <= number[2] <= _OLDEST)


_SEX = lazy_pattern(r"[ /]?(?:[MFmf♀♂](?![\w'’])|[MF](?=,? ))")
_SEX_ATTACHED = lazy_pattern(r"[MF](?=[ ,.;)]|\Z)")
_SEX_WORD = lazy_pattern(
    r" (?:male|female|lady|gentleman|mujer|varón|homme|femme|weiblich|männlich)(?=[,.;\n]|\Z)", re.IGNORECASE
)
_SEX_BEFORE = lazy_pattern(r"(?<![\w/])[MF]/\Z")
_OPENED = lazy_pattern(r"[^\W\d_]\W{0,2}[(\[]\Z")
_ENTRY = lazy_pattern(
    r"(?:\A|\n|(?:^|[\s(])(?:pt|patient|hpi|a/p|gen|details|cc|hx|re|assessment|impression)[:.]?)\s*\Z", re.IGNORECASE
)
_PHRASE_START = lazy_pattern(r"(?:\A|[.:;,(\n])[ \t]*\Z|(?<!\S)\d{4,8}[ \t]+\Z")
_CLAUSE_END = lazy_pattern(
    r"\s*(?:[;:!?)}\"–—]|[,.](?!\d)|\Z|\n|(?:and|but|now|so|when|while|who|with|she|he|und|oder|aber|e|y|et|en|ma|mais|maar|pero)\b)"
)
_IS = lazy_pattern(r"[ ](?:is|was|ist|war)[ ](?:now[ ])?\Z")
_OF_AGE = lazy_pattern(r"[ ](?:de|di|von|van)[ ]\Z")
_FIRST_WORD = lazy_pattern(r"(?:\A|[.!?:\n])\s*\S+\Z")
_STOP = lazy_pattern(r"\s*(?:[;!?]|[,.](?!\d)|\n|\Z)")
_NAMES_BEFORE = lazy_pattern(
    r"(?P<names>(?:[^\W\d_][^\W\d_'’-]*(?:[-'’][^\W\d_]+)*\.?[\"”“’*»]{0,3}[ ][„“\"‘(*«]{0,2}){0,3}"
    r"[^\W\d_]+(?:[-'’][^\W\d_]+)*\.?)[\"”“’*»)]{0,3}(?P<mark>,[ ]|[ ]?\(|[ ]{1,4})\Z"
)
_END_AFTER_NAME = lazy_pattern(r"\s?(?:[,;:)]|\.(?!\d)|—|–|\Z|\n)")
_IN_YEAR = lazy_pattern(r"[ ](?:in|im|en|nel|em)[ ](?:[^\W\d_]{3,9}[ ])?(?:19|20)\d\d(?!\d)")
_AFTER_YEAR = lazy_pattern(r"(?<!\d)(?:19|20)\d\d,? when [^\d.;]{1,20}\Z")
"""*In 1945, when he was* 18: no condition."""
_AFTER_BIRTH_DATE = lazy_pattern(r"\d{2,4} *\(\Z")


def _age_length(before: str, after: str, forms: _Forms, *, has_two_digits: bool) -> int | None:
    """How many characters behind a number belong to the age that it is; None where it is no age."""
    if old := forms.old.match(after):
        return old.end()
    unit = forms.unit.match(after) or forms.short_unit.match(after)
    length = unit.end() if unit else 0
    if forms.label.search(before) or (before.endswith("/") and _SEX_BEFORE.search(before)):
        return length
    if (sex := _sex_length(before, after)) is not None:
        return sex
    if unit and any(form.search(before) for form in (forms.have, forms.person, forms.relative, forms.be)):
        return length
    # What is cheap to tell is asked first: most numbers are no ages.
    if not unit and _CLAUSE_END.match(after) and _is_said_before(before, forms):
        return 0
    if not unit and forms.milestone.search(before) and (_CLAUSE_END.match(after) or forms.when.match(after)):
        return 0
    if (ago := forms.ago.match(after)) and forms.birth_word.search(before):
        return ago.end()
    if not unit and has_two_digits and forms.about.match(after) and forms.opening.search(before):
        return 0
    if not unit and _IN_YEAR.match(after) and (forms.be.search(before) or (has_two_digits and before.endswith(" at "))):
        return 0
    if not unit and has_two_digits and _STOP.match(after) and forms.have.search(before):
        return 0
    if not before.endswith("(") or after[length : length + 1] != ")":
        return None
    if _AFTER_BIRTH_DATE.search(before) and (unit or forms.birth.search(before)):
        return length
    return None


def _is_said_before(before: str, forms: _Forms) -> bool:
    """Whether somebody says an age, or is asked about it."""
    return bool(forms.be.search(before) or ("?" in before and forms.asked.search(before)))


def _length_after_name(before: str, after: str, forms: _Forms) -> int | None:
    """The same where a person is named right before the number, and nothing else tells."""
    unit = forms.unit.match(after) or forms.short_unit.match(after)
    length = unit.end() if unit else 0
    is_year = unit is not None and forms.young.match(after) is None
    linked = (_OF_AGE if unit else _IS).search(before)
    if linked and not (unit and _FIRST_WORD.search(before[: linked.start()])):
        # Ibrahim de 4 ans; Bella is 17.
        before = before[: linked.start()] + ", "
        if not unit and not _CLAUSE_END.match(after):
            return None
        is_known = _is_after_name(before, ",", forms, has_unit=False)
        return length if is_known else None
    return length if _is_after_name(before, after[length:], forms, has_unit=is_year) else None


def _sex_length(before: str, after: str) -> int | None:
    """How many characters behind an age say the sex: (29M), 67F with chest pain, 69/F, 53 male."""
    if attached := _SEX_ATTACHED.match(after):
        return attached.end() if _PHRASE_START.search(before) or _ENTRY.search(before) else None
    if sex := _SEX.match(after):
        is_bracketed = _OPENED.search(before) and after[sex.end() : sex.end() + 1] in (")", "]", ",")
        is_column = after[0] == "/" and before.endswith("  ")
        return sex.end() if is_bracketed or is_column or _ENTRY.search(before) else None
    return 0 if _SEX_WORD.match(after) else None


def _is_after_name(before: str, after: str, forms: _Forms, *, has_unit: bool) -> bool:
    """Whether a person is named right before: Anna (88); Tom Weir, 42, joiner; my son (13)."""
    if not _END_AFTER_NAME.match(after):
        return False
    if forms.relative.search(before):
        return True
    # Names have four words at most, and what follows them has no other signs than these.
    words = before.rstrip(" (,").rsplit(" ", 4)
    match = _NAMES_BEFORE.search(before, len(words[0]) + 1 if len(words) > 4 else 0)
    if match is None:
        return False
    names = re.findall(r"[^\W\d_][\w'’-]*", match["names"])
    capitalised = [name for name in names if name[0].isupper() and name.casefold() not in MONTH_WORDS]
    if not capitalised or capitalised[-1] != names[-1]:
        return False
    is_known = any(lookup_key(name) in given_names() or is_title(name) for name in capitalised)
    if not match["mark"].strip():
        return has_unit and is_known
    if has_unit or is_known:
        return True
    is_family_name = lookup_key(names[-1]) in family_names()
    return is_family_name and (len(capitalised) > 1 or match["mark"].strip() == "(")
