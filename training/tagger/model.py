"""The network: a MiniLM encoder that also sees how a token was written and what lists know of its word; three outputs.

It may exit early, token by token: after ``Size.full_layers`` layers a gate guesses which tokens may have to be masked,
and the later layers read only those. The others stay as they are, and are still looked at. Most tokens of a text are
clearly nobody's, so this saves most of the work of the later layers.

``LargeTagger`` has the same inputs and outputs on an encoder five times as large. It is too slow to ship, and teaches.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn
from training.encoder import Encoder, Size, as_visible, fill, load_weights
from training.tagger.labels import DECISIONS, TAGS

from sfumato.detectors.tagger import SHAPE_COUNT
from sfumato.lexicon.word_kinds import WORD_KIND_COUNT

__all__ = ["LargeTagger", "Size", "Tagger", "add_gate", "keep_layers", "load", "narrow_layers"]


class Tagger(Encoder):
    """Tokens in; logits of the type (BIO), of the decision and of "mask this" out."""

    def __init__(self, size: Size, dropout: float = 0.1) -> None:
        super().__init__(size, dropout)
        self.shapes = nn.Embedding(SHAPE_COUNT, size.hidden_size)
        self.word_kinds = nn.Embedding(WORD_KIND_COUNT, size.hidden_size)
        for table in (self.shapes, self.word_kinds):
            nn.init.zeros_(table.weight)  # training starts from exactly what the encoder knew
        self.type_head = nn.Linear(size.hidden_size, len(TAGS))
        self.decision_head = nn.Linear(size.hidden_size, len(DECISIONS))
        self.mask_head = nn.Linear(size.hidden_size, 1)
        self.gate = nn.Linear(size.hidden_size, 1) if size.full_layers is not None else None
        self.is_gate_open = False
        """Whether the later layers read every token, as at the beginning of training, when the gate knows nothing."""

    def embed(self, input_ids: Tensor, case_ids: Tensor, word_kinds: Tensor) -> Tensor:
        """What each token brings by itself."""
        embedded: Tensor = self.words(input_ids) + self.shapes(case_ids) + self.word_kinds(word_kinds)
        return embedded

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, case_ids: Tensor, word_kinds: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        return self.forward_gated(input_ids, attention_mask, case_ids, word_kinds)[0]

    def forward_gated(
        self, input_ids: Tensor, attention_mask: Tensor, case_ids: Tensor, word_kinds: Tensor
    ) -> tuple[tuple[Tensor, Tensor, Tensor], Tensor | None]:
        """The logits of the outputs, and of the gate where there is one."""
        hidden, visible = self.place(self.embed(input_ids, case_ids, word_kinds)), as_visible(attention_mask)
        gate = passes = None
        for number, layer in enumerate(self.layers):
            if self.gate is not None and number == self.size.full_layers:
                gate = self.gate(hidden).squeeze(-1)
                passes = None if self.is_gate_open else self._passes(gate)
            updated = layer(hidden, visible)
            hidden = updated if passes is None else torch.where(passes, updated, hidden)
        hidden = self.dropout(hidden)
        return (self.type_head(hidden), self.decision_head(hidden), self.mask_head(hidden).squeeze(-1)), gate

    def _passes(self, gate: Tensor) -> Tensor:
        """Which tokens the later layers read; the first, which is no word, always: so there is something to compute."""
        passes = gate.sigmoid() >= self.size.gate_threshold
        passes[:, 0] = True
        return passes[..., None]


class LargeTagger(nn.Module):
    """The same on MPNet, whose table of words ``pack`` has put in the order of BERT's vocabulary."""

    def __init__(self, folder: Path, dropout: float) -> None:
        from transformers import MPNetConfig, MPNetModel

        super().__init__()
        settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.settings = settings.get("mpnet", settings)
        config = MPNetConfig(**{**self.settings, "hidden_dropout_prob": dropout})
        width = config.hidden_size
        self.size = Size(
            config.vocab_size,
            width,
            config.num_hidden_layers,
            config.num_attention_heads,
            config.intermediate_size,
            config.max_position_embeddings,
        )
        self.encoder = MPNetModel(config, add_pooling_layer=False)
        self.shapes = nn.Embedding(SHAPE_COUNT, width)
        self.word_kinds = nn.Embedding(WORD_KIND_COUNT, width)
        for table in (self.shapes, self.word_kinds):
            nn.init.zeros_(table.weight)
        self.dropout = nn.Dropout(dropout)
        self.type_head = nn.Linear(width, len(TAGS))
        self.decision_head = nn.Linear(width, len(DECISIONS))
        self.mask_head = nn.Linear(width, 1)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, case_ids: Tensor, word_kinds: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        words = self.encoder.embeddings.word_embeddings(input_ids) + self.shapes(case_ids) + self.word_kinds(word_kinds)
        output = self.encoder(inputs_embeds=words, attention_mask=attention_mask.long())
        hidden = self.dropout(output.last_hidden_state)
        return self.type_head(hidden), self.decision_head(hidden), self.mask_head(hidden).squeeze(-1)


def load(folder: Path, dropout: float = 0.1) -> Tagger | LargeTagger:
    """A tagger from a folder: one trained here, or an encoder, whose heads then start at random."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if "mpnet" not in config and config.get("model_type") != "mpnet":
        return fill(
            Tagger(Size.of(folder), dropout),
            folder,
            ("shapes.", "word_kinds.", "type_head.", "decision_head.", "mask_head.", "gate."),
        )
    model = LargeTagger(folder, dropout)
    weights = {name: value for path in _pieces(folder) for name, value in load_weights(path).items()}
    if "mpnet" in config:
        model.load_state_dict(weights)
        return model
    words = weights["embeddings.word_embeddings.weight"]
    model.encoder.resize_token_embeddings(len(words))
    model.encoder.load_state_dict(weights)
    model.settings = {**model.settings, "vocab_size": len(words)}
    return model


def keep_layers(model: Tagger | LargeTagger, numbers: Sequence[int]) -> None:
    """Drop all layers of a tagger but these, from 0: the start of a smaller one."""
    if isinstance(model, LargeTagger) or not set(numbers) <= set(range(len(model.layers))):
        raise SystemExit(
            f"--layers {','.join(map(str, numbers))}: the base is not a MiniLM that has all of these layers"
        )
    model.layers = nn.ModuleList(model.layers[number] for number in numbers)
    model.size = replace(model.size, num_hidden_layers=len(numbers))


def add_gate(model: Tagger | LargeTagger, full_layers: int, threshold: float) -> None:
    """Let the layers after the first ``full_layers`` read only tokens that a gate, yet to be trained, lets through."""
    if isinstance(model, LargeTagger) or not 0 < full_layers < len(model.layers):
        raise SystemExit(f"--full-layers {full_layers}: the base is not a MiniLM that has more layers")
    model.size = replace(model.size, full_layers=full_layers, gate_threshold=threshold)
    model.gate = nn.Linear(model.size.hidden_size, 1)


def narrow_layers(model: Tagger | LargeTagger, width: int) -> None:
    """Keep only so many units between the two products of each layer: those with the largest weights in both."""
    if isinstance(model, LargeTagger) or width > model.size.intermediate_size:
        raise SystemExit(f"--feed-forward {width}: the base is not a MiniLM that has as many units")
    for layer in model.layers:
        strength = layer.widen.weight.norm(dim=1) * layer.narrow.weight.norm(dim=0)
        kept = strength.topk(width).indices.sort().values
        widen, narrow = nn.Linear(model.size.hidden_size, width), nn.Linear(width, model.size.hidden_size)
        widen.weight.data, widen.bias.data = layer.widen.weight.data[kept], layer.widen.bias.data[kept]
        narrow.weight.data, narrow.bias.data = layer.narrow.weight.data[:, kept].contiguous(), layer.narrow.bias.data
        layer.widen, layer.narrow = widen, narrow
    model.size = replace(model.size, intermediate_size=width)


def _pieces(folder: Path) -> list[Path]:
    """The files of a packed teacher lie in folders that differ in the number at the end."""
    stem, _, number = folder.name.rpartition("-")
    if not (stem.endswith("-teacher") and number.isdecimal()):
        return [folder / "model.safetensors"]
    return [folder.with_name(f"{stem}-{piece}") / "model.safetensors" for piece in range(1, int(number) + 1)]
