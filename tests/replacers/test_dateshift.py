"""Dates move by one secret offset per subject; intervals and forms stay."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.document import Document, Span
from sfumato.lexicon.time import infer_order
from sfumato.recipe import Recipe
from sfumato.replacers.base import date_order
from sfumato.replacers.date_shift import DateShift, shift_dates
from sfumato.vault.key import Key
from sfumato.vault.ledger import Ledger


@pytest.mark.parametrize(
    ("original", "days", "expected"),
    [
        ("2021-03-04", 30, "2021-04-03"),
        ("2021-03-04T14:30:00Z", 1, "2021-03-05T14:30:00Z"),
        ("03/04/2021", 1, "04/04/2021"),
        ("25.12.99", 7, "01.01.00"),
        ("on 3 March 2003", 10, "on 13 March 2003"),
        ("March 31st, 2021", 1, "April 1st, 2021"),
        ("December 31, 1999", 1, "January 1, 2000"),
        ("DEC 2020", 31, "JAN 2021"),
        ("25TH SEPT. 2024", 14, "9th OCT. 2024"),
        ("el 4 de marzo de 2021", -4, "el 28 de febrero de 2021"),
        ("4. März 2021", 30, "3. April 2021"),
        ("Monday, 3 March 2003", 1, "Tuesday, 4 March 2003"),
        ("3-5 March 2003", 1, "4-6 March 2003"),
        ("30-31 December 2003", 1, "31 December 2003-1 January 2004"),
        ("between 3 March and 5 April 2003", 10, "between 13 March and 15 April 2003"),
        ("in 1994", 365, "in 1995"),
        ("1er janvier 2001", 1, "2 janvier 2001"),
        ("18 years", 99, "18 years"),
        ("9:48 AM", 99, "9:48 AM"),
    ],
)
def test_dates_move_in_the_form_they_are_written_in(original: str, days: int, expected: str) -> None:
    assert shift_dates(original, days) == expected


@pytest.mark.parametrize(
    ("original", "language", "expected"),
    [("9 oct. 2024", "fr", "20 déc. 2024"), ("9 Oct 2024", "en", "20 Dec 2024"), ("9. Nov 2024", "de", "20. Jan 2025")],
)
def test_a_month_that_several_languages_have_is_that_of_the_text(original: str, language: str, expected: str) -> None:
    assert shift_dates(original, 72, "dmy", language) == expected


@pytest.mark.parametrize("unreadable", ["31/02/2003", "the 1990s", "34 March 2001", "day 5", "2003-13-41"])
def test_what_cannot_be_read_is_not_guessed(unreadable: str) -> None:
    assert shift_dates(unreadable, 10) is None


def test_numeric_order_follows_the_text() -> None:
    assert infer_order("on 03/25/2021 and 03/04/2021") == "mdy"
    assert infer_order("on 25/03/2021") == infer_order("03.04.2021") == infer_order("3 May, 03/04/2021") == "dmy"
    assert infer_order("03/04/2021") is infer_order("03/25/2021 and 25/03/2021") is None
    assert shift_dates("03/04/2021", 1, "mdy") == "03/05/2021"
    assert shift_dates("03/04/2021", 1, None) is None, "two readings"
    assert shift_dates("25/04/2021", 1, None) == "26/04/2021"


@pytest.mark.parametrize(
    ("text", "language", "order"),
    [
        ("Seen 03/04/2021 in Boise, ID 83702.", "en", "mdy"),
        ("Call (270) 555-0143. Seen 03/04/2021.", "en", "mdy"),
        ("SSN on file. DOB 03/04/1961", "en", "mdy"),
        ("12 High St, Norwich NR12 8NG, 03/04/2021", "en", "dmy"),
        ("Tel 07700 900123, 03/04/2021", "en", "dmy"),
        ("NHS no. on file, 03/04/2021", "en", "dmy"),
        ("vu le 03/04/2021", "fr", "dmy"),
        ("el 03/14/2021 y el 03/04/2021", "es", "mdy"),
        ("Boise, ID 83702, then Norwich NR12 8NG: 03/04/2021", "en", None),
        ("03/04/2021", "en", None),
    ],
)
def test_the_country_of_a_text_tells_the_order_where_no_date_does(text: str, language: str, order: str | None) -> None:
    assert infer_order(text, language) == order


def test_the_user_may_say_the_order() -> None:
    for order in ("mdy", "dmy"):
        assert date_order(Document("a", "Seen 03/04/2021.", meta={"date_order": order})) == order
    assert date_order(Document("a", "Seen 03/04/2021.")) is None


dates = st.dates(date(1600, 1, 1), date(2090, 12, 31))


@given(dates, st.integers(-2000, 2000))
def test_every_full_form_moves_as_the_calendar_does(day: date, days: int) -> None:
    moved = day + timedelta(days)
    for form in ("%Y-%m-%d", "%d/%m/%Y", "{day} %B %Y", "%B {day}, %Y"):
        before, after = (when.strftime(form.format(day=when.day)) for when in (day, moved))
        assert shift_dates(before, days) == after


@given(st.text(max_size=30), st.integers(-400, 400))
def test_no_text_breaks_it(text: str, days: int) -> None:
    shift_dates(text, days)


def shifted(
    text: str, ledger: Ledger, document_id: str = "d", subjects: tuple[str, ...] = (), **options: int
) -> str | None:
    replacer = DateShift(ledger=ledger, **options)  # type: ignore[arg-type]
    edits = replacer.replace(Document(document_id, text, subjects), [Span(0, len(text), "DATETIME")])
    return edits[0].replacement if edits else None


def test_the_offset_belongs_to_the_subject_not_to_the_document() -> None:
    ledger = Ledger(secret=b"s" * 32)
    assert shifted("2020-01-01", ledger, "1", ("anna",)) == shifted("2020-01-01", ledger, "2", ("anna",))
    offsets = {shifted("2020-01-01", ledger, "1", (name,)) for name in ("anna", "boris", "carla", "dora")}
    assert len(offsets) > 1
    assert "2020-01-01" not in offsets


def test_with_a_key_later_runs_agree_and_without_one_they_do_not() -> None:
    key = Key(b"k" * 32)
    assert shifted("2020-01-01", Ledger(key=key)) == shifted("2020-01-01", Ledger(key=key))
    assert len({shifted("2020-01-01", Ledger()) for _ in range(20)}) > 1


def test_unreadable_dates_and_other_things_get_a_label() -> None:
    assert shifted("the 1990s", Ledger()) == "DATETIME_1"
    edits = DateShift(ledger=Ledger()).replace(Document("d", "Anna"), [Span(0, 4, "PERSON")])
    assert edits[0].replacement == "PERSON_1"


def test_offsets_are_whole_weeks_so_that_weekdays_stay_true() -> None:
    for _ in range(20):
        moved = date.fromisoformat(shifted("2020-06-15", Ledger()) or "")
        assert moved.weekday() == date(2020, 6, 15).weekday()
        assert 7 <= abs((moved - date(2020, 6, 15)).days) <= 365


def test_max_days_bounds_the_offset() -> None:
    for _ in range(20):
        moved = date.fromisoformat(shifted("2020-06-15", Ledger(), max_days=3) or "")
        assert 1 <= abs((moved - date(2020, 6, 15)).days) <= 3


def test_where_years_come_first_a_short_date_is_not_guessed() -> None:
    assert shift_dates("21/04/03", 10, "ymd") is None
    assert shift_dates("2021-04-03", 10, "ymd") == "2021-04-13"
    assert shift_dates("25/04/2021", 3, "ymd") == "28/04/2021"


NAMED_DAYS = {
    "She fell on {}, and was seen on 12 April 2021.": [
        "Christmas Day", "Boxing Day", "New Year's Eve", "Easter Monday", "Good Friday", "Thanksgiving", "Halloween",
        "Whit Monday", "Labor Day", "Hallowe'en",
    ],
    "Sie stürzte an {} und kam am 12. April 2021 in die Klinik.": [
        "Heiligabend", "Karfreitag", "Silvester", "Ostermontag", "Allerheiligen", "Pfingsten", "Neujahr",
    ],
    "Elle est tombée {} et a été vue le 12 avril 2021.": [
        "le jour de Noël", "le lundi de Pâques", "à la Toussaint", "à l'Épiphanie", "le jour de l'An",
    ],
    "Se cayó en {} y fue vista el 12 de abril de 2021.": [
        "Nochebuena", "Nochevieja", "el día de Reyes", "Viernes Santo", "Semana Santa", "Todos los Santos",
    ],
    "È caduta a {} ed è stata vista il 12 aprile 2021.": ["Ferragosto", "Pasquetta", "Capodanno", "Santo Stefano"],
    "Zij viel op {} en werd op 12 april 2021 gezien.": ["Koningsdag", "Eerste Kerstdag", "oudejaarsavond"],
    "Caiu no {} e foi vista em 12 de abril de 2021.": ["dia de Natal", "Carnaval", "Ano Novo", "Dia de Finados"],
}  # fmt: skip
SHIFTING: list[str | Recipe] = [
    "clinical",
    Recipe.model_validate(
        {"name": "x", "detect": ["rules"], "replace": {"default": "label", "DATETIME": "date-shift"}}
    ),
]


@pytest.mark.parametrize("recipe", SHIFTING, ids=["clinical", "date-shift"])
@given(st.data())
@settings(max_examples=25, deadline=None)
def test_no_named_day_stays_beside_a_shifted_date(recipe: str | Recipe, data: st.DataObject) -> None:
    frame = data.draw(st.sampled_from(sorted(NAMED_DAYS)))
    day = data.draw(st.sampled_from(NAMED_DAYS[frame]))
    released = sfumato.anonymize(frame.format(day), recipe=recipe).text
    assert day.split()[-1].casefold() not in released.casefold()
    date_written = re.search(r"12\S* \S*(?:de )?(?:[Aa]pri?l|avril|abril|aprile) (?:de )?2021", frame)
    assert date_written is not None
    assert date_written[0] not in released, "the date itself moved"


def test_the_season_of_a_year_is_not_kept_beside_shifted_dates() -> None:
    released = sfumato.anonymize("It began in the summer of 2020. Seen on 12 April 2021.", recipe="clinical").text
    assert "summer" not in released


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Week 18 of 2021: seen on 3 May 2021 (day 123 of the year).", ["Week 18", "day 123"]),
        ("On the first Monday of May 2021 (3 May) she came.", ["first Monday"]),
        ("El primer lunes de mayo de 2021 (3 de mayo) vino la enfermera.", ["primer lunes"]),
        ("Gesehen am 3. Mai 2021 in KW 18/2021, am ersten Montag im Mai.", ["KW 18", "ersten Montag"]),
        ("Vu le 3 mai 2021, premier lundi de mai, semaine 18 de 2021.", ["premier lundi", "semaine 18"]),
    ],
)
def test_counted_weeks_and_days_do_not_stay_beside_shifted_dates(text: str, gone: list[str]) -> None:
    released = sfumato.anonymize(text, recipe="clinical").text
    assert [phrase for phrase in gone if phrase in released] == []


def test_a_week_of_something_else_stays() -> None:
    text = "In week 18 of her pregnancy, on 3 May 2021, she came."
    assert "week 18 of her pregnancy" in sfumato.anonymize(text, recipe="clinical").text


def test_a_named_day_that_the_user_allows_stays() -> None:
    allowed = sfumato.anonymize(
        "Open at Christmas. Seen on 12 April 2021.", recipe="clinical", allow=["Christmas"]
    ).text
    assert "Christmas" in allowed


def test_hipaa_keeps_the_year_of_a_named_day_alone() -> None:
    released = sfumato.anonymize("Admitted on Boxing Day 2023. Low since the summer of 2022.", recipe="hipaa").text
    assert "Boxing" not in released
    assert "summer" not in released
    assert "in 2023" in released
    assert "the 2022" not in released
    assert "Easter" not in sfumato.anonymize("He was admitted on Easter Monday.", recipe="hipaa").text
