"""Generalize Spanish times told from another time: "dos meses después", "al día siguiente", "ayer"."""

from __future__ import annotations

import re

from sfumato.generalize.dates.relative_en import DAYS, FEW, LENGTHS, MANY, SOURCE, WIDER, number_words
from sfumato.generalize.hierarchy import Level
from sfumato.lexicon.tables import load_toml

_DATA = load_toml("relative_times", "es")
_UNITS: dict[str, str] = dict(_DATA["units"])
_PLURALS: dict[str, str] = dict(_DATA["plurals"])
_FEMININE = frozenset({"week"})
_NUMBERS = {"a": 1, "an": 1} | number_words("en") | number_words("es")
_COUNTED = re.compile(
    rf"(?P<ago>hace\s+)?(?P<rough>(?:{'|'.join(_DATA['rough'])})\s+)?(?:(?P<vague>{'|'.join(_DATA['vague'])})|"
    rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)}))\s+(?P<unit>{'|'.join(_UNITS)})(?:s|es)?"
    r"(?P<more>\s+y\s+(?:medio|\w+\s+\w+))?(?:\s+(?P<way>después|más\s+tarde|antes|atrás))?",
    re.IGNORECASE,
)
_NEIGHBOUR = re.compile(
    r"(?:al\s+|el\s+|la\s+)?(?:(?P<same>mism[oa])\s+)?(?P<unit>mañana|tarde|noche|día|semana|mes|año)"
    r"(?:\s+(?P<which>siguiente|posterior|anterior|previ[oa]|pasad[oa]|próxim[oa]|que\s+viene))?",
    re.IGNORECASE,
)


def levels(text: str) -> list[Level]:
    """What is true of a time told from another; empty where it is not one."""
    text = " ".join(text.split())
    if text.casefold() in _DATA["phrases"]:
        return _around(*_DATA["phrases"][text.casefold()])
    if text.casefold() in _DATA["today"]:
        return [Level("esta semana", LENGTHS["day"], "", source=SOURCE)]
    neighbour = _NEIGHBOUR.fullmatch(text)
    if neighbour is not None and (neighbour["which"] or neighbour["same"]):
        return _neighbour_levels(neighbour)
    counted = _COUNTED.fullmatch(text)
    if counted is None or bool(counted["ago"]) == bool(counted["way"]):
        return []
    if counted["vague"] or counted["rough"] or counted["more"]:
        return []
    count = int(counted["count"]) if counted["count"].isdigit() else _NUMBERS[counted["count"].casefold()]
    if count < FEW[0]:
        return []
    word = counted["unit"].casefold()
    units = _PLURALS[_UNITS[word]]
    if count in FEW:
        units = f"{'unas pocas' if word.endswith('a') and word != 'día' else 'unos pocos'} {units}"
    text = f"hace {units}" if counted["ago"] else f"{units} {counted['way']}"
    return [Level(text, DAYS[_UNITS[word]] * (len(FEW) if count in FEW else MANY), "", source=SOURCE)]


def _neighbour_levels(match: re.Match[str]) -> list[Level]:
    unit = {"semana": "week", "mes": "month", "año": "year"}.get(match["unit"].casefold(), "day")
    if match["same"]:
        above = {"day": ("mes", "año"), "month": ("año",)}.get(unit, ()) if not match["which"] else ()
        return [Level(f"el mismo {wide}", DAYS[_UNITS[wide]], "", preposition="en", source=SOURCE) for wide in above]
    which = match["which"].casefold()
    if which.startswith("pasad"):
        return _around("últimos", unit)
    if which.startswith(("próxim", "que")):
        return _around("próximos", unit)
    return _around("siguientes" if which in ("siguiente", "posterior") else "anteriores", unit)


def _around(which: str, unit: str) -> list[Level]:
    """In the days, then the weeks, that come before or after."""
    return [Level(_stretch(which, wide), LENGTHS[wide], "", True, None, "en", SOURCE) for wide in WIDER[unit]]


def _stretch(which: str, unit: str) -> str:
    feminine = unit in _FEMININE
    article = "las" if feminine else "los"
    adjective = which[:-2] + "as" if feminine and which.endswith("os") else which
    if which in ("siguientes", "anteriores"):
        return f"{article} {_PLURALS[unit]} {adjective}"
    return f"{article} {adjective} {_PLURALS[unit]}"
