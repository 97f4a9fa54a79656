"""Generalize ages: *63 years old* -> *aged between 60 and 69*, *in later life*, *in adulthood*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any, Literal

from sfumato.annotated_text import read_once
from sfumato.generalize.bounds import (
    BOUND_LANGUAGES,
    has_trailing_bound,
    is_end_of_range,
    leading_bound,
    nested,
    preceding_bound,
)
from sfumato.generalize.hierarchy import Article, Level, Mention
from sfumato.generalize.old_age import OLDEST_GROUP
from sfumato.lexicon.ages import StatedAge, find_ages
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.numbers import numbers_in
from sfumato.lexicon.tables import languages_with, load_toml
from sfumato.lexicon.tokens import lazy_pattern

Form = Literal["predicate", "aged", "age of", "adjective", "noun", "nouns", "number", "compact"]
"""*63 years old*, *aged 63*, *the age of 63*, *a 63-year-old man*, *a 63-year-old*, *63-year-olds*, *63*, *63M*."""
_SOURCE = "rule: ages"
GROUP_SOURCE = "rule: ages over 89"
"""Of the one group for the oldest, which may repeat a number of the original: 90 -> 90 or over."""
_LONGEST = 60
_N = "\x00"
_LANGUAGES = tuple(language for language in languages_with("ages") if language in BOUND_LANGUAGES)


def _data(language: str) -> Any:
    return load_toml("ages", language)


_SHAPES: dict[str, dict[Form, re.Pattern[str]]] = {
    language: {
        form: lazy_pattern(shape.replace("{n}", _N).replace(" ", r"\s+"), re.IGNORECASE)
        for form, shape in _data(language)["shapes"].items()
    }
    for language in _LANGUAGES
}
_AGE_BEFORE = {language: lazy_pattern(_data(language)["before"], re.IGNORECASE) for language in _LANGUAGES}
_AGE_AFTER = {language: lazy_pattern(_data(language)["after"], re.IGNORECASE) for language in _LANGUAGES}
_ALONE = lazy_pattern(
    r"(?:\b(?:am|is|was|are|were|be|been|being|turns?|turned|i['’]m|s?he['’]s|now|just|only|nearly|almost|barely)\s+|"
    r"[^\W\d_]{2,},?\s*\(|[^\W\d_]{2,},\s+|^\s*)\Z",
    re.IGNORECASE,
)
"""What stands before a number that is somebody's age: he was 42; Tom, 42; Tom (42)."""
_NOTHING_COUNTED = lazy_pattern(r"\s*(?:[,;)!?]|\.(?!\d)|\Z|(?:and|but|or|when|while|now|at the time|who|with)\b)")
"""What follows it: no noun, or it would be so many of them."""
_MAY_BE_AGE = lazy_pattern(r"[^\d€$£%]{0,30}\d{0,3}(?![\d,]\d)[^\d€$£%]{0,40}", re.DOTALL)
"""Cheap: most quantities are no ages."""
_LABELS = frozenset({"AGE", "DEM", "EDAD"})
_COMPACT_UNIT = r"/?[MFmf♀♂]|y/?o[mf]?|y\.o\.?|y|yrs?\.?|YOA"
_COMPACT = lazy_pattern(rf"(?:[MF]/)?\d{{1,3}}\s?(?:{_COMPACT_UNIT})|[MF]/\d{{1,3}}", re.IGNORECASE)
"""How ages are written in notes."""


@dataclass(frozen=True, slots=True)
class Age:
    """From ``low`` to ``high`` years, the form it is said in, and the number, which no level may repeat."""

    low: int
    high: int
    form: Form
    number: int
    before: str = ""
    after: str = ""
    """Of a compact age, what stands around its number: 63 *y/o*, *F/* 63."""
    has_article: bool = False


def read_age(mention: Mention) -> Age | None:
    """The age that the mention says; None where it is no age, but a duration or a number of something."""
    language, surface = mention.language, mention.surface.strip()
    if len(surface) > _LONGEST or not _MAY_BE_AGE.fullmatch(surface):
        return None
    stated = _stated_age(mention)
    if language not in _LANGUAGES or _COMPACT.fullmatch(surface):
        return _compact_age(surface, stated)
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
    if shaped is None:
        return _compact_age(surface, stated)
    if shaped[0] == "number" and stated is None and not _is_age_here(mention, is_bare=shape == _N):
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


@read_once
def _stated_ages(text: str, language: str) -> tuple[StatedAge, ...]:
    return tuple(find_ages(text, language))


def _stated_age(mention: Mention) -> StatedAge | None:
    """The age that the text states where the mention stands."""
    stated = (age for age in _stated_ages(mention.text, mention.language) if mention.start <= age.start < mention.end)
    return next(stated, None)


def _compact_age(surface: str, stated: StatedAge | None) -> Age | None:
    """An age of which only the number is replaced: *63M*, *63 y/o*, *62 ans*, *47-jährige*."""
    number = re.search(r"\d+", surface)
    if stated is None or not stated.years or number is None or int(number.group()) != stated.years:
        return None
    article = re.match(r"an?\s+", surface)
    before = surface[article.end() if article else 0 : number.start()]
    return Age(
        stated.years, stated.years, "compact", stated.years, before, surface[number.end() :], article is not None
    )


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


_ADULT, _LATER_LIFE = 18, 60
_MINOR, _OF_AGE = (0, 17), (18, 200)
_MINOR_BANDS = ((2, 5), (6, 9), (10, 13), (14, 17), (2, 7), (4, 8), (8, 12), (12, 16), (11, 15), (3, 9), (13, 17))
_ADULT_BANDS = (
    *((low, low + 9) for low in range(20, OLDEST_GROUP - 1, 10)),
    *((low, low + 9) for low in range(25, 80, 10)),
    *((18, 24), (18, 29), (20, 39), (40, 64), (60, 89)),
)
_WIDE_MINOR_BANDS = ((0, 9), (2, 12), (5, 14), (8, 17), (6, 17))
_WIDE_ADULT_BANDS = tuple((low, low + 19) for low in range(20, 71, 5))
_BOUND = lazy_pattern(
    r"\b(under|below|over|above|before|until|reached|attained|beyond|past)\s+(?:the\s+age\s+(?:of\s+)?|age\s+)?\Z",
    re.IGNORECASE,
)


def age_levels(age: Age, mention: Mention) -> list[Level]:
    """The age, ever less exactly: a decade, a stage of life, of age or not."""
    if age.form != "compact" and _is_limit_or_end(mention):
        return []
    levels: list[Level] = []
    for low, high, text, article in nested(filter(itemgetter(2), _steps(age, mention)), itemgetter(0, 1)):
        modifier = text if age.form in ("adjective", "compact") else None
        source = GROUP_SOURCE if low == OLDEST_GROUP else _SOURCE
        article = "a" if age.has_article else article
        levels.append(Level(text, high - low + 1, article, age.form == "nouns", modifier, None, source))
    return levels


def _is_limit_or_end(mention: Mention) -> bool:
    """Whether it is a limit, which would become another one (under the age of [18]), or one end of a range of ages."""
    before = mention.text[max(0, mention.start - 40) : mention.start]
    is_limit = _BOUND.search(before) or preceding_bound(mention.text, mention.start, mention.language) != "exact"
    has_end = is_end_of_range(mention.text, mention.start) or has_trailing_bound(mention.text, mention.end)
    return bool(is_limit) or has_end


def _steps(age: Age, mention: Mention) -> Iterator[tuple[int, int, str, Article]]:
    if age.form == "compact":
        yield from _compact_steps(age, mention.language)
        return
    data = _data(mention.language)
    if age.low >= OLDEST_GROUP:
        text = data["at_least"].get(age.form, "").format(low=OLDEST_GROUP)
        yield OLDEST_GROUP, 200, text, "a" if age.form in ("noun", "nouns") else ""
    elif age.high < 2:
        yield 0, 1, data["under"].get(age.form, "").format(high=2), ""
    stages = [stage for stage in data["stages"] if stage["ages"][0] <= age.low and age.high <= stage["ages"][1]]
    if age.high >= 2 and age.low < OLDEST_GROUP:
        narrow_stages = (stage for stage in stages if tuple(stage["ages"]) not in (_MINOR, _OF_AGE))
        has_stage = any(_stage_text(stage, age, mention) for stage in narrow_stages)
        for low, high in islice(_bands(age), 1 if has_stage else 2):
            yield low, high, data["between"][age.form].format(low=low, high=high), ""
        if age.low > _LATER_LIFE and not has_stage:
            yield _LATER_LIFE, 200, data["at_least"].get(age.form, "").format(low=_LATER_LIFE), ""
    for stage in stages:
        yield *stage["ages"], _stage_text(stage, age, mention), "a" if age.form == "noun" else ""


def _compact_steps(age: Age, language: str) -> Iterator[tuple[int, int, str, Article]]:
    """Bands in place of the number, what stands around it as it was."""
    groups = load_toml("age_groups", package="sfumato.generalize")
    templates = groups.get(language, groups["en"])
    if age.low >= OLDEST_GROUP:
        after = f" {age.after[1:]}" if age.after.startswith("-") else age.after
        text = f"{age.before}{OLDEST_GROUP}+{after}" if age.before or after else templates["age"]
        yield OLDEST_GROUP, 200, text, ""
        return
    template = templates["hyphenated_band" if age.after.startswith("-") else "band"]
    for low, high in _bands(age):
        yield low, high, f"{age.before}{template.format(low=low, high=high)}{age.after}", ""
    after = f" {age.after[1:]}" if age.after.startswith("-") else age.after
    if not (age.before or after):
        return
    if age.low > _LATER_LIFE:
        yield _LATER_LIFE, 200, f"{age.before}{_LATER_LIFE}+{after}", ""
    if age.number != _ADULT:
        is_minor = age.high < _ADULT
        yield *(_MINOR if is_minor else _OF_AGE), f"{age.before}{templates['minor'] if is_minor else '18+'}{after}", ""


def _bands(age: Age) -> Iterator[tuple[int, int]]:
    """Ten years, five for minors, then twenty; none begins or ends with the age, or joins both sides of eighteen."""
    bands, wide = (_MINOR_BANDS, _WIDE_MINOR_BANDS) if age.high < _ADULT else (_ADULT_BANDS, _WIDE_ADULT_BANDS)
    first = next(filter(partial(_fits, age), bands), None)
    if first is not None:
        yield first
    # In the middle of a band an age is guessed first.
    low, high = first or (age.low, age.high)
    wider = [band for band in wide if _fits(age, band) and band[0] <= low and high <= band[1]]
    if wider:
        yield max(wider, key=lambda band: abs(2 * age.number - sum(band)))


def _fits(age: Age, band: tuple[int, int]) -> bool:
    low, high = band
    return low <= age.low and age.high <= high and age.number not in band and high < OLDEST_GROUP


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


_COMPACT_BAND = lazy_pattern(
    r"(?:[MF]/)?(\d{1,2})-(\d{1,3})\s?(?:/?[MFmf♀♂]|y/?o[mf]?|y\.o\.?|y|yrs?\.?|YOA)", re.IGNORECASE
)
_STAGE_FORMS: dict[str, Form] = {"phrase": "predicate", "noun": "noun", "nouns": "noun", "adjective": "adjective"}


def read_band(phrase: str, language: str) -> tuple[int, int, Form] | None:
    """From and to which age one of these levels speaks, and in which form; None of any other phrase."""
    phrase = re.sub(r"^(?:an?|the|un|una)\s+", "", phrase.strip(), flags=re.I)
    if compact := _COMPACT_BAND.fullmatch(phrase):
        return int(compact[1]), int(compact[2]), "number"
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
