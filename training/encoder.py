"""The MiniLM encoder that our networks share, in plain torch, and how weights of a BERT get into it.

Written out rather than taken from a library, so that the same few lines train, export and can be read beside the
runtime.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

_RENAMED = (
    (r"^bert\.", ""),
    (r"^embeddings\.word_embeddings", "words"),
    (r"^embeddings\.position_embeddings", "positions"),
    (r"^embeddings\.token_type_embeddings", "kinds"),
    (r"^embeddings\.LayerNorm", "norm"),
    (r"^encoder\.layer\.(\d+)\.attention\.self\.(query|key|value)", r"layers.\1.\2"),
    (r"^encoder\.layer\.(\d+)\.attention\.output\.dense", r"layers.\1.merge"),
    (r"^encoder\.layer\.(\d+)\.attention\.output\.LayerNorm", r"layers.\1.attended"),
    (r"^encoder\.layer\.(\d+)\.intermediate\.dense", r"layers.\1.widen"),
    (r"^encoder\.layer\.(\d+)\.output\.dense", r"layers.\1.narrow"),
    (r"^encoder\.layer\.(\d+)\.output\.LayerNorm", r"layers.\1.done"),
)


@dataclass(frozen=True)
class Size:
    """The numbers of a BERT's config.json that its shape depends on."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    layer_norm_eps: float = 1e-12
    head_size: int | None = None
    """Numbers that each head of attention compares; None: the hidden size, shared among the heads."""
    full_layers: int | None = None
    """Layers that read every token, where the later ones read only those that a gate lets through; None: all do."""
    gate_threshold: float = 0.02
    """The least probability of the gate with which a token is read on."""
    later_heads: int | None = None
    later_intermediate_size: int | None = None
    """Of the layers after the gate, where they are wider than those before it."""

    def of_layer(self, number: int) -> Size:
        """The numbers that count for this layer."""
        if self.full_layers is None or number < self.full_layers:
            return self
        return replace(
            self,
            num_attention_heads=self.later_heads or self.num_attention_heads,
            intermediate_size=self.later_intermediate_size or self.intermediate_size,
        )

    @classmethod
    def of(cls, folder: Path) -> Size:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        config = config.get("size", config)
        return cls(**{name: config[name] for name in cls.__dataclass_fields__ if name in config})


class Layer(nn.Module):
    """One transformer layer, normalized after each half as BERT does."""

    def __init__(self, size: Size, dropout: float) -> None:
        super().__init__()
        width, self.heads = size.hidden_size, size.num_attention_heads
        self.head_size = size.head_size or width // self.heads
        attended = self.heads * self.head_size
        self.query, self.key, self.value = (nn.Linear(width, attended) for _ in range(3))
        self.merge = nn.Linear(attended, width)
        self.attended = nn.LayerNorm(width, size.layer_norm_eps)
        self.widen = nn.Linear(width, size.intermediate_size)
        self.narrow = nn.Linear(size.intermediate_size, width)
        self.done = nn.LayerNorm(width, size.layer_norm_eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, visible: Tensor | None) -> Tensor:
        batch, length, _ = hidden.shape

        def split(values: Tensor) -> Tensor:
            return values.view(batch, length, self.heads, self.head_size).transpose(1, 2)

        query, key, value = split(self.query(hidden)), split(self.key(hidden)), split(self.value(hidden))
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, visible)
        mixed = self.merge(mixed.transpose(1, 2).flatten(2))
        hidden = self.attended(hidden + self.dropout(mixed))
        return self.done(hidden + self.dropout(self.narrow(nn.functional.gelu(self.widen(hidden)))))


class Encoder(nn.Module):
    """Tokens in, one vector per token out."""

    def __init__(self, size: Size, dropout: float = 0.1) -> None:
        super().__init__()
        self.size = size
        self.words = nn.Embedding(size.vocab_size, size.hidden_size)
        self.positions = nn.Embedding(size.max_position_embeddings, size.hidden_size)
        self.kinds = nn.Embedding(2, size.hidden_size)
        self.norm = nn.LayerNorm(size.hidden_size, size.layer_norm_eps)
        self.layers = nn.ModuleList(Layer(size.of_layer(number), dropout) for number in range(size.num_hidden_layers))
        self.dropout = nn.Dropout(dropout)

    def encode(self, embedded: Tensor, attention_mask: Tensor | None) -> Tensor:
        """From what each token brings by itself to what it means here; no mask: every token is one."""
        hidden = self.place(embedded)
        for layer in self.layers:
            hidden = layer(hidden, as_visible(attention_mask))
        return hidden

    def place(self, embedded: Tensor) -> Tensor:
        """What each token brings by itself, with its position: what the first layer reads."""
        order = torch.arange(embedded.shape[1], device=embedded.device)
        placed: Tensor = self.dropout(self.norm(embedded + self.positions(order) + self.kinds.weight[0]))
        return placed


def as_visible(attention_mask: Tensor | None) -> Tensor | None:
    """Which tokens a layer may look at, as attention takes it."""
    return None if attention_mask is None else attention_mask.bool()[:, None, None, :]


SCALE = ".scale"
"""In a packed file, ``NAME`` holds 8-bit numbers and ``NAME.scale`` what each row of them is multiplied with."""


def load_weights(path: Path) -> dict[str, Tensor]:
    """The weights of a file in full precision, also where they were packed into 8 bits for the way."""
    stored = load_file(path)
    return {
        name: value.float() * stored[name + SCALE].float()[:, None] if name + SCALE in stored else value.float()
        for name, value in stored.items()
        if not name.endswith(SCALE)
    }


Network = TypeVar("Network", bound=Encoder)


def fill(model: Network, folder: Path, fresh: tuple[str, ...]) -> Network:
    """Weights from a folder: one trained here, or a bare BERT encoder; names that begin as ``fresh`` may be missing."""
    weights = {}
    for name, value in load_weights(folder / "model.safetensors").items():
        for pattern, replacement in _RENAMED:
            name = re.sub(pattern, replacement, name)
        weights[name] = value
    known = model.state_dict()
    missing, _ = model.load_state_dict({name: value for name, value in weights.items() if name in known}, strict=False)
    if wrong := [name for name in missing if not name.startswith(fresh)]:
        raise ValueError(f"{folder}/model.safetensors lacks {wrong[0]} (and {len(wrong) - 1} more): not a BERT encoder")
    return model
