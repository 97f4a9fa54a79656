"""The pretrained model that TRIR starts from: any BERT-like model of Hugging Face, or a masked language model of ours.

Ours comes as the weights that ``training/masked_lm`` saves, or as the shipped network with 8-bit weights. Those are
turned back into floats to be trained further: less exact by half a step of 256, which training evens out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import PACKAGE
from sfumato.errors import InputError, MissingExtra, RecipeError
from sfumato.lexicon.tables import load_toml
from sfumato.models import masked
from sfumato.models.hugging_face import resolve_model
from sfumato.models.masked import SHIPPED
from sfumato.models.tokens import tokenizer_file

Arrays = Mapping[str, NDArray[np.float32]]
"""Weights by their names in ``training/encoder.py``."""


def dequantize(folder: Path, size: Mapping[str, Any]) -> Arrays:
    """The weights of a network that ``training/masked_lm/export.py`` wrote, by our names."""
    try:
        import onnx
    except ImportError:
        raise MissingExtra("training the shipped masked language model further", "torch") from None
    if not (folder / masked.FILE).is_file():
        raise InputError(
            f"{folder} has no weights to train further: give trir a model (a BERT-like folder with config.json, "
            "model.safetensors and tokenizer.json, or a name of the hub)"
        )
    try:
        graph = onnx.load(folder / masked.FILE).graph
        arrays = {item.name: onnx.numpy_helper.to_array(item) for item in graph.initializer}
        inputs = {node.name: list(node.input) for node in graph.node}
        return dict(
            _weights(arrays, inputs, size["num_hidden_layers"], size["hidden_size"], size["num_attention_heads"])
        )
    except (KeyError, IndexError, ValueError) as error:
        raise InputError(
            f"{folder}/{masked.FILE} is not as training/masked_lm/export.py writes it ({type(error).__name__}): "
            "give trir another model (a BERT-like folder, or a name of the hub)"
        ) from None


def _weights(
    arrays: Mapping[str, NDArray[Any]], inputs: Mapping[str, list[str]], layers: int, width: int, heads: int
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    def product(name: str) -> NDArray[np.float32]:
        """A quantized matrix as a linear layer holds it: [out, in]."""
        part = name.removesuffix("_quantized")
        numbers = arrays[name].astype(np.float32) - arrays[f"{part}_zero_point"].astype(np.float32)
        matrix: NDArray[np.float32] = (numbers * arrays[f"{part}_scale"]).T
        return matrix

    yield "words.weight", arrays["words.numbers"].astype(np.float32) * arrays["words.scale"]
    kind = arrays[inputs["/encode/Add_1"][1]]
    yield "kinds.weight", np.stack([kind, np.zeros_like(kind)])
    for layer in range(layers):
        prefix = f"layers.{layer}"
        suffix = f"_{layer}" if layer else ""
        joined = product(inputs[f"/encode/attention.{layer}/joined/MatMul_quant"][1])
        biases = arrays[f"encode.attention.{layer}.joined.bias"]
        # The export put the scale of attention into the query's weights.
        scales = ((width // heads) ** 0.5, 1.0, 1.0)
        for name, scale, low in zip(("query", "key", "value"), scales, range(0, 3 * width, width), strict=True):
            yield f"{prefix}.{name}.weight", joined[low : low + width] * np.float32(scale)
            yield f"{prefix}.{name}.bias", biases[low : low + width] * np.float32(scale)
        yield f"{prefix}.merge.weight", product(inputs[f"/encode/merge{suffix}/MatMul_quant"][1])
        for name in ("widen", "narrow"):
            yield f"{prefix}.{name}.weight", product(f"model.{prefix}.{name}.weight_quantized")
    yield "lm_dense.weight", product("model.lm_dense.weight_quantized")
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
                model = automatic.from_pretrained(
                    self.source, num_labels=people, local_files_only=_is_local(self.source)
                )
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
        return _our_model(Path(model), _load_saved(Path(model)))
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


def _load_saved(folder: Path) -> Arrays:
    from safetensors.numpy import load_file

    weights: Arrays = load_file(folder / SAVED)
    return weights


def _hugging_face_name(name: str) -> str:
    for pattern, replacement in load_toml("bert_weights", package=PACKAGE)["names"].items():
        name, changed = re.subn(pattern, replacement, name)
        if changed:
            break
    return name


def _read_config(folder: Path) -> Mapping[str, Any]:
    try:
        card: Mapping[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{folder}/config.json cannot be read ({type(error).__name__})") from None
    return card


def _is_local(place: str) -> bool:
    return Path(place).is_dir()


def on_device(model: Any, device: str) -> Any:
    """The model on a device."""
    try:
        return model.to(device)
    except (RuntimeError, AssertionError) as error:
        raise RecipeError(f"device {device!r} cannot be used ({type(error).__name__}): try cpu or cuda") from None


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
