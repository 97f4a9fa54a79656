"""Fields are known by what they are called, however that is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon.fields import concept_of, find_fields


@pytest.mark.parametrize(
    ("names", "concept"),
    [
        (
            "birthDate BirthDate birth_date BIRTH-DATE birth.date patientDOB PATIENTDOB geb. Geb.-Datum dateOfBirth",
            "birth",
        ),
        ("age patientAge PT_AGE ageAtAdmission AGEINYEARS subjectAlter member_edad yearsOld ageGroup", "age"),
        ("zip ZipCode HOMEZIPCODE zip5 patient.address.zip mailing_zip_code postalCode", "zip"),
        ("plz codePostal CAP cep", "postcode"),
        (
            "page stage usage mileage image message maxAge max-age average language manager coverage dosage meanAge",
            None,
        ),
        ("zipper unzip birthplace agent postage", None),
    ],
)
def test_a_name_in_any_style_tells_the_concept(names: str, concept: str | None) -> None:
    assert {name: concept_of(name) for name in names.split()} == dict.fromkeys(names.split(), concept)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"birthDate": "1921-01-01", "age": 97}', ["1921-01-01", "97"]),
        ('{"age": {"unit": "years", "value": 97}}', ["97"]),
        ('{"code": {"text": "Age"}, "subject": {"id": "3"}, "valueQuantity": {"value": 97}}', ["97"]),
        ('{"question": "Date of birth", "answer": "1921-01-01"}', ["1921-01-01"]),
        ('{"ages": [97, 45]}', ["97", "45"]),
        ("age:\n  value: 97\n", ["97"]),
        ("Name: Anna   DOB: 3/14/1931   Age: 97", ["3/14/1931", "97"]),
        ("Date of birth ......: March 14, 1931", ["March 14, 1931"]),
        ("<birthDate value='1921'/><age>97</age>", ["1921", "97"]),
        ("<th>Age</th><td>97</td>", ["97"]),
        ("zip,city\n10025,York\n", ["10025"]),
        ("| name | Age |\n| --- | --- |\n| Anna | 97 |", ["97"]),
        ('name;dob\n"Quorvex; Anna";1921-01-01\n', ["1921-01-01"]),
        ("NAME        AGE   ZIP\nAnna        97    10025", ["97", "10025"]),
        ("insert into t (name, dob, zip) values ('O''Neill', '1921', 10025), ('B', '1930', 3601);",
         ["1921", "10025", "1930", "3601"]),
        ("Date of birth\n3/14/1931\n", ["3/14/1931"]),
        ("The message on page 97 has an average of 3.", []),
    ],
)  # fmt: skip
def test_the_value_of_a_field_is_found_in_any_format(text: str, values: list[str]) -> None:
    assert [
        text[field.start : field.end]
        for field in find_fields(text)
        if any(map(str.isdigit, text[field.start : field.end]))
    ] == values


@given(st.text(alphabet='age zipDOB:=,;|\t\n"{}[]()<>/19.', max_size=120))
def test_fields_lie_in_the_text_and_in_order(text: str) -> None:
    fields = find_fields(text)
    assert all(0 <= field.start < field.end <= len(text) for field in fields)
    assert [field.start for field in fields] == sorted({field.start for field in fields})
