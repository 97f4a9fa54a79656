"""Fine-tuning of a causal language model, plainly or with DP-SGD; a stopped training goes on with the same result.

DP-SGD (Abadi et al. 2016): every record joins a batch by itself with the same probability, its gradient is clipped to a
norm C, and Gaussian noise of σC is added to the sum before the optimizer sees it. Gradients of single records come from
``torch.func``. What is random in a step is a function of the seed and the step's number, so a step that is done again
after a stop is the same step, and ε is not spent twice.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, inf, isfinite
from pathlib import Path
from pickle import UnpicklingError
from time import monotonic
from typing import Any

import numpy as np

from sfumato.errors import InputError, OutputError, RecipeError
from sfumato.files import CONFIDENTIAL, atomic_path, private_folder
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato_papers.synthesis.accountant import Sampling, check_delta, find_noise, spent_epsilon
from sfumato_papers.synthesis.causal import Example, autocast, pad, token_losses

CHECKPOINT_SECONDS = 60.0
"""Time between checkpoints."""
_LONGEST_GRADIENT = 1.0
"""Of plain training, over all weights and the whole batch."""


@dataclass(frozen=True)
class Training:
    """The settings of a training."""

    epochs: float
    batch: int
    rate: float
    micro_batch: int = 16
    """Examples on the device at once; the result depends on it only by rounding."""
    warmup: float = 0.05
    """Share of the steps in which the learning rate rises; then it falls in a straight line to 0."""

    def __post_init__(self) -> None:
        if not (isfinite(self.epochs) and self.epochs > 0 and self.rate > 0):
            raise RecipeError("epochs and rate are numbers above 0")
        if self.batch < 1 or self.micro_batch < 1:
            raise RecipeError("batch and micro_batch are at least 1")

    def steps(self, records: int) -> int:
        """Steps of all epochs."""
        if records < self.batch:
            raise InputError(
                f"{records} records are fewer than one batch of {self.batch}: give more, or a smaller batch"
            )
        return max(1, ceil(self.epochs * records / self.batch))

    def rate_at(self, step: int, steps: int) -> float:
        """The learning rate of a step."""
        rising = max(1, round(self.warmup * steps))
        return self.rate * min((step + 1) / rising, (steps - step) / max(1, steps - rising), 1.0)


@dataclass(frozen=True)
class Privacy:
    """What DP-SGD is run with."""

    noise: float
    """Standard deviation of the noise, as a multiple of ``clip``."""
    clip: float
    """The longest gradient of one record."""
    delta: float
    sampling: Sampling

    @property
    def epsilon(self) -> float:
        """The ε that all steps spend, by the accountant."""
        return spent_epsilon(self.sampling, self.noise, self.delta)


def plan_privacy(epsilon: float, delta: float | None, training: Training, records: int, clip: float) -> Privacy | None:
    """The noise for a target ε; None for ε = ∞. Raises RecipeError where δ is missing or larger than 1 / n."""
    if epsilon == inf:
        return None
    if not clip > 0:
        raise RecipeError(f"the clipping norm is above 0, got {clip:g}")
    checked = check_delta(delta, records)
    sampling = Sampling(training.batch / records, training.steps(records))
    return Privacy(find_noise(float(epsilon), checked, sampling), clip, checked, sampling)


def fit(
    network: Any,
    examples: Sequence[Example],
    training: Training,
    privacy: Privacy | None,
    *,
    seed: int,
    checkpoint: Path | None = None,
    filler: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> list[float]:
    """Train those weights that require gradients; the mean loss of each step, from the checkpoint where there is one.

    With ``privacy``, losses are those of private batches, and no part of what ε bounds.
    """
    import torch

    steps = training.steps(len(examples)) if privacy is None else privacy.sampling.steps
    weights = {name: value for name, value in network.named_parameters() if value.requires_grad}
    optimizer = torch.optim.AdamW(weights.values(), lr=training.rate, weight_decay=0.0)
    losses = _restore(checkpoint, weights, optimizer) if checkpoint is not None and checkpoint.is_file() else []
    device = next(iter(weights.values())).device
    gradients = (
        _PlainGradients(network, weights, filler)
        if privacy is None
        else _PrivateGradients(network, weights, filler, privacy)
    )
    saved = monotonic()
    for step in range(len(losses), steps):
        draws = np.random.default_rng([seed, step])
        with torch.random.fork_rng([device] if device.type == "cuda" else []):
            torch.manual_seed(int(draws.integers(2**62)))
            chosen = gradients.choose(len(examples), step, training.batch, seed)
            losses.append(gradients.compute([examples[number] for number in chosen], training))
        for group in optimizer.param_groups:
            group["lr"] = training.rate_at(step, steps)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if checkpoint is not None and (step + 1 == steps or monotonic() - saved >= CHECKPOINT_SECONDS):
            _save(checkpoint, weights, optimizer, losses)
            saved = monotonic()
        on_progress(Progress("training", step + 1, steps, f"loss {losses[-1]:.2f}" if isfinite(losses[-1]) else ""))
    network.eval()
    return losses


class _PlainGradients:
    """The gradient of the mean loss over a batch's tokens; batches are slices of a new order in every epoch."""

    def __init__(self, network: Any, weights: dict[str, Any], filler: int) -> None:
        self._network, self._weights, self._filler = network, weights, filler

    def choose(self, count: int, step: int, batch: int, seed: int) -> list[int]:
        numbers = []
        for place in range(step * batch, (step + 1) * batch):
            epoch, within = divmod(place, count)
            numbers.append(int(_order(seed, epoch, count)[within]))
        return numbers

    def compute(self, examples: Sequence[Example], training: Training) -> float:
        import torch

        device = next(iter(self._weights.values())).device
        self._network.train()
        tokens = max(1, sum(max(0, len(example.ids) - example.first) for example in examples))
        total = 0.0
        for first in range(0, len(examples), training.micro_batch):
            ids, learned = pad(examples[first : first + training.micro_batch], self._filler, device)
            with autocast(device):
                logits = self._network(input_ids=ids, use_cache=False).logits
            loss = (token_losses(logits, ids) * learned).sum() / tokens
            loss.backward()
            total += float(loss.detach())
        torch.nn.utils.clip_grad_norm_(list(self._weights.values()), _LONGEST_GRADIENT)
        return total


class _PrivateGradients:
    """The noisy mean of clipped gradients of single records, drawn by Poisson sampling."""

    def __init__(self, network: Any, weights: dict[str, Any], filler: int, privacy: Privacy) -> None:
        import torch

        self._network, self._weights, self._filler, self._privacy = network, weights, filler, privacy
        # Fused attention has no rule for gradients of single records.
        network.set_attn_implementation("eager")
        frozen = {name: value for name, value in network.named_parameters() if name not in weights}

        def loss(weights: dict[str, Any], ids: Any, learned: Any) -> tuple[Any, Any]:
            inputs = {"input_ids": ids[None], "use_cache": False}
            with autocast(ids.device):
                logits = torch.func.functional_call(network, {**frozen, **weights}, (), inputs).logits[0]
            value = (token_losses(logits, ids) * learned).sum() / learned.sum().clamp(min=1)
            return value, value

        self._of_each = torch.func.vmap(torch.func.grad(loss, has_aux=True), in_dims=(None, 0, 0))

    def choose(self, count: int, step: int, batch: int, seed: int) -> list[int]:
        """Each record with the same probability, independently of the others."""
        joins = np.random.default_rng([seed, step, 1]).random(count) < self._privacy.sampling.rate
        return [int(number) for number in np.flatnonzero(joins)]

    def compute(self, examples: Sequence[Example], training: Training) -> float:
        import torch

        self._network.eval()  # dropout would need its own draw for every record
        sums = {name: torch.zeros_like(value) for name, value in self._weights.items()}
        fixed = {name: value.detach() for name, value in self._weights.items()}
        losses: list[float] = []
        for first in range(0, len(examples), training.micro_batch):
            device = next(iter(fixed.values())).device
            ids, learned = pad(examples[first : first + training.micro_batch], self._filler, device)
            gradients, values = self._of_each(fixed, ids, learned)
            norms = sum(part.float().flatten(1).square().sum(1) for part in gradients.values()).sqrt()
            factors = (self._privacy.clip / norms.clamp(min=1e-12)).clamp(max=1.0)
            # A gradient that is no number would undo the clipping.
            factors = torch.where(norms.isfinite(), factors, 0.0)
            for name, part in gradients.items():
                sums[name] += torch.einsum("i,i...->...", factors, part.float().nan_to_num(0.0, 0.0, 0.0))
            losses += values.tolist()
        for name, weight in self._weights.items():
            noise = torch.randn_like(weight) * (self._privacy.noise * self._privacy.clip)
            weight.grad = (sums[name] + noise) / training.batch
        return float(np.mean(losses)) if losses else float("nan")


@lru_cache(maxsize=2)
def _order(seed: int, epoch: int, count: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng([seed, epoch, 2]).permutation(count)


def _save(checkpoint: Path, weights: dict[str, Any], optimizer: Any, losses: list[float]) -> None:
    import torch

    state = {"losses": losses, "weights": weights, "optimizer": optimizer.state_dict()}
    with atomic_path(checkpoint, CONFIDENTIAL) as path:
        torch.save(state, path)


def _restore(checkpoint: Path, weights: dict[str, Any], optimizer: Any) -> list[float]:
    """Puts the checkpoint's state into weights and optimizer; the losses of the steps that are done."""
    import torch

    try:
        state = torch.load(checkpoint, map_location=next(iter(weights.values())).device, weights_only=True)
        if state["weights"].keys() != weights.keys():
            raise KeyError("weights")
        with torch.no_grad():
            for name, value in weights.items():
                value.copy_(state["weights"][name])
        optimizer.load_state_dict(state["optimizer"])
        return [float(loss) for loss in state["losses"]]
    except (OSError, EOFError, KeyError, ValueError, RuntimeError, UnpicklingError) as error:
        raise InputError(
            f"{checkpoint} cannot be read as a checkpoint ({type(error).__name__}): delete it to start anew"
        ) from None


def open_run_folder(folder: Path, key: str, seed: int | None, *, option: str) -> int:
    """The seed of the run in this confidential folder, drawn where none was given.

    Raises OutputError where the folder belongs to another run. ``key``: a fingerprint of all that the result depends
    on; ``option``: what names the folder.
    """
    try:
        private_folder(folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written ({error.strerror}); choose another {option} folder") from None
    path = folder / "run.json"
    if path.is_file():
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
            known, kept = str(state["key"]), int(state["seed"])
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{path}: cannot be read; delete the folder to start anew") from None
        if known != key:
            raise OutputError(
                f"{folder}: holds a model of other records or settings; name another {option} folder, or delete this "
                "one"
            )
        return kept
    if any(folder.iterdir()):
        raise OutputError(f"{folder}: is not empty and holds no earlier run; name another {option} folder")
    seed = secrets.randbits(120) if seed is None else seed
    with atomic_path(path, CONFIDENTIAL) as temporary:
        temporary.write_text(json.dumps({"key": key, "seed": seed}), encoding="utf-8")
    return seed
