"""Read numbers, English and Spanish: *1.5 bn*, *twenty-two*, *two and a half*, *TRL 6,467,500,000*.

Where its separators leave open which number is meant ("12,1190"), a number has several readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sfumato.knowledge.numbers.spelled import number_in_words
from sfumato.knowledge.numbers.words import AFTER_DIGITS, SCALES, SIGNS, SMALL

_LONGEST = 40
"""Digits that a number may have; what is longer is no quantity."""
_GAP = r"['’ \u00a0\u202f]"
_DIGITS = re.compile(
    rf"(?<![\d])(?:[0-9]{{1,3}}(?:{_GAP}[0-9]{{3}}(?![0-9]))+(?:[.,][0-9]+)?|[0-9]+(?:[.,][0-9]+)*)(?![0-9])"
)
_BEHIND = re.compile(r"(?P<ordinal>st|nd|rd|th|\.?[ºª°](?!\s?[CF]\b))(?!\w)|\s?/\s?(?P<below>[0-9]+)(?![\w/.,]*[0-9])")
_SCALE = re.compile(r"(?:[ \u00a0-]?)([a-zóé]+)(?!\w)", re.IGNORECASE)
_AND_PART = re.compile(rf"\s?([{''.join(SIGNS)}])|\s([0-9])/([2-9])(?![0-9/])")
_FACTORS = {language: AFTER_DIGITS | SCALES["en"] | SCALES.get(language, {}) for language in ("", *SCALES)}


@dataclass(frozen=True, slots=True)
class Number:
    """A number at ``text[start:end]``."""

    start: int
    end: int
    values: tuple[Fraction, ...]
    """What it may mean; one value where it is plain."""
    ordinal: bool = False

    @property
    def value(self) -> Fraction | None:
        """What it means, where that is plain."""
        return self.values[0] if len(self.values) == 1 else None


def read_number(text: str, language: str = "en") -> Number | None:
    """The number that all of the text says."""
    text = text.strip()
    found = number_at(text, 0, language)
    return found if found and found.end == len(text) else None


def numbers_in(text: str, language: str = "en") -> Iterator[Number]:
    """The numbers in a text, from left to right, digits and words."""
    at = 0
    while at < len(text):
        found = number_at(text, at, language) if not (at and text[at].isalnum() and text[at - 1].isalnum()) else None
        if found:
            yield found
            at = found.end
        else:
            at += 1


def number_at(text: str, at: int, language: str = "en") -> Number | None:
    """The longest number that begins here."""
    if at < len(text) and (text[at].isdecimal() or text[at] in SIGNS):
        return _in_digits(text, at, language)
    if language not in SMALL or (found := number_in_words(text, at, language)) is None:
        return None
    value, end, ordinal = found
    return Number(at, end, (value,), ordinal)


@lru_cache(maxsize=2**14)
def readings(digits: str, language: str = "en") -> tuple[Fraction, ...]:
    """What a number in digits may mean, by its separators; empty where they make no sense.

    ``readings("1,234") == (1234,)``, in Spanish also 1.234; ``readings("12,1190")`` is 12.119 or 121190.
    """
    if len(digits) > _LONGEST:
        return ()
    plain = re.sub(_GAP, "", digits)
    marks = re.findall(r"[.,]", plain)
    parts = re.split(r"[.,]", plain)
    whole, decimal = Fraction("".join(parts)), Fraction("".join(parts[:-1]) + "." + (parts[-1] or "0"))
    if not marks:
        return (whole,)
    thousands = len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])
    if len(marks) == 1:
        return _one_mark(marks[0], parts, whole, decimal, language, spaced=plain != digits)
    if marks[-1] not in marks[:-1] and len(set(marks[:-1])) == 1:
        grouped = len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:-1])
        return () if not grouped else (decimal,)
    indian = len(parts[0]) <= 2 and len(parts[-1]) == 3 and all(len(part) == 2 for part in parts[1:-1])
    return (whole,) if thousands or (indian and set(marks) == {","}) else ()


def _one_mark(
    mark: str, parts: list[str], whole: Fraction, decimal: Fraction, language: str, *, spaced: bool
) -> tuple[Fraction, ...]:
    first, last = parts
    if spaced or len(last) < 3 or first.strip("0") == "":
        return (decimal,)
    if len(last) == 3 and len(first) <= 3:
        if language == "en" and mark == ",":
            return (whole,)
        return (whole, decimal)
    natural = "." if language == "en" else ","
    return (decimal,) if mark == natural else (decimal, whole)


def _in_digits(text: str, at: int, language: str) -> Number | None:
    values: tuple[Fraction, ...]
    if text[at] in SIGNS:
        return Number(at, at + 1, (SIGNS[text[at]],))
    found = _DIGITS.match(text, at)
    if not found:
        return None
    values, end = readings(found.group(), language), found.end()
    if not values:
        return None
    if mixed := _AND_PART.match(text, end):
        part = SIGNS[mixed[1]] if mixed[1] else Fraction(int(mixed[2]), int(mixed[3]))
        return Number(at, mixed.end(), tuple(value + part for value in values))
    if behind := _BEHIND.match(text, end):
        if behind["ordinal"]:
            return Number(at, behind.end(), values, ordinal=True)
        below = int(behind["below"][:_LONGEST])
        # 120/80 is a blood pressure, 12/5 a date or a docket.
        if below > 1 and values[0].denominator == 1 and values[0] < below:
            return Number(at, behind.end(), tuple(value / below for value in values))
        return None
    if scale := _SCALE.match(text, end):
        factor = _FACTORS.get(language, _FACTORS[""]).get(scale[1].lower())
        if factor:
            rest = _SCALE.match(text, scale.end())
            million = SCALES["es"].get(rest[1].lower(), 0) if rest and language == "es" else 0
            if million > factor:  # mil millones
                factor, scale = factor * million, rest or scale
            return Number(at, scale.end(), tuple(value * factor for value in values))
    return Number(at, end, values)
