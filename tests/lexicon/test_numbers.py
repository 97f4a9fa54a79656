"""Numbers are read against a speller of our own, and never guessed where separators leave them open."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon.numbers import in_words, numbers_in, read_number, readings, written

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
_UNOS = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete "
    "veintiocho veintinueve"
).split()
_DIECES = "- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
_CIENTOS = "- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"


def spell(number: int) -> str:
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    for size, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            joined = (" and " if rest < 100 else " ") + spell(rest) if rest else ""
            return f"{spell(number // size)} {name}{joined}"
    raise AssertionError(number)


def deletrear(number: int) -> str:
    if number < 30:
        return _UNOS[number]
    if number < 100:
        return _DIECES[number // 10] + (f" y {_UNOS[number % 10]}" if number % 10 else "")
    if number == 100:
        return "cien"
    if number < 1000:
        return _CIENTOS.split()[number // 100] + (f" {deletrear(number % 100)}" if number % 100 else "")
    thousands = "mil" if number < 2000 else f"{deletrear(number // 1000)} mil"
    return thousands + (f" {deletrear(number % 1000)}" if number % 1000 else "")


def value(text: str, language: str = "en") -> Fraction | None:
    number = read_number(text, language)
    return number.value if number else None


@given(st.integers(0, 10**12 - 1))
def test_english_words(number: int) -> None:
    assert value(spell(number)) == number
    assert value(spell(number).replace("-", " ").upper()) == number


@given(st.integers(0, 999_999))
def test_spanish_words(number: int) -> None:
    assert value(deletrear(number), "es") == number


@given(st.integers(0, 10**15))
def test_digits_with_any_separators(number: int) -> None:
    grouped = f"{number:,}"
    for text in (str(number), grouped, grouped.replace(",", " "), grouped.replace(",", "'")):
        assert value(text) == number
    assert written(number) == grouped
    assert value(f"{grouped}.75") == number + Fraction(3, 4)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("two and a half", Fraction(5, 2)),
        ("one and three quarters", Fraction(7, 4)),
        ("2½", Fraction(5, 2)),
        ("2 1/2", Fraction(5, 2)),
        ("two-thirds", Fraction(2, 3)),
        ("one third", Fraction(1, 3)),
        ("half a million", 500_000),
        ("a dozen", 12),
        ("three dozen", 36),
        ("fifteen hundred", 1500),
        ("34 million", 34_000_000),
        ("1.5 bn", 1_500_000_000),
        ("10k", 10_000),
        ("1,00,000", 100_000),
        ("2,847.312.000", 2_847_312_000),
        ("6,467,500,000", 6_467_500_000),
    ],
)
def test_other_ways_to_write_one(text: str, meant: Fraction) -> None:
    assert value(text) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1.234,50", Fraction(2469, 2)),
        ("2 mil millones", 2 * 10**9),
        ("media docena", 6),
        ("dos y medio", Fraction(5, 2)),
    ],
)
def test_spanish_ways(text: str, meant: Fraction) -> None:
    assert value(text, "es") == meant


@pytest.mark.parametrize(("text", "nth"), [("23rd", 23), ("twenty-second", 22), ("second", 2), ("tenth", 10)])
def test_ordinals(text: str, nth: int) -> None:
    number = read_number(text)
    assert number is not None
    assert number.ordinal
    assert number.value == nth


def test_what_separators_leave_open_has_several_readings() -> None:
    assert set(readings("12,1190")) == {Fraction("12.119"), Fraction(121190)}
    assert set(readings("1.234")) == {Fraction("1.234"), Fraction(1234)}
    assert readings("1,234") == (Fraction(1234),)
    assert set(readings("1,234", "es")) == {Fraction("1.234"), Fraction(1234)}
    assert readings("1,2,3") == ()
    assert value("12,1190") is None


def test_numbers_in_running_text() -> None:
    text = "Twenty-two of 1,500 people, one third of them, waited; none were attended to."
    assert [text[number.start : number.end] for number in numbers_in(text)] == ["Twenty-two", "1,500", "one third"]


@given(st.text(max_size=40), st.sampled_from(["en", "es", "de"]))
def test_any_text_is_read_or_left(text: str, language: str) -> None:
    for number in numbers_in(text, language):
        assert 0 <= number.start < number.end <= len(text)
        assert number.values


def test_small_numbers_are_written_in_words() -> None:
    assert [in_words(number) for number in (1, 12, 13, 1500)] == ["one", "twelve", "13", "1,500"]
    assert in_words(7, "es") == "siete"
    assert written(Fraction(3, 2), "es") == "1,5"
