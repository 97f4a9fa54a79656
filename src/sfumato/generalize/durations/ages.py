"""Ages: *63 years old* -> *aged between 60 and 69*, *in later life*, *in adulthood*; the oldest are one group."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sfumato.generalize.hierarchy import (
    Article,
    Bound,
    Level,
    Mention,
    bound_before,
    bound_in,
    goes_on,
    is_end_of_range,
)
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.numbers import numbers_in

# -- The words for an age, by the form in which it stood: *63 years old*, *aged 63*, *a 63-year-old*.


Form = Literal["predicate", "aged", "age of", "adjective", "noun", "number"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A time of life: from and to which age, and the words for it; the Spanish ones stand after *de*."""

    low: int
    high: int
    phrase: str
    noun: str
    adjective: str
    spanish: str


STAGES = (
    Stage(0, 1, "in infancy", "infant", "infant", "menos de dos años"),
    Stage(2, 12, "in childhood", "child", "pre-teen", "edad infantil"),
    Stage(13, 17, "in adolescence", "adolescent", "adolescent", "edad adolescente"),
    Stage(18, 29, "in early adulthood", "young adult", "young adult", "edad adulta joven"),
    Stage(40, 64, "in middle age", "middle-aged adult", "middle-aged", "edad mediana"),
    Stage(60, 200, "in later life", "older adult", "older", "edad avanzada"),
    Stage(0, 17, "under the age of majority", "minor", "underage", "menos de 18 años"),
    Stage(18, 200, "in adulthood", "adult", "adult", "edad adulta"),
)


def between(low: int, high: int, form: Form, spanish: bool, many: bool) -> str:
    plural = "s" if form == "noun" and many else ""
    if spanish:
        return {"age of": f"edad de entre {low} y {high} años"}.get(form, f"entre {low} y {high} años")
    return {
        "predicate": f"aged between {low} and {high}",
        "aged": f"between {low} and {high} years old",
        "age of": f"age of between {low} and {high}",
        "adjective": f"{low}- to {high}-year-old",
        "noun": f"{low}- to {high}-year-old{plural}",
        "number": f"between {low} and {high}",
    }[form]


def from_on(low: int, form: Form, spanish: bool, many: bool) -> str:
    if spanish:
        return {"age of": f"edad de {low} años o más"}.get(form, f"{low} años o más")
    return {
        "predicate": f"aged {low} or over",
        "aged": f"{low} or more years old",
        "age of": f"age of {low} or over",
        "adjective": "",
        "noun": f"{'people' if many else 'person'} aged {low} or over",
        "number": f"{low} or over",
    }[form]


def under(high: int, form: Form, spanish: bool) -> str:
    if spanish:
        return {"age of": f"edad de menos de {high} años"}.get(form, f"menos de {high} años")
    return {
        "predicate": f"aged under {high}",
        "aged": f"less than {high} years old",
        "age of": f"age of less than {high}",
        "adjective": "",
        "noun": "",
        "number": f"under {high}",
    }[form]


# -- Read an age: *63 years old*, *aged 63*, *a 63-year-old*, *63* where the words around make it one.


_LONGEST = 60
_SHAPES: dict[str, dict[Form, str]] = {
    "en": {
        "age of": r"(?:the )?ages? of {n}(?: (?P<months>months?)| years?)?",
        "aged": r"aged?,? {n}(?: (?P<months>months?)| years?(?: old)?)?",
        "adjective": r"{n}(?:[-\s](?:year|yr|(?P<months>month|week|day))[-\s]|-years-)olds?",
        "predicate": r"{n}[-\s]?(?:(?:years?|yrs?\.?|(?P<months>months?|weeks?|days?))[-\s](?:old|of age)|y/?o|y\.o\.)",
        "number": r"{n}(?: years?)?",
    },
    "es": {
        "age of": r"(?:la )?edad de {n}(?: años?| (?P<months>mes(?:es)?))?",
        "predicate": r"{n} (?:años?|(?P<months>mes(?:es)?|semanas?|días?)) de edad",
        "number": r"{n}(?: (?:años?|a)| (?P<months>mes(?:es)?))?",
    },
}
_N = "\x00"
_PATTERNS = {
    language: {
        form: re.compile(shape.replace("{n}", _N).replace(" ", r"\s+"), re.IGNORECASE) for form, shape in shapes.items()
    }
    for language, shapes in _SHAPES.items()
}
_AGE_BEFORE = {
    "en": re.compile(
        r"\b(?:aged?|ages?|age of|age:|age is|turned|turning|aged (?:about|around|over|under))[\s,:]*$", re.I
    ),
    "es": re.compile(
        r"\b(?:edad(?: de)?:?|(?:varón|mujer|hombre|paciente|niñ[oa]|señora?|lactante|chic[oa]|joven|ancian[oa]|"
        r"persona|hij[oa]|herman[oa]|padre|madre|adolescente) de)\s*$",
        re.I,
    ),
}
_AGE_AFTER = {
    "en": re.compile(r"[\s-]*(?:years? old|-?year-olds?|years? of age|y/?o\b|of age)", re.I),
    "es": re.compile(r"\s*(?:años )?de edad", re.I),
}
_ALONE = re.compile(
    r"(?:\b(?:am|is|was|are|were|be|been|being|turns?|turned|i['’]m|s?he['’]s|now|just|only|nearly|almost|barely)\s+|"
    r"[^\W\d_]{2,},?\s*\(|[^\W\d_]{2,},\s+|^\s*)\Z",
    re.IGNORECASE,
)
"""What stands before a number that is somebody's age: he was 42; Tom, 42; Tom (42)."""
_NOTHING_COUNTED = re.compile(r"\s*(?:[,;)!?]|\.(?!\d)|\Z|(?:and|but|or|when|while|now|at the time|who|with)\b)")
"""What follows it: no noun, or it would be so many of them."""
_MAY_BE_AGE = re.compile(r"[^\d€$£%]{0,30}\d{0,3}(?![\d,]\d)[^\d€$£%]{0,40}", re.DOTALL)
"""Cheap: most quantities are no ages."""
_LABELS = frozenset({"AGE", "DEM", "EDAD"})


@dataclass(frozen=True, slots=True)
class Age:
    """From ``low`` to ``high`` years, the form it is said in, and the number, which no level may repeat."""

    low: int
    high: int
    form: Form
    number: int


def read_age(mention: Mention) -> Age | None:
    """The age that the mention says; None where it is no age, but a duration or a number of something."""
    language, said = mention.language, mention.surface.strip()
    if language not in _PATTERNS or len(said) > _LONGEST:
        return None
    if not _MAY_BE_AGE.fullmatch(said):
        return None
    bound, at = bound_in(said, language)
    if bound in ("above", "below"):
        return None
    found = next(numbers_in(said[at:], language), None)
    if found is None or found.value is None or found.ordinal or found.value.denominator != 1:
        return None
    shape = said[at : at + found.start] + _N + said[at + found.end :]
    forms = ((form, pattern.fullmatch(shape)) for form, pattern in _PATTERNS[language].items())
    found_form = next(((form, match) for form, match in forms if match), None)
    if found_form is None:
        return None
    form, match = found_form
    if form == "number" and not _is_age_here(mention, is_bare=shape == _N):
        return None
    number, is_young = int(found.value), bool(match.groupdict().get("months"))
    if number > (23 if is_young else 120):
        return None
    if form == "adjective" and _stands_alone(mention):
        form = "noun"
    if is_young:
        return Age(0, 1, form, number)
    slack = max(2, number // 10) if bound != "exact" else 0
    high = number + slack if bound == "about" else number
    return Age(max(0, number - slack), high, form, number)


def _stands_alone(mention: Mention) -> bool:
    """Whether a 63-year-old is somebody, and describes no noun."""
    follows = re.match(r"\s+([^\W\d_]+)", mention.text[mention.end : mention.end + 30])
    return mention.surface.rstrip().endswith("olds") or not follows or follows[1].lower() in STOP_WORDS["en"]


def _is_age_here(mention: Mention, *, is_bare: bool) -> bool:
    """Whether the words around a number, or its label, make it an age."""
    before = mention.text[max(0, mention.start - 40) : mention.start]
    after = mention.text[mention.end : mention.end + 20]
    if _AGE_BEFORE[mention.language].search(before) or _AGE_AFTER[mention.language].match(after):
        return True
    if not is_bare or mention.label.upper() not in _LABELS:
        return False
    return mention.label.upper() != "DEM" or bool(_ALONE.search(before) and _NOTHING_COUNTED.match(after))


# -- Ages: *63 years old* -> *aged between 60 and 69*, *in later life*, *in adulthood*; the oldest are one group.


_SOURCE = "rule: ages"
_OLDEST = 90
"""From here on people are few; US health rules ask for one group."""
_ADULT = 18
_EDGES = (2, 5, 10, 12, 15, 16, 20, 25, 30, 40, 50, 60, 70, 80)

_BOUND = re.compile(
    r"\b(under|below|over|above|before|until|reached|attained|beyond|past)\s+(?:the\s+age\s+(?:of\s+)?|age\s+)?\Z",
    re.IGNORECASE,
)
_BELOW = frozenset({"under", "below", "before", "until"})


def levels(age: Age, mention: Mention) -> list[Level]:
    """The age, ever less exactly: a decade, a time of life, of age or not."""
    outside = _bound(mention)
    if is_end_of_range(mention.text, mention.start) or goes_on(mention.text, mention.end):
        return []
    if outside in ("above", "below"):
        return list(_bounds(age, outside == "above", mention))
    steps = [step for step in _steps(age, mention) if step[2]]
    found: list[Level] = []
    last: tuple[int, int] | None = None
    for low, high, text, article in steps:
        if last is not None and (low > last[0] or high < last[1] or (low, high) == last):
            continue
        last = low, high
        modifier = text if age.form == "adjective" else None
        found.append(
            Level(text, high - low + 1, article, age.form == "noun" and _many(mention), modifier, None, _SOURCE)
        )
    return found


def _bound(mention: Mention) -> Bound:
    """The bound before it or before what makes it an age: under the age of [18], a child under [15 years]."""
    before = mention.text[max(0, mention.start - 40) : mention.start]
    if found := _BOUND.search(before):
        return "below" if found[1].lower() in _BELOW else "above"
    return bound_before(mention.text, mention.start, mention.language)


def _bounds(age: Age, from_below: bool, mention: Mention) -> Iterator[Level]:
    """What may stand behind a "more than" or "less than" that stays in the text: less than [18] -> less than [20]."""
    if age.form in ("adjective", "noun", "aged"):
        return
    edges = [edge for edge in _EDGES if (edge < age.low if from_below else edge > age.high)]
    years = "" if age.form == "number" and "y" not in mention.surface.lower() else " years old"
    if years and re.match(r"\s+(?:old|of age)\b", mention.after[:10]):
        years = " years"
    for edge in edges[::-1][:2] if from_below else edges[:2]:
        text = f"age of {edge}" if age.form == "age of" else f"{edge}{years}"
        spanish = f"edad de {edge} años" if age.form == "age of" else f"{edge} años"
        yield Level(spanish if mention.language == "es" else text, abs(edge - age.low) + 1, "", source=_SOURCE)


def _many(mention: Mention) -> bool:
    return mention.surface.rstrip().endswith("olds")


def _steps(age: Age, mention: Mention) -> Iterator[tuple[int, int, str, Article]]:
    spanish = mention.language == "es"
    if age.low >= _OLDEST:
        floor = _OLDEST if age.number != _OLDEST else 85
        yield floor, 200, from_on(floor, age.form, spanish, _many(mention)), "a" if age.form == "noun" else ""
    elif age.high < 2:
        yield 0, 1, under(2, age.form, spanish), ""
    elif band := _band(age):
        yield (*band, between(*band, age.form, spanish, _many(mention)), "")
    for stage in STAGES:
        if stage.low <= age.low and age.high <= stage.high:
            article: Article = "a" if age.form == "noun" and not spanish and not _many(mention) else ""
            yield stage.low, stage.high, _stage(stage, age, mention), article


def _band(age: Age) -> tuple[int, int] | None:
    """Ten years, five for minors; none that begins or ends with the age itself, or joins both sides of eighteen."""
    if age.high < _ADULT:
        options = [(2, 5), (6, 9), (10, 13), (14, 17), (2, 7), (4, 8), (8, 12), (12, 16), (11, 15), (3, 9), (13, 17)]
    else:
        options = [(low, low + 9) for low in range(20, _OLDEST - 1, 10)] + [(low, low + 9) for low in range(25, 80, 10)]
        options += [(18, 24), (18, 29), (20, 39), (40, 64), (60, 89)]
    fitting = (
        (low, high)
        for low, high in options
        if low <= age.low and age.high <= high and age.number not in (low, high) and high < _OLDEST
    )
    return next(fitting, None)


def _stage(stage: Stage, age: Age, mention: Mention) -> str:
    """The words for a time of life that fit where the age stood; empty where none do."""
    if mention.language == "es":
        follows_de = re.search(r"\bde\s*$", mention.text[max(0, mention.start - 8) : mention.start])
        said_twice = mention.text[mention.end : mention.end + 10].strip().startswith("de edad")
        if (follows_de or age.form == "age of") and not said_twice:
            return stage.spanish
        if age.number != _ADULT and (stage.low, stage.high) in ((0, 17), (18, 200)):
            return "menos de 18 años" if stage.low == 0 else "18 años o más"
        return ""
    if age.form == "adjective":
        return stage.adjective
    if age.form == "noun":
        return stage.noun + "s" * _many(mention) if stage.noun != "child" or not _many(mention) else "children"
    if age.form in ("predicate", "aged"):
        return stage.phrase
    if (stage.low, stage.high) in ((0, 17), (18, 200)) and age.number != _ADULT:
        of = "age of " if age.form == "age of" else ""
        return f"{of}under 18" if stage.low == 0 else f"{of}18 or over"
    return ""


_BAND = {
    "en": re.compile(r"(?:aged |age of )?between (\d+) and (\d+)(?: years old)?|(\d+)- to (\d+)-year-old", re.I),
    "es": re.compile(r"(?:edad de )?entre (\d+) y (\d+) años", re.I),
}


def read_back(phrase: str, language: str) -> tuple[int, int, Form] | None:
    """From and to which age one of these levels speaks, and in which form; None of any other phrase."""
    said = re.sub(r"^(?:an?|the|un|una)\s+", "", phrase.strip(), flags=re.I)
    for stage in STAGES:
        forms: tuple[tuple[str, Form], ...] = (
            (stage.phrase, "predicate"),
            (stage.noun, "noun"),
            (stage.noun + "s", "noun"),
            (stage.adjective, "adjective"),
            (stage.spanish, "number"),
        )
        for words, form in forms:
            if said.lower() == words:
                return stage.low, min(stage.high, 99), form
    if language in _BAND and (found := _BAND[language].fullmatch(said)):
        low, high = (int(part[:3]) for part in found.groups() if part)
        if "year-old" in said:
            return low, high, "adjective"
        if said.lower().startswith("between") and "old" not in said:
            return low, high, "number"
        return low, high, "age of" if "age of" in said else "predicate"
    return None


def candidate_originals(low: int, high: int, form: Form, language: str) -> Iterator[str]:
    """The ages inside the band: round ones first."""
    years = sorted(range(low, high + 1), key=lambda age: (age % 10 != 0, age % 5 != 0, abs(2 * age - low - high), age))
    for age in years:
        if language == "es":
            yield f"{age} años"
        elif form in ("adjective", "noun"):
            yield f"{age}-year-old"
        elif form == "age of":
            yield f"age of {age}"
        else:
            yield f"{age} years old" if form == "predicate" else str(age)
