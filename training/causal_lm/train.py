"""Train a small causal language model from scratch: a tokenizer and about 20 million weights; resumable.

``python -m training.causal_lm.train TEXTS... --out FOLDER``

FOLDER/weights can be the ``--base`` of ``sfumato synthesize``. ε never covers what a base was trained on, so the texts
must be public and hold none of the records that are to be synthesized. A run that was stopped goes on with the same
command and comes to the same weights.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from sfumato.errors import InputError, RecipeError, SfumatoError
from sfumato.files import CONFIDENTIAL, atomic_path
from sfumato.models.tokens import replace_surrogates
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato_papers.attacks.trir.network import quiet
from sfumato_papers.synthesis import fine_tune
from sfumato_papers.synthesis.causal import CausalLM, Example
from sfumato_papers.synthesis.fine_tune import Training

START, END = "<s>", "</s>"
_HELD_OUT = 20
"""Every n-th window is not learned, and its loss is measured."""


@dataclass(frozen=True)
class Size:
    """The shape of the network: with the defaults 20.6 million weights."""

    vocabulary: int = 8192
    width: int = 384
    inner: int = 1024
    layers: int = 10
    heads: int = 6
    context: int = 1024

    def __post_init__(self) -> None:
        if self.vocabulary < 300 or min(self.layers, self.heads, self.inner) < 1 or self.width % (2 * self.heads):
            raise RecipeError(
                "vocabulary is at least 300; layers, heads and inner at least 1; width a multiple of twice the heads"
            )
        if self.context < 16:
            raise RecipeError(f"context is at least 16, got {self.context}")


@dataclass(frozen=True)
class Settings:
    """What a training is run with."""

    size: Size = field(default_factory=Size)
    training: Training = field(default_factory=lambda: Training(epochs=3, batch=32, rate=1e-3, micro_batch=32))
    seed: int = 1
    device: str = "cpu"


def train_base(
    texts: Sequence[str], settings: Settings, out: Path, *, on_progress: OnProgress = ignore_progress
) -> dict[str, Any]:
    """Train, or go on with what ``out`` has; write the weights. Returns what ``training.json`` says."""
    kept = [replace_surrogates(text) for text in texts if text.strip()]
    if not kept:
        raise InputError("there is no text to learn from: name files that hold some")
    fine_tune.open_run_folder(out, _key(settings, kept), settings.seed, option="--out")
    report = out / "training.json"
    if report.is_file():
        finished: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return finished
    start = out / "start"
    if not start.is_dir():
        _begin(kept, settings, start)
    model = CausalLM(str(start), settings.device)
    windows = _windows(model, kept, settings.size.context)
    held, learned = windows[::_HELD_OUT], [w for n, w in enumerate(windows) if n % _HELD_OUT]
    if len(learned) < settings.training.batch:
        raise InputError(
            f"{len(learned)} windows of {settings.size.context} tokens are fewer than one batch of "
            f"{settings.training.batch}: give more text, a shorter context or a smaller batch"
        )
    began = monotonic()
    before = _mean_loss(model, held)
    losses = fine_tune.fit(
        model.network,
        learned,
        settings.training,
        None,
        seed=settings.seed,
        checkpoint=out / "training.pt",
        filler=model.end,
        on_progress=on_progress,
    )
    model.save(out / "weights")
    content = {
        "texts": len(kept),
        "tokens": sum(len(window.ids) for window in windows),
        "parameters": sum(value.numel() for value in model.network.parameters()),
        "size": asdict(settings.size),
        "training": {**asdict(settings.training), "steps": len(losses), "last_loss": losses[-1]},
        "held_out_loss": {"before": before, "after": _mean_loss(model, held), "windows": len(held)},
        "seed": settings.seed,
        "device": settings.device,
        "seconds_since_last_start": round(monotonic() - began, 1),
    }
    with atomic_path(report, CONFIDENTIAL) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    (out / "training.pt").unlink()
    shutil.rmtree(start)
    return content


def _begin(texts: Sequence[str], settings: Settings, folder: Path) -> None:
    """A tokenizer fitted to the texts, and random weights; whole or not at all."""
    size = settings.size
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size.vocabulary,
        special_tokens=[START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    config = transformers.LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=size.width,
        intermediate_size=size.inner,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        max_position_embeddings=size.context,
        bos_token_id=tokenizer.token_to_id(START),
        eos_token_id=tokenizer.token_to_id(END),
        tie_word_embeddings=True,
    )
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    with quiet(), torch.random.fork_rng([]):
        torch.manual_seed(settings.seed)
        transformers.LlamaForCausalLM(config).save_pretrained(part)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=size.context, bos_token=START, eos_token=END
    ).save_pretrained(part)
    part.rename(folder)


def _windows(model: CausalLM, texts: Sequence[str], width: int) -> list[Example]:
    """All texts one after the other, each between a start and an end, cut into windows of one width."""
    start = model.prompt("")
    stream = [token for text in texts for token in (*start, *model.tokens(text), model.end)]
    windows = [stream[first : first + width] for first in range(0, len(stream), width)]
    return [Example(tuple(ids)) for ids in windows if len(ids) > 1]


def _mean_loss(model: CausalLM, windows: Sequence[Example]) -> float:
    """Nats per token."""
    return float(model.losses(windows).sum()) / sum(len(window.ids) - 1 for window in windows)


def _key(settings: Settings, texts: Sequence[str]) -> str:
    shaping = {
        "size": asdict(settings.size),
        "training": asdict(settings.training),
        "seed": settings.seed,
        "device": settings.device.partition(":")[0],
    }
    digest = sha256(json.dumps(shaping, sort_keys=True).encode())
    for text in texts:
        digest.update(sha256(text.encode()).digest())
    return digest.hexdigest()


def read_texts(path: Path, column: str) -> list[str]:
    """The texts of a .jsonl file or a .json list, by a field of its records; any other file is one text."""
    try:
        content = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            rows = [json.loads(line) for line in content.splitlines() if line.strip()]
        elif path.suffix == ".json":
            rows = json.loads(content)
        else:
            return [content]
        return [str(row[column]) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: cannot be read ({type(error).__name__}); give text, or records with a field {column!r} "
            "(--text-column names another)"
        ) from None


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, nargs="+", help="files of public texts: .jsonl, .json, or plain text")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--text-column", default="text", help="the field of JSON records that holds the text")
    for name, value in asdict(Size()).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--epochs", type=float, default=3.0)
    parser.add_argument("--batch", type=int, default=32, help="windows in a step")
    parser.add_argument("--micro-batch", type=int, default=32, help="windows in memory at once")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args(argv)


def _show(progress: Progress) -> None:
    end = "\n" if progress.done == progress.total else "\r"
    print(f"{progress.stage} {progress.done}/{progress.total} {progress.detail}", end=end, file=sys.stderr, flush=True)


def main(argv: Sequence[str] | None = None) -> None:
    given = parse(argv)
    try:
        settings = Settings(
            Size(**{name: getattr(given, name) for name in asdict(Size())}),
            Training(given.epochs, given.batch, given.rate, given.micro_batch),
            given.seed,
            given.device,
        )
        texts = [text for path in given.texts for text in read_texts(path, given.text_column)]
        report = train_base(texts, settings, given.out, on_progress=_show)
    except SfumatoError as error:
        raise SystemExit(f"error: {error}") from None
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
