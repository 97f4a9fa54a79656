"""Times told from another time: "two months later", "the next morning", "yesterday"."""

from __future__ import annotations

import re
from typing import Literal

from sfumato.generalize.hierarchy import Level
from sfumato.lexicon.numbers import SMALL, TENS
from sfumato.lexicon.time import MONTHS, SEASONS, WEEKDAYS

Direction = Literal["after", "before", "ago"]
_SOURCE = "relative"
_DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "fortnight": 14.0, "month": 30.5, "year": 365.25,
         "decade": 3652.5}  # fmt: skip
_SPANISH_UNITS = {"minuto": "minute", "hora": "hour", "día": "day", "semana": "week", "mes": "month", "año": "year",
                  "década": "decade"}  # fmt: skip
_PLURALS = {"mes": "meses"}
_NUMBERS = {"a": 1, "an": 1} | {
    word: number
    for language in ("en", "es")
    for word, number in (SMALL[language] | TENS[language]).items()
    if 0 < number <= 20
}
_FEW = range(2, 7)
_MANY = 30
"""Units that "years later" may be, about."""
_WHOLE = ("day", "week", "month", "year", "decade")
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_VAGUE = (
    r"(?P<vague>several|some|many|a\s+few|a\s+couple\s+of|varios|varias|algunos|algunas|unos|unas|muchos|pocos|pocas)"
)
_ROUGH = (
    r"(?P<rough>(?:about|around|approximately|almost|nearly|over|more\s+than|less\s+than|just|only|at\s+least|casi|unos|"
    r"unas|más\s+de|menos\s+de)\s+)?"
)
_UNIT = rf"(?P<unit>{'|'.join(_DAYS)})s?"
_UNIDAD = rf"(?P<unit>{'|'.join(_SPANISH_UNITS)})(?:s|es)?"
_MORE = r"(?P<more>\s+and\s+(?:a\s+half|[\w-]+\s+(?:hour|day|week|month|year)s?)|\s+y\s+(?:medio|\w+\s+\w+))?"
_SINCE = re.compile(
    rf"{_ROUGH}(?:{_VAGUE}|{_COUNT})\s+{_UNIT}{_MORE}\s+"
    r"(?P<way>later|afterwards?|after|thereafter|hence|from\s+now|earlier|before|beforehand|previously|prior|ago)",
    re.IGNORECASE,
)
_DESPUES = re.compile(
    rf"(?P<hace>hace\s+)?{_ROUGH}(?:{_VAGUE}|{_COUNT})\s+{_UNIDAD}{_MORE}(?:\s+(?P<way>después|más\s+tarde|antes|atrás))?",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?:days|weeks|months|years|decades)\s+(?P<way>later|earlier|before|afterwards)", re.IGNORECASE)
_NAMED = (*SEASONS["en"], *WEEKDAYS["en"], *MONTHS["en"])
_PART = "morning|afternoon|evening|night"
_NEIGHBOUR = re.compile(
    rf"(?P<the>the\s+)?(?P<which>very\s+next|next|following|ensuing|previous|preceding|last|past|same|that|coming|this)\s+"
    rf"(?:(?P<unit>{_PART}|day|week|weekend|month|year|{'|'.join(_NAMED)})|"
    r"(?P<units>days|weeks|months|years))",
    re.IGNORECASE,
)
_VECINO = re.compile(
    r"(?:al\s+|el\s+|la\s+)?(?:(?P<same>mism[oa])\s+)?(?P<unit>mañana|tarde|noche|día|semana|mes|año)"
    r"(?:\s+(?P<which>siguiente|posterior|anterior|previ[oa]|pasad[oa]|próxim[oa]|que\s+viene))?",
    re.IGNORECASE,
)
_WIDER = {"day": ("days", "weeks"), "week": ("weeks", "months"), "month": ("months",), "year": ("years",)}
_MAYOR = {"day": ("días", "semanas"), "week": ("semanas", "meses"), "month": ("meses",), "year": ("años",)}
_FEMININE = ("semanas",)
_LENGTHS = {"days": 7, "weeks": 31, "months": 366, "years": 3653, "días": 7, "semanas": 31, "meses": 366, "años": 3653}
_FIXED: dict[str, tuple[str, str]] = {
    "yesterday": ("recent", "day"),
    "the day before yesterday": ("recent", "day"),
    "last night": ("recent", "day"),
    "tomorrow": ("coming", "day"),
    "the day after tomorrow": ("coming", "day"),
    "the day before": ("preceding", "day"),
    "the night before": ("preceding", "day"),
    "the day after": ("following", "day"),
    "ayer": ("últimos", "day"),
    "anteayer": ("últimos", "day"),
    "anoche": ("últimos", "day"),
    "pasado mañana": ("próximos", "day"),
}
_WITHIN: dict[Direction, str] = {"after": "following", "before": "preceding", "ago": "past"}


def relative_levels(said: str, language: str) -> list[Level]:
    """What is true of a time told from another; empty where it is not one."""
    said = " ".join(said.split())
    if language == "es":
        return _spanish(said)
    fixed = _FIXED.get(said.casefold()) or _FIXED.get(f"the {said.casefold()}")
    if fixed is not None:
        return _around(*fixed)
    counted = _SINCE.fullmatch(said)
    if counted is not None:
        return _counted(counted)
    if said.casefold() in ("today", "tonight"):
        return [Level("this week", _LENGTHS["days"], "", source=_SOURCE)]
    bare = _BARE.fullmatch(said)
    if bare is not None:
        return _dateless("preceding" if bare["way"].casefold() in _EARLIER else "following")
    neighbour = _NEIGHBOUR.fullmatch(said)
    return [] if neighbour is None else _neighbour(neighbour)


def _around(which: str, unit: str) -> list[Level]:
    """In the days, then the weeks, that come before or after."""
    if which in ("últimos", "próximos", "siguientes", "anteriores"):
        return [_spanish_around(which, wide) for wide in _MAYOR[unit]]
    article: Literal["", "the"] = "" if which == "recent" else "the"
    found = [
        Level(f"{which} {wide}", _LENGTHS[wide], article, plural=True, preposition="in", source=_SOURCE)
        for wide in _WIDER[unit]
    ]
    return found + _dateless(which)


def _dateless(which: str) -> list[Level]:
    order = {"following": "later", "preceding": "earlier"}.get(which)
    return [Level(f"{order} date", 36525, "a", preposition="at", source=_SOURCE)] if order else []


def _counted(match: re.Match[str]) -> list[Level]:
    way = match["way"].casefold()
    direction: Direction = "ago" if way == "ago" else "before" if way in _EARLIER else "after"
    which = {"after": "following", "before": "preceding", "ago": ""}[direction]
    if match["vague"]:
        return _dateless(which)
    unit = match["unit"].casefold()
    count = _number(match["count"])
    found: list[Level] = []
    word = {"after": "later", "before": "earlier", "ago": "ago"}[direction]
    if count in _FEW and not match["rough"] and not match["more"]:
        found.append(Level(f"a few {unit}s {word}", _DAYS[unit] * len(_FEW), "", source=_SOURCE))
    elif count > 1 and not match["rough"]:
        found.append(Level(f"{unit}s {word}", _DAYS[unit] * _MANY, "", source=_SOURCE))
    least = found[-1].members if found else 0
    # "about two months" may be three; "more than two months" has no upper end.
    size = (count + (1 if match["more"] else 0)) * _DAYS[unit] * (1.5 if match["rough"] else 1.0)
    endless = (match["rough"] or "").split()[:1] in (["over"], ["more"], ["at"])
    whole = None if endless else next((wide for wide in _WHOLE if max(size, least) < _DAYS[wide]), None)
    if whole is not None:
        found.append(Level(f"{_WITHIN[direction]} {whole}", _DAYS[whole], "the", preposition="within", source=_SOURCE))
    return found + _dateless(which)


_EARLIER = ("earlier", "before", "beforehand", "previously", "prior")


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.casefold()]


def _neighbour(match: re.Match[str]) -> list[Level]:
    which = " ".join(match["which"].casefold().split())
    if match["units"]:
        before, after = which in ("previous", "preceding"), which in ("following", "ensuing")
        return _dateless("preceding" if before else "following" if after else "")
    unit = match["unit"].casefold()
    in_day = re.fullmatch(_PART, unit) is not None
    if which in ("same", "that"):
        return _same(which, unit, in_day)
    unit = "day" if in_day else "week" if unit == "weekend" or unit.capitalize() in WEEKDAYS["en"] else unit
    unit = "year" if unit in SEASONS["en"] or unit.capitalize() in MONTHS["en"] else unit
    if which == "this":
        inside = (
            {"day": "this week", "month": "this year"}.get(unit) if unit == match["unit"].casefold() or in_day else None
        )
        return [Level(inside, _LENGTHS["days"] if unit == "day" else 366, "", source=_SOURCE)] if inside else []
    if which in ("last", "past"):
        return _around("recent", unit) if not match["the"] else []
    if which in ("next", "coming") and not match["the"]:
        return _around("coming", unit)
    return _around("preceding" if which in ("previous", "preceding") else "following", unit)


def _same(which: str, unit: str, in_day: bool) -> list[Level]:
    above = {"day": ("month", "year"), "month": ("year",), "year": ("decade",)}.get(unit, ())
    article: Literal["", "the"] = "the" if which == "same" else ""
    return [
        Level(f"{which} {wide}", _DAYS[wide], article, preposition="on" if wide == "day" else "in", source=_SOURCE)
        for wide in (("day", "month", "year") if in_day else above)
    ]


def _spanish(said: str) -> list[Level]:
    fixed = _FIXED.get(said.casefold())
    if fixed is not None:
        return _around(*fixed)
    if said.casefold() in ("hoy", "esta mañana", "esta tarde", "esta noche"):
        return [Level("esta semana", _LENGTHS["días"], "", source=_SOURCE)]
    neighbour = _VECINO.fullmatch(said)
    if neighbour is not None and (neighbour["which"] or neighbour["same"]):
        return _vecino(neighbour)
    counted = _DESPUES.fullmatch(said)
    if counted is None or bool(counted["hace"]) == bool(counted["way"]):
        return []
    if counted["vague"] or counted["rough"] or counted["more"]:
        return []
    count, word = _number(counted["count"]), counted["unit"].casefold()
    unit = _SPANISH_UNITS[word]
    if count < _FEW[0]:
        return []
    many = _PLURALS.get(word, f"{word}s")
    if count in _FEW:
        many = f"{'unas pocas' if word.endswith('a') and word != 'día' else 'unos pocos'} {many}"
    text = f"hace {many}" if counted["hace"] else f"{many} {counted['way']}"
    return [Level(text, _DAYS[unit] * (len(_FEW) if count in _FEW else _MANY), "", source=_SOURCE)]


def _vecino(match: re.Match[str]) -> list[Level]:
    unit = {"semana": "week", "mes": "month", "año": "year"}.get(match["unit"].casefold(), "day")
    if match["same"]:
        above = {"day": ("mes", "año"), "month": ("año",)}.get(unit, ()) if not match["which"] else ()
        return [
            Level(f"el mismo {wide}", _DAYS[_SPANISH_UNITS[wide]], "", preposition="en", source=_SOURCE)
            for wide in above
        ]
    which = match["which"].casefold()
    if which.startswith("pasad"):
        return _around("últimos", unit)
    if which.startswith(("próxim", "que")):
        return _around("próximos", unit)
    return _around("siguientes" if which in ("siguiente", "posterior") else "anteriores", unit)


def _spanish_around(which: str, wide: str) -> Level:
    feminine = wide in _FEMININE
    article = "las" if feminine else "los"
    kind = which[:-2] + "as" if feminine and which.endswith("os") else which
    text = f"{article} {wide} {kind}" if which in ("siguientes", "anteriores") else f"{article} {kind} {wide}"
    return Level(text, _LENGTHS[wide], "", plural=True, preposition="en", source=_SOURCE)
