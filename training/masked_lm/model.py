"""The network: the encoder, and BERT's head over the vocabulary, computed only where a token is to be guessed."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from training.encoder import Encoder, Size, fill

HEAD = ("lm_",)


class MaskedLM(Encoder):
    """Tokens and flat positions in; logits [position, word] out. The output words are the input embeddings."""

    def __init__(self, size: Size, dropout: float = 0.1) -> None:
        super().__init__(size, dropout)
        self.lm_dense = nn.Linear(size.hidden_size, size.hidden_size)
        self.lm_norm = nn.LayerNorm(size.hidden_size, size.layer_norm_eps)
        self.lm_bias = nn.Parameter(torch.zeros(size.vocab_size))

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None, positions: Tensor) -> Tensor:
        """``positions`` index the batch laid out as one row: row * length + column."""
        hidden = self.encode(self.words(input_ids), attention_mask)
        return self.guess(hidden.reshape(-1, self.size.hidden_size)[positions])

    def guess(self, hidden: Tensor) -> Tensor:
        """What each vector says of its token: logits of all words."""
        hidden = self.lm_norm(nn.functional.gelu(self.lm_dense(hidden)))
        # A product, not a linear layer: one table shared with the look-up would be quantized wrongly in the export.
        return hidden @ self.words.weight.t() + self.lm_bias


def load(folder: Path, dropout: float = 0.1) -> MaskedLM:
    """A language model from a folder: one trained here, or an encoder, whose head then starts at random."""
    return fill(MaskedLM(Size.of(folder), dropout), folder, HEAD)
