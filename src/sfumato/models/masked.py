"""Information content by a masked language model: how hard it is to guess a term from what stands around it.

The terms are masked by turns, one of every ``n`` at a time, so that the others stay readable as context (papers 000
and 002): ``n`` passes over the text score them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from sfumato.errors import RecipeError
from sfumato.models import onnx_masked
from sfumato.models.base import Floats, Range
from sfumato.models.subtokens import Ints, Tokens, checked, spans
from sfumato.models.windows import centred, cuts

SHIPPED = Path(__file__).parent / "weights" / "masked_lm"
LEAST_CONTEXT = 16
_OVERLAP = 32
"""Sub-tokens that neighbouring windows share: each is guessed with at least half of that on either side."""
_AT_ONCE = 64
"""Windows handed to the network together: enough to keep its threads busy, few enough to hold."""


class Reads(Protocol):
    """What every language model says of itself."""

    name: str
    languages: frozenset[str] | None
    longest: int
    """Most sub-tokens it reads at once, with those it puts around a text."""
    context: int
    """How many it reads at once unless told."""

    def encode(self, text: str) -> Tokens: ...


class MaskedNetwork(Reads, Protocol):
    """A masked language model: sub-tokens in, probabilities of the masked ones out."""

    mask: int
    """The id that hides a sub-token."""
    around: int
    """How many it puts around a text."""

    def log_probabilities(self, questions: Sequence[Question]) -> list[Floats]:
        """``ln p(target)`` at each position of each question."""
        ...


class Question(NamedTuple):
    """A window with some sub-tokens hidden, and what is to be guessed there."""

    ids: Ints
    positions: Ints
    targets: Ints
    terms: Ints
    """The term that each position belongs to."""


class MaskedScorer:
    """How hard a term is to guess from its context: a masked language model, terms masked by turns."""

    paper: ClassVar[str | None] = "000"
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
        self._context = context_of(self._network, context)
        self.languages = self._network.languages
        self.name = f"masked:model={self._network.name},n={n},context={self._context}"

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """``-ln`` of the least p(sub-token | context) among a term's sub-tokens; 0 where the model reads nothing."""
        ranges = checked(text, terms)
        found = np.zeros(len(ranges))
        if not len(ranges):
            return found
        tokens = self._network.encode(text)
        asked = questions(
            tokens, spans(tokens, ranges), self._n, self._network.mask, self._context - self._network.around
        )
        while group := list(islice(asked, _AT_ONCE)):
            for question, chances in zip(group, self._network.log_probabilities(group), strict=True):
                np.maximum.at(found, question.terms, -chances)
        return found


def context_of(network: Reads, context: int | None) -> int:
    """How many sub-tokens to read at once: as many as asked for, if the network can."""
    if context is None:
        return network.context
    if not isinstance(context, int) or not LEAST_CONTEXT <= context <= network.longest:
        raise RecipeError(f"context must be {LEAST_CONTEXT} to {network.longest} for {network.name}; got {context!r}")
    return context


def questions(tokens: Tokens, spans: Ints, n: int, mask: int, room: int) -> Iterator[Question]:
    """Everything to be asked, in windows of at most ``room`` sub-tokens that overlap a little.

    Each sub-token of a term is asked for once, in the window where it stands furthest from an edge, with its whole
    term hidden and every n-th other.
    """
    if not len(tokens):
        return
    pieces = cuts(len(tokens), room, room - min(_OVERLAP, room // 4))
    for (start, end), (first, last) in zip(pieces, centred(pieces), strict=True):
        low = int(np.searchsorted(spans[:, 1], start, side="right"))
        high = int(np.searchsorted(spans[:, 0], end, side="left"))
        for turn in range(low, min(high, low + n)):
            numbers = np.arange(turn, high, n)
            hidden, owners = _spread(np.clip(spans[numbers], start, end), numbers)
            own = (first <= hidden) & (hidden < last)
            if not own.any():
                continue
            ids = tokens.ids[start:end].copy()
            ids[hidden - start] = mask
            yield Question(ids, hidden[own] - start, tokens.ids[hidden[own]], owners[own])


def _spread(spans: Ints, numbers: Ints) -> tuple[Ints, Ints]:
    """Every sub-token of the spans, with the number of the span it is in."""
    tokens = [np.arange(first, last) for first, last in spans]
    return np.concatenate(tokens), np.repeat(numbers, spans[:, 1] - spans[:, 0])


def _network(model: str | None, threads: int | None, device: str) -> MaskedNetwork:
    folder = SHIPPED if model is None else Path(model)
    if model is None or (folder / onnx_masked.FILE).is_file():
        if device != "cpu":
            raise RecipeError(f"device {device!r} is for Hugging Face models; this one runs on the cpu")
        return onnx_masked.load(folder, threads)
    from sfumato.models import hugging_face

    return hugging_face.masked(model, device)
