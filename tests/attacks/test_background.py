"""Backgrounds: whoever is known, once, with everything that is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato import Document
from sfumato.attacks import Person
from sfumato.attacks.background import Background, as_background
from sfumato.attacks.truth import match
from sfumato.corpus import Columns
from sfumato.errors import InputError, NotMeasurable, Problem


def people(background: Background) -> dict[str, tuple[str, ...]]:
    return {person.id: person.texts for person in background.people}


ANNA, BELO = "Anna Quorvex races pigeons.", "Belo Tvesk bakes bread."
BOTH = {"anna": (ANNA,), "belo": (BELO,)}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_every_corpus_format_is_a_background(tmp_path: Path) -> None:
    pairs = {"anna": ANNA, "belo": BELO}
    folder = tmp_path / "people"
    folder.mkdir()
    for key, text in pairs.items():
        write(folder / f"{key}.txt", text)
    lines = "".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in pairs.items())
    listed = [{"doc_id": key, "text": text} for key, text in pairs.items()]
    for given in (
        pairs,
        folder,
        write(tmp_path / "a.jsonl", lines),
        write(tmp_path / "a.json", json.dumps(pairs)),
        write(tmp_path / "b.json", json.dumps(listed)),
        write(tmp_path / "a.csv", f"id,text\nanna,{ANNA}\nbelo,{BELO}\n"),
        [Document(key, text) for key, text in pairs.items()],
        [Person(key, (text,)) for key, text in pairs.items()],
    ):
        assert people(as_background(given)) == BOTH, given


def test_a_table_of_people_is_known_by_its_cells(tmp_path: Path) -> None:
    path = write(tmp_path / "registry.csv", "id;name;town;born\n7;Anna Quorvex;Lublin;1970\n8;Belo Tvesk;;1981\n")
    assert people(as_background(path)) == {"7": ("Anna Quorvex\nLublin\n1970",), "8": ("Belo Tvesk\n1981",)}
    named = write(tmp_path / "named.tsv", "person\tname\tnote\np1\tAnna\tpigeons\np2\tBelo\t\n")
    found = as_background(named, Columns(id="person"))
    assert people(found) == {"p1": ("Anna\npigeons",), "p2": ("Belo",)}
    lines = [{"id": 1, "name": "Anna", "towns": ["Lublin", "Oslo"], "work": {"as": "nurse"}}, {"id": 2, "name": "Belo"}]
    jsonl = write(tmp_path / "people.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    listed = write(tmp_path / "people.json", json.dumps(lines))
    for path in (jsonl, listed):
        assert people(as_background(path)) == {"1": ("Anna\nLublin, Oslo\nnurse",), "2": ("Belo",)}


def test_a_parquet_table_of_people(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    table = pyarrow.table({"id": [1, 2], "age": [44, 37], "town": ["Lublin", None]})
    write_table(table, tmp_path / "people.parquet")
    assert people(as_background(tmp_path / "people.parquet")) == {"1": ("44\nLublin",), "2": ("37",)}


def test_a_table_without_the_id_column_is_refused_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "registry.csv", "name,town\nAnna,Lublin\nBelo,Oslo\n")
    problems: list[Problem] = []
    with pytest.raises(InputError, match="holds nobody"):
        as_background(path, None, problems.append)
    assert "--id-column" in problems[0].message
    only = write(tmp_path / "ids.csv", "id\n1\n2\n")
    with pytest.raises(InputError, match="holds nobody"):
        as_background(only, None, problems.append)
    assert "none that says anything" in problems[1].message


def test_a_column_of_texts_that_was_named_must_be_there(tmp_path: Path) -> None:
    path = write(tmp_path / "registry.csv", "id,name\n1,Anna\n2,Belo\n")
    problems: list[Problem] = []
    with pytest.raises(InputError):
        as_background(path, Columns(text="biography"), problems.append)
    assert "no column 'biography'" in problems[0].message


def test_records_of_one_person_are_merged_and_counted(tmp_path: Path) -> None:
    lines = [
        {"id": "anna", "text": ANNA},
        {"id": "anna", "text": "She plays the organ."},
        {"id": "x9", "subjects": ["anna", "belo"], "text": BELO},
        {"id": "anna", "text": ANNA},
        {"id": "cora", "text": "  "},
    ]
    path = write(tmp_path / "many.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    problems: list[Problem] = []
    found = as_background(path, None, problems.append)
    assert people(found) == {"anna": (ANNA, "She plays the organ.", BELO), "belo": (BELO,)}
    assert (found.records, found.merged, found.empty, len(found)) == (6, 3, 1, 2)
    assert "1 people of the background have no text" in problems[0].message


def test_nobody_and_one_person_are_errors() -> None:
    with pytest.raises(InputError, match="holds nobody"):
        as_background({})
    with pytest.raises(InputError, match="holds nobody"):
        as_background({"anna": " ", "belo": ""})
    with pytest.raises(InputError, match="holds one person"):
        as_background({"anna": ANNA})
    with pytest.raises(TypeError, match="documents or people, not int"):
        as_background([7])  # type: ignore[list-item]


def test_the_digest_tells_backgrounds_apart() -> None:
    one, other = as_background({"a": ["x", "y"], "b": "z"}), as_background({"a": ["x"], "y": "b", "b": "z"})
    assert one.digest != other.digest
    assert one.digest == as_background([Person("a", ("x", "y")), Person("b", ("z",))]).digest


def test_documents_are_matched_by_subjects_else_by_id() -> None:
    background = as_background({"anna": ANNA, "belo": BELO, "cora": "Cora drives."})
    truth = match(
        [
            Document("anna", "x"),
            Document("note-1", "x", subjects=("belo", "anna")),
            Document("cora", "x", subjects=("nobody",)),
            Document("7", "x"),
        ],
        background,
    )
    assert truth.people == {"anna": {"anna"}, "note-1": {"belo", "anna"}}
    assert truth.without_background == ("cora", "7")
    assert truth.without_release == 1


def test_where_nothing_matches_there_is_no_risk_of_zero() -> None:
    with pytest.raises(NotMeasurable, match="not one of 2 documents") as error:
        match([Document("1", ANNA), Document("2", BELO)], as_background({"anna": ANNA, "belo": BELO}))
    assert "give both the same ids" in str(error.value)
    assert "pigeons" not in str(error.value)
