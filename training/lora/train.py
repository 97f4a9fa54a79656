"""Fine-tune a causal language model with low-rank adapters to rewrite originals as their anonymized texts; resumable.

``python -m training.lora.train filled.jsonl notes.jsonl --base MODEL --out FOLDER``

The texts of both files are joined by id. Each pair is the chat that the rewriter ``clinical-rewrite`` has with a model:
its system prompt, the original, and the anonymized text as the answer, which alone is learned. The folder gets the
merged weights as Hugging Face reads them, the adapters, and a model card. A run that was stopped goes on with the same
command and comes to the same weights.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

import torch
from safetensors.torch import save_file

from sfumato.errors import Problem, RecipeError, SfumatoError
from sfumato.files import CONFIDENTIAL, atomic_path
from sfumato.formats.base import OnProblem
from sfumato.llm.prompt import Prompt
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato_papers.synthesis import fine_tune
from sfumato_papers.synthesis.causal import CausalLM, Example
from sfumato_papers.synthesis.fine_tune import Training
from training.lora.adapters import Adapters, adapted, attach, merge
from training.lora.card import write_card
from training.lora.pairs import CLINICAL, Pair, Parts, check_template, divide, examples, read_pairs

CHECKPOINT = "training.pt"
WEIGHTS = "weights"


@dataclass(frozen=True)
class Settings:
    """What a fine-tuning is run with."""

    base: str
    """A causal language model with a chat template: a folder, a GGUF file, or a name of the hub."""
    adapters: Adapters = field(default_factory=Adapters)
    training: Training = field(default_factory=lambda: Training(epochs=3, batch=8, rate=2e-4, micro_batch=4))
    tokens: int = 2048
    """Of a question with its answer; longer pairs are left out."""
    prompt: Path = CLINICAL
    seed: int = 1
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.tokens < 2 or self.seed < 0:
            raise RecipeError(f"tokens is at least 2 and seed at least 0, got {self.tokens} and {self.seed}")


def fine_tune_pairs(
    parts: Parts,
    settings: Settings,
    out: Path,
    *,
    on_problem: OnProblem,
    on_progress: OnProgress = ignore_progress,
) -> dict[str, Any]:
    """Train, or go on with what ``out`` has; write weights, adapters and card. Returns what ``training.json`` says."""
    prompt = Prompt.load(settings.prompt, ("text",), shipped=CLINICAL.parent)
    settings.training.steps(len(parts.train))  # too few are refused before the weights are read
    model = CausalLM(settings.base, settings.device)
    check_template(model)
    fine_tune.open_run_folder(out, _key(settings, model.name, prompt, parts), settings.seed, option="--out")
    report = out / "training.json"
    if report.is_file():
        finished: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return finished
    train = examples(model, prompt, parts.train, settings.tokens, on_problem)
    held = examples(model, prompt, parts.validation, settings.tokens, on_problem)
    began = monotonic()
    before = mean_loss(model, held)
    layers = attach(model.network, settings.adapters, settings.seed)
    losses = fine_tune.fit(
        model.network,
        train,
        settings.training,
        None,
        seed=settings.seed,
        checkpoint=out / CHECKPOINT,
        filler=model.end,
        on_progress=on_progress,
    )
    after = mean_loss(model, held)
    learned = sum(value.numel() for value in model.network.parameters() if value.requires_grad)
    weights = {
        f"{name}.{part}": getattr(module, part).detach().cpu().contiguous()
        for name, module in adapted(model.network)
        for part in ("down", "up")
    }
    with atomic_path(out / "adapters.safetensors", CONFIDENTIAL) as temporary:
        save_file(weights, temporary, {"rank": str(settings.adapters.rank), "alpha": str(settings.adapters.alpha)})
    merge(model.network)
    model.save(out / WEIGHTS)
    content = {
        "base": model.name,
        "prompt": prompt.name,
        "pairs": len(train),
        "validation_pairs": len(held),
        "adapters": {
            **asdict(settings.adapters),
            "targets": list(settings.adapters.targets),
            "layers": len(layers),
            "parameters": learned,
        },
        "training": {**asdict(settings.training), "steps": len(losses), "last_loss": losses[-1]},
        "tokens": settings.tokens,
        "seed": settings.seed,
        "validation_loss": {"base": before, "fine_tuned": after},
        "device": settings.device,
        "seconds_since_last_start": round(monotonic() - began, 1),
        "date": datetime.now(UTC).date().isoformat(),
    }
    write_card(out / WEIGHTS / "README.md", content)
    with atomic_path(report, CONFIDENTIAL) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    (out / CHECKPOINT).unlink()
    return content


def mean_loss(model: CausalLM, held: Sequence[Example]) -> float:
    """Nats per learned token."""
    tokens = sum(len(item.ids) - item.first for item in held)
    return float(model.losses(held, batch=1).sum()) / tokens


def _key(settings: Settings, base: str, prompt: Prompt, parts: Parts) -> str:
    """A fingerprint of all that the weights depend on."""
    shaping = {
        "base": base,
        "prompt": [prompt.name, prompt.system, prompt.user],
        "adapters": asdict(settings.adapters),
        "training": asdict(settings.training),
        "tokens": settings.tokens,
        "device": settings.device.partition(":")[0],
        "seed": settings.seed,
    }
    digest = sha256(json.dumps(shaping, sort_keys=True).encode())
    for number, pairs in enumerate(parts):
        for pair in pairs:
            digest.update(_digest(number, pair))
    return digest.hexdigest()


def _digest(number: int, pair: Pair) -> bytes:
    content = json.dumps([number, pair.id, pair.original, pair.anonymized], ensure_ascii=True)
    return sha256(content.encode()).digest()


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("originals", type=Path, help="texts with ids, such as sfumato fill writes")
    parser.add_argument("anonymized", type=Path, help="what each is to become, with the same ids")
    parser.add_argument("--base", required=True, help="a causal model with a chat template: a folder or a .gguf file")
    parser.add_argument("--out", type=Path, required=True, help="confidential: checkpoint, adapters, merged weights")
    parser.add_argument("--split", type=Path, help="JSON of sfumato fill --split; else every tenth pair is set aside")
    parser.add_argument("--prompt", type=Path, default=CLINICAL, help="a TOML file; else that of clinical-rewrite")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--alpha", type=float, default=32.0)
    parser.add_argument(
        "--target", action="append", default=[], help="a kind of layer, such as q_proj; else all linear"
    )
    parser.add_argument("--epochs", type=float, default=3.0)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--micro-batch", type=int, default=4, help="pairs in memory at once")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--tokens", type=int, default=2048, help="longer pairs are left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args(argv)


def _show(progress: Progress) -> None:
    end = "\n" if progress.done == progress.total else "\r"
    print(f"{progress.stage} {progress.done}/{progress.total} {progress.detail}", end=end, file=sys.stderr, flush=True)


def _report(problem: Problem) -> None:
    print(problem, file=sys.stderr)


def main(argv: Sequence[str] | None = None) -> None:
    given = parse(argv)
    try:
        settings = Settings(
            given.base,
            Adapters(given.rank, given.alpha, tuple(given.target)),
            Training(given.epochs, given.batch, given.rate, given.micro_batch),
            given.tokens,
            given.prompt,
            given.seed,
            given.device,
        )
        parts = divide(read_pairs(given.originals, given.anonymized, _report), given.split)
        print(json.dumps(fine_tune_pairs(parts, settings, given.out, on_problem=_report, on_progress=_show), indent=1))
    except SfumatoError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
