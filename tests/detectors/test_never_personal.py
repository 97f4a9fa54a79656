"""Passages that name nobody: what is dropped there, what is cut, and what is stronger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sfumato.detectors import medical_words, passages
from sfumato.detectors.passages import PATTERNS, find_passages
from sfumato.detectors.passes import never_personal
from sfumato.detectors.passes.never_personal import drop_never_personal
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import LABELS, Document, Span
from sfumato.lexicon.tables import languages_with, load_toml


def guess(text: str, string: str, label: str = "MISC", source: str = "tagger:mask") -> Span:
    start = text.index(string)
    return Span(start, start + len(string), label, "quasi", 0.9, source)


def left(text: str, string: str, label: str = "MISC", source: str = "tagger:mask") -> str | None:
    """What is left of a span."""
    spans = drop_never_personal(text, [guess(text, string, label, source)])
    return text[spans[0].start : spans[0].end] if spans else None


@pytest.mark.parametrize(
    ("text", "string"),
    [
        # doses and schemes
        ("co-careldopa 25/100 mg three times daily", "25/100 mg"),
        ("gentamicin 5 mg/kg once", "5 mg/kg"),
        ("Madopar 125   1-1-1-0", "1-1-1-0"),
        ("s/p CABG x3 last year", "x3"),
        # measures
        ("BP 132/84, SpO2 94%, T 38.2", "132/84"),
        ("BP 132/84, SpO2 94%, T 38.2", "94%"),
        ("BP 132/84, SpO2 94%, T 38.2", "T 38.2"),
        ("potassium was 6.4 mmol/L then", "6.4 mmol/L"),
        ("INR letzte Woche gut. INR 2,8", "INR 2,8"),
        ("Patientin 38+2, G3P2", "38+2"),
        ("Patientin 38+2, G3P2", "G3P2"),
        ("caries LL6 and UR1", "LL6"),
        ("Prolaps L5/S1 links", "L5/S1"),
        ("lesion 18 x 13 x 12 mm", "12"),
        # scores
        ("NEWS 1 overnight", "1"),
        ("Waterlow 18, MUST 1", "18"),
        ("PHQ-9 was 17 and GAD-7 12", "17"),
        ("MMSE vor Entlassung. MMSE 24/30", "24/30"),
        # codes of diagnoses, stages
        ("depressive episode (F32.1)", "F32.1"),
        ("Pflegegrad 4 bewilligt", "Pflegegrad 4"),
        ("Dx: K92.0, D62, K70.30", "D62"),
        ("ip address 10.44.0.1 255.255.255.0", "255.255.255.0"),
        # drugs, brands, eponyms
        ("sertraline 50 since May", "sertraline"),
        ("Trelegy one puff", "Trelegy"),
        ("has Parkinson's disease", "Parkinson"),
        ("morbo di Parkinson in terapia", "Parkinson"),
        ("Colles-Fraktur links", "Colles-Fraktur"),
        ("Calot's triangle was dissected", "Calot"),
        ("Hx Takotsubo cardiomyopathy", "Takotsubo"),
        ("Losartana 50 mg", "Losartana"),
        ("serve with Dijon mustard", "Dijon"),
        # law
        ("nach § 433 BGB haftet", "433 BGB"),
        ("s. 21 Housing Act 1988 notice", "Housing Act 1988"),
        ("Art. 6 DSGVO gilt", "Art. 6 DSGVO"),
        ("ai sensi della L. n. 241/90", "241/90"),
        ("Eritrea [2016] UKUT 00443 (IAC)", "UKUT 00443"),
        ("R v QUORVEX, Anna", "R v"),
        ("EVA angoisse 6/10 ce matin", "EVA"),
        ("EVA angoisse 6/10 ce matin", "6/10"),
        # versions, standards, logs
        ("roll back to 5.4.2 please", "5.4.2"),
        ("needs v1.2.3 or later", "v1.2.3"),
        ("ISO 9001 audit", "ISO 9001"),
        ('"GET /x HTTP/1.1" 200 5123', "200 5123"),
        ("listen = 0.0.0.0:8080", "0:8080"),
        ("status 0xC000006D", "0xC000006D"),
        # references
        ("see p. 12 of the manual", "12"),
        ("Kap. 7 lesen", "7"),
        ("open Mo–Fr 8–18", "8–18"),
        # abbreviations, fields, closings, chat
        ("?UTI, MSU sent", "MSU"),
        ("Familienstand   verheiratet", "Familienstand"),
        ("Distinti saluti\nAnna", "Distinti saluti"),
        ("oops wrong link", "oops"),
    ],
)
def test_what_names_nobody_is_dropped(text: str, string: str) -> None:
    assert left(text, string) is None


@pytest.mark.parametrize(
    ("text", "string", "label"),
    [
        ("Mr Parkinson came", "Parkinson", "PERSON"),
        ("Dr Foley saw him", "Foley", "PERSON"),
        ("Name: Foley", "Foley", "PERSON"),
        ("call 01632 960 118 x 204", "118 x 204", "CODE"),
        ("DNI 17.664.821 de Salta", "17.664.821", "CODE"),
        ("am 4.3.25 bei ihr", "4.3.25", "DATETIME"),
        ("rekening BE71 0961 2345 6769", "BE71", "CODE"),
        ("signed DK", "DK", "PERSON"),
        ("Quincy MA 02100", "MA", "LOC"),
        ("PRICE, Ronald Arthur", "PRICE", "PERSON"),
        ("DUPONT CT MARTIN ALT KLEIN", "ALT", "PERSON"),
        ("ref PS-0208 open", "PS", "MISC"),
        ("she works at Slack today", "Slack", "ORG"),
        ("his brother T-Boy Comeaux", "T-Boy", "PERSON"),
        ("New India Assurance cattle policy", "New India Assurance", "ORG"),
    ],
)
def test_what_may_be_personal_stays(text: str, string: str, label: str) -> None:
    assert left(text, string, label) == string


@pytest.mark.parametrize("source", ["rules:email", "rules:NHS number", "recipe:deny", "gold", "rules:iban"])
def test_a_checked_rule_is_stronger(source: str) -> None:
    assert left("roll back to 5.4.2 now", "5.4.2", "CODE", source) == "5.4.2"


def test_a_constant_is_nobodys_number() -> None:
    assert left("listen on 127.0.0.1 only", "127.0.0.1", "CODE", "rules:ip") is None
    assert left("listen on 10.20.4.119 only", "10.20.4.119", "CODE", "rules:ip") == "10.20.4.119"


def test_a_number_of_likely_form_is_a_guess() -> None:
    text = "Trelegy 92/55/22 one puff"
    assert left(text, "92/55/22", "CODE", "rules:phone") == "92/55/22"
    assert drop_never_personal(text, [replace(guess(text, "92/55/22", "CODE", "rules:phone"), score=0.6)]) == []


@pytest.mark.parametrize(
    ("text", "string", "label", "rest"),
    [
        ("GMC 6139042", "GMC 6139042", "CODE", " 6139042"),
        ("Tamsin Mahmood MBChB MRCGP", "Tamsin Mahmood MBChB MRCGP", "PERSON", "Tamsin Mahmood "),
        ("Frau Behrens, RR 130/80", "Behrens, RR 130/80", "LOC", "Behrens, "),
        ("Belle Vue Hospital CT", "Belle Vue Hospital CT", "ORG", "Belle Vue Hospital CT"),
    ],
)
def test_a_passage_at_the_end_of_a_span_is_cut_off(text: str, string: str, label: str, rest: str) -> None:
    assert left(text, string, label) == rest


def test_two_spans_that_may_be_one_name_are_kept() -> None:
    text = "Treasurer, CPE Les Castors"
    spans = [guess(text, "CPE", "ORG"), guess(text, "Les Castors", "ORG")]
    assert drop_never_personal(text, spans) == spans


def test_diseases_are_content_only_in_clinical_notes() -> None:
    letter = "He told the court of his epilepsy."
    note = f"{letter} Levetiracetam 500 mg bd, Na 138, BP 120/70."
    assert left(letter, "epilepsy", "DEM") == "epilepsy"
    assert left(note, "epilepsy", "DEM") is None


def test_a_text_about_the_distant_past_names_nobody_alive() -> None:
    text = "In 1854 cholera came to Soho. Ashdown, born in 1813, had a map drawn and died in 1858."
    spans = [guess(text, "Ashdown", "PERSON"), guess(text, "1813", "DATETIME")]
    assert drop_never_personal(text, spans) == []
    assert drop_never_personal(f"{text} My aunt lives there.", spans) == spans
    born = "In 1854 cholera came to Soho. Ashdown was born in Leeds in 1813 and died in 1858."
    assert drop_never_personal(born, RuleDetector(kinds=["residence", "year"]).detect([Document("d", born)])[0]) == []
    firm = guess(text, "1854", "CODE", "rules:NHS number")
    assert drop_never_personal(text, [*spans, firm]) == [*spans, firm]


def test_entries_of_the_patterns_have_known_fields() -> None:
    table = load_toml("never_personal", package="sfumato.detectors")
    assert all(entry.keys() <= {"name", "regex", "labels", "clinical", "constant"} for entry in table["pattern"])
    assert all(pattern.labels <= set(LABELS) and not pattern.compiled.search("") for pattern in PATTERNS)


def test_every_word_list_is_used() -> None:
    source = "".join(
        Path(str(module.__file__)).read_text("utf-8") for module in (medical_words, passages, never_personal)
    )
    for language in (*languages_with("never_personal"), None):
        for section, lists in load_toml("never_personal", language).items():
            assert section == "patterns" or all(f"{section}.{key}" in source for key in lists)


def test_time_grows_with_the_text() -> None:
    for piece in ("1", "§ ", "A-", "Aaa-", "Art. ", "NEWS ", "1-", "Mo–", "Aa ", "Aaa syndrome "):
        assert isinstance(find_passages(piece * 5_000), list)


@pytest.mark.parametrize(
    ("text", "string", "label"),
    [
        ("I live with my husband and our daughter.", "husband", "DEM"),
        ("Speak to your manager first.", "your manager", "DEM"),
        ("Mi hermana vive aquí.", "hermana", "DEM"),
        ("Meine Nachbarin hat geklingelt.", "Nachbarin", "PERSON"),
    ],
)
def test_words_for_relatives_and_roles_alone_name_nobody(text: str, string: str, label: str) -> None:
    assert left(text, string, label) is None


@pytest.mark.parametrize(
    ("text", "string", "label"),
    [
        ("We met Nora and her partner.", "Nora", "PERSON"),
        ("She is a lawyer.", "lawyer", "DEM"),
        ("built by Dingle & Son in May", "Son", "DEM"),
    ],
)
def test_names_and_occupations_are_no_roles(text: str, string: str, label: str) -> None:
    assert left(text, string, label) == string


@pytest.mark.parametrize(
    ("text", "phrase", "label"),
    [
        ("Kind regards,\nHuman Resources", "Human Resources", "ORG"),
        ("His line manager agreed.", "line manager", "DEM"),
        ("Bitte wenden Sie sich an die Personalabteilung.", "Personalabteilung", "ORG"),
        ("Escriba a Recursos Humanos.", "Recursos Humanos", "PERSON"),
    ],
)
def test_a_department_is_nobody(text: str, phrase: str, label: str) -> None:
    assert left(text, phrase, label) is None
