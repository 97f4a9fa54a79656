"""Ids and file names that tell who somebody is are replaced, in time linear in their length."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.errors import OutputError
from sfumato.formats.base import Columns
from sfumato.recipe import load
from sfumato.runs.anonymize import anonymize_files


def test_the_name_of_a_file_of_records_does_not_repeat_what_was_replaced_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "quorvex").mkdir(parents=True)
    row = json.dumps({"id": "a", "text": "Dear Mrs Anna Quorvex, thank you for your letter."})
    for name in ("quorvex.jsonl", "quorvex/a.jsonl", "bquorvex.jsonl", "letters.jsonl"):
        (folder / name).write_text(row + "\n", encoding="utf-8")
    summary = anonymize_files([folder], tmp_path / "out", load("fast"))
    names = sorted(path.name for path in (tmp_path / "out").rglob("*.jsonl"))
    assert "letters.jsonl" in names
    assert len(names) == 4
    assert not [name for name in names if "quorvex" in name]
    assert not (tmp_path / "out" / "quorvex").exists()
    assert summary.renamed_files == 3


def test_a_kept_value_that_repeats_a_replaced_name_is_counted(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    row = {"id": "a", "text": "Dear Mrs Anna Quorvex, thank you for your letter.", "user": "bquorvex"}
    source.write_text(json.dumps(row) + "\n", encoding="utf-8")
    summary = anonymize_files([source], tmp_path / "out.jsonl", load("fast"), columns=Columns(keep=("user",)))
    assert summary.kept_columns["user"].personal == 1


def test_two_files_of_records_keep_names_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("Anna Berg.jsonl", "file-1.jsonl"):
        (folder / name).write_text(json.dumps({"id": name, "text": "All is well here today."}) + "\n", encoding="utf-8")
    summary = anonymize_files([folder], tmp_path / "out", load("fast"))
    assert len(set(summary.files)) == len(list((tmp_path / "out").iterdir())) == 2


def test_an_audit_does_not_take_the_place_of_a_key(tmp_path: Path) -> None:
    source, key = tmp_path / "a.txt", tmp_path / "k.key"
    source.write_text("All is well here today.", encoding="utf-8")
    key.write_bytes(bytes(range(32)))
    with pytest.raises(OutputError, match=r"k\.key: is the vault, the key"):
        anonymize_files([source], tmp_path / "o.txt", load("fast"), audit=key, confidential=[key])
    assert key.read_bytes() == bytes(range(32))


def test_an_audit_has_a_name_that_says_what_it_is(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("All is well here today.", encoding="utf-8")
    with pytest.raises(OutputError, match=r"b\.txt: an audit is written as \.jsonl or as \.masks\.json"):
        anonymize_files([source], tmp_path / "o.txt", load("fast"), audit=tmp_path / "b.txt")
    assert not (tmp_path / "o.txt").exists()
