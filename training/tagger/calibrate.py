"""From a logit to a probability one can believe, and from probabilities to the three stops of the dial."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from training.tagger.predict import Prediction
from training.tagger.windows import UNKNOWN, Encoded

STOPS = {"precise": 0.90, "balanced": 0.84}
"""Token precision that a stop of the dial promises on validation texts; on others it is about four points lower."""
LEAVE_NOTHING = 0.99
"""Token recall of the last stop,"""
LOWEST = 0.02
"""unless that would take a lower threshold than this, where every other word goes."""


def known(texts: Sequence[Encoded], predictions: Sequence[Prediction]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Mask logits and truths of all tokens whose truth is known."""
    truths = np.concatenate([text.masks for text in texts]) if texts else np.zeros(0)
    logits = np.concatenate([prediction.mask for prediction in predictions]) if texts else np.zeros(0, np.float32)
    return logits[truths != UNKNOWN], truths[truths != UNKNOWN] == 1


def temperature(logits: NDArray[np.float32], truths: NDArray[np.bool_]) -> float:
    """The divisor of the logits with the least cross-entropy, by search over a fine grid; 1 without evidence."""
    if not truths.any():
        return 1.0
    grid = np.geomspace(0.25, 8, 141)
    signed = np.where(truths, -logits, logits).astype(np.float64)
    costs = [np.logaddexp(0, signed / divisor).mean() for divisor in grid]
    return float(grid[int(np.argmin(costs))])


def probabilities(logits: NDArray[np.float32], divisor: float) -> NDArray[np.float32]:
    chances: NDArray[np.float32] = 1 / (1 + np.exp(-np.clip(logits / divisor, -60, 60)))
    return chances


def calibration_error(chances: NDArray[np.float32], truths: NDArray[np.bool_], bins: int = 15) -> float:
    """Expected calibration error: mean gap between probability and frequency over equal bins, weighted by size."""
    places = np.minimum((chances * bins).astype(int), bins - 1)
    sums = [np.bincount(places, values, bins) for values in (chances, truths.astype(float))]
    return float(np.abs(sums[0] - sums[1]).sum() / max(1, len(chances)))


def average_precision(scores: NDArray[np.float32], truths: NDArray[np.bool_]) -> float:
    """Mean of the precision at each true token, best score first."""
    if not truths.any():
        return 1.0
    hits = truths[np.argsort(-scores, kind="stable")]
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean())


def stops(chances: NDArray[np.float32], truths: NDArray[np.bool_]) -> dict[str, float]:
    """Thresholds: the lowest that keeps each promised precision, and the highest that keeps the last stop's recall."""
    if not truths.any():  # nothing to promise anything on
        return {**dict.fromkeys(STOPS, 0.5), "leave_nothing": 0.1}
    order = np.argsort(-chances, kind="stable")
    hits = np.cumsum(truths[order])
    precision, recall = hits / np.arange(1, len(hits) + 1), hits / max(1, hits[-1])
    found = {}
    for name, promised in STOPS.items():
        good = np.flatnonzero(precision >= promised)
        found[name] = float(chances[order][good[-1]]) if len(good) else 0.5
    enough = np.flatnonzero(recall >= LEAVE_NOTHING)
    found["leave_nothing"] = max(LOWEST, min(found["balanced"], float(chances[order][enough[0]])))
    return found


def fit_card(texts: Sequence[Encoded], predictions: Sequence[Prediction]) -> tuple[dict[str, float], dict[str, float]]:
    """What a tagger's card says of calibration, and its stops, from the validation texts."""
    logits, truths = known(texts, predictions)
    divisor = temperature(logits, truths)
    # The dial promises precision on rulings, the hardest set, where there are any.
    hardest = [n for n, text in enumerate(texts) if text.record.set in ("tab", "user")] or range(len(texts))
    stop_logits, stop_truths = known([texts[n] for n in hardest], [predictions[n] for n in hardest])
    calibration = {
        "temperature": divisor,
        "error_before": calibration_error(probabilities(logits, 1.0), truths),
        "error_after": calibration_error(probabilities(logits, divisor), truths),
    }
    return calibration, stops(probabilities(stop_logits, divisor), stop_truths)
