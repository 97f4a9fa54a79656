"""The training loop. All tokens lie on the device as one row; a batch is an index into it."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from training.masked_lm import masking
from training.masked_lm.masking import Masked
from training.masked_lm.model import HEAD, MaskedLM
from training.masked_lm.windows import SPECIAL, Rows, Vocabulary, shares


@dataclass(frozen=True)
class Settings:
    """Every number of the training; written into the card."""

    window: int = 256
    batch: int = 256
    rate: float = 3e-4
    head_rate: float = 1e-3
    weight_decay: float = 0.01
    warmup: float = 0.04
    dropout: float = 0.1
    clip: float = 1.0
    average: float = 0.999
    alternating: float = 0.5
    """Share of the windows masked as in use."""
    power: float = 0.7
    """Of a set's size, how often it is drawn."""
    checks: int = 20
    """Looks at the validation texts."""


def on_device(device: torch.device, settings: Settings) -> Settings:
    """A processor gets small batches: it would not finish one large batch in the time of a trial."""
    return settings if device.type == "cuda" else replace(settings, batch=8, checks=2)


class Source:
    """The rows on the device; cuts windows out of them."""

    def __init__(self, rows: Rows, vocabulary: Vocabulary, window: int, device: torch.device) -> None:
        content = window - SPECIAL
        if len(rows.ids) < content:
            raise ValueError(f"{len(rows.ids)} tokens are less than one window of {content}: give more text")
        self.ids = torch.from_numpy(rows.ids.astype(np.int32)).to(device)
        self.begins = torch.from_numpy(rows.begins).to(device)
        self.first, self.last = vocabulary.first, vocabulary.last
        self.steps = torch.arange(content, device=device)

    def cut(self, starts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Ids, beginnings of words, and which tokens are text, each [window, token]."""
        where = starts.clamp(max=len(self.ids) - len(self.steps))[:, None] + self.steps
        ends = (1, 1)
        ids = torch.nn.functional.pad(self.ids[where].long(), ends, value=self.last)
        ids[:, 0] = self.first
        begins = torch.nn.functional.pad(self.begins[where], ends, value=True)
        return ids, begins, (ids != self.last) & (ids != self.first)


class Batches:
    """Random windows, half of them masked in either way."""

    def __init__(self, rows: Rows, vocabulary: Vocabulary, settings: Settings, device: torch.device, seed: int) -> None:
        self.source = Source(rows, vocabulary, settings.window, device)
        self.settings, self.hidden = settings, vocabulary.hidden
        self.generator = torch.Generator(device).manual_seed(seed)
        self.plain = torch.from_numpy(vocabulary.plain).to(device).long()
        self.chances = torch.from_numpy(shares(rows.sizes(), settings.power)).float().to(device)
        self.low = torch.from_numpy(rows.bounds[:-1]).to(device)
        self.room = torch.from_numpy(rows.sizes()).to(device)

    def draw(self) -> Masked:
        count, device = self.settings.batch, self.plain.device
        sets = torch.multinomial(self.chances, count, replacement=True, generator=self.generator)
        places = torch.rand(count, generator=self.generator, device=device, dtype=torch.float64)
        room = (self.room[sets] - len(self.source.steps)).clamp(min=0)
        ids, begins, text = self.source.cut(self.low[sets] + (places * (room + 1)).long())
        inturn = torch.rand((count, 1), generator=self.generator, device=device) < self.settings.alternating
        first = torch.randint(masking.EVERY, (count,), generator=self.generator, device=device)
        terms = masking.alternating(masking.merged(begins, self.generator), first)
        words = masking.scattered(begins, masking.SHARE, self.generator)
        plain = masking.disguised(ids, words & text & ~inturn, self.hidden, self.plain, self.generator)
        chosen = (torch.where(inturn, terms, words)) & text
        both = masking.hidden(ids, chosen, self.hidden)
        return Masked(torch.where(inturn, both.ids, plain.ids), both.positions, both.targets)


@dataclass
class Best:
    """The averaged weights that guessed the validation texts best."""

    nats: float = float("inf")
    step: int = 0
    steps: int = 0
    tokens_per_second: float = 0.0


def rate(progress: float, warmup: float) -> float:
    """The share of the full learning rate: up, then straight down to nothing."""
    return max(0.0, min(progress / warmup, (1 - progress) / (1 - warmup)))


def fit(
    model: MaskedLM,
    batches: Batches,
    validate: Callable[[MaskedLM], float],
    minutes: float,
    device: torch.device,
) -> Best:
    """Train for so many minutes, and leave the best averaged weights in the model.

    The rate follows the clock, so that it ends at zero whatever the machine's pace.
    """
    settings = batches.settings
    optimizer = _optimizer(model, settings)
    peaks = [group["lr"] for group in optimizer.param_groups]
    average, best, kept = copy.deepcopy(model).eval(), Best(), model.state_dict()
    total, seen, usage, step, checked = torch.zeros((), device=device), 0, 0.0, 0, 0
    model.train()
    while (progress := usage / (60 * minutes)) < 1:
        began = time.monotonic()
        for group, peak in zip(optimizer.param_groups, peaks, strict=True):
            group["lr"] = peak * rate(max(progress, 1e-3), settings.warmup)
        batch = batches.draw()
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            logits = model(batch.ids, None, batch.positions)
        error = torch.nn.functional.cross_entropy(logits.float(), batch.targets)
        error.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        _follow(average, model, min(settings.average, (1 + step) / (10 + step)))
        total += error.detach()
        seen += 1
        usage += time.monotonic() - began
        if usage / (60 * minutes) >= (checked + 1) / settings.checks:
            checked = int(settings.checks * usage / (60 * minutes))
            pace = step * batch.ids.numel() / usage
            nats = validate(average)
            if nats < best.nats:
                best, kept = Best(nats, step), {name: value.clone() for name, value in average.state_dict().items()}
            best.steps, best.tokens_per_second = step, pace
            print(
                f"step {step}, {usage:.0f} s, {pace / 1e6:.2f} M tokens/s: loss {total / seen:.4f}, "
                f"validation {nats:.4f} nats",
                flush=True,
            )
            total, seen = torch.zeros((), device=device), 0
    model.load_state_dict(kept)
    return best


def _optimizer(model: MaskedLM, settings: Settings) -> torch.optim.Optimizer:
    """AdamW; what starts from nothing learns faster, and neither biases nor norms are pulled to zero."""
    groups: dict[tuple[bool, bool], list[Tensor]] = {}
    for name, value in model.named_parameters():
        groups.setdefault((name.startswith(HEAD), value.ndim > 1), []).append(value)
    return torch.optim.AdamW(
        [
            {
                "params": values,
                "lr": settings.head_rate if fresh else settings.rate,
                "weight_decay": settings.weight_decay if decays else 0.0,
            }
            for (fresh, decays), values in groups.items()
        ],
        betas=(0.9, 0.98),
        fused=True,
    )


@torch.no_grad()
def _follow(average: MaskedLM, model: MaskedLM, decay: float) -> None:
    torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - decay)
