"""The attacker's side of quantities: round amounts inside a band."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from sfumato.knowledge.numbers.read import numbers_in
from sfumato.knowledge.numbers.words import SCALES
from sfumato.knowledge.numbers.write import in_words, written

_SEVERAL = re.compile(
    r"(?:several|varios|varias)(?:\s+(dozen|hundred|cientos))?(?:\s+(?:de\s+)?([a-zé]+))?", re.IGNORECASE
)
_TENS = re.compile(r"(?:tens|decenas)(?:\s+(?:of|de)\s+(thousands|millions|billions|miles|millones))?", re.IGNORECASE)
_SIZES = {"thousands": 10**3, "millions": 10**6, "billions": 10**9, "miles": 10**3, "millones": 10**6}
_EACH = 30
"""How many values of one roundness are tried."""
_SHARES = {
    "en": ("half", "one third", "two-thirds", "a quarter", "three quarters", "one fifth", "one tenth"),
    "es": ("la mitad", "un tercio", "dos tercios", "un cuarto", "tres cuartos", "un quinto", "un décimo"),
}
_SHARE = re.compile(r"\b(?:half|third|thirds|quarter|quarters|tenth|mitad|tercios?|cuartos?|décima)\b", re.IGNORECASE)
_LESS = re.compile(r"\b(?:less|fewer|menos)\b", re.IGNORECASE)
_MORE = re.compile(r"\b(?:more|más)\b", re.IGNORECASE)


def guesses(phrase: str, language: str) -> Iterator[str]:
    """What may have stood where a rung stands, roundest first, with the words around the number kept."""
    if _SHARE.search(phrase):
        yield from (share for share in _SHARES[language] if share not in phrase)
        return
    read = _read(phrase, language)
    if read is None:
        return
    low, high, before, after = read
    in_full = not any(mark.isdigit() for mark in phrase) and high <= 20
    for value in _round(low, high):
        if in_full and value.denominator != 1:
            continue
        number = in_words(value, language) if in_full else written(value, language)
        yield " ".join(part for part in (before, number, after) if part).replace(" %", "%").replace(" -", "-")


def _read(phrase: str, language: str) -> tuple[Fraction, Fraction, str, str] | None:
    scales = SCALES[language]
    if (several := _SEVERAL.match(phrase)) is not None:
        size, end = 1, several.end()
        first, second = (several[1] or "").lower(), (several[2] or "").lower()
        size *= {"dozen": 12, "hundred": 100, "cientos": 100}.get(first, 1)
        if second in scales or second in _SIZES:
            size *= scales.get(second, 0) or _SIZES[second]
        elif several[2]:
            end = several.start(2)
        return Fraction(2 * size), Fraction(10 * size), "", _rest(phrase[end:])
    if (tens := _TENS.match(phrase)) is not None:
        size = 10 * _SIZES.get((tens[1] or "").lower(), 1)
        return Fraction(size), Fraction(10 * size), "", _rest(phrase[tens.end() :])
    found = [number for number in numbers_in(phrase, language) if not number.ordinal]
    if not found or len(found) > 2:
        return None
    values = [max(number.values) for number in found]
    head = phrase[: found[0].start]
    code = re.search(r"([A-Z]{3}|[$€£])\s*$", head)
    before, after = code[1] if code else "", phrase[found[-1].end :].strip()
    if len(values) == 2:
        low, high = values
        scale = _scale(phrase, language)
        low = low * scale if scale and low * scale < high else low
        return (low, high, before, after) if low < high else None
    if _LESS.search(head):
        return Fraction(0), values[0], before, after
    most = values[0] * (20 if _MORE.search(head) else 3)
    return values[0], min(most, Fraction(101)) if re.match("%|per cent|por ciento", after) else most, before, after


def _scale(phrase: str, language: str) -> int:
    """*between 50 and 100 million*: the word belongs to both."""
    return next((size for word, size in SCALES[language].items() if re.search(rf"\d {word}\b", phrase)), 0)


def _rest(text: str) -> str:
    return re.sub(r"^(?:of|de)\s+", "", text.strip(), flags=re.IGNORECASE)


def _round(low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """Values strictly inside, the roundest first, of these the smallest."""
    seen: set[Fraction] = set()
    exponent = len(str(int(high))) - 1
    steps = (part * Fraction(10) ** (exponent - place) for place in range(3) for part in (Fraction(1), Fraction(1, 2)))
    for step in steps:
        first = int(low / step) + 1
        for value in (step * number for number in range(first, first + _EACH)):
            if low < value < high and value not in seen:
                seen.add(value)
                yield value
