"""Read numbers that are written out: *two hundred and five*, *half a million*, *treinta y dos*."""

from __future__ import annotations

import re
from fractions import Fraction

from sfumato.knowledge.numbers.words import AND, GROUPS, HUNDREDS, ONE, ORDINALS, PARTS, SCALES, SMALL, TENS

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
