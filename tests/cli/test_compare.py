"""``sfumato compare`` as a user runs it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.attacks.linking import ORIGINALS, PEOPLE, RELEASED
from tests.cli.test_commands import sfumato

METHODS = ("--method", "none", "--method", "fast", "--method", "all")
FAST = ("--metric", "rouge-l", "--metric", "risk", "--attack", "tfidf")
WRITTEN = ("report.html", "t.csv", "each.csv")


def files(folder: Path) -> tuple[object, ...]:
    originals, people = folder / "originals.jsonl", folder / "people.json"
    originals.write_text(
        "".join(json.dumps({"id": document.id, "text": document.text}) + "\n" for document in ORIGINALS)
    )
    people.write_text(json.dumps(PEOPLE))
    (folder / "mine.json").write_text(json.dumps(RELEASED))
    return "compare", originals, "--background", people, "--report", folder / "report.html"


def test_a_table_a_report_and_csv(tmp_path: Path) -> None:
    shown = sfumato(
        *files(tmp_path),
        *METHODS,
        "--method",
        f"own={tmp_path / 'mine.json'}",
        *FAST,
        "--csv",
        tmp_path / "t.csv",
        "--per-document",
        tmp_path / "each.csv",
    )
    assert {"none", "fast", "all", "own"} <= set(shown.stdout.split("\n")[0].split())
    assert shown.stdout.endswith("written: " + ", ".join(str(tmp_path / item) for item in WRITTEN) + "\n")
    report = (tmp_path / "report.html").read_text("utf-8")
    assert report.startswith("<!doctype html>")
    assert "<svg" in report
    for word in ("Quorvex", "pigeons"):
        assert word not in report + shown.stdout
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text("utf-8").splitlines()))
    risks = {row["method"]: float(row["value"]) for row in rows if row["metric"] == "risk"}
    assert risks["none"] == 1.0
    assert risks["own"] == 0.5
    assert risks["all"] == 0.0
    assert shown.stderr == ""
    each = list(csv.DictReader((tmp_path / "each.csv").read_text("utf-8").splitlines()))
    assert list(each[0]) == ["method", "metric", "id", "value", "attack"]
    assert (tmp_path / "each.csv").stat().st_mode & 0o777 == 0o600
    own = [row for row in each if (row["method"], row["metric"]) == ("own", "risk")]
    assert sum(float(row["value"]) for row in own) / len(own) == risks["own"]
    assert {row["metric"]: row["attack"] for row in each} == {"risk": "tfidf", "rouge-l": ""}


def test_json_and_a_cache(tmp_path: Path) -> None:
    given = (*files(tmp_path), "--method", "none", "--method", "fast", *FAST, "--cache", tmp_path / "kept", "--json")
    first, again = (json.loads(sfumato(*given).stdout) for _ in range(2))
    assert first["methods"]["none"]["strongest"]["attack"] == "tfidf"
    for item in (first, again):
        for method in item["methods"].values():
            del method["cost"]
    assert first == again
    stored = list((tmp_path / "kept").iterdir())
    assert stored
    assert {path.stat().st_mode & 0o077 for path in stored} == {0}


def test_without_a_background_the_rest_is_measured(tmp_path: Path) -> None:
    command, originals, _, _, *rest = files(tmp_path)
    shown = sfumato(command, originals, *rest, *METHODS[:2], "--metric", "rouge-l")
    assert "rouge-l" in shown.stdout
    assert "No plot" in (tmp_path / "report.html").read_text("utf-8")


def test_errors_say_what_to_do(tmp_path: Path) -> None:
    command, originals, _, _, *rest = files(tmp_path)
    assert "no method 'fats'" in sfumato(command, originals, *rest, "--method", "fats", expect=2).stderr
    named = sfumato(command, originals, *rest, *METHODS, "--attack", "tfidf", expect=2)
    assert "give --background FILE" in named.stderr
    nothing = sfumato(command, originals, *rest, *METHODS[:2], "--metric", "risk", expect=2)
    assert "nothing could be measured" in nothing.stderr


def test_two_metrics_are_correlated(tmp_path: Path) -> None:
    given = (*files(tmp_path), *METHODS, "--metric", "rouge-l", "--metric", "length", "--attack", "tfidf")
    shown = sfumato(*given, "--correlate", "rouge-l,length").stdout
    (line,) = [line.split() for line in shown.splitlines() if line.startswith("rouge-l, length  methods")]
    told = json.loads(sfumato(*given, "--correlate", "rouge-l, length", "--json").stdout)["correlations"]
    assert told[0]["metrics"] == ["rouge-l", "length"]
    assert line[3] == f"{told[0]['over_methods']['value']:.3f}"
    assert line[-1] == "3"
    assert "Pearson" in (tmp_path / "report.html").read_text("utf-8")
    wrong = sfumato(*given, "--correlate", "rouge-l", expect=2)
    assert "such as tps,nmi" in wrong.stderr
    assert "bleu: is not measured" in sfumato(*given, "--correlate", "rouge-l,bleu", expect=2).stderr
