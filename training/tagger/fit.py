"""The training loop. All windows lie on the device as tensors; a step costs an index, not a Python loop over texts."""

from __future__ import annotations

import copy
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from training.tagger.model import LargeTagger, Reading, Tagger
from training.tagger.objective import Weights, gate_loss, imitation, loss, probabilities, state_loss
from training.tagger.shapes import recased
from training.tagger.windows import Windows

HIDDEN = 103
"""The id of [MASK] in BERT's uncased vocabulary."""
HEADS = ("type_head.", "decision_head.", "mask_head.", "gate.", "shapes.", "word_kinds.")

Batch = dict[str, Tensor]


def on_device(windows: Mapping[int, Windows], device: torch.device) -> dict[int, Batch]:
    """The arrays of each bucket as small integers on the device; ``batch_of`` widens the rows of a batch."""
    names = ("ids", "shapes", "kinds", "tags", "decisions", "masks", "sizes", "sets")
    return {
        width: {name: torch.from_numpy(getattr(bucket, name)).to(device) for name in names}
        for width, bucket in windows.items()
    }


def batch_of(bucket: Batch, rows: Tensor) -> Batch:
    chosen = {name: values[rows] for name, values in bucket.items()}
    batch = {name: values if values.is_floating_point() else values.long() for name, values in chosen.items()}
    width = batch["ids"].shape[1]
    batch["visible"] = torch.arange(width, device=rows.device)[None, :] < batch["sizes"][:, None]
    return batch


class Sampler:
    """Draws windows so that each set has its share, and packs them in batches of one padded length."""

    def __init__(self, windows: Mapping[int, Windows], set_names: list[str], weights: Mapping[str, float], seed: int):
        self.random = np.random.default_rng(seed)
        self.widths = np.concatenate([np.full(len(bucket.sets), width) for width, bucket in windows.items()])
        self.rows = np.concatenate([np.arange(len(bucket.sets)) for bucket in windows.values()])
        sets = np.concatenate([bucket.sets for bucket in windows.values()])
        shares = np.array([weights.get(name, 1.0) for name in set_names])
        chances = shares[sets] / np.bincount(sets, minlength=len(set_names))[sets]
        self.chances = chances / chances.sum()

    def epoch(self, count: int, tokens: int) -> list[tuple[int, np.ndarray]]:
        drawn = self.random.choice(len(self.rows), count, p=self.chances)
        batches = []
        for width in np.unique(self.widths[drawn]):
            rows = self.rows[drawn[self.widths[drawn] == width]]
            pieces = np.array_split(rows, -(-len(rows) * int(width) // tokens))
            batches += [(int(width), piece) for piece in pieces]
        return [batches[number] for number in self.random.permutation(len(batches))]


class Augmenter:
    """Some windows in lower or upper case (the tokenizer is uncased: only shapes change), some tokens hidden, some
    kinds of words forgotten: a name that no list has must be found as well."""

    def __init__(self, settings: Mapping[str, float], device: torch.device, seed: int) -> None:
        self.settings = settings
        self.device = device
        self.generator = torch.Generator(device).manual_seed(seed)
        self.lower, self.upper = (torch.tensor(recased(case), device=device) for case in ("lower", "upper"))

    def __call__(self, batch: Batch) -> Batch:
        draw = self._draw(len(batch["ids"]), 1)
        shapes = torch.where(draw < self.settings["lower"], self.lower[batch["shapes"]], batch["shapes"])
        shapes = torch.where(draw > 1 - self.settings["upper"], self.upper[batch["shapes"]], shapes)
        hide = (self._draw(*batch["ids"].shape) < self.settings["hide"]) & batch["visible"]
        forget = self._draw(len(batch["ids"]), 1) < self.settings["forget_windows"]
        forget = forget | (self._draw(*batch["ids"].shape) < self.settings["forget_words"])
        kinds = torch.where(forget, 0, batch["kinds"])
        return {**batch, "shapes": shapes, "kinds": kinds, "ids": torch.where(hide, HIDDEN, batch["ids"])}

    def _draw(self, *shape: int) -> Tensor:
        return torch.rand(shape, generator=self.generator, device=self.device)


class Example(NamedTuple):
    """A tagger that reads every batch beside the one that is trained, which learns its outputs and hidden states."""

    tagger: Tagger
    layers: Sequence[int]
    """The layer of it that each layer of the student began as."""


@dataclass
class Best:
    """The averaged weights of the best epoch so far."""

    score: float = -1.0
    epoch: int = -1
    weights: dict[str, Tensor] | None = None


def fit(
    model: Tagger | LargeTagger,
    windows: Mapping[int, Windows],
    set_names: list[str],
    outside: Tensor,
    config: Mapping[str, Any],
    validate: Callable[[Tagger | LargeTagger], float],
    device: torch.device,
    seed: int,
    opinions: Mapping[int, Tensor] | None = None,
    example: Example | None = None,
) -> Best:
    """Train; after each epoch ask ``validate`` about the averaged weights, and leave the best of them in the model.

    ``opinions``: what teachers say of the windows (``training.tagger.teachers``), or ``example`` is a teacher. They
    read each window as it is, the model reads it as ``augment`` made it. Where there is a gate, hidden states are
    compared after it alone: the layers before it also serve the gate.
    """
    weights, imitate = Weights(**config["loss"]), config["teachers"]["share"] if opinions or example else 0.0
    data, outside = on_device(windows, device), outside.to(device)
    for width, values in (opinions or {}).items():
        data[width]["opinions"] = values.to(device)
    sampling, settings = config["sampling"], config["optimizer"]
    sampler = Sampler(windows, set_names, sampling["weights"], seed)
    augment = Augmenter(config["augment"], device, seed)
    count = min(sampling["windows"], len(sampler.rows))
    tokens = sampling["tokens" if device.type == "cuda" else "tokens_cpu"]
    has_gate = isinstance(model, Tagger) and model.gate is not None
    optimizer, clock = _optimizer(model, settings), Clock(settings)
    average, best, step, progress = copy.deepcopy(model).eval(), Best(), 0, 0.0
    for epoch in itertools.count():
        plan = sampler.epoch(count, tokens)
        began, total, passed = time.monotonic(), torch.zeros((), device=device), torch.zeros((), device=device)
        model.train()
        for place, clean in enumerate(_batches(data, plan, device)):
            progress = clock.progress(epoch + place / len(plan))
            _set_rate(optimizer, settings, progress)
            batch = augment(clean)
            inputs = batch["ids"], batch["visible"], batch["shapes"], batch["kinds"]
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                if isinstance(model, Tagger):
                    model.is_gate_open = progress < settings["gate_open"]
                    reading = model.read(*inputs)
                else:
                    reading = Reading(model(*inputs), [])
                wanted = _read_clean(example, clean) if example else None
            if wanted:
                batch["opinions"] = probabilities(*wanted.outputs)
            error = (1 - imitate) * loss(reading.outputs, batch, outside, weights)
            if imitate:
                error = error + imitate * imitation(reading.outputs, batch["opinions"], batch["visible"])
            if wanted and example:
                after = (model.size.full_layers or 0) if has_gate else 0
                targets = [wanted.states[number] for number in example.layers[after:]]
                read = batch["visible"] if reading.passes is None else batch["visible"] & reading.passes
                error = error + weights.states * state_loss(reading.states[after:], targets, read)
            if reading.gate is not None:
                error = error + weights.gate * gate_loss(reading.gate, batch, imitate)
                passed += (reading.gate.sigmoid() >= model.size.gate_threshold)[batch["visible"]].float().mean()
            error.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clip"])
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            _follow(average, model, min(settings["average"], (1 + step) / (10 + step)))
            total += error.detach()
        score = validate(average)
        if score > best.score:
            best = Best(score, epoch, {name: value.clone() for name, value in average.state_dict().items()})
        pace = f"{len(plan)} steps, {time.monotonic() - began:.1f} s"
        if has_gate:
            pace += f", {passed / len(plan):.1%} of the tokens pass the gate"
        print(f"epoch {epoch + 1}: {pace}, loss {total / len(plan):.4f}, validation {score:.4f}", flush=True)
        if clock.progress(epoch + 1) >= 1:
            break
    assert best.weights is not None
    model.load_state_dict(best.weights)
    return best


def _batches(data: dict[int, Batch], plan: list[tuple[int, np.ndarray]], device: torch.device) -> Iterator[Batch]:
    for width, rows in plan:
        yield batch_of(data[width], torch.from_numpy(rows).to(device, non_blocking=True))


@torch.no_grad()
def _read_clean(example: Example, clean: Batch) -> Reading:
    return example.tagger.read(clean["ids"], clean["visible"], clean["shapes"], clean["kinds"])


class Clock:
    """How much of the training is done: by the number of epochs or, where there are minutes, by the time."""

    def __init__(self, settings: Mapping[str, float]) -> None:
        self._epochs, self._minutes = settings["epochs"], settings.get("minutes")
        self._began = time.monotonic()

    def progress(self, epochs: float) -> float:
        if self._minutes:
            return (time.monotonic() - self._began) / 60 / self._minutes
        return epochs / self._epochs


def _optimizer(model: Tagger | LargeTagger, settings: Mapping[str, float]) -> torch.optim.Optimizer:
    """AdamW with a faster rate for what starts from nothing; ``_set_rate`` changes the rates from step to step."""
    fresh = [value for name, value in model.named_parameters() if name.startswith(HEADS)]
    known = [value for name, value in model.named_parameters() if not name.startswith(HEADS)]
    groups = [{"params": known, "peak": settings["rate"]}, {"params": fresh, "peak": settings["head_rate"]}]
    return torch.optim.AdamW(groups, weight_decay=settings["weight_decay"], fused=True)


def _set_rate(optimizer: torch.optim.Optimizer, settings: Mapping[str, float], progress: float) -> None:
    """Warmed up to the peak, and then falling to zero."""
    warm = settings["warmup"]
    rising = (progress + 1e-4) / warm if warm else 1.0
    share = min(rising, max(0.0, (1 - progress) / (1 - warm)))
    for group in optimizer.param_groups:
        group["lr"] = group["peak"] * share


@torch.no_grad()
def _follow(average: Tagger, model: Tagger, decay: float) -> None:
    torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - decay)
