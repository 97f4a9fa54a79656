"""Ages: *63 years old* -> *aged between 60 and 69*, *in later life*, *in adulthood*; the oldest are one group."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.knowledge.ladders.base import Article, Mention, Rung
from sfumato.knowledge.ladders.bounds import Bound, bound_before, goes_on, is_end_of_range
from sfumato.knowledge.ladders.durations.age_reading import Age
from sfumato.knowledge.ladders.durations.age_words import STAGES, Form, Stage, between, from_on, under

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


def rungs(age: Age, mention: Mention) -> list[Rung]:
    """The age, ever less exactly: a decade, a time of life, of age or not."""
    outside = _bound(mention)
    if is_end_of_range(mention.text, mention.start) or goes_on(mention.text, mention.end):
        return []
    if outside in ("above", "below"):
        return list(_bounds(age, outside == "above", mention))
    steps = [step for step in _steps(age, mention) if step[2]]
    found: list[Rung] = []
    last: tuple[int, int] | None = None
    for low, high, text, article in steps:
        if last is not None and (low > last[0] or high < last[1] or (low, high) == last):
            continue
        last = low, high
        modifier = text if age.form == "adjective" else None
        found.append(
            Rung(text, high - low + 1, article, age.form == "noun" and _many(mention), modifier, None, _SOURCE)
        )
    return found


def _bound(mention: Mention) -> Bound:
    """The bound before it or before what makes it an age: under the age of [18], a child under [15 years]."""
    before = mention.text[max(0, mention.start - 40) : mention.start]
    if found := _BOUND.search(before):
        return "below" if found[1].lower() in _BELOW else "above"
    return bound_before(mention.text, mention.start, mention.language)


def _bounds(age: Age, from_below: bool, mention: Mention) -> Iterator[Rung]:
    """What may stand behind a "more than" or "less than" that stays in the text: less than [18] -> less than [20]."""
    if age.form in ("adjective", "noun", "aged"):
        return
    edges = [edge for edge in _EDGES if (edge < age.low if from_below else edge > age.high)]
    years = "" if age.form == "number" and "y" not in mention.said.lower() else " years old"
    if years and re.match(r"\s+(?:old|of age)\b", mention.after[:10]):
        years = " years"
    for edge in edges[::-1][:2] if from_below else edges[:2]:
        text = f"age of {edge}" if age.form == "age of" else f"{edge}{years}"
        spanish = f"edad de {edge} años" if age.form == "age of" else f"{edge} años"
        yield Rung(spanish if mention.language == "es" else text, abs(edge - age.low) + 1, "", source=_SOURCE)


def _many(mention: Mention) -> bool:
    return mention.said.rstrip().endswith("olds")


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
    """From and to which age one of these rungs speaks, and in which form; None of any other phrase."""
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


def originals(low: int, high: int, form: Form, language: str) -> Iterator[str]:
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
