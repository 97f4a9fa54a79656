"""Are the releases, taken together, about the same things? Likeness of label distributions.

003: Xin et al., A false sense of privacy: a chi-squared distance, scaled so that random labels are 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.document import Release
from sfumato.errors import NotMeasurable
from sfumato.intervals import RESAMPLES, SEED, Estimate
from sfumato.measures.base import metric
from sfumato.measures.folds import DEFAULT, factory, fitted, labelled, predictions

Shares = NDArray[np.float64]


@metric("label-distribution", family="task", paper="003", higher_is_better=True)
def label_distribution(
    releases: Sequence[Release], labels: Mapping[str, str], classifier: str = DEFAULT, folds: int = 5, seed: int = 0
) -> Estimate:
    """1 - chi2 / chi2 of random labels: do as many releases as originals bear each label? One classifier judges."""
    kept, said = labelled(releases, labels)
    truth = [labels[item.document.id] for item in kept]
    originals = [item.document.text for item in kept]
    before, after = predictions(
        factory(classifier), originals, [originals, [item.text for item in kept]], truth, folds, seed
    )
    return likeness(before, after, truth, said, paired=True)


def synthetic_label_distribution(
    originals: Sequence[str],
    labels: Sequence[str],
    synthesized: Sequence[str],
    classifier: str = DEFAULT,
    folds: int = 5,
    seed: int = 0,
) -> Estimate:
    """The same for texts that stand for no original: their labels come from a classifier trained on all originals."""
    if not synthesized:
        raise NotMeasurable("there is no synthesized text to measure")
    learn = factory(classifier)
    (before,) = predictions(learn, originals, [originals], labels, folds, seed)
    after = [str(label) for label in fitted(learn, originals, labels).predict(synthesized)]
    return likeness(before, after, labels, {}, paired=False)


def chi_squared(one: Shares, other: Shares) -> Shares:
    """Distance of two distributions, sum (a - b)^2 / (a + b) over labels: 0 where equal, 2 where nothing is shared."""
    both = one + other
    parts: Shares = np.divide((one - other) ** 2, both, out=np.zeros(np.broadcast(one, other).shape), where=both > 0)
    return np.asarray(parts.sum(axis=-1), np.float64)


def random_distance(shares: Shares, size: int) -> float:
    """The mean distance at which ``size`` labels drawn evenly at random lie, by 2000 seeded draws."""
    draws = np.random.default_rng(SEED).multinomial(size, [1 / len(shares)] * len(shares), RESAMPLES) / size
    return float(chi_squared(draws, shares).mean())


def likeness(
    before: Sequence[str], after: Sequence[str], truth: Sequence[str], said: Mapping[str, Any], *, paired: bool
) -> Estimate:
    """1 - chi2 / chi2 of random labels between labels of originals and of releases.

    ``truth`` names labels that are known, said or not; ``paired``: both lists are of the same documents, in order.
    """
    names = sorted({*before, *after, *truth})
    old, new = (_one_hot(found, names) for found in (before, after))
    floor = random_distance(old.mean(0), len(new))
    distance = float(chi_squared(old.mean(0), new.mean(0)))
    random = np.random.default_rng(SEED)
    rows = random.integers(0, len(new), (RESAMPLES, len(new)))
    old_rows = rows if paired else random.integers(0, len(old), (RESAMPLES, len(old)))
    drawn = chi_squared(_shares(old, old_rows), _shares(new, rows))
    low, high = np.percentile(np.maximum(0.0, 1 - drawn / floor), [2.5, 97.5])
    value = max(0.0, 1 - distance / floor)
    return Estimate(
        value,
        (min(float(low), value), max(float(high), value)),
        len(new),
        {},
        {**said, "chi_squared": distance, "chi_squared_of_random_labels": floor, "label_count": len(names)},
    )


def _one_hot(found: Sequence[str], names: Sequence[str]) -> Shares:
    return np.array([[float(label == name) for name in names] for label in found])


def _shares(labels: Shares, rows: NDArray[np.int64]) -> Shares:
    return np.stack([labels[drawn].mean(axis=0) for drawn in rows])
