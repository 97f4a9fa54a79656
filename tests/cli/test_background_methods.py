"""Published methods that read a background, from the command line: what they release, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sfumato.cli.app import app

TOWNS = {"Ida Quorvex": "Cardiff", "Bo Tamsin": "Cardiff", "Una Feld": "Cardiff", "Kim Orrel": "Bergen"}
PETRE = 'name = "small"\ndetect = ["terms"]\nspans = "as-found"\n[replace]\ndefault = { use = "petre", k = %d }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people = [{"id": name, "text": f"{name} was born in {town} and sails boats."} for name, town in TOWNS.items()]
    documents = [{"id": name, "text": f"{name} grew up in {town}."} for name, town in TOWNS.items()]
    for file, rows in (("people.jsonl", people), ("documents.jsonl", documents)):
        (tmp_path / file).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    for k in (3, 5):
        (tmp_path / f"k{k}.toml").write_text(PETRE % k, encoding="utf-8")
    return tmp_path


def run(folder: Path, recipe: str, *more: str) -> tuple[int, str, Path]:
    out = folder / "out" / "released.jsonl"
    arguments = ["anonymize", str(folder / "documents.jsonl"), "--recipe", recipe, "--out", str(out), *more]
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, " ".join((result.stderr or str(result.exception)).split()), out


def test_a_background_decides_what_stays(folder: Path) -> None:
    code, outcome, out = run(folder, str(folder / "k3.toml"), "--background", str(folder / "people.jsonl"))
    assert code == 0, outcome
    texts = [json.loads(line)["text"] for line in out.read_text(encoding="utf-8").splitlines()]
    assert all(name not in text for name, text in zip(TOWNS, texts, strict=True))
    assert "Cardiff" in texts[0]
    assert "Bergen" not in texts[3]


@pytest.mark.parametrize(
    ("recipe", "with_background", "message"),
    [
        ("published/petre", False, "needs a background, what is known of people: give --background FILE"),
        ("redact", True, "nothing in the recipe 'redact' reads a background"),
        ("k5.toml", True, "k = 5, and the background holds 4 people: choose a smaller k, or give a larger background"),
        ("published/word2vec-0.5", True, "too few to train word embeddings on (1,000 at least)"),
    ],
)
def test_what_cannot_work_is_refused_and_nothing_is_written(
    folder: Path, recipe: str, with_background: bool, message: str
) -> None:
    given = ["--background", str(folder / "people.jsonl")] if with_background else []
    code, outcome, out = run(folder, str(folder / recipe) if recipe.endswith(".toml") else recipe, *given)
    assert code != 0
    assert message in outcome
    assert not out.exists()
    assert not any(name in outcome or town in outcome for name, town in TOWNS.items())
