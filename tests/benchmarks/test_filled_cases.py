"""Cases as notes with tags, filled: what the benchmark promises of them, on invented cases."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from benchmarks.filled_cases import FILE, filled_cases, main, split, tagged_cases

from sfumato.errors import InputError
from sfumato_papers.synthesis.deid_tags import UNKNOWN, find_tags

TAG = re.compile(r"\[\*\*[^\]]*\*\*\]")


def case(number: int) -> dict[str, Any]:
    who = ("35-year-old female", "4-month-old boy", "61-year-old man", "infant")[number % 4]
    patient = {
        "Demographics": who,
        "History": "The patient has a cough. Later the patient felt weak.",
        "Symptoms": {"Primary_Symptom": "Cough", "Secondary_Symptoms": ["Fever", "Chills"]},
        "Social_History": "Keeps bees.",
    }
    return {"OSCE_Examination": {"Patient_Actor": patient, "Test_Results": {}, "Correct_Diagnosis": "Influenza"}}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "agentclinic"
    folder.mkdir()
    rows = "".join(json.dumps(case(number)) + "\n" for number in range(30))
    (folder / FILE).write_text(rows, encoding="utf-8")
    return tmp_path


def test_every_tag_is_known_and_filled(data: Path) -> None:
    tagged, filled = tagged_cases(data, 30), filled_cases(data, 30)
    for before, after in zip(tagged, filled, strict=True):
        tags = find_tags(before.text)
        assert len(tags) >= 6
        assert UNKNOWN not in {tag.kind for tag in tags}
        assert len(after.annotations or ()) == len(tags)
        assert not TAG.search(after.text)
        assert "{" not in after.text
        assert "Secondary Symptoms: Fever, Chills" in after.text
    assert {document.meta["kept"]["form"] for document in tagged} == {"summary", "letter", "progress"}
    assert tagged_cases(data, 30) == tagged
    assert tagged_cases(data, 30, seed=1) != tagged


def test_the_command_writes_the_set(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    main(["--data", str(data), "--out", str(out), "--count", "30"])
    assert "30 notes with" in capsys.readouterr().out
    parts = json.loads((out / "split.json").read_text())
    assert parts == split(filled_cases(data, 30))
    assert sum(map(len, parts.values())) == 30
    texts = {row["id"]: row["text"] for row in map(json.loads, (out / "filled.jsonl").read_text().splitlines())}
    gold = [json.loads(line) for line in (out / "gold.jsonl").read_text().splitlines()]
    assert all(texts[row["id"]][span["start"] : span["end"]].strip() for row in gold for span in row["spans"])


def test_missing_cases_are_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds 30 cases, and 200 are asked for"):
        tagged_cases(data)
    with pytest.raises(InputError, match="there is no such file"):
        tagged_cases(tmp_path / "nowhere")
