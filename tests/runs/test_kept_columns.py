"""Columns beside the text: kept ones are read by the detectors, dropped ones are named, renamed files are counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato import recipe as recipes
from sfumato.cli import render
from sfumato.formats.base import Columns
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.summary import Summary

FAST = recipes.load("fast")
ROWS = [
    {"id": "1", "text": "Ms Ida Brandvik came.", "doctor": "Dr Otto Quorvex", "ward": "cardiology", "note": "x"},
    {"id": "2", "text": "Nobody came.", "doctor": "", "ward": "surgery", "note": "y"},
    {"id": "3", "text": "Nobody came.", "doctor": "Dr Otto Quorvex", "ward": "surgery", "note": "z"},
]
KEPT = {"doctor": {"values": 3, "personal": 2}, "ward": {"values": 3, "personal": 0}}


def table(folder: Path, suffix: str) -> Path:
    path = folder / f"rows.{suffix}"
    if suffix == "csv":
        lines = [",".join(ROWS[0]), *(",".join(row.values()) for row in ROWS)]
        path.write_text("\n".join(lines) + "\n")
    elif suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(ROWS), path)
    return path


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_kept_columns_are_read_by_the_detectors_and_dropped_ones_named(suffix: str, tmp_path: Path) -> None:
    columns = Columns(keep=("doctor", "ward"))
    summary = anonymize_files([table(tmp_path, suffix)], tmp_path / f"out.{suffix}", FAST, columns=columns)
    assert summary.to_json()["kept_columns"] == KEPT
    assert summary.to_json()["dropped_columns"] == ["note"]
    (warning,) = summary.problems
    assert warning.is_warning
    assert "'doctor' is written as it is" in str(warning)
    assert "2 of its 3 values" in str(warning)
    assert "Quorvex" not in str(warning)
    assert summary.complete


def test_members_of_kept_objects_are_read_too(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    kept = [{"staff": [{"name": "Dr Otto Quorvex"}]}, {"Dr Otto Quorvex": 1}, {"beds": [1, None, True]}]
    source.write_text(
        "".join(json.dumps({"id": n, "text": "Nobody.", "more": more}) + "\n" for n, more in enumerate(kept))
    )
    summary = anonymize_files([source], tmp_path / "out.jsonl", FAST, columns=Columns(keep=("more",)))
    assert summary.to_json()["kept_columns"] == {"more": {"values": 3, "personal": 2}}


def test_the_name_of_a_kept_column_is_checked_and_not_repeated(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("id,text,ida brandvik\n1,Nobody.,cardiology\n")
    summary = anonymize_files([source], tmp_path / "out.csv", FAST, columns=Columns(keep=("ida brandvik",)))
    (warning,) = summary.problems
    assert "the name of kept column 1 says something personal" in str(warning)
    assert "brandvik" not in str(warning)
    summary = anonymize_files([source], tmp_path / "out.csv", FAST, columns=Columns(text="ida brandvik"))
    assert "the name of the text column" in str(summary.problems[0])


def test_a_column_that_is_left_out_is_not_named_where_its_name_is_personal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"id": "1", "text": "Nobody came.", "Anna Quorvex": "41", "ward": "surgery"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    for recipe in (FAST, FAST.with_changes(ids="keep")):
        summary = anonymize_files([tmp_path / "rows.jsonl"], tmp_path / "out.jsonl", recipe)
        render.show_summary(summary, "released")
        shown = capsys.readouterr().out + json.dumps(summary.to_json())
        assert "Quorvex" not in shown
        assert summary.dropped_columns == ["(its name says something personal)", "ward"]


def test_the_summary_says_why_ids_are_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.jsonl").write_text(
        '{"id": "7", "text": "Nobody came."}\n{"id": "Mr Quorvex", "text": "Hello."}\n'
    )
    for recipe, reason in (
        (FAST.with_changes(ids="renumber"), "2 of 2 ids, by number, as the recipe renumbers all"),
        (FAST, "1 of 2 ids, by number, for names that say something personal"),
    ):
        summary = anonymize_files([tmp_path / "rows.jsonl"], tmp_path / "out.jsonl", recipe)
        render.show_summary(summary, "released")
        assert reason in " ".join(capsys.readouterr().out.split())


def test_renamed_files_and_renumbered_ids_are_counted(tmp_path: Path) -> None:
    inputs = tmp_path / "in"
    inputs.mkdir()
    for name in ("ida_brandvik.txt", "letter.txt"):
        (inputs / name).write_text("Nobody came.")
    for name in ("ida_brandvik.jsonl", "rows.jsonl"):
        (inputs / name).write_text(
            '{"id": "otto@quorvex.example", "text": "Nobody."}\n{"id": "2", "text": "Nobody."}\n'
        )
    summary = anonymize_files([inputs], tmp_path / "out", FAST)
    assert (summary.renamed_files, summary.renumbered_ids) == (2, 2)
    assert summary.to_json()["renamed_files"] == summary.to_json()["renumbered_ids"] == 2
    assert len([path for path in (tmp_path / "out").iterdir() if "brandvik" in path.name]) == 0


def test_the_summary_shows_all_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = anonymize_files(
        [table(tmp_path, "csv")], tmp_path / "out.csv", FAST, columns=Columns(keep=("doctor", "ward"))
    )
    summary.renamed_files = 1
    render.show_summary(summary, "released")
    printed = capsys.readouterr().out
    assert "doctor (2 of 3 values look personal), ward: as in the input" in printed
    assert "column note of the input" in printed
    assert "1 of 3 files, by number" in printed
    render.show_summary(Summary(), "released")
    assert not {"kept", "left out", "renamed"} & set(capsys.readouterr().out.split())


def test_a_value_that_the_recipe_would_keep_is_not_personal(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,text,sex,age\n1,She came.,F,41\n2,He came.,M,95\n3,He came.,M,60\n")
    columns = Columns(keep=("sex", "age"))
    summary = anonymize_files([tmp_path / "rows.csv"], tmp_path / "out.csv", recipes.load("hipaa"), columns=columns)
    assert {name: column.personal for name, column in summary.kept_columns.items()} == {"sex": 0, "age": 1}
