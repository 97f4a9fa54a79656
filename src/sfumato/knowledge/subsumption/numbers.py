"""Numbers as people write them, with what they count: enough to see whether one amount lies within another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sfumato.knowledge.numbers.words import SMALL, TENS

_WORDS = SMALL["en"] | TENS["en"]
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_DIGITS = re.compile(r"\d+(?:[.,' \u00a0]\d{3})+(?![\d])(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d+)?")
_TOKEN = re.compile(rf"{_DIGITS.pattern}|[^\W\d_]+|[£$€%]")
_ORDINAL = ("th", "st", "nd", "rd")
_LOOSE = 0.15
"""How far off "about" may be: about two days is true of 44 hours."""
_ABOUT = frozenset("about approximately approx around roughly circa some nearly almost close".split())
_OVER = frozenset("over above exceeding least".split())
_UNDER = frozenset("under below most".split())
_MEASURED_IN: dict[str, dict[float, str]] = {
    "day": {
        1 / 86400: "second",
        1 / 1440: "minute min",
        1 / 24: "hour",
        1.0: "day",
        7.0: "week",
        14.0: "fortnight",
        30.44: "month",
        91.31: "quarter",
        365.25: "year",
        3652.5: "decade",
        36525.0: "century",
    },
    "metre": {
        0.001: "mm",
        0.01: "cm",
        1.0: "m metre meter",
        1e3: "km kilometre kilometer",
        1609.3: "mile",
        0.9144: "yard",
        0.3048: "foot feet ft",
        0.0254: "inch",
    },
    "metre²": {1e4: "hectare", 4046.9: "acre"},
    "kilogram": {
        1e-6: "mg milligram",
        1e-3: "g gram",
        1.0: "kg kilogram kilo",
        0.02835: "ounce",
        1e3: "ton tonne",
    },
    "litre": {1e-3: "ml millilitre", 1.0: "litre liter"},
    "km/h": {1.0: "kph", 1.609: "mph"},
    "%": {1.0: "% percent cent"},
    "pound": {1.0: "gbp pound £"},
    "euro": {1.0: "eur euro €"},
    "dollar": {1.0: "usd dollar $"},
    "crown": {1.0: "sek nok dkk isk krona kronor krone kroner"},
    "zloty": {1.0: "pln zloty złoty zlotys"},
    "lira": {1.0: "try trl itl lira lire"},
    "franc": {1.0: "chf frf franc"},
    "peso": {1.0: "peso"},
    "rouble": {1.0: "rub rouble ruble"},
    "yen": {1.0: "jpy yen"},
}
"""What is measured in what. Crowns of all countries count as one: texts often do not say whose."""
_UNITS = {
    word: (size, kind)
    for kind, sizes in _MEASURED_IN.items()
    for size, names in sizes.items()
    for word in names.split()
}
_SQUARE = frozenset({"sq", "square"})
_VAGUE = re.compile(
    r"(?:in the )?(?P<count>(?:a few|several|some|many)\s+)?"
    r"(?P<scale>(?:(?:tens|hundreds|dozens|thousands|millions|billions)(?: of )?)+|"
    r"(?<=\s)(?:(?:dozen|hundred|thousand|million|billion)\s*)+)"
    r"(?:\s*(?:of\s+)?(?P<rest>.+))?"
)


class Amount(NamedTuple):
    """From ``low`` to ``high`` of something; ``loose``: said with "about" or a bound; ``words``: what else was said."""

    low: float
    high: float
    unit: str
    loose: bool
    size: float
    """Of the finest unit it was said in."""
    words: frozenset[str]


def amount(text: str) -> Amount | None:
    """The one amount that a text says, "18 months" or "between 10 and 20 people"; None for none and for several."""
    vague = _vague(text)
    if vague:
        return vague
    return _read([match[0] for match in _TOKEN.finditer(text.lower().replace("’", "'").replace("'", " "))], text)


def _vague(text: str) -> Amount | None:
    """Hundreds of people, several thousand euros, a few dozen."""
    match = _VAGUE.fullmatch(text.lower().strip())
    if not match:
        return None
    low, high = 1.0, 1.0
    for word in re.findall(r"[a-z]+", match["scale"]):
        scale = _SCALES.get(word.removesuffix("s")) or (10.0 if word == "tens" else 1.0)
        low, high = low * scale, high * scale
    if match["count"] and match["count"].split()[-1] not in ("some", "many"):
        low, high = low * 2, high * 10
    elif match["scale"].split()[0] in ("dozens",):
        low, high = low * 2, high * 9
    else:
        high *= 10 if match["scale"].split()[0] in ("tens", "hundreds") else 1000
    rest = _read(["1", *_TOKEN.findall(match["rest"] or "")], "1") if match["rest"] else None
    size, unit = (rest.size, rest.unit) if rest else (1.0, "")
    return Amount(low * size, high * size, unit, True, size, rest.words if rest else frozenset())


def _read(tokens: list[str], text: str) -> Amount | None:
    if len(tokens) > 1 and tokens[0] in ("a", "an", "one") and tokens[1] in _UNITS:
        tokens = ["one", *tokens[1:]]
    values, units, words = [], list[tuple[float, str]](), list[str]()
    said = iter(_numbers(tokens))
    square = False
    for token in said:
        if isinstance(token, float):
            values.append(token)
            continue
        singular = token if token in _UNITS else token.removesuffix("s")
        if token in _SQUARE:
            square = True
        elif singular in _UNITS and (values or len(singular) > 1):
            size, kind = _UNITS[singular]
            units.append((size**2, f"{kind}²") if square else (size, kind))
            square = False
            if len(units) == len(values) > 1 and units[0][1] == units[-1][1] and "to" not in words:
                # One year and six months: one amount in two units.
                values[-2:] = [(values[-2] * units[-2][0] + values[-1] * units[-1][0]) / units[-1][0]]
                del units[-2]
        else:
            words.append(token)
    if values and words[-3:] == ["and", "a", "half"]:
        values[-1] += 0.5
    if not values or len(values) > 2 or len({unit for _, unit in units}) > 1:
        return None
    range_said = not {"to", "between"}.isdisjoint(words) or "-" in text or "–" in text
    if len(values) == 2 and not range_said:
        return None
    size, unit = units[-1] if units else (1.0, "")
    low, high = min(values) * size, max(values) * size
    loose = len(values) == 2
    if not _ABOUT.isdisjoint(words):
        low, high, loose = low * (1 - _LOOSE), high * (1 + _LOOSE), True
    if not _OVER.isdisjoint(words) or ("more" in words and "than" in words):
        high, loose = float("inf"), True
    elif not _UNDER.isdisjoint(words) or ("less" in words or "fewer" in words or "up" in words):
        low, loose = 0.0, True
    return Amount(low, high, unit, loose, size, frozenset(words))


def _numbers(tokens: list[str]) -> Iterator[float | str]:
    """The tokens, with runs that say a number put together: "one hundred and two", "34 million", "a", "half a"."""
    at = 0
    while at < len(tokens):
        value, length = _number_at(tokens, at)
        if length:
            yield value
            at += length
        else:
            yield tokens[at]
            at += 1


def _number_at(tokens: list[str], at: int) -> tuple[float, int]:
    total = current = 0.0
    length = step = 0
    while at + step < len(tokens):
        token = tokens[at + step]
        if token[0].isdecimal():
            if step:
                break
            current = _digits(token)
            if tokens[at + 1 : at + 2] and tokens[at + 1] in _ORDINAL:
                step += 1
        elif token in ("a", "an") and not step and tokens[at + 1 : at + 2] and tokens[at + 1] in _SCALES:
            current = 1.0
        elif token in _WORDS:
            if step and (current % 100 or token == "zero") and not (20 <= current % 100 <= 90 and current % 10 == 0):
                break
            current += _WORDS[token]
        elif token in _SCALES and step:
            scale = _SCALES[token]
            current = max(current, 1.0) * scale
            if scale >= 1e3:
                total, current = total + current, 0.0
        elif token == "and" and step and tokens[at + step + 1 : at + step + 3] == ["a", "half"]:
            current += 0.5
            step += 2
        elif not (token == "and" and step and _continues(tokens, at + step, total + current)):
            break
        step += 1
        length = step
    return total + current, length


def _continues(tokens: list[str], at: int, value: float) -> bool:
    """Whether "and" stands inside a number: one hundred and two."""
    return at + 1 < len(tokens) and tokens[at + 1] in _WORDS and value >= 100 and value % 100 == 0


def _digits(token: str) -> float:
    """1,336 and 1.336 and 1 336 are thousands; 39.95 and 39,95 are not."""
    bare = re.sub(r"[ '\u00a0]", "", token)
    if re.fullmatch(r"\d+(?:[.,]\d{3})+", bare) and not bare.startswith("0"):
        return float(re.sub(r"[.,]", "", bare)[:300])
    whole, mark, rest = max((bare.rpartition("."), bare.rpartition(",")), key=lambda parts: len(parts[0]))
    if not mark:
        return float(bare[:300])
    return float(re.sub(r"[.,]", "", whole)[:290] + "." + rest[:9])
