"""The network: the encoder, a projection of words' vectors, and the score of late interaction."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from training.encoder import Encoder, Size, fill

DIMENSIONS = 96
NEAR = 0.4
"""Cosines below this say nothing."""
SOFTNESS = 0.05
"""In training, a cosine a little below still says a little, so that there is something to learn from."""
HEAD = ("project.", "weigh.", "scale", "exact")


class LinkEncoder(Encoder):
    """Tokens in; a vector of length 1 and a factor of its weight out for each word.

    ``weigh`` starts at zero: all words count by their rarity alone. ``scale`` and ``exact`` (logarithms) turn scores
    into logits: that of late interaction, and that of words in common, which the attack is added to.
    """

    def __init__(self, size: Size, dropout: float = 0.1) -> None:
        super().__init__(size, dropout)
        self.project = nn.Linear(size.hidden_size, DIMENSIONS)
        self.weigh = nn.Linear(size.hidden_size, 1)
        nn.init.zeros_(self.weigh.weight)
        nn.init.zeros_(self.weigh.bias)
        self.scale = nn.Parameter(torch.tensor(30.0).log())
        self.exact = nn.Parameter(torch.tensor(10.0).log())

    def words_of(self, input_ids: Tensor, attention_mask: Tensor, word_of: Tensor, slots: int) -> Tensor:
        """[piece, slot, width]: the mean of each word's sub-tokens; zeros where there is no word."""
        hidden = self.encode(self.words(input_ids), attention_mask).float()
        batch, _, width = hidden.shape
        flat = torch.where(word_of >= 0, word_of + slots * torch.arange(batch, device=hidden.device)[:, None], -1)
        inside = flat.flatten() >= 0
        places = flat.flatten()[inside]
        sums = hidden.new_zeros(batch * slots, width).index_add(0, places, hidden.reshape(-1, width)[inside])
        counts = hidden.new_zeros(batch * slots).index_add(0, places, torch.ones_like(places, dtype=hidden.dtype))
        return (sums / counts.clamp_min(1)[:, None]).view(batch, slots, width)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, word_of: Tensor, known: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Vectors [piece, slot, DIMENSIONS] and factors [piece, slot]; zeros where ``known`` [piece, slot] is not."""
        words = self.words_of(input_ids, attention_mask, word_of, known.shape[1])
        with torch.autocast(words.device.type, enabled=False):
            vectors = nn.functional.normalize(self.project(words), dim=-1) * known[..., None]
            factors = self.weigh(words)[..., 0].clamp(-3, 3).exp() * known
        return vectors, factors


def nearest(queries: Tensor, documents: Tensor) -> Tensor:
    """[query, slot, document]: the cosine of each word with the document's nearest."""
    count, slots, width = queries.shape
    products = queries.reshape(-1, width) @ documents.reshape(-1, width).t()
    return products.view(count, slots, len(documents), -1).amax(-1)


def soft_scores(cosines: Tensor, weights: Tensor) -> Tensor:
    """[query, document]: the weighted sum of what cosines exceed NEAR by, softened."""
    return torch.einsum("qwd,qw->qd", nn.functional.softplus((cosines - NEAR) / SOFTNESS) * SOFTNESS, weights)


def scores(cosines: Tensor, weights: Tensor, near: float) -> Tensor:
    """[query, document]: as the attack scores."""
    return torch.einsum("qwd,qw->qd", (cosines - near).clamp_min(0), weights)


def weighted(weights: Tensor, factors: Tensor) -> Tensor:
    """Weights by rarity times factors, summing to 1."""
    product = weights * factors
    return product / product.sum(-1, keepdim=True).clamp_min(1e-9)


def load(folder: Path, dropout: float = 0.1) -> LinkEncoder:
    """A network from a folder: one trained here, or a masked language model, whose projection is learned first."""
    return fill(LinkEncoder(Size.of(folder), dropout), folder, HEAD)
