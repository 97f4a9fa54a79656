"""Train the static embedder: a vector per token whose sum points where the teacher's sentence embedding points.

and lies nearer to what a thing truly is in general than to another thing of its kind.

``python -m training.embedder.train --texts out/texts.txt.xz --hierarchies out/hierarchies.tsv.xz --teacher MINILM
--out out/e``
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag, normalize

from training.embedder.quantize import rows_to_bytes
from training.embedder.teacher import Teacher

HELD_OUT = 10_000
"""Strings, the last of the shuffled file, that are not trained on."""
GROUPS = 1024
TOGETHER = 16
"""Groups of like strings in a batch: likeness is learned from pairs that have some."""


@dataclass(frozen=True)
class Bags:
    """The tokens of all strings, end to end."""

    tokens: Tensor
    starts: Tensor

    @classmethod
    def of(cls, ids: list[list[int]], device: str) -> Bags:
        lengths = torch.tensor([len(row) for row in ids], device=device)
        flat = torch.tensor([token for row in ids for token in row], device=device)
        return cls(flat, torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]))

    def pick(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens and offsets of some strings."""
        begin, length = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        offsets = length.cumsum(0) - length
        shift = torch.repeat_interleave(begin - offsets, length)
        return self.tokens[torch.arange(int(length.sum()), device=rows.device) + shift], offsets


def student(table: Tensor, bags: Bags, rows: Tensor) -> Tensor:
    tokens, offsets = bags.pick(rows)
    return normalize(embedding_bag(tokens, table, offsets, mode="sum"), dim=-1)


def main_directions(vectors: Tensor, width: int) -> Tensor:
    """The projection onto the directions that carry most of the dot products; not centred, so that cosines stay."""
    values, directions = torch.linalg.eigh(vectors.T.double() @ vectors.double())
    return directions[:, values.argsort(descending=True)[:width]].float()


def alike(vectors: Tensor, generator: torch.Generator) -> Tensor:
    """A group for each string by k-means on the sphere."""
    centres = vectors[torch.randperm(len(vectors), generator=generator)[:GROUPS].to(vectors.device)]
    for _ in range(10):
        nearest = torch.cat([(part @ centres.T).argmax(1) for part in vectors.split(65536)])
        centres = normalize(torch.zeros_like(centres).index_add_(0, nearest, vectors), dim=-1)
    return nearest


def batches(groups: Tensor, size: int, generator: torch.Generator) -> list[Tensor]:
    """All strings once, in batches made of slices of a few groups."""
    noise = torch.rand(len(groups), generator=generator).to(groups.device)
    slices = (groups.double() + noise * 0.999).argsort().split(size // TOGETHER)
    order = torch.randperm(len(slices), generator=generator).tolist()
    return [torch.cat([slices[k] for k in order[at : at + TOGETHER]]) for at in range(0, len(order), TOGETHER)]


def upward(table: Tensor, hierarchies: Bags, size: int, margin: float, generator: torch.Generator) -> Tensor:
    """How far, on average, a true generalization is from being nearer than another particular by the margin."""
    first = torch.randint((len(hierarchies.starts) - 1) // 3, (size,), generator=generator).to(table.device) * 3
    particular, general, other = (student(table, hierarchies, first + place) for place in range(3))
    return (margin + (particular * other).sum(-1) - (particular * general).sum(-1)).clamp(min=0).mean()


def fit(bags: Bags, hierarchies: Bags, taught: Tensor, start: Tensor, arguments: argparse.Namespace) -> Tensor:
    """The table after training."""
    generator = torch.Generator().manual_seed(arguments.seed)
    projection = main_directions(taught[:200_000], arguments.width)
    target = normalize(taught @ projection, dim=-1)
    table = (start @ projection).requires_grad_()
    optimizer = torch.optim.Adam([table], lr=arguments.rate, betas=(0.9, 0.99))
    groups = alike(taught, generator)
    steps = arguments.epochs * len(batches(groups, arguments.batch, generator))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, arguments.rate, steps + arguments.epochs, pct_start=0.05)
    for epoch in range(arguments.epochs):
        total = count = 0.0
        for rows in batches(groups, arguments.batch, generator):
            guessed = student(table, bags, rows)
            loss = 1 - (guessed * target[rows]).sum(-1).mean()
            apart = guessed @ guessed.T - taught[rows] @ taught[rows].T
            loss = loss + arguments.likeness * apart.square().mean()
            if arguments.upward:
                loss = loss + arguments.upward * upward(table, hierarchies, len(rows), arguments.margin, generator)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if schedule.last_epoch < steps:
                schedule.step()
            total, count = total + loss.item(), count + 1
        print(f"epoch {epoch + 1}: {total / count:.4f}", flush=True)
    return table.detach()


def agreement(table: Tensor, bags: Bags, taught: Tensor) -> dict[str, float]:
    """On strings never trained on: cosine to the teacher's vector is not comparable across widths, likeness is."""
    rows = torch.arange(len(taught) - HELD_OUT, len(taught), device=taught.device)
    guessed = student(table, bags, rows)
    ours, theirs = guessed @ guessed.T, taught[rows] @ taught[rows].T
    pairs = torch.triu_indices(HELD_OUT, HELD_OUT, 1, device=taught.device)
    ours, theirs = ours[pairs[0], pairs[1]], theirs[pairs[0], pairs[1]]
    near = theirs > 0.4
    return {
        "likeness_correlation": float(torch.corrcoef(torch.stack([ours, theirs]))[0, 1]),
        "likeness_correlation_near": float(torch.corrcoef(torch.stack([ours[near], theirs[near]]))[0, 1]),
        "likeness_error": float((ours - theirs).abs().mean()),
        "likeness_error_near": float((ours - theirs)[near].abs().mean()),
    }


def settings(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--hierarchies", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, required=True, help="config.json, tokenizer.json, model.safetensors")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--likeness", type=float, default=10.0, help="weight of the error in pairwise cosines")
    parser.add_argument("--upward", type=float, default=1.0, help="weight of the triples")
    parser.add_argument("--margin", type=float, default=0.25)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="keep the teacher's vectors here, for a second run")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args(argv)


def main() -> None:
    arguments, began = settings(), time.perf_counter()
    with lzma.open(arguments.texts, "rt", encoding="utf-8") as file:
        texts = [line.rstrip("\n") for line in file]
    teacher = Teacher(arguments.teacher, arguments.device)
    words = [cast(str, teacher.tokenizer.id_to_token(number)) for number in range(teacher.tokenizer.get_vocab_size())]
    if arguments.cache and arguments.cache.exists():
        known = torch.load(arguments.cache, map_location=arguments.device)
        taught, alone = known["taught"], known["alone"]
    else:
        taught, alone = teacher.encode(texts), teacher.encode([word.removeprefix("##") for word in words])
        if arguments.cache:
            torch.save({"taught": taught, "alone": alone}, arguments.cache)
    print(f"{len(texts):,} strings taught after {time.perf_counter() - began:.0f} s", flush=True)
    ids = teacher.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    bags = Bags.of([row.ids or [0] for row in ids], arguments.device)
    with lzma.open(arguments.hierarchies, "rt", encoding="utf-8") as file:
        levels = [part for line in file for part in line.rstrip("\n").split("\t")]
    hierarchy_ids = teacher.tokenizer.encode_batch_fast(levels, add_special_tokens=False)
    hierarchies = Bags.of([row.ids or [0] for row in hierarchy_ids], arguments.device)
    table = fit(bags, hierarchies, taught[:-HELD_OUT], alone, arguments)
    scores = agreement(table, bags, taught)
    table[[number for number, word in enumerate(words) if word in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]] = 0
    rows, scale = rows_to_bytes(table.cpu().numpy())
    arguments.out.mkdir(parents=True, exist_ok=True)
    np.savez(arguments.out / "embedder.npz", rows=rows, scale=scale)
    said = {name: str(value) if isinstance(value, Path) else value for name, value in vars(arguments).items()}
    card = {"strings": len(texts), "scores": scores, "settings": {k: v for k, v in said.items() if k != "cache"}}
    (arguments.out / "training.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(scores), f"{time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
