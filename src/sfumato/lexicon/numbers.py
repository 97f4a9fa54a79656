"""Read and write numbers, English and Spanish: *1.5 bn*, *twenty-two*, *two and a half*, *TRL 6,467,500,000*.

Where its separators leave open which number is meant ("12,1190"), a number has several readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Any, cast

from sfumato.lexicon.tables import languages_with, load_toml
from sfumato.lexicon.tokens import LETTERS, lazy_pattern

_TOPIC = "number_words"


def _entries(key: str) -> dict[str, Any]:
    return {language: load_toml(_TOPIC, language)[key] for language in languages_with(_TOPIC)}


SMALL: dict[str, dict[str, int]] = _entries("small")
"""Words for a number that take no smaller one behind them."""
TENS: dict[str, dict[str, int]] = _entries("tens")
HUNDREDS: dict[str, dict[str, int]] = _entries("hundreds")
SCALES: dict[str, dict[str, int]] = _entries("scales")
ORDINALS: dict[str, dict[str, int]] = _entries("ordinals")
_MULTIPLES: dict[str, dict[str, int]] = {
    language: dict(scales) | dict(_entries("groups")[language]) for language, scales in SCALES.items()
}
"""Scales and groups: *thousand*, *dozen*."""
_PARTS = {
    language: {word: Fraction(*part) for word, part in parts.items()} for language, parts in _entries("parts").items()
}
"""Names of parts of a whole: *half*, *thirds*."""
_ONE: dict[str, tuple[str, ...]] = _entries("one")
_AND: dict[str, str] = _entries("and")
_AND_AFTER_TENS: dict[str, str] = _entries("and_after_tens")
_ONE_UNSAID: dict[str, tuple[str, ...]] = _entries("one_unsaid")
_HUNDREDS_MULTIPLY: dict[str, bool] = _entries("hundreds_multiply")
_AND_BEFORE_SMALLER: dict[str, str] = _entries("and_before_smaller")
_IN_WORDS: dict[str, tuple[str, ...]] = _entries("written")
_DECIMAL_MARK: dict[str, str] = _entries("decimal_mark")
_GROUP_MARK: dict[str, str] = _entries("group_mark")
_CERTAIN_GROUP_MARK: dict[str, str] = _entries("certain_group_mark")
_SCALES_MULTIPLY: dict[str, bool] = _entries("scales_multiply_after_digits")
_AFTER_DIGITS = {"bn": 10**9, "mn": 10**6, "tn": 10**12, "k": 10**3, "mio": 10**6, "mrd": 10**9}
_SIGNS = {sign: Fraction(part) for sign, part in zip("½¼¾⅓⅔⅛⅕", "1/2 1/4 3/4 1/3 2/3 1/8 1/5".split(), strict=True)}


@dataclass(frozen=True, slots=True)
class Number:
    """A number at ``text[start:end]``."""

    start: int
    end: int
    values: tuple[Fraction, ...]
    """What it may mean; one value where its separators leave no doubt."""
    ordinal: bool = False

    @property
    def value(self) -> Fraction | None:
        """What it means; None where that is open."""
        return self.values[0] if len(self.values) == 1 else None


def read_number(text: str, language: str = "en") -> Number | None:
    """The number that all of the text says."""
    text = text.strip()
    number = number_at(text, 0, language)
    return number if number and number.end == len(text) else None


def numbers_in(text: str, language: str = "en") -> Iterator[Number]:
    """The numbers in a text, from left to right, digits and words."""
    offset = 0
    while offset < len(text):
        inside_word = offset and text[offset].isalnum() and text[offset - 1].isalnum()
        number = None if inside_word else number_at(text, offset, language)
        if number:
            yield number
        offset = number.end if number else offset + 1


def number_at(text: str, offset: int, language: str = "en") -> Number | None:
    """The longest number that begins here."""
    if offset < len(text) and (text[offset].isdecimal() or text[offset] in _SIGNS):
        return _in_digits(text, offset, language)
    if language not in SMALL or (number := _number_in_words(text, offset, language)) is None:
        return None
    value, end, ordinal = number
    return Number(offset, end, (value,), ordinal)


# Numbers in words: *two hundred and five*, *half a million*, *treinta y dos*.

_MOST = 10**18
_NEXT_WORD = lazy_pattern(rf"(?:[\s-]+|,\s+)({LETTERS.pattern})")


class _Words:
    """The words of a text from an offset on, one at a time; ``end`` is how far they were taken."""

    def __init__(self, text: str, offset: int, language: str) -> None:
        self.text, self.start, self.end, self.language = text, offset, offset, language

    @property
    def started(self) -> bool:
        return self.end > self.start

    def _ahead(self) -> Iterator[tuple[str, int]]:
        """The words that were not taken yet, each with its end."""
        match = (_NEXT_WORD if self.started else LETTERS).match(self.text, self.end)
        while match:
            yield match[match.lastindex or 0].lower(), match.end()
            match = _NEXT_WORD.match(self.text, match.end())

    def peek(self, ahead: int = 0) -> str:
        return next(islice(self._ahead(), ahead, None), ("", 0))[0]

    def take(self) -> str:
        word, self.end = next(self._ahead(), ("", self.end))
        return word


def _number_in_words(text: str, offset: int, language: str) -> tuple[Fraction, int, bool] | None:
    """The number that is written out from here on: its value, its end, and whether it is an ordinal."""
    if offset and text[offset - 1].isalnum():
        return None
    words = _Words(text, offset, language)
    if (share := _share(words)) is not None:
        return share, words.end, False
    total, limit, ordinal = Fraction(0), _MOST, False
    while limit > 1 and not ordinal:
        before = words.end
        if words.started and _AND_BEFORE_SMALLER[language] and words.peek() == _AND_BEFORE_SMALLER[language]:
            if not _smaller_follows(words):
                break
            words.take()
        group, ordinal = _below_thousand(words)
        factor = _scale(words) if group is not None else 0
        if group is None or group * max(factor, 1) >= limit:
            words.end = before
            ordinal = False
            break
        total, limit = total + group * max(factor, 1), factor
    if words.end == offset:
        return None
    value = total if ordinal else _with_parts(words, total)
    return value, words.end, ordinal


def _share(words: _Words) -> Fraction | None:
    """*half*, *half a million*, *half a dozen*; an ordinal (*third*) alone is none."""
    language = words.language
    part = _PARTS[language].get(words.peek())
    if part is None or words.peek() in ORDINALS[language]:
        return None
    words.take()
    ahead = 1 if words.peek() in _ONE[language] else 0
    if factor := _MULTIPLES[language].get(words.peek(ahead)):
        for _ in range(ahead + 1):
            words.take()
        return part * factor
    return part


def _smaller_follows(words: _Words) -> bool:
    """Whether the "and" that stands next joins a smaller number (*two thousand and five*), and no part of one."""
    following, language = words.peek(1), words.language
    is_number = following in SMALL[language] or following in TENS[language] or following in ORDINALS[language]
    return is_number and words.peek(2) not in _PARTS[language]


def _below_thousand(words: _Words) -> tuple[Fraction | None, bool]:
    """The number under a thousand that stands next (*fifteen hundred* too), and whether it is an ordinal."""
    language = words.language
    hundreds, ordinals = HUNDREDS[language], ORDINALS[language]
    word = words.peek()
    if word in ordinals:
        return Fraction(ordinals[words.take()]), True
    if word in _ONE_UNSAID[language]:
        return Fraction(1), False
    if not _HUNDREDS_MULTIPLY[language]:  # doscientos cinco
        value = hundreds[words.take()] if word in hundreds else 0
        rest, _ = _below_hundred(words)
        return None if not value and rest is None else Fraction(value + (rest or 0)), False
    count, ordinal = cast("int | None", 1), False
    if word in _ONE[language] and (words.peek(1) in hundreds or words.peek(1) in _MULTIPLES[language]):
        words.take()
    else:
        count, ordinal = _below_hundred(words)
    if count is None or words.peek() not in hundreds or ordinal:
        return None if count is None else Fraction(count), ordinal
    words.take()
    is_joined = words.peek() == _AND_BEFORE_SMALLER[language]
    following, after = (words.peek(ahead + is_joined) for ahead in range(2))
    rest = None
    if (following in SMALL[language] and after not in _PARTS[language]) or following in TENS[language]:
        if is_joined:
            words.take()
        rest, ordinal = _below_hundred(words)
    return Fraction(100 * count + (rest or 0)), ordinal


def _below_hundred(words: _Words) -> tuple[int | None, bool]:
    """The same under a hundred; nothing is taken where none stands next."""
    small, tens, and_ = SMALL[words.language], TENS[words.language], _AND_AFTER_TENS[words.language]
    if words.peek() in small:
        return small[words.take()], False
    if words.peek() not in tens:
        return None, False
    value, unit = tens[words.take()], words.peek(1 if and_ else 0)
    ordinal = 0 if and_ else ORDINALS[words.language].get(unit, 0)
    if (and_ and words.peek() != and_) or not (0 < small.get(unit, 0) < 10 or 0 < ordinal < 10):
        return value, False
    if and_:
        words.take()
    return value + small.get(words.take(), ordinal), unit not in small


def _scale(words: _Words) -> int:
    factor = 1
    while (next_factor := _MULTIPLES[words.language].get(words.peek())) and factor * next_factor <= 10**15:
        words.take()
        factor *= next_factor
    return factor if factor > 1 else 0


def _with_parts(words: _Words, total: Fraction) -> Fraction:
    """*two* -> 2½ where "and a half" follows, ⅔ where "thirds" does."""
    parts, language = _PARTS[words.language], words.language
    following = words.peek()
    if following in parts and 0 < total <= 20 and (following.endswith("s") or total == 1):
        words.take()
        return total * parts[following]
    if following != _AND[language] or total >= 1000:  # "a million and a half" is a million and a half million
        return total
    if words.peek(1) in parts and not _AND_BEFORE_SMALLER[language]:  # "dos y medio", but not "two and half"
        words.take()
        return total + parts[words.take()]
    count = 1 if words.peek(1) in _ONE[language] else SMALL[language].get(words.peek(1), 0)
    if count and words.peek(2) in parts and (count == 1 or words.peek(2).endswith("s")):
        words.take(), words.take()
        return total + count * parts[words.take()]
    return total


# Numbers in digits: *6,467,500,000*, *1.5 bn*, *2½*.

_LONGEST = 40
"""Digits that a number may have; what is longer is no quantity."""
_GAP = r"['’ \u00a0\u202f]"
_DIGITS = lazy_pattern(
    rf"(?<![\d])(?:[0-9]{{1,3}}(?:{_GAP}[0-9]{{3}}(?![0-9]))+(?:[.,][0-9]+)?|[0-9]+(?:[.,][0-9]+)*)(?![0-9])"
)
_BEHIND = lazy_pattern(r"(?P<ordinal>st|nd|rd|th|\.?[ºª°](?!\s?[CF]\b))(?!\w)|\s?/\s?[0-9]")
_SCALE = lazy_pattern(r"(?:[ \u00a0-]?)([a-zóé]+)(?!\w)", re.IGNORECASE)
_AND_PART = lazy_pattern(rf"\s?([{''.join(_SIGNS)}])|\s([0-9])/([2-9])(?![0-9/])")
_FACTORS = {language: _AFTER_DIGITS | dict(SCALES["en"]) | dict(SCALES.get(language, {})) for language in ("", *SCALES)}


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
    if len(marks) == 1:
        return _one_mark(marks[0], parts, whole, decimal, language, spaced=plain != digits)
    if marks[-1] not in marks[:-1] and len(set(marks[:-1])) == 1:
        grouped = len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:-1])
        return (decimal,) if grouped else ()
    thousands = len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])
    indian = len(parts[0]) <= 2 and len(parts[-1]) == 3 and all(len(part) == 2 for part in parts[1:-1])
    return (whole,) if thousands or (indian and set(marks) == {","}) else ()


def _one_mark(
    mark: str, parts: list[str], whole: Fraction, decimal: Fraction, language: str, *, spaced: bool
) -> tuple[Fraction, ...]:
    first, last = parts
    if spaced or len(last) < 3 or first.strip("0") == "":
        return (decimal,)
    if len(last) == 3 and len(first) <= 3:
        return (whole,) if mark == _CERTAIN_GROUP_MARK.get(language) else (whole, decimal)
    return (decimal,) if mark == _DECIMAL_MARK.get(language, ",") else (decimal, whole)


def _in_digits(text: str, offset: int, language: str) -> Number | None:
    if text[offset] in _SIGNS:
        return Number(offset, offset + 1, (_SIGNS[text[offset]],))
    digits = _DIGITS.match(text, offset)
    values = readings(digits.group(), language) if digits else ()
    if not digits or not values:
        return None
    end = digits.end()
    if mixed := _AND_PART.match(text, end):
        part = _SIGNS[mixed[1]] if mixed[1] else Fraction(int(mixed[2]), int(mixed[3]))
        return Number(offset, mixed.end(), tuple(value + part for value in values))
    if behind := _BEHIND.match(text, end):
        # 120/80 is a blood pressure, 12/5 a date or a docket, 6/10 a score: none of them an amount.
        return Number(offset, behind.end(), values, ordinal=True) if behind["ordinal"] else None
    factor, end = _scale_behind(text, end, language)
    return Number(offset, end, tuple(value * factor for value in values))


def _scale_behind(text: str, end: int, language: str) -> tuple[int, int]:
    """The factor of the scale that follows digits, and where it ends; 1 where there is none."""
    scale = _SCALE.match(text, end)
    if scale and scale[1].isupper() and scale[0][0].isspace():
        return 1, end  # $9,000.00 MN: moneda nacional
    factor = _FACTORS.get(language, _FACTORS[""]).get(scale[1].lower()) if scale else None
    if not scale or not factor:
        return 1, end
    following = _SCALE.match(text, scale.end())
    if following and _SCALES_MULTIPLY.get(language):  # mil millones
        larger = SCALES[language].get(following[1].lower(), 0)
        if larger > factor:
            return factor * larger, following.end()
    return factor, scale.end()


# Writing numbers.


def written(value: Fraction | int, language: str = "en") -> str:
    """A number in digits, in the language's way: 1,234.5 or 1.234,5."""
    value = Fraction(value)
    text = f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):,.6f}".rstrip("0").rstrip(".")
    marks = _GROUP_MARK.get(language, ".") + _DECIMAL_MARK.get(language, ",")
    return text.translate(str.maketrans(",.", marks))


def in_words(value: Fraction | int, language: str = "en") -> str:
    """A number up to twelve in words, any other in digits."""
    words = _IN_WORDS[language]
    return words[int(value)] if value == int(value) and 0 <= value < len(words) else written(value, language)


def ordinal_ending(number: int) -> str:
    """What makes a number in digits an ordinal in English: 1st, 2nd, 3rd, 11th."""
    return "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
