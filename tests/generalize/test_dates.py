"""The hierarchy of dates: what it reads, what it says, and how it stands in a sentence."""

from __future__ import annotations

from datetime import date
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.generalize.dates.guesses import candidate_originals
from sfumato.generalize.dates.hierarchy import levels
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.lexicon.time import MONTHS


def levels_of(
    mention: str, language: str = "en", before: str = "It was ", after: str = ".", label: str = "DATETIME"
) -> list[Level]:
    text = f"{before}{mention}{after}"
    return levels(Mention(text, len(before), len(before) + len(mention), label, language))


def texts(mention: str, language: str = "en", before: str = "It was ", after: str = ".") -> list[str]:
    return [level.text for level in levels_of(mention, language, before, after)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("3 August 2003", ["August 2003", "summer of 2003", "second half of 2003", "2003", "early 2000s", "2000s"]),
        (
            "3rd of August, 2003",
            ["August 2003", "summer of 2003", "second half of 2003", "2003", "early 2000s", "2000s"],
        ),
        ("12 January 1999", ["January 1999", "first half of 1999", "1999", "late 1990s", "1990s", "late 20th century"]),
        ("March 1996", ["spring of 1996", "first half of 1996", "1996", "mid-1990s", "1990s", "late 20th century"]),
        ("1998", ["late 1990s", "1990s", "late 20th century", "20th century"]),
        ("2000", ["early 2000s", "2000s"]),
        ("Aug. 3", ["early August", "August", "second half of the year"]),
        ("15 May", ["mid-May", "May", "first half of the year"]),
        ("May", ["first half of the year"]),
        ("8 and 22 April 1991", ["April 1991", "spring of 1991", "first half of 1991", "1991", "early 1990s", "1990s"]),
        ("1, 4 and 9 May", ["early May", "May", "first half of the year"]),
        ("8 April and 22 June 1991", ["April and June 1991", "first half of 1991", "1991", "early 1990s", "1990s"]),
        ("8 to 22 April 1991", ["April 1991", "spring of 1991"]),
        ("1998-2001", ["late 1990s to the early 2000s", "1990s to the 2000s"]),
        ("tax years 1996/97", ["mid to late 1990s", "1990s", "late 20th century", "20th century"]),
        ("mid-1990s", ["1990s", "late 20th century", "20th century"]),
        ("beginning of May 1999", ["May 1999", "spring of 1999"]),
        ("early 1998", ["first half of 1998", "1998"]),
        ("first half of 1980", ["1980", "early 1980s"]),
        ("the summer of 2003", ["2003", "early 2000s"]),
        ("winter", ["autumn or winter"]),
        ("late 19th century", ["19th century", "modern era"]),
        ("the nineties", ["late 20th century", "20th century"]),
        ("Christmas 1999", ["December 1999", "second half of 1999", "1999"]),
        ("Easter 1999", ["April 1999", "spring of 1999", "first half of 1999", "1999"]),
        ("Easter Monday", ["Christian holiday", "religious holiday", "holiday"]),
        ("5.15 a.m.", ["early morning", "morning", "first half of the day"]),
        ("17:40", ["late afternoon", "afternoon", "second half of the day"]),
        ("noon", ["middle of the day"]),
        ("Monday", ["weekday"]),
        ("Saturday", ["weekend"]),
        ("Monday morning", ["weekday morning", "weekday"]),
        ("5.15 a.m. on 3 May 1999", ["morning in May 1999", "May 1999", "spring of 1999"]),
        ("Monday, 3 May 1999", ["May 1999", "spring of 1999"]),
        ("two months later", ["a few months later", "following year", "later date"]),
        ("ten years ago", ["years ago"]),
        ("the next morning", ["following days", "following weeks", "later date"]),
        ("some years earlier", ["earlier date"]),
        ("yesterday", ["recent days", "recent weeks"]),
        ("the same day", ["same month", "same year"]),
    ],
)
def test_what_it_says_in_english(said: str, expected: list[str]) -> None:
    assert texts(said)[: len(expected)] == expected


@pytest.mark.parametrize(
    ("before", "said", "after"),
    [
        ('{"birthDate": "', "1946-11-11", '"}'),
        ("", "2026-06-30T08:14:00+02:00", " INFO started"),
        ("INSERT INTO loans VALUES (7,'", "2014-07-01", "','J')"),
        ("due: ", "2025-03-09", ""),
    ],
)
def test_a_date_that_is_a_value_keeps_its_form(before: str, said: str, after: str) -> None:
    assert texts(said, before=before, after=after) == [said[:7], said[:4]]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "3 de mayo de 2003",
            [
                "mayo de 2003",
                "la primavera de 2003",
                "la primera mitad de 2003",
                "2003",
                "principios de la década de 2000",
                "la década de 2000",
            ],
        ),
        ("12/03/2004", ["marzo de 2004", "la primavera de 2004"]),
        ("el 3 de mayo de 1999", ["en mayo de 1999", "en la primavera de 1999"]),
        ("1998", ["finales de la década de 1990", "la década de 1990", "finales del siglo XX", "el siglo XX"]),
        ("entre 1999 y 2001", ["entre finales de la década de 1990 y principios de la década de 2000"]),
        ("principios de los años 90", ["la década de 1990", "finales del siglo XX", "el siglo XX"]),
        ("desde el 3 de mayo de 1999", ["desde mayo de 1999", "desde la primavera de 1999"]),
        ("agosto 12", ["agosto", "la segunda mitad del año"]),
        ("17:40", ["la tarde", "la segunda mitad del día"]),
        ("lunes", ["un día laborable"]),
        ("dos meses después", ["unos pocos meses después"]),
        ("al día siguiente", ["en los días siguientes", "en las semanas siguientes"]),
        ("siglo XVIII", ["la Edad Moderna"]),
    ],
)
def test_what_it_says_in_spanish(said: str, expected: list[str]) -> None:
    assert texts(said, "es")[: len(expected)] == expected


@pytest.mark.parametrize(
    ("said", "article", "preposition", "modifier"),
    [
        ("6 February 1993", "", "in", "February 1993"),
        ("May 2003", "the", "in", "spring 2003"),
        ("1998", "the", "in", "late 1990s"),
        ("mid-1990s", "the", "in", "1990s"),
        ("late 19th century", "the", "in", "19th-century"),
        ("5.15 a.m.", "the", "in", "early-morning"),
        ("Monday", "a", "on", "weekday"),
    ],
)
def test_what_a_sentence_needs_to_know(said: str, article: str, preposition: str, modifier: str) -> None:
    first = levels_of(said)[0]
    assert (first.article, first.preposition, first.modifier) == (article, preposition, modifier)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("On 3 May 1999", ["in May 1999", "in the spring of 1999"]),
        ("in 1998", ["in the late 1990s", "in the 1990s"]),
        ("since 3 May 1999", ["since May 1999", "since the spring of 1999"]),
        ("before 3 May 1999", ["in or before May 1999"]),
        ("after 3 May 1999", ["in or after May 1999"]),
        ("around 1998", ["around the late 1990s"]),
        ("between 3 May 1999 and 4 June 2001", ["between May 1999 and June 2001", "between 1999 and 2001"]),
        ("from 3 May 1999 to 4 June 2001", ["from May 1999 to June 2001", "from 1999 to 2001"]),
        ("Between 3 and 22 May 1999", ["in May 1999"]),
        ("from December to March 2000", ["from 1999 to 2000", "from the late 1990s to the early 2000s"]),
        ("at 5 p.m.", ["in the late afternoon"]),
    ],
)
def test_a_mention_that_begins_with_a_preposition_keeps_one(said: str, expected: list[str]) -> None:
    wordings = levels_of(said)
    assert [level.text for level in wordings][: len(expected)] == expected
    assert {(level.article, level.preposition) for level in wordings} == {("", None)}


@pytest.mark.parametrize(
    ("before", "said", "expected"),
    [
        ("held from ", "3 May 1999 to 4 June 2001", "May 1999 to June 2001"),
        ("held from ", "3 to 22 May 1999", "one date to another in May 1999"),
        ("held between ", "3 May 1999 and 4 June 2001", "May 1999 and June 2001"),
        ("held between ", "3 and 22 May 1999", "two dates in May 1999"),
        ("held in ", "1998-2001", "period between the late 1990s and the early 2000s"),
        ("a worker (", "1998–2001", "late 1990s to the early 2000s"),
    ],
)
def test_what_stands_before_a_range_is_heeded(before: str, said: str, expected: str) -> None:
    assert texts(said, before=before)[0] == expected


@pytest.mark.parametrize(
    ("before", "said", "language", "expected"),
    [
        ("at the end of ", "May 1999", "en", "month in the spring of 1999"),
        ("at the beginning of ", "1998", "en", "year in the late 1990s"),
        ("before ", "3 May 1999", "en", "date in May 1999"),
        ("throughout ", "1998", "en", "year in the late 1990s"),
        ("on the night of ", "3 to 4 May 1999", "en", "date in May 1999"),
        ("in May of ", "1998", "en", "year in the late 1990s"),
        ("before ", "5 p.m.", "en", "time in the late afternoon"),
        ("a finales de ", "1998", "es", "un año de finales de la década de 1990"),
        ("en la primavera de ", "2003", "es", "un año de principios de la década de 2000"),
    ],
)
def test_what_is_told_of_the_whole_of_a_date_is_not_told_of_more(
    before: str, said: str, language: str, expected: str
) -> None:
    assert texts(said, language, before)[0] == expected


@pytest.mark.parametrize("before", ["early ", "in mid-", "on 3 May ", "late ", "in the year ", "pre-"])
def test_what_only_the_date_itself_can_follow_has_no_level(before: str) -> None:
    assert texts("1998", before=before) == []


def test_a_date_in_a_list_of_dates_has_levels() -> None:
    assert texts("9 June", before="On 8 May, ", after=" and 10 July 1999.")[:2] == ["early June", "June"]


def test_a_date_that_the_mention_cuts_from_its_year() -> None:
    assert texts("3 May", after=" 1999 it rained.") == ["early May", "May"]
    assert levels_of("1998", after=" B.C. it rained.") == []


def test_in_the_south_a_quarter_stands_for_the_season() -> None:
    assert texts("3 May 2003", after=" in New Zealand.")[1] == "second quarter of 2003"
    assert texts("3 de mayo de 2003", "es", after=" en Argentina.")[1] == "el segundo trimestre de 2003"


@pytest.mark.parametrize(
    "said",
    [
        "",
        " ",
        "three months",
        "15",
        "XX",
        "5:15",
        "his 30s",
        "20s",
        "3/4",
        "mañana",
        "5 December 20040",
        "3 Augu",
        "🎉",
        "1.2.3.4",
    ],
)
def test_what_it_cannot_read_it_leaves(said: str) -> None:
    assert levels_of(said, "es" if said == "mañana" else "en") == []


def test_words_that_the_mention_cuts_are_left() -> None:
    text = "It was 3 August 2003."
    assert levels(Mention(text, 7, 19, "DATETIME")) == []
    assert levels(Mention(text, 10, 20, "DATETIME")) == []


def test_a_bare_number_is_a_year_only_where_the_label_says_so() -> None:
    assert levels_of("1998", label="QUANTITY") == []
    assert levels_of("May 1998", label="MISC")


def test_two_digits_of_a_year_that_may_be_of_either_century() -> None:
    assert texts("03.08.15", before="In 1916, on ")[:2] == ["early August", "August"]
    assert texts("03.08.15", before="In 2016, on ")[0] == "August 2015"
    assert texts("03.08.15", before="In 2016: ")[0] == "early August"  # it may be somebody's birth
    assert texts("03.08.15")[:2] == texts("03.08.15", before="In 2016, born on ")[:2] == ["early August", "August"]


def test_a_holiday_that_moves_with_easter_has_the_days_of_its_year() -> None:
    assert texts("Easter 1999")[0] == texts("Good Friday 1999")[0] == "April 1999"
    assert texts("Easter 1997")[0] == "spring of 1997"  # 30 March in Rome, 27 April in Athens
    assert texts("Ash Wednesday 2024")[0] == "February 2024"
    assert texts("Easter 1910")[0] == "spring of 1910"  # somewhere still in the Julian calendar
    assert texts("Semana Santa de 1999", "es")[0] == "la primavera de 1999"


def test_a_birth_is_never_moved_to_another_century() -> None:
    undated = ["mid-April", "April", "first half of the year"]
    assert texts("13/04/19", before="born ") == texts("13/04/19", before="DOB: ") == undated
    assert texts("13/04/19", "es", before="nacido el ")[:2] == ["mediados de abril", "abril"]
    assert texts("13/04/40", before="born ")[0] == "April 1940"  # nobody was born in 2040 yet
    assert texts("13/04/40", before="The loan ends on ") == undated
    assert texts("10 March 45")[0] == texts("10 March '45")[0] == "early March"
    assert texts("10 March '45", before="born on ")[0] == "March 1945"
    assert texts("the summer of '29") == []
    assert texts("10 March 98")[0] == "March 1998"
    assert texts("13/04/29 and 3 May 2011") == []


def test_other_languages_have_no_levels() -> None:
    assert texts("3. März 1999", "de") == []
    assert texts("1999", "de") == []


PIECES = st.sampled_from(
    (
        "3 31 99 1999 2003 May mayo Monday lunes of de the el and y - – / , . between entre from to a early mid late "
        "century siglo XX spring invierno Christmas a.m. 17:40 5.15 noon morning q3 1990s 90s 'th 12/03/2004 "
        "2003-99-99 1996/97 later ago same two months next first half quarter année 🎉 \n 0 00 1/2/3/4 década años "
        "999999999"
    ).split(" ")
)
TEXTS = st.one_of(
    st.text(max_size=40),
    st.lists(PIECES, max_size=9).map(" ".join),
    st.lists(PIECES, max_size=6).map("".join),
)


@given(TEXTS, st.sampled_from(["en", "es", "de"]), st.integers(0, 50), st.integers(0, 50))
def test_any_text_is_read_or_left(text: str, language: str, start: int, length: int) -> None:
    start = min(start, len(text)) if length else 0
    mention = Mention(text, start, min(len(text), start + length) if length else len(text), "DATETIME", language)
    wordings = levels(mention)
    assert len(wordings) <= 6
    assert all(level.text.strip() == level.text != "" for level in wordings)
    assert all(one.members < other.members for one, other in pairwise(wordings))
    list(islice(candidate_originals(text, text, language), 5))


@given(st.integers(0, 23), st.integers(0, 59))
def test_a_time_lies_in_the_part_of_the_day(hour: int, minute: int) -> None:
    hours = {
        "early hours": (0, 4),
        "early morning": (4, 8),
        "late morning": (10, 12),
        "morning": (4, 12),
        "first half of the day": (0, 12),
        "middle of the day": (11, 14),
        "early afternoon": (12, 14),
        "mid-afternoon": (14, 16),
        "late afternoon": (16, 18),
        "afternoon": (12, 18),
        "early evening": (18, 20),
        "evening": (18, 22),
        "second half of the day": (12, 24),
    }
    for level in levels_of(f"{hour:02}:{minute:02}"):
        if level.text == "night":
            assert hour >= 22 or hour < 4
        else:
            begin, end = hours[level.text]
            assert begin <= hour < end


@pytest.mark.parametrize(
    ("phrase", "text", "language", "first"),
    [
        ("May 1999", "", "en", "10 May 1999"),
        ("in May 1999", "On 7 May 1999 and 4 July 2001.", "en", "7 May 1999"),
        ("June 1999", "On July 7, 2001.", "en", "June 1, 1999"),
        ("June 1999", "2001-07-09", "en", "1999-06-01"),
        ("June 1999", "25/07/2001", "en", "01/06/1999"),
        ("the early 1990s", "", "en", "1991"),
        ("a weekday", "", "en", "Monday"),
        ("the following days", "", "en", "the next day"),
        ("a few months later", "", "en", "two months later"),
        ("the first half of the year", "", "en", "January"),
        ("en junio de 1999", "", "es", "1 de junio de 1999"),
        ("la década de 1990", "", "es", "1994"),
        ("un día laborable", "", "es", "lunes"),
    ],
)
def test_what_may_have_stood_there(phrase: str, text: str, language: str, first: str) -> None:
    assert next(candidate_originals(phrase, text, language)) == first


def test_of_what_it_does_not_know_nothing_is_guessed() -> None:
    assert list(candidate_originals("a large city in Poland", "", "en")) == []


def test_a_language_without_data_gets_labels_and_guesses_in_english() -> None:
    text = "Sie kam am 3. Mai 2003 an."
    assert levels(Mention(text, 11, 22, "DATETIME", "de")) == []
    assert next(candidate_originals("early May", text, "de")) == "1 May"


@pytest.mark.parametrize(
    ("before", "said", "after", "expected"),
    [
        ("signed ", "10/28", " by the resident", "late October"),
        ("Incident ", "2/14", ": he bit a peer", "mid-February"),
        ("He was booked on ", "12.5.", " for surgery", "mid-May"),
        ("At ", "1742 hours", " the van left", "late afternoon"),
        ("At ", "1742", " hours the van left", "late afternoon"),
        ("in ", "'84", " she left", "mid-1980s"),
        ("DOB ", "17/03/1932", ", seen on 4 January 2024", "1934 or earlier"),
        ("She was born in ", "1932", " and is a 91-year-old widow", "1933 or earlier"),
    ],
)
def test_short_dates_and_times_in_their_context(before: str, said: str, after: str, expected: str) -> None:
    assert texts(said, "en", before, after)[0] == expected


@pytest.mark.parametrize(("before", "said"), [("pain ", "6/10"), ("power ", "4/5"), ("GCS ", "15/15")])
def test_scores_are_no_dates(before: str, said: str) -> None:
    assert texts(said, "en", before, " today") == []


@given(st.dates(date(1900, 1, 1), date(2030, 12, 31)))
def test_an_open_order_holds_both_readings(day: date) -> None:
    phrase = f"{day.day}/{day.month}/{day.year}"
    for level in levels_of(phrase, "en", "Seen ", "."):
        assert str(day.year) in level.text or level.members > 366
        for month in {day.month, day.day if day.day <= 12 else day.month}:
            names = [name for name in MONTHS["en"] if name in level.text]
            assert not names or MONTHS["en"][month - 1] in names
