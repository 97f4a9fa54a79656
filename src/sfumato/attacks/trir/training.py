"""The two training stages of TRIR in plain torch: masked words of the background, then whose text a window is.

Each epoch has its own seed, so that a run resumed from a checkpoint ends as if it had not stopped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NamedTuple

import numpy as np

from sfumato.errors import InputError
from sfumato.formats.files import CONFIDENTIAL, atomic_path
from sfumato.models.base import Floats

log = logging.getLogger(__name__)

_CLIP = 1.0
"""Longest gradient: the default of the trainer that the authors used."""


@dataclass(frozen=True)
class Stage:
    """The settings of one training stage."""

    name: str
    epochs: int
    batch: int
    rate: float
    window: int
    overlap: int


PRETRAINING = Stage("pretraining", 3, 8, 5e-5, 512, 128)
FINETUNING = Stage("finetuning", 15, 16, 5e-5, 100, 25)
MASKED = 0.15
"""Share of the tokens hidden in further pre-training."""


class Special(NamedTuple):
    """Ids of the special tokens."""

    first: int
    last: int
    pad: int
    mask: int


Window = Sequence[int]
"""Token ids, special ones included."""
Loss = Callable[[list[int]], Any]
"""The loss of some windows, given by number, as a tensor."""


def fit(
    model: Any,
    loss: Loss,
    count: int,
    stage: Stage,
    seed: int,
    checkpoint: Path | None,
    watch: Callable[[int], None] | None = None,
) -> None:
    """Train on ``count`` windows, from the checkpoint where there is one; ``watch`` is called after each epoch."""
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=stage.rate, eps=1e-6, weight_decay=0.0)
    done = 0
    if checkpoint is not None and checkpoint.is_file():
        done = _restore(checkpoint, model, optimizer)
    device = next(model.parameters()).device
    for epoch in range(done, stage.epochs):
        with seeded(f"{seed} {stage.name} {epoch}", device) as order:
            model.train()
            total = 0.0
            for batch in _batches(order.permutation(count), stage.batch):
                value = loss(batch)
                value.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                total += float(value.detach()) * len(batch)
        model.eval()
        log.info("%s: epoch %d of %d, loss %.4f", stage.name, epoch + 1, stage.epochs, total / max(1, count))
        if checkpoint is not None:
            state = {"epoch": epoch + 1, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
            with atomic_path(checkpoint, CONFIDENTIAL) as path:
                torch.save(state, path)
        if watch is not None:
            watch(epoch + 1)
    model.eval()


def masked_loss(model: Any, tokenizer: Any, windows: Sequence[Window]) -> Loss:
    """Cross entropy of hidden tokens: 15 %, of which 80 % masked, 10 % swapped, 10 % left, as for BERT."""
    from transformers import DataCollatorForLanguageModeling

    hide = DataCollatorForLanguageModeling(tokenizer, mlm_probability=MASKED)
    device = next(model.parameters()).device

    def loss(numbers: list[int]) -> Any:
        batch = hide([{"input_ids": list(windows[number])} for number in numbers])
        ids, labels = batch["input_ids"].to(device), batch["labels"].to(device)
        logits = model(input_ids=ids, attention_mask=(batch["attention_mask"]).to(device)).logits
        hidden = labels != -100
        # A short window may have nothing hidden: the sum is 0, and the clamp avoids 0 / 0.
        return _cross_entropy(logits[hidden], labels[hidden], "sum") / hidden.sum().clamp(min=1)

    return loss


def person_loss(model: Any, pad: int, windows: Sequence[Window], people: Sequence[int]) -> Loss:
    """Cross entropy of the person of each window."""
    import torch

    device = next(model.parameters()).device

    def loss(numbers: list[int]) -> Any:
        ids, mask = padded([windows[number] for number in numbers], pad, device)
        wanted = torch.tensor([people[number] for number in numbers], device=device)
        return _cross_entropy(model(input_ids=ids, attention_mask=mask).logits, wanted, "mean")

    return loss


def logits(model: Any, pad: int, windows: Sequence[Window], batch: int) -> Floats:
    """[window, person]."""
    import torch

    device = next(model.parameters()).device
    rows = []
    with torch.inference_mode():
        for numbers in _batches(np.arange(len(windows)), batch):
            ids, mask = padded([windows[number] for number in numbers], pad, device)
            rows.append(model(input_ids=ids, attention_mask=mask).logits.double().cpu().numpy())
    return np.concatenate(rows) if rows else np.zeros((0, int(model.config.num_labels)))


def contributions(model: Any, special: Special, windows: Sequence[Window], person: int, batch: int) -> list[Floats]:
    """What each token of each window adds to the log-odds of a person over all others, compared with a masked token.

    Integrated gradients in one step: from all tokens masked to the text as it is, by the gradient half-way.
    """
    import torch

    device = next(model.parameters()).device
    table = model.get_input_embeddings()
    contributions: list[Floats] = []
    for numbers in _batches(np.arange(len(windows)), batch):
        ids, mask = padded([windows[number] for number in numbers], special.pad, device)
        hidden = torch.where((ids == special.first) | (ids == special.last), ids, special.mask)
        with torch.no_grad():
            full, empty = table(ids), table(hidden)
        half = ((full + empty) / 2).requires_grad_()
        rows = model(inputs_embeds=half, attention_mask=mask).logits
        others = torch.cat([rows[:, :person], rows[:, person + 1 :]], 1).logsumexp(1)
        (slope,) = torch.autograd.grad((rows[:, person] - others).sum(), half)
        values = (slope * (full - empty)).sum(-1).double().cpu().numpy()
        contributions += [row[: len(windows[number])] for row, number in zip(values, numbers, strict=True)]
    return contributions


def padded(windows: Sequence[Window], pad: int, device: Any) -> tuple[Any, Any]:
    """Token ids [window, token] padded with ``pad``, and the mask of real tokens."""
    import torch

    longest = max(map(len, windows))
    ids = torch.full((len(windows), longest), pad)
    mask = torch.zeros((len(windows), longest), dtype=torch.long)
    for row, window in enumerate(windows):
        ids[row, : len(window)] = torch.tensor(list(window))
        mask[row, : len(window)] = 1
    return ids.to(device), mask.to(device)


def _cross_entropy(rows: Any, wanted: Any, reduction: str) -> Any:
    import torch

    return torch.nn.functional.cross_entropy(rows.float(), wanted, reduction=reduction)


def _batches(order: Any, size: int) -> Iterator[list[int]]:
    return ([int(number) for number in order[low : low + size]] for low in range(0, len(order), size))


@contextmanager
def seeded(name: str, device: Any) -> Iterator[np.random.Generator]:
    """A seeded generator, with torch's random state (dropout, masks) seeded too and restored afterwards."""
    import torch

    seeds = np.random.SeedSequence([*name.encode()])
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(int(seeds.generate_state(1)[0]))
        yield np.random.default_rng(seeds)


def _restore(checkpoint: Path, model: Any, optimizer: Any) -> int:
    import torch

    device = next(model.parameters()).device
    try:
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        return int(state["epoch"])
    except (OSError, EOFError, KeyError, ValueError, RuntimeError, UnpicklingError) as error:
        raise InputError(
            f"{checkpoint} cannot be read as a checkpoint ({type(error).__name__}): delete it to start anew"
        ) from None
