"""Ages that a text states, and numbers that are no age."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon.ages import find_ages, is_age_limit


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("I (29M) am marrying her", "29M"),
        ("Unser lieber Ernst ist im Januar mit 94 Jahren verstorben.", "94 Jahren"),
        ("Er starb mit 94 Jahren in Bonn.", "94 Jahren"),
        ("À 92 ans, elle conduit encore.", "92 ans"),
        ("A sus 91 años sigue trabajando.", "91 años"),
        ("He passed away at 94.", "94"),
        ("my wife (58F) left", "58F"),
        ("67M hx CAD", "67M"),
        ("Clinical details: 52F, weight loss", "52F"),
        ("Seen on the ward. 90M from the care home", "90M"),
        ("AGE/SEX: 67/M", "67"),
        ("Sex/age: M/34, non-smoker", "34"),
        ("is a 34 y/o welder", "34 y/o"),
        ("a 58 y.o. farmer", "58 y.o."),
        ("Pt is a 93 yo veteran", "93 yo"),
        ("A 101-year-old man from the village", "101-year-old"),
        ("He is ninety-one.", "ninety-one"),
        ("the accident, aged 27, changed", "27"),
        ("I am 34, and tired", "34"),
        ("i'm 27 and tired", "27"),
        ("She turned 40, at last", "40"),
        ("my son (13) was there", "13"),
        ("Oskar Winter (88) was there", "88"),
        ("the driver, Anna Berg, 42, was unhurt", "42"),
        ("DOB: 09.11.1948 (75 yrs)", "75 yrs"),
        ("How old is he?\nC: fifty-three. He is at home", "fifty-three"),
        ('{"name": "x", "age": 34}', "34"),
        ("at the party Bella is 17 – no bar", "17"),
        ("4. J.O'D 31177 58F. anaemia", "58F"),
        ("la maman d'un petit Ibrahim de 4 ans est là", "4 ans"),
        ("eine 47-jährige Frau mit der Diagnose", "47-jährige"),
        ("Frau Anna Moos, 79 J., ist und war die Patientin", "79 J."),
        ("Ich bin 66, und das ist gut", "66"),
        ("Alter: 81 und wohnt mit der Tochter", "81"),
        ("una mujer de 45 años con dolor en el pecho", "45 años"),
        ("La señora tiene ochenta y tres años y vive sola", "ochenta y tres años"),
        ("J'ai 34 ans, je suis dans la rue", "34 ans"),
        ("Mme Zoé Colin, 62 ans, est dans le service", "62 ans"),
        ("une dame âgée de quatre-vingt-onze ans est dans la salle", "quatre-vingt-onze ans"),
        ("il signor Rossi, un uomo di 70 anni che non è", "70 anni"),
        ("La nonna ha novantuno anni e non è sola", "novantuno anni"),
        ("Hij is 81, en woont met de hond in het dorp", "81"),
        ("een 75-jarige vrouw met de klacht", "75-jarige"),
        ("O meu filho, de 33 anos, não está em casa", "33 anos"),
        ("A minha avó tem 92 anos e não está só", "92 anos"),
    ],
)
def test_ages(text: str, age: str) -> None:
    assert [text[item.start : item.end] for item in find_ages(text)] == [age]


@pytest.mark.parametrize(
    "text",
    [
        "Age if under 18: Over 18",
        "free for over 65s and the under-5s",
        "until he is 18, and no longer",
        "when she turns 18, the trust ends",
        "children aged 5 to 16",
        "Das Gerät kommt mit 3 Jahren Garantie.",
        "Vertrag mit 10 Jahren Laufzeit.",
        "people aged 65 live longer",
        "pain 6/10, GCS 15, PHQ-9 17",
        "It raised £29M, then 30M.",
        "BP 120/80, pulse 72, sats 98",
        "reads at grade 2.1 level",
        "see page 34, paragraph 27",
        "She is 5.9 kg and well",
        "Le projet dure 5 ans et plus",
        "Bail de 9 ans signé et la caution est de 500 euros",
        "Faz 3 anos que ele não está em casa",
        "tiene 5 años de garantía",
        "Kinder unter 12 Jahren sind frei und die Eltern nicht",
        "Er wird im Alter von 18 oder älter frei und ist dann",
    ],
)
def test_no_ages(text: str) -> None:
    assert not find_ages(text)


@pytest.mark.parametrize(
    ("before", "number", "after", "expected"),
    [
        ("Age if under ", "18", ": no", True),
        ("free for over ", "65", "s", True),
        ("o torneio é para maiores de ", "16 anos", ", e não", True),
        ("Bambini sotto i ", "6 anni", ": una dose", True),
        ("ieder die ", "18", " jaar of ouder is", True),
        ("over ", "18", " people came", False),
        ("He is ", "34", ".", False),
        ("for ", "18", " months", False),
    ],
)
def test_age_limits(before: str, number: str, after: str, expected: bool) -> None:
    assert is_age_limit(before + number + after, len(before), len(before + number)) == expected


@given(
    years=st.integers(1, 110), before=st.sampled_from(["I am {}.", "aged {}", "a {}-year-old man", "({}F)", "{} yo"])
)
def test_the_value_is_read(years: int, before: str) -> None:
    text = f"Then: She ({years}F) said" if before == "({}F)" else before.format(years)
    assert [age.years for age in find_ages(text, "en")] == [years]


@given(st.text(max_size=60))
def test_an_age_never_begins_or_ends_inside_a_number(text: str) -> None:
    for age in find_ages(text, "en"):
        assert not text[age.start - 1 : age.start].isdigit() or age.start == 0
        assert not text[age.end : age.end + 1].isdigit()
