"""``sfumato measure`` as a user runs it."""

from __future__ import annotations

import csv
import json
import stat
from pathlib import Path

import pytest

import sfumato as library
from sfumato.llm.replay import RecordingChat, ScriptedChat
from tests.cli.test_commands import sfumato

TEXT = "Anna Quorvex lives in Lublin with two cats and a dog."
MENTIONS = [
    {"start_offset": 0, "end_offset": 12, "entity_type": "PERSON", "identifier_type": "DIRECT", "entity_id": "1"},
    {"start_offset": 22, "end_offset": 28, "entity_type": "LOC", "identifier_type": "QUASI", "entity_id": "2"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    case = {"doc_id": "a", "text": TEXT, "annotations": {"one": {"entity_mentions": MENTIONS}}}
    (tmp_path / "tab.json").write_text(json.dumps([case]))
    (tmp_path / "labels.masks.json").write_text(json.dumps({"a": [[0, 12, "PERSON_1"], [22, 28, "LOC_1"]]}))
    (tmp_path / "names.json").write_text(json.dumps({"a": [[0, 12]]}))
    (tmp_path / "rewrite.jsonl").write_text(json.dumps({"id": "a", "text": "Someone keeps pets at home."}) + "\n")
    (tmp_path / "plain.jsonl").write_text(json.dumps({"id": "a", "text": TEXT}) + "\n")
    return tmp_path


FAST = ("--metric", "tab-quasi-recall", "--metric", "levenshtein")


def test_a_table_by_family_with_intervals_and_arrows(folder: Path) -> None:
    shown = sfumato("measure", folder / "tab.json", folder / "names.json", *FAST).stdout
    assert "levenshtein" in shown
    (quasi,) = [line.split() for line in shown.splitlines() if "tab-quasi-recall" in line]
    assert quasi == ["tab-quasi-recall", "↑", "0.000", "[0.000,", "0.793]", "1"]


def test_json_is_as_documented(folder: Path) -> None:
    parsed = json.loads(sfumato("measure", folder / "tab.json", folder / "names.json", *FAST, "--json").stdout)
    assert set(parsed) == {"metrics", "refused", "cost", "problems"}
    lr = parsed["metrics"]["lr"]
    assert set(lr) == {"value", "interval", "n", "higher_is_better", "settings"}
    assert (lr["value"], lr["n"], lr["higher_is_better"]) == (50.0, 1, True)
    assert parsed["cost"]["lr"]["seconds"] >= 0


def test_several_releases_stand_side_by_side(folder: Path) -> None:
    releases = (folder / "names.json", folder / "labels.masks.json", folder / "rewrite.jsonl")
    shown = sfumato("measure", folder / "tab.json", *releases, *FAST, expect=1)
    assert {"names", "labels", "rewrite"} <= set(shown.stdout.split("\n")[0].split())
    assert "tab-quasi-recall (rewrite): 1 of 1 releases are rewritten" in shown.stdout
    parsed = json.loads(sfumato("measure", folder / "tab.json", *releases, *FAST, "--json", expect=1).stdout)
    assert {name: one["metrics"]["smr"]["value"] for name, one in parsed["releases"].items()} == {
        "names": 50.0,
        "labels": 100.0,
        "rewrite": 100.0,
    }


def test_tables_are_written(folder: Path) -> None:
    out, each = folder / "scores.csv", folder / "each.csv"
    sfumato("measure", folder / "tab.json", folder / "names.json", *FAST, "--csv", out, "--per-document", each)
    rows = {row["metric"]: row for row in csv.DictReader(out.read_text("utf-8").splitlines())}
    assert (rows["lr"]["value"], rows["lr"]["family"], rows["lr"]["release"]) == ("50.0", "levenshtein", "names")
    per_document = [row for row in csv.DictReader(each.read_text("utf-8").splitlines()) if row["metric"] == "lr"]
    assert per_document == [{"release": "names", "metric": "lr", "id": "a", "value": "50.0", "attack": ""}]
    assert stat.S_IMODE(each.stat().st_mode) == 0o600


def test_exit_codes_tell_what_was_measured(folder: Path) -> None:
    refused = sfumato(
        "measure", folder / "plain.jsonl", folder / "names.json", "--metric", "lr", "--metric", "rouge-l", expect=1
    )
    assert "lr: it needs reference spans (--gold FILE)" in refused.stdout
    nothing = sfumato("measure", folder / "plain.jsonl", folder / "names.json", "--metric", "lr", expect=2)
    assert "nothing could be measured" in nothing.stderr


def test_settings_are_given_by_name(folder: Path) -> None:
    base = ("measure", folder / "tab.json", folder / "names.json", "--metric", "lr", "--json")
    parsed = json.loads(sfumato(*base, "--set", "lr.threshold=0.95", "--set", "lr.within=note").stdout)
    assert parsed["metrics"]["lr"]["settings"]["threshold"] == 0.95
    assert parsed["metrics"]["lr"]["settings"]["within"] == "note"
    assert "write METRIC.SETTING=VALUE" in sfumato(*base, "--set", "lr", expect=2).stderr
    assert "no metric 'lrx'" in sfumato(*base, "--set", "lrx.threshold=1", expect=2).stderr
    assert "no metric or family" in sfumato(*base, "--metric", "tabb", expect=2).stderr


def test_metrics_may_ask_a_language_model(folder: Path) -> None:
    recorded, masks = folder / "answers.jsonl", folder / "vague.json"
    masks.write_text(json.dumps({"a": [[0, 12, "PERSON_1"], [22, 28, "a city"]]}))
    chat = RecordingChat(ScriptedChat({"": '{"answers": [true, false]}'}), recorded)
    named = {"truthful": {"judge": "chat"}, "abstract": {"judge": "chat"}}
    expected = library.measure(folder / "tab.json", masks, metrics=["truthful", "abstract"], settings=named, chat=chat)
    assert (expected.scores["truthful"].value, expected.scores["abstract"].value) == (1.0, 0.0)
    base = ("measure", folder / "tab.json", masks, "--metric", "truthful", "--metric", "abstract")
    given = ("--set", "truthful.judge=chat", "--set", "abstract.judge=chat")
    done = sfumato(*base, *given, "--chat", f"replay:{recorded}", "--json")
    parsed = json.loads(done.stdout)
    assert {name: one["value"] for name, one in parsed["metrics"].items()} == {"truthful": 1.0, "abstract": 0.0}
    assert parsed["metrics"]["truthful"]["settings"]["judge"] == "chat:scripted,prompt=judge-generalizations@1"
    # Both ask the same: one of them is answered from memory.
    assert sorted(parsed["cost"][name]["cached"] for name in ("truthful", "abstract")) == [0, 1]
    assert "truthful: 1 requests" in done.stderr
    missing = json.loads(sfumato(*base, *given, "--json", expect=2).stdout)
    assert "needs a language model: give --chat URL|FILE.gguf" in missing["refused"]["truthful"]


def test_overlapping_masks_are_a_warning_and_no_failure(folder: Path) -> None:
    (folder / "published.json").write_text(json.dumps({"a": [[0, 4, "X"], [2, 12, "Y"], [22, 28]]}))
    shown = sfumato("measure", folder / "tab.json", folder / "published.json", *FAST)
    assert "1 documents have masks that overlap (a)" in shown.stderr


def test_two_files_of_one_document_each_belong_together_whatever_their_names(folder: Path) -> None:
    (folder / "letter.txt").write_text(TEXT)
    (folder / "released.txt").write_text("Someone lives in Lublin with two cats and a dog.")
    shown = sfumato("measure", folder / "letter.txt", folder / "released.txt", "--metric", "rouge-l").stdout
    assert "rouge-l" in shown


def test_shares_by_type_follow_the_table_where_the_metric_is_named(folder: Path) -> None:
    edits = [
        {"start": 0, "end": 12, "label": "PERSON", "replacement": "PERSON_1", "reasons": ["tagger", "label"]},
        {
            "start": 22,
            "end": 28,
            "label": "LOC",
            "replacement": "a town",
            "reasons": ["tagger", "level 2 of 5 (places)"],
        },
    ]
    (folder / "audit.jsonl").write_text(json.dumps({"id": "a", "released_id": "a", "edits": edits}) + "\n")
    given = ("measure", folder / "tab.json", folder / "audit.jsonl", "--metric", "label-fallback")
    lines = [line.split() for line in sfumato(*given).stdout.splitlines()]
    assert ["type", "level", "1", "level", "2", "label", "no", "candidate", "n"] in lines
    assert ["LOC", "0.000", "1.000", "0.000", "0.000", "1"] in lines
    shown = sfumato("measure", folder / "tab.json", folder / "audit.jsonl", "--metric", "truthful-and-abstract").stdout
    assert ["LOC", "1.000", "0.000", "0.000", "0.000", "1"] in [line.split() for line in shown.splitlines()]
    several = sfumato(*given[:3], folder / "labels.masks.json", "--metric", "replacement-similarity").stdout
    assert ["release", "type", "similarity", "n"] in [line.split() for line in several.splitlines()]
