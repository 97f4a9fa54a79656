"""Addresses, numbers and codes are found as a whole, and end where they end."""

from __future__ import annotations

import pytest

from sfumato.detectors.detection import Detection
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import Document, merge_spans

DETECTOR = RuleDetector()


def detected(text: str) -> list[tuple[str, str]]:
    spans = merge_spans(DETECTOR.detect([Document("d", text)])[0])
    return [(span.label, text[span.start : span.end]) for span in spans]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Our IP was 81.2.69.160.", "81.2.69.160"),
        ("Meine Nummer: 0171 9876543", "0171 9876543"),
        ("Sie erreichen mich unter 0176 23456789.", "0176 23456789"),
        ("Wir sind unter 030 12345678 erreichbar.", "030 12345678"),
        ("Rufen Sie 030-12345678 an.", "030-12345678"),
        ("Büro 030/12345678 bitte.", "030/12345678"),
        ("Mon numéro est le 0612345678.", "0612345678"),
        ("Mi número es 612345678.", "612345678"),
        ("Rückfragen bitte an 089 1234567", "089 1234567"),
        ("She called me yesterday from 555-0142.", "555-0142"),
        ("My National Insurance number is QQ 12 34 56 C.", "QQ 12 34 56 C"),
        ("Son numéro de sécurité sociale est 1 85 05 78 006 084 36.", "1 85 05 78 006 084 36"),
        ("Seguridad Social: 28 12345678 40.", "28 12345678 40"),
        ("Customer no. 8841-A was closed.", "8841-A"),
        ("Tel.: 948 255 400 E-mail", "948 255 400"),
    ],
)
def test_a_number_is_found_whole(text: str, code: str) -> None:
    assert [value for label, value in detected(text) if label == "CODE"] == [code]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Er wohnt Schillerstraße 12a, 80336 München. Herr Lars kam.", "Schillerstraße 12a, 80336 München"),
        ("He lives at 12 Oak Street, Leeds. Mr Tom Hall came.", "12 Oak Street, Leeds"),
        ("Il habite 12 rue de la Paix, 75002 Paris. Mme Petit vint.", "12 rue de la Paix, 75002 Paris"),
        ("Abita in Via Garibaldi 12, 00153 Roma. Signor Rossi venne.", "Via Garibaldi 12, 00153 Roma"),
        ("Hij woont Keizersgracht 12, 1015 CJ Amsterdam. Jan kwam.", "Keizersgracht 12, 1015 CJ Amsterdam"),
        ("Vive en Calle Feria 12, 41010 Sevilla. El niño vino.", "Calle Feria 12, 41010 Sevilla"),
        ("She lives at 14 Oak Street, Sheffield S10 2TN.", "14 Oak Street, Sheffield S10 2TN"),
        ("She lives in Bristol BS1 4QA now.", "Bristol BS1 4QA"),
        ("Er wohnt in 80336 München.", "80336 München"),
        ("She stood at 51.5074, -0.1278.", "51.5074, -0.1278"),
    ],
)
def test_a_place_ends_with_its_sentence(text: str, place: str) -> None:
    assert [value for label, value in detected(text) if label == "LOC"] == [place]


def test_a_code_is_not_extended_over_a_date_or_a_sentence() -> None:
    assert ("DATETIME", "12.03.2020") in detected("account 12345678 12.03.2020")
    assert ("CODE", "020 7946 0958") in detected("Phone 020 7946 0958 A colleague answers.")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Mr Igna\u00adtius Pennywhistle came.", "Mr Igna\u00adtius Pennywhistle"),
        ("Mail zoe\u200b@example.org now", "zoe\u200b@example.org"),
        ("Mail anna@exa\u00admple.org.", "anna@exa\u00admple.org"),
        ("We saw Ａｍｂｒｏｓｅ Smith.", "Ａｍｂｒｏｓｅ Smith"),
        ("👩‍👩‍👧 Johanna Sm\u2060ith 👩‍👩‍👧", "Johanna Sm\u2060ith"),
        ("Then came 𝐉𝐨𝐡𝐚𝐧𝐧𝐚 Smith", "𝐉𝐨𝐡𝐚𝐧𝐧𝐚 Smith"),
    ],
)
def test_invisible_characters_do_not_hide_a_value(text: str, value: str) -> None:
    (spans,) = Detection([DETECTOR]).spans([Document("d", text)])
    assert [text[span.start : span.end] for span in spans] == [value]


def test_words_of_another_script_are_spans() -> None:
    text = "Then 王小明, Иван Петров and Γιώργος met; α and ΔΨ rose by 5 µg."
    assert [value for label, value in detected(text) if label == "MISC"] == ["王小明", "Иван Петров", "Γιώργος"]
