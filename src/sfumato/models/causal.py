"""Information content by a causal language model: how hard it is to guess a term from what stands before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

import numpy as np

from sfumato.models.base import Floats, Range
from sfumato.models.masked import Reads, context_of
from sfumato.models.subtokens import Ints, checked, spans
from sfumato.models.windows import cuts


class CausalNetwork(Reads, Protocol):
    """A causal language model: sub-tokens in, the probability of each given those before it out."""

    def log_probabilities(self, ids: Ints, first: int) -> Floats:
        """``ln p`` of each sub-token from number ``first`` on, given all before it."""
        ...


class CausalScorer:
    """How hard a term is to guess from what stands before it: a causal language model, one pass over the text."""

    paper: ClassVar[str | None] = "000"
    extra: ClassVar[str | None] = "torch"

    def __init__(self, *, model: str, context: int | None = None, device: str = "cpu") -> None:
        """``model``: any Hugging Face causal language model, as a folder or by its name, or a GGUF file;
        ``context``: sub-tokens read at once."""
        from sfumato.models import hugging_face

        self._network: CausalNetwork = hugging_face.causal(model, device)
        self._context = context_of(self._network, context)
        self.languages = self._network.languages
        self.name = f"causal:model={self._network.name},context={self._context}"

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """``-ln`` of the least p(sub-token | all before it) among a term's sub-tokens; 0 where it has none."""
        ranges = checked(text, terms)
        if not len(ranges):
            return np.zeros(0)
        tokens = self._network.encode(text)
        costs = -_log_probabilities(self._network, tokens.ids, self._context)
        return np.array([costs[first:last].max(initial=0.0) for first, last in spans(tokens, ranges)])


def _log_probabilities(network: CausalNetwork, ids: Ints, context: int) -> Floats:
    """``ln p`` of every sub-token, in windows that overlap by half: each sees half a window before it, or all there is.

    The network puts one sub-token in front of a window: a text's first sub-token has a probability, too.
    """
    if not len(ids):
        return np.zeros(0)
    found = []
    done = 0
    for start, end in cuts(len(ids), context, context // 2):
        found.append(network.log_probabilities(ids[start:end], done - start))
        done = end
    return np.concatenate(found)
