"""A small causal language model from scratch: its size, what it learns, what a stop changes, and its use as a base."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.extras,
    pytest.mark.filterwarnings("default"),  # of transformers
]
torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from training.causal_lm import train

from sfumato.errors import InputError, OutputError, RecipeError
from sfumato_papers.synthesis import fine_tune
from sfumato_papers.synthesis.causal import CausalLM, SamplingOptions
from sfumato_papers.synthesis.fine_tune import Training

TEXTS = [f"The {job} races {count} pigeons on a quiet day." for job in ("judge", "baker") for count in range(40)]
TINY = train.Size(vocabulary=300, width=24, inner=32, layers=1, heads=2, context=32)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """So small a network is slower on several."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def run(out: Path, **changes: Any) -> dict[str, Any]:
    chosen = {"size": TINY, "training": Training(epochs=2, batch=8, rate=1e-2), **changes}
    return train.train_base(TEXTS, train.Settings(**chosen), out)


def test_texts_are_learned_and_the_result_is_a_base(tmp_path: Path) -> None:
    report = run(tmp_path / "m", training=Training(epochs=4, batch=8, rate=2e-2))
    assert report["held_out_loss"]["after"] < 0.6 * report["held_out_loss"]["before"]
    assert report["texts"] == 80
    model = CausalLM(str(tmp_path / "m" / "weights"))
    assert model.longest == 32
    assert model.tokenizer.decode(model.tokens("Zürich ☃")) == "Zürich ☃"
    [text] = model.sample([model.prompt("")], [[1]], SamplingOptions(max_tokens=10))
    assert text
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == ["run.json", "training.json", "weights"]


def test_the_default_has_about_twenty_million_weights() -> None:
    size = train.Size()
    layer = 4 * size.width**2 + 3 * size.width * size.inner + 2 * size.width
    assert size.vocabulary * size.width + size.layers * layer + size.width == pytest.approx(20.6e6, rel=0.03)


def test_a_stopped_run_comes_to_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(tmp_path / "whole")
    monkeypatch.setattr(fine_tune, "CHECKPOINT_SECONDS", 0.0)
    write, saved = fine_tune._save, list[Path]()

    def stop_at_third(checkpoint: Path, *state: Any) -> None:
        write(checkpoint, *state)
        saved.append(checkpoint)
        if len(saved) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(fine_tune, "_save", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "m")
    monkeypatch.undo()
    again = run(tmp_path / "m")
    assert again["held_out_loss"]["after"] == whole["held_out_loss"]["after"]
    one, other = (CausalLM(str(tmp_path / name / "weights")).network.state_dict() for name in ("whole", "m"))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert run(tmp_path / "m") == again
    with pytest.raises(OutputError, match="name another --out folder"):
        run(tmp_path / "m", seed=2)


def test_what_cannot_be_trained_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="windows of 32 tokens are fewer than one batch of 500"):
        run(tmp_path / "m", training=Training(epochs=1, batch=500, rate=1e-2))
    with pytest.raises(InputError, match="there is no text to learn from"):
        train.train_base([" "], train.Settings(size=TINY), tmp_path / "n")
    with pytest.raises(RecipeError, match="width a multiple of twice the heads"):
        train.Size(width=25)


def test_the_command_reads_records_and_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records, plain = tmp_path / "r.jsonl", tmp_path / "p.txt"
    records.write_text("".join(json.dumps({"said": text}) + "\n" for text in TEXTS), encoding="utf-8")
    plain.write_text(TEXTS[0], encoding="utf-8")
    size = [word for name in ("vocabulary", "width", "inner", "layers", "heads", "context") for word in _option(name)]
    words = [str(records), str(plain), "--out", str(tmp_path / "m"), "--epochs", "0.2", "--batch", "4", *size]
    with pytest.raises(SystemExit, match=r"error: .*r.jsonl: cannot be read \(KeyError\).*--text-column"):
        train.main([*words, "--device", "cpu"])
    train.main([*words, "--device", "cpu", "--text-column", "said"])
    assert json.loads(capsys.readouterr().out)["texts"] == 81


def _option(name: str) -> list[str]:
    return [f"--{name}", str(getattr(TINY, name))]
