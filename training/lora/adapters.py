"""Low-rank adapters (Hu et al. 2022): a frozen linear layer W learns W + (α / r) U D, with D and U of rank r.

U begins at 0, so a network with new adapters computes what it computed before. Merged adapters are weights like any
other, so the result is an ordinary model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor, nn

from sfumato.errors import InputError, RecipeError, suggest


@dataclass(frozen=True)
class Adapters:
    """The size of the adapters, and which linear layers get one."""

    rank: int = 16
    alpha: float = 32.0
    targets: tuple[str, ...] = ()
    """Last parts of the layers' names, such as q_proj; none: every linear layer but the output."""

    def __post_init__(self) -> None:
        if self.rank < 1 or not self.alpha > 0:
            raise RecipeError(f"rank is at least 1 and alpha above 0, got {self.rank} and {self.alpha:g}")


class LowRank(nn.Module):
    """A linear layer, which stays as it is, and what is added to it."""

    def __init__(self, linear: nn.Linear, rank: int, alpha: float, draws: torch.Generator) -> None:
        super().__init__()
        self.linear = linear
        self.scale = alpha / rank
        weight = linear.weight
        bound = linear.in_features**-0.5
        down = (2 * torch.rand(rank, linear.in_features, generator=draws) - 1) * bound
        self.down = nn.Parameter(down.to(weight.device, weight.dtype))
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank, device=weight.device, dtype=weight.dtype))

    def forward(self, values: Tensor) -> Tensor:
        added = nn.functional.linear(nn.functional.linear(values, self.down), self.up)
        result: Tensor = self.linear(values) + self.scale * added
        return result

    def merged(self) -> nn.Linear:
        """The linear layer with what was learned added to its weight."""
        with torch.no_grad():
            self.linear.weight += self.scale * (self.up @ self.down)
        return self.linear


def attach(network: Any, adapters: Adapters, seed: int) -> list[str]:
    """Freeze the network and give its linear layers adapters; their names."""
    output = network.get_output_embeddings()
    layers = {
        name: module
        for name, module in network.named_modules()
        if isinstance(module, nn.Linear) and module is not output
    }
    kinds = {name.rpartition(".")[2] for name in layers}
    if not layers:
        raise InputError("the base has no linear layers to adapt: name another causal language model")
    if unknown := [target for target in adapters.targets if target not in kinds]:
        raise RecipeError(f"no linear layer is called {unknown[0]!r}: {suggest(unknown[0], kinds)}")
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    draws = torch.Generator().manual_seed(seed % 2**63)
    chosen = [name for name in layers if not adapters.targets or name.rpartition(".")[2] in adapters.targets]
    for name in chosen:
        _put(network, name, LowRank(layers[name], adapters.rank, adapters.alpha, draws))
    return chosen


def merge(network: Any) -> None:
    """Put plain linear layers back, with what was learned in their weights."""
    for name, module in list(adapted(network)):
        _put(network, name, module.merged())


def load_adapters(network: Any, path: Path) -> None:
    """Give a network the adapters of a file that ``training.lora.train`` wrote, as they were learned."""
    with safe_open(path, framework="pt") as file:
        settings, stored = file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    attach(network, Adapters(int(settings["rank"]), float(settings["alpha"])), seed=0)
    modules = dict(adapted(network))
    names = {f"{name}.{part}" for name in modules for part in ("down", "up")}
    if names != set(stored):
        raise InputError(f"{path}: adapters of another base; name the one that their card names")
    with torch.no_grad():
        for name, module in modules.items():
            module.down.copy_(stored[f"{name}.down"])
            module.up.copy_(stored[f"{name}.up"])


def adapted(network: Any) -> Iterator[tuple[str, LowRank]]:
    """The adapters of a network by name."""
    for name, module in network.named_modules():
        if isinstance(module, LowRank):
            yield name, module


def _put(network: Any, name: str, module: nn.Module) -> None:
    parent, _, leaf = name.rpartition(".")
    setattr(network.get_submodule(parent), leaf, module)
