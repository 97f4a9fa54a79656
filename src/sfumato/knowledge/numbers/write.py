"""Write numbers, English and Spanish: *1,234.5*, *1.234,5*, *twelve*; English ordinals."""

from __future__ import annotations

from fractions import Fraction

from sfumato.knowledge.numbers.words import WRITTEN


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
