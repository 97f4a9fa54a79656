"""Ages over 89 are one group, together with the dates of birth that tell them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.generalize.old_age import find_old_ages, old_age_in


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Thank you for seeing this 91-year-old man. DOB 17/03/1932. Seen 4/1/2024.", ["91-year-old", "17/03/1932"]),
        ("92 y.o. male, DOB 4/1/1931.", ["92 y.o.", "4/1/1931"]),
        ("90M from the care home", ["90M"]),
        ("I am 94 and well.", ["94"]),
        ("He is ninety-one.", ["ninety-one"]),
        ("Ida Brandvik (103), born in 1921", ["103", "1921"]),
        ("DOB 4/1/31, seen 5/6/2023", ["4/1/31"]),
        ("Ida Brandvik, 1931–2024", ["1931"]),
        ("We kept her 95th birthday.", ["95th"]),
        ("Ida celebrated her ninetieth on Tuesday.", ["ninetieth"]),
        ("Frau Moos, geb. 12.3.1931, wurde 2024 aufgenommen.", ["12.3.1931"]),
        ("Herr Moos ist ein 93-jähriger Mann und wohnt hier.", ["93-jähriger"]),
        ("Mme Colin, née le 3 mai 1930, vue le 4 juin 2023", ["3 mai 1930"]),
        ("La señora de 97 años, nacida el 4 de mayo de 1926, ingresó en 2023.", ["97 años", "4 de mayo de 1926"]),
        ("La signora ha novantuno anni e vive sola.", ["novantuno anni"]),
        ("Mevrouw is geboren op 3 mei 1929 en kwam in 2024.", ["3 mei 1929"]),
        ("A senhora tem 92 anos e mora aqui.", ["92 anos"]),
        ("Her mother died at 94 of stroke.", ["94"]),
        ("FHx: M d. 94 CVA, F d. 91 MI.", ["94", "91"]),
        ("Ages of the siblings: 88, 91, and 97.", ["91", "97"]),
        ("The 92- to 94-year-old sisters came.", ["92- to 94-year-old"]),
        ("She is ninety-six (96) and well.", ["ninety-six", "96"]),
        ("At ninety-six she still walks.", ["ninety-six"]),
        ("Sie ist weit über 90.", ["weit über 90"]),
        ("Su abuela vivió hasta los 97.", ["97"]),
        ("He lived from 1923 to 2020.", ["1923"]),
        ("Born in 1925 or 1926, seen in 2022.", ["1925 or 1926"]),
        ("In 1945, when he was 18, he enlisted. Seen in 2022.", ["18"]),
        ("He was drafted at 18 in 1944. Seen in 2022.", ["18"]),
    ],
)
def test_what_tells_an_age_over_89(text: str, told: list[str]) -> None:
    assert [text[age.start : age.end] for age in find_old_ages(text)] == told


@pytest.mark.parametrize(
    "text",
    [
        "DOB 17/03/1952. Seen 4/1/2024.",
        "A 89-year-old man, born in 1934, seen in 2023.",
        "BP 90/60, weight 91 kg, sats 94 on air",
        "Anyone over 90 pays nothing.",
        "She died with a glucose of 97, after 94 days.",
        "His mother weighs 97 kg, has a heart rate of 94 and lives at 97 Oak Street with 100 cats.",
        "She was 94 on room air.",
        "He lives in room 97; the old clinic has 97 beds.",
        '{"page": 97, "rows": [["x", 97]]}',
        "children aged 5 to 16",
        "Charles Darwin, born in 1809, and a text of 2024",
        "She moved to Hull in 1931 and left in 2024.",
    ],
)
def test_nothing_else_tells_it(text: str) -> None:
    assert not find_old_ages(text)


@given(born=st.integers(1905, 1950), written=st.integers(1995, 2030))
def test_the_bound_is_true_and_the_same_for_all(born: int, written: int) -> None:
    text = f"Ida Brandvik, DOB 3 May {born}. Seen on 4 June {written}."
    told = find_old_ages(text)
    assert bool(told) == (90 <= written - born <= 125)
    for birth in told:
        assert birth.bound == written - 90 >= born


@pytest.mark.parametrize(
    ("text", "language", "replacement"),
    [
        ("a 91-year-old man", "en", "90+ year-old"),
        ("90M from the ward", "en", "90+M"),
        ("93 yo woman", "en", "90+ yo"),
        ("He is ninety-one.", "en", "90 or over"),
        ("I am 94.", "en", "90 or over"),
        ("La paciente tiene 92 años.", "es", "90+ años"),
        ("geboren op 3 mei 1929 en gezien in 2024", "nl", "1934 of eerder"),
    ],
)
def test_the_group_has_the_form_of_what_it_replaces(text: str, language: str, replacement: str) -> None:
    assert find_old_ages(text, language)[0].replacement(text, language) == replacement


def test_a_shifted_document_has_a_shifted_bound() -> None:
    text = "DOB 3 May 1930, seen on 4 June 2024"
    assert find_old_ages(text)[0].group(shift_days=-365) == "1933 or earlier"


def test_a_date_of_birth_is_known_where_it_is_repeated() -> None:
    text = "Ida Brandvik 17/03/1932, page 2. DOB 17/03/1932. Seen 2024."
    birth = old_age_in(text, 13, 23)
    assert birth is not None
    assert birth.kind == "birth"
    assert old_age_in(text, 0, 12) is None
