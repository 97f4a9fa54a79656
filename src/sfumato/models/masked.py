"""Information content by a masked language model: how hard it is to guess a term from what stands around it.

The terms are masked by turns, one of every ``n`` at a time, so that the others stay readable as context
(Manzanares-Salor and Sánchez, 2025; Pilán et al., 2025): ``n`` passes over the text score them all.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from sfumato.errors import InputError, RecipeError
from sfumato.models.base import Floats, Range
from sfumato.models.tokens import (
    Ints,
    Tokens,
    central_ranges,
    check_terms,
    log_probabilities,
    replace_surrogates,
    token_spans,
    tokenizer_file,
    window_ranges,
)

# -- A masked language model of ours: a folder with ``masked_lm.onnx``, ``config.json`` and, if its sub-words are not
# ours, ``tokenizer.json``.


FILE = "masked_lm.onnx"


class OnnxMasked:
    """A loaded model. Windows run one at a time, several in parallel threads.

    Never in one batch: 8-bit activations are scaled by the largest of the batch, so a term's value would depend on
    the windows beside its own; and a batch is no faster.
    """

    around = 2

    def __init__(self, folder: Path, threads: int) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        try:
            network = (folder / FILE).read_bytes()
            card: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._tokenizer = Tokenizer.from_file(str(tokenizer_file(folder)))
            numbers = self._tokenizer.get_vocab()
            self._first, self._last, self.mask = (int(numbers[name]) for name in ("[CLS]", "[SEP]", "[MASK]"))
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(
                network,
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=["SkipLayerNormFusion"],  # its kernel is six times slower than the two it replaces
            )
            self.longest = self.context = int(card["window"])
        except Exception as error:  # noqa: BLE001 - onnxruntime and tokenizers raise many kinds, all about these files
            raise InputError(
                f"{folder}: not a masked language model of ours ({type(error).__name__}); see training/masked_lm"
            ) from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.languages: frozenset[str] | None = frozenset(card.get("languages", ["en"]))
        self.name = f"{card.get('name', folder.name)}@{hashlib.sha256(network).hexdigest()[:8]}"
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def encode(self, text: str) -> Tokens:
        encoded = self._tokenizer.encode(replace_surrogates(text), add_special_tokens=False)
        return Tokens.of(encoded.ids, encoded.offsets)

    def log_probabilities(self, masked_windows: Sequence[MaskedWindow]) -> list[Floats]:
        return list(self._pool.map(self._answer, masked_windows) if self._pool else map(self._answer, masked_windows))

    def _answer(self, question: MaskedWindow) -> Floats:
        ids = np.concatenate([[self._first], question.ids, [self._last]])[None]
        (logits,) = self._session.run(["logits"], {"input_ids": ids, "positions": question.positions + 1})
        return log_probabilities(logits, question.targets)


@cache
def load(folder: Path, threads: int | None) -> OnnxMasked:
    """The model of a folder, loaded once a process."""
    if not (folder / FILE).is_file():
        raise InputError(
            f"{folder} has no {FILE}: make it with training/masked_lm, or name another masked language model "
            "(masked:model=FOLDER), or another scorer (frequency)"
        )
    return OnnxMasked(folder, threads or os.cpu_count() or 1)


# -- Information content by a masked language model: how hard it is to guess a term from what stands around it.


SHIPPED = Path(__file__).parent / "weights" / "masked_lm"
LEAST_CONTEXT = 16
_OVERLAP = 32
"""Sub-tokens that neighbouring windows share: each is guessed with at least half of that on either side."""
_AT_ONCE = 64
"""Windows handed to the network together: enough to keep its threads busy, few enough to hold."""


class LanguageModel(Protocol):
    """What every language model says of itself."""

    name: str
    languages: frozenset[str] | None
    longest: int
    """Most sub-tokens it reads at once, with those it puts around a text."""
    context: int
    """How many it reads at once unless told."""

    def encode(self, text: str) -> Tokens: ...


class MaskedNetwork(LanguageModel, Protocol):
    """A masked language model: sub-tokens in, probabilities of the masked ones out."""

    mask: int
    """The id that hides a sub-token."""
    around: int
    """How many it puts around a text."""

    def log_probabilities(self, masked_windows: Sequence[MaskedWindow]) -> list[Floats]:
        """``ln p(target)`` at each position of each question."""
        ...


class MaskedWindow(NamedTuple):
    """A window with some sub-tokens hidden, and what is to be guessed there."""

    ids: Ints
    positions: Ints
    targets: Ints
    terms: Ints
    """The term that each position belongs to."""


class MaskedScorer:
    """How hard a term is to guess from its context: a masked language model, terms masked by turns."""

    cite: ClassVar[str | None] = "manzanares2025"
    extra: ClassVar[str | None] = None

    def __init__(
        self,
        *,
        model: str | None = None,
        n: int = 6,
        context: int | None = None,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        """``model``: a folder that ``training/masked_lm`` wrote (else the shipped one), or any Hugging Face masked
        language model, as a folder or by its name; ``context``: sub-tokens read at once."""
        if not isinstance(n, int) or n < 1:
            raise RecipeError(f"n must be 1 or more (every n-th term is masked at a time); got {n!r}")
        self._network = _network(model, threads, device)
        self._n = n
        self._context = check_context(self._network, context)
        self.languages = self._network.languages
        self.name = f"masked:model={self._network.name},n={n},context={self._context}"

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """``-ln`` of the least p(sub-token | context) among a term's sub-tokens; 0 where the model reads nothing."""
        ranges = check_terms(text, terms)
        found = np.zeros(len(ranges))
        if not len(ranges):
            return found
        tokens = self._network.encode(text)
        asked = masked_windows(
            tokens, token_spans(tokens, ranges), self._n, self._network.mask, self._context - self._network.around
        )
        while group := list(islice(asked, _AT_ONCE)):
            for question, chances in zip(group, self._network.log_probabilities(group), strict=True):
                np.maximum.at(found, question.terms, -chances)
        return found


def check_context(network: LanguageModel, context: int | None) -> int:
    """How many sub-tokens to read at once: as many as asked for, if the network can."""
    if context is None:
        return network.context
    if not isinstance(context, int) or not LEAST_CONTEXT <= context <= network.longest:
        raise RecipeError(f"context must be {LEAST_CONTEXT} to {network.longest} for {network.name}; got {context!r}")
    return context


def masked_windows(tokens: Tokens, token_spans: Ints, n: int, mask: int, room: int) -> Iterator[MaskedWindow]:
    """Everything to be asked, in windows of at most ``room`` sub-tokens that overlap a little.

    Each sub-token of a term is asked for once, in the window where it stands furthest from an edge, with its whole
    term hidden and every n-th other.
    """
    if not len(tokens):
        return
    pieces = window_ranges(len(tokens), room, room - min(_OVERLAP, room // 4))
    for (start, end), (first, last) in zip(pieces, central_ranges(pieces), strict=True):
        low = int(np.searchsorted(token_spans[:, 1], start, side="right"))
        high = int(np.searchsorted(token_spans[:, 0], end, side="left"))
        for turn in range(low, min(high, low + n)):
            numbers = np.arange(turn, high, n)
            hidden, owners = _spread(np.clip(token_spans[numbers], start, end), numbers)
            own = (first <= hidden) & (hidden < last)
            if not own.any():
                continue
            ids = tokens.ids[start:end].copy()
            ids[hidden - start] = mask
            yield MaskedWindow(ids, hidden[own] - start, tokens.ids[hidden[own]], owners[own])


def _spread(token_spans: Ints, numbers: Ints) -> tuple[Ints, Ints]:
    """Every sub-token of the spans, with the number of the span it is in."""
    tokens = [np.arange(first, last) for first, last in token_spans]
    return np.concatenate(tokens), np.repeat(numbers, token_spans[:, 1] - token_spans[:, 0])


def _network(model: str | None, threads: int | None, device: str) -> MaskedNetwork:
    folder = SHIPPED if model is None else Path(model)
    if model is None or (folder / FILE).is_file():
        if device != "cpu":
            raise RecipeError(f"device {device!r} is for Hugging Face models; this one runs on the cpu")
        return load(folder, threads)
    from sfumato.models import hugging_face

    return hugging_face.masked(model, device)
