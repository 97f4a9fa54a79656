"""The benchmark's numbers against values worked out by hand."""

from __future__ import annotations

import json

import pytest
from benchmarks.detect import at_precision, scored
from benchmarks.detect_scores import (
    Counts,
    Mention,
    Strict,
    entities_found,
    f2,
    known_tokens,
    precision,
    recall,
    strict_counts,
    strict_f1,
    token_counts,
    wilson,
)
from benchmarks.detect_sets import Text

#       0         1         2         3
#       0123456789012345678901234567890123456
TEXT = "Mr Jan Kowalski met Ms. Li in Lublin."


def test_tokens_are_words_and_single_marks() -> None:
    # Reference "Jan Kowalski" and "Lublin" = 3 tokens; masked "Kowalski" and "Ms." = 3, one of them right.
    assert token_counts(TEXT, [(3, 15), (30, 36)], [], [(7, 15), (20, 23)]) == Counts(3, 1, 3, 1)


def test_a_token_half_covered_is_masked_but_not_found() -> None:
    assert token_counts(TEXT, [(7, 15)], [], [(7, 11)]) == Counts(1, 0, 1, 1)


def test_tokens_nobody_judged_count_neither_for_nor_against() -> None:
    assert token_counts(TEXT, [(3, 15)], [(20, 26)], [(3, 15), (20, 26)]) == Counts(2, 2, 2, 2)
    assert known_tokens(TEXT, [(20, 26)]) == 10 - 3


def test_what_the_reference_marks_counts_even_where_something_doubtful_overlaps() -> None:
    assert token_counts(TEXT, [(3, 15)], [(3, 6)], []) == Counts(2, 0, 0, 0)


def test_an_entity_needs_all_its_mentions() -> None:
    text = "Jan Kowalski; later Kowalski"
    mentions = [Mention(0, 12, "quasi", "e1"), Mention(20, 28, "quasi", "e1")]
    assert entities_found(text, mentions, [(0, 12)]) == [("quasi", False)]
    assert entities_found(text, mentions, [(0, 12), (20, 28)]) == [("quasi", True)]


def test_an_entity_with_one_direct_mention_is_direct() -> None:
    mentions = [Mention(0, 2, "quasi", "e1"), Mention(3, 6, "direct", "e1"), Mention(30, 36, "quasi", "e2")]
    assert entities_found(TEXT, mentions, [(30, 36)]) == [("direct", False), ("quasi", True)]


@pytest.mark.parametrize(
    ("text", "found", "protected"),
    [
        ("Mr Kowalski", [(3, 11)], True),
        ("the Bank of Poland's", [(4, 8), (12, 18)], True),
        ("no. 12/34", [(4, 6), (7, 9)], True),
        ("about 20 May", [(6, 8)], False),
        ("Jan Kowalski", [(0, 3)], False),
    ],
)
def test_function_words_titles_and_marks_are_forgiven(text: str, found: list[tuple[int, int]], protected: bool) -> None:
    assert entities_found(text, [Mention(0, len(text), "quasi", "e")], found) == [("quasi", protected)]


def test_wilson_interval() -> None:
    """0 of 127 gives an upper end of z²/(n + z²) = 3.8415/130.8415; 8 of 10 as textbooks print it."""
    nothing = wilson(0, 127)
    assert (nothing.value, nothing.low) == (0.0, 0.0)
    assert nothing.high == pytest.approx(3.841459 / 130.841459, abs=1e-6)
    eight = wilson(8, 10)
    assert eight.low == pytest.approx(0.4902, abs=1e-4)
    assert eight.high == pytest.approx(0.9433, abs=1e-4)
    assert wilson(0, 0).value is None


def test_recall_precision_and_f2_are_micro_averages() -> None:
    counts = [Counts(4, 3, 5, 3), Counts(6, 6, 7, 6)]
    assert recall(counts).value == pytest.approx(9 / 10)
    assert precision(counts).value == pytest.approx(9 / 12)
    assert f2(counts).value == pytest.approx(5 * 0.75 * 0.9 / (4 * 0.75 + 0.9))
    estimate = precision(counts)
    assert estimate.low == pytest.approx(3 / 5)  # both draws are the worse document
    assert estimate.high == pytest.approx(6 / 7)
    assert estimate.n == 12


def test_nothing_masked_has_no_precision() -> None:
    assert precision([Counts(3, 0, 0, 0)]).value is None
    assert f2([Counts(3, 0, 0, 0)]).value == 0.0


def test_strict_spans_need_the_same_offsets() -> None:
    assert strict_counts([(0, 3), (5, 9)], [(0, 3), (5, 8), (20, 22)]) == Strict(2, 3, 1)
    assert strict_f1([Strict(2, 3, 1)]).value == pytest.approx(2 / 5)


ONE = Text("1", TEXT, (Mention(3, 15, "direct", "a"), Mention(30, 36, "quasi", "b")), (), (), False)
NOBODY = Text("2", "Nobody is here", (), (), (), True)


def test_scores_of_a_set() -> None:
    scores = scored([ONE, NOBODY], [[(3, 15)], [(0, 6)]])
    assert scores["recall"]["value"] == pytest.approx(2 / 3)
    assert scores["precision"]["value"] == pytest.approx(2 / 3)
    assert (scores["direct"]["value"], scores["quasi"]["value"]) == (1.0, 0.0)
    assert scores["harmless_touched"]["value"] == 1.0
    assert scores["harmless_masked"]["value"] == pytest.approx(1 / 3)
    assert json.dumps(scores)


def test_the_dial_stops_at_the_lowest_threshold_that_is_precise_enough() -> None:
    everything = [[(0, 15), (30, 36)], [(0, 14)]]
    best = at_precision([ONE, NOBODY], {0.1: everything, 0.5: [[(3, 15)], []], 0.9: [[], []]}, 0.8)
    assert best is not None
    assert best["threshold"] == 0.5
    assert at_precision([ONE, NOBODY], {0.1: everything}, 0.8) is None
