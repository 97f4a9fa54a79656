"""What the tables say of pairs whose answer anybody knows."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.generalize.truth import Pair, judge_by_tables, says_no_more_than_label
from sfumato.generalize.truth_values import contains, read_amount, read_period
from sfumato.metrics.generalization import kind_of

YES, NO = True, False
PAIRS: dict[str, list[tuple[str, str, bool | None, bool | None]]] = {
    "DATETIME": [
        ("3 August 2003", "August 2003", YES, YES),
        ("3 August 2003", "the summer of 2003", YES, YES),
        ("3 August 2003", "2003", YES, YES),
        ("3 August 2003", "the early 2000s", YES, YES),
        ("3 August 2003", "the 21st century", YES, YES),
        ("3 August 2003", "2003-08-03", YES, NO),
        ("3 August 2003", "September 2003", NO, YES),
        ("3 August 2003", "12 May 2011", NO, NO),
        ("August 2003", "the second half of 2003", YES, YES),
        ("10 and 12 November 1996", "November 1996", YES, YES),
        ("10 June and 7 August 1997", "June 1997", NO, YES),
        ("from 28 May to 1 June 1998", "late May to early June 1998", YES, YES),
        ("1963-64", "the mid-1960s", YES, YES),
        ("1978", "the early 1980s", NO, YES),
        ("13/04/40", "mid-April", YES, YES),
        ("13/04/40", "May", NO, YES),
        ("13/04/40", "2040", None, None),
        ("17 March 1932", "1934 or earlier", YES, YES),
        ("1935", "1934 or earlier", NO, YES),
        ("2 p.m.", "2:00 p.m.", YES, NO),
        ("2.30 p.m.", "in the afternoon", YES, YES),
        ("2.30 p.m.", "early in the morning", NO, YES),
        ("eighteen months", "a year and a half", YES, NO),
        ("44 hours", "approximately two days", YES, YES),
        ("28 days", "a month", YES, YES),
        ("two years", "five years", NO, NO),
    ],
    "QUANTITY": [
        ("1,336 euros", "over a thousand euros", YES, YES),
        ("1,336 euros", "between 1,000 and 2,000 euros", YES, YES),
        ("1,336 euros", "hundreds of euros", NO, YES),
        ("1,336 euros", "EUR 1336", YES, NO),
        ("GBP 39.95", "around forty pounds", YES, YES),
        ("GBP 39.95", "£500", NO, NO),
        ("34 million dollars", "tens of millions of dollars", YES, YES),
        ("thirty-six", "36", YES, NO),
        ("thirty-six people", "several dozen people", YES, YES),
        ("4 km", "less than 5 miles", YES, YES),
        ("91 years", "90 or more years", YES, YES),
        ("89 years", "90+ years", NO, YES),
        ("25 %", "more than a third", None, None),
    ],
    "LOC": [
        ("Leeds", "the United Kingdom", YES, YES),
        ("Leeds", "Europe", YES, YES),
        ("Leeds", "Devon", None, None),
        ("England", "the United Kingdom", YES, YES),
        ("the United Kingdom", "England", NO, NO),
        ("Leeds", "Sheffield", NO, NO),
        ("Leeds", "France", NO, NO),
        ("Poland", "Eastern Europe", YES, YES),
        ("Poland", "Asia", NO, NO),
        ("the Netherlands", "Holland", YES, NO),
    ],
    "DEM": [
        ("Polish", "European", YES, YES),
        ("a Polish national", "Turkish", NO, NO),
        ("cardiologist", "a physician", YES, YES),
        ("60 years old", "over fifty", YES, YES),
        ("60 years old", "55", NO, NO),
    ],
    "MISC": [("dog", "an animal", YES, YES), ("The Dog", "dog", YES, NO), ("revolver", "a weapon", YES, YES)],
}


@pytest.mark.parametrize(
    ("label", "original", "replacement", "truthful", "abstract"),
    [(label, *row) for label, rows in PAIRS.items() for row in rows],
)
def test_what_is_known(label: str, original: str, replacement: str, truthful: bool | None, abstract: bool) -> None:
    verdict = judge_by_tables(Pair(original, replacement, label))
    assert (verdict and (verdict.truthful, verdict.abstract)) == (None if truthful is None else (truthful, abstract))


@pytest.mark.parametrize(
    ("replacement", "label", "kind"),
    [
        ("PERSON_1", "PERSON", "label"),
        ("[LOC]", "LOC", "label"),
        ("<DATE_TIME>", "DATETIME", "label"),
        ("ORG", "ORG", "label"),
        ("US_DRIVER_LICENSE", "CODE", "label"),
        ("<NUMBER PLATE 2>", "CODE", "label"),
        ("XYZ Corp", "ORG", "label"),
        ("XYZ", "LOC", "suppressed"),
        ("", "LOC", "suppressed"),
        ("***", "LOC", "suppressed"),
        ("[REDACTED]", "LOC", "suppressed"),
        ("XXX", "LOC", "suppressed"),
        ("a port", "LOC", "replaced"),
        ("Gdansk", "LOC", "replaced"),
        ("a code of conduct", "MISC", "replaced"),
    ],
)
def test_labels_and_suppressions_are_told_apart(replacement: str, label: str, kind: str) -> None:
    assert kind_of(replacement, label) == kind


def test_a_type_in_words_says_no_more_than_the_label() -> None:
    assert says_no_more_than_label("a place", "LOC")
    assert says_no_more_than_label("some time", "DATETIME")
    assert says_no_more_than_label("a certain organisation", "ORG")
    assert not says_no_more_than_label("a port", "LOC")
    assert not says_no_more_than_label("a place", "ORG")
    assert says_no_more_than_label("a place", "UNKNOWN")


@given(st.dates(date(1900, 1, 1), date(2090, 12, 31)), st.integers(0, 3000))
def test_a_day_lies_in_its_month_year_and_decade_and_not_in_another_day(day: date, later: int) -> None:
    period = read_period(f"{day.day} {day:%B} {day.year}")
    assert period is not None
    assert period.days == 1
    year = day.year
    for wide in (f"{day:%B %Y}", f"{year}", f"the {year // 10}0s", f"between {year - 1} and {year + 1}"):
        read = read_period(wide)
        assert read is not None
        assert contains(read, period)
        assert not contains(period, read)
    other = read_period((day + timedelta(later)).isoformat())
    assert other is not None
    assert contains(other, period) == (abs(later) <= 1)


@given(st.integers(2, 10**9), st.sampled_from(["people", "euros", "kilometres", ""]))
def test_a_number_is_read_as_it_is_written(value: int, unit: str) -> None:
    plain, grouped = read_amount(f"{value} {unit}"), read_amount(f"{value:,} {unit}")
    assert plain is not None
    assert grouped is not None
    assert plain[:4] == grouped[:4]
    assert plain.low == plain.high == value * plain.size


@given(
    st.text(max_size=40),
    st.text(max_size=40) | st.sampled_from(["", "31 February 2003", "1.2.3,4", "the 99th century", "between and"]),
    st.sampled_from(["LOC", "DATETIME", "QUANTITY", "ORG", "DEM", "MISC", "UNKNOWN", "x"]),
    st.sampled_from(["en", "es", "xx"]),
)
def test_nothing_is_too_odd_to_be_read(original: str, replacement: str, label: str, language: str) -> None:
    judge_by_tables(Pair(original, replacement, label, "It was ", ", they said.", language))
    kind_of(replacement, label)
    says_no_more_than_label(replacement, label)


@given(st.text("0123456789.,-/ '\u00a0€%hundredmilionfyxtwkas", max_size=60))
def test_odd_numbers_and_dates_are_no_error(text: str) -> None:
    read_period(text)
    amount = read_amount(text)
    assert amount is None or amount.low <= amount.high


def test_a_birth_of_two_digits_is_not_called_untrue() -> None:
    for replacement in ("April 1940", "1940"):
        verdict = judge_by_tables(Pair("13/04/40", replacement, "DATETIME", "She was born ", " in Leeds."))
        assert verdict
        assert verdict.truthful


def test_the_order_of_day_and_month_comes_from_the_text() -> None:
    def truthful(replacement: str, before: str) -> bool | None:
        verdict = judge_by_tables(Pair("03/04/2021", replacement, "DATETIME", before))
        return verdict.truthful if verdict else None

    assert truthful("April 2021", "On 25/03/2021 and ")
    assert truthful("April 2021", "On 03/25/2021 and ") is False
    assert truthful("March 2021", "On 03/25/2021 and ")
    assert truthful("spring of 2021", "On ")
    assert truthful("April 2021", "On ") is truthful("March 2021", "On ") is None
    assert truthful("May 2021", "On ") is False


@pytest.mark.parametrize(
    ("before", "after", "truthful"),
    [
        ("She lived in ", ".", True),
        ("She never lived in ", ".", False),
        ("She has been in ", " only.", False),
        ("No doubt she lived in ", ".", True),
        ("She never smoked, but lived in ", ".", True),
        ("Nobody from ", " came.", False),
        ("Every nurse from ", " came.", False),
        ("Every nurse had lived in ", ".", True),
    ],
)
def test_what_is_wider_is_not_true_where_the_clause_denies_it(before: str, after: str, truthful: bool) -> None:
    verdict = judge_by_tables(Pair("Leeds", "United Kingdom", "LOC", before, after))
    assert verdict is not None
    assert verdict.truthful is truthful
