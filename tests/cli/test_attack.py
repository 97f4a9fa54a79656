"""``sfumato attack`` as a user runs it."""

from __future__ import annotations

import csv
import json
import stat
from pathlib import Path

import pytest

import sfumato as library
from sfumato.llm.replay import RecordingChat, ScriptedChat
from tests.attacks.linking import ORIGINALS, PEOPLE, RELEASED
from tests.cli.test_commands import sfumato


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = "".join(json.dumps({"id": document.id, "text": document.text}) + "\n" for document in ORIGINALS)
    (tmp_path / "originals.jsonl").write_text(lines)
    (tmp_path / "released.json").write_text(json.dumps(RELEASED))
    rows = [["person", "what is known"], *([key, text] for key, text in PEOPLE.items())]
    with (tmp_path / "people.csv").open("w", newline="") as handle:
        csv.writer(handle).writerows(rows)
    (tmp_path / "people.json").write_text(json.dumps(PEOPLE))
    return tmp_path


def attack(folder: Path, *more: object, expect: int = 0) -> str:
    base = ("attack", folder / "originals.jsonl", folder / "released.json")
    people = ("--background", folder / "people.json", "--attack", "tfidf")
    done = sfumato(*base, *people, *more, expect=expect)
    return done.stdout if expect != 2 else done.stderr


def test_a_sentence_a_table_and_the_documents_at_most_risk(folder: Path) -> None:
    shown = attack(folder)
    assert shown.startswith(
        "1 in 2 of the people in these 4 releases can be found by the strongest attack, tfidf: 50 %"
    )
    assert "any of them" in shown
    assert "1 people of the background have no release" in shown
    assert "pigeons" in shown
    assert "Quorvex" not in shown


def test_json_is_as_documented(folder: Path) -> None:
    parsed = json.loads(attack(folder, "--json"))
    assert set(parsed["attacks"]["tfidf"]) == {"risk", "interval", "n", "median_rank"}
    assert parsed["strongest"]["attack"] == "tfidf"
    assert (parsed["strongest"]["risk"], parsed["any"]["risk"], parsed["any"]["chance"]) == (
        0.5,
        0.5,
        pytest.approx(0.2),
    )
    assert [item["id"] for item in parsed["documents"]][:2] in (["anna", "belo"], ["belo", "anna"])
    for document in parsed["documents"]:
        for quote in document["evidence"]:
            assert RELEASED[document["id"]][quote["start"] : quote["end"]] == quote["term"]


def test_a_table_of_people_with_an_id_column_of_its_own(folder: Path) -> None:
    base = ("attack", folder / "originals.jsonl", folder / "released.json", "--background", folder / "people.csv")
    parsed = json.loads(sfumato(*base, "--background-id-column", "person", "--attack", "tfidf", "--json").stdout)
    assert (parsed["strongest"]["risk"], parsed["people"]) == (0.5, 5)
    wrong = sfumato(*base, "--attack", "tfidf", expect=2)
    assert "(it has: person, what is known)" in wrong.stderr
    assert "--background-id-column" in wrong.stderr


def test_per_document_is_written_for_its_owner_only(folder: Path) -> None:
    each = folder / "each.csv"
    attack(folder, "--per-document", each)
    rows = list(csv.DictReader(each.read_text("utf-8").splitlines()))
    assert [row["candidates"] for row in rows][:2] == ["1", "1"]
    assert {row["linked_by"] for row in rows[:2]} == {"tfidf"}
    assert {row["rank_tfidf"] for row in rows[:2]} == {"1"}
    assert stat.S_IMODE(each.stat().st_mode) == 0o600


def test_without_names_every_attack_that_needs_no_extra_runs(folder: Path) -> None:
    base = ("attack", folder / "originals.jsonl", folder / "released.json", "--background", folder / "people.json")
    parsed = json.loads(sfumato(*base, "--json").stdout)
    assert {"tfidf", "bm25", "combination"} <= set(parsed["attacks"])
    assert not {"trir", "rag", "claims", "inference"} & set(parsed["attacks"])


def test_an_attack_may_ask_a_language_model(folder: Path) -> None:
    recorded = folder / "answers.jsonl"
    chat = RecordingChat(ScriptedChat({"": '{"score": 50, "evidence": []}'}), recorded)
    inputs = (folder / "originals.jsonl", folder / "released.json", folder / "people.json")
    expected = library.attack(*inputs, ["rag"], chat=chat)
    base = ("attack", *inputs[:2], "--background", inputs[2], "--attack", "rag")
    done = sfumato(*base, "--chat", f"replay:{recorded}", "--json")
    parsed = json.loads(done.stdout)
    assert parsed["attacks"]["rag"]["risk"] == expected.attacks["rag"].risk
    assert parsed["cost"]["rag"]["failed"] == 0
    asked = parsed["cost"]["rag"]["questions"]
    assert f"rag: {asked} requests" in done.stderr
    assert "needs a language model: give --chat" in sfumato(*base, expect=2).stderr


def test_errors_say_what_to_do(folder: Path) -> None:
    (folder / "others.json").write_text(json.dumps({"x": "Anna races pigeons", "y": "Belo"}))
    base = ("attack", folder / "originals.jsonl", folder / "released.json", "--attack", "tfidf", "--background")
    nobody = sfumato(*base, folder / "others.json", expect=2).stderr
    assert "not one of 4 documents" in nobody
    assert "no attack 'tfidff'" in attack(folder, "--attack", "tfidff", expect=2)
    assert "does not link texts to people" in attack(folder, "--attack", "claims", expect=2)
    assert "no option 'speed'" in attack(folder, "--set", "tfidf.speed=9", expect=2)


def test_among_few_people_nobody_is_said_to_be_beyond_the_fiftieth(folder: Path) -> None:
    shown = attack(folder)
    assert "over 50" not in shown
    assert "all 5" in shown
