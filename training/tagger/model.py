"""The network: a MiniLM encoder that also sees how a token was written, and three outputs per token."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor, nn
from training.encoder import Encoder, Size, fill
from training.tagger.labels import DECISIONS, TAGS

from sfumato.detectors.tagger import SHAPE_COUNT

__all__ = ["Size", "Tagger", "load"]


class Tagger(Encoder):
    """Tokens in; logits of the type (BIO), of the decision and of "mask this" out."""

    def __init__(self, size: Size, dropout: float = 0.1) -> None:
        super().__init__(size, dropout)
        self.shapes = nn.Embedding(SHAPE_COUNT, size.hidden_size)
        nn.init.zeros_(self.shapes.weight)  # training starts from exactly what the encoder knew
        self.type_head = nn.Linear(size.hidden_size, len(TAGS))
        self.decision_head = nn.Linear(size.hidden_size, len(DECISIONS))
        self.mask_head = nn.Linear(size.hidden_size, 1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, case_ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = self.dropout(self.encode(self.words(input_ids) + self.shapes(case_ids), attention_mask))
        return self.type_head(hidden), self.decision_head(hidden), self.mask_head(hidden).squeeze(-1)


def load(folder: Path, dropout: float = 0.1) -> Tagger:
    """A tagger from a folder: one trained here, or an encoder, whose heads then start at random."""
    return fill(Tagger(Size.of(folder), dropout), folder, ("shapes.", "type_head.", "decision_head.", "mask_head."))
