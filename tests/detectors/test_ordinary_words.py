"""Names that are ordinary words too, and ordinary words that are names too."""

from __future__ import annotations

import pytest

from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import Document, merge_spans

DETECTOR = RuleDetector()


def detected(text: str) -> set[tuple[str, str]]:
    spans = merge_spans(DETECTOR.detect([Document("d", text)])[0])
    return {(span.label, text[span.start : span.end]) for span in spans}


def people(text: str) -> set[str]:
    return {value for label, value in detected(text) if label == "PERSON"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("José García y Juan Martínez firmaron el contrato.", {"José García", "Juan Martínez"}),
        ("Hier, Pierre Rodríguez est venu.", {"Pierre Rodríguez"}),
        ("We met Susan Bright, Peter Stone and Helen Wood.", {"Susan Bright", "Peter Stone", "Helen Wood"}),
        ("Dann kam Lukas Groß mit Paul Blanc.", {"Lukas Groß", "Paul Blanc"}),
        ("Yesterday Jack Hill and Claire Petit came.", {"Jack Hill", "Claire Petit"}),
        ("Gestern hat Dr. med. Ulrike von Stein operiert.", {"Ulrike von Stein"}),
        ("It was John Q. Public who wrote.", {"John Q. Public"}),
        ("Then Philippa Tarn left.", {"Philippa Tarn"}),
        ("We saw Mark Wood and Rose Green there.", {"Mark Wood", "Rose Green"}),
        ("Can Tobias Wrexley call? May Helen Wrexley?", {"Tobias Wrexley", "Helen Wrexley"}),
        ("Hello. Will Tobias Wrexley join us?", {"Tobias Wrexley"}),
        ("Can Tobias Wrexley,\nmy uncle, come?", {"Tobias Wrexley"}),
        ("Will Tobias Wrexley came.\n\nWho?", {"Will Tobias Wrexley"}),
        ("Will Tobias Wrexley signed it.", {"Will Tobias Wrexley"}),
        ("Was it Can Tobias Wrexley?", {"Can Tobias Wrexley"}),
        ("Le docteur N'Diaye est venu.", {"docteur N'Diaye"}),
        ("Der Arzt Müller und Kollege Schmidt kamen.", {"Müller", "Schmidt"}),
        ("My colleague Smith came.", {"Smith"}),
        ("We met Van der Berg there.", {"Van der Berg"}),
        ("Ich traf Jonas Wüstenhagen. Wüstenhagens Auto ist rot.", {"Jonas Wüstenhagen", "Wüstenhagen"}),
        ("I met Jonas Wüstenhagen. The Wüstenhagens came.", {"Jonas Wüstenhagen", "Wüstenhagens"}),
        ("From: Zorbel Quintax <zq@example.org>\nTo: Brunk Velmarin\n", {"Zorbel Quintax", "Brunk Velmarin"}),
        ("Cc: Tolva Ergin <t@example.org>, Prax Ulmen <p@example.org>", {"Tolva Ergin", "Prax Ulmen"}),
        ("Thanks\n--\nZorbel Quintax", {"Zorbel Quintax"}),
        ("Signed: Zorbel Quintax\n", {"Zorbel Quintax"}),
    ],
)
def test_the_whole_name_is_found(text: str, names: set[str]) -> None:
    assert people(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Merry Christmas to all.",
        "It was Christmas Eve 2019.",
        "He drove a red Ford home.",
        "Red Cross staff met at the Golden Rose.",
        "They lifted Martial Law at last, and the Martial Law Courts closed.",
        "Will the price rise? Mark my words.",
        "From: New York\nTo: Los Angeles",
    ],
)
def test_no_name_is_seen(text: str) -> None:
    assert not people(text)


def test_german_nouns_after_a_name_are_left_alone() -> None:
    assert people("Dann gab Johanna Wasser und Brot an die Leute.") == {"Johanna"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("She works for Crabtree Ltd. She likes it.", "Crabtree Ltd"),
        ("Trabaja en Talleres Guadalquivir S.L. Ella es feliz.", "Talleres Guadalquivir S.L."),
    ],
)
def test_a_legal_form_ends_an_organisation(text: str, name: str) -> None:
    assert {value for label, value in detected(text) if label == "ORG"} == {name}


def test_what_an_everyday_phrase_describes_is_no_organisation_and_a_new_sentence_no_date() -> None:
    assert not detected("My National Insurance number is lost.")
    assert not detected("I use Windows 11. May I ask why?")
