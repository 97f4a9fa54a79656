"""User terms of a recipe, and repeats: what is personal once is personal everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sfumato
from sfumato import recipe as recipes
from sfumato.detectors.passes.outvoted import drop_outvoted
from sfumato.detectors.passes.repeats import find_repeats
from sfumato.document import Span
from sfumato.runs.anonymize import anonymize_files


def released(text: str, toml: str) -> str:
    return sfumato.anonymize(text, recipe=recipes.parse(toml, "test")).text


def test_an_allowed_term_stays_alone_with_a_title_and_in_part() -> None:
    text = "Mr Theodore Blankenship saw Theodore Blankenship and Anna Quorvex."
    assert released(text, 'detect = ["rules"]\nallow = ["theodore blankenship"]') == (
        "Mr Theodore Blankenship saw Theodore Blankenship and PERSON_1."
    )


def test_a_denied_term_goes_in_any_case_but_only_as_a_word() -> None:
    toml = 'detect = ["rules"]\n[deny]\nORG = ["ward 3a"]'
    assert released("moved to Ward 3A, not to forward 3ab", toml) == "moved to ORG_1, not to forward 3ab"


def test_a_pattern_finds_and_its_context_raises_the_score() -> None:
    toml = (
        'detect = ["rules"]\n[[pattern]]\nname = "bed"\nlabel = "LOC"\nregex = "bed (?P<value>[a-z]\\\\d)"\n'
        'score = 0.3\ncontext = ["ward"]'
    )
    assert released("on the ward: bed x7", toml) == "on the ward: bed LOC_1"
    assert released("in the garden: bed x7", toml) == "in the garden: bed x7"


@pytest.mark.parametrize(
    ("text", "mention", "label", "expected"),
    [
        ("Anna Quorvex. ANNA QUORVEX, anna quorvex, Annas", "Anna Quorvex", "PERSON", ["ANNA QUORVEX", "anna quorvex"]),
        ("Dr Anna Quorvex. Quorvex and Anna came; annas", "Dr Anna Quorvex", "PERSON", ["Quorvex", "Anna"]),
        ("Elvira Quorvex. QUORVEX and quorvex", "Elvira Quorvex", "PERSON", ["QUORVEX", "quorvex"]),
        ("Elvira Ann Quorvex. EAQ and E.A.Q.", "Elvira Ann Quorvex", "PERSON", ["EAQ", "E.A.Q."]),
        ("Maria Rosa Iglesias. An MRI scan", "Maria Rosa Iglesias", "PERSON", []),
        ("Élodie Quorvéx. Elodie came", "Élodie Quorvéx", "PERSON", ["Elodie"]),
        ("Will Young. He will be young. Young people", "Will Young", "PERSON", []),
        ("Will came. He will come.", "Will", "PERSON", []),
        ("case 12/3456; see 12/3456 and 12/34567", "12/3456", "CODE", ["12/3456"]),
        ("Reading. reading", "Reading", "LOC", []),
        ("order QX-41; QX-41 is late", "QX-41", "CODE", []),
        ("order QX-4117; QX-4117 is late", "QX-4117", "CODE", ["QX-4117"]),
        ("user o.quorvex; o.quorvex logged in", "o.quorvex", "CODE", ["o.quorvex"]),
        ("user visitor_8812: hi\nvisitor_8812: oh", "visitor_8812", "PERSON", ["visitor_8812"]),
        ("Then Drew came. He drew it for Drew.", "Drew", "PERSON", ["Drew"]),
        ("We saw Bill. The bill for Bill. Bill it.", "Bill", "PERSON", ["Bill"]),
        ("He is Mr Jordan Quorvex. His dad is in Jordan, he in Jordan's room.", "Jordan Quorvex", "PERSON", ["Jordan"]),
        ("Jean-Luc Quorvex-Belnik. Belnik, Luc, Jean.", "Jean-Luc Quorvex-Belnik", "PERSON", ["Belnik", "Jean"]),
    ],
)
def test_repetition(text: str, mention: str, label: str, expected: list[str]) -> None:
    start = text.index(mention)
    again = find_repeats(text, [Span(start, start + len(mention), label)])
    assert [text[span.start : span.end] for span in again] == expected


@pytest.mark.parametrize(
    ("text", "mention", "label"),
    [
        ("Born in 1. NEWS 1, BM 4.1, 1 bed", "1", "DATETIME"),
        ("Aged 9, CA 19-9, 9 % more", "9", "DEM"),
        ("On 42 days; Trop 0.42", "42", "QUANTITY"),
        ("Fell out of bed. The bed rails", "bed", "DATETIME"),
        ("At Home. Home visit, no home", "Home", "LOC"),
        ("The Clerk came. Clerk: Anna", "Clerk", "DEM"),
        ("Die Frau sah den Schimmel und den Zucker. Der Zucker ist da", "Zucker", "QUANTITY"),
        ("La directrice est venue. La directrice propose", "directrice", "DEM"),
        ("Number 340218; 340218.5 and 5-340218", "340218", "CODE"),
    ],
)
def test_what_means_something_else_elsewhere_is_not_repeated(text: str, mention: str, label: str) -> None:
    start = text.index(mention)
    span = Span(start, start + len(mention), label, "quasi", 0.9, "tagger:mask")
    assert not find_repeats(text, [span])


@pytest.mark.parametrize(
    "form",
    "Anna|Ottermole|A. Ottermole|A Ottermole|Ottermole Anna|Ottermole, Anna|A.O.|A. O.|"
    "ANNA OTTERMOLE|the Ottermoles|Ottermole's".split("|"),
)
def test_other_forms_of_a_full_name_are_found(form: str) -> None:
    text = f"Anna Ottermole came. Then {form} left."
    (again,) = find_repeats(text, [Span(0, 14, "PERSON", "direct", 0.9, "rules:person")])
    assert form.removesuffix("'s").removeprefix("the ") == text[again.start : again.end]


def test_initials_and_inflected_forms_of_common_words_are_left_alone() -> None:
    text = "Anna Field came. The fields, a field, Fields of A grain."
    assert not find_repeats(text, [Span(0, 10, "PERSON", "direct", 0.9, "rules:person")])


LETTERS = [
    sfumato.Document("1", "Dear Mrs Anna Quorvex, your number is 4417-22.", subjects=("p7",)),
    sfumato.Document("2", "saw Quorvex again, 4417-22 closed.", subjects=("p7",)),
    sfumato.Document("3", "saw Quorvex again, 4417-22 closed.", subjects=("p8",)),
]
SUBJECT_RECIPE = recipes.parse(
    'detect = ["rules"]\n[[pattern]]\nname = "file"\nregex = "number is (?P<value>[0-9-]+)"\nscore = 0.9', "test"
)


def test_what_names_a_person_in_one_document_is_hidden_in_all_of_theirs() -> None:
    first, second, third = (release.text for release in sfumato.anonymize(LETTERS, recipe=SUBJECT_RECIPE))
    assert first == "Dear PERSON_1, your number is CODE_1."
    assert second == "saw PERSON_1 again, CODE_1 closed."
    assert third == LETTERS[2].text


def test_without_subjects_nothing_goes_from_one_document_to_another() -> None:
    alone = [sfumato.Document(letter.id, letter.text) for letter in LETTERS]
    assert sfumato.anonymize(alone, recipe=SUBJECT_RECIPE)[1].text == LETTERS[1].text


@pytest.mark.parametrize("jobs", [1, 2])
def test_files_share_what_is_known_of_a_subject(tmp_path: Path, jobs: int) -> None:
    rows = [{"id": letter.id, "text": letter.text, "subjects": letter.subjects} for letter in reversed(LETTERS)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    anonymize_files([tmp_path / "in.jsonl"], tmp_path / "out.jsonl", SUBJECT_RECIPE, jobs=jobs)
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["text"] for line in lines] == [
        LETTERS[2].text,
        "saw PERSON_1 again, CODE_1 closed.",
        "Dear PERSON_1, your number is CODE_1.",
    ]


def unlikely(text: str, string: str, score: float = 0.3, identifier: str = "quasi") -> list[Span]:
    start = text.index(string)
    return [Span(start, start + len(string), "LOC", identifier, score, "tagger:mask")]  # type: ignore[arg-type]


def test_an_unlikely_span_is_outvoted_by_places_where_its_string_was_left_alone() -> None:
    text = "Norway said no. Norway said yes. Norway slept."
    assert not drop_outvoted(text, unlikely(text, "Norway"))
    assert drop_outvoted(text, unlikely(text, "Norway", score=0.6))
    assert drop_outvoted(text, unlikely(text, "Norway", identifier="direct"))
    assert drop_outvoted(text[:30], unlikely(text, "Norway")), "one place against one is no majority"


def test_an_organisation_named_after_a_place_is_repeated() -> None:
    text = "The Izmir Criminal Court convicted him. The Izmir Criminal Court upheld it. A Criminal Court may."
    start = text.index("Izmir")
    spans = [Span(start, start + len("Izmir Criminal Court"), "ORG", "quasi", 0.9, "test")]
    repeats = list(find_repeats(text, spans))
    assert [text[span.start : span.end] for span in repeats] == ["Izmir Criminal Court"]


@pytest.mark.parametrize(("town", "repeats"), [("gdańsk", 1), ("nice", 0)])
def test_a_town_in_small_letters_is_found_again_unless_it_is_another_word(town: str, repeats: int) -> None:
    text = f"she lives in {town}. the weather in {town} was bad"
    spans = [Span(13, 13 + len(town), "LOC", "quasi", 0.9, "tagger:mask")]
    assert len(find_repeats(text, spans)) == repeats
