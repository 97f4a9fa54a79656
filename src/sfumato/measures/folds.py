"""Labels learned from texts, so that no text is judged by a learner that has read its original."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from sfumato.document import Release
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.measures.overlap import words

DEFAULT = "tfidf-logistic"


class Learner(Protocol):
    """What scikit-learn calls an estimator, over texts."""

    def fit(self, texts: Sequence[str], labels: Sequence[str]) -> Any: ...
    def predict(self, texts: Sequence[str]) -> Sequence[str]: ...


def factory(name: str) -> Callable[[], Learner]:
    """The maker of learners by name: the default, or yours as ``module:factory``."""
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


def labelled(releases: Sequence[Release], labels: Mapping[str, str]) -> tuple[list[Release], dict[str, int]]:
    """Releases whose original has words and a label that another one has too, and how many were left out."""
    told = [item for item in releases if item.document.id in labels and words(item.document.text)]
    if not told:
        raise NotMeasurable("no document has a label: check that the ids of --labels are the originals'")
    counts = Counter(labels[item.document.id] for item in told)
    kept = [item for item in told if counts[labels[item.document.id]] > 1]
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
    found = [[""] * len(labels) for _ in tests]
    for number in range(folds := min(folds, *Counter(labels).values())):
        held = fold_numbers(labels, folds, seed) == number
        learner = fitted(learn, *_where(~held, train, labels))
        for texts, row in zip(tests, found, strict=True):
            (asked,) = _where(held, texts)
            for place, label in zip(np.flatnonzero(held), learner.predict(asked), strict=True):
                row[place] = str(label)
    return found


def fitted(learn: Callable[[], Learner], texts: Sequence[str], labels: Sequence[str]) -> Learner:
    """A new learner that has read these texts."""
    from threadpoolctl import threadpool_limits

    learner = learn()
    # One thread: on so few texts handing work around takes longer than the work.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="sklearn")  # not having converged shows in the accuracy
        learner.fit(texts, labels)
    return learner


def fold_numbers(labels: Sequence[str], folds: int, seed: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The fold of each document; every label is spread over the folds as evenly as can be."""
    order = np.random.default_rng(seed).permutation(len(labels))
    found = np.zeros(len(labels), np.int64)
    next_fold = 0
    for label in sorted(set(labels)):
        for place in order:
            if labels[place] == label:
                found[place] = next_fold % folds
                next_fold += 1
    return found


def _where(chosen: np.ndarray[Any, np.dtype[np.bool_]], *columns: Sequence[str]) -> list[list[str]]:
    places = np.flatnonzero(chosen).tolist()
    return [[column[place] for place in places] for column in columns]
