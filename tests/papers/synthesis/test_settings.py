"""What is wrong with records and settings is refused before a model is read; so no torch is needed here."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sfumato.cli.app import main
from sfumato.document import Document
from sfumato.errors import InputError, MissingExtra, OutputError, RecipeError
from sfumato.models.base import load_embedder
from sfumato_papers.synthesis.causal import SamplingOptions
from sfumato_papers.synthesis.fine_tune import Privacy, Training, plan_privacy
from sfumato_papers.synthesis.synthesize import Settings, record_code, remarks, synthesize, synthesize_file

INF = float("inf")


def write(path: Path, count: int = 30) -> Path:
    rows = [{"id": n, "job": "judge" if n % 2 else "baker", "text": f"Person {n} races pigeons."} for n in range(count)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def run(folder: Path, size: int = 30, **settings: Any) -> None:
    records = write(folder / "records.jsonl", size)
    chosen = Settings(**{"base": str(folder / "none"), "epsilon": 3.0, "delta": 1e-3, **settings})
    synthesize_file(records, folder / "out.jsonl", chosen, embedder=load_embedder())


def test_delta_is_needed_and_at_most_one_in_n(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="a finite ε needs δ: give --delta"):
        run(tmp_path, delta=None)
    with pytest.raises(RecipeError, match=r"δ = 0.04 is not above 0 and at most 1/n = 3.3e-02 for 30 records"):
        run(tmp_path, delta=0.04)
    assert not (tmp_path / "out.jsonl").exists()
    assert not (tmp_path / "out.jsonl.model").exists()


def test_a_corpus_too_small_to_train_on_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="9 records are too few to learn from: give at least 10"):
        run(tmp_path, 9)
    with pytest.raises(InputError, match="12 records are fewer than one batch of 16"):
        run(tmp_path, 12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0.0}, "ε is a number above 0, or inf"),
        ({"epsilon": float("nan")}, "ε is a number above 0, or inf"),
        ({"epochs": 0}, "epochs and rate are numbers above 0"),
        ({"batch": 0}, "batch and micro_batch are at least 1"),
        ({"clip": 0.0}, "the clipping norm is above 0"),
        ({"count": 0}, "at least one record is to be synthesized"),
        ({"codes": ("job: judge",)}, "codes are given, but the records are learned without"),
        ({"epsilon": 1e-5, "delta": 1e-9}, "needs a noise multiplier above"),
    ],
)
def test_settings_are_checked(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        run(tmp_path, **settings)


def test_sampling_is_checked() -> None:
    for wrong in ({"temperature": 0.0}, {"top_p": 0.0}, {"top_p": 1.5}, {"max_tokens": 0}):
        with pytest.raises(RecipeError):
            SamplingOptions(**wrong)


def test_codes_are_columns_with_their_names() -> None:
    document = Document("7", "text", meta={"kept": {"Question": "What\nis it?", "Answer": 3}})
    assert record_code(document, ["Question", "Answer"]) == "Question: What is it? | Answer: 3"
    assert record_code(document, []) == ""
    with pytest.raises(InputError, match="record 7 has no column 'Topic' for its control code"):
        record_code(document, ["Topic"])


def test_outputs_do_not_lie_among_the_records(tmp_path: Path) -> None:
    records = write(tmp_path / "records.jsonl")
    settings = Settings(base="none", epsilon=INF)
    with pytest.raises(OutputError, match="lies among the records"):
        synthesize_file(tmp_path, tmp_path / "new.jsonl", settings, embedder=load_embedder())
    with pytest.raises(OutputError, match="holds one document"):
        synthesize_file(records, tmp_path / "new.txt", settings, embedder=load_embedder())


def test_without_torch_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    documents = [Document(str(n), "He races pigeons.") for n in range(20)]
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[torch\]'"):
        synthesize(
            documents,
            Settings(base=str(tmp_path), epsilon=INF),
            tmp_path / "model",
            embedder=load_embedder(),
            on_problem=lambda problem: None,
        )


def test_the_plan_of_a_finite_epsilon_spends_it() -> None:
    training = Training(epochs=5, batch=10, rate=1e-4)
    plan = plan_privacy(8.0, 1e-3, training, 100, 1.0)
    assert isinstance(plan, Privacy)
    assert (plan.sampling.rate, plan.sampling.steps) == (0.1, 50)
    assert 7.9 < plan.epsilon <= 8.0
    assert plan_privacy(INF, None, training, 100, 1.0) is None


def test_the_rate_rises_and_falls() -> None:
    training = Training(epochs=1, batch=1, rate=1.0, warmup=0.2)
    assert [training.rate_at(step, 10) for step in range(10)] == pytest.approx(
        [0.5, 1, 1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8]
    )


def test_the_report_says_what_lies_outside_of_epsilon() -> None:
    plan = plan_privacy(8.0, 1e-3, Training(5, 10, 1e-4), 100, 1.0)
    from_records = remarks(Settings(base="b", epsilon=8.0, code_columns=("job",)), plan)
    assert any(
        "Control codes for sampling were taken from the records. They lie outside of ε" in r for r in from_records
    )
    given = remarks(Settings(base="b", epsilon=8.0, code_columns=("job",), codes=("job: judge",)), plan)
    assert not any("Control codes" in remark for remark in given)
    assert any("must stay secret" in remark for remark in remarks(Settings(base="b", epsilon=8.0, seed=1), plan))
    assert any("no ε bounds" in remark for remark in remarks(Settings(base="b", epsilon=INF), None))


def test_the_command_refuses_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    records = write(tmp_path / "records.jsonl")
    words = ["synthesize", str(records), "--out", str(tmp_path / "new.jsonl"), "--base", "none", "--epsilon", "8"]
    monkeypatch.setattr(sys, "argv", ["sfumato", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert "a finite ε needs δ" in message
    assert "pigeons" not in message
