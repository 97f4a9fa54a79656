"""The recipe ``hipaa``, line by line of 45 CFR 164.514(b)(2)(i): what each kind of identifier becomes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from benchmarks import safe_harbor_cases
from sfumato.document import Document, Release, Span
from sfumato.lexicon.tables import words
from sfumato.lexicon.time import present_year
from sfumato.replacers.safe_harbor import SafeHarbor
from sfumato.vault.ledger import Ledger


def released(marked: str) -> str:
    """The text with every ``[[LABEL|passage]]`` replaced."""
    text, spans, offset = "", [], 0
    for match in re.finditer(r"\[\[(\w+)\|(.*?)\]\]", marked, re.DOTALL):
        text += marked[offset : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), match[1], source="tagger:mask"))
        text += match[2]
        offset = match.end()
    text += marked[offset:]
    document = Document("d", text)
    return Release(document, tuple(SafeHarbor(ledger=Ledger()).replace(document, spans))).text


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        # (A) names
        ("Seen with [[PERSON|Anna Quorvex]] today.", "Seen with PERSON_1 today."),
        ("Employed by [[ORG|Belnik Steel Inc]] until then.", "Employed by ORG_1 until then."),
        # (B) places smaller than a state; the first three digits of a ZIP code stay where enough people live there
        ("Lives at [[LOC|12 Oak Street, Boston, MA 02139-1204]] alone.", "Lives at LOC_1, MA 021 alone."),
        ("Lives at [[LOC|3 Elm Road, Stark, NH 03602]] alone.", "Lives at LOC_1, NH 000 alone."),
        ("Lives in [[LOC|Boston]] alone.", "Lives in LOC_1 alone."),
        ("Lives in [[LOC|Suffolk County, Massachusetts]] alone.", "Lives in LOC_1, Massachusetts alone."),
        ("Lives in [[LOC|Vermont]] alone.", "Lives in Vermont alone."),
        ("Born in [[LOC|Poland]] and moved.", "Born in Poland and moved."),
        ("His ZIP is [[LOC|02139]] now.", "His ZIP is 021 now."),
        ("His ZIP code: [[LOC|05901]].", "His ZIP code: 000."),
        ("In [[LOC|80331]] the street is closed.", "In LOC_1 the street is closed."),
        # (C) all elements of dates but the year; ages over 89 and what tells them
        ("Admitted on [[DATETIME|March 3, 2021]] here.", "Admitted in 2021 here."),
        ("Admitted on [[DATETIME|03/09/2021]] here.", "Admitted in 2021 here."),
        ("Logged at [[DATETIME|2021-03-09T14:08:55Z]] here.", "Logged at 2021 here."),
        ("Since [[DATETIME|2019]] she is well.", "Since 2019 she is well."),
        ("From [[DATETIME|3 May 2019 to 4 June 2020]] away.", "From 2019 to 2020 away."),
        ("Seen on [[DATETIME|3 March]] in the clinic.", "Seen on DATETIME_1 in the clinic."),
        ("Seen on [[DATETIME|Monday]] in the clinic.", "Seen on DATETIME_1 in the clinic."),
        ("Seen on [[DATETIME|3/4/29]] in the clinic.", "Seen on DATETIME_1 in the clinic."),
        ("Signed on [[DATETIME|10/28]] in the clinic.", "Signed on DATETIME_1 in the clinic."),
        ("Given at [[DATETIME|14:30]] for [[DATETIME|3 days]].", "Given at 14:30 for 3 days."),
        ("She is [[DEM|45 years old]] and well.", "She is 45 years old and well."),
        ("She is [[DEM|89 years old]] and well.", "She is 89 years old and well."),
        ("She is [[DEM|92 years old]] and well.", "She is 90+ years old and well."),
        ("In May 2021: born in [[DATETIME|1929]], well.", "In May 2021: born in 1931 or earlier, well."),
        # (D) to (R): telephone, fax, mail, social security, medical record, health plan, account, certificate, vehicle,
        # device, web address, IP address, biometric and other unique numbers
        *((f"The number [[CODE|{code}]] is noted.", "The number CODE_1 is noted.")
          for code in ("(617) 664-0143", "617-664-0199", "anna@belnik.org", "219-09-9999", "MRN00481234",
                       "XYZ123456789", "4471882001", "MD-44718", "1HGCM82633A004352", "(01)00844588003288", "https://belnik.org/anna",
                       "113.161.44.9", "FP-99812-A")),
    ],
)  # fmt: skip
def test_each_kind_of_identifier(marked: str, expected: str) -> None:
    assert released(marked) == expected


def test_every_restricted_zip_code_area_becomes_000() -> None:
    areas = words("safe_harbor", "restricted_zips", package="sfumato.replacers")
    assert len(areas) == 17
    for area in areas:
        assert released(f"His ZIP is [[LOC|{area}12]] now.") == "His ZIP is 000 now."


def test_a_label_does_not_release_what_it_cannot_name() -> None:
    assert released("my password is [[QUANTITY|Falcon$1990]] now") == "my password is QUANTITY_1 now"
    assert released("We met [[DEM|Ramachandran]] there.") == "We met DEM_1 there."


def test_what_is_clinical_stays() -> None:
    note = "She takes [[PERSON|metformin]] 500 mg; [[CODE|PHQ-9]] was 17, BP [[DATETIME|120/80]], [[CODE|K50.90]]."
    assert released(note) == "She takes metformin 500 mg; PHQ-9 was 17, BP 120/80, K50.90."


NOTE = """Patient: John Whitcombe   MRN: 00481234   DOB: 03/14/1931
12 Oak Street, Boston, MA 02139   Phone (617) 664-0143   Fax (617) 664-0199   Email j.whitcombe@mailhub.org
SSN 219-09-9999. Health plan member id XQB884213309. Account no. 4471882001. License no. S12345678.
Vehicle VIN 1HGCM82633A004352. Pacemaker serial no. PJN604112. Portal https://portal.mailhub.org/jw from 113.161.44.9.

This 91-year-old man was admitted on March 3, 2022 and discharged on 03/09/2022. Metformin 500 mg BID, A1c 7.8 %.
"""


def test_a_whole_note_has_none_of_the_kinds_left() -> None:
    text = sfumato.anonymize(NOTE, recipe="hipaa").text
    for gone in (
        "Whitcombe",
        "00481234",
        "03/14",
        "1931",
        "Oak Street",
        "Boston",
        "02139",
        "664",
        "mailhub",
        "219-09",
        "884213309",
        "4471882001",
        "12345678",
        "004352",
        "604112",
        "113.161",
        "91",
        "March",
        "03/09",
    ):
        assert gone not in text, gone  # fmt: skip
    for stays in ("2022", "Metformin 500 mg BID", "A1c 7.8 %"):
        assert stays in text


def anonymized(text: str) -> str:
    return sfumato.anonymize(text, recipe="hipaa").text


_LAST_BIRTH = f"{present_year() - 90} or earlier"
"""What stands for a date of birth in a text without another date."""


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ('{"birthDate":"1921-01-01"}', f'{{"birthDate":"{_LAST_BIRTH}"}}'),
        ('{"dateOfBirth":"1921-01-01"}', f'{{"dateOfBirth":"{_LAST_BIRTH}"}}'),
        ("birthDate: 1921-01-01", f"birthDate: {_LAST_BIRTH}"),
        ("Date of birth ....: 3/14/1931", f"Date of birth ....: {_LAST_BIRTH}"),
        ("DOB/Age: 3/14/1921 (97)", "DOB/Age: 1928 or earlier (90 or over)"),
        ('{"birthDate":"1921-01-01","deceasedDateTime":"2015-03-04"}',
         '{"birthDate":"1925 or earlier","deceasedDateTime":"2015"}'),
        ("DOB 03/14/1931, seen in 2022", "DOB 1932 or earlier, seen in 2022"),
        ("She was born in the spring of '31 and seen in 2022.",
         "She was born in 1932 or earlier and seen in 2022."),
        ('{"patient_age": 97}', '{"patient_age": "90 or over"}'),
        ('{"gender":"female","deceasedDateTime":"2019-02-03","age":97}',
         '{"gender":"female","deceasedDateTime":"2019","age":"90 or over"}'),
        ('{"age": {"unit": "years", "value": 97}}', '{"age": {"unit": "years", "value": "90 or over"}}'),
        ('{"code": {"text": "Age"}, "valueQuantity": {"value": 97}}',
         '{"code": {"text": "Age"}, "valueQuantity": {"value": "90 or over"}}'),
        ('{"age_in_months": 1128}', '{"age_in_months": "90 or over"}'),
        ('<patient ptAge="97" active="yes"/>', '<patient ptAge="90 or over" active="yes"/>'),
        ("zip,dob,age\n3601,1921-03-04,97\n02139,1980-03-04,42\n",
         "zip,dob,age\n000,1928 or earlier,90 or over\n021,1980,42\n"),
        ('{"zip": 3601, "home_zip": "02139-1204"}', '{"zip": "000", "home_zip": "021"}'),
        ("He is 97 years of age.", "He is 90+ years of age."),
        ("He is ninety-three years of age and well.", "He is 90 or over and well."),
        ("She is over 95 years old.", "She is 90+ years old."),
        ("We kept her 95th birthday.", "We kept her 90th or later birthday."),
        ("The patient is a nonagenarian.", "The patient is a 90+ year-old."),
        ("She is in her late nineties.", "She is aged 90 or over."),
        ("- key: age\n  value: 98\n- key: sex\n  value: F",
         '- key: age\n  value: "90 or over"\n- key: sex\n  value: F'),
        ('<r><field name="age">95</field></r>', '<r><field name="age">90 or over</field></r>'),
        ('<r><obs code="age" value="96"/></r>', '<r><obs code="age" value="90 or over"/></r>'),
        ("<table><tr><th>Sex</th><th>Age</th></tr><tr><td>x</td><td>94</td></tr></table>",
         "<table><tr><th>Sex</th><th>Age</th></tr><tr><td>x</td><td>90 or over</td></tr></table>"),
        ('{"columns":["id","age"],"rows":[["x",97],["y",44]]}',
         '{"columns":["id","age"],"rows":[["x","90 or over"],["y",44]]}'),
        ('{"question":"How old are you?","answer":96}', '{"question":"How old are you?","answer":"90 or over"}'),
        ('{"birth":{"day":9,"month":5,"year":1980}}',
         '{"birth":{"day":"DATETIME_1","month":"DATETIME_2","year":1980}}'),
        ("Month of birth: 5\nDay of birth: 9", "Month of birth: DATETIME_1\nDay of birth: DATETIME_2"),
        ("DOB: Mar '27; DOS: 2022", "DOB: 1932 or earlier; DOS: 2022"),
        ("dob=1927-05-09\nzip=02139", f'dob="{_LAST_BIRTH}"\nzip="021"'),
        ("zip five digits: 6 0 6 1 4", "zip five digits: 606"),
        ("zip codes: 02139/60614", "zip codes: 021/606"),
        ("ZIP code 878-01 on file", "ZIP code 000 on file"),
        ("Age: 9 4", "Age: 90 or over"),
        ("Age: XCIV", "Age: 90 or over"),
        ("She married at 20 in 1950.", "She married at 20 in 1950."),
        ("She was 34 in 1950 and is seen in 2024.", "She was DEM_1 in 1950 and is seen in 2024."),
        ("She was 34 in 1980 and is seen in 2024.", "She was 34 in 1980 and is seen in 2024."),
        ("Her parents are 97 and 99 years old.", "Her parents are 90 or over and 90+ years old."),
    ],
)  # fmt: skip
def test_ages_births_and_zip_codes_under_any_name_and_in_any_wording(text: str, release: str) -> None:
    assert anonymized(text) == release


_OLD = st.integers(90, 122)
_SEEN = 2022


@settings(max_examples=60, deadline=None)
@given(
    age=_OLD,
    wording=st.sampled_from(
        [
            "His {n} years weigh on him.", "With {n} summers behind her she still swims.", "gramps just hit {n}!!!",
            "Our oldest resident is like {n} by now.", "The twins, both {n}, share a room.", "A patient ({n}) fell.",
            "Pt (age nearing the century mark, {n}) fell.", "She is pushing {n} and well.", "Age range: {n}-125",
            "Age bracket {n}-125, sex F", "ageGroup;{n}\nsex;F\n", "A woman in the 90s ({n}) fell.",
            "{n} / male / lives alone", "The centenarian couple ({n} and {n}) left.",
            "OBX|3|NM|30525-0^AGE||{n}|a|||||F", "Age: 9X (exact {n})",
            "Age: {n}½", "This {n}-plus-year-old lady fell.", "El señor, de {n}, refiere tos.",
        ]
    ),
)  # fmt: skip
def test_a_number_that_may_be_an_age_over_89_goes(age: int, wording: str) -> None:
    assert not re.search(rf"(?<!\d){age}(?!\d)", re.sub(r"(?<!\d)90(?: or|\+)", "", anonymized(wording.format(n=age))))


@settings(max_examples=60, deadline=None)
@given(
    number=_OLD,
    wording=st.sampled_from(
        [
            "His glucose is {n} and his BUN {n}.", "She is on sertraline {n} daily.", "He received {n} units.",
            "She was satting {n} at rest.", "Her LDL is now {n}, down from 140.", "Ferritin was {n} in this patient.",
            "Her temperature climbed to {n} by evening.", "He went from 160 to {n} after fluids.",
            "Weight {n} kg, HR {n}.",
            "The patient was tachycardic to {n}.", "He is on {n} of metoprolol.",
            "Patient was started on losartan {n} at night.", "She walked {n} feet.", "He had {n} at dinner.",
        ]
    ),
)  # fmt: skip
def test_doses_and_values_from_90_on_stay(number: int, wording: str) -> None:
    text = wording.format(n=number)
    assert anonymized(text) == text


@settings(max_examples=80, deadline=None)
@given(
    then=st.integers(16, 70),
    years=st.integers(20, 90),
    wording=st.sampled_from(
        [
            "{years} years since her {then}th birthday.", "{years} years have passed since he retired at {then}.",
            "She emigrated {years} years ago at the age of {then}.", "Widowed at {then} some {years} years ago.",
            "She has been a widow for {years} years, since she was {then}.",
            "Married in {year} at {then}, seen in 2022.", "She was a bride of {then} in {year}, seen in 2022.",
        ]
    ),
)  # fmt: skip
def test_of_an_age_and_the_years_since_one_stays_where_their_sum_is_over_89(
    then: int, years: int, wording: str
) -> None:
    text = wording.format(then=then, years=years, year=_SEEN - years)
    stays = re.search(rf"(?<!\d){then}(?!\d)", anonymized(text).replace(f"{years} years", "")) is not None
    assert stays == (not 90 <= then + years <= 125) or ("{year}" in wording and then + years < 90)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("In the class of 1943; seen in 2022.", "In the class of DATETIME_1; seen in 2022."),
        ("In the class of 1983; seen in 2022.", "In the class of 1983; seen in 2022."),
        ("Born in 1925 or 1926, seen in 2022.", "Born in 1932 or earlier, seen in 2022."),
        ("Operated in week 14 of 2021.", "Operated in 2021."),
        ("Drain out on day 93 of 2021.", "Drain out on DATETIME_1 of 2021."),
        ("The second quarter of 2021 was better.", "DATETIME_1 of 2021 was better."),
        ("Admitted in 2021-W14.", "Admitted in 2021."),
        ("Last reviewed in 2024.", "Last reviewed in 2024."),
        ("Seen on the third of May 2021.", "Seen in 2021."),
        ("It was the 3rd of May 2021.", "It was the DATETIME_1."),
        ("The 3 May 2021 visit was short.", "The 2021 visit was short."),
        ("After ninety-four years on this earth, she died.", "After 90+ years on this earth, she died."),
        ("She turned the big nine-oh.", "She turned 90 or over."),
        ("Just shy of his 99th.", "Just shy of his 90th or later."),
        ("He will be a hundred and four.", "He will be 90 or over."),
        ("She is 4 years off a hundred.", "She is aged 90 or over."),
    ],
)
def test_what_tells_an_age_over_89_or_a_day_goes_and_years_stay(text: str, release: str) -> None:
    assert anonymized(text) == release


def test_generated_cases_keep_no_age_over_89_no_long_zip_code_and_their_grammar() -> None:
    wrong = ("left", "false", "grammar", "broken")
    for case, release, faults in safe_harbor_cases.run(n=120, ordinary=0, seed=7):
        assert not [fault for fault in faults if fault.startswith(wrong)], (case.text, release, faults)


@settings(max_examples=40, deadline=None)
@given(
    area=st.integers(5, 999),
    rest=st.integers(0, 99),
    key=st.sampled_from(["zip", "zipCode", "HOME_ZIP", "patient.postal_code", "mailing-zip", "ZIP5"]),
    is_number=st.booleans(),
)
def test_of_a_zip_code_three_digits_stay_at_most(area: int, rest: int, key: str, is_number: bool) -> None:
    code = f"{area:03}{rest:02}"
    value = str(int(code)) if is_number else f'"{code}"'
    release = anonymized(f'{{"{key}": {value}}}')
    digits = re.sub(r"LOC_1|zip5", "", release, flags=re.IGNORECASE)
    assert len(re.sub(r"\D", "", digits)) <= 3
    if code[:3] in safe_harbor_cases.RESTRICTED:
        assert code[:3] not in digits


@settings(max_examples=40, deadline=None)
@given(age=st.integers(1, 115), separator=st.sampled_from(",;\t|"), name=st.sampled_from(["age", "ptAge", "AGE_YEARS"]))
def test_an_age_in_a_column_stays_up_to_89_and_is_one_group_above(age: int, separator: str, name: str) -> None:
    table = (
        f"ward{separator}{name}{separator}stage\nblue{separator}{age}{separator}2\ngreen{separator}{age}{separator}3\n"
    )
    rows = [line.split(separator) for line in anonymized(table).splitlines()]
    assert [row[1] for row in rows] == [name, *[str(age) if age < 90 else "90 or over"] * 2]


@pytest.mark.parametrize(
    ("language", "range_of_years"),
    [
        *(("en", years) for years in ("between 2009 and 2013", "from 2009 to 2013", "in 2009 or 2010")),
        *(("fr", years) for years in ("entre 2009 et 2013", "de 2009 à 2013", "en 2009 ou 2010")),
        *(("de", years) for years in ("zwischen 2009 und 2013", "von 2009 bis 2013", "2009 oder 2010")),
        *(("pt", years) for years in ("entre 2009 e 2013", "de 2009 a 2013")),
        *(("es", years) for years in ("entre 2009 y 2013", "de 2009 a 2013")),
        *(("it", years) for years in ("tra il 2009 e il 2013", "dal 2009 al 2013")),
        *(("nl", years) for years in ("tussen 2009 en 2013", "van 2009 tot 2013")),
    ],
)
def test_years_stay_with_the_words_between_them(language: str, range_of_years: str) -> None:
    frames = {
        "en": "The claimant worked for the ministry {} as an engineer.",
        "fr": "Le requérant a travaillé au ministère {} comme ingénieur.",
        "de": "Der Kläger war {} beim Ministerium als Ingenieur beschäftigt.",
        "pt": "O autor trabalhou no ministério {} como engenheiro.",
        "es": "El demandante trabajó en el ministerio {} como ingeniero.",
        "it": "Il ricorrente ha lavorato al ministero {} come ingegnere.",
        "nl": "De eiser werkte {} bij het ministerie als ingenieur.",
    }
    text = frames[language].format(range_of_years)
    assert range_of_years in sfumato.anonymize(text, recipe="hipaa").text


@pytest.mark.parametrize(
    ("dates", "years"),
    [
        ("from 3 May 2009 to 6 June 2013", "from 2009 to 2013"),
        ("between 3 May 2009 and 6 June 2013", "between 2009 and 2013"),
        ("on 3 May 2009 and 6 June 2013", "in 2009 and 2013"),
        ("from 3 to 6 May 2009", "2009"),
    ],
)
def test_of_two_dates_the_words_between_the_years_stay(dates: str, years: str) -> None:
    assert years in sfumato.anonymize(f"He was treated at the clinic {dates}.", recipe="hipaa").text
