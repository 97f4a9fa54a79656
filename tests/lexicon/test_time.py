"""Dates are read as far as they are said."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon.time import _FORMS, HOLIDAYS, eastern_easter, find_dates, full_year, read_dates, western_easter


def test_dates_are_read_as_far_as_they_go() -> None:
    assert read_dates("on 3rd May 2003") == read_dates("2003-05-03") == ((2003, 5, 3),)
    assert read_dates("05/03/2003", "mdy") == ((2003, 5, 3),)
    assert read_dates("between May 2003 and 1999, on 4 June") == ((2003, 5, None), (1999, None, None), (None, 6, 4))
    assert read_dates("31/02/2003, on Monday, 3-5 May 2003") == ()


@given(st.dates(date(1900, 1, 1), date(2049, 12, 31)))
def test_every_form_says_the_same(day: date) -> None:
    expected = ((day.year, day.month, day.day),)
    for form in ("%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%d/%m/%Y", "%d.%m.%y" if 1965 < day.year < 2000 else "%d %b %Y"):
        assert read_dates(day.strftime(form)) == expected, form
    assert read_dates(day.strftime("%m/%d/%Y"), "mdy") == expected


WRITTEN = ("3", "03", "31", "1999", "99", "May", "mayo", "SEPT", "Mar", "monday", "st", "of", "de", "x", "²", "ſept")


@given(st.lists(st.tuples(st.sampled_from(WRITTEN), st.sampled_from((" ", "", "-", "/", ".", ", "))), max_size=12))
def test_dates_are_found_wherever_a_form_matches_the_first_and_longest_first(pieces: list[tuple[str, str]]) -> None:
    text = "".join(word + sign for word, sign in pieces)
    end, expected = 0, []
    while matches := [match for form in _FORMS.values() if (match := form.search(text, end))]:
        first = min(matches, key=lambda match: (match.start(), -match.end()))
        expected.append(first.span())
        end = first.end()
    assert [match.span() for _, match in find_dates(text)] == expected


def test_a_year_of_two_digits_is_read_only_where_its_century_is_certain() -> None:
    assert read_dates("13/04/29") == read_dates("13/04/40") == ((None, 4, 13),)
    assert read_dates("13/04/29", century=1900) == ((1929, 4, 13),)
    assert full_year("29", (), "birth") is full_year("29", (2021,), "birth") is full_year("15", (2021,)) is None
    assert full_year("40", (), "birth") == 1940  # nobody was born in 2040 yet
    assert full_year("40") is full_year("89", (1888,)) is None
    assert full_year("89") == 1989
    assert full_year("19", (2010, 2021), "event") is None
    assert full_year("19", (2018, 2020), "event") == 2019
    assert full_year("19", (1918, 2019), "event") is None
    assert full_year("1919") == 1919


def test_easter_of_both_calendars() -> None:
    assert western_easter(1999) == date(1999, 4, 4)
    assert eastern_easter(1999) == date(1999, 4, 11)
    assert western_easter(2025) == eastern_easter(2025) == date(2025, 4, 20)
    assert western_easter(2008) == date(2008, 3, 23)
    assert eastern_easter(2008) == date(2008, 4, 27)
    assert western_easter(1943) == date(1943, 4, 25)
    assert eastern_easter(1983) == date(1983, 5, 8)


def test_a_holiday_lies_inside_the_days_that_it_can_fall_on() -> None:
    for name, holiday in HOLIDAYS.items():
        for year in range(1924, 2100):
            first, last = holiday.days(year)
            assert date(year, *holiday.first) <= first <= last <= date(year, *holiday.last), (name, year)
