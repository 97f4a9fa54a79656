"""Mentions of one person or organisation share an entity; mentions of different ones do not."""

from __future__ import annotations

import pytest

from sfumato.detectors.passes.links import link_mentions
from sfumato.document import Span


def groups(label: str, *mentions: str) -> list[set[str]]:
    text = " | ".join(mentions)
    spans, offset = [], 0
    for mention in mentions:
        spans.append(Span(offset, offset + len(mention), label))
        offset += len(mention) + 3
    by_entity: dict[str, set[str]] = {}
    for span in link_mentions(text, spans):
        assert span.entity is not None
        by_entity.setdefault(span.entity, set()).add(text[span.start : span.end])
    return sorted(by_entity.values(), key=sorted)


@pytest.mark.parametrize(
    "mentions",
    [
        (
            "Anna Quorvex",
            "Quorvex",
            "Anna",
            "A. Quorvex",
            "ANNA QUORVEX",
            "Quorvex's",
            "A.Q.",
            "AQ",
            "Ms Quorvex",
        ),
        ("Dr. Tomasz J. Belnik", "Tomasz Belnik", "Mr Belnik", "T. J. Belnik", "Belnik, Tomasz"),
        ("Mr Belnik", "Belnik", "Belnik’s"),
        ("Leocadia Barrantes Quiroga", "Leocadia Barrantes", "Leocadia"),
        ("María José Trellez", "Sra. Trellez", "M. J. Trellez"),
        ("P. Quorvex", "Quorvex"),
        ("Finn-Luca Quorvex", "Finn", "F.-L. Quorvex", "F.-L. Q."),
        ("Thibault Mbarga-Lefèvre", "T MBARGA LEFEVRE", "Lefevre Thibault"),
        ('Chukwu "Emeka" Adebayo-Wren', "Emeka", "Chukwu Adebayo-Wren"),
        ("Jean-Luc Thériault-Wong", "JLTW", "J.-L. T.-W."),
        ("Ghislain Belnik", "Gh.", "G. Belnik"),
        ("Luana Pereira Brügger", "Pereira"),
        ("Oluwaseun Belnik", "Seun"),
        ("Dorothy Belnik", "Dot", "Dottie"),
        ("Robert Belnik", "Robbie", "Bob", "B."),
    ],
)
def test_forms_of_one_name_are_one_person(mentions: tuple[str, ...]) -> None:
    assert groups("PERSON", *mentions) == [set(mentions)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Surname: QUORVEX\nFirst name(s): Anna Maria\n\nMs Quorvex said Anna was late.",
            "QUORVEX|Anna Maria|Quorvex|Anna",
        ),
        ("Name        Belnik\nVorname     Tomasz\nGeboren     3.5.1990", "Belnik|Tomasz"),
        ("Nom : QUORVEX     Prénom : Élie, Marius\nNé le", "QUORVEX|Élie|Marius"),
        ('{"family": "Quorvex", "given": ["Anna", "Rose"]}', "Quorvex|Anna|Rose"),
        ("Voornaam: Jolien | Achternaam: Quorvex", "Jolien|Quorvex"),
    ],
)
def test_the_fields_of_a_form_that_hold_one_name_are_one_person(text: str, names: str) -> None:
    assert len({span.entity for span in link_mentions(text, people_at(text, names))}) == 1


def test_the_names_of_two_people_in_one_form_stay_two() -> None:
    text = "Surname: Quorvex\nFirst name: Anna\nSurname: Belnik\nFirst name: Tomasz\nHer first name: Rosa"
    spans = link_mentions(text, people_at(text, "Quorvex|Anna|Belnik|Tomasz|Rosa"))
    first, second, third, fourth, fifth = (span.entity for span in spans)
    assert first == second != third == fourth != fifth


def people_at(text: str, names: str) -> list[Span]:
    """Spans of people at the names, in their order."""
    spans: list[Span] = []
    for name in names.split("|"):
        start = text.index(name, spans[-1].end if spans else 0)
        spans.append(Span(start, start + len(name), "PERSON", "direct"))
    return spans


def test_two_people_with_one_surname_stay_two_and_the_bare_surname_is_neither() -> None:
    assert groups("PERSON", "Anna Quorvex", "Boris Quorvex", "Quorvex", "Boris") == [
        {"Anna Quorvex"},
        {"Boris", "Boris Quorvex"},
        {"Quorvex"},
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Johanna", "Anna"),
        ("Jan Belnik", "Jana"),
        ("Cornelius Belnik Jr", "Cornelius Belnik Sr"),
        ("Renata Quorvex-Ames", "Quorvex"),
        ("Pawel", "P. Quorvex"),
        ("Kim Quorvex", "Kim Belnik"),
        ("Mr Samira", "Samira Belnik"),
        ("ROSE, Lily", "LILLEY, Rose"),
        ("Jincy Belnik", "Jince"),
    ],
)
def test_similar_names_of_two_people_stay_two(first: str, second: str) -> None:
    assert len(groups("PERSON", first, second)) == 2


def test_a_title_outside_of_the_span_tells_which_of_two_is_meant() -> None:
    text = "Jamal Quorvex and Samira Quorvex; Mrs Quorvex"
    spans = [Span(0, 13, "PERSON"), Span(18, 32, "PERSON"), Span(38, 45, "PERSON")]
    jamal, samira, lady = (span.entity for span in link_mentions(text, spans))
    assert jamal != samira == lady


def test_titles_of_different_gender_separate() -> None:
    assert groups("PERSON", "Mr Belnik", "Mrs Belnik") == [{"Mr Belnik"}, {"Mrs Belnik"}]
    assert groups("PERSON", "Mr Tomasz Belnik", "Mrs Belnik") == [{"Mr Tomasz Belnik"}, {"Mrs Belnik"}]


def test_organisations_by_legal_form_beginning_and_acronym() -> None:
    assert groups("ORG", "Quorvex Logistics GmbH", "Quorvex Logistics", "Quorvex", "QL") == [
        {"Quorvex Logistics GmbH", "Quorvex Logistics", "Quorvex", "QL"}
    ]
    assert groups("ORG", "the Belnik Institute of Advanced Studies", "BIAS", "Other Works") == [
        {"BIAS", "the Belnik Institute of Advanced Studies"},
        {"Other Works"},
    ]


def test_codes_are_one_with_and_without_separators() -> None:
    assert groups("CODE", "(270) 555-0143", "270-555-0143") == [{"(270) 555-0143", "270-555-0143"}]
    assert groups("CODE", "DE89 3704 0044", "DE8937040044", "DE89-3704-0045") == [
        {"DE89 3704 0044", "DE8937040044"},
        {"DE89-3704-0045"},
    ]


def test_an_entity_that_is_set_stays_and_the_same_name_has_the_same_id_everywhere() -> None:
    assert link_mentions("Anna", [Span(0, 4, "PERSON", entity="e7")])[0].entity == "e7"
    first = link_mentions("Anna Quorvex came.", [Span(0, 12, "PERSON")])[0].entity
    second = link_mentions("Then ANNA QUORVEX", [Span(5, 17, "PERSON")])[0].entity
    assert first == second == "person:anna quorvex"
