"""Generalize ages: *63 years old* -> *aged between 60 and 69*, *in later life*, *in adulthood*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sfumato.generalize.bounds import (
    BOUND_LANGUAGES,
    Bound,
    has_trailing_bound,
    is_end_of_range,
    leading_bound,
    preceding_bound,
)
from sfumato.generalize.hierarchy import Article, Level, Mention
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.numbers import numbers_in
from sfumato.lexicon.tables import languages_with, load_toml

Form = Literal["predicate", "aged", "age of", "adjective", "noun", "nouns", "number"]
"""*63 years old*, *aged 63*, *the age of 63*, *a 63-year-old man*, *a 63-year-old*, *63-year-olds*, *63*."""
_SOURCE = "rule: ages"
_LONGEST = 60
_N = "\x00"
_LANGUAGES = tuple(language for language in languages_with("ages") if language in BOUND_LANGUAGES)


def _data(language: str) -> Any:
    return load_toml("ages", language)


_SHAPES: dict[str, dict[Form, re.Pattern[str]]] = {
    language: {
        form: re.compile(shape.replace("{n}", _N).replace(" ", r"\s+"), re.IGNORECASE)
        for form, shape in _data(language)["shapes"].items()
    }
    for language in _LANGUAGES
}
_AGE_BEFORE = {language: re.compile(_data(language)["before"], re.IGNORECASE) for language in _LANGUAGES}
_AGE_AFTER = {language: re.compile(_data(language)["after"], re.IGNORECASE) for language in _LANGUAGES}
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
    language, surface = mention.language, mention.surface.strip()
    if language not in _LANGUAGES or len(surface) > _LONGEST or not _MAY_BE_AGE.fullmatch(surface):
        return None
    bound, offset = leading_bound(surface, language)
    if bound in ("above", "below"):
        return None
    core = surface[offset:]
    number = next(numbers_in(core, language), None)
    if number is None or number.value is None or number.ordinal or number.value.denominator != 1:
        return None
    shape = core[: number.start] + _N + core[number.end :]
    matches = ((form, pattern.fullmatch(shape)) for form, pattern in _SHAPES[language].items())
    shaped = next(((form, match) for form, match in matches if match), None)
    if shaped is None or (shaped[0] == "number" and not _is_age_here(mention, is_bare=shape == _N)):
        return None
    form, match = shaped
    years, is_young = int(number.value), bool(match.groupdict().get("months"))
    if years > (23 if is_young else 120):
        return None
    if form == "adjective":
        form = _form_of_adjective(mention)
    if is_young:
        return Age(0, 1, form, years)
    slack = max(2, years // 10) if bound != "exact" else 0
    return Age(max(0, years - slack), years + slack if bound == "about" else years, form, years)


def _form_of_adjective(mention: Mention) -> Form:
    """Whether a 63-year-old is somebody, or describes a noun."""
    if mention.surface.rstrip().endswith("olds"):
        return "nouns"
    following = re.match(r"\s+([^\W\d_]+)", mention.text[mention.end : mention.end + 30])
    return "noun" if not following or following[1].lower() in STOP_WORDS["en"] else "adjective"


def _is_age_here(mention: Mention, *, is_bare: bool) -> bool:
    """Whether the words around a number, or its label, make it an age."""
    before = mention.text[max(0, mention.start - 40) : mention.start]
    after = mention.text[mention.end : mention.end + 20]
    if _AGE_BEFORE[mention.language].search(before) or _AGE_AFTER[mention.language].match(after):
        return True
    if not is_bare or mention.label.upper() not in _LABELS:
        return False
    return mention.label.upper() != "DEM" or bool(_ALONE.search(before) and _NOTHING_COUNTED.match(after))


_OLDEST = 90
"""From here on people are few; US health rules ask for one group."""
_ADULT = 18
_MINOR, _OF_AGE = (0, 17), (18, 200)
_EDGES = (2, 5, 10, 12, 15, 16, 20, 25, 30, 40, 50, 60, 70, 80)
_MINOR_BANDS = ((2, 5), (6, 9), (10, 13), (14, 17), (2, 7), (4, 8), (8, 12), (12, 16), (11, 15), (3, 9), (13, 17))
_ADULT_BANDS = (
    *((low, low + 9) for low in range(20, _OLDEST - 1, 10)),
    *((low, low + 9) for low in range(25, 80, 10)),
    *((18, 24), (18, 29), (20, 39), (40, 64), (60, 89)),
)
_BOUND = re.compile(
    r"\b(under|below|over|above|before|until|reached|attained|beyond|past)\s+(?:the\s+age\s+(?:of\s+)?|age\s+)?\Z",
    re.IGNORECASE,
)
_BELOW = frozenset({"under", "below", "before", "until"})


def age_levels(age: Age, mention: Mention) -> list[Level]:
    """The age, ever less exactly: a decade, a stage of life, of age or not."""
    bound = _bound(mention)
    if is_end_of_range(mention.text, mention.start) or has_trailing_bound(mention.text, mention.end):
        return []
    if bound in ("above", "below"):
        return list(_bound_levels(age, bound == "above", mention))
    levels: list[Level] = []
    last: tuple[int, int] | None = None
    for low, high, text, article in _steps(age, mention):
        if not text or (last is not None and (low > last[0] or high < last[1] or (low, high) == last)):
            continue
        last = low, high
        modifier = text if age.form == "adjective" else None
        levels.append(Level(text, high - low + 1, article, age.form == "nouns", modifier, None, _SOURCE))
    return levels


def _bound(mention: Mention) -> Bound:
    """The bound before it or before what makes it an age: under the age of [18], a child under [15 years]."""
    before = mention.text[max(0, mention.start - 40) : mention.start]
    if match := _BOUND.search(before):
        return "below" if match[1].lower() in _BELOW else "above"
    return preceding_bound(mention.text, mention.start, mention.language)


def _bound_levels(age: Age, from_below: bool, mention: Mention) -> Iterator[Level]:
    """What may stand behind a "more than" or "less than" that stays in the text: less than [18] -> less than [20]."""
    if age.form in ("adjective", "noun", "nouns", "aged"):
        return
    edges = [edge for edge in _EDGES if (edge < age.low if from_below else edge > age.high)]
    templates = _data(mention.language)["bound"]
    template = templates.get(age.form, templates["number"])
    if age.form == "number" and "y" not in mention.surface.lower():
        template = templates.get("bare", template)
    elif age.form != "age of" and re.match(r"\s+(?:old|of age)\b", mention.after[:10]):
        template = templates.get("before_old", template)
    for edge in edges[::-1][:2] if from_below else edges[:2]:
        yield Level(template.format(edge=edge), abs(edge - age.low) + 1, "", source=_SOURCE)


def _steps(age: Age, mention: Mention) -> Iterator[tuple[int, int, str, Article]]:
    data = _data(mention.language)
    if age.low >= _OLDEST:
        low = _OLDEST if age.number != _OLDEST else 85
        yield low, 200, data["at_least"].get(age.form, "").format(low=low), "a" if age.form in ("noun", "nouns") else ""
    elif age.high < 2:
        yield 0, 1, data["under"].get(age.form, "").format(high=2), ""
    elif band := _band(age):
        yield (*band, data["between"][age.form].format(low=band[0], high=band[1]), "")
    for stage in data["stages"]:
        low, high = stage["ages"]
        if low <= age.low and age.high <= high:
            yield low, high, _stage_text(stage, age, mention), "a" if age.form == "noun" else ""


def _band(age: Age) -> tuple[int, int] | None:
    """Ten years, five for minors; none that begins or ends with the age itself, or joins both sides of eighteen."""
    for low, high in _MINOR_BANDS if age.high < _ADULT else _ADULT_BANDS:
        if low <= age.low and age.high <= high and age.number not in (low, high) and high < _OLDEST:
            return low, high
    return None


def _stage_text(stage: Any, age: Age, mention: Mention) -> str:
    """The words for a stage of life that fit where the age stood; empty where none do."""
    data = _data(mention.language)
    if "noun" in stage:
        if age.form in ("adjective", "noun", "nouns"):
            return str(stage[age.form])
        if age.form in ("predicate", "aged"):
            return str(stage["phrase"])
    else:
        follows_de = re.search(r"\bde\s*$", mention.text[max(0, mention.start - 8) : mention.start])
        said_twice = mention.text[mention.end : mention.end + 10].strip().startswith("de edad")
        if (follows_de or age.form == "age of") and not said_twice:
            return str(stage["phrase"])
    if age.number == _ADULT or tuple(stage["ages"]) not in (_MINOR, _OF_AGE):
        return ""
    templates = data["minor" if tuple(stage["ages"]) == _MINOR else "of_age"]
    return str(templates.get(age.form, templates["number"]))


_STAGE_FORMS: dict[str, Form] = {"phrase": "predicate", "noun": "noun", "nouns": "noun", "adjective": "adjective"}


def read_band(phrase: str, language: str) -> tuple[int, int, Form] | None:
    """From and to which age one of these levels speaks, and in which form; None of any other phrase."""
    phrase = re.sub(r"^(?:an?|the|un|una)\s+", "", phrase.strip(), flags=re.I)
    for stage in (stage for each in _LANGUAGES for stage in _data(each)["stages"]):
        low, high = stage["ages"]
        for key, form in _STAGE_FORMS.items():
            if phrase.lower() == stage.get(key):
                return low, min(high, 99), form if "noun" in stage else "number"
    if language in _LANGUAGES:
        for between_form, template in _data(language)["between"].items():
            band = re.fullmatch(template.format(low=r"(\d+)", high=r"(\d+)"), phrase, re.IGNORECASE)
            if band and between_form != "nouns":
                return int(band[1][:3]), int(band[2][:3]), between_form
    return None


def age_originals(low: int, high: int, form: Form, language: str) -> Iterator[str]:
    """The ages inside the band: round ones first."""
    templates = _data(language)["originals"]
    template = templates.get(form, templates["number"])
    ages = sorted(range(low, high + 1), key=lambda age: (age % 10 != 0, age % 5 != 0, abs(2 * age - low - high), age))
    return (template.format(age=age) for age in ages)
