"""Estimates with 95 % intervals from values per document: shares (Wilson), means and ratios (bootstrap).

Also correlations with their p-values, and the agreement of raters and annotators.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import atanh, ceil, isfinite, sqrt, tanh
from typing import Any, NamedTuple

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


class Correlation(NamedTuple):
    """A coefficient, its two-sided p-value, its 95 % interval (by Fisher's z; all of -1 to 1 below 4 pairs), and n."""

    value: float
    p: float
    interval: tuple[float, float]
    n: int


def pearson(first: Sequence[float], second: Sequence[float]) -> Correlation:
    """Pearson's r of pairs of values, with p by Student's t of n - 2 degrees of freedom."""
    from scipy.stats import pearsonr

    _check_pairs(first, second)
    result = pearsonr(first, second)
    return _correlation(float(result.statistic), float(result.pvalue), len(first))


def spearman(first: Sequence[float], second: Sequence[float]) -> Correlation:
    """Spearman's rank correlation of pairs of values, ties at their mean rank; p as for ``pearson``."""
    from scipy.stats import spearmanr

    _check_pairs(first, second)
    result = spearmanr(first, second)
    return _correlation(float(result.statistic), float(result.pvalue), len(first))


def _check_pairs(first: Sequence[float], second: Sequence[float]) -> None:
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} values are no pairs")
    if len(first) < 3:
        raise NotMeasurable(f"a correlation needs three pairs of values at least, and there are {len(first)}")
    if len(set(first)) == 1 or len(set(second)) == 1:
        raise NotMeasurable("all values of one side are the same, so nothing goes with them")


def _correlation(value: float, p: float, n: int) -> Correlation:
    if n < 4 or abs(value) >= 1:
        return Correlation(value, p, (-1.0, 1.0) if abs(value) < 1 else (value, value), n)
    half = Z / sqrt(n - 3)
    return Correlation(value, p, (tanh(atanh(value) - half), tanh(atanh(value) + half)), n)


def fleiss_kappa(ratings: Sequence[Sequence[Hashable]]) -> Estimate:
    """Agreement of raters beyond chance (Fleiss, 1971), bootstrapped over items.

    ``ratings``: for each item the category that each rater chose, in any order; as many raters for every item.
    """
    sizes = {len(item) for item in ratings}
    if not ratings or len(sizes) > 1 or min(sizes) < 2:
        raise NotMeasurable("Fleiss' kappa needs items that all have the same number of ratings, two at least")
    raters = sizes.pop()
    categories = list(dict.fromkeys(choice for item in ratings for choice in item))
    if len(categories) < 2:
        raise NotMeasurable("all raters chose one category for all items, so there is no agreement beyond chance")
    counts = [np.array([list(item).count(category) for item in ratings], np.float64) for category in categories]

    def kappa(*columns: NDArray[np.float64]) -> NDArray[np.float64]:
        squares = np.sum([column**2 for column in columns], axis=0)
        agreement = ((squares - raters) / (raters * (raters - 1))).mean(-1)
        chance = np.sum([(column.mean(-1) / raters) ** 2 for column in columns], axis=0)
        with np.errstate(invalid="ignore"):  # a draw in which all chose one category
            value: NDArray[np.float64] = (agreement - chance) / (1 - chance)
        return value

    settings = {"raters": raters, "categories": len(categories)}
    return Estimate(float(kappa(*counts)), bootstrap(counts, kappa), len(ratings), {}, settings)


def cohen_kappa(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Agreement of two raters beyond chance (Cohen, 1960). ``tables``: counts [..., category by one, by the other]."""
    total = tables.sum((-2, -1))
    agreement = np.trace(tables, axis1=-2, axis2=-1) / total
    chance = (tables.sum(-1) * tables.sum(-2)).sum(-1) / total**2
    value: NDArray[np.float64] = (agreement - chance) / (1 - chance)
    return value


def krippendorff_alpha(coincidences: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 - disagreement / disagreement by chance (Krippendorff, 2011), for nominal data.

    ``coincidences``: [..., category, category]: each ordered pair of the m values of a unit counts 1 / (m - 1).
    """
    sizes = coincidences.sum(-1)
    total = sizes.sum(-1)
    observed = total - np.trace(coincidences, axis1=-2, axis2=-1)
    by_chance = (total**2 - (sizes**2).sum(-1)) / (total - 1)
    with np.errstate(invalid="ignore"):  # all values are of one category
        value: NDArray[np.float64] = 1 - observed / by_chance
    return value


def bootstrap_sums(
    tables: NDArray[np.float64], statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]], why_none: str
) -> Estimate:
    """A statistic of the sum of tables ([document, ...]), with a bootstrap interval over documents."""
    value = float(statistic(tables.sum(0)[None])[0])
    if not isfinite(value):
        raise NotMeasurable(why_none)
    count = len(tables)
    drawn = np.random.default_rng(SEED).multinomial(count, np.full(count, 1 / count), RESAMPLES)
    values = statistic((drawn @ tables.reshape(count, -1)).reshape(RESAMPLES, *tables.shape[1:]))
    low, high = np.percentile(values[np.isfinite(values)], [2.5, 97.5])
    return Estimate(value, (min(float(low), value), max(float(high), value)), count)
