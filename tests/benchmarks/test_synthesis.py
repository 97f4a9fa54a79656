"""The benchmark of synthesis: what is scored, and what the table says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import synthesis
from sfumato.errors import RecipeError

JOBS = {"Baker": "bread and rolls before dawn", "Judge": "verdicts and pleas in court"}


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def people(part: str, count: int) -> list[dict[str, Any]]:
    rows = []
    for number in range(count):
        job = list(JOBS)[number % 2]
        text = f"{part} {number} was born in year {number}. They know {JOBS[job]}. They moved. They had {number} cats."
        rows.append({"wiki_name": f"{part}-{number}", "label": job, "text": text})
    return rows


def report(epsilon: float | str) -> dict[str, Any]:
    estimate = {"value": 0.25, "interval": [0.2, 0.3], "n": 4}
    return {"privacy": {"epsilon": epsilon}, "memorization": {"ngram_overlap": estimate}}


def test_finished_cells_are_scored_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "db_bio" / "train.jsonl", people("train", 12))
    write(tmp_path / "db_bio" / "validation.jsonl", people("validation", 6))
    out = tmp_path / "out"
    words = ["score", "--data", str(tmp_path), "--out", str(out), "--people", "8"]
    with pytest.raises(SystemExit, match="holds no finished synthesis; run make"):
        synthesis.main(words)
    texts = [{"id": row["wiki_name"], "label": row["label"], "text": row["text"]} for row in people("train", 12)]
    swapped = [{**row, "label": "Judge" if row["label"] == "Baker" else "Baker"} for row in texts]
    for name, rows, epsilon in (("small-3", swapped, 2.99), ("small-inf", texts, "inf")):
        write(out / f"{name}.jsonl", rows)
        (out / f"{name}.json").write_text(json.dumps(report(epsilon)), encoding="utf-8")
    write(out / "small-64.jsonl", texts)  # not finished: no report
    synthesis.main(words)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| originals", "| small-3", "| small-inf"]
    scores = json.loads((out / "scores.json").read_text(encoding="utf-8"))
    assert scores["originals"]["accuracy"]["value"] == 1.0
    assert scores["small-inf"]["accuracy"]["value"] == 1.0
    assert scores["small-3"]["accuracy"] == {
        "value": 0.0,
        "interval": scores["small-3"]["accuracy"]["interval"],
        "n": 6,
    }
    # The texts are the originals themselves, so every claim is found.
    assert scores["small-inf"]["rouge-link-privacy"]["value"] < 0.2
    monkeypatch.setattr(synthesis, "_attack", lambda *given: pytest.fail("scored again"))
    synthesis.main(words)


def test_bases_have_names() -> None:
    assert synthesis._bases(["smollm=a=b.gguf", "small_20m=folder"]) == {"smollm": "a=b.gguf", "small_20m": "folder"}
    with pytest.raises(RecipeError, match="write NAME=MODEL"):
        synthesis._bases(["model"])
