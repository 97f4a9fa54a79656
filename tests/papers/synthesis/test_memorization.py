"""Nearest training records and exposure, on cases worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.models.base import load_embedder
from sfumato_papers.synthesis.memorization import (
    REFERENCES,
    Canary,
    compare_with_records,
    draw_canaries,
    exposure,
    nearest_cosine,
    ngram_overlap,
    references,
    summarize_exposure,
)

RECORDS = ["a b c d e f g", "h i j k l m", "one two"]


def test_the_overlap_is_the_largest_share_of_5_grams_that_one_record_has() -> None:
    # abcde and bcdef stand in the first record, cdefx and defxy in none.
    assert ngram_overlap(["A b, c d e f x y"], RECORDS) == [2 / 4]
    # Half of it stands in one record and half in another: the larger share counts, not the sum.
    assert ngram_overlap(["a b c d e f h i j k l"], RECORDS) == [2 / 7]
    assert ngram_overlap(["h i j k l m", "n o p q r", "one two"], RECORDS) == [1.0, 0.0, None]


def test_records_are_compared_with_the_others() -> None:
    assert ngram_overlap(RECORDS, RECORDS, leave_out=True) == [0.0, 0.0, None]
    assert ngram_overlap(["a b c d e", "a b c d e f"], ["a b c d e", "a b c d e f"], leave_out=True) == [1.0, 0.5]


class Axes:
    """The first letter decides the direction."""

    name = "axes"

    def embed(self, texts: object) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        table = {"x": (1, 0), "y": (0, 1), "z": (0.6, 0.8), "": (0, 0)}
        return np.array([table[text[:1]] for text in texts], np.float32)  # type: ignore[attr-defined]


def test_the_nearest_record_has_the_largest_cosine() -> None:
    assert nearest_cosine(["z", "x", ""], ["x", "y"], Axes()) == [pytest.approx(0.8), 1.0, None]
    assert nearest_cosine(["x", "z"], ["x", "z"], Axes(), leave_out=True) == pytest.approx([0.6, 0.6])


def test_the_report_has_intervals_and_copies() -> None:
    comparison = compare_with_records([RECORDS[0], "p q r s t u v"], RECORDS, load_embedder())
    assert comparison["ngram_overlap"]["value"] == 0.5
    assert comparison["ngram_overlap"]["n"] == 2
    assert comparison["copied"]["value"] == 0.5
    assert comparison["verbatim"] == 1
    low, high = comparison["nearest_cosine"]["interval"]
    assert low <= comparison["nearest_cosine"]["value"] <= high


def test_exposure_is_the_bits_that_the_rank_tells() -> None:
    others = np.arange(1.0, 8.0)  # 7 others: 8 fillings, 3 bits
    assert exposure(0.5, others) == 3.0
    assert exposure(1.5, others) == 2.0
    assert exposure(7.5, others) == 0.0
    # A tie tells nothing.
    assert exposure(1.0, others) == 2.0


def test_canaries_are_random_and_their_references_are_others() -> None:
    canaries = draw_canaries(3, ["job: judge", "job: baker"], 7)
    assert canaries == draw_canaries(3, ["job: judge", "job: baker"], 7)
    assert len({canary.digits for canary in canaries}) == 3
    assert {canary.code for canary in canaries} <= {"job: judge", "job: baker"}
    assert Canary("123456789").text == "My reference number is 123 456 789."
    others = references(canaries[0], 7)
    assert len(others) == REFERENCES
    assert canaries[0] not in others
    assert {other.code for other in others} == {canaries[0].code}


def test_canaries_that_were_written_are_counted() -> None:
    canaries = [Canary("123456789"), Canary("987654321")]
    found = summarize_exposure([10.0, 0.0], ["It is 123 456 789.", "98765"], canaries)
    assert (found["extracted"], found["exposure"]["value"], found["most_possible"]) == (1, 5.0, 10.0)
    # The mean of log2(n / rank) for a rank that is uniform.
    ranks = np.arange(1, REFERENCES + 2)
    assert found["expected_without_training"] == pytest.approx(np.log2(len(ranks) / ranks).mean(), abs=0.01)
    assert found["expected_without_training"] == pytest.approx(1 / math.log(2))
