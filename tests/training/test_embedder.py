"""What the embedder learns from is true, and its bytes are near what was learned."""

from __future__ import annotations

import random
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from training.embedder.phrases import Day, article, dates, quantities, quantity_triple
from training.embedder.quantize import rows_to_bytes
from training.embedder.texts import sentences, spans


@given(st.integers(0, 2**32))
def test_vague_dates_are_true(seed: int) -> None:
    day = Day.random(random.Random(seed))
    for text in day.vague():
        for decade in re.findall(r"(\d{3}0)s", text):
            assert int(decade) <= day.year < int(decade) + 10
        for year in re.findall(r"\b(\d{4})\b(?!s)", text):
            assert int(year) == day.year
        for century in re.findall(r"(\d\d)(?:st|nd|rd|th) century", text):
            assert day.year // 100 + 1 == int(century)
    assert "winter 1994" in Day(1994, 12, 3).vague()
    assert "summer 1994" in Day(1994, 7, 3).vague()
    assert "early May 1994" in Day(1994, 5, 9).vague()


@given(st.integers(0, 2**32))
def test_vague_quantities_are_true(seed: int) -> None:
    particular, general, other = quantity_triple(random.Random(seed))
    unit = particular.split()[-1]
    assert general.endswith(unit)
    assert other.endswith(unit)
    if re.match(r"[\d,]+ ", particular):
        number = int(particular.split()[0].replace(",", ""))
        stated = [int(value.replace(",", "")) for value in re.findall(r"[\d,]+", general)]
        if general.startswith("more"):
            assert stated[0] <= number
        if general.startswith("less"):
            assert stated[0] > number
        if general.startswith("between"):
            assert stated[0] <= number <= stated[1]


def test_the_same_seed_gives_the_same_strings() -> None:
    first, second = ([*dates(random.Random(3), 20), *quantities(random.Random(3), 20)] for _ in range(2))
    assert first == second
    assert (article("apple"), article("city")) == ("an apple", "a city")


@given(st.lists(st.lists(st.floats(-9, 9, width=32), min_size=4, max_size=4), min_size=1, max_size=5))
def test_bytes_are_within_half_a_scale(rows: list[list[float]]) -> None:
    matrix = np.array(rows, np.float32)
    packed, scale = rows_to_bytes(matrix)
    assert np.all(np.abs(packed * scale[:, None] - matrix) <= scale[:, None] * 0.5001 + 1e-30)


def test_sentences_and_their_stretches() -> None:
    (first, second) = sentences(["Ana Quorvex left. She came back!"])
    assert (first, second) == ("Ana Quorvex left.", "She came back!")
    assert all(span in first for span in spans(first, random.Random(1)))
