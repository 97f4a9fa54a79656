"""Amounts that an attacker would guess to have stood where a band stands: round ones, the roundest first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from sfumato.generalize import durations
from sfumato.generalize.quantities.reading import QUANTITY_LANGUAGES, quantity_data
from sfumato.lexicon.numbers import SCALES, in_words, numbers_in, written
from sfumato.lexicon.tokens import lazy_pattern


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Amounts that may have stood there: round ones inside the band first, in the phrase's unit."""
    if language in QUANTITY_LANGUAGES:
        phrase = re.sub(r"^(?:an?|the)\s+", "", phrase.strip(), flags=re.IGNORECASE)
        yield from tuple(durations.candidate_originals(phrase, text, language)) or _originals(phrase, language)


# The attacker's side: round amounts inside a band.

_SEVERAL = lazy_pattern(
    r"(?:several|varios|varias)(?:\s+(dozen|hundred|cientos))?(?:\s+(?:de\s+)?([a-zé]+))?", re.IGNORECASE
)
_TENS = lazy_pattern(r"(?:tens|decenas)(?:\s+(?:of|de)\s+(thousands|millions|billions|miles|millones))?", re.IGNORECASE)
_SIZES = {"thousands": 10**3, "millions": 10**6, "billions": 10**9, "miles": 10**3, "millones": 10**6}
_EACH = 30
"""How many values of one roundness are tried."""
_SHARE = lazy_pattern(r"\b(?:half|third|thirds|quarter|quarters|tenth|mitad|tercios?|cuartos?|décima)\b", re.IGNORECASE)
_LESS = lazy_pattern(r"\b(?:less|fewer|menos)\b", re.IGNORECASE)
_MORE = lazy_pattern(r"\b(?:more|más)\b", re.IGNORECASE)


def _originals(phrase: str, language: str) -> Iterator[str]:
    """What may have stood where a level stands, roundest first, with the words around the number kept."""
    if _SHARE.search(phrase):
        yield from (share for share in quantity_data(language)["share_originals"] if share not in phrase)
        return
    amounts = _read_level(phrase, language)
    if amounts is None:
        return
    low, high, before, after = amounts
    in_full = not any(mark.isdigit() for mark in phrase) and high <= 20
    for value in _round(low, high):
        if in_full and value.denominator != 1:
            continue
        number = in_words(value, language) if in_full else written(value, language)
        yield " ".join(part for part in (before, number, after) if part).replace(" %", "%").replace(" -", "-")


def _read_level(phrase: str, language: str) -> tuple[Fraction, Fraction, str, str] | None:
    scales = SCALES[language]
    if (several := _SEVERAL.match(phrase)) is not None:
        second = (several[2] or "").lower()
        scale = scales.get(second, 0) or _SIZES.get(second, 0)
        end = several.end() if scale or not second else several.start(2)
        size = {"dozen": 12, "hundred": 100, "cientos": 100}.get((several[1] or "").lower(), 1) * (scale or 1)
        return Fraction(2 * size), Fraction(10 * size), "", _rest(phrase[end:])
    if (tens := _TENS.match(phrase)) is not None:
        size = 10 * _SIZES.get((tens[1] or "").lower(), 1)
        return Fraction(size), Fraction(10 * size), "", _rest(phrase[tens.end() :])
    numbers = [number for number in numbers_in(phrase, language) if not number.ordinal]
    if not numbers or len(numbers) > 2:
        return None
    values = [max(number.values) for number in numbers]
    head = phrase[: numbers[0].start]
    code = re.search(r"([A-Z]{3}|[$€£])\s*$", head)
    before, after = code[1] if code else "", phrase[numbers[-1].end :].strip()
    if len(values) == 2:
        low, high = values
        # "between 50 and 100 million": the word belongs to both.
        scale = next((size for word, size in scales.items() if re.search(rf"\d {word}\b", phrase)), 0)
        low = low * scale if scale and low * scale < high else low
        return (low, high, before, after) if low < high else None
    if _LESS.search(head):
        return Fraction(0), values[0], before, after
    most = values[0] * (20 if _MORE.search(head) else 3)
    return values[0], min(most, Fraction(101)) if re.match("%|per cent|por ciento", after) else most, before, after


def _rest(text: str) -> str:
    return re.sub(r"^(?:of|de)\s+", "", text.strip(), flags=re.IGNORECASE)


def _round(low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """Values strictly inside, the roundest first, of these the smallest."""
    exponent = len(str(int(high))) - 1
    smallest = Fraction(10) ** (exponent - 2) / 2
    # All values are multiples of the smallest step: whole numbers are compared many times faster than fractions.
    seen: set[int] = set()
    for step in (200, 100, 20, 10, 2, 1):
        first, end = int(low / smallest / step) + 1, ceil(high / smallest / step)
        for number in range(first * step, min(first + _EACH, end) * step, step):
            if number not in seen:
                seen.add(number)
                yield smallest * number
