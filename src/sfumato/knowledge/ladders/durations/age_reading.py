"""Read an age: *63 years old*, *aged 63*, *a 63-year-old*, *63* where the words around make it one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.knowledge.grammar.function_words import STOP_WORDS
from sfumato.knowledge.ladders.base import Mention
from sfumato.knowledge.ladders.bounds import bound_in
from sfumato.knowledge.ladders.durations.age_words import Form
from sfumato.knowledge.numbers.read import numbers_in

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
    """From ``low`` to ``high`` years, the form it is said in, and the number, which no rung may repeat."""

    low: int
    high: int
    form: Form
    number: int


def read_age(mention: Mention) -> Age | None:
    """The age that the mention says; None where it is no age, but a duration or a number of something."""
    language, said = mention.language, mention.said.strip()
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
    return mention.said.rstrip().endswith("olds") or not follows or follows[1].lower() in STOP_WORDS["en"]


def _is_age_here(mention: Mention, *, is_bare: bool) -> bool:
    """Whether the words around a number, or its label, make it an age."""
    before = mention.text[max(0, mention.start - 40) : mention.start]
    after = mention.text[mention.end : mention.end + 20]
    if _AGE_BEFORE[mention.language].search(before) or _AGE_AFTER[mention.language].match(after):
        return True
    if not is_bare or mention.label.upper() not in _LABELS:
        return False
    return mention.label.upper() != "DEM" or bool(_ALONE.search(before) and _NOTHING_COUNTED.match(after))
