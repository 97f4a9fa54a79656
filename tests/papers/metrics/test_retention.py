"""JSC and NSDCG against the paper's formulas written out, and an example worked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import registry
from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import NotMeasurable
from sfumato.metrics.base import MetricInput
from sfumato_papers.metrics.retention import discounted_gain, jaccard_similarity

Row = list[float]


class Table:
    """A classifier that knows the logits of a few texts."""

    name = "table"

    def __init__(self, rows: dict[str, Row]) -> None:
        self._rows = rows
        self.labels = tuple(f"label {number}" for number in range(len(next(iter(rows.values())))))

    def logits(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self._rows[text] for text in texts], np.float64)


def inputs(*pairs: tuple[Row, Row]) -> MetricInput:
    rows, releases = {}, []
    for number, (before, after) in enumerate(pairs):
        rows[f"before {number}"], rows[f"after {number}"] = before, after
        releases.append(Release.rewritten(Document(str(number), f"before {number}"), f"after {number}"))
    return MetricInput(releases, classifier=Table(rows))


def literal_jsc(before: Row, after: Row, threshold: float) -> float:
    def binary(logits: Row) -> list[int]:
        total = sum(exp(value) for value in logits)
        return [1 if exp(value) / total > threshold else 0 for value in logits]

    both = differ = 0
    for old, new in zip(binary(before), binary(after), strict=True):
        both += old == 1 and new == 1
        differ += old != new
    return both / (both + differ) * 100 if both + differ else 100.0


def literal_nsdcg(before: Row, after: Row, k: int) -> float:
    s = sorted(before, reverse=True)
    ranking = sorted(range(len(after)), key=lambda label: -after[label])
    z = [before[label] for label in ranking]
    total = sum(exp(value) for value in s)
    sdcg = sum(exp(s[i]) / total * exp(z[i]) for i in range(k))
    ideal = sum(exp(s[i]) / total * exp(s[i]) for i in range(k))
    return sdcg / ideal * 100


logits = st.integers(2, 8).flatmap(
    lambda size: st.tuples(*[st.lists(st.floats(-6, 6), min_size=size, max_size=size) for _ in range(2)])
)


def test_worked_by_hand() -> None:
    # Original: probabilities 6/10, 3/10, 1/10. Released: 3/10, 6/10, .. the first two labels have changed places.
    before, after = [log(6), log(3), log(1)], [log(3), log(6), log(1)]
    given_material = inputs((before, after))
    # Discounts .6 .3 .1; gains 3, 6, 1 against 6, 3, 1: (1.8 + 1.8 + .1) / (3.6 + .9 + .1) = 3.7 / 4.6.
    assert discounted_gain(given_material).value == pytest.approx(370 / 4.6, abs=1e-9)
    assert discounted_gain(given_material, k=1).value == pytest.approx(50.0, abs=1e-9)
    assert jaccard_similarity(given_material).value == 100
    # Above .2 stand labels 1 and 2 before, and label 3 alone where it takes nearly everything.
    apart = inputs((before, [log(1), log(25), log(74)]))
    assert jaccard_similarity(apart, threshold=0.2).value == pytest.approx(100 / 3, abs=1e-9)


@given(logits, st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.9]), st.integers(1, 8))
def test_as_the_formulas_say(rows: tuple[Row, Row], threshold: float, k: int) -> None:
    before, after = rows
    given_material = inputs(rows)
    assert jaccard_similarity(given_material, threshold=threshold).value == pytest.approx(
        literal_jsc(before, after, threshold), abs=1e-9
    )
    places = min(k, len(before))
    assert discounted_gain(given_material, k=k).value == pytest.approx(literal_nsdcg(before, after, places), abs=1e-9)
    whole = discounted_gain(given_material)
    assert whole.value == pytest.approx(literal_nsdcg(before, after, len(before)), abs=1e-9)
    assert 0 < whole.value <= 100 + 1e-9


@given(logits, st.floats(-500, 900))
def test_what_adding_to_all_logits_does_not_change(rows: tuple[Row, Row], offset: float) -> None:
    before, after = rows
    moved = inputs(([value + offset for value in before], after))
    assert discounted_gain(moved).value == pytest.approx(discounted_gain(inputs(rows)).value, rel=1e-6)


def test_two_empty_label_sets_are_equal() -> None:
    flat = [0.0] * 40  # every probability is .025
    assert jaccard_similarity(inputs((flat, flat[:]))).value == 100
    assert jaccard_similarity(inputs((flat, [9.0, *flat[1:]]))).value == 0


def test_the_mean_over_documents_and_what_is_said_with_it() -> None:
    same, turned = [2.0, 1.0, -5.0], [-5.0, 1.0, 2.0]
    score = jaccard_similarity(inputs((same, same), (same, turned)), threshold=0.3)
    assert (score.value, score.n, score.per_document) == (50, 2, {"0": 100, "1": 0})
    assert score.interval[0] <= 50 <= score.interval[1]
    assert score.settings["classifier"] == "table"
    assert score.settings["labels"] == 3


def test_releases_with_edits_and_empty_documents() -> None:
    document = Document("1", "fever in Quorvex")
    release = Release(document, (Edit(Span(9, 16, "LOC"), "a town", ("test",)),))
    empty = Release(Document("2", " "), ())
    classifier = Table({"fever in Quorvex": [1.0, 0.0], "fever in a town": [1.0, 0.0]})
    score = discounted_gain(MetricInput([release, empty], classifier=classifier))
    assert score.value == pytest.approx(100)
    assert (score.n, score.settings["left_out"]) == (1, 1)
    with pytest.raises(NotMeasurable, match="every original is empty"):
        jaccard_similarity(MetricInput([empty], classifier=classifier))
    with pytest.raises(NotMeasurable, match="classifier"):
        jaccard_similarity(MetricInput([release]))


def test_bad_settings() -> None:
    with pytest.raises(ValueError, match=r"threshold .* got 1.5"):
        jaccard_similarity(inputs(([1.0, 2.0], [1.0, 2.0])), threshold=1.5)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        discounted_gain(inputs(([1.0, 2.0], [1.0, 2.0])), k=0)


def test_registered() -> None:
    assert registry.get("metric", "jsc") is jaccard_similarity
    assert registry.get("metric", "nsdcg") is discounted_gain
