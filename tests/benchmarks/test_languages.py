"""The messages by which the language check is measured, and that it does not get worse on them."""

from __future__ import annotations

from collections import Counter

import pytest
from benchmarks.languages import ALONE, is_withheld, messages

from sfumato.lexicon.language import COVERED

HALVES = ("tune", "report")


def test_there_are_at_least_25_messages_in_each_of_36_languages() -> None:
    counts = Counter(code for half in HALVES for code, _ in messages(half))
    assert len(counts) == 36
    assert min(counts.values()) >= 25
    assert set(COVERED) < counts.keys()


@pytest.mark.parametrize("half", HALVES)
def test_uncovered_languages_are_withheld_and_covered_ones_released(half: str) -> None:
    covered, uncovered = [], []
    for code, fillings in messages(half):
        withheld = [is_withheld(text) for text in fillings]
        if code in COVERED:
            covered.append(any(withheld))
        else:
            uncovered.append(all(withheld))
    assert sum(covered) <= 0.01 * len(covered)
    assert sum(uncovered) >= 0.97 * len(uncovered)


@pytest.mark.parametrize("text", ALONE)
def test_names_numbers_and_addresses_alone_are_released(text: str) -> None:
    assert not is_withheld(text)
