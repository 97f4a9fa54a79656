"""What a recipe keeps has to read as its label says; clinical facts stay, identifiers never do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.passes.links import link_mentions
from sfumato.document import Document, Release, Span
from sfumato.lexicon.name_lists import common_words, family_names, given_names, lookup_key
from sfumato.replacers.clinical import ClinicalSurrogate
from sfumato.replacers.kept import CHECKED_LABELS, Keep
from sfumato.vault.ledger import Ledger

MARK = re.compile(r"\[\[(.*?)\]\]")


def document_with_span(marked: str, label: str, score: float, source: str) -> tuple[Document, list[Span]]:
    """A document in which what stands in double brackets is a span of a detector."""
    match = MARK.search(marked)
    assert match is not None
    text = marked[: match.start()] + match[1] + marked[match.end() :]
    span = Span(match.start(), match.start() + len(match[1]), label, "quasi", score, source)
    return Document("d", text), link_mentions(text, [span])


def kept(marked: str, label: str, source: str = "tagger:mask") -> bool:
    document, spans = document_with_span(marked, label, 0.95, source)
    return not Keep(ledger=Ledger()).replace(document, spans)


def clinical(marked: str, label: str, score: float = 0.95, source: str = "tagger:mask") -> str:
    document, spans = document_with_span(marked, label, score, source)
    edits = ClinicalSurrogate(ledger=Ledger(secret=b"s" * 32)).replace(document, spans)
    return Release(document, tuple(edits)).text


@pytest.mark.parametrize(
    ("marked", "label"),
    [
        ("The son of the patient, [[Deshawn]], is at the bedside.", "DEM"),
        ("To the lab with [[Ramachandran]] in the morning.", "DEM"),
        ("It is about the [[Vaszary]] family and the house.", "DEM"),
        ("my pasword is [[Falcon]]$1990 and i cant log in", "DATETIME"),
        ("my pasword is Falcon$[[1990]] and i cant log in", "DATETIME"),
        ("my pasword is [[Falcon$1990]] and i cant log in", "QUANTITY"),
        ("my date of [[brith 11 of october 1990]] is on the form", "DATETIME"),
        ("call me on [[0612345678]] in the evening", "QUANTITY"),
        ("we live at number [[27]] in the same street", "DEM"),
        ("the place is at lat [[10.0341]] on the map", "QUANTITY"),
        ("she works with [[Quorvex Belnik]] in the shop", "MISC"),
        ("the lease was on [[10.20.4.118]] that night", "DATETIME"),
        ("the place was at 51.5362, [[7.2009]] on the map", "DATETIME"),
        ("the order is [[25/1903]] of the garage", "DATETIME"),
        ("they went to [[Chelsea]] for the day", "DEM"),
    ],
)
def test_what_does_not_read_as_its_label_is_not_kept(marked: str, label: str) -> None:
    assert not kept(marked, label)


@pytest.mark.parametrize(
    ("marked", "label"),
    [
        ("The patient is a [[retired nurse]] and lives alone.", "DEM"),
        ("A [[Welsh]] choir came to the hospital.", "DEM"),
        ("He is [[45 years old]] and works there.", "DEM"),
        ("She takes [[20 mg]] in the morning.", "QUANTITY"),
        ("It cost [[£1,200]] in all and was paid.", "QUANTITY"),
        ("About [[twenty]] people came to the meeting.", "QUANTITY"),
        ("She was seen on [[3 March 2021]] in the clinic.", "DATETIME"),
        ("She was seen on [[10/28]] in the clinic.", "DATETIME"),
        ("It was logged at [[2026-03-02T22:08:11Z]] on the server.", "DATETIME"),
        ("She was there [[from 1990 to 1994]] as a child.", "DATETIME"),
        ("She was seen [[last Monday at 9 am]] in the clinic.", "DATETIME"),
        ("Er wurde am [[Montag, dem 4. März 2021]], in der Klinik gesehen.", "DATETIME"),
    ],
)
def test_what_reads_as_its_label_is_kept(marked: str, label: str) -> None:
    assert kept(marked, label)


NAMES = sorted(
    name.title()
    for name in given_names().keys() & family_names()
    if name.isalpha() and len(name) > 3 and lookup_key(name) not in common_words()
)


@given(st.sampled_from(NAMES), st.sampled_from(sorted(CHECKED_LABELS)))
def test_no_name_is_kept_whatever_its_label(name: str, label: str) -> None:
    is_other_word = name.casefold() in ("april", "august", "june", "summer", "christian", "german", "french", "welsh")
    assert is_other_word or not kept(f"We spoke with [[{name}]] about the house.", label)


@pytest.mark.parametrize("label", ["PERSON", "CODE", "LOC", "ORG", "MISC", "DATETIME", "QUANTITY", "DEM"])
@pytest.mark.parametrize(
    "marked",
    [
        "She had a depressive episode ([[F32.1]]) in the past.",
        "The [[PHQ-9]] was 17 at the last visit.",
        "He is s/p CABG [[x3]] and doing well.",
        "The code is [[K50.90]] on the form.",
        "Trelegy Ellipta [[92/55/22]] once daily, BP 120/80, Hb 9.8.",
        "Continue [[metformin]] and ramipril 5 mg daily.",
        "Her [[Graves' disease]] is stable on the same dose.",
        "The [[NKDA]] is on the chart, sats 97 %.",
    ],
)
def test_clinical_facts_stay_under_every_label(marked: str, label: str) -> None:
    assert clinical(marked, label) == MARK.sub(r"\1", marked)


@pytest.mark.parametrize(
    ("marked", "label"),
    [
        ("The value was [[36.9]] in the evening.", "LOC"),
        ("The score was [[24/30]] at the visit.", "DATETIME"),
        ("The pressure was [[180-200]] at the visit.", "CODE"),
        ("The result was [[3.1 mmol/l]] at the visit.", "CODE"),
        ("The patient is [[67]] and lives alone.", "DEM"),
        ("The patient is [[a smoker]] and lives alone.", "DEM"),
    ],
)
def test_measures_and_ages_stay(marked: str, label: str) -> None:
    assert clinical(marked, label) == MARK.sub(r"\1", marked)


@pytest.mark.parametrize(
    ("marked", "label", "released"),
    [
        (
            "The patient is [[a 91-year-old]] man from the town.",
            "DEM",
            "The patient is a 90+ year-old man from the town.",
        ),
        ("Seen in the clinic: [[93 yo]] man from the town.", "DEM", "Seen in the clinic: 90+ yo man from the town."),
    ],
)
def test_ages_over_89_are_one_group(marked: str, label: str, released: str) -> None:
    assert clinical(marked, label) == released


def test_a_date_of_birth_that_tells_an_age_over_89_is_a_bound() -> None:
    text = clinical("The note of 12 May 2024 says DOB [[17/03/1932]] and that he is well.", "DATETIME")
    assert "1932" not in text
    assert re.search(r"DOB 19\d\d or earlier", text)


@pytest.mark.parametrize(
    ("marked", "label", "shape"),
    [
        ("MRN: [[00481234]] is on the label of the tube.", "CODE", r"00\d{6}"),
        ("NHS No [[943 476 5919]] is on the label of the tube.", "CODE", r"999 \d{3} \d{4}"),
        ("Write to [[anna.quorvex@belnik.org]] about the result.", "CODE", r"[a-z]+\.[a-z]+@example\.(com|org|net)"),
        ("Dr [[Anna Quorvex]] saw her in the clinic.", "PERSON", r"[A-Z]\w+ [A-Z]\w+"),
        ("She lives at [[14 Mill Lane]] in the town.", "LOC", r"\d\d [A-Z]\w+ Lane"),
        ("She was seen in [[Quorvex General Hospital]] in the town.", "ORG", r"[A-Z]\w+ General Hospital"),
    ],
)
def test_identifiers_get_surrogates(marked: str, label: str, shape: str) -> None:
    before, _, after = marked.partition("[[")
    released = clinical(marked, label)
    invented = released[len(before) : len(released) - len(after.partition("]]")[2])]
    assert re.fullmatch(shape, invented)
    assert invented != MARK.search(marked)[1]  # type: ignore[index]


@pytest.mark.parametrize(
    ("marked", "label"),
    [
        ("The [[orchestra]] was at the ward on the day.", "ORG"),
        ("The letter says [[sleeping]] and nothing else.", "CODE"),
        ("The filling was done ([[33131]]) on the left.", "CODE"),
        ("They saw the [[bedside table]] on the ward.", "PERSON"),
        ("The [[Quorvex]] was marked on the skin.", "LOC"),
    ],
)
def test_what_is_uncertain_is_not_invented(marked: str, label: str) -> None:
    assert clinical(marked, label) == MARK.sub(f"{label}_1", marked)
