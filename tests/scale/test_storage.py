"""Inputs and releases by URL: the same bytes as by path, staged where the user says, and nothing left behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.errors import InputError, OutputError, RecipeError
from sfumato.runs.summary import Summary
from sfumato.scale.storage import Stage, as_url

fsspec = pytest.importorskip("fsspec")
TEXT = "Ms Ida Brandvik phoned 020 7946 0144 on 3 August 1961."


@pytest.fixture
def memory() -> Any:
    """A file system of fsspec that is in memory, with two shards and a file beside them."""
    system = fsspec.filesystem("memory")
    for number in (0, 1):
        lines = [json.dumps({"id": f"{number}-{row}", "text": TEXT}) + "\n" for row in range(3)]
        system.pipe(f"/bucket/shards/part-{number}.jsonl", "".join(lines).encode())
    yield system
    system.rm("/bucket", recursive=True)


def run(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, ["anonymize", *map(str, arguments), "--recipe", "fast"])


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("s3://bucket/notes.jsonl", "s3://bucket/notes.jsonl"),
        ("https://example.org/a/b.parquet", "https://example.org/a/b.parquet"),
        ("C:/notes.jsonl", None),
        ("notes.jsonl", None),
        ("./s3/notes.jsonl", None),
    ],
)
def test_urls_are_told_from_paths(path: str, url: str | None) -> None:
    assert as_url(path) == url
    assert as_url(Path(path)) == url


def test_by_url_is_as_by_path(memory: Any, tmp_path: Path) -> None:
    local, stage = tmp_path / "shards", tmp_path / "stage"
    memory.get("/bucket/shards", str(local), recursive=True)
    assert run(local, "--out", tmp_path / "out", "--audit", tmp_path / "a.jsonl").exit_code == 0
    by_url = run(
        "memory://bucket/shards", "--out", "memory://bucket/out", "--audit", tmp_path / "b.jsonl", "--staging", stage
    )
    assert by_url.exit_code == 0, by_url.output
    assert "sent to memory://bucket/out" in " ".join(by_url.output.split())
    sent = {path.rpartition("/")[2]: memory.cat(path) for path in memory.find("/bucket/out")}
    assert sent == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert not stage.exists()


def test_what_was_fetched_is_not_fetched_again_unless_it_changed(memory: Any, tmp_path: Path) -> None:
    source = Path("memory://bucket/shards")
    stage = Stage([source], None, tmp_path / "stage")
    before = {path.name: path.stat().st_mtime_ns for path in stage.inputs[0].iterdir()}
    memory.pipe("/bucket/shards/part-1.jsonl", b'{"id": "new", "text": "new"}\n')
    again = Stage([source], None, tmp_path / "stage")
    after = {path.name: path.stat().st_mtime_ns for path in again.inputs[0].iterdir()}
    assert after["part-0.jsonl"] == before["part-0.jsonl"]
    assert after["part-1.jsonl"] != before["part-1.jsonl"]
    assert (tmp_path / "stage").stat().st_mode & 0o777 == 0o700
    again.finish(Summary())
    assert list((tmp_path / "stage").iterdir()) == []


def test_errors_say_what_to_do_next(memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RecipeError, match="say with --staging FOLDER"):
        Stage([Path("memory://bucket/shards")], None, None)
    with pytest.raises(RecipeError, match="is for inputs and outputs by URL; leave it out"):
        Stage([tmp_path], None, tmp_path / "stage")
    with pytest.raises(InputError, match=r"memory://bucket/none\.jsonl: there is no such file"):
        Stage([Path("memory://bucket/none.jsonl")], None, tmp_path / "stage")
    with pytest.raises(RecipeError, match="nowhere://x/y: no such kind of storage"):
        Stage([Path("nowhere://x/y")], None, tmp_path / "stage")
    refused = run(
        "memory://bucket/shards", "--out", tmp_path / "o", "--staging", tmp_path / "stage", "--audit", "s3://a/b"
    )
    assert isinstance(refused.exception, RecipeError)
    stage = Stage([tmp_path], Path("memory://bucket/out.jsonl"), tmp_path / "stage")
    assert stage.out is not None
    stage.out.write_text("released")
    monkeypatch.setattr(type(memory), "put_file", lambda *arguments, **options: 1 / 0)
    with pytest.raises(OutputError, match=r"could not be sent .* it is complete in"):
        stage.finish(Summary())
    assert stage.out.exists()
