"""docs/utility.md: every metric has its section with an example, and what cannot be measured is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sfumato import registry
from sfumato.document import Document, Release
from sfumato.errors import NotMeasurable
from sfumato.metrics.base import MetricInput
from sfumato_papers.metrics.multiple_choice import load_exam
from tests.metrics.invented import LengthScorer, LetterEmbedder

PAGE = (Path(__file__).parents[2] / "docs" / "utility.md").read_text(encoding="utf-8")
FAMILIES = {"information", "structure", "overlap", "form", "task", "generalization", "levels"}
NAMES = [name for name in registry.names("metric") if registry.get("metric", name).family in FAMILIES]


def sections() -> dict[str, str]:
    return dict(re.findall(r"^## ([\w-]+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("name", NAMES)
def test_every_utility_metric_has_a_row_and_a_section_with_an_example(name: str) -> None:
    better = "higher" if registry.get("metric", name).higher_is_better else "lower"
    assert re.search(rf"^\| \[`{name}`\]\(#{name}\) \|[^|]*\| {better} \|", PAGE, re.MULTILINE)
    assert "```python\n" in sections()[name]
    assert f'value("{name}"' in sections()[name]


@pytest.mark.parametrize("name", NAMES)
def test_rewritten_texts_are_measured_or_refused_as_the_page_says(name: str) -> None:
    row = re.search(rf"^\| \[`{name}`\].*$", PAGE, re.MULTILINE)
    assert row
    texts = [f"The {kind} clerk of ward {number} met a judge." for number in range(4) for kind in ("old", "young")]
    releases = [Release.rewritten(Document(str(n), text), text + " Gladly.") for n, text in enumerate(texts)]
    labels = {str(n): text.split()[1] for n, text in enumerate(texts)}
    inputs = MetricInput(releases, labels=labels, scorer=LengthScorer(), embedder=LetterEmbedder())
    if row[0].split("|")[4].strip() == "no":
        with pytest.raises(NotMeasurable, match="8 of 8 releases are rewritten"):
            registry.get("metric", name)(inputs)
    else:
        score = registry.get("metric", name)(inputs)
        assert score.n == 8
        assert score.interval[0] <= score.value <= score.interval[1]


def test_the_files_made_of_medqa_keep_the_question_out_of_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"A": "Rest", "B": "A cast"}
    stems = (
        "A baker fell on her hand. Her wrist hurts.\nSodium 140 mEq/L\nWhat is the best next step?",
        "A man of 40 is seen. What does he need?",
        "What is a cast?",
    )
    rows = [{"question": f"{stem}\nA) Rest\nB) A cast", "options": options, "answer": "B"} for stem in stems]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (program,) = re.findall(r"```text\n(import json\n.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    texts = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text(encoding="utf-8").splitlines()]
    exam = load_exam(tmp_path / "exam.jsonl")
    assert [text["id"] for text in texts] == [0, 1]
    assert texts[0]["text"].endswith("140 mEq/L")
    assert texts[1]["text"] == "A man of 40 is seen."
    assert [value.question for value in exam.values()] == ["What is the best next step?", "What does he need?"]
