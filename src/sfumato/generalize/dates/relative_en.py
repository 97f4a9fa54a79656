"""Generalize English times told from another time: "two months later", "the next morning", "yesterday"."""

from __future__ import annotations

import re

from sfumato.generalize.hierarchy import Article, Level
from sfumato.lexicon.numbers import SMALL, TENS
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.time import MONTHS, SEASONS, WEEKDAYS

SOURCE = "relative"
DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "fortnight": 14.0, "month": 30.5, "year": 365.25,
        "decade": 3652.5}  # fmt: skip
FEW = range(2, 7)
MANY = 30
"""Units that "years later" may be, about."""
LENGTHS = {"day": 7, "week": 31, "month": 366, "year": 3653}
"""Days that "the following days" may be, by the unit."""
WIDER = {"day": ("day", "week"), "week": ("week", "month"), "month": ("month",), "year": ("year",)}
_ANY_DATE = 36525
_WHOLE = ("day", "week", "month", "year", "decade")


def number_words(language: str) -> dict[str, int]:
    """Words for the numbers that times are counted with."""
    table = dict(SMALL[language]) | dict(TENS[language])
    return {word: number for word, number in table.items() if 0 < number <= 20}


_DATA = load_toml("relative_times", "en")
_NUMBERS = {"a": 1, "an": 1} | number_words("en")
_FIXED: dict[str, tuple[str, str]] = dict(_DATA["phrases"])
_EARLIER = _DATA["earlier"]
_COUNTED = re.compile(
    rf"(?P<rough>(?:{'|'.join(_DATA['rough'])})\s+)?(?:(?P<vague>{'|'.join(_DATA['vague'])})|"
    rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)}))\s+(?P<unit>{'|'.join(DAYS)})s?"
    r"(?P<more>\s+and\s+(?:a\s+half|[\w-]+\s+(?:hour|day|week|month|year)s?))?\s+"
    rf"(?P<way>{'|'.join((*_DATA['later'], *_EARLIER, 'ago'))})",
    re.IGNORECASE,
)
_UNCOUNTED = re.compile(r"(?:day|week|month|year|decade)s\s+(?P<way>later|earlier|before|afterwards)", re.IGNORECASE)
_PART_OF_DAY = "morning|afternoon|evening|night"
_NEIGHBOUR = re.compile(
    rf"(?P<the>the\s+)?(?P<which>very\s+next|{'|'.join(_DATA['neighbours'])})\s+"
    rf"(?:(?P<unit>{_PART_OF_DAY}|day|week|weekend|month|year|"
    rf"{'|'.join((*SEASONS['en'], *WEEKDAYS['en'], *MONTHS['en']))})|(?P<units>days|weeks|months|years))",
    re.IGNORECASE,
)


def levels(text: str) -> list[Level]:
    """What is true of a time told from another; empty where it is not one."""
    text = " ".join(text.split())
    fixed = _FIXED.get(text.casefold()) or _FIXED.get(f"the {text.casefold()}")
    if fixed is not None:
        return _around(*fixed)
    if counted := _COUNTED.fullmatch(text):
        return _counted_levels(counted)
    if text.casefold() in ("today", "tonight"):
        return [_level("this week", LENGTHS["day"])]
    if uncounted := _UNCOUNTED.fullmatch(text):
        return _some_date("preceding" if uncounted["way"].casefold() in _EARLIER else "following")
    neighbour = _NEIGHBOUR.fullmatch(text)
    return [] if neighbour is None else _neighbour_levels(neighbour)


def _level(text: str, members: float, article: Article = "", preposition: str | None = None) -> Level:
    return Level(text, members, article, preposition=preposition, source=SOURCE)


def _around(which: str, unit: str) -> list[Level]:
    """In the days, then the weeks, that come before or after."""
    article: Article = "" if which == "recent" else "the"
    around = [Level(f"{which} {wide}s", LENGTHS[wide], article, True, None, "in", SOURCE) for wide in WIDER[unit]]
    return around + _some_date(which)


def _some_date(which: str) -> list[Level]:
    order = {"following": "later", "preceding": "earlier"}.get(which)
    return [_level(f"{order} date", _ANY_DATE, "a", "at")] if order else []


def _counted_levels(match: re.Match[str]) -> list[Level]:
    way = match["way"].casefold()
    if way == "ago":
        word, which, within = "ago", "", "past"
    elif way in _EARLIER:
        word, which, within = "earlier", "preceding", "preceding"
    else:
        word, which, within = "later", "following", "following"
    if match["vague"]:
        return _some_date(which)
    unit = match["unit"].casefold()
    count = int(match["count"]) if match["count"].isdigit() else _NUMBERS[match["count"].casefold()]
    counted_levels: list[Level] = []
    if count in FEW and not match["rough"] and not match["more"]:
        counted_levels.append(_level(f"a few {unit}s {word}", DAYS[unit] * len(FEW)))
    elif count > 1 and not match["rough"]:
        counted_levels.append(_level(f"{unit}s {word}", DAYS[unit] * MANY))
    least = counted_levels[-1].members if counted_levels else 0
    # "about two months" may be three; "more than two months" has no upper end.
    days = (count + (1 if match["more"] else 0)) * DAYS[unit] * (1.5 if match["rough"] else 1.0)
    is_endless = (match["rough"] or "").split()[:1] in (["over"], ["more"], ["at"])
    whole = None if is_endless else next((wide for wide in _WHOLE if max(days, least) < DAYS[wide]), None)
    if whole is not None:
        counted_levels.append(_level(f"{within} {whole}", DAYS[whole], "the", "within"))
    return counted_levels + _some_date(which)


def _neighbour_levels(match: re.Match[str]) -> list[Level]:
    which = " ".join(match["which"].casefold().split())
    if match["units"]:
        is_before, is_after = which in ("previous", "preceding"), which in ("following", "ensuing")
        return _some_date("preceding" if is_before else "following" if is_after else "")
    unit = match["unit"].casefold()
    in_day = re.fullmatch(_PART_OF_DAY, unit) is not None
    if which in ("same", "that"):
        return _same(which, unit, in_day)
    unit = "day" if in_day else "week" if unit == "weekend" or unit.capitalize() in WEEKDAYS["en"] else unit
    unit = "year" if unit in SEASONS["en"] or unit.capitalize() in MONTHS["en"] else unit
    if which == "this":
        is_said = unit == match["unit"].casefold() or in_day
        whole = {"day": ("this week", LENGTHS["day"]), "month": ("this year", 366)}.get(unit) if is_said else None
        return [_level(*whole)] if whole else []
    if which in ("last", "past"):
        return [] if match["the"] else _around("recent", unit)
    if which in ("next", "coming") and not match["the"]:
        return _around("coming", unit)
    return _around("preceding" if which in ("previous", "preceding") else "following", unit)


def _same(which: str, unit: str, in_day: bool) -> list[Level]:
    above = {"day": ("month", "year"), "month": ("year",), "year": ("decade",)}.get(unit, ())
    article: Article = "the" if which == "same" else ""
    wider = ("day", "month", "year") if in_day else above
    return [_level(f"{which} {wide}", DAYS[wide], article, "on" if wide == "day" else "in") for wide in wider]
