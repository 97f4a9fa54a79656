"""Which tokens to hide, always whole words.

``scattered`` is BERT's way. ``alternating`` is how the model is used: every sixth term at once, where a term may be
several words (a name, a noun with its adjective).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

SHARE = 0.15
EVERY = 6


@dataclass(frozen=True)
class Masked:
    """A batch to guess at: what the network sees, where, and what stood there."""

    ids: Tensor
    positions: Tensor
    targets: Tensor


def numbered(begins: Tensor) -> Tensor:
    """The number of each token's word within its window; a word cut by the edge is number 0."""
    return begins.long().cumsum(1)


def scattered(begins: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """Each word with the same chance."""
    draws = torch.rand((begins.shape[0], begins.shape[1] + 1), generator=generator, device=begins.device)
    return draws.gather(1, numbered(begins)) < share


def merged(begins: Tensor, generator: torch.Generator) -> Tensor:
    """Words joined to terms: each window has its own chance, up to a half, that a word belongs to the one before."""
    chance = torch.rand((begins.shape[0], 1), generator=generator, device=begins.device) / 2
    return begins & (torch.rand(begins.shape, generator=generator, device=begins.device) >= chance)


def alternating(begins: Tensor, first: Tensor, every: int = EVERY) -> Tensor:
    """Each ``every``-th word of a window, beginning with ``first`` (one number a window)."""
    return numbered(begins) % every == first[:, None] % every


def hidden(ids: Tensor, chosen: Tensor, mask: int) -> Masked:
    """All chosen tokens replaced by [MASK]."""
    return Masked(torch.where(chosen, mask, ids), *_asked(ids, chosen))


def disguised(ids: Tensor, chosen: Tensor, mask: int, plain: Tensor, generator: torch.Generator) -> Masked:
    """Of the chosen tokens 80 % hidden, 10 % replaced by any word, 10 % left, so that no token is beyond doubt."""
    draws = torch.rand(ids.shape, generator=generator, device=ids.device)
    strangers = plain[torch.randint(len(plain), ids.shape, generator=generator, device=ids.device)]
    seen = torch.where(draws < 0.8, mask, torch.where(draws < 0.9, strangers, ids))
    return Masked(torch.where(chosen, seen, ids), *_asked(ids, chosen))


def _asked(ids: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    positions = chosen.flatten().nonzero().squeeze(1)
    return positions, ids.flatten()[positions]
