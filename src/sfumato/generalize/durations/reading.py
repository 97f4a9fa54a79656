"""Read a duration: how long *six years and three months* is, at least and at most."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.generalize.bounds import BOUND_LANGUAGES, apply_bound, leading_bound
from sfumato.lexicon.numbers import number_at
from sfumato.lexicon.tables import languages_with, load_toml, words_of_all_languages
from sfumato.lexicon.tokens import lazy_pattern

SECONDS = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "week": 7 * 86400.0,
    "month": 365.2425 / 12 * 86400,
    "year": 365.2425 * 86400,
    "decade": 3652.425 * 86400,
    "century": 36524.25 * 86400,
}
SLACK = {"month": 2.5 * 86400, "year": 1.0 * 86400, "decade": 3.0 * 86400, "century": 3.0 * 86400}
"""Months and years differ in length; so much more or less may one of them, or several together, be."""
DURATION_LANGUAGES = tuple(language for language in languages_with("durations") if language in BOUND_LANGUAGES)


def duration_data(language: str) -> Any:
    return load_toml("durations", language)


def _any(key: str) -> str:
    return "|".join(words_of_all_languages("durations", key))


def _unit_pattern(language: str) -> re.Pattern[str]:
    units = duration_data(language)["units"].items()
    names = "|".join(f"(?P<{unit}>{'|'.join(entry['forms'])})" for unit, entry in units)
    return lazy_pattern(rf"(?P<gap>[\s\u00a0\u2010\u2011-]*)(?:{names})(?![^\W_])", re.IGNORECASE)


_UNIT = {language: _unit_pattern(language) for language in DURATION_LANGUAGES}
_LEAD = {
    language: lazy_pattern(rf"(?:(?:{'|'.join(duration_data(language)['lead'])})\s+)*", re.IGNORECASE)
    for language in DURATION_LANGUAGES
}
_TAIL = {
    language: lazy_pattern(rf"(?:\s+(?:{'|'.join(duration_data(language)['tail'])}))?\s*[.,;]?", re.IGNORECASE)
    for language in DURATION_LANGUAGES
}
_SINGULAR = frozenset("second minute hour day night week fortnight month year decade century".split())
_BETWEEN = lazy_pattern(rf"({_any('between')})\s+", re.IGNORECASE)
_OPENS_AND = frozenset({"between", "entre"})
_TO = lazy_pattern(rf"['’]?(?:\s+({_any('to')})\s+|\s*([-–])\s*)", re.IGNORECASE)
_AND = frozenset(duration_data(language)["and"] for language in DURATION_LANGUAGES)
_JOIN = lazy_pattern(rf"\s*,?\s*(?:{'|'.join(sorted(_AND))}|,)?\s+", re.IGNORECASE)
_VAGUE = lazy_pattern(rf"(?:{_any('vague')})(?=\s)", re.IGNORECASE)
_VAGUELY = Fraction(2)
"""*Several* and the like say no more than that it is two at least."""
_ONE = lazy_pattern(rf"(?:{_any('one')})(?=\s)", re.IGNORECASE)
_ONE_LAST = lazy_pattern(rf"(?:^|(?<=\s))(?:{_any('one')})\s+$", re.IGNORECASE)
_PART_OF_ONE = lazy_pattern(rf"(?:(?P<half>{_any('half')})|{_any('quarter')})\s+(?:an?\s+)?", re.IGNORECASE)
_AND_A_HALF = lazy_pattern(rf"\s+(?:{_any('and_a_half')})(?!\w)", re.IGNORECASE)
_POSSESSIVE = lazy_pattern(r"(['’])s?\s*$|(?<=[^\W\d_]s)(['’])\s*$")
_LONGEST_SECONDS = 1e13
_ABOUT = (0.75, 1.3)

Amount = tuple[Fraction, str]
"""A number and its unit."""


@dataclass(frozen=True, slots=True)
class Duration:
    """How long, in seconds, from ``low`` to ``high`` (None: no bound is said), and what stands around it."""

    low: float
    high: float | None
    unit: str
    numbers: tuple[Fraction, ...]
    lead: str = ""
    tail: str = ""
    apostrophe: str = ""
    is_modifier: bool = False
    is_range: bool = False


_NO_DURATION = lazy_pattern(r"(?<![\d.,])(?:[01]\d|2[0-3])[0-5]\d\s?(?i:h|hrs?|hours|horas)\b|\d[HDMY](?!\w)")
"""*1742 hours* is a time of day, *9H* a school class, *29M* an age."""


def read_duration(text: str, language: str) -> Duration | None:
    """The duration that all of the text says; None where it says something else, or more."""
    if language not in DURATION_LANGUAGES or not _UNIT[language].search(text) or _NO_DURATION.search(text):
        return None
    possessive = _POSSESSIVE.search(text)
    apostrophe = possessive[0].strip()[0] if possessive else ""
    body = text[: possessive.start()] if possessive else text
    bound, offset = leading_bound(body, language)
    lead = ""
    if bound == "exact" and (match := _LEAD[language].match(body)):
        lead = body[: _end_of_lead(body, match.end(), language)]
        bound, skip = leading_bound(body[len(lead) :], language)
        offset = len(lead) + skip
    if ranged := _range(body, offset, language) if bound == "exact" else None:
        return replace(ranged, lead=lead, apostrophe=apostrophe)
    amounts, end, is_modifier = _amounts(body, offset, language)
    tail = body[end:]
    if not amounts or not _TAIL[language].fullmatch(tail):
        return None
    if _VAGUE.match(body, offset):
        bound = "above"
    size = _seconds(amounts)
    if not 0 < size < _LONGEST_SECONDS:
        return None
    slack = max(SLACK.get(unit, 0.0) for _, unit in amounts)
    low, high = apply_bound(size - slack, size + slack, "about" if "or so" in tail else bound, _ABOUT)
    tail = "" if tail.strip() == "or so" else tail
    numbers = tuple(number for number, _ in amounts)
    return Duration(low, high, amounts[0][1], numbers, lead, tail, apostrophe, is_modifier)


def _seconds(amounts: list[Amount]) -> float:
    return sum(float(number) * SECONDS[unit] for number, unit in amounts)


def _range(body: str, offset: int, language: str) -> Duration | None:
    """*Two to six months*, *between six months and five years*: from the least of the first to the most of the last."""
    opening = _BETWEEN.match(body, offset)
    offset = opening.end() if opening else offset
    first, end, _ = _amounts(body, offset, language)
    if not first and (single := _amount(body, offset, language)):
        # One number with its unit, whatever follows: a longer one is the other end.
        first, end = [(single[0], single[1])], single[2]
    number = number_at(body, offset, language) if not first else None
    to = _TO.match(body, number.end if number else end)
    if not to or ((to[1] or "").lower() in _AND and not (opening and opening[1].lower() in _OPENS_AND)):
        return None
    last, last_end, is_modifier = _amounts(body, to.end(), language)
    if not last or not _TAIL[language].fullmatch(body, last_end):
        return None
    if not first:
        if len(last) > 1 or number is None or number.value is None or number.ordinal:
            return None
        first = [(number.value, last[0][1])]
    low, high = _seconds(first), _seconds(last)
    if not 0 < low < high < _LONGEST_SECONDS:
        return None
    slack = max(SLACK.get(unit, 0.0) for _, unit in (*first, *last))
    numbers, tail = tuple(count for count, _ in (*first, *last)), body[last_end:]
    return Duration(low - slack, high + slack, last[0][1], numbers, tail=tail, is_modifier=is_modifier, is_range=True)


def _end_of_lead(body: str, end: int, language: str) -> int:
    """The lead ends before its "a" where that is the number: *a* year."""
    one = _ONE_LAST.search(body[:end])
    return one.start() if one and _UNIT[language].match(body, end) else end


def _amounts(body: str, offset: int, language: str) -> tuple[list[Amount], int, bool]:
    """All numbers with their units, ever smaller ones; where they end; whether they are written as an adjective.

    No amounts where one that follows is not smaller.
    """
    amounts: list[Amount] = []
    end, is_modifier = offset, False
    while amount := _amount(body, offset, language):
        number, unit, end, modifies = amount
        if amounts and SECONDS[unit] >= SECONDS[amounts[-1][1]]:
            return [], offset, False
        amounts.append((number, unit))
        is_modifier = is_modifier or modifies
        joined = _JOIN.match(body, end)
        if not joined or is_modifier:
            break
        offset = joined.end()
    return amounts, end, is_modifier


def _amount(body: str, offset: int, language: str) -> tuple[Fraction, str, int, bool] | None:
    """One number with its unit: *three months*; whether it is written as an adjective: *three-month*."""
    number = number_at(body, offset, language)
    if vague := _VAGUE.match(body, offset):
        match = _UNIT[language].match(body, vague.end())
        return (_VAGUELY, match.lastgroup, match.end(), False) if match and match.lastgroup in SECONDS else None
    if (part := _PART_OF_ONE.match(body, offset)) and _UNIT[language].match(body, part.end()):
        value, end = Fraction(1, 2) if part["half"] else Fraction(1, 4), part.end()
    elif number is None and (one := _ONE.match(body, offset)):
        value, end = Fraction(1), one.end()
    elif number is not None and number.value is not None and not number.ordinal:
        value, end = number.value, number.end
    else:
        return None
    match = _UNIT[language].match(body, end)
    if not match or not match.lastgroup:
        return None
    unit, end = match.lastgroup, match.end()
    half = _AND_A_HALF.match(body, end)
    if half:
        value, end = value + Fraction(1, 2), half.end()
    is_hyphened = value > 1 or match["gap"].strip() != ""
    is_singular = match[unit].lower() in _SINGULAR and duration_data(language)["has_modifiers"]
    if unit == "fortnight":
        value, unit = 2 * value, "week"
    return value, unit, end, is_singular and half is None and is_hyphened
