"""Read numbers, English and Spanish: *1.5 bn*, *twenty-two*, *two and a half*, *TRL 6,467,500,000*.

Where its separators leave open which number is meant ("12,1190"), a number has several readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

# -- Number words, English and Spanish: tables for reading and writing them.


_EN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_EN_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_EN_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
_ES = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete "
    "veintiocho veintinueve"
).split()
_ES_TENS = "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
_ES_HUNDREDS = (
    "cien doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
).split()
_ES_ORDINALS = "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo".split()


def _feminine(words: dict[str, int]) -> dict[str, int]:
    return {word.removesuffix("os") + "as": value for word, value in words.items() if word.endswith("os")}


_es_hundreds = {word: 100 * n for n, word in enumerate(_ES_HUNDREDS, 1)}
_es_ordinals = {word: n for n, word in enumerate(_ES_ORDINALS, 1)}

SMALL: dict[str, dict[str, int]] = {
    "en": {word: n for n, word in enumerate(_EN)},
    "es": {word: n for n, word in enumerate(_ES)}
    | {"un": 1, "una": 1, "veintiún": 21, "veintiun": 21, "veintiuna": 21, "dieciseis": 16, "veintidos": 22}
    | {"veintitres": 23, "veintiseis": 26},
}
"""Words that stand for a number of their own and take no smaller one behind them."""
TENS: dict[str, dict[str, int]] = {
    "en": {word: 10 * n for n, word in enumerate(_EN_TENS, 2)} | {"fourty": 40},
    "es": {word: 10 * n for n, word in enumerate(_ES_TENS[1:], 3)},
}
HUNDREDS: dict[str, dict[str, int]] = {
    "en": {"hundred": 100},
    "es": _es_hundreds | _feminine(_es_hundreds) | {"ciento": 100},
}
SCALES: dict[str, dict[str, int]] = {
    "en": {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "lakh": 10**5, "crore": 10**7},
    "es": {"mil": 10**3, "millón": 10**6, "millon": 10**6, "millones": 10**6, "billón": 10**12, "billones": 10**12},
}
AFTER_DIGITS = {"bn": 10**9, "mn": 10**6, "tn": 10**12, "k": 10**3, "mio": 10**6, "mrd": 10**9}
GROUPS: dict[str, dict[str, int]] = {"en": {"dozen": 12, "score": 20}, "es": {"docena": 12, "docenas": 12}}
ORDINALS: dict[str, dict[str, int]] = {
    "en": {word: n for n, word in enumerate(_EN_ORDINALS) if n}
    | {word[:-1] + "ieth": 10 * n for n, word in enumerate(_EN_TENS, 2)}
    | {"hundredth": 100},
    "es": _es_ordinals | {word[:-1] + "a": n for word, n in _es_ordinals.items()} | {"primer": 1, "tercer": 3},
}
PARTS: dict[str, dict[str, Fraction]] = {
    "en": {"half": Fraction(1, 2), "halves": Fraction(1, 2), "quarter": Fraction(1, 4), "quarters": Fraction(1, 4)}
    | {word + ending: Fraction(1, n) for n, word in enumerate(_EN_ORDINALS) if n > 2 for ending in ("", "s")},
    "es": {"medio": Fraction(1, 2), "media": Fraction(1, 2), "mitad": Fraction(1, 2), "tercio": Fraction(1, 3)}
    | {"tercios": Fraction(1, 3), "cuarto": Fraction(1, 4), "cuartos": Fraction(1, 4), "quinto": Fraction(1, 5)}
    | {"quintos": Fraction(1, 5), "décimo": Fraction(1, 10), "décimos": Fraction(1, 10)},
}
"""Names of parts of a whole: *half*, *thirds*."""
SIGNS = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3)} | {
    "⅛": Fraction(1, 8),
    "⅕": Fraction(1, 5),
}
ONE: dict[str, frozenset[str]] = {"en": frozenset({"a", "an"}), "es": frozenset({"un", "una"})}
AND: dict[str, str] = {"en": "and", "es": "y"}
WRITTEN: dict[str, list[str]] = {"en": _EN[:13], "es": _ES[:13]}
"""The numbers up to twelve, as they are written in running text."""


# -- Read numbers that are written out: *two hundred and five*, *half a million*, *treinta y dos*.


_MOST = 10**18
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"[\s-]+|,\s+")


class _Words:
    """The words of a text from a place on, one at a time; ``end`` is how far they were taken."""

    def __init__(self, text: str, at: int, language: str) -> None:
        self.text, self.start, self.end, self.language = text, at, at, language

    @property
    def started(self) -> bool:
        return self.end > self.start

    def peek(self, ahead: int = 0) -> str:
        end = self.end
        word = ""
        for step in range(ahead + 1):
            word, end = self._next(end, first=step == 0)
            if not word:
                return ""
        return word

    def _next(self, at: int, *, first: bool) -> tuple[str, int]:
        if self.started or not first:
            gap = _BETWEEN.match(self.text, at)
            if not gap:
                return "", at
            at = gap.end()
        found = _WORD.match(self.text, at)
        return (found.group().lower(), found.end()) if found else ("", at)

    def take(self) -> str:
        word, end = self._next(self.end, first=True)
        if word:
            self.end = end
        return word


def number_in_words(text: str, at: int, language: str) -> tuple[Fraction, int, bool] | None:
    """The number that is written out from here on: its value, its end, and whether it is an ordinal."""
    if at and text[at - 1].isalnum():
        return None
    words = _Words(text, at, language)
    if (share := _share(words)) is not None:
        return share, words.end, False
    total, room, ordinal = Fraction(0), _MOST, False
    while room > 1 and not ordinal:
        before = words.end
        if words.started and language == "en" and words.peek() == "and" and not _goes_on(words):
            break
        if words.started and language == "en" and words.peek() == "and":
            words.take()
        group, ordinal = _below_thousand(words)
        factor = _scale(words) if group is not None else 0
        if group is None or group * max(factor, 1) >= room:
            words.end = before
            ordinal = False
            break
        total, room = total + group * max(factor, 1), factor
    if words.end == at:
        return None
    value = total if ordinal else _with_parts(words, total)
    return value, words.end, ordinal


def _share(words: _Words) -> Fraction | None:
    """*half*, *half a million*, *half a dozen*; an ordinal (*third*) alone is none."""
    language = words.language
    part = PARTS[language].get(words.peek())
    if part is None or words.peek() in ORDINALS[language]:
        return None
    words.take()
    scales = SCALES[language] | GROUPS[language]
    ahead = 1 if words.peek() in ONE[language] else 0
    if factor := scales.get(words.peek(ahead)):
        for _ in range(ahead + 1):
            words.take()
        return part * factor
    return part


def _goes_on(words: _Words) -> bool:
    """Whether the "and" that stands next joins a smaller number (*two thousand and five*), and no part of one."""
    follows, language = words.peek(1), words.language
    known = follows in SMALL[language] or follows in TENS[language] or follows in ORDINALS[language]
    return known and words.peek(2) not in PARTS[language]


def _below_thousand(words: _Words) -> tuple[Fraction | None, bool]:
    """The number under a thousand that stands next (*fifteen hundred* too), and whether it is an ordinal."""
    language = words.language
    small, tens, hundreds = SMALL[language], TENS[language], HUNDREDS[language]
    word = words.peek()
    if word in ORDINALS[language]:
        words.take()
        return Fraction(ORDINALS[language][word]), True
    if language == "es":
        return _spanish_below_thousand(words), False
    if word in ONE[language] and (words.peek(1) in hundreds or words.peek(1) in SCALES[language] | GROUPS[language]):
        words.take()
        value, ordinal = 1, False
    elif word in small or word in tens:
        value, ordinal = _below_hundred(words)
        if ordinal:
            return Fraction(value), True
    else:
        return None, False
    if words.peek() in hundreds:
        words.take()
        value *= 100
        joined = words.peek() == "and"
        follows = words.peek(1) if joined else words.peek()
        if (follows in small and words.peek(1 + joined) not in PARTS[language]) or follows in tens:
            if joined:
                words.take()
            more, ordinal = _below_hundred(words)
            value += more
    return Fraction(value), ordinal


def _below_hundred(words: _Words) -> tuple[int, bool]:
    language = words.language
    word = words.take()
    if word in SMALL[language]:
        return SMALL[language][word], False
    value = TENS[language][word]
    unit = words.peek()
    if 0 < SMALL[language].get(unit, 0) < 10:
        words.take()
        return value + SMALL[language][unit], False
    if 0 < ORDINALS[language].get(unit, 0) < 10 and unit != "second":
        words.take()
        return value + ORDINALS[language][unit], True
    if unit == "second":
        words.take()
        return value + 2, True
    return value, False


def _spanish_below_thousand(words: _Words) -> Fraction | None:
    small, tens, hundreds = SMALL["es"], TENS["es"], HUNDREDS["es"]
    value: int | None = None
    if words.peek() in hundreds:
        value = hundreds[words.take()]
    if words.peek() in tens:
        value = (value or 0) + tens[words.take()]
        if words.peek() == "y" and 0 < small.get(words.peek(1), 0) < 10:
            words.take()
            value += small[words.take()]
    elif words.peek() in small:
        value = (value or 0) + small[words.take()]
    elif value is None and words.peek() == "mil":
        return Fraction(1)
    return None if value is None else Fraction(value)


def _scale(words: _Words) -> int:
    factor = 1
    scales = SCALES[words.language] | GROUPS[words.language]
    while (next_factor := scales.get(words.peek())) and factor * next_factor <= 10**15:
        words.take()
        factor *= next_factor
    return factor if factor > 1 else 0


def _with_parts(words: _Words, total: Fraction) -> Fraction:
    """*two* -> 2½ where "and a half" follows, ⅔ where "thirds" does."""
    parts, language = PARTS[words.language], words.language
    follows = words.peek()
    if follows in parts and total <= 20 and (follows.endswith("s") or total == 1) and total > 0:
        words.take()
        return total * parts[follows]
    if follows != AND[language] or total >= 1000:  # "a million and a half" is a million and a half million
        return total
    if words.peek(1) in parts and language == "es":
        words.take()
        return total + parts[words.take()]
    number = 1 if words.peek(1) in ONE[language] else SMALL[language].get(words.peek(1), 0)
    if number and words.peek(2) in parts and (number == 1 or words.peek(2).endswith("s")):
        words.take(), words.take()
        return total + number * parts[words.take()]
    return total


# -- Read numbers, English and Spanish: *1.5 bn*, *twenty-two*, *two and a half*, *TRL 6,467,500,000*.


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


# -- Write numbers, English and Spanish: *1,234.5*, *1.234,5*, *twelve*; English ordinals.


def written(value: Fraction | int, language: str = "en") -> str:
    """A number in digits, in the language's way: 1,234.5 or 1.234,5."""
    value = Fraction(value)
    text = f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):,.6f}".rstrip("0").rstrip(".")
    return text if language == "en" else text.translate(str.maketrans(",.", ".,"))


def in_words(value: Fraction | int, language: str = "en") -> str:
    """A number up to twelve in words, any other in digits."""
    words = WRITTEN[language]
    return words[int(value)] if value == int(value) and 0 <= value < len(words) else written(value, language)


def ordinal_ending(number: int) -> str:
    """What makes a number in digits an ordinal in English: 1st, 2nd, 3rd, 11th."""
    return "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
