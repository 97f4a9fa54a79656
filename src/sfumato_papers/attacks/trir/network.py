"""The network of TRIR: the pretrained model it starts from, and its training on the people's texts.

The model is any BERT-like model of Hugging Face, or a masked language model of ours: the weights that
``training/masked_lm`` saves, or the shipped network, whose 8-bit weights are turned back into floats to be trained
further (less exact by half a step of 256, which training evens out).
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, MissingExtra
from sfumato.files import CONFIDENTIAL, atomic_path
from sfumato.lexicon.tables import load_toml
from sfumato.models import masked
from sfumato.models.base import Floats, QuantizedGraph
from sfumato.models.hugging_face import resolve_model
from sfumato.models.masked import SHIPPED
from sfumato.models.tokens import tokenizer_file
from sfumato_papers.attacks import PACKAGE

Arrays = Mapping[str, NDArray[np.float32]]
"""Weights by their names in ``training/encoder.py``."""


def dequantize(folder: Path, size: Mapping[str, Any]) -> Arrays:
    """The weights of a network that ``training/masked_lm/export.py`` wrote, by our names."""
    if not (folder / masked.FILE).is_file():
        raise InputError(
            f"{folder} has no weights to train further: give trir a model (a BERT-like folder with config.json, "
            "model.safetensors and tokenizer.json, or a name of the hub)"
        )
    try:
        return dict(_weights(QuantizedGraph(folder / masked.FILE), size))
    except (KeyError, IndexError, ValueError) as error:
        raise InputError(
            f"{folder}/{masked.FILE} is not as training/masked_lm/export.py writes it ({type(error).__name__}): "
            "give trir another model (a BERT-like folder, or a name of the hub)"
        ) from None


def _weights(graph: QuantizedGraph, size: Mapping[str, Any]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    arrays, width = graph.arrays, int(size["hidden_size"])
    yield "words.weight", arrays["words.numbers"].astype(np.float32) * arrays["words.scale"]
    kind = arrays[graph.inputs["/encode/Add_1"][1]]
    yield "kinds.weight", np.stack([kind, np.zeros_like(kind)])
    for layer in range(size["num_hidden_layers"]):
        prefix = f"layers.{layer}"
        suffix = f"_{layer}" if layer else ""
        joined = graph.product(f"/encode/attention.{layer}/joined/MatMul_quant")
        biases = arrays[f"encode.attention.{layer}.joined.bias"]
        # The export put the scale of attention into the query's weights.
        scales = ((width // size["num_attention_heads"]) ** 0.5, 1.0, 1.0)
        for name, scale, low in zip(("query", "key", "value"), scales, range(0, 3 * width, width), strict=True):
            yield f"{prefix}.{name}.weight", joined[low : low + width] * np.float32(scale)
            yield f"{prefix}.{name}.bias", biases[low : low + width] * np.float32(scale)
        yield f"{prefix}.merge.weight", graph.product(f"/encode/merge{suffix}/MatMul_quant")
        for name in ("widen", "narrow"):
            yield f"{prefix}.{name}.weight", graph.dequantize(f"model.{prefix}.{name}.weight_quantized").T
    yield "lm_dense.weight", graph.dequantize("model.lm_dense.weight_quantized").T
    plain = (name for name in arrays if name.startswith("model.") and not name.endswith(("_scale", "_zero_point")))
    yield from ((name.removeprefix("model."), arrays[name]) for name in plain if not name.endswith("_quantized"))


SAVED = "model.safetensors"


@dataclass(frozen=True)
class PretrainedModel:
    """A tokenizer, a masked language model to train further, and the name of the folder or hub it came from."""

    tokenizer: Any
    masked: Any
    source: str | None
    """Where Hugging Face finds it; None for one of ours."""

    @property
    def longest(self) -> int:
        """Most tokens it reads at once."""
        positions = getattr(self.masked.config, "max_position_embeddings", None) or 512
        return min(int(positions), int(self.tokenizer.model_max_length))

    def fingerprint(self) -> str:
        """A fingerprint of the weights."""
        digest = hashlib.sha256()
        for name, value in self.masked.state_dict().items():
            digest.update(name.encode())
            digest.update(value.detach().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()[:16]

    def classifier(self, people: int) -> Any:
        """The same body, as it is now, under a new head with an output for each person."""
        import transformers

        automatic = transformers.AutoModelForSequenceClassification
        with quiet():
            if self.source is None:
                config = transformers.BertConfig.from_dict({**self.masked.config.to_dict(), "num_labels": people})
                model = automatic.from_config(config)
            else:
                is_local = Path(self.source).is_dir()
                model = automatic.from_pretrained(self.source, num_labels=people, local_files_only=is_local)
        model.base_model.load_state_dict(self.masked.base_model.state_dict(), strict=False)
        return model


def load(model: str | None) -> PretrainedModel:
    """A model by name or folder; the shipped masked language model unless one is named."""
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError:
        raise MissingExtra("the attack 'trir'", "torch") from None
    if model is None or (Path(model) / masked.FILE).is_file():
        folder = SHIPPED if model is None else Path(model)
        return _our_model(folder, dequantize(folder, _read_config(folder)["size"]))
    if (Path(model) / SAVED).is_file() and "size" in _read_config(Path(model)):
        from safetensors.numpy import load_file

        return _our_model(Path(model), load_file(Path(model) / SAVED))
    return _hugging_face(model)


def _hugging_face(model: str) -> PretrainedModel:
    import transformers

    place, options = resolve_model(model)
    if "gguf_file" in options:
        raise InputError(f"model {model!r}: TRIR trains a BERT-like model; name a folder or a name of the hub")
    try:
        with quiet():
            tokenizer = transformers.AutoTokenizer.from_pretrained(place, **options)
            masked = transformers.AutoModelForMaskedLM.from_pretrained(place, **options)
    except Exception as error:  # noqa: BLE001 - transformers raises many kinds, all about these files
        raise InputError(
            f"model {model!r} cannot be loaded as a masked language model ({type(error).__name__}): name a BERT-like "
            "folder with config.json, model.safetensors and tokenizer.json, or a model of the hub that can be reached"
        ) from None
    if not tokenizer.is_fast:
        raise InputError(f"model {model!r} has no fast tokenizer (tokenizer.json), so offsets in a text are unknown")
    if None in (tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id, tokenizer.mask_token_id):
        raise InputError(f"model {model!r} lacks one of the tokens cls, sep, pad and mask: name a BERT-like model")
    return PretrainedModel(tokenizer, masked.float(), place)


def _our_model(folder: Path, weights: Arrays) -> PretrainedModel:
    import torch
    import transformers

    size = _read_config(folder)["size"]
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(tokenizer_file(folder)),
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        mask_token="[MASK]",
        model_max_length=size["max_position_embeddings"],
    )
    masked = transformers.BertForMaskedLM(transformers.BertConfig(**size, pad_token_id=tokenizer.pad_token_id))
    named = {_hugging_face_name(name): torch.from_numpy(np.array(value, np.float32)) for name, value in weights.items()}
    missing, unknown = masked.load_state_dict(named, strict=False)
    # The output words are the input words, so the file has them once.
    if wrong := [name for name in [*missing, *unknown] if not name.startswith("cls.predictions.decoder.")]:
        raise InputError(f"{folder}: {wrong[0]} is missing or unknown; see training/masked_lm")
    masked.tie_weights()
    return PretrainedModel(tokenizer, masked, None)


def _hugging_face_name(name: str) -> str:
    for pattern, replacement in load_toml("bert_weights", package=PACKAGE)["names"].items():
        if re.search(pattern, name):
            return re.sub(pattern, replacement, name)
    return name


def _read_config(folder: Path) -> Mapping[str, Any]:
    try:
        return cast(dict[str, Any], json.loads((folder / "config.json").read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise InputError(f"{folder}/config.json cannot be read ({type(error).__name__})") from None


@contextmanager
def quiet() -> Iterator[None]:
    """Without transformers' progress bars and its warning that a new head has no weights yet, which is intended."""
    from transformers import logging as messages

    level, bars = messages.get_verbosity(), messages.is_progress_bar_enabled()
    messages.set_verbosity_error()
    messages.disable_progress_bar()
    try:
        yield
    finally:
        messages.set_verbosity(level)
        if bars:
            messages.enable_progress_bar()


log = logging.getLogger(__name__)

_CLIP = 1.0
"""Longest gradient: the default of the trainer that the authors used."""


@dataclass(frozen=True)
class Stage:
    """The settings of one training stage."""

    name: str
    epochs: int
    batch: int
    rate: float
    window: int
    overlap: int


PRETRAINING = Stage("pretraining", 3, 8, 5e-5, 512, 128)
FINETUNING = Stage("finetuning", 15, 16, 5e-5, 100, 25)
MASKED = 0.15
"""Share of the tokens hidden in further pre-training."""


class Special(NamedTuple):
    """Ids of the special tokens."""

    first: int
    last: int
    pad: int
    mask: int


Window = Sequence[int]
"""Token ids, special ones included."""
Loss = Callable[[list[int]], Any]
"""The loss of some windows, given by number, as a tensor."""


def fit(
    model: Any,
    loss: Loss,
    count: int,
    stage: Stage,
    seed: int,
    checkpoint: Path | None,
    watch: Callable[[int], None] | None = None,
) -> None:
    """Train on ``count`` windows, from the checkpoint where there is one; ``watch`` is called after each epoch."""
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=stage.rate, eps=1e-6, weight_decay=0.0)
    done = _restore(checkpoint, model, optimizer) if checkpoint is not None and checkpoint.is_file() else 0
    device = next(model.parameters()).device
    for epoch in range(done, stage.epochs):
        with seeded(f"{seed} {stage.name} {epoch}", device) as order:
            model.train()
            total = 0.0
            for batch in _batches(order.permutation(count), stage.batch):
                value = loss(batch)
                value.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                total += float(value.detach()) * len(batch)
        model.eval()
        log.info("%s: epoch %d of %d, loss %.4f", stage.name, epoch + 1, stage.epochs, total / max(1, count))
        if checkpoint is not None:
            state = {"epoch": epoch + 1, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
            with atomic_path(checkpoint, CONFIDENTIAL) as path:
                torch.save(state, path)
        if watch is not None:
            watch(epoch + 1)
    model.eval()


def masked_loss(model: Any, tokenizer: Any, windows: Sequence[Window]) -> Loss:
    """Cross entropy of hidden tokens: 15 %, of which 80 % masked, 10 % swapped, 10 % left, as for BERT."""
    from torch.nn.functional import cross_entropy
    from transformers import DataCollatorForLanguageModeling

    hide = DataCollatorForLanguageModeling(tokenizer, mlm_probability=MASKED)
    device = next(model.parameters()).device

    def loss(numbers: list[int]) -> Any:
        batch = hide([{"input_ids": list(windows[number])} for number in numbers])
        ids, labels = batch["input_ids"].to(device), batch["labels"].to(device)
        logits = model(input_ids=ids, attention_mask=(batch["attention_mask"]).to(device)).logits
        hidden = labels != -100
        # A short window may have nothing hidden: the sum is 0, and the clamp avoids 0 / 0.
        return cross_entropy(logits[hidden].float(), labels[hidden], reduction="sum") / hidden.sum().clamp(min=1)

    return loss


def person_loss(model: Any, pad: int, windows: Sequence[Window], people: Sequence[int]) -> Loss:
    """Cross entropy of the person of each window."""
    import torch
    from torch.nn.functional import cross_entropy

    device = next(model.parameters()).device

    def loss(numbers: list[int]) -> Any:
        ids, mask = padded([windows[number] for number in numbers], pad, device)
        wanted = torch.tensor([people[number] for number in numbers], device=device)
        return cross_entropy(model(input_ids=ids, attention_mask=mask).logits.float(), wanted)

    return loss


def logits(model: Any, pad: int, windows: Sequence[Window], batch: int) -> Floats:
    """[window, person]."""
    import torch

    device = next(model.parameters()).device
    rows = []
    with torch.inference_mode():
        for numbers in _batches(np.arange(len(windows)), batch):
            ids, mask = padded([windows[number] for number in numbers], pad, device)
            rows.append(model(input_ids=ids, attention_mask=mask).logits.double().cpu().numpy())
    return np.concatenate(rows) if rows else np.zeros((0, int(model.config.num_labels)))


def contributions(model: Any, special: Special, windows: Sequence[Window], person: int, batch: int) -> list[Floats]:
    """What each token of each window adds to the log-odds of a person over all others, compared with a masked token.

    Integrated gradients in one step: from all tokens masked to the text as it is, by the gradient half-way.
    """
    import torch

    device = next(model.parameters()).device
    table = model.get_input_embeddings()
    contributions: list[Floats] = []
    for numbers in _batches(np.arange(len(windows)), batch):
        ids, mask = padded([windows[number] for number in numbers], special.pad, device)
        hidden = torch.where((ids == special.first) | (ids == special.last), ids, special.mask)
        with torch.no_grad():
            full, empty = table(ids), table(hidden)
        half = ((full + empty) / 2).requires_grad_()
        rows = model(inputs_embeds=half, attention_mask=mask).logits
        others = torch.cat([rows[:, :person], rows[:, person + 1 :]], 1).logsumexp(1)
        (slope,) = torch.autograd.grad((rows[:, person] - others).sum(), half)
        values = (slope * (full - empty)).sum(-1).double().cpu().numpy()
        contributions += [row[: len(windows[number])] for row, number in zip(values, numbers, strict=True)]
    return contributions


def padded(windows: Sequence[Window], pad: int, device: Any) -> tuple[Any, Any]:
    """Token ids [window, token] padded with ``pad``, and the mask of real tokens."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    ids = pad_sequence([torch.tensor(list(window)) for window in windows], batch_first=True, padding_value=pad)
    mask = pad_sequence([torch.ones(len(window), dtype=torch.long) for window in windows], batch_first=True)
    return ids.to(device), mask.to(device)


def _batches(order: Any, size: int) -> Iterator[list[int]]:
    return ([int(number) for number in order[low : low + size]] for low in range(0, len(order), size))


@contextmanager
def seeded(name: str, device: Any) -> Iterator[np.random.Generator]:
    """A seeded generator, with torch's random state (dropout, masks) seeded too and restored afterwards."""
    import torch

    seeds = np.random.SeedSequence([*name.encode()])
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(int(seeds.generate_state(1)[0]))
        yield np.random.default_rng(seeds)


def _restore(checkpoint: Path, model: Any, optimizer: Any) -> int:
    import torch

    device = next(model.parameters()).device
    try:
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        return int(state["epoch"])
    except (OSError, EOFError, KeyError, ValueError, RuntimeError, UnpicklingError) as error:
        raise InputError(
            f"{checkpoint} cannot be read as a checkpoint ({type(error).__name__}): delete it to start anew"
        ) from None
