"""Names of people in the forms in which people write them."""

from __future__ import annotations

import pytest

from sfumato.detectors.rules.detector import RuleDetector
from sfumato.detectors.rules.names_in_context import find_chat_speakers
from sfumato.document import Document, Span, merge_spans

DETECTOR = RuleDetector(kinds=["person"])


def people(text: str) -> list[Span]:
    return DETECTOR.detect([Document("d", text)])[0]


def names(text: str) -> set[str]:
    return {text[span.start : span.end] for span in people(text)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Yesterday Anna Smith left.", "Anna Smith"),
        ("Yesterday Anna Quorvexia left.", "Anna Quorvexia"),
        ("Then Mr Quorvex spoke.", "Mr Quorvex"),
        ("Then Mr. Quorvex spoke.", "Mr. Quorvex"),
        ("Then Dr. med. was absent but Dr. Anna Quorvex spoke.", "Dr. Anna Quorvex"),
        ("Then Frau von der Quorvex kam.", "Frau von der Quorvex"),
        ("Ayer la Sra. García López vino.", "Sra. García López"),
        ("Then Mr and Mrs Quorvex spoke.", "Mr and Mrs Quorvex"),
        ("I wrote to ms. Quorvex about it", "ms. Quorvex"),
        ("signed by J. Smith today", "J. Smith"),
        ("written by J.K. Quorvex today", "J.K. Quorvex"),
        ("the singer Jean-Pierre O'Brien sang", "Jean-Pierre O'Brien"),
        ("the painter Vincent van Quorvex lived", "Vincent van Quorvex"),
        ("the sister of Carlos de la Cruz came", "Carlos de la Cruz"),
        ("Listed: Smith, John; others", "Smith, John"),
        ("WITNESS JOHN SMITH SPOKE", "JOHN SMITH"),
        ("hello, my name is john smith and", "john smith"),
        ("hi i'm anna", "anna"),
        ("hola, me llamo anna garcía", "anna garcía"),
        ("ich heiße anna quorvex", "anna quorvex"),
        ("Best regards,\nAnna", "Anna"),
        ("Mit freundlichen Grüßen\nAnna Quorvex", "Anna Quorvex"),
        ("Dear Johanna,\nthanks", "Johanna"),
        ("Hola Ana, ¿qué tal?", "Ana"),
        ("Name: john smith\nAge: 3", "john smith"),
        ("Patient: Quorvex Anna", "Quorvex Anna"),
        ("Anna: are you there?\nJohn: yes", "Anna"),
        ("the speech of Martin Quorvex Jr. was", "Martin Quorvex Jr."),
        ("a plea by H.H. in court", "H.H."),
    ],
)
def test_a_name_is_found(text: str, name: str) -> None:
    assert name in names(text)


def test_a_possessive_ending_is_left_out() -> None:
    assert names("It was Anna Smith's car.") == {"Anna Smith"}
    assert names("It was Anna Smith’s car.") == {"Anna Smith"}


def test_ambiguous_words_need_more_evidence() -> None:
    assert not names("Will it rain in May? Grace and hope are rich.")
    assert "Will Smith" in names("I met Will Smith there.")
    assert "Grace Johnson" in names("I met Grace Johnson there.")


def test_further_mentions_of_a_full_name_are_found() -> None:
    text = (
        "The nurse Anna Quorvex came. Later Quorvex left, and ANNA QUORVEX wrote. We saw Quorvex's car, not Quorvexes."
    )
    ranges = [(span.start, span.end) for span in people(text)]
    for start in [i for i in range(len(text)) if text.startswith("Quorvex", i) and not text.startswith("Quorvexes", i)]:
        assert any(a <= start and start + 7 <= b for a, b in ranges)
    assert not any(text[a:b] == "Quorvexes" for a, b in ranges)


def test_a_full_name_is_direct_and_a_lone_given_name_is_not() -> None:
    def identifier(text: str, name: str) -> set[str | None]:
        return {span.identifier for span in people(text) if text[span.start : span.end] == name}

    assert identifier("Anna Smith left. Smith was late.", "Smith") == {"direct"}
    assert identifier("Yesterday Johanna left.", "Johanna") == {"quasi"}


def test_a_name_that_two_rules_find_alike_is_direct_when_one_of_them_says_so() -> None:
    (name,) = merge_spans(people("Doctor: Dr Quorvex"))
    assert name.identifier == "direct"


def test_things_named_after_people_are_no_people() -> None:
    assert not names("a history of Wilson's disease and a high Johanna risk score")


def test_headings_are_no_names() -> None:
    assert not names("C. Proceedings on appeal\nTHE FACTS\nTHE CIRCUMSTANCES OF THE CASE")


def test_a_court_named_after_a_town_is_no_person() -> None:
    text = "The Aydın Administrative Court decided. The Supreme Administrative Court agreed on the administrative part."
    spans = RuleDetector(kinds=["person"]).detect([Document("d", text)])[0]
    assert "dministrative" not in " ".join(text[span.start : span.end] for span in spans)


CHAT = """[10/28 7:02 PM] jaybird_77: who drives?
[7:03 PM] Edda: not me
[7:03 PM] bubba: truck is in the shop
[7:08 PM] bubba: k"""
LOG = """07:58:02 sshd: connection closed
07:58:03 cron: job started
07:58:04 Error: no route
07:58:09 sshd: connection closed"""


def test_who_writes_the_lines_of_a_chat_is_found_in_any_case() -> None:
    assert [CHAT[span.start : span.end] for span in find_chat_speakers(CHAT)] == [
        "jaybird_77",
        "Edda",
        "bubba",
        "bubba",
    ]
    assert list(find_chat_speakers(LOG)) == []


@pytest.mark.parametrize(
    ("text", "initials"),
    [
        ("Plan unchanged, home tomorrow.\n\nQVX CNM\n", ["QVX"]),
        ("Consents to a call next week.\nqvx x5-2286\n", ["qvx"]),
        ("Observer QMcV      Period 3", ["QMcV"]),
        ("Seen by QVX, no change.", ["QVX"]),
        ("See you soon.\nOK\n", []),
        ("I bring the cake.\nxx", []),
        ("To be decided.\nTBC", []),
        ("She lives at no. 4.\nQVX\nand more", []),
    ],
)
def test_initials_of_who_signs(text: str, initials: list[str]) -> None:
    spans = [span for span in RuleDetector().detect([Document("a", text)])[0] if span.source == "rules:initials"]
    assert [text[span.start : span.end] for span in spans] == initials


def test_what_somebody_teaches_is_no_name() -> None:
    text = "Elle est prof d'EPS au collège."
    assert not [span for span in RuleDetector().detect([Document("a", text)])[0] if span.label == "PERSON"]
