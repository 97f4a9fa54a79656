"""The network: a MiniLM encoder that also sees how a token was written and what lists know of its word; three outputs.

It may exit early, token by token: after ``Size.full_layers`` layers a gate guesses which tokens may have to be masked,
and the later layers read only those. The others stay as they are, and are still looked at; their probability is that of
the gate. Most tokens of a text are clearly nobody's, so this saves most of the work of the later layers.

``LargeTagger`` has the same inputs and outputs on an encoder five times as large. It is too slow to ship, and teaches.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from sfumato.detectors.tagger import SHAPE_COUNT
from sfumato.lexicon.word_kinds import WORD_KIND_COUNT
from training.encoder import Encoder, Size, as_visible, fill, load_weights
from training.tagger.labels import DECISIONS, TAGS

__all__ = [
    "LargeTagger",
    "Reading",
    "Size",
    "Tagger",
    "add_gate",
    "keep_layers",
    "load",
    "narrow_layers",
    "take_first_layers",
]


class Reading(NamedTuple):
    """What a tagger makes of a batch."""

    outputs: tuple[Tensor, Tensor, Tensor]
    """Logits of type, decision and mask."""
    states: list[Tensor]
    """What each layer gives, from the first."""
    gate: Tensor | None = None
    """The gate's logits, where there is one."""
    passes: Tensor | None = None
    """[window, token]: which tokens the later layers read; None: all."""


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
        return self.read(input_ids, attention_mask, case_ids, word_kinds).outputs

    def read(self, input_ids: Tensor, attention_mask: Tensor, case_ids: Tensor, word_kinds: Tensor) -> Reading:
        """The outputs with all that leads to them."""
        hidden, visible = self.place(self.embed(input_ids, case_ids, word_kinds)), as_visible(attention_mask)
        states: list[Tensor] = []
        gate = passes = None
        for number, layer in enumerate(self.layers):
            if self.gate is not None and number == self.size.full_layers:
                gate = self.gate(hidden).squeeze(-1)
                passes = None if self.is_gate_open else self._passes(gate)
            updated = layer(hidden, visible)
            hidden = updated if passes is None else torch.where(passes[..., None], updated, hidden)
            states.append(hidden)
        hidden = self.dropout(hidden)
        mask = self.mask_head(hidden).squeeze(-1)
        if gate is not None and passes is not None:
            mask = torch.where(passes, mask, gate)
        return Reading((self.type_head(hidden), self.decision_head(hidden), mask), states, gate, passes)

    def _passes(self, gate: Tensor) -> Tensor:
        """Which tokens the later layers read; the first, which is no word, always: so there is something to compute."""
        passes = gate.sigmoid() >= self.size.gate_threshold
        passes[:, 0] = True
        return passes


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


def take_first_layers(model: Tagger | LargeTagger, narrow: Tagger | LargeTagger, count: int | None) -> None:
    """Embed and read the first ``count`` layers as a narrower tagger does, which learned to give what these give."""
    if isinstance(model, LargeTagger) or isinstance(narrow, LargeTagger) or not count:
        raise SystemExit("--first-layers: needs a MiniLM, another one as base, and --full-layers")
    if len(narrow.layers) != len(model.layers):
        raise SystemExit(f"--first-layers: has {len(narrow.layers)} layers, the base {len(model.layers)}")
    for part in ("words", "positions", "kinds", "norm", "shapes", "word_kinds"):
        setattr(model, part, getattr(narrow, part))
    model.layers = nn.ModuleList([*narrow.layers[:count], *model.layers[count:]])
    model.size = replace(
        model.size,
        num_attention_heads=narrow.size.num_attention_heads,
        intermediate_size=narrow.size.intermediate_size,
        head_size=narrow.layers[0].head_size,
        later_heads=model.size.num_attention_heads,
        later_intermediate_size=model.size.intermediate_size,
    )


@torch.no_grad()
def narrow_layers(
    model: Tagger | LargeTagger,
    batches: Iterable[dict[str, Tensor]],
    heads: int | None = None,
    units: int | None = None,
) -> None:
    """Keep only so many heads of attention, and so many units between the two products of each layer.

    Those are kept that add most to what their layer makes of the batches. None: all of them.
    """
    if isinstance(model, LargeTagger) or (units or 0) > model.size.intermediate_size:
        raise SystemExit(f"--feed-forward {units}: the base is not a MiniLM that has as many units")
    if (heads or 0) > model.size.num_attention_heads:
        raise SystemExit(f"--heads {heads}: the base has {model.size.num_attention_heads}")
    contributions = _contributions(model, batches)
    for number, layer in enumerate(model.layers):
        if units:
            kept = _largest(contributions[f"layers.{number}.narrow"], units)
            layer.widen, layer.narrow = _rows(layer.widen, kept), _columns(layer.narrow, kept)
        if heads:
            by_head = contributions[f"layers.{number}.merge"].view(layer.heads, layer.head_size)
            first = _largest(by_head.sum(1), heads) * layer.head_size
            kept = (first[:, None] + torch.arange(layer.head_size, device=first.device)).flatten()
            layer.query, layer.key, layer.value = (_rows(part, kept) for part in (layer.query, layer.key, layer.value))
            layer.merge, layer.heads = _columns(layer.merge, kept), heads
    head_size = model.layers[0].head_size
    model.size = replace(
        model.size,
        intermediate_size=units or model.size.intermediate_size,
        num_attention_heads=heads or model.size.num_attention_heads,
        head_size=head_size,
    )


def _contributions(model: Tagger, batches: Iterable[dict[str, Tensor]]) -> dict[str, Tensor]:
    """By name of the products that end attention and feed-forward: what each input adds to the output, squared."""
    squares: dict[str, Tensor] = {}

    def watch(name: str, product: nn.Linear) -> torch.utils.hooks.RemovableHandle:
        def add(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            squares[name] = squares.get(name, 0.0) + inputs[0].float().square().flatten(0, 1).sum(0)

        return product.register_forward_pre_hook(add)

    products = {
        name: part
        for name, part in model.named_modules()
        if isinstance(part, nn.Linear) and name.endswith(("merge", "narrow"))
    }
    watching = [watch(name, product) for name, product in products.items()]
    was_training = model.training
    model.eval()
    for batch in batches:
        model(batch["ids"], batch["visible"], batch["shapes"], batch["kinds"])
    model.train(was_training)
    for handle in watching:
        handle.remove()
    return {name: squares[name] * product.weight.square().sum(0) for name, product in products.items()}


def _largest(values: Tensor, count: int) -> Tensor:
    """The places of the largest values, in order."""
    return values.topk(count).indices.sort().values


def _rows(product: nn.Linear, kept: Tensor) -> nn.Linear:
    """The product with these outputs alone."""
    smaller = nn.Linear(product.in_features, len(kept)).to(product.weight.device)
    smaller.weight.data, smaller.bias.data = product.weight.data[kept], product.bias.data[kept]
    return smaller


def _columns(product: nn.Linear, kept: Tensor) -> nn.Linear:
    """The product with these inputs alone."""
    smaller = nn.Linear(len(kept), product.out_features).to(product.weight.device)
    smaller.weight.data, smaller.bias.data = product.weight.data[:, kept].contiguous(), product.bias.data
    return smaller


def _pieces(folder: Path) -> list[Path]:
    """The files of a packed teacher lie in folders that differ in the number at the end."""
    stem, _, number = folder.name.rpartition("-")
    if not (stem.endswith("-teacher") and number.isdecimal()):
        return [folder / "model.safetensors"]
    return [folder.with_name(f"{stem}-{piece}") / "model.safetensors" for piece in range(1, int(number) + 1)]
