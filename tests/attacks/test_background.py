"""Backgrounds: whoever is known, once, with everything that is known."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.attacks.background import Background, as_background
from sfumato.attacks.base import Person
from sfumato.attacks.ground_truth import match_subjects
from sfumato.document import Document
from sfumato.errors import InputError, NotMeasurable, Problem
from sfumato.formats.base import Columns


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
    background = as_background(named, Columns(id="person"))
    assert people(background) == {"p1": ("Anna\npigeons",), "p2": ("Belo",)}
    lines = [{"id": 1, "name": "Anna", "towns": ["Lublin", "Oslo"], "work": {"as": "nurse"}}, {"id": 2, "name": "Belo"}]
    jsonl = write(tmp_path / "people.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    listed = write(tmp_path / "people.json", json.dumps(lines))
    for path in (jsonl, listed):
        assert people(as_background(path)) == {"1": ("Anna\nLublin, Oslo\nnurse",), "2": ("Belo",)}


def test_a_parquet_table_of_people(tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "age": [44, 37], "town": ["Lublin", None]})
    pq.write_table(table, tmp_path / "people.parquet")
    assert people(as_background(tmp_path / "people.parquet")) == {"1": ("44\nLublin",), "2": ("37",)}


def test_a_table_without_the_id_column_is_refused_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "registry.csv", "name,town\nAnna,Lublin\nBelo,Oslo\n")
    problems: list[Problem] = []
    with pytest.raises(
        InputError, match=r"'id' or 'doc_id' \(it has: name, town\).* --background-id-column, or add"
    ) as no:
        as_background(path, None, problems.append)
    assert "holds nobody" not in str(no.value)
    with pytest.raises(InputError, match=r"no column 'key' \(it has: name, town\).* --background-id-column"):
        as_background(path, Columns(id="key"), problems.append)
    only = write(tmp_path / "ids.csv", "id\n1\n2\n")
    with pytest.raises(InputError, match="none that says anything"):
        as_background(only, None, problems.append)
    assert not problems


def test_lines_without_an_id_are_counted_and_their_fields_named(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"person": number, "town": "Lublin"}) + "\n" for number in range(3))
    path = write(tmp_path / "people.jsonl", lines)
    with pytest.raises(
        InputError, match=r"3 records have no field 'id' or 'doc_id' \(the first has: person, town\)"
    ) as no:
        as_background(path)
    assert str(no.value).endswith("name it with --background-id-column")
    assert len(as_background(path, Columns(id="person"))) == 3
    both = write(tmp_path / "both.json", json.dumps([{"id": 1, "text": ANNA}, {"id": 2}, {"id": 3, "text": BELO}]))
    problems: list[Problem] = []
    assert people(as_background(both, None, problems.append)) == {"1": (ANNA,), "3": (BELO,)}
    assert [problem.message for problem in problems] == [
        "1 records have no field 'text' (the first has: id); name it with --background-text-column"
    ]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
def test_columns_of_the_originals_count_where_the_background_has_them(tmp_path: Path, suffix: str) -> None:
    originals = Columns("case", "letter", subjects="whom")
    people_rows = [{"id": "anna", "town": "Lublin", "whom": "me"}, {"id": "belo", "town": "Oslo", "whom": "you"}]
    notes_rows = [
        {"case": "n1", "letter": ANNA, "whom": "anna"},
        {"case": "n2", "letter": BELO, "whom": "belo"},
    ]
    for rows, expected in ((people_rows, {"anna": ("Lublin\nme",), "belo": ("Oslo\nyou",)}), (notes_rows, BOTH)):
        path = tmp_path / f"x.{suffix}"
        if suffix == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        elif suffix == "csv":
            cells = [list(rows[0]), *(list(row.values()) for row in rows)]
            write(path, "".join(",".join(row) + "\n" for row in cells))
        else:
            lines = [json.dumps(row) for row in rows]
            write(path, "\n".join(lines) if suffix == "jsonl" else f"[{','.join(lines)}]")
        assert people(as_background(path, None, originals=originals)) == expected
    with pytest.raises(InputError, match="'nowhere'"):
        as_background(path, Columns(text="nowhere"), originals=originals)


def test_a_list_that_excel_wrote_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes("id,town\n1,Lublin\n2,Köln\n3,Zürich\n".encode("cp1252"))
    with pytest.raises(InputError, match=r'line 3 .*looks like Windows-1252.*"CSV UTF-8"') as stop:
        as_background(path)
    assert "ln\n" not in str(stop.value)
    path.write_bytes(b"id,town\n1,Lublin\n2,K\x81ln")
    with pytest.raises(InputError, match="line 3 is not valid UTF-8; save"):
        as_background(path)
    path.write_bytes(b"id,town\n1,Lublin\n2,Caf\xe9")
    with pytest.raises(InputError, match="Windows-1252"):
        as_background(path)


def test_a_column_of_texts_that_was_named_must_be_there(tmp_path: Path) -> None:
    path = write(tmp_path / "registry.csv", "id,name\n1,Anna\n2,Belo\n")
    with pytest.raises(InputError, match=r"no column 'biography' \(it has: id, name\).*--background-text-column"):
        as_background(path, Columns(text="biography"))


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
    background = as_background(path, None, problems.append)
    assert people(background) == {"anna": (ANNA, "She plays the organ.", BELO), "belo": (BELO,)}
    assert (background.records, background.merged, background.empty, len(background)) == (6, 3, 1, 2)
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
    truth = match_subjects(
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
        match_subjects([Document("1", ANNA), Document("2", BELO)], as_background({"anna": ANNA, "belo": BELO}))
    for item in (
        "a file's id is its name without the ending",
        "--subject-table",
        "--subjects-column",
        "give both the same ids",
    ):
        assert item in str(error.value)
    assert "pigeons" not in str(error.value)
