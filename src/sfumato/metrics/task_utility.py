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
from sfumato.models.base import Floats
from sfumato.statistics import RESAMPLES, SEED, Estimate, left_out, share_of_documents

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
        factory: Callable[[], Learner] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise RecipeError(f"no classifier {name!r}: {error}. Is the module installed?") from error
    return factory


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
    labels_of_several = sum(count > 1 for count in counts.values())
    if labels_of_several < 2:
        raise NotMeasurable(
            f"a classifier needs two labels with two documents each, and of {len(counts)} labels {labels_of_several} "
            "has that many: give more labelled documents"
        )
    usable = [item for item in with_label if counts[labels[item.document.id]] > 1]
    return usable, left_out(len(releases), len(usable))


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
    folds = min(folds, *Counter(labels).values())
    fold_of = fold_numbers(labels, folds, seed)
    for number in range(folds):
        held_out, others = (np.flatnonzero(mask).tolist() for mask in (fold_of == number, fold_of != number))
        learner = fit_learner(learn, [train[index] for index in others], [labels[index] for index in others])
        for texts, row in zip(tests, rows, strict=True):
            for index, label in zip(held_out, learner.predict([texts[index] for index in held_out]), strict=True):
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


def fold_numbers(labels: Sequence[str], folds: int, seed: int) -> NDArray[np.int64]:
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


@metric("task-utility", family="task", cite="xin2025", higher_is_better=True)
def task_utility(
    releases: Sequence[Release], labels: Mapping[str, str], classifier: str = DEFAULT, folds: int = 5, seed: int = 0
) -> Estimate:
    """Accuracy on the releases of a classifier trained on other documents' originals (cross-validated).

    The settings hold the accuracy on the originals, the ratio of the two, and the reverse: trained on releases, tested
    on originals.
    """
    learn = learner_factory(classifier)
    usable, settings = labelled_releases(releases, labels)
    truth = [labels[item.document.id] for item in usable]
    originals = [item.document.text for item in usable]
    released = [item.text for item in usable]
    on_originals, on_releases = predictions(learn, originals, [originals, released], truth, folds, seed)
    right = {
        item.document.id: float(predicted == label)
        for item, predicted, label in zip(usable, on_releases, truth, strict=True)
    }
    before = _accuracy(on_originals, truth)
    trained_on_releases = None
    if sum(map(bool, map(words, released))) >= len(released) / 2:  # else they hold nothing to learn from
        (predicted_originals,) = predictions(learn, released, [originals], truth, folds, seed)
        trained_on_releases = _accuracy(predicted_originals, truth)
    details: dict[str, Any] = {
        "accuracy_on_originals": before,
        "ratio": _accuracy(on_releases, truth) / before if before else None,
        "trained_on_releases": trained_on_releases,
        "most_frequent_label": max(Counter(truth).values()) / len(truth),
        "label_count": len(set(truth)),
    }
    return share_of_documents(right, {**settings, **details})


def _accuracy(predicted: Sequence[str], truth: Sequence[str]) -> float:
    return sum(guess == label for guess, label in zip(predicted, truth, strict=True)) / len(truth)


@metric("label-distribution", family="task", cite="xin2025", higher_is_better=True)
def label_distribution(
    releases: Sequence[Release], labels: Mapping[str, str], classifier: str = DEFAULT, folds: int = 5, seed: int = 0
) -> Estimate:
    """1 - chi2 / chi2 of random labels: do as many releases as originals bear each label? One classifier judges."""
    usable, settings = labelled_releases(releases, labels)
    truth = [labels[item.document.id] for item in usable]
    originals, released = [item.document.text for item in usable], [item.text for item in usable]
    before, after = predictions(learner_factory(classifier), originals, [originals, released], truth, folds, seed)
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


def chi_squared(before: Floats, after: Floats) -> Floats:
    """Distance of two distributions, sum (a - b)^2 / (a + b) over labels: 0 where equal, 2 where nothing is shared."""
    both = before + after
    parts: Floats = np.divide((before - after) ** 2, both, out=np.zeros(both.shape), where=both > 0)
    return np.asarray(parts.sum(axis=-1), np.float64)


def random_distance(shares: Floats, size: int) -> float:
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
    one_hot = dict(zip(names, np.eye(len(names)), strict=True))
    old, new = (np.array([one_hot[label] for label in labels]) for labels in (before, after))
    random_chi_squared = random_distance(old.mean(0), len(new))
    distance = float(chi_squared(old.mean(0), new.mean(0)))
    random = np.random.default_rng(SEED)
    rows = random.integers(0, len(new), (RESAMPLES, len(new)))
    old_rows = rows if paired else random.integers(0, len(old), (RESAMPLES, len(old)))
    drawn = chi_squared(_shares(old, old_rows), _shares(new, rows))
    low, high = np.percentile(np.maximum(0.0, 1 - drawn / random_chi_squared), [2.5, 97.5])
    value = max(0.0, 1 - distance / random_chi_squared)
    distances = {"chi_squared": distance, "chi_squared_of_random_labels": random_chi_squared, "label_count": len(names)}
    interval = (min(float(low), value), max(float(high), value))
    return Estimate(value, interval, len(new), {}, {**settings, **distances})


def _shares(labels: Floats, rows: NDArray[np.int64]) -> Floats:
    return np.stack([labels[drawn].mean(axis=0) for drawn in rows])
