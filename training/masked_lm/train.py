"""Train the language model, score it on texts it never saw, and write it to a folder.

``python -m training.masked_lm.train --data FILE.jsonl.gz --base FOLDER --out FOLDER [--device cuda] [--minutes 8]``
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from shutil import copyfile
from typing import Any

import torch
from safetensors.torch import save_file

from training.masked_lm.evaluate import evaluate, frequencies
from training.masked_lm.fit import Batches, Settings, fit, on_device
from training.masked_lm.masking import EVERY
from training.masked_lm.model import MaskedLM, load
from training.masked_lm.texts import read
from training.masked_lm.windows import Vocabulary

ENOUGH = {"cuda": 100_000, "cpu": 24}
"""Windows scored at the end: all there are, or what a processor does in half a minute."""


def settings(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="written by prepare.py")
    parser.add_argument("--base", type=Path, required=True, help="config.json, model.safetensors, tokenizer.json")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--minutes", type=float, default=8.0, help="of training; scoring comes on top")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, help="windows a step")
    parser.add_argument("--rate", type=float, help="peak learning rate of the encoder")
    parser.add_argument("--dropout", type=float)
    return parser.parse_args(argv)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything from texts to a folder with weights; returns the scores."""
    began = time.monotonic()
    torch.manual_seed(arguments.seed)
    device = torch.device(arguments.device)
    given = {name: getattr(arguments, name) for name in ("batch", "rate", "dropout")}
    config = replace(on_device(device, Settings()), **{name: value for name, value in given.items() if value})
    vocabulary = Vocabulary(arguments.base)
    texts = list(read(arguments.data))
    parts = {part: [text for text in texts if text.part == part] for part in ("train", "validation", "foldout")}
    if empty := [part for part, some in parts.items() if not some]:
        raise SystemExit(f"{arguments.data}: no text falls in {empty[0]}; give more texts")
    train, validation, foldout = (vocabulary.rows(parts[part]) for part in ("train", "validation", "foldout"))
    print(f"{len(train.ids)} tokens, {len(validation.ids)} to validate, {len(foldout.ids)} never seen", flush=True)
    unigram = frequencies(train, vocabulary.size)
    model = load(arguments.base, config.dropout)
    with torch.no_grad():
        model.lm_bias.copy_(unigram)  # knowing nothing else, guess by frequency
    model = model.to(device)
    enough = ENOUGH["cuda" if device.type == "cuda" else "cpu"]

    def validate(averaged: MaskedLM) -> float:
        scores = evaluate(averaged, validation, vocabulary, unigram, config.window, device, 1, enough)
        nats: float = scores["all"]["nats"]
        return nats

    batches = Batches(train, vocabulary, config, device, arguments.seed)
    best = fit(model, batches, validate, arguments.minutes, device)
    scores = evaluate(model, foldout, vocabulary, unigram, config.window, device, EVERY, enough)
    card = {
        "size": asdict(model.size),
        "window": config.window,
        "every": EVERY,
        "scores": scores,
        "training": {
            "seed": arguments.seed,
            "minutes": arguments.minutes,
            "best": asdict(best),
            "tokens": len(train.ids),
            "sets": dict(zip(train.sets, train.sizes().tolist(), strict=True)),
            "licences": sorted({text.licence for text in parts["train"]}),
            "settings": asdict(config),
            "seconds": round(time.monotonic() - began),
            "torch": torch.__version__,
        },
    }
    save(arguments.out, model, card, arguments.base)
    return {"best": asdict(best), "scores": scores}


def save(out: Path, model: MaskedLM, card: dict[str, Any], base: Path) -> None:
    """Half-precision weights (the tagger's training loads them as its encoder), the card, and the tokenizer."""
    out.mkdir(parents=True, exist_ok=True)
    weights = {name: value.half().cpu().contiguous() for name, value in model.state_dict().items()}
    save_file(weights, out / "model.safetensors")
    (out / "config.json").write_text(json.dumps(card, indent=1), encoding="utf-8")
    copyfile(base / "tokenizer.json", out / "tokenizer.json")


def main(argv: Sequence[str] | None = None) -> None:
    print(json.dumps(run(settings(argv))))


if __name__ == "__main__":
    main()
