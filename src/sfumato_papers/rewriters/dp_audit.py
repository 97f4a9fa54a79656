"""An empirical audit of DP-Fusion: how well two values of private spans are told apart by the paraphrases.

Whoever knows both values, the model and all but the random numbers compares how likely a paraphrase is with each: no
test of one paraphrase does better. The shares of right and wrong verdicts give a lower bound on the true epsilon, with
a confidence; the stated epsilon has to lie above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, log

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from sfumato.document import Document
from sfumato.errors import InputError
from sfumato.llm.chat import LogitsModel, Message
from sfumato_papers.rewriters.dp_fusion import Contexts, DpFusion, FusionDecoder
from sfumato_papers.rewriters.fusion import Floats

Counts = NDArray[np.int64]

_KEPT = 16
"""Answers of the model: those of one place, with each of its groups."""


@dataclass(frozen=True, slots=True)
class FusionAudit:
    """What was found beside what is stated."""

    lower: float
    """The true epsilon is at least this, with the confidence."""
    estimate: float
    """By the shares alone; infinite where no verdict was wrong."""
    upper: float
    """Of what this test can tell, not of the true epsilon; infinite where few verdicts were wrong."""
    confidence: float
    right: tuple[int, int]
    """Paraphrases of the first value that were recognized, of how many."""
    wrong: tuple[int, int]
    """Paraphrases of the second value that were taken for the first, of how many."""
    largest_loss: float
    """The largest |ln (p / p')| of a paraphrase that was drawn, computed and not counted."""
    epsilon: float
    """Stated for any two values of all private spans."""
    delta: float

    @property
    def is_consistent(self) -> bool:
        """Whether the stated epsilon is not refuted."""
        return self.lower <= self.epsilon


def audit(
    rewriter: DpFusion, first: Document, second: Document, *, samples: int, seed: int = 0, confidence: float = 0.95
) -> FusionAudit:
    """Draw paraphrases of two documents that differ in private spans (their annotations) alone, and tell them apart.

    ``samples``: of each document; half of them choose the threshold of the test, the other half are counted.
    """
    if samples < 2 or not 0 < confidence < 1:
        raise InputError(f"an audit needs 2 samples and a confidence between 0 and 1, got {samples} and {confidence}")
    one, other = rewriter.single_piece(first), rewriter.single_piece(second)
    if one.public != other.public or len(one.private) != len(other.private):
        raise InputError("the two documents of an audit differ outside their private spans: annotate what differs")
    chosen = samples // 2
    drawn = list(_draw(rewriter.decoder, (one, other), np.array([[chosen, samples - chosen]] * 2), seed))
    losses = np.array([loss for loss, _ in drawn])
    counts = np.array([count for _, count in drawn])  # [paraphrase, document, half]
    delta = rewriter.budget.delta
    threshold = max(
        np.unique(losses),
        key=lambda limit: _bounds(_verdicts(losses, counts[:, :, 0], limit), delta, confidence)[0],
    )
    verdicts = _verdicts(losses, counts[:, :, 1], float(threshold))
    lower, estimate, upper = _bounds(verdicts, delta, confidence)
    return FusionAudit(
        max(0.0, lower),
        estimate,
        upper,
        confidence,
        *verdicts,
        largest_loss=float(np.abs(losses).max()),
        epsilon=rewriter.budget.epsilon(),
        delta=delta,
    )


def _draw(
    decoder: FusionDecoder, contexts: tuple[Contexts, Contexts], counts: Counts, seed: int
) -> Iterator[tuple[float, Counts]]:
    """Each paraphrase drawn, as ln (p / p') with how often each document and half drew it.

    What begins alike is drawn together, so that the model is asked once for each beginning.
    """
    random = np.random.default_rng(seed)
    decoder = replace(decoder, model=_Remembering(decoder.model))
    pending: list[tuple[tuple[int, ...], float, Counts]] = [((), 0.0, counts)]
    while pending:
        written, loss, left = pending.pop()
        if len(written) == decoder.budget.tokens or (written and written[-1] in decoder.model.end_tokens):
            yield loss, left
            continue
        (ids, one), (_, other) = (decoder.distribution(context, written) for context in contexts)
        drawn = np.stack(
            [
                random.multinomial(half, shares / shares.sum())
                for shares, halves in zip((one, other), left, strict=True)
                for half in halves
            ]
        )
        for index in np.flatnonzero(drawn.any(axis=0)):
            change = _log(one[index]) - _log(other[index])
            pending.append(((*written, int(ids[index])), loss + change, drawn[:, index].reshape(2, 2)))


class _Remembering:
    """A model that is not asked again for what it was asked last: both documents have the same public text."""

    def __init__(self, model: LogitsModel) -> None:
        self._model = model
        self._ask = lru_cache(maxsize=_KEPT)(model.next_logprobs)

    @property
    def end_tokens(self) -> frozenset[int]:
        return self._model.end_tokens

    def next_logprobs(
        self, messages: Sequence[Message], written: Sequence[int] = ()
    ) -> tuple[NDArray[np.int64], Floats]:
        return self._ask(tuple(messages), tuple(written))

    def text_of(self, tokens: Sequence[int]) -> str:
        return self._model.text_of(tokens)


def _log(chance: float) -> float:
    return log(chance) if chance > 0 else -inf


Share = tuple[int, int]


def _verdicts(losses: Floats, counts: Counts, threshold: float) -> tuple[Share, Share]:
    """Of each document: how many of its paraphrases are taken for the first, of how many."""
    taken = counts[losses >= threshold].sum(axis=0)
    first, second = ((int(hits), int(n)) for hits, n in zip(taken, counts.sum(axis=0), strict=True))
    return first, second


def _bounds(verdicts: tuple[Share, Share], delta: float, confidence: float) -> tuple[float, float, float]:
    """The epsilon that the verdicts prove, that of the shares alone, and the largest within their intervals."""
    (low, hits, high), (rare, false, often) = (_interval(*share, confidence) for share in verdicts)
    return _epsilon(low, often, delta), _epsilon(hits, false, delta), _epsilon(high, rare, delta)


def _epsilon(right: float, wrong: float, delta: float) -> float:
    """From P(S) <= e^ε P'(S) + δ for the paraphrases S that are taken for the first, and from the others."""
    return max(_log_ratio(right - delta, wrong), _log_ratio(1 - wrong - delta, 1 - right))


def _log_ratio(above: float, below: float) -> float:
    return -inf if above <= 0 else inf if below <= 0 else log(above / below)


def _interval(hits: int, n: int, confidence: float) -> tuple[float, float, float]:
    """A share between its exact limits (Clopper and Pearson), both shares of a test together at the confidence."""
    tail = (1 - confidence) / 4
    low = float(beta.ppf(tail, hits, n - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1 - tail, hits + 1, n - hits)) if hits < n else 1.0
    return low, hits / n, high
