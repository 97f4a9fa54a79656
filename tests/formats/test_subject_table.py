"""Whom a document is about: its own field, whatever it is called, or a table beside it."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.document import Document, Release
from sfumato.errors import InputError, Problem
from sfumato.formats.base import Columns, format_for
from sfumato.formats.inputs import as_documents, as_releases
from sfumato.formats.sources import load
from sfumato.formats.subject_table import as_subject_table


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def subjects(path: Path, columns: Columns) -> dict[str, tuple[str, ...]]:
    return {document.id: document.subjects for document in load([path], columns)}


TOLD = {"letter 1.docx": ("p17",), "letter 2": ("p17", "20")}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "id,subjects\nletter 1.docx,p17\nletter 2,p17\nletter 2,20\n"),
        ("b.csv", '\ufeffSubjects;note; ID\r\np17;x;letter 1.docx\r\n"p17|20";;letter 2\r\n;;\r\n'),
        ("c.tsv", 'id\tsubjects\nletter 1.docx\tp17\nletter 2\t["p17", 20]\n'),
        ("d.csv", 'id|subjects\nletter 1.docx|p17\nletter 2|"p17 | 20"\n'),
        ("e.json", '{"letter 1.docx": "p17", "letter 2": ["p17", 20]}'),
        ("f.json", '[{"id": "letter 1.docx", "subjects": "p17"}, {"id": "letter 2", "subjects": ["p17", 20]}]'),
        ("g.jsonl", '{"id": "letter 1.docx", "subjects": "p17"}\n{"id": "letter 2", "subjects": "p17|20"}\n'),
    ],
)
def test_a_table_in_any_form(tmp_path: Path, name: str, text: str) -> None:
    table = as_subject_table(write(tmp_path / name, text))
    assert table is not None
    assert table.subjects == TOLD
    again = as_subject_table({"letter 1.docx": "p17", "letter 2": ["p17", "20"]})
    assert again is not None
    assert repr(again) == repr(table)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", "file,person\nx,p\n", "has the columns file, person; name two of them 'id' and 'subjects'"),
        ("a.csv", "id,subjects\n,p\n", "row 1: the id is empty"),
        ("a.csv", 'id,subjects\na,"p\n', "line 2 cannot be read; check its quotes"),
        ("a.csv", "id,subjects\na,\n", "says of no document whom it is about"),
        ("a.csv", b"id,subjects\na,Kr\xe4he\n", "line 2 .* looks like Windows-1252"),
        ("a.json", '{"a": {"name": "p"}}', "row 1: the id is neither text nor a whole number"),
        ("a.json", '{"a": ', "not valid JSON"),
        ("a.jsonl", '{"id": "a", "subject": "p"}', 'not {"id": ..., "subjects": ...}'),
        ("a.jsonl", "Quillowby", "not valid JSON"),
        ("a.xlsx", "", "save it as .csv"),
        ("missing.csv", None, "cannot be opened"),
    ],
)
def test_what_is_no_such_table_is_refused(tmp_path: Path, name: str, data: str | bytes | None, said: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(InputError, match=said):
        as_subject_table(tmp_path / name)


@pytest.mark.parametrize(
    "row",
    [
        "mai",
        "mai.txt",
        "2024/mai",
        "2024/mai.txt",
        "letters/2024/mai.txt",
        "./2024/mai.txt",
        "2024\\mai.txt",
        "/home/x/letters/2024/mai.txt",
    ],
)
def test_a_file_is_known_by_its_name_with_or_without_folder_and_ending(row: str) -> None:
    table = as_subject_table({row: "p17"})
    assert table is not None
    documents = table.with_subjects(Document("2024/mai", "x"), PurePosixPath("/home/x/letters/2024/mai.txt"))
    assert documents.subjects == ("p17",)


def test_an_accent_is_the_same_however_it_is_spelled(tmp_path: Path) -> None:
    write(tmp_path / "letters/fe\u0301vrier.txt", "x")
    people = subjects(tmp_path / "letters", Columns(subject_table=as_subject_table({"f\u00e9vrier.txt": "p1"})))
    assert list(people.values()) == [("p1",)]


def test_records_are_known_by_their_ids_and_the_table_counts_first(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.jsonl",
        '{"id": 1, "text": "a", "subjects": "own"}\n{"id": "2", "text": "b", "subjects": "own"}\n'
        '{"id": "x.jsonl", "text": "c"}\n',
    )
    table = as_subject_table({"1": "p1", "x": "p2"})
    assert subjects(path, Columns(subject_table=table)) == {"1": ("p1",), "2": ("own",), "x.jsonl": ()}


def test_what_does_not_fit_together_is_counted_and_named(tmp_path: Path) -> None:
    for name in ("a/one.txt", "b/one.txt", "two.txt", "three.txt"):
        write(tmp_path / "letters" / name, "x")
    table = "id,subjects\none.txt,p1\ntwo,p2\nfour,p4\nfive,p5\nsix,p6\nseven,p7\ntwo.txt,\n"
    columns = Columns(subject_table=as_subject_table(write(tmp_path / "table.csv", table)))
    problems: list[Problem] = []
    items = {
        document.id: document.subjects for document in as_documents(tmp_path / "letters", columns, problems.append)
    }
    assert items == {"a/one": ("p1",), "b/one": ("p1",), "two": ("p2",), "three": ()}
    assert [problem.message for problem in problems] == [
        "1 row without a subject says nothing: two.txt",
        "4 ids are of no document here: four, five, six and 1 more",
        "1 document is not in it, so its own subjects, else its id, count: three",
        "1 id fits several documents; name the folders of the files, too: one.txt",
    ]
    assert {problem.file for problem in problems} == {str(tmp_path / "table.csv")}


def test_a_table_of_other_documents_is_an_error() -> None:
    with pytest.raises(InputError, match=r"not one of its ids \(x\) is that of a document \(a, b\); name"):
        as_documents({"a": "1", "b": "2"}, Columns(subject_table=as_subject_table({"x": "p"})), lambda problem: None)


def test_objects_are_told_too_and_releases_follow_their_originals(tmp_path: Path) -> None:
    columns = Columns(subjects="whom", subject_table=as_subject_table({"a": "p1"}))
    originals = as_documents([Document("a", "text")], columns, lambda problem: None)
    released = write(tmp_path / "r.csv", "id,text\na,tex\n")
    for given in ([Release(Document("a", "text"))], {"a": "tex"}, released):
        (release,) = as_releases("r", given, originals, columns, lambda problem: None)
        assert release.document.subjects == ("p1",)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "jsonl", "json"])
def test_the_field_of_the_subjects_may_have_another_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    rows = [
        {"id": "a", "text": "x", "whom": "p1", "subjects": "no"},
        {"id": "b", "text": "y", "whom": "", "subjects": ""},
    ]
    if suffix == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif suffix in ("csv", "tsv"):
        mark = "," if suffix == "csv" else "\t"
        write(path, "".join(mark.join(row) + "\n" for row in [list(rows[0]), *(list(row.values()) for row in rows)]))
    else:
        write(path, json.dumps(rows) if suffix == "json" else "".join(json.dumps(row) + "\n" for row in rows))
    assert subjects(path, Columns(subjects="whom")) == {"a": ("p1",), "b": ()}
    if suffix in ("csv", "tsv", "parquet"):
        with pytest.raises(InputError, match=r"no column 'whon' \(did you mean 'whom'\?\).*--subjects-column"):
            subjects(path, Columns(subjects="whon"))


@pytest.mark.parametrize(
    ("cell", "named"),
    [
        ("p1", ("p1",)),
        ("p1|p2", ("p1", "p2")),
        (" p1 | p 2 |", ("p1", "p 2")),
        ('["p1", "a|b", 3]', ("p1", "a|b", "3")),
        ("[p1", ("[p1",)),
        ("", ()),
        ("[]", ()),
    ],
)
def test_a_cell_names_one_or_several(tmp_path: Path, cell: str, named: tuple[str, ...]) -> None:
    quoted = cell.replace('"', '""')
    path = write(tmp_path / "x.csv", f'id,text,subjects\na,x,"{quoted}"\n')
    (document,) = load([path], Columns(keep=("subjects",)))
    assert (document.subjects, document.meta["kept"]) == (named, {"subjects": cell})
    pq.write_table(pa.Table.from_pylist([{"id": "a", "text": "x", "subjects": cell}]), tmp_path / "x.parquet")
    assert subjects(tmp_path / "x.parquet", Columns()) == {"a": named}


def test_in_lines_of_json_a_text_is_one_id(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", '{"id": "a", "text": "x", "subjects": "p1|p2"}\n')
    assert subjects(path, Columns()) == {"a": ("p1|p2",)}


def test_a_row_that_excel_wrote_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("id,text\na,Quillowby isst Käse\nb,good\n".encode("cp1252"))
    problems: list[Problem] = []
    documents = format_for(path).read(path, Columns(), problems.append)  # type: ignore[call-arg, arg-type]
    assert [document.id for document in documents] == ["b"]  # type: ignore[union-attr]
    assert '"CSV UTF-8"' in problems[0].message
    assert "Quillowby" not in problems[0].message
