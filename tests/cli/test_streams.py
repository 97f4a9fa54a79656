"""``-`` in the place of files: standard input is read, standard output holds the result and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-c", "from sfumato.cli import main; main()"]


def run(*arguments: object, given: str = "", expect: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)], input=given, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == expect, done.stderr
    return done


def test_text_in_text_out() -> None:
    done = run("anonymize", "-", "--out", "-", "--recipe", "labels", given="I am Anna Quorvex.\n")
    assert done.stdout == "I am PERSON_1.\n"
    assert "1 read, 1 released" in done.stderr
    assert "stdout.txt" not in done.stderr


def test_records_in_records_out_and_back(tmp_path: Path) -> None:
    record = json.dumps({"id": "a", "text": "Call Anna Quorvex at +44 20 7946 0018."})
    keys = ("--vault", tmp_path / "v.db", "--key-file", tmp_path / "v.key", "--format", "jsonl")
    released = run("anonymize", "-", "--out", "-", "--recipe", "labels", *keys, given=record + "\n").stdout
    assert "Quorvex" not in released
    assert json.loads(released)["id"] == "a"
    restored = run("restore", "-", "--out", "-", *keys, given=released).stdout
    assert json.loads(restored)["text"] == json.loads(record)["text"]


def test_spans_are_printed() -> None:
    done = run("detect", "-", "--out", "-", "--json", given="I am Anna Quorvex.")
    assert [span["label"] for span in json.loads(done.stdout)["spans"]] == ["PERSON"]
    assert json.loads(done.stderr)["documents"] == 1
    assert json.loads(done.stderr)["files"] == ["-"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("anonymize", "-", "-", "--out", "-"), "name it once"),
        (("anonymize", "-", "--out", "-", "--format", "exe"), "--format exe"),
    ],
)
def test_what_a_stream_cannot_do_is_an_error(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments, given="Anna", expect=2)
    assert message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_messages_call_standard_input_by_its_name(options: tuple[str, ...]) -> None:
    given = '{"id": "a", "text": "Anna"}\n{"id": "b", bad\n'
    done = run("anonymize", "-", "--out", "-", "--format", "jsonl", *options, given=given, expect=1)
    assert "standard input:2: the line is not valid JSON" in done.stderr
    assert "sfumato-temporary" not in done.stderr
