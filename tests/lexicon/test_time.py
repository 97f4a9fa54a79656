"""Dates are read as far as they are said."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon.time import read_dates


def test_dates_are_read_as_far_as_they_go() -> None:
    assert read_dates("on 3rd May 2003") == read_dates("2003-05-03") == ((2003, 5, 3),)
    assert read_dates("05/03/2003", "mdy") == ((2003, 5, 3),)
    assert read_dates("between May 2003 and 1999, on 4 June") == ((2003, 5, None), (1999, None, None), (None, 6, 4))
    assert read_dates("31/02/2003, on Monday, 3-5 May 2003") == ()


@given(st.dates(date(1900, 1, 1), date(2049, 12, 31)))
def test_every_form_says_the_same(day: date) -> None:
    expected = ((day.year, day.month, day.day),)
    for form in ("%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%d/%m/%Y", "%d.%m.%y" if day.year >= 1950 else "%d %b %Y"):
        assert read_dates(day.strftime(form)) == expected, form
    assert read_dates(day.strftime("%m/%d/%Y"), "mdy") == expected
