"""Fine-tune any Hugging Face encoder to find entities, in windows of any length; resumable.

``python -m training.token_classifier.train --data FILE --base FOLDER --out FOLDER``

Writes a folder for the detector ``hf-tagger``. A run that was stopped goes on from its last whole epoch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers

from training.token_classifier.data import IGNORED, Window, by_split, cut_windows, read_texts, set_aside, tag_names

CHECKPOINT = "checkpoint.pt"
_WARMUP = 0.1


def settings(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", default=[], help="TAB JSON, or lines with text and spans")
    parser.add_argument("--texts", type=Path, action="append", default=[], help="lines of id and text")
    parser.add_argument("--gold", type=Path, action="append", default=[], help="their spans, one file for each --texts")
    parser.add_argument("--base", type=Path, required=True, help="an encoder, or a classifier trained before")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--context", type=int, help="sub-tokens read at once; else all that the base can")
    parser.add_argument("--masked-only", action="store_true", help="leave out mentions that annotators did not mask")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--batch", type=int, default=4, help="windows in a step")
    parser.add_argument("--share", type=float, default=0.1, help="of the texts, that pick the epoch")
    parser.add_argument("--split", type=Path, help="JSON with the ids of the parts train and validation, in its place")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(argv)


def run(given: argparse.Namespace) -> dict[str, Any]:
    """Everything from annotated texts to a folder; returns what ``training.json`` says."""
    if len(given.texts) != len(given.gold):
        raise SystemExit("--texts and --gold go together: give one file of spans for each file of texts")
    pairs = list(zip(given.texts, given.gold, strict=True))
    records = read_texts(given.data, pairs, masked_only=given.masked_only)
    if given.split is None:
        train, validation = set_aside(records, given.share, given.seed)
    else:
        train, validation = by_split(records, given.split)
    names = tag_names([*train, *validation])
    if len(names) == 1:
        raise SystemExit("no text has a mention: there is nothing to learn")
    numbers = {name: number for number, name in enumerate(names)}
    torch.manual_seed(given.seed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(given.base, local_files_only=True)
    model = transformers.AutoModelForTokenClassification.from_pretrained(
        given.base,
        local_files_only=True,
        num_labels=len(names),
        id2label=dict(enumerate(names)),
        label2id=numbers,
        ignore_mismatched_sizes=True,
    ).to(given.device)
    context = _context(model, tokenizer, given.context)
    windows, held = (cut_windows(part, tokenizer, numbers, context) for part in (train, validation))
    began = time.monotonic()
    epochs = _fit(model, windows, held, given, tokenizer.pad_token_id)
    state = torch.load(given.out / CHECKPOINT, map_location="cpu", weights_only=True)
    model.load_state_dict(state["best"])
    model.to("cpu").save_pretrained(given.out)
    tokenizer.save_pretrained(given.out)
    card = {
        "base": given.base.name,
        "texts": len(train),
        "validation_texts": len(validation),
        "windows": len(windows),
        "context": context,
        "epochs": epochs,
        "settings": {key: getattr(given, key) for key in ("rate", "batch", "share", "seed", "masked_only")},
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "device": str(given.device),
        "seconds": round(time.monotonic() - began, 1),
    }
    (given.out / "training.json").write_text(json.dumps(card, indent=1), encoding="utf-8")
    (given.out / CHECKPOINT).unlink()
    return card


def _context(model: Any, tokenizer: Any, asked: int | None) -> int:
    positions = int(model.config.max_position_embeddings)
    table = getattr(getattr(model.base_model, "embeddings", None), "position_embeddings", None)
    if (padding := getattr(table, "padding_idx", None)) is not None:
        positions -= padding + 1
    longest = min(positions, int(tokenizer.model_max_length))
    if asked is not None and not 16 <= asked <= longest:
        raise SystemExit(
            f"--context {asked}: the base reads 16 to {longest} sub-tokens at once (make_long makes it more)"
        )
    return asked or longest


def _fit(model: Any, windows: list[Window], held: list[Window], given: argparse.Namespace, padding: int) -> list[Any]:
    """Train all epochs; the checkpoint has the best one by loss on the texts set aside."""
    given.out.mkdir(parents=True, exist_ok=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=given.rate, weight_decay=0.01)
    steps = given.epochs * math.ceil(len(windows) / given.batch)

    def rate(step: int) -> float:
        return float(min(1.0, step / max(1, _WARMUP * steps)) * max(0.0, (steps - step) / steps))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step + 1))
    fingerprint = _fingerprint(given, [*windows, *held])
    state: dict[str, Any] = {"epochs": [], "best": None, "settings": fingerprint}
    if (given.out / CHECKPOINT).exists():
        state = torch.load(given.out / CHECKPOINT, map_location="cpu", weights_only=True)
        if state["settings"] != fingerprint:
            raise SystemExit(f"{given.out}: holds a run with other settings or data; name another --out, or remove it")
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
    for epoch in range(len(state["epochs"]), given.epochs):
        order = list(range(len(windows)))
        random.Random(f"{given.seed} {epoch}").shuffle(order)
        torch.manual_seed(given.seed * 1000 + epoch)  # dropout, so that a run that went on equals one that did not stop
        model.train()
        total = 0.0
        batches = [order[first : first + given.batch] for first in range(0, len(order), given.batch)]
        for batch in batches:
            loss = _loss(model, [windows[number] for number in batch], given.device, padding)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            total += float(loss.detach())
        model.eval()
        with torch.inference_mode():
            losses = [
                float(_loss(model, held[first : first + given.batch], given.device, padding))
                for first in range(0, len(held), given.batch)
            ]
        scores = {"train_loss": total / len(batches), "validation_loss": sum(losses) / len(losses)}
        is_best = all(scores["validation_loss"] < one["validation_loss"] for one in state["epochs"])
        state["epochs"].append(scores)
        weights = {name: value.detach().cpu() for name, value in model.state_dict().items()}
        state |= {"model": weights, "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
        if is_best:
            state["best"] = {name: value.clone() for name, value in weights.items()}
        temporary = given.out / f"{CHECKPOINT}.new"
        torch.save(state, temporary)
        temporary.replace(given.out / CHECKPOINT)
        print(f"epoch {epoch + 1}: {scores['train_loss']:.4f}, set aside {scores['validation_loss']:.4f}", flush=True)
    epochs: list[Any] = state["epochs"]
    return epochs


def _fingerprint(given: argparse.Namespace, windows: Sequence[Window]) -> str:
    """Of everything that a checkpoint depends on: settings, base, texts and tags."""
    keys = ("rate", "batch", "share", "seed", "masked_only", "epochs", "context")
    content = [given.base.name, [getattr(given, key) for key in keys], [[w.ids, w.tags] for w in windows]]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _loss(model: Any, windows: Sequence[Window], device: str, padding: int) -> Any:
    longest = max(len(window.ids) for window in windows)
    ids = torch.full((len(windows), longest), padding)
    tags = torch.full((len(windows), longest), IGNORED)
    attention = torch.zeros((len(windows), longest), dtype=torch.long)
    for row, window in enumerate(windows):
        size = len(window.ids)
        ids[row, :size] = torch.tensor(window.ids)
        tags[row, :size] = torch.tensor(window.tags)
        attention[row, :size] = 1
    inputs = {"input_ids": ids.to(device), "attention_mask": attention.to(device)}
    use_half = torch.device(device).type == "cuda"
    with torch.autocast(torch.device(device).type, dtype=torch.bfloat16, enabled=use_half):
        logits = model(**inputs).logits
    return torch.nn.functional.cross_entropy(
        logits.float().flatten(0, 1), tags.to(device).flatten(), ignore_index=IGNORED
    )


def main(argv: Sequence[str] | None = None) -> None:
    print(json.dumps(run(settings(argv)), indent=1))


if __name__ == "__main__":
    main()
