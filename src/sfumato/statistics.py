"""Estimates with 95 % intervals from values per document: shares (Wilson), means and ratios (bootstrap)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import NotMeasurable

Z = 1.959963984540054
RESAMPLES = 2000
SEED = 20261115
_NOTHING = "there is nothing to take a share of"


@dataclass(frozen=True)
class Estimate:
    """What a metric's function returns; ``Metric`` adds its name, direction, settings and cost and makes a Score.

    ``n`` is what the interval is over: documents for means, entities or tokens for shares.
    """

    value: float
    interval: tuple[float, float]
    n: int
    per_document: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: Mapping[str, float] = field(default_factory=dict)
    """Beyond the time: what a metric that asks a language model spent."""


def wilson(hits: float, n: int) -> tuple[float, float]:
    """95 % interval of a share; of 0 in 127 it is (0, .029), not (0, 0)."""
    if n < 1:
        raise NotMeasurable(_NOTHING)
    share = hits / n
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def sample_size_for(limit: float) -> int:
    """How large a sample without any hit must be for the Wilson interval to end at ``limit``."""
    return ceil(Z * Z * (1 / limit - 1))


def proportion(hits: float, n: int) -> dict[str, Any]:
    """A share as it is put into settings: its value, its Wilson interval, and of how many."""
    return {"value": hits / n, "interval": list(wilson(hits, n)), "n": n}


def share(
    hits: Mapping[str, float],
    totals: Mapping[str, float],
    settings: Mapping[str, Any] | None = None,
    *,
    why_none: str = _NOTHING,
) -> Estimate:
    """Share of all things counted: documents are weighted by how many they hold; Wilson interval over things."""
    n = round(sum(totals.values()))
    if not n:
        raise NotMeasurable(why_none)
    total_hits = sum(hits.values())
    per_document = {key: hits[key] / total for key, total in totals.items() if total}
    return Estimate(total_hits / n, wilson(total_hits, n), n, per_document, settings or {})


def share_of_documents(
    hits: Mapping[str, float], settings: Mapping[str, Any] | None = None, *, why_none: str = _NOTHING
) -> Estimate:
    """Share of documents, each a hit or none, or a part of one; with a Wilson interval over documents."""
    return share(hits, dict.fromkeys(hits, 1.0), settings, why_none=why_none)


def mean(
    values: Mapping[str, float | None],
    settings: Mapping[str, Any] | None = None,
    *,
    why_none: str = "undefined on these documents",
) -> Estimate:
    """Mean over documents with a seeded bootstrap interval.

    Documents whose value is None are left out, and counted in the settings under ``left_out``.
    """
    defined = {key: value for key, value in values.items() if value is not None}
    if not defined:
        raise NotMeasurable(why_none)
    if bad := [key for key, value in defined.items() if not isfinite(value)]:
        raise ValueError(f"the value of {len(bad)} documents is not a number")
    numbers = np.array(list(defined.values()), np.float64)
    interval = bootstrap([numbers], lambda drawn: drawn.mean(-1))
    settings_used = {**(settings or {}), **left_out(len(values), len(defined))}
    return Estimate(float(numbers.mean()), interval, len(defined), defined, settings_used)


def ratio(
    above: Mapping[str, float],
    below: Mapping[str, float],
    settings: Mapping[str, Any] | None = None,
    *,
    why_none: str = "there is nothing to divide by: no document holds what is counted",
) -> Estimate:
    """Ratio of two sums over documents, bootstrapped over documents."""
    keys = [key for key, value in below.items() if value]
    if not keys:
        raise NotMeasurable(why_none)
    top, bottom = (np.array([part[key] for key in keys], np.float64) for part in (above, below))
    per_document = {key: float(a / b) for key, a, b in zip(keys, top, bottom, strict=True)}
    interval = bootstrap([top, bottom], lambda a, b: a.sum(-1) / b.sum(-1))
    settings_used = {**(settings or {}), **left_out(len(below), len(keys))}
    return Estimate(float(top.sum() / bottom.sum()), interval, len(keys), per_document, settings_used)


def left_out(documents: int, used: int) -> dict[str, int]:
    """The setting that says how many documents have no value; none where all have one."""
    return {"left_out": documents - used} if used < documents else {}


def bootstrap(columns: Sequence[NDArray[np.float64]], statistic: Callable[..., Any]) -> tuple[float, float]:
    """95 % percentile interval over documents, widened to contain the value itself.

    ``statistic`` takes the columns' values, the documents along the last axis.
    """
    size = len(columns[0])
    rows = np.random.default_rng(SEED).integers(0, size, (RESAMPLES, size))
    values = statistic(*(column[rows] for column in columns))
    value = float(statistic(*columns))
    low, high = np.percentile(values[np.isfinite(values)], [2.5, 97.5])
    return min(float(low), value), max(float(high), value)
