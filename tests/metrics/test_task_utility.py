"""Downstream task accuracy and label distributions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline

from sfumato.document import Document, Release
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.metrics.base import MetricInput
from sfumato.metrics.task_utility import (
    chi_squared,
    fold_numbers,
    label_distribution,
    predictions,
    random_distance,
    synthetic_label_distribution,
    task_utility,
    tfidf_logistic,
)
from sfumato.statistics import wilson

TOPICS = {"ward": "nurse bed fever ward", "court": "judge appeal verdict court", "farm": "cow field barn plough"}


class Remembering:
    """Knows the texts it has read and nothing else; any other text gets the first label."""

    read: list[list[str]] = []  # noqa: RUF012

    def fit(self, texts: Sequence[str], labels: Sequence[str]) -> None:
        self.known = dict(zip(texts, labels, strict=True))
        Remembering.read.append(list(texts))

    def predict(self, texts: Sequence[str]) -> list[str]:
        return [self.known.get(text, "unknown") for text in texts]


class ByFirstWord:
    """Says the first word of a text."""

    def fit(self, texts: Sequence[str], labels: Sequence[str]) -> None: ...

    def predict(self, texts: Sequence[str]) -> list[str]:
        return [text.split()[0] if text.split() else "none" for text in texts]


def corpus(size: int = 30) -> tuple[list[str], dict[str, str]]:
    names = list(TOPICS)
    labels = {str(number): names[number % 3] for number in range(size)}
    random = np.random.default_rng(0)
    return [" ".join(random.permutation(TOPICS[label].split())) + f" {key}" for key, label in labels.items()], labels


def inputs(before: Sequence[str], after: Sequence[str], labels: dict[str, str] | None) -> MetricInput:
    pairs = enumerate(zip(before, after, strict=True))
    return MetricInput([Release.rewritten(Document(str(n), old), new) for n, (old, new) in pairs], labels=labels)


def test_accuracy_on_releases_of_what_was_trained_on_originals() -> None:
    texts, labels = corpus()
    # Ten of thirty releases lose every word that tells their topic and gain those of another.
    after = [TOPICS["farm"] if labels[str(number)] == "ward" else text for number, text in enumerate(texts)]
    score = task_utility(inputs(texts, after, labels))
    assert score.value == 20 / 30
    assert score.interval == wilson(20, 30)
    assert score.per_document["0"] == 0.0
    assert score.per_document["1"] == 1.0
    assert score.settings["accuracy_on_originals"] == 1.0
    assert score.settings["ratio"] == pytest.approx(2 / 3)
    assert score.settings["most_frequent_label"] == pytest.approx(1 / 3)
    assert score.settings["trained_on_releases"] < 1.0


def test_nothing_is_tested_by_a_learner_that_read_its_original() -> None:
    texts, labels = corpus()
    score = task_utility(inputs(texts, texts, labels), classifier=f"{__name__}:Remembering")
    assert score.value == 0.0
    assert score.settings["accuracy_on_originals"] == 0.0
    assert score.settings["ratio"] is None


def test_it_is_a_plain_cross_validation() -> None:
    texts, labels = corpus()
    after = [text.replace("judge", "cow") for text in texts]
    truth = [labels[str(number)] for number in range(len(texts))]
    expected = [""] * len(texts)
    folds = fold_numbers(truth, 5, 0)
    for fold in range(5):
        learner = tfidf_logistic()
        assert isinstance(learner, Pipeline)
        train = [place for place in range(len(texts)) if folds[place] != fold]
        learner.fit([texts[place] for place in train], [truth[place] for place in train])
        for place in range(len(texts)):
            if folds[place] == fold:
                (expected[place],) = learner.predict([after[place]])
    (predicted,) = predictions(tfidf_logistic, texts, [after], truth, 5, 0)
    assert predicted == expected
    score = task_utility(inputs(texts, after, labels))
    assert score.value == pytest.approx(accuracy_score(truth, expected), abs=1e-12)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=40), st.integers(2, 6), st.integers(0, 5))
def test_folds_spread_every_label(labels: list[str], folds: int, seed: int) -> None:
    numbers = fold_numbers(labels, folds, seed)
    for label in set(labels):
        counts = Counter(number for number, item in zip(numbers.tolist(), labels, strict=True) if item == label)
        assert max(counts.values()) - min(counts.get(fold, 0) for fold in range(folds)) <= 1
    sizes = np.bincount(numbers, minlength=folds)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("metric", [task_utility, label_distribution])
def test_too_few_labels_are_refused_with_the_reason(metric: object) -> None:
    texts, labels = corpus()
    cases: list[tuple[dict[str, str] | None, str]] = [
        (None, "--labels"),
        ({}, "no document has a label"),
        (dict.fromkeys(labels, "one"), "two labels"),
        ({key: key for key in labels}, "two labels"),
    ]
    for wrong, reason in cases:
        with pytest.raises(NotMeasurable, match=reason):
            metric(inputs(texts, texts, wrong))  # type: ignore[operator]


@pytest.mark.parametrize("metric", [task_utility, label_distribution])
def test_documents_without_a_usable_label_are_left_out_and_counted(metric: object) -> None:
    texts, labels = corpus()
    labels["0"] = "alone"
    del labels["1"]
    score = metric(inputs(["", *texts[1:]], texts, labels))  # type: ignore[operator]
    assert (score.n, score.settings["left_out"]) == (28, 2)


def test_a_classifier_that_is_not_there_is_named() -> None:
    texts, labels = corpus()
    for name in ("svm", "no_such_module:x", "sfumato:no_such_factory"):
        with pytest.raises(RecipeError, match=name):
            task_utility(inputs(texts, texts, labels), classifier=name)
    with pytest.raises(RecipeError, match="folds = 1"):
        task_utility(inputs(texts, texts, labels), folds=1)


def test_releases_without_words_can_be_tested_but_not_learned_from() -> None:
    texts, labels = corpus()
    score = task_utility(inputs(texts, [""] * 30, labels))
    assert score.settings["trained_on_releases"] is None
    assert score.value <= 1 / 2


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=6))
def test_the_distance_is_the_chi_squared_of_the_formula(counts: list[tuple[int, int]]) -> None:
    one, other = np.array(counts, float).T + 1
    one, other = one / one.sum(), other / other.sum()
    slow = sum((a - b) ** 2 / (a + b) for a, b in zip(one, other, strict=True))
    assert chi_squared(one, other) == pytest.approx(slow, abs=1e-12)
    via_scipy = cdist([one], [other], lambda a, b: float((((a - b) ** 2) / (a + b)).sum()))[0, 0]
    assert chi_squared(one, other) == pytest.approx(via_scipy, abs=1e-12)


def test_equal_distributions_are_one_whoever_bears_the_labels() -> None:
    texts, labels = corpus()
    assert label_distribution(inputs(texts, texts, labels)).value == 1.0
    # Every release is another document's: no document keeps its topic, and the distribution stays.
    assert label_distribution(inputs(texts, texts[1:] + texts[:1], labels)).value == 1.0


def test_label_distribution_by_hand() -> None:
    before = ["a x"] * 6 + ["b x"] * 2
    after = ["a x"] * 4 + ["b x"] * 4
    labels = {str(number): text[0] for number, text in enumerate(before)}
    score = label_distribution(inputs(before, after, labels), classifier=f"{__name__}:ByFirstWord", folds=2)
    distance = (6 / 8 - 4 / 8) ** 2 / (10 / 8) + (2 / 8 - 4 / 8) ** 2 / (6 / 8)
    floor = random_distance(np.array([6 / 8, 2 / 8]), 8)
    assert score.settings["chi_squared"] == pytest.approx(distance, abs=1e-12)
    assert score.value == pytest.approx(max(0.0, 1 - distance / floor), abs=1e-12)
    # Eight fair coins: the mean over all outcomes, by their probabilities.
    exact = sum(
        float(np.prod(range(9 - k, 9)) / np.prod(range(1, k + 1)))
        / 2**8
        * float(chi_squared(np.array([k / 8, 1 - k / 8]), np.array([6 / 8, 2 / 8])))
        for k in range(9)
    )
    assert floor == pytest.approx(exact, rel=0.05)


def test_one_label_for_all_is_worse_than_random_and_counts_zero() -> None:
    texts, labels = corpus()
    score = label_distribution(inputs(texts, ["cow field barn plough"] * 30, labels))
    assert score.value == 0.0
    assert score.settings["chi_squared"] > score.settings["chi_squared_of_random_labels"]


def test_synthesized_texts_need_no_originals_of_their_own() -> None:
    texts, labels = corpus()
    truth = [labels[str(number)] for number in range(len(texts))]
    made = [TOPICS["ward"]] * 4 + [TOPICS["court"]] * 4 + [TOPICS["farm"]] * 4
    score = synthetic_label_distribution(texts, truth, made)
    assert (score.value, score.n) == (1.0, 12)
    assert synthetic_label_distribution(texts, truth, made[:4]).value == 0.0
    with pytest.raises(NotMeasurable, match="no synthesized text"):
        synthetic_label_distribution(texts, truth, [])
