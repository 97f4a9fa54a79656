"""Who else is named in a document: by whole words, by ids that are names and by a table's columns of names."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.attacks.background import Background, as_background
from sfumato.attacks.ground_truth import describe_also_named, documents_naming_others
from sfumato.document import Document

PEOPLE = """id,Name,First name,town
p1,Anna Quorvex,Anna,Zwickelbach
p2,Basil Quorvex,Basil,Zwickelbach
p3,PENNYWHISTLE,Ignatius,Ludlow
17,Emeka  Silverthorn,Emeka,Carrow
"""


@pytest.fixture
def background(tmp_path: Path) -> Background:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return as_background(path)


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("Basil Quorvex came along.", True),
        ("basil\nQUORVEX", False),
        ("Basil\nQUORVEX", True),
        ("Ms Pennywhistle wrote.", True),
        ("a pennywhistle in his hand", False),
        ("Pennywhistles", False),
        ("Emeka Silverthorn", True),
        ("Anna Quorvex and Quorvex again", False),
        ("Basil was there, in Zwickelbach, on the 17 May with p2.", False),
        ("", False),
    ],
)
def test_whole_names_of_others_are_found(background: Background, text: str, is_named: bool) -> None:
    assert documents_naming_others([Document("d", text, ("p1",))], background) == (("d",) if is_named else ())


def test_a_name_that_a_subject_shares_is_the_subjects(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("id,surname\np1,Quorvex\np2,Quorvex\np3,Crumb\n", encoding="utf-8")
    documents = [Document("d", "Ms Quorvex", ("p1",)), Document("e", "Ms Quorvex", ("p3",))]
    assert documents_naming_others(documents, as_background(path)) == ("e",)


@pytest.mark.parametrize("key", ["Ottilie Crumb", "ottilie-crumb", "ottilie_crumb"])
def test_an_id_that_is_a_name_counts(key: str) -> None:
    known = as_background({key: "bakes", "b": "sails", "c7": "sings"})
    documents = [Document("b", "Ottilie Crumb bakes; b sails."), Document(key, "Ottilie Crumb"), Document("c7", "b")]
    assert documents_naming_others(documents, known) == ("b",)


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_fields_of_records_are_columns_too(tmp_path: Path, suffix: str) -> None:
    rows = ['{"id": "1", "nom": "Crumb", "known": "bread"}', '{"id": "2", "nom": "Berg", "known": "boats"}']
    path = tmp_path / f"people.{suffix}"
    path.write_text("\n".join(rows) if suffix == "jsonl" else f"[{', '.join(rows)}]", encoding="utf-8")
    assert documents_naming_others([Document("2", "Mme Crumb")], as_background(path)) == ("2",)


def test_how_many_is_said_without_their_ids() -> None:
    assert describe_also_named(["a"]) == "1 document also names people of the background whom it is not filed under"
    assert (
        describe_also_named(["a", "b"])
        == "2 documents also name people of the background whom they are not filed under"
    )
