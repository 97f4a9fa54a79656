"""Train the encoder of late interaction contrastively, score it on people it never saw, and write it to a folder.

    python -m training.link_encoder.train --data people.npz --base FOLDER --out FOLDER [--exact] [--weigh]

In a batch, each query has to be nearer to its own person's document than to everyone else's (InfoNCE, both ways).
``--exact`` adds the share of words in common to the logits, so that the encoder learns what these do not tell;
``--weigh`` also learns how much each word of a query counts. The learning rate follows the clock.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import Tensor, nn

from training.eight_bits import in_eight_bits
from training.link_encoder.model import DIMENSIONS, NEAR, LinkEncoder, load, nearest, scores, soft_scores, weighted
from training.link_encoder.pieces import WINDOW, Floats, People, Pieces
from training.tagger.parts import cut

RATES = {"encoder": 5e-5, "head": 5e-4, "scales": 1e-2}
WARM_UP = 0.08
BACKWARD = 0.5
"""Weight of the loss of documents that look for their query."""
SAMPLE = 20_000
"""Words from which the projection starts."""
CUTS = 2
"""Pieces of each person that are scored."""
NEARS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
VALIDATIONS = 6
_WORKERS = max(1, min(10, (os.cpu_count() or 1) - 2))
_CHUNK = 32
Drawn = tuple[Pieces, Pieces, Floats]
Scores = dict[str, dict[str, float]]


def as_tensors(pieces: Pieces, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Ids, mask, words of tokens, which slots hold a word, and weights."""
    arrays = (pieces.ids, pieces.mask, pieces.word_of, (pieces.forms >= 0).astype(np.float32), pieces.weights)
    ids, mask, word_of, known, weights = (torch.from_numpy(array).to(device, non_blocking=True) for array in arrays)
    return ids, mask, word_of, known, weights


def fast(device: torch.device) -> AbstractContextManager[Any]:
    """Half precision where the device has it."""
    return torch.autocast("cuda", torch.bfloat16) if device.type == "cuda" else nullcontext()


def start_projection(model: LinkEncoder, people: People, device: torch.device, seed: int) -> None:
    """The principal components of words' vectors, as the attack learns them without training."""
    random = np.random.default_rng(seed)
    rows: list[Tensor] = []
    model.eval()
    for _, documents, _ in people.batches(_CHUNK, random):
        ids, mask, word_of, known, _ = as_tensors(documents, device)
        with torch.no_grad():
            rows.append(model.words_of(ids, mask, word_of, known.shape[1])[known > 0].cpu())
        if sum(map(len, rows)) >= SAMPLE:
            break
    vectors = torch.cat(rows).double()
    mean = vectors.mean(0)
    centred = vectors - mean
    components = torch.linalg.svd(centred.T @ centred)[0][:, :DIMENSIONS]
    with torch.no_grad():
        model.project.weight.copy_(components.T)
        model.project.bias.copy_(-mean @ components)


def prefetched(people: People, size: int, seed: int) -> Iterator[Drawn]:
    """Batches, drawn by other processes while the network learns; they end with this one."""
    context = multiprocessing.get_context("fork")  # they share the arrays
    ready: Any = context.Queue(4 * _WORKERS)
    for number in range(_WORKERS):
        context.Process(target=_draw, args=(ready, people, size, [seed, number]), daemon=True).start()
    while True:
        queries, documents, exact = ready.get()
        yield Pieces(*queries), Pieces(*documents), exact


def _draw(ready: Any, people: People, size: int, seed: list[int]) -> None:
    for queries, documents, exact in people.batches(size, np.random.default_rng(seed)):
        ready.put((tuple(queries), tuple(documents), exact))


def groups(model: LinkEncoder) -> list[dict[str, Any]]:
    """Parameters with their learning rates."""
    named: dict[str, list[nn.Parameter]] = {name: [] for name in RATES}
    for name, parameter in model.named_parameters():
        kind = (
            "scales" if name in ("scale", "exact") else "head" if name.startswith(("project", "weigh")) else "encoder"
        )
        named[kind].append(parameter)
    return [{"params": named[name], "lr": rate, "peak": rate} for name, rate in RATES.items()]


def loss_of(model: LinkEncoder, drawn: Drawn, device: torch.device, *, exact: bool, weigh: bool) -> Tensor:
    """How badly queries find their documents, and documents their queries."""
    ids, mask, word_of, known, weights = as_tensors(drawn[0], device)
    with fast(device):
        query, factors = model(ids, mask, word_of, known)
        document, _ = model(*as_tensors(drawn[1], device)[:4])
        cosines = nearest(query, document).float()
    logits = model.scale.exp() * soft_scores(cosines, weighted(weights, factors) if weigh else weights)
    if exact:
        logits = logits + model.exact.exp() * torch.from_numpy(drawn[2]).to(device)
    right = torch.arange(len(logits), device=device)
    forward, backward = (nn.functional.cross_entropy(side, right) for side in (logits, logits.t()))
    return forward + BACKWARD * backward


def score_part(
    model: LinkEncoder, people: People, part: str, device: torch.device, nears: Sequence[float], *, weigh: bool
) -> dict[float, Scores]:
    """By threshold and set: share found first and mean reciprocal rank, by words in common, late interaction, both.

    Queries are of the people of one part, candidates are all who were never trained on; pieces are always the same.
    """
    model.eval()
    found: dict[float, Scores] = {near: {} for near in nears}
    for name in people.sets:
        candidates = people.rows(name, ["validation", "held out"])
        asked = np.flatnonzero(np.isin(candidates, people.rows(name, [part])))
        if len(asked) < 2:
            continue
        ranks: dict[float, dict[str, list[float]]] = {near: {"exact": [], "late": [], "both": []} for near in nears}
        for number in range(CUTS):
            queries, documents, exact = people.batch(candidates.tolist(), np.random.default_rng([7, number]))
            late = _late(model, _only(queries, asked), documents, device, nears, weigh=weigh)
            for near, matrix in late.items():
                ways = {"exact": exact[asked], "late": matrix}
                ways["both"] = _standard(exact[asked]) + _standard(matrix)
                for way, scored in ways.items():
                    own = scored[np.arange(len(asked)), asked][:, None]
                    ties = (scored == own).sum(1) - 1
                    ranks[near][way] += ((scored > own).sum(1) + 1 + ties / 2).tolist()
        for near, by_way in ranks.items():
            found[near][name] = {"people": len(candidates), "queries": CUTS * len(asked)}
            for way, values in by_way.items():
                found[near][name][f"{way} first"] = float(np.mean(np.array(values) < 1.5))
                found[near][name][f"{way} mrr"] = float(np.mean(1 / np.array(values)))
    return found


def _only(pieces: Pieces, rows: Any) -> Pieces:
    return Pieces(*(array[rows] for array in pieces))


def _standard(matrix: Floats) -> Floats:
    deviation = matrix.std(1, keepdims=True)
    scaled: Floats = (matrix - matrix.mean(1, keepdims=True)) / np.where(deviation > 0, deviation, 1)
    return scaled


def _late(
    model: LinkEncoder, queries: Pieces, documents: Pieces, device: torch.device, nears: Sequence[float], *, weigh: bool
) -> dict[float, Floats]:
    """[query, candidate] by threshold."""

    def read(pieces: Pieces) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        for start in range(0, len(pieces.ids), _CHUNK):
            tensors = as_tensors(_only(pieces, slice(start, start + _CHUNK)), device)
            yield (*model(*tensors[:4]), tensors[4])

    blocks: dict[float, list[Floats]] = {near: [] for near in nears}
    with torch.no_grad():
        known = [vectors for vectors, _, _ in read(documents)]
        for vectors, factors, weights in read(queries):
            used = weighted(weights, factors) if weigh else weights
            cosines = torch.cat([nearest(vectors, block) for block in known], dim=2)
            for near in nears:
                blocks[near].append(scores(cosines, used, near).cpu().numpy())
    return {near: np.concatenate(rows) for near, rows in blocks.items()}


def mean_over_sets(found: Scores, way: str) -> float:
    """Over people rather than sets: small sets say little."""
    weights = [values["queries"] for values in found.values()]
    return float(np.average([values[way] for values in found.values()], weights=weights))


def fit(
    model: LinkEncoder,
    people: People,
    device: torch.device,
    seconds: float,
    size: int,
    seed: int,
    *,
    exact: bool,
    weigh: bool,
) -> tuple[list[dict[str, float]], int]:
    """Train by the clock and keep the weights that link best together with words in common; returns what was seen."""
    optimizer = torch.optim.AdamW(groups(model), weight_decay=0.01)
    seen: list[dict[str, float]] = []
    best, kept = -1.0, {name: value.clone() for name, value in model.state_dict().items()}
    spent, step, total = 0.0, 0, 0.0

    def validate() -> None:
        nonlocal best, kept
        (found,) = score_part(model, people, "validation", device, [NEAR], weigh=weigh).values()
        seen.append({"seconds": round(spent, 1), "step": step, "loss": round(total / max(1, step), 4)})
        seen[-1] |= {way: round(mean_over_sets(found, f"{way} mrr"), 4) for way in ("exact", "late", "both")}
        print(json.dumps(seen[-1]), flush=True)
        if seen[-1]["both"] > best:
            best, kept = seen[-1]["both"], {name: value.clone() for name, value in model.state_dict().items()}
        model.train()

    validate()
    began = time.monotonic()
    for drawn in prefetched(people, size, seed):
        spent += time.monotonic() - began
        began = time.monotonic()
        share = min(1.0, spent / seconds)
        if share * VALIDATIONS >= len(seen):
            validate()
            began = time.monotonic()
        if share >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * min(share / WARM_UP, (1 - share) / (1 - WARM_UP))
        loss = loss_of(model, drawn, device, exact=exact, weigh=weigh)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += float(loss.detach())
        step += 1
    model.load_state_dict(kept)
    return seen, step


def save(out: Path, model: LinkEncoder, card: dict[str, Any], base: Path, split_mb: int | None) -> None:
    """Weights in 8 bits (heads in 16), the card, and the tokenizer."""
    out.mkdir(parents=True, exist_ok=True)
    arrays = {name: value.detach().float().cpu().numpy() for name, value in model.state_dict().items()}
    heads = {name: arrays.pop(name) for name in list(arrays) if name.startswith(("project", "weigh", "scale", "exact"))}
    packed = in_eight_bits(arrays) | {name: np.atleast_1d(value).astype(np.float32) for name, value in heads.items()}
    packed |= {name: value.reshape(()) for name, value in packed.items() if name in ("scale", "exact")}
    save_file({name: np.ascontiguousarray(value) for name, value in packed.items()}, out / "model.safetensors")
    if split_mb:
        cut(out / "model.safetensors", split_mb)
    (out / "config.json").write_text(json.dumps(card, indent=1), encoding="utf-8")
    copyfile(base / "tokenizer.json", out / "tokenizer.json")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything from the file to a folder with weights; returns the scores before and after."""
    began = time.monotonic()
    torch.manual_seed(arguments.seed)
    device = torch.device(arguments.device)
    people = People(arguments.data)
    model = load(arguments.base, arguments.dropout).to(device)
    start_projection(model, people, device, arguments.seed)
    before = score_part(model, people, "held out", device, [NEAR], weigh=False)[NEAR]
    seen, steps = fit(
        model, people, device, arguments.seconds, arguments.batch, arguments.seed,
        exact=arguments.exact, weigh=arguments.weigh,
    )  # fmt: skip
    by_near = score_part(model, people, "validation", device, NEARS, weigh=arguments.weigh)
    near = max(NEARS, key=lambda value: mean_over_sets(by_near[value], "both mrr"))
    after = score_part(model, people, "held out", device, [near], weigh=arguments.weigh)[near]
    card = {
        "size": asdict(model.size),
        "window": WINDOW,
        "dimensions": DIMENSIONS,
        "near": near,
        "weigh": arguments.weigh,
        "training": {
            "exact": arguments.exact, "steps": steps, "batch": arguments.batch, "seconds": arguments.seconds,
            "rates": RATES, "seed": arguments.seed, "seen": seen, "torch": torch.__version__, "device": str(device),
            "near": {str(value): mean_over_sets(found, "both mrr") for value, found in by_near.items()},
            "all_seconds": round(time.monotonic() - began),
        },
        "scores": {"before": before, "after": after},
    }  # fmt: skip
    save(arguments.out, model, card, arguments.base, arguments.split_mb)
    ways = ("exact first", "late first", "both first", "late mrr", "both mrr")
    return {
        when: {way: round(mean_over_sets(found, way), 4) for way in ways}
        for when, found in (("before", before), ("after", after))
    } | {"near": near, "steps": steps}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="written by prepare.py")
    parser.add_argument("--base", type=Path, required=True, help="config.json, model.safetensors, tokenizer.json")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seconds", type=float, default=45.0, help="of training; scoring comes on top")
    parser.add_argument("--batch", type=int, default=96, help="people a step")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--exact", action="store_true", help="words in common are added to the logits")
    parser.add_argument("--weigh", action="store_true", help="learn how much each word counts")
    parser.add_argument("--split-mb", type=int, help="leave the weights in parts of this size (tagger/parts.py)")
    print(json.dumps(run(parser.parse_args(argv))), flush=True)


if __name__ == "__main__":
    main()
