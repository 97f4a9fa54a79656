"""The recipe ``hipaa``, line by line of 45 CFR 164.514(b)(2)(i): what each kind of identifier becomes."""

from __future__ import annotations

import re

import pytest

import sfumato
from sfumato.document import Document, Release, Span
from sfumato.lexicon.tables import words
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
        ("Admitted on [[DATETIME|March 3, 2021]] here.", "Admitted on 2021 here."),
        ("Admitted on [[DATETIME|03/09/2021]] here.", "Admitted on 2021 here."),
        ("Logged at [[DATETIME|2021-03-09T14:08:55Z]] here.", "Logged at 2021 here."),
        ("Since [[DATETIME|2019]] she is well.", "Since 2019 she is well."),
        ("From [[DATETIME|3 May 2019 to 4 June 2020]] away.", "From 2019 – 2020 away."),
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
