"""Information content by a masked language model: how hard it is to predict a term from the text around it.

Every n-th term is masked at a time, so that the others stay readable as context (Manzanares-Salor and Sánchez, 2025;
Pilán et al., 2025): ``n`` passes over the text score all terms.
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
from numpy.typing import NDArray

from sfumato.errors import InputError, RecipeError
from sfumato.models.base import Floats, Range, open_onnx
from sfumato.models.tokens import (
    Ints,
    Tokens,
    central_ranges,
    check_terms,
    load_tokenizer,
    log_probabilities,
    replace_surrogates,
    token_spans,
    window_ranges,
)

FILE = "masked_lm.onnx"
SHIPPED = Path(__file__).parent / "weights" / "masked_lm"
LEAST_CONTEXT = 16
_OVERLAP = 32
"""Sub-tokens that neighbouring windows share: each is predicted with at least half of that on either side."""
_BATCH_WINDOWS = 64
"""Windows handed to the network together: enough to keep its threads busy, few enough to hold in memory."""


class OnnxMasked:
    """Our masked language model: a folder with ``masked_lm.onnx``, ``config.json``, maybe its own ``tokenizer.json``.

    Windows run one at a time, several in parallel threads, and never in one batch: 8-bit activations are scaled by the
    largest of the batch, so a term's value would depend on the other windows; and a batch is not faster.
    """

    around = 2

    def __init__(self, folder: Path, threads: int) -> None:
        try:
            network = (folder / FILE).read_bytes()
            card: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._tokenizer = load_tokenizer(folder)
            numbers = self._tokenizer.get_vocab()
            self._first, self._last, self.mask = (int(numbers[name]) for name in ("[CLS]", "[SEP]", "[MASK]"))
            self._session = open_onnx(network)
            self.longest = self.context = int(card["window"])
        except Exception as error:  # noqa: BLE001 - onnxruntime and tokenizers raise many kinds, all about these files
            raise InputError(
                f"{folder}: not a masked language model of ours ({type(error).__name__}); see training/masked_lm"
            ) from None
        self.languages: frozenset[str] | None = frozenset(card.get("languages", ["en"]))
        self.name = f"{card.get('name', folder.name)}@{hashlib.sha256(network).hexdigest()[:8]}"
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def encode(self, text: str) -> Tokens:
        encoded = self._tokenizer.encode(replace_surrogates(text), add_special_tokens=False)
        return Tokens.of(encoded.ids, encoded.offsets)

    def log_probabilities(self, windows: Sequence[MaskedWindow]) -> list[Floats]:
        return list(self._pool.map(self._predict, windows) if self._pool else map(self._predict, windows))

    def logits(self, window: MaskedWindow) -> NDArray[np.float32]:
        ids = np.concatenate([[self._first], window.ids, [self._last]])[None]
        (logits,) = self._session.run(["logits"], {"input_ids": ids, "positions": window.positions + 1})
        scores: NDArray[np.float32] = logits
        return scores

    def vocabulary(self) -> dict[str, int]:
        return dict(self._tokenizer.get_vocab())

    def _predict(self, window: MaskedWindow) -> Floats:
        return log_probabilities(self.logits(window), window.targets)


@cache
def load_onnx_model(folder: Path, threads: int | None) -> OnnxMasked:
    """The model of a folder, loaded once per process."""
    if not (folder / FILE).is_file():
        raise InputError(
            f"{folder} has no {FILE}: make it with training/masked_lm, or name another masked language model "
            "(masked:model=FOLDER), or another scorer (frequency)"
        )
    return OnnxMasked(folder, threads or os.cpu_count() or 1)


class LanguageModel(Protocol):
    """What masked and causal language models have in common."""

    name: str
    languages: frozenset[str] | None
    longest: int
    """Most sub-tokens it reads at once, including those it puts around a text."""
    context: int
    """How many it reads at once by default."""

    def encode(self, text: str) -> Tokens: ...


class MaskedNetwork(LanguageModel, Protocol):
    """A masked language model: sub-tokens in, probabilities of the masked ones out."""

    mask: int
    """The id that hides a sub-token."""
    around: int
    """How many it puts around a text."""

    def log_probabilities(self, windows: Sequence[MaskedWindow]) -> list[Floats]:
        """``ln p(target)`` at each position of each window."""
        ...


class FillingNetwork(MaskedNetwork, Protocol):
    """A masked language model that shows the scores of its whole vocabulary."""

    def logits(self, window: MaskedWindow) -> NDArray[np.float32]:
        """[position, sub-token]: the scores of the whole vocabulary at each position of a window."""
        ...

    def vocabulary(self) -> dict[str, int]:
        """The number of each sub-token by its text."""
        ...


class MaskedWindow(NamedTuple):
    """A window with some sub-tokens masked, and the sub-tokens to predict there."""

    ids: Ints
    positions: Ints
    targets: Ints
    terms: Ints
    """The term that each position belongs to."""


class MaskedScorer:
    """Information content by a masked language model: how hard a term is to predict from its context."""

    cite: ClassVar[str | None] = "manzanares2025"

    def __init__(
        self,
        *,
        model: str | None = None,
        n: int = 6,
        context: int | None = None,
        threads: int | None = None,
        device: str = "cpu",
        attention: int = 1,
    ) -> None:
        """``model``: a folder that ``training/masked_lm`` wrote (else the shipped one), or any Hugging Face masked
        language model, as a folder or by its name; ``context``: sub-tokens read at once; ``attention``: 0 hides the
        masked sub-tokens from one another, as the code of both papers' authors does (Hugging Face models only)."""
        if not isinstance(n, int) or n < 1:
            raise RecipeError(f"n must be 1 or more (every n-th term is masked at a time); got {n!r}")
        if attention not in (0, 1):
            raise RecipeError(f"attention to masked sub-tokens is 1 or 0; got {attention!r}")
        self._network = _network(model, threads, device, attends=attention == 1)
        self._n = n
        self._context = check_context(self._network, context)
        self.languages = self._network.languages
        self.name = f"masked:model={self._network.name},n={n},context={self._context}"
        if not attention:
            self.name += ",attention=0"

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """``-ln`` of the least p(sub-token | context) among a term's sub-tokens; 0 where the model reads nothing."""
        ranges = check_terms(text, terms)
        information = np.zeros(len(ranges))
        if not len(ranges):
            return information
        tokens = self._network.encode(text)
        windows = masked_windows(
            tokens, token_spans(tokens, ranges), self._n, self._network.mask, self._context - self._network.around
        )
        while group := list(islice(windows, _BATCH_WINDOWS)):
            for window, scores in zip(group, self._network.log_probabilities(group), strict=True):
                np.maximum.at(information, window.terms, -scores)
        return information


def check_context(network: LanguageModel, context: int | None) -> int:
    """The number of sub-tokens to read at once. Raises RecipeError where the network cannot read that many."""
    if context is None:
        return network.context
    if not isinstance(context, int) or not LEAST_CONTEXT <= context <= network.longest:
        raise RecipeError(f"context must be {LEAST_CONTEXT} to {network.longest} for {network.name}; got {context!r}")
    return context


def masked_windows(tokens: Tokens, token_spans: Ints, n: int, mask: int, size: int) -> Iterator[MaskedWindow]:
    """Windows of at most ``size`` sub-tokens that overlap a little, with every n-th term masked.

    Each sub-token of a term is predicted once, in the window where it stands furthest from an edge, with its whole
    term masked.
    """
    if not len(tokens):
        return
    windows = window_ranges(len(tokens), size, size - min(_OVERLAP, size // 4))
    for (start, end), (first, last) in zip(windows, central_ranges(windows), strict=True):
        low = int(np.searchsorted(token_spans[:, 1], start, side="right"))
        high = int(np.searchsorted(token_spans[:, 0], end, side="left"))
        for offset in range(low, min(high, low + n)):
            terms = np.arange(offset, high, n)
            masked, term_of = _spread(np.clip(token_spans[terms], start, end), terms)
            predicted = (first <= masked) & (masked < last)
            if not predicted.any():
                continue
            ids = tokens.ids[start:end].copy()
            ids[masked - start] = mask
            yield MaskedWindow(ids, masked[predicted] - start, tokens.ids[masked[predicted]], term_of[predicted])


def _spread(token_spans: Ints, terms: Ints) -> tuple[Ints, Ints]:
    """Every sub-token of the spans, with the number of the span it is in."""
    tokens = [np.arange(first, last) for first, last in token_spans]
    return np.concatenate(tokens), np.repeat(terms, token_spans[:, 1] - token_spans[:, 0])


def _network(model: str | None, threads: int | None, device: str, *, attends: bool) -> FillingNetwork:
    folder = SHIPPED if model is None else Path(model)
    if model is None or (folder / FILE).is_file():
        if device != "cpu":
            raise RecipeError(f"device {device!r} is for Hugging Face models; this one runs on the cpu")
        if not attends:
            raise RecipeError("attention=0 is for Hugging Face models; name one (masked:model=NAME,attention=0)")
        return load_onnx_model(folder, threads)
    from sfumato.models import hugging_face

    return hugging_face.load_masked(model, device, attends)


# Filling in what is masked


class Choices(NamedTuple):
    """What may stand in place of one sub-token of a masked term: ``text[start:end]``."""

    start: int
    end: int
    pieces: tuple[str, ...]
    """The likeliest sub-tokens of its kind, without the one that stood there; none in place of a punctuation mark."""
    probabilities: Floats
    """Of each, given what is not masked and that it is one of them."""


_CONTINUED = "##"


class MaskFiller:
    """The likeliest sub-tokens in the places of terms, which are all masked at once."""

    def __init__(self, *, model: str | None = None, device: str = "cpu", threads: int | None = None) -> None:
        """``model``: as that of ``MaskedScorer``; its sub-words have to be those of WordPiece, as BERT's are."""
        self._network = _network(model, threads, device, attends=True)
        self.name, self.languages = f"masked:model={self._network.name}", self._network.languages
        numbers = self._network.vocabulary()
        if not any(piece.startswith(_CONTINUED) for piece in numbers):
            raise RecipeError(f"model {self._network.name!r} has no sub-words of WordPiece: name one like BERT")
        self._pieces = {number: piece for piece, number in numbers.items()}
        by_kind: dict[tuple[bool, str], list[int]] = {}
        for piece, number in sorted(numbers.items()):
            if (kind := _kind(piece)) is not None:
                by_kind.setdefault(kind, []).append(number)
        self._by_kind = {kind: np.array(sorted(numbers), np.int64) for kind, numbers in by_kind.items()}

    def choices(self, text: str, terms: Sequence[Range], top: int) -> list[list[Choices]]:
        """For each term, its sub-tokens with at most ``top`` choices each. Terms are sorted and disjoint."""
        ranges = check_terms(text, terms)
        tokens = self._network.encode(text)
        spans = token_spans(tokens, ranges)
        size = self._network.context - self._network.around
        # Windows follow the text, and each sub-token of a term is in the middle of one of them only.
        places = [(term, place) for term, (first, last) in enumerate(spans) for place in range(first, last)]
        found: list[list[Choices]] = [[] for _ in ranges]
        row = 0
        for window in masked_windows(tokens, spans, 1, self._network.mask, size):
            for scores in self._network.logits(window):
                term, place = places[row]
                start, end = int(tokens.starts[place]), int(tokens.ends[place])
                found[term].append(Choices(start, end, *self._likeliest(scores, int(tokens.ids[place]), top)))
                row += 1
        return found

    def _likeliest(self, scores: NDArray[np.float32], original: int, top: int) -> tuple[tuple[str, ...], Floats]:
        piece = self._pieces[original]
        kind = (False, "letters") if piece.startswith("[") and len(piece) > 1 else _kind(piece)
        if kind is None:
            return (), np.zeros(0)
        allowed = self._by_kind[kind]
        allowed = allowed[allowed != original]
        best = allowed[np.argsort(-scores[allowed], kind="stable")[:top]]
        logits = scores[best].astype(np.float64)
        weights = np.exp(logits - logits.max())
        return tuple(self._pieces[int(number)].removeprefix(_CONTINUED) for number in best), weights / weights.sum()


def _kind(piece: str) -> tuple[bool, str] | None:
    """Whether a sub-token continues a word, and what it is made of; None for anything but letters or digits."""
    bare = piece.removeprefix(_CONTINUED)
    made_of = "digits" if bare.isdecimal() else "letters" if bare.isalpha() else None
    return None if made_of is None else (bare != piece, made_of)
