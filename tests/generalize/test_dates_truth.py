"""Every level of a date covers the date, and more days than the level before it."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.generalize.dates.guesses import candidate_originals
from sfumato.generalize.dates.hierarchy import levels
from sfumato.generalize.hierarchy import Level, Mention
from tests.generalize.when import ENGLISH, SPANISH, covered

DAYS = st.dates(min_value=date(1500, 1, 1), max_value=date(2100, 12, 31))
FORMS = {
    "en": (
        lambda day: f"{day.day} {ENGLISH[day.month - 1]} {day.year}",
        lambda day: f"{ENGLISH[day.month - 1]} {day.day}, {day.year}",
        lambda day: f"{day.day}th of {ENGLISH[day.month - 1][:3]}. {day.year}",
        lambda day: f"{day.day:02}.{day.month:02}.{day.year}",
        lambda day: f"{day.month}/{day.day}/{day.year}",
        lambda day: f"{day.day}-{ENGLISH[day.month - 1][:3]}-{day.year}",
        lambda day: day.isoformat(),
    ),
    "es": (
        lambda day: f"{day.day} de {SPANISH[day.month - 1]} de {day.year}",
        lambda day: f"{day.day:02}/{day.month:02}/{day.year}",
        lambda day: f"el {day.day} de {SPANISH[day.month - 1]} del {day.year}",
    ),
}


def levels_of(mention: str, language: str = "en", before: str = "It was ", after: str = " then.") -> list[Level]:
    text = f"{before}{mention}{after}"
    return levels(Mention(text, len(before), len(before) + len(mention), "DATETIME", language))


def assert_true(levels: list[Level], first: date, last: date) -> None:
    for level in levels:
        begin, end = covered(level.text)
        assert begin <= first <= last <= end, level
    for narrow, wide in pairwise(levels):
        assert narrow.members < wide.members
    assert len(levels) <= 6


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_year_from_1500_to_2100(language: str) -> None:
    for year in range(1500, 2101):
        for month in range(year % 4 + 1, 13, 4):
            day = date(year, month, (year * 7 + month * 3) % 28 + 1)
            wordings = levels_of(FORMS[language][0](day), language)
            assert len(wordings) >= 4
            assert_true(wordings, day, day)


@given(DAYS, st.integers(0, 6), st.booleans())
def test_every_way_to_write_a_day(day: date, form: int, south: bool) -> None:
    after = " in Australia." if south else " in Norway."
    wordings = levels_of(FORMS["en"][form](day), after=after)
    assert wordings
    assert_true(wordings, day, day)
    assert not south or "spring" not in wordings[1].text


@given(DAYS, st.integers(0, 2))
def test_every_way_to_write_a_day_in_spanish(day: date, form: int) -> None:
    wordings = levels_of(FORMS["es"][form](day), "es")
    assert wordings
    assert_true(wordings, day, day)


@given(
    DAYS,
    st.integers(1, 20_000),
    st.sampled_from(["{} and {}", "{} to {}", "between {} and {}", "from {} to {}", "{}–{}"]),
)
def test_two_dates_are_both_covered(first: date, days: int, joined: str) -> None:
    second = min(first + timedelta(days), date(2100, 12, 31))
    write = FORMS["en"][0]
    assert_true(levels_of(joined.format(write(first), write(second))), first, second)


@given(DAYS, st.lists(st.integers(1, 28), min_size=2, max_size=4, unique=True))
def test_several_days_of_one_month(day: date, numbers: list[int]) -> None:
    numbers.sort()
    *most, last = map(str, numbers)
    month = f"{ENGLISH[day.month - 1]} {day.year}"
    wordings = levels_of(f"{', '.join(most)} and {last} {month}")
    assert wordings[0].text == month
    assert_true(wordings, day.replace(day=numbers[0]), day.replace(day=numbers[-1]))


@given(st.integers(1500, 2100), st.integers(1, 12))
def test_a_month_and_a_year_alone(year: int, month: int) -> None:
    first = date(year, month, 1)
    assert_true(levels_of(f"{ENGLISH[month - 1]} {year}"), first, first.replace(day=28))
    assert_true(levels_of(str(year)), date(year, 1, 1), date(year, 12, 31))
    assert_true(levels_of(f"{SPANISH[month - 1]} de {year}", "es"), first, first.replace(day=28))
    assert_true(levels_of(str(year), "es"), date(year, 1, 1), date(year, 12, 31))


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1600, 2100))
def test_an_open_order_of_day_and_month_is_left_open(first: int, second: int, year: int) -> None:
    wordings = levels_of(f"{first}/{second}/{year}")
    days = sorted([date(year, second, first), date(year, first, second)])
    assert wordings
    assert_true(wordings, days[0], days[1])


@given(st.integers(1, 12), st.integers(1, 12))
def test_the_document_settles_the_order(first: int, second: int) -> None:
    american = levels_of(f"{first}/{second}/2003", before="Seen on 12/25/2002 and ")
    assert american[0].text == f"{ENGLISH[first - 1]} 2003"
    european = levels_of(f"{first}/{second}/2003", before="Seen on 25/12/2002 and ")
    assert european[0].text == f"{ENGLISH[second - 1]} 2003"


@given(DAYS, st.integers(0, 5), st.sampled_from(["en", "es"]))
def test_the_level_is_one_of_each_candidate_original(day: date, index: int, language: str) -> None:
    wordings = levels_of(FORMS[language][0](day), language)
    level = wordings[min(index, len(wordings) - 1)]
    guesses = [guess for guess, _ in zip(candidate_originals(level.text, "", language), range(20), strict=False)]
    assert len(guesses) == len(set(guesses)) > 3
    for guess in guesses:
        assert level.text in [other.text for other in levels_of(guess, language)]


@pytest.mark.parametrize("said", ["31 February 2003", "30.02.2003", "2003-13-45", "99/99/2003", "29 February 2003"])
def test_of_a_day_that_does_not_exist_only_the_year_is_believed(said: str) -> None:
    assert levels_of(said)[0].text == "2003"
