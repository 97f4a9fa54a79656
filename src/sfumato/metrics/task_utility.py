"""Task utility: accuracy of a text classifier before and after, and similarity of label distributions.

Xin et al. (2025), A false sense of privacy. The user gives the task as a label for each document.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.document import Release
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.metrics.base import metric
from sfumato.metrics.surface import words
from sfumato.statistics import RESAMPLES, SEED, Estimate, share_of_documents

DEFAULT = "tfidf-logistic"


class Learner(Protocol):
    """An estimator as in scikit-learn, over texts."""

    def fit(self, texts: Sequence[str], labels: Sequence[str]) -> Any: ...
    def predict(self, texts: Sequence[str]) -> Sequence[str]: ...


def learner_factory(name: str) -> Callable[[], Learner]:
    """The factory of learners by name: the default, or the user's own as ``module:factory``."""
    if name == DEFAULT:
        return tfidf_logistic
    module, colon, attribute = name.partition(":")
    if not colon:
        raise RecipeError(f"no classifier {name!r}: use {DEFAULT!r}, or 'module:factory' for your own")
    try:
        made: Callable[[], Learner] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise RecipeError(f"no classifier {name!r}: {error}. Is the module installed?") from error
    return made


def tfidf_logistic() -> Learner:
    """TF-IDF of words and logistic regression."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    # A text may hold nothing but one-letter words; the usual pattern would find none in it.
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")
    learner: Learner = make_pipeline(vectors, LogisticRegression(max_iter=1000, C=10.0))
    return learner


def labelled_releases(releases: Sequence[Release], labels: Mapping[str, str]) -> tuple[list[Release], dict[str, int]]:
    """Releases whose original has words and a label that another one also has, and how many were left out."""
    with_label = [item for item in releases if item.document.id in labels and words(item.document.text)]
    if not with_label:
        raise NotMeasurable("no document has a label: check that the ids of --labels are the originals'")
    counts = Counter(labels[item.document.id] for item in with_label)
    kept = [item for item in with_label if counts[labels[item.document.id]] > 1]
    if len({labels[item.document.id] for item in kept}) < 2:
        raise NotMeasurable(
            f"a classifier needs two labels with two documents each, and of {len(counts)} labels "
            f"{sum(count > 1 for count in counts.values())} has that many: give more labelled documents"
        )
    return kept, {"left_out": len(releases) - len(kept)} if len(kept) < len(releases) else {}


def predictions(
    learn: Callable[[], Learner],
    train: Sequence[str],
    tests: Sequence[Sequence[str]],
    labels: Sequence[str],
    folds: int,
    seed: int,
) -> list[list[str]]:
    """Labels for each list of texts in ``tests``, text i always by a learner that did not read ``train[i]``."""
    if folds < 2:
        raise RecipeError(f"folds = {folds}: cross-validation needs at least 2")
    rows = [[""] * len(labels) for _ in tests]
    for number in range(folds := min(folds, *Counter(labels).values())):
        is_held_out = fold_numbers(labels, folds, seed) == number
        learner = fit_learner(learn, *_select(~is_held_out, train, labels))
        for texts, row in zip(tests, rows, strict=True):
            (test_texts,) = _select(is_held_out, texts)
            for index, label in zip(np.flatnonzero(is_held_out), learner.predict(test_texts), strict=True):
                row[index] = str(label)
    return rows


def fit_learner(learn: Callable[[], Learner], texts: Sequence[str], labels: Sequence[str]) -> Learner:
    """A new learner, fitted to these texts."""
    from threadpoolctl import threadpool_limits

    learner = learn()
    # One thread: on so few texts more threads are slower.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="sklearn")  # not having converged shows in the accuracy
        learner.fit(texts, labels)
    return learner


def fold_numbers(labels: Sequence[str], folds: int, seed: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The fold of each document; every label is spread over the folds as evenly as possible."""
    order = np.random.default_rng(seed).permutation(len(labels))
    numbers = np.zeros(len(labels), np.int64)
    next_fold = 0
    for label in sorted(set(labels)):
        for index in order:
            if labels[index] == label:
                numbers[index] = next_fold % folds
                next_fold += 1
    return numbers


def _select(mask: np.ndarray[Any, np.dtype[np.bool_]], *columns: Sequence[str]) -> list[list[str]]:
    indices = np.flatnonzero(mask).tolist()
    return [[column[index] for index in indices] for column in columns]


@metric("task-utility", family="task", cite="xin2025", higher_is_better=True)
def task_utility(
    releases: Sequence[Release], labels: Mapping[str, str], classifier: str = DEFAULT, folds: int = 5, seed: int = 0
) -> Estimate:
    """Accuracy on the releases of a classifier trained on other documents' originals (cross-validated).

    The settings hold the accuracy on the originals, the ratio of the two, and the reverse: trained on releases, tested
    on originals.
    """
    learn = learner_factory(classifier)
    kept, settings = labelled_releases(releases, labels)
    truth = [labels[item.document.id] for item in kept]
    originals = [item.document.text for item in kept]
    released = [item.text for item in kept]
    on_originals, on_releases = predictions(learn, originals, [originals, released], truth, folds, seed)
    right = {
        item.document.id: float(predicted == label)
        for item, predicted, label in zip(kept, on_releases, truth, strict=True)
    }
    before = _accuracy(on_originals, truth)
    details: dict[str, Any] = {
        "accuracy_on_originals": before,
        "ratio": _accuracy(on_releases, truth) / before if before else None,
        "trained_on_releases": _accuracy_trained_on_releases(learn, released, originals, truth, folds, seed),
        "most_frequent_label": max(Counter(truth).values()) / len(truth),
        "label_count": len(set(truth)),
    }
    return share_of_documents(right, {**settings, **details})


def _accuracy(found: Sequence[str], truth: Sequence[str]) -> float:
    return sum(a == b for a, b in zip(found, truth, strict=True)) / len(truth)


def _accuracy_trained_on_releases(
    learn: Any, released: Sequence[str], originals: Sequence[str], truth: Sequence[str], folds: int, seed: int
) -> float | None:
    """Accuracy on originals of what was trained on releases; None where the releases hold nothing to learn from."""
    if sum(map(bool, map(words, released))) < len(released) / 2:
        return None
    (predicted,) = predictions(learn, released, [originals], truth, folds, seed)
    return _accuracy(predicted, truth)


Shares = NDArray[np.float64]


@metric("label-distribution", family="task", cite="xin2025", higher_is_better=True)
def label_distribution(
    releases: Sequence[Release], labels: Mapping[str, str], classifier: str = DEFAULT, folds: int = 5, seed: int = 0
) -> Estimate:
    """1 - chi2 / chi2 of random labels: do as many releases as originals bear each label? One classifier judges."""
    kept, settings = labelled_releases(releases, labels)
    truth = [labels[item.document.id] for item in kept]
    originals = [item.document.text for item in kept]
    before, after = predictions(
        learner_factory(classifier), originals, [originals, [item.text for item in kept]], truth, folds, seed
    )
    return distribution_similarity(before, after, truth, settings, paired=True)


def synthetic_label_distribution(
    originals: Sequence[str],
    labels: Sequence[str],
    synthesized: Sequence[str],
    classifier: str = DEFAULT,
    folds: int = 5,
    seed: int = 0,
) -> Estimate:
    """The same for texts without an original: their labels come from a classifier trained on all originals."""
    if not synthesized:
        raise NotMeasurable("there is no synthesized text to measure")
    learn = learner_factory(classifier)
    (before,) = predictions(learn, originals, [originals], labels, folds, seed)
    after = [str(label) for label in fit_learner(learn, originals, labels).predict(synthesized)]
    return distribution_similarity(before, after, labels, {}, paired=False)


def chi_squared(one: Shares, other: Shares) -> Shares:
    """Distance of two distributions, sum (a - b)^2 / (a + b) over labels: 0 where equal, 2 where nothing is shared."""
    both = one + other
    parts: Shares = np.divide((one - other) ** 2, both, out=np.zeros(np.broadcast(one, other).shape), where=both > 0)
    return np.asarray(parts.sum(axis=-1), np.float64)


def random_distance(shares: Shares, size: int) -> float:
    """The mean distance at which ``size`` labels drawn evenly at random lie, by 2000 seeded draws."""
    draws = np.random.default_rng(SEED).multinomial(size, [1 / len(shares)] * len(shares), RESAMPLES) / size
    return float(chi_squared(draws, shares).mean())


def distribution_similarity(
    before: Sequence[str], after: Sequence[str], truth: Sequence[str], settings: Mapping[str, Any], *, paired: bool
) -> Estimate:
    """1 - chi2 / chi2 of random labels: the chi-squared distance of two lists of labels, scaled so that random is 0.

    ``truth`` names labels that may be in neither list; ``paired``: both lists are of the same documents, in order.
    """
    names = sorted({*before, *after, *truth})
    old, new = (_one_hot(labels, names) for labels in (before, after))
    random_chi_squared = random_distance(old.mean(0), len(new))
    distance = float(chi_squared(old.mean(0), new.mean(0)))
    random = np.random.default_rng(SEED)
    rows = random.integers(0, len(new), (RESAMPLES, len(new)))
    old_rows = rows if paired else random.integers(0, len(old), (RESAMPLES, len(old)))
    drawn = chi_squared(_shares(old, old_rows), _shares(new, rows))
    low, high = np.percentile(np.maximum(0.0, 1 - drawn / random_chi_squared), [2.5, 97.5])
    value = max(0.0, 1 - distance / random_chi_squared)
    return Estimate(
        value,
        (min(float(low), value), max(float(high), value)),
        len(new),
        {},
        {
            **settings,
            "chi_squared": distance,
            "chi_squared_of_random_labels": random_chi_squared,
            "label_count": len(names),
        },
    )


def _one_hot(labels: Sequence[str], names: Sequence[str]) -> Shares:
    return np.array([[float(label == name) for name in names] for label in labels])


def _shares(labels: Shares, rows: NDArray[np.int64]) -> Shares:
    return np.stack([labels[drawn].mean(axis=0) for drawn in rows])
