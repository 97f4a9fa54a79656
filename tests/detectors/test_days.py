"""Dates without a year, weekdays and times beside dates, spoken dates, and names that are spelled."""

from __future__ import annotations

import pytest

from sfumato.detectors.rules.attributes import drop_weak_numbers
from sfumato.detectors.rules.dates import join_ranges
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import Document, Span

DETECTOR = RuleDetector(without=["context"])


def found(text: str, label: str) -> list[str]:
    spans = DETECTOR.detect([Document("d", text)])[0]
    strings = [text[span.start : span.end] for span in spans if span.label == label]
    return [string for string in strings if not any(string != other and string in other for other in strings)]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Note signed 10/28 by the resident", "10/28"),
        ("Incident 2/14: he hit a peer", "2/14"),
        ("in clinic, seen 9/16 with her sister", "9/16"),
        ("d/c 10/1, doing well", "10/1"),
        ("Tue 3/12 no change", "Tue 3/12"),
        ("He was booked on 12.5. for surgery", "12.5."),
        ("Das war am 12.5. und nicht im Haus", "12.5."),
        ("Di 12.11. die Frau ist nicht da und der Mann auch nicht", "Di 12.11."),
        ("vu le 14/8 dans le service", "14/8"),
        ("op 27-1 was de man in het huis", "27-1"),
        ("il 21/5 non è in casa con la madre", "21/5"),
        ("no dia 17 o senhor não está em casa", "no dia 17"),
        ("we met on the 16th, at noon", "16th"),
        ("Sun 22/12/24 was quiet", "Sun 22/12/24"),
        ("on Sat 03/14/26 at approx 7:25 pm he left", "Sat 03/14/26 at approx 7:25 pm"),
        ("born may the ninth nineteen fifty three okay", "may the ninth nineteen fifty three"),
        ("on december thirteenth twenty twenty one he", "december thirteenth twenty twenty one"),
        ("murió el dieciocho de febrero del noventa y siete, en la mar", "el dieciocho de febrero del noventa y siete"),
        (
            "Le vingt-neuf septembre deux mille vingt-quatre, nous et la",
            "Le vingt-neuf septembre deux mille vingt-quatre",
        ),
        ("è nata l'otto dicembre quarantasette, non è", "otto dicembre quarantasette"),
        ("aos vinte e seis dias do mês de setembro, não", "vinte e seis dias do mês de setembro"),
        ("er ist am achten Mai neunzehnhundertsiebzig und nicht", "achten Mai neunzehnhundertsiebzig"),
        ("há viagem de 12 a 15/05 e não", "12 a 15/05"),
        ("the first april two thousand and nineteen scan", "first april two thousand and nineteen"),
    ],
)
def test_dates(text: str, date: str) -> None:
    assert any(string in (date, f"the {date}") for string in found(text, "DATETIME"))


@pytest.mark.parametrize(
    "text",
    [
        "pain 6/10 in the left hip",
        "power 4/5 throughout",
        "vision 6/9 and reading fine",
        "on vanc day 4/7 now",
        "about 3/4 of the class",
        "Version 2.1. is out and 3.2. is next",
        "the 5th floor, on the 16th floor",
        "on the 3rd attempt she passed",
        "BP 120/80",
        "TA 16/10, protéinurie dans le service",
        "Schmerz 6/10 und nicht besser",
    ],
)
def test_no_dates(text: str) -> None:
    assert not found(text, "DATETIME")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("fitzsimmons f i t z s i double m o n s okay", "f i t z s i double m o n s"),
        ("It is spelt F-I-T-Z, right?", "F-I-T-Z"),
    ],
)
def test_spelled_names(text: str, name: str) -> None:
    assert name in found(text, "PERSON")


@pytest.mark.parametrize("text", ["a b c d e f g", "L A B O U R  N O T E S", "the U.S.A. and the U.K.", "x x x x x"])
def test_no_spelled_names(text: str) -> None:
    assert not found(text, "PERSON")


@pytest.mark.parametrize(
    ("text", "ranges", "joined"),
    [
        ("from 1981 to 1982 she", ["1981", "1982"], ["1981 to 1982"]),
        ("between 3 May and 5 May he", ["3 May", "5 May"], ["3 May and 5 May"]),
        ("on 3 May and 5 May he", ["3 May", "5 May"], ["3 May", "5 May"]),
        ("Between January and March we", ["Between", "January and March"], ["Between January and March"]),
        ("open 8 am to 8 pm daily", ["8 am", "8 pm"], ["8 am to 8 pm"]),
        ("12.5. bis 14.5. im Haus", ["12.5.", "14.5."], ["12.5. bis 14.5."]),
    ],
)
def test_the_ends_of_a_range_are_one_span(text: str, ranges: list[str], joined: list[str]) -> None:
    starts = [text.index(date) for date in ranges]
    spans = [Span(start, start + len(date), "DATETIME") for start, date in zip(starts, ranges, strict=True)]
    assert [text[span.start : span.end] for span in join_ranges(text, spans)] == joined


@pytest.mark.parametrize(
    ("text", "number", "score", "stays"),
    [
        ("NEWS 1 overnight", "1", 0.4, False),
        ("NEWS 1 overnight", "1", 0.95, True),
        ("Age if under 18: no", "18", 0.7, False),
        ("back in 1998 again", "1998", 0.4, True),
        ("angoisse 6/10 ce matin", "6/10", 0.5, False),
        ("angoisse 6/10 ce matin", "6/10", 0.95, True),
        ("back 06/10 again", "06/10", 0.5, True),
        ("back 28/10 again", "28/10", 0.5, True),
    ],
)
def test_a_bare_number_needs_a_reason(text: str, number: str, score: float, stays: bool) -> None:
    start = text.index(number)
    span = Span(start, start + len(number), "DATETIME", "quasi", score, "tagger:mask")
    assert (drop_weak_numbers(text, [span]) == [span]) == stays
    rule = Span(span.start, span.end, "DEM", "quasi", 0.8, "rules:age")
    assert span in drop_weak_numbers(text, [span, rule])


def test_digits_read_out_are_a_code() -> None:
    text = "it's four two three five five five oh one four four thanks"
    assert found(text, "CODE") == ["four two three five five five oh one four four"]
    assert found("account double seven one eight eight two zero", "CODE")


@pytest.mark.parametrize(
    ("score", "is_day"),
    [("14/14", False), ("38/40", False), ("116/25", False), ("0/5", False), ("9/10", True), ("31/12", True)],
)
def test_two_numbers_that_are_no_day_and_month_are_no_date(score: str, is_day: bool) -> None:
    text = f"Counted {score} again"
    span = Span(8, 8 + len(score), "DATETIME", "quasi", 0.97, "tagger:mask")
    assert (drop_weak_numbers(text, [span]) == [span]) == is_day
