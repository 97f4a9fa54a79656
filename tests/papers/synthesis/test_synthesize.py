"""Fine-tuning and sampling on tiny networks: what DP-SGD computes, what is repeated after a stop, what is written."""

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

import numpy as np

from sfumato.document import Document
from sfumato.errors import InputError, OutputError, Problem
from sfumato.models.base import load_embedder
from sfumato_papers.synthesis import fine_tune
from sfumato_papers.synthesis.accountant import Sampling
from sfumato_papers.synthesis.causal import CausalLM, Example, SamplingOptions, pad, token_losses
from sfumato_papers.synthesis.fine_tune import Privacy, Training
from sfumato_papers.synthesis.synthesize import Settings, Synthesis, synthesize, synthesize_file
from tests.papers.synthesis.tiny import save

INF = float("inf")
SHORT = SamplingOptions(max_tokens=12)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """So small a network is slower on several."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("base"))


def examples(count: int = 6) -> list[Example]:
    draws = np.random.default_rng(1)
    return [Example((0, *draws.integers(2, 200, int(size)).tolist(), 1)) for size in draws.integers(3, 9, count)]


def gradient_of(network: Any, example: Example) -> dict[str, Any]:
    """By plain autograd, one record at a time."""
    network.zero_grad()
    ids = torch.tensor([example.ids])
    shares = network(input_ids=ids).logits[0, :-1].log_softmax(-1)
    loss = -sum(shares[place, token] for place, token in enumerate(example.ids[1:])) / (len(example.ids) - 1)
    loss.backward()
    return {name: value.grad.clone() for name, value in network.named_parameters()}


@pytest.mark.parametrize("clip", [0.05, 1e6])
def test_the_private_gradient_is_the_sum_of_clipped_ones_plus_noise(base: Path, clip: float) -> None:
    network = CausalLM(str(base)).network
    some = examples()
    wanted = {name: torch.zeros_like(value) for name, value in network.named_parameters()}
    for example in some:
        parts = gradient_of(network, example)
        norm = torch.sqrt(sum((part**2).sum() for part in parts.values()))
        assert clip == 1e6 or norm > clip
        for name, part in parts.items():
            wanted[name] += part * min(1.0, clip / norm)
    weights = dict(network.named_parameters())
    # Expected batches of 4: that is the divisor, whatever the number of records drawn.
    training = Training(epochs=1, batch=4, rate=1e-3, micro_batch=4)
    still = fine_tune._PrivateGradients(network, weights, 1, Privacy(0.0, clip, 1e-3, Sampling(0.5, 1)))
    still.compute(some, training)
    for name, value in weights.items():
        assert torch.allclose(value.grad, wanted[name] / 4, atol=1e-6, rtol=1e-4), name
    clean = {name: value.grad.clone() for name, value in weights.items()}
    noisy = fine_tune._PrivateGradients(network, weights, 1, Privacy(3.0, clip, 1e-3, Sampling(0.5, 1)))
    noisy.compute(some, training)
    noise = torch.cat([(value.grad - clean[name]).flatten() for name, value in weights.items()]) * 4 / clip
    assert noise.std().item() == pytest.approx(3.0, rel=0.03)
    assert noise.mean().item() == pytest.approx(0.0, abs=0.1)
    # An empty batch is noise alone, not a step that is left out.
    noisy.compute([], training)
    alone = torch.cat([value.grad.flatten() for value in weights.values()]) * 4 / clip
    assert alone.std().item() == pytest.approx(3.0, rel=0.03)


def test_batches_are_drawn_by_poisson_sampling(base: Path) -> None:
    network = CausalLM(str(base)).network
    gradients = fine_tune._PrivateGradients(
        network, dict(network.named_parameters()), 1, Privacy(1.0, 1.0, 1e-3, Sampling(0.2, 1))
    )
    drawn = [gradients.choose(50, step, 10, 7) for step in range(400)]
    sizes = np.array([len(numbers) for numbers in drawn])
    assert sizes.mean() == pytest.approx(10, abs=0.5)
    assert sizes.var() == pytest.approx(50 * 0.2 * 0.8, rel=0.25)
    assert drawn == [gradients.choose(50, step, 10, 7) for step in range(400)]


def test_the_filling_changes_no_loss(base: Path) -> None:
    model = CausalLM(str(base))
    some = examples()
    together = model.losses(some)
    alone = [float(model.losses([example])[0]) for example in some]
    assert together == pytest.approx(alone, rel=1e-5)
    ids, learned = pad([Example((0, 5, 6, 7), first=2)], 1, torch.device("cpu"))
    assert learned.tolist() == [[0.0, 1.0, 1.0]]
    logits = torch.randn(1, 4, 9)
    wanted = torch.nn.functional.cross_entropy(logits[0, :-1], ids[0, 1:], reduction="none")
    assert torch.allclose(token_losses(logits, ids)[0], wanted, atol=1e-6)


def test_sampling_is_by_seed_and_by_top_p(base: Path) -> None:
    model = CausalLM(str(base))
    prompts = [model.prompt(""), model.prompt("job: judge")]
    first = model.sample(prompts, [[1, 0], [1, 1]], SHORT)
    assert first == model.sample(prompts, [[1, 0], [1, 1]], SHORT)
    assert first != model.sample(prompts, [[2, 0], [2, 1]], SHORT)
    # top_p near 0 leaves the likeliest token, whatever is drawn.
    greedy = SamplingOptions(top_p=1e-9, max_tokens=5)
    ids = [model.prompt("")]
    assert model.sample(ids, [[1]], greedy) == model.sample(ids, [[99]], greedy)
    with torch.no_grad():
        likeliest = int(model.network(input_ids=torch.tensor(ids)).logits[0, -1].argmax())
    drawn = model.sample(ids, [[1]], SamplingOptions(top_p=1e-9, max_tokens=1))
    assert drawn == [model.tokenizer.decode([likeliest], skip_special_tokens=True).strip()]
    logits = torch.log(torch.tensor([[0.5, 0.3, 0.2]]))
    tokens = [int(model._draw(logits, [draw], SamplingOptions(top_p=0.6))) for draw in (0.0, 0.62, 0.63, 0.999)]
    assert tokens == [0, 0, 1, 1]  # 0.5 and 0.3 of what is left, 0.8


def records(count: int = 24) -> list[Document]:
    jobs = ("judge", "baker")
    return [
        Document(str(n), f"The {jobs[n % 2]} races pigeons.", meta={"kept": {"job": jobs[n % 2]}}) for n in range(count)
    ]


def run(base: Path, folder: Path, **settings: Any) -> Synthesis:
    chosen = {"epsilon": INF, "epochs": 2, "batch": 8, "rate": 1e-2, "sampling": SHORT, "seed": 5, **settings}
    problems: list[Problem] = []
    return synthesize(
        records(), Settings(base=str(base), **chosen), folder, embedder=load_embedder(), on_problem=problems.append
    )


def test_records_are_learned(base: Path, tmp_path: Path) -> None:
    longer = SamplingOptions(max_tokens=40, top_p=0.5)
    outcome = run(base, tmp_path / "m", epochs=80, sampling=longer, code_columns=("job",), canaries=2)
    assert list(outcome.texts)[:2] == ["s0001", "s0002"]
    assert len(outcome.texts) == 24
    assert outcome.report["training"]["last_loss"] < 0.7
    right = sum(job in text for text, job in zip(outcome.texts.values(), ["judge", "baker"] * 12, strict=True))
    assert right > 12, "the control code decides what is written"
    assert outcome.report["memorization"]["exposure"]["value"] > 5
    assert outcome.report["privacy"] == {"epsilon": "inf", "delta": None, "codes": "from the records"}


@pytest.mark.parametrize("epsilon", [3.0, INF])
def test_a_stopped_run_goes_on_with_the_same_result(
    base: Path, tmp_path: Path, epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"epsilon": epsilon, "delta": 1e-3, "canaries": 1}
    whole = run(base, tmp_path / "whole", **options)
    monkeypatch.setattr(fine_tune, "CHECKPOINT_SECONDS", 0.0)
    write, saved = fine_tune._save, list[Path]()

    def stop_at_third(checkpoint: Path, *state: Any) -> None:
        write(checkpoint, *state)
        saved.append(checkpoint)
        if len(saved) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(fine_tune, "_save", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        run(base, tmp_path / "m", **options)
    draw = CausalLM.sample

    def stopped(self: CausalLM, *given: Any) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(CausalLM, "sample", stopped)
    with pytest.raises(KeyboardInterrupt):  # now in sampling
        run(base, tmp_path / "m", **options)
    monkeypatch.setattr(CausalLM, "sample", draw)
    again = run(base, tmp_path / "m", **options)
    assert again.texts == whole.texts
    assert again.report == whole.report
    # Finished: nothing is trained or sampled any more.
    monkeypatch.setattr(fine_tune._PlainGradients, "compute", stopped)
    monkeypatch.setattr(fine_tune._PrivateGradients, "compute", stopped)
    monkeypatch.setattr(CausalLM, "sample", stopped)
    assert run(base, tmp_path / "m", **options).texts == whole.texts


def test_the_epsilon_spent_is_reported(base: Path, tmp_path: Path) -> None:
    outcome = run(base, tmp_path / "m", epsilon=8.0, delta=1e-3, count=5, seed=None)
    privacy = outcome.report["privacy"]
    assert 7.9 < privacy["epsilon"] <= 8
    assert (privacy["delta"], privacy["steps"], privacy["sampling_rate"]) == (1e-3, 6, 8 / 24)
    assert len(outcome.texts) == 5
    # More records from the same weights: no training, the same ε.
    more = run(base, tmp_path / "m", epsilon=8.0, delta=1e-3, count=7, seed=None)
    assert len(more.texts) == 7
    assert more.report["privacy"] == privacy


def test_a_folder_of_another_run_is_not_taken_up(base: Path, tmp_path: Path) -> None:
    run(base, tmp_path / "m", epochs=1, count=2)
    with pytest.raises(OutputError, match="holds a model of other records or settings"):
        run(base, tmp_path / "m", epochs=2, count=2)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("x")
    with pytest.raises(OutputError, match="is not empty and holds no earlier run"):
        run(base, tmp_path / "other", epochs=1)
    (tmp_path / "m" / "training.pt").write_bytes(b"no checkpoint")
    with pytest.raises(InputError, match=r"training.pt cannot be read as a checkpoint .* delete it"):
        run(base, tmp_path / "m", epochs=1, count=2)


def test_files_in_and_out(base: Path, tmp_path: Path) -> None:
    rows = [{"id": item.id, "job": item.meta["kept"]["job"], "text": item.text} for item in records()]
    rows += [{"id": "empty", "job": "judge", "text": " "}, {"id": "long", "job": "judge", "text": "pigeons " * 40}]
    source = tmp_path / "records.jsonl"
    source.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    settings = Settings(base=str(base), epsilon=INF, epochs=1, batch=8, sampling=SHORT, code_columns=("job",), seed=1)
    summary = synthesize_file(source, tmp_path / "new.jsonl", settings, embedder=load_embedder())
    written = [json.loads(line) for line in (tmp_path / "new.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [set(row) for row in written] == [{"id", "text"}] * len(summary.texts)
    assert [str(problem) for problem in summary.problems] == [
        "records: 1 records hold no text and are left out: empty",
        "records: 1 records are longer than 512 tokens and are learned without their ends",
    ]
    assert summary.report["records"] == 25
    folder = tmp_path / "new.jsonl.model"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not list(tmp_path.rglob("*.part"))
    # The fine-tuned weights can be read as any other model.
    assert CausalLM(str(folder / "weights")).losses(examples()).shape == (6,)


def test_given_codes_are_sampled_in_turn(base: Path, tmp_path: Path) -> None:
    outcome = run(base, tmp_path / "m", code_columns=("job",), codes=("job: judge", "job: cook", "job: poet"))
    assert len(outcome.texts) == 3
    assert outcome.report["privacy"]["codes"] == "given"
    with pytest.raises(InputError, match="leaves no room in the model's context of 128"):
        run(base, tmp_path / "m", code_columns=("job",), codes=("job: " + "long " * 40,))
