"""How well hidden tokens are guessed, beside guessing by frequency at the same places."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from training.masked_lm import masking
from training.masked_lm.fit import Source
from training.masked_lm.model import MaskedLM
from training.masked_lm.windows import SPECIAL, Rows, Vocabulary, covering

Scores = dict[str, float]


def frequencies(rows: Rows, size: int) -> Tensor:
    """Log-probability of each token by its count, one added to every count."""
    counts = torch.from_numpy(np.bincount(rows.ids, minlength=size)).double() + 1
    return (counts / counts.sum()).log().float()


@torch.no_grad()
def evaluate(
    model: MaskedLM,
    rows: Rows,
    vocabulary: Vocabulary,
    unigram: Tensor,
    window: int,
    device: torch.device,
    passes: int = masking.EVERY,
    limit: int | None = None,
) -> Mapping[str, Scores]:
    """Nats per token and share guessed at once, per set, of all (``all``) and as the mean over sets (``sets``).

    Words are hidden in turn, as in use: with all passes each token is asked for once. ``limit`` takes that many
    windows evenly.
    """
    source = Source(rows, vocabulary, window, device)
    starts, sets = covering(rows, window - SPECIAL)
    if limit is not None and limit < len(starts):
        some = np.linspace(0, len(starts) - 1, limit).astype(np.int64)
        starts, sets = starts[some], sets[some]
    sums = torch.zeros((len(rows.sets), 4), dtype=torch.float64, device=device)
    unigram = unigram.to(device)
    model.eval()
    for low in range(0, len(starts), 64):
        ids, begins, text = source.cut(torch.from_numpy(starts[low : low + 64]).to(device))
        owner = torch.from_numpy(sets[low : low + 64]).to(device)
        for first in range(passes):
            chosen = masking.alternating(begins, torch.full_like(owner, first)) & text
            batch = masking.hidden(ids, chosen, vocabulary.hidden)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                logits = model(batch.ids, None, batch.positions).float()
            nats = torch.nn.functional.cross_entropy(logits, batch.targets, reduction="none")
            right = logits.argmax(-1) == batch.targets
            found = torch.stack([torch.ones_like(nats), nats, right.float(), -unigram[batch.targets]], 1)
            sums.index_add_(0, owner[batch.positions // ids.shape[1]], found.double())
    table = {name: _means(row) for name, row in zip(rows.sets, sums.cpu(), strict=True) if row[0]}
    mean = {key: float(np.mean([row[key] for row in table.values()])) for key in ("nats", "right", "unigram_nats")}
    return {"all": _means(sums.sum(0).cpu()), "sets": mean, **table}


def _means(row: Tensor) -> Scores:
    tokens, nats, right, unigram = row.tolist()
    return {"tokens": tokens, "nats": nats / tokens, "right": right / tokens, "unigram_nats": unigram / tokens}
