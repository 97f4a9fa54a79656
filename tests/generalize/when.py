"""Reads levels of the date hierarchy back to the days they cover, knowing nothing of how they were made."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

ENGLISH = "January February March April May June July August September October November December".split()
SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
SEASONS = {
    "spring": (3, 5),
    "summer": (6, 8),
    "autumn": (9, 11),
    "primavera": (3, 5),
    "verano": (6, 8),
    "otoño": (9, 11),
}
QUARTERS = {"first": 1, "second": 4, "third": 7, "fourth": 10, "primer": 1, "segundo": 4, "tercer": 7, "cuarto": 10}
HALVES = {"first": 1, "second": 7, "primera": 1, "segunda": 7}
PARTS = {"early": (0, 3), "mid": (4, 6), "late": (7, 9), "principios": (0, 3), "mediados": (4, 6), "finales": (7, 9)}
ROMAN = {"XV": 15, "XVI": 16, "XVII": 17, "XVIII": 18, "XIX": 19, "XX": 20, "XXI": 21, "XXII": 22}
_LEAD = re.compile(r"(?:in|on|at|en|a|the|la|el|period|período|between|entre|from|de|del|desde|two dates|one date)\s+")


def covered(text: str) -> tuple[date, date]:
    """The first and the last day that a phrase covers; a ValueError for one that is not known."""
    sides = re.split(r"(?<!early)(?<!mid)\s+(?:to|and|y|al?|hasta)\s+|,\s+", _bare(text))
    year = re.search(r"\d{4}\Z", sides[-1])
    spans = []
    for side in sides:
        result = _bare(side)
        if result in (*ENGLISH, *SPANISH) and year:
            result = f"{result} {year.group()}"
        spans.append(_one(result))
    return min(first for first, _ in spans), max(last for _, last in spans)


def _bare(text: str) -> str:
    while lead := _LEAD.match(text):
        text = text[lead.end() :]
    return text


def _one(text: str) -> tuple[date, date]:
    if match := re.fullmatch(r"(\w+) (?:de )?(\d{4})", text):
        word, year = match[1], int(match[2])
        for months in (ENGLISH, SPANISH):
            if word in months:
                return _months(year, months.index(word) + 1, months.index(word) + 1)
        if word in PARTS:
            return _months(year, *{0: (1, 3), 7: (10, 12)}[PARTS[word][0]])
    if (match := re.fullmatch(r"(\w+) (?:of|de) (\d{4})", text)) and match[1] in SEASONS:
        return _months(int(match[2]), *SEASONS[match[1]])
    if match := re.fullmatch(r"(\w+) (?:quarter of|trimestre de) (\d{4})", text):
        return _months(int(match[2]), QUARTERS[match[1]], QUARTERS[match[1]] + 2)
    if match := re.fullmatch(r"(\w+) (?:half of|mitad de) (\d{4})", text):
        return _months(int(match[2]), HALVES[match[1]], HALVES[match[1]] + 5)
    if match := re.fullmatch(r"\d{4}", text):
        return _months(int(text), 1, 12)
    if match := re.fullmatch(r"(?:(\w+)[ -])?(\d{4})s|(?:(\w+) de la )?década de (\d{4})", text):
        return _years(int(match[2] or match[4]), match[1] or match[3], 1)
    if match := re.fullmatch(r"(early|mid) to (mid|late)[ -](\d{4})s", text):
        return _years(int(match[3]), match[1], 1)[0], _years(int(match[3]), match[2], 1)[1]
    if match := re.fullmatch(r"(early|mid) to (mid|late)[ -](\d\d)(?:st|nd|rd|th) century", text):
        first = 100 * int(match[3]) - 100
        return _years(first, match[1], 10)[0], _years(first, match[2], 10)[1]
    if match := re.fullmatch(r"(?:(\w+)[ -])?(\d\d)(?:st|nd|rd|th) century", text):
        return _years(100 * int(match[2]) - 100, match[1], 10)
    if match := re.fullmatch(r"(?:(\w+) del )?siglo ([XVI]+)", text):
        return _years(100 * ROMAN[match[2]] - 100, match[1], 10)
    raise ValueError(f"no days known for {text!r}")


def _months(year: int, first: int, last: int) -> tuple[date, date]:
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _years(first: int, part: str | None, step: int) -> tuple[date, date]:
    begin, end = PARTS[part] if part else (0, 9)
    return date(first + begin * step, 1, 1), date(first + (end + 1) * step - 1, 12, 31)
