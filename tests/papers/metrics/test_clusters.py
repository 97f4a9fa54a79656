"""NMI of clusterings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from sfumato.document import Document, Release
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.metrics.base import MetricInput
from sfumato_papers.metrics import clusters
from sfumato_papers.metrics.clusters import clustering_agreement as nmi
from tests.metrics.invented import LetterEmbedder, release

GROUPS = ("aaa bab aab", "ccc cdc dcd", "eee fef eff")


def corpus(size: int = 12) -> list[str]:
    return [f"{GROUPS[number % 3]} {'ghijklmnopqr'[number % 12]}" for number in range(size)]


def inputs(before: list[str], after: list[str]) -> MetricInput:
    pairs = enumerate(zip(before, after, strict=True))
    releases = [Release.rewritten(Document(str(number), old), new) for number, (old, new) in pairs]
    return MetricInput(releases, embedder=LetterEmbedder())


def by_hand(one: list[int], other: list[int]) -> float:
    """2 I(U; V) / (H(U) + H(V))."""
    n = len(one)

    def entropy(labels: Sequence[object]) -> float:
        return -sum(count / n * math.log(count / n) for count in Counter(labels).values())

    first, second, both = entropy(one), entropy(other), entropy(list(zip(one, other, strict=True)))
    return 1.0 if first + second == 0 else 2 * (first + second - both) / (first + second)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_agreement_is_the_formula_and_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    one, other = ([pair[side] for pair in pairs] for side in (0, 1))
    agreed = clusters.agreement(np.array(one, np.int32), np.array(other, np.int32))
    assert agreed == pytest.approx(normalized_mutual_info_score(one, other), abs=1e-9)
    assert agreed == pytest.approx(by_hand(one, other), abs=1e-9)


def test_the_number_of_clusters_is_the_originals_and_untouched_texts_agree() -> None:
    score = nmi(inputs(corpus(), corpus()))
    assert (score.value, score.interval, score.n) == (1.0, (1.0, 1.0), 12)
    assert (score.settings["k"], score.settings["k_by"]) == (3, "silhouette")


def test_value_is_that_of_scikit_learn_on_the_same_vectors() -> None:
    from sklearn.cluster import KMeans

    after = corpus()[:6] + corpus()[6:][::-1]
    score = nmi(inputs(corpus(), after), k=3)
    old, new = (clusters.document_vectors(texts, LetterEmbedder()) for texts in (corpus(), after))
    runs = [[KMeans(3, n_init=50, random_state=seed).fit_predict(x) for x in (old, new)] for seed in range(5)]
    assert score.value == pytest.approx(np.mean([normalized_mutual_info_score(*pair) for pair in runs]), abs=1e-9)
    assert 0 < score.value < 1
    assert score.interval[0] <= score.value <= score.interval[1]


def test_it_is_the_same_every_time_and_the_seed_is_a_setting() -> None:
    after = [text[::-1].replace("a", "e") for text in corpus()]
    assert nmi(inputs(corpus(), after)).value == nmi(inputs(corpus(), after)).value
    assert nmi(inputs(corpus(), after), seed=7).settings["seed"] == 7


def test_releases_that_are_all_alike_share_nothing() -> None:
    assert nmi(inputs(corpus(), ["nothing"] * 12)).value == 0.0
    assert nmi(inputs(corpus(), [""] * 12)).value == 0.0


def test_edited_releases_are_measured_too() -> None:
    releases = [release(text, (text[:3], "qqq"), key=str(number)) for number, text in enumerate(corpus())]
    assert nmi(MetricInput(releases, embedder=LetterEmbedder())).n == 12


def test_too_few_documents_are_refused_and_empty_ones_left_out() -> None:
    with pytest.raises(NotMeasurable, match="at least 3"):
        nmi(inputs(corpus(2), corpus(2)))
    with pytest.raises(NotMeasurable, match="at least 5"):
        nmi(inputs(corpus(4), corpus(4)), k=4)
    with pytest.raises(RecipeError, match="k = 1"):
        nmi(inputs(corpus(), corpus()), k=1)
    score = nmi(inputs([*corpus(), "..."], [*corpus(), "x"]))
    assert (score.n, score.settings["left_out"]) == (12, 1)


def test_a_long_text_is_the_mean_of_its_passages() -> None:
    first, second = "ab " * 190, "cd " * 95
    text = first.strip() + "\n\n" + second.strip()
    assert len(text) > clusters.PASSAGE
    (vector,) = clusters.document_vectors([text], LetterEmbedder())
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert vector[0] == pytest.approx(vector[1])
    assert vector[0] / vector[2] == pytest.approx(len(first) / len(second), rel=0.02)
