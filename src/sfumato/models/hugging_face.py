"""Hugging Face models by folder or name (transformers and torch): language models, token classifiers, and information
content by a causal model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, MissingExtra, RecipeError
from sfumato.models.base import Floats, Range
from sfumato.models.masked import check_context
from sfumato.models.tokens import (
    Ints,
    Tokens,
    central_ranges,
    check_terms,
    replace_surrogates,
    token_spans,
    window_ranges,
)

if TYPE_CHECKING:
    from sfumato.models.masked import MaskedWindow


CONTEXT = 512
"""Default number of sub-tokens read at once: the logits of a whole window are held in memory."""
_HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
_MODEL_FILES = (".safetensors", ".bin", ".gguf", ".json", ".txt", ".model")


def on_device(model: Any, device: str) -> Any:
    """The model on a device."""
    try:
        return model.to(device)
    except (RuntimeError, AssertionError) as error:
        raise RecipeError(f"device {device!r} cannot be used ({type(error).__name__}): try cpu or cuda") from None


class PretrainedModel:
    """A model with its tokenizer. Nothing is downloaded unless the model is named as on the hub."""

    def __init__(self, model: str, device: str, task: str) -> None:
        """``task``: what its class in transformers is for (``MaskedLM``)."""
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtra(f"the model {model!r}", "torch") from None
        self._torch, self._device = torch, device
        location, options = resolve_model(model)
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(location, **options)
            self._model, self._report = getattr(transformers, f"AutoModelFor{task}").from_pretrained(
                location, output_loading_info=True, **options
            )
        except Exception as error:  # noqa: BLE001 - transformers raises many kinds, all about these files
            raise InputError(
                f"model {model!r} cannot be loaded as {task} ({type(error).__name__}): "
                "name a folder with config.json, weights and tokenizer.json, or a model of the hub"
            ) from None
        on_device(self._model.eval(), device)
        positions = getattr(self._model.config, "max_position_embeddings", None) or CONTEXT
        self.longest = min(int(positions), int(self._tokenizer.model_max_length))
        self.name = Path(model).name if options["local_files_only"] else model

    def encode(self, text: str) -> Tokens:
        kept_whole = {"add_special_tokens": False, "truncation": False, "verbose": False}
        encoded = self._tokenizer(replace_surrogates(text), return_offsets_mapping=True, **kept_whole)
        return Tokens.of(encoded["input_ids"], encoded["offset_mapping"])

    def _logits(self, ids: Sequence[int], unattended: int | None = None) -> Any:
        """The model's output for one sequence, as a tensor. ``unattended``: an id to which no attention is paid."""
        batch = self._torch.tensor([list(ids)], device=self._device)
        attention = self._torch.ones_like(batch) if unattended is None else (batch != unattended).long()
        with self._torch.inference_mode():
            return self._model(input_ids=batch, attention_mask=attention).logits[0]


class PretrainedLanguageModel(PretrainedModel):
    """What masked and causal language models have in common."""

    languages: frozenset[str] | None = None

    def __init__(self, model: str, device: str, task: str) -> None:
        super().__init__(model, device, task)
        if missing := sorted(self._report["missing_keys"]):
            raise InputError(f"model {model!r} has no weights for {missing[0]}: it was not trained to predict words")
        if not self._tokenizer.is_fast:
            raise InputError(
                f"model {model!r} has no fast tokenizer (tokenizer.json), so offsets in a text are unknown"
            )
        self.context = min(CONTEXT, self.longest)
        self.name += f"@{_fingerprint(model, self._model)}"

    def _log_probabilities(
        self, ids: Sequence[int], positions: Ints, targets: Ints, unattended: int | None = None
    ) -> Floats:
        """``ln p(target)`` by the model's output at each position of a sequence."""
        logits = self._logits(ids, unattended)[self._torch.from_numpy(positions).to(self._device)].double()
        target_logits = logits.gather(1, self._torch.from_numpy(targets).to(self._device)[:, None])[:, 0]
        log_probabilities: Floats = (target_logits - logits.logsumexp(-1)).cpu().numpy()
        return np.minimum(0.0, log_probabilities)

    def _special(self, *names: str) -> int | None:
        """The id of the first of these special tokens that the tokenizer has."""
        ids = (getattr(self._tokenizer, f"{name}_token_id", None) for name in names)
        return next((int(number) for number in ids if number is not None), None)


class MaskedModel(PretrainedLanguageModel):
    """A masked language model. ``attends``: whether it pays attention to the masked sub-tokens."""

    def __init__(self, model: str, device: str, attends: bool) -> None:
        super().__init__(model, device, "MaskedLM")
        mask = self._special("mask")
        if mask is None:
            raise InputError(f"model {model!r} has no mask token: name a masked language model")
        self.mask = mask
        self._unattended = None if attends else mask
        self._before = [number for number in [self._special("cls", "bos")] if number is not None]
        self._after = [number for number in [self._special("sep", "eos")] if number is not None]
        self.around = len(self._before) + len(self._after)

    def log_probabilities(self, windows: Sequence[MaskedWindow]) -> list[Floats]:
        return [
            self._log_probabilities(
                [*self._before, *window.ids, *self._after],
                window.positions + len(self._before),
                window.targets,
                self._unattended,
            )
            for window in windows
        ]

    def logits(self, window: MaskedWindow) -> NDArray[np.float32]:
        ids = [*self._before, *window.ids, *self._after]
        rows = self._torch.from_numpy(window.positions + len(self._before)).to(self._device)
        scores: NDArray[np.float32] = self._logits(ids, self._unattended)[rows].float().cpu().numpy()
        return scores

    def vocabulary(self) -> dict[str, int]:
        return dict(self._tokenizer.get_vocab())


class CausalModel(PretrainedLanguageModel):
    """A causal language model."""

    def __init__(self, model: str, device: str) -> None:
        super().__init__(model, device, "CausalLM")
        start = self._special("bos", "eos")
        if start is None:
            raise InputError(f"model {model!r} has no token to begin a text with: name another causal language model")
        self._start = start

    def log_probabilities(self, ids: Ints, first: int) -> Floats:
        """``ln p`` of each sub-token from number ``first`` on, given all before it and a token that begins a text."""
        return self._log_probabilities([self._start, *ids[:-1]], np.arange(first, len(ids)), ids[first:])


class TokenClassifier(PretrainedModel):
    """A token classifier: for each sub-token of a text the probability of each of its labels."""

    def __init__(self, model: str, device: str) -> None:
        super().__init__(model, device, "TokenClassification")
        if missing := sorted(self._report["missing_keys"]):
            raise InputError(f"model {model!r} has no weights for {missing[0]}: it was not trained to label tokens")
        if not self._tokenizer.is_fast:
            raise InputError(
                f"model {model!r} has no fast tokenizer (tokenizer.json), so offsets in a text are unknown"
            )
        config = self._model.config
        self.labels = tuple(str(config.id2label[number]) for number in range(config.num_labels))
        # RoBERTa and its relatives count positions from the number of the padding token on.
        embeddings = getattr(self._model.base_model, "embeddings", None)
        padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
        if padding is not None:
            self.longest = min(self.longest, int(config.max_position_embeddings) - int(padding) - 1)
        plain, whole = (self._ids("a", with_special=with_special) for with_special in (False, True))
        begin = next((n for n in range(len(whole)) if whole[n : n + len(plain)] == plain), 0)
        self._before, self._after = whole[:begin], whole[begin + len(plain) :]

    @property
    def most_tokens(self) -> int:
        """Sub-tokens of a text that it reads at once, besides those that begin and end a sequence."""
        return self.longest - len(self._before) - len(self._after)

    def _ids(self, text: str, *, with_special: bool) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=with_special, verbose=False)["input_ids"])

    def probabilities(self, text: str, window: int, overlap: int) -> tuple[list[Range], Floats]:
        """The ranges of the sub-tokens of a text, and [sub-token, label]; each judged where it has most context.

        ``window``: sub-tokens read at once; ``overlap``: how many of them neighbouring windows share.
        """
        tokens = self.encode(text)
        if not len(tokens):
            return [], np.zeros((0, len(self.labels)))
        ids, offsets = tokens.ids.tolist(), list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))
        windows = window_ranges(len(ids), window, window - overlap)
        parts = []
        for (start, end), (first, last) in zip(windows, central_ranges(windows), strict=True):
            logits = self._logits([*self._before, *ids[start:end], *self._after]).double().softmax(-1)
            inside = slice(len(self._before) + first - start, len(self._before) + last - start)
            parts.append(logits[inside].cpu().numpy())
        return offsets, np.concatenate(parts)


load_masked = cache(MaskedModel)
"""The model of a name, a device and a way to attend, loaded once per process."""
load_causal = cache(CausalModel)
load_token_classifier = cache(TokenClassifier)


def resolve_model(model: str) -> tuple[str, dict[str, Any]]:
    """The location and options for transformers: a local folder or GGUF file, else a name of the hub."""
    path = Path(model)
    if path.is_dir():
        return model, {"local_files_only": True}
    if path.is_file() and path.suffix == ".gguf":
        return str(path.parent), {"gguf_file": path.name, "local_files_only": True}
    if path.exists() or path.suffix == ".gguf" or not _HUB_NAME.fullmatch(model):
        raise InputError(f"model {model!r}: no such folder or GGUF file, nor a name of the hub (owner/name)")
    return model, {"local_files_only": False}


def _fingerprint(model: str, loaded: Any) -> str:
    """A digest of the model's files, so that two models of the same name are told apart."""
    path = Path(model)
    files = [path] if path.is_file() else sorted(file for file in path.glob("*") if file.suffix in _MODEL_FILES)
    if not files:
        return str(getattr(loaded.config, "_commit_hash", None))[:8]
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:8]


class CausalScorer:
    """Information content by a causal language model: how hard a term is to predict from the text before it."""

    cite: ClassVar[str | None] = "manzanares2025"
    extra: ClassVar[str | None] = "torch"

    def __init__(self, *, model: str, context: int | None = None, device: str = "cpu") -> None:
        """``model``: any Hugging Face causal language model, as a folder or by its name, or a GGUF file;
        ``context``: sub-tokens read at once."""
        self._network = load_causal(model, device)
        self._context = check_context(self._network, context)
        self.languages = self._network.languages
        self.name = f"causal:model={self._network.name},context={self._context}"

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """``-ln`` of the least p(sub-token | all before it) among a term's sub-tokens; 0 where it has none."""
        ranges = check_terms(text, terms)
        if not len(ranges):
            return np.zeros(0)
        tokens = self._network.encode(text)
        costs = np.zeros(len(tokens))
        done = 0
        # Windows overlap by half, so that each sub-token has at least half a window of context.
        for start, end in window_ranges(len(tokens), self._context, self._context // 2) if len(tokens) else ():
            costs[done:end] = -self._network.log_probabilities(tokens.ids[start:end], done - start)
            done = end
        return np.array([costs[first:last].max(initial=0.0) for first, last in token_spans(tokens, ranges)])
