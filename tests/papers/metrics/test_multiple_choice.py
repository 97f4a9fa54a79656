"""Exam questions answered from originals and releases, against values counted by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from sfumato import registry
from sfumato.document import Document, Release, Score
from sfumato.errors import InputError, NotMeasurable
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato.metrics.base import MetricInput
from sfumato.statistics import wilson
from sfumato_papers.metrics.multiple_choice import Exam, load_exam

OPTIONS = {"A": "flour", "B": "yeast", "C": "salt", "D": "milk"}
EXAM: dict[str, Any] = {
    "a": {"options": OPTIONS, "answer": "A"},
    "b": {"options": OPTIONS, "answer": "B"},
    "c": {**OPTIONS, "E": "eggs", "answer": "e", "question": "What binds the cake?"},
    "d": {"A": "yes", "B": "no", "answer": "A"},
}
CASES = [Release.rewritten(Document(key, f"old {key}"), f"new {key}") for key in "abcd"]


def measured(releases: list[Release], chat: ScriptedChat, questions: Any = EXAM) -> Score:
    result: Score = registry.get("metric", "mcq-accuracy")(MetricInput(releases, chat=chat), questions=questions)
    return result


class Student:
    """Answers by the text; without one, always A."""

    def __init__(self, **letters: str) -> None:
        self.letters = {text.replace("_", " "): letter for text, letter in letters.items()}

    def __call__(self, request: Request) -> str:
        texts = [letter for text, letter in self.letters.items() if f"\n{text}\n" in request.messages[-1].text]
        return json.dumps({"answer": texts[0] if texts else "A"})


def test_accuracy_before_after_and_on_nothing() -> None:
    old = {"old_a": "A", "old_b": "B", "old_c": "E", "old_d": "A"}
    new = {"new_a": "A", "new_b": "C", "new_c": "E", "new_d": "C"}  # d has no option C
    chat = ScriptedChat(Student(**old, **new))
    score = measured(CASES, chat)
    assert (score.value, score.interval, score.n) == (2 / 3, wilson(2, 3), 3)
    assert score.per_document == {"a": 1.0, "b": 0.0, "c": 1.0}
    assert score.settings["on_originals"] == {"value": 1.0, "interval": list(wilson(4, 4)), "n": 4}
    assert score.settings["on_nothing"] == {"value": 0.5, "interval": list(wilson(2, 4)), "n": 4}
    assert score.settings["change"]["value"] == pytest.approx(-1 / 3)
    assert score.settings["change"]["interval"] == [-1.0, 0.0]
    assert score.settings["change"]["n"] == 3
    assert score.settings["chance"] == pytest.approx((1 / 4 + 1 / 4 + 1 / 5) / 3)
    assert score.settings["unreadable"] == 1
    assert score.settings["questions"] == "4 given"
    # Originals, releases and no text; a and b are the same question where there is none; one is asked three times.
    assert len(chat.asked) == 12 - 1 + 2
    (asked,) = (request for request in chat.asked if "\nnew c\n" in request.messages[-1].text)
    assert "What binds the cake?\nA. flour\nB. yeast\nC. salt\nD. milk\nE. eggs\n" in asked.messages[-1].text


def test_documents_without_a_question_and_too_long_ones_are_counted() -> None:
    long = Release.rewritten(Document("d", "word " * 4000), "short")
    chat = ScriptedChat(Student(), context=2000)
    score = measured([*CASES[:1], long, Release(Document("x", "No question."))], chat)
    assert (score.n, score.settings["too_long"], score.settings["without_question"]) == (1, 1, 1)
    with pytest.raises(NotMeasurable, match="all 1 texts are too long"):
        measured([long], chat)


def test_what_is_missing_is_said() -> None:
    chat = ScriptedChat({})
    with pytest.raises(NotMeasurable, match=r"--set mcq-accuracy.questions=FILE"):
        measured(CASES, chat, None)
    with pytest.raises(NotMeasurable, match="no document has a question"):
        measured(CASES, chat, {"z": EXAM["a"]})
    with pytest.raises(NotMeasurable, match="no answer that can be read"):
        measured(CASES, ScriptedChat(lambda request: "The answer is A."))


def test_a_question_that_repeats_its_text_is_refused() -> None:
    leak = {"a": {**EXAM["a"], "question": "It says: old a. What is in it?"}}
    with pytest.raises(InputError, match="document a holds the whole original text"):
        measured(CASES, ScriptedChat({}), leak)


def test_every_format_gives_the_same_exam(tmp_path: Path) -> None:
    lines, table, whole = tmp_path / "q.jsonl", tmp_path / "q.csv", tmp_path / "q.json"
    lines.write_text("".join(json.dumps({"id": key, **one}) + "\n" for key, one in EXAM.items()), encoding="utf-8")
    whole.write_text(json.dumps(EXAM), encoding="utf-8")
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["id", "question", *"ABCDE", "answer"])
        writer.writeheader()
        for key, one in EXAM.items():
            writer.writerow({"id": key, **one.get("options", {}), **{k: v for k, v in one.items() if k != "options"}})
    wanted = load_exam(EXAM)
    assert wanted["c"] == Exam({**OPTIONS, "E": "eggs"}, "E", "What binds the cake?")
    assert load_exam(lines) == load_exam(table) == load_exam(str(whole)) == wanted


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.txt", "", "is no table of ids; save it as .csv, .tsv, .json or .jsonl"),
        ("q.jsonl", "", "the file is empty"),
        ("q.json", "{}", "holds no question"),
        ("q.jsonl", '{"A": "x", "B": "y", "answer": "A"}\n', "q.jsonl, line 1: has no id"),
        ("q.jsonl", '{"id": 0, "A": "x", "answer": "A"}\n', "line 1: has 1 options"),
        ("q.jsonl", '{"id": 1, "A": "x", "B": "y", "answer": "C"}\n', "the answer is not one of the letters A, B"),
        ("q.jsonl", '{"id": 1, "A": "x", "B": "y"}\n', "the answer is not one of"),
        ("q.jsonl", '{"id": 1, "A": "x", "B": "y", "answer": "A"}\n' * 2, "line 2: the id 1 was there before"),
        ("q.jsonl", "{broken\n", "q.jsonl:1: the line is not valid JSON"),
        ("q.json", '{"a": 3}', "id a: is no record"),
        ("q.json", "[", "q.json"),
        ("q.csv", "id,A,B,answer\n1,x,y,z\n", "record 1: the answer is not one of"),
    ],
)
def test_a_bad_exam_is_refused_by_place(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load_exam(tmp_path / name)
    assert message in str(refused.value)
    with pytest.raises(InputError, match="there is no such file"):
        load_exam(tmp_path / "none.jsonl")
