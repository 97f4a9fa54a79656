"""What a target promises: conversions, contradictions, and ranks that nobody can guess."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InputError, RecipeError
from sfumato.protection.target import SPREAD, Target


@pytest.mark.parametrize(
    ("risk", "k"), [(0.09, 11), (0.5, 2), (0.1, 10), (0.05, 20), (0.01, 100), (1 / 3, 3), (0.4, 3)]
)
def test_a_risk_stands_for_a_number_of_people(risk: float, k: int) -> None:
    target = Target.of(target_risk=risk)
    assert target.k == k
    assert target.risk == risk
    assert Target.of(k=k, target_risk=risk) == target


@given(st.floats(0.0005, 0.5))
def test_a_risk_stands_for_so_many_people_that_it_holds(risk: float) -> None:
    """9 % is 1 in 11, which is 9.09 %: further above a risk 1 / k never lies. Nor are more people asked for."""
    k = Target.of(target_risk=risk).k
    assert 1 / k <= risk / (1 - 0.015) * (1 + 1e-12)
    assert k < 1 / risk + 1


@given(st.integers(2, 10_000))
def test_one_in_k_is_k_and_back(k: int) -> None:
    target = Target.of(k)
    assert target.risk == 1 / k
    assert Target.of(target_risk=target.risk).k == k
    assert target.is_met(1 / k)
    assert not target.is_met(1 / k + 1e-6)


def test_what_nobody_says_is_one_in_eleven() -> None:
    assert Target.of() == Target() == Target(11)


def test_contradictions_are_named() -> None:
    with pytest.raises(RecipeError, match=r"k = 5 .* 0\.09 \(k = 11\) contradict"):
        Target.of(k=5, target_risk=0.09)


@pytest.mark.parametrize("risk", [0.0, -0.1, 0.51, 1.0, math.nan, math.inf])
def test_a_risk_that_is_none_is_refused(risk: float) -> None:
    with pytest.raises(RecipeError, match="target risk"):
        Target.of(target_risk=risk)


@pytest.mark.parametrize("k", [1, 0, -3, True, 2.5])
def test_nobody_hides_alone(k: int) -> None:
    with pytest.raises(RecipeError, match="k is"):
        Target(k)


@pytest.mark.parametrize("budget", [-0.01, 1.01, math.nan])
def test_a_budget_is_a_share(budget: float) -> None:
    with pytest.raises(RecipeError, match="budget"):
        Target(budget=budget)


@pytest.mark.parametrize("budget", [0.0, 0.05, 1.0, None])
def test_a_share_is_a_budget(budget: float | None) -> None:
    assert Target(budget=budget).budget == budget


def test_a_target_beyond_the_background_is_refused() -> None:
    Target(11).check(11)
    with pytest.raises(InputError, match="10 people"):
        Target(11).check(10)


def last_rank(k: int, people: int) -> int:
    """Four times k, or half of the people; but k different ranks where there are as many people."""
    return max(k, min(SPREAD * k, people // 2), min(2 * k - 1, people))


@given(k=st.integers(2, 200), people=st.integers(2, 5000), secret=st.binary(max_size=40), key=st.text(min_size=1))
def test_a_secret_rank_lies_between_k_and_four_k_and_is_one_of_k_ranks_at_least(
    k: int, people: int, secret: bytes, key: str
) -> None:
    target = Target(k)
    rank = target.secret_rank(secret, key, people)
    assert k <= rank <= last_rank(k, people)
    assert last_rank(k, people) - k + 1 >= min(k, people - k + 1)
    assert rank == target.secret_rank(secret, key, people)


@pytest.mark.parametrize(("k", "people"), [(11, 1000), (3, 1000), (11, 60), (40, 200)])
def test_secret_ranks_are_spread_evenly(k: int, people: int) -> None:
    ranks = range(k, last_rank(k, people) + 1)
    drawn = Counter(Target(k).secret_rank(b"a seed", f"d{number}", people) for number in range(200 * len(ranks)))
    assert drawn.keys() == set(ranks)
    square = sum((drawn[rank] - 200) ** 2 / 200 for rank in ranks)
    freedom = len(ranks) - 1
    assert square < freedom + 4 * math.sqrt(2 * freedom)  # four standard deviations above what chance gives


@pytest.mark.parametrize(
    ("people", "margin", "first", "last"),
    [
        (1000, 2, 22, 88),
        (1000, 4, 44, 176),
        (60, 4, 44, 60),  # as many ranks as there are people
        (40, 4, 30, 40),  # eleven different ones
        (20, 4, 11, 20),  # never below k
        (11, 4, 11, 11),
    ],
)
def test_a_margin_draws_higher_ranks_as_far_as_there_are_people(
    people: int, margin: int, first: int, last: int
) -> None:
    drawn = {Target(11).secret_rank(b"a seed", f"d{number}", people, margin) for number in range(3000)}
    assert drawn == set(range(first, last + 1))


def test_another_secret_draws_other_ranks() -> None:
    keys = [f"d{number}" for number in range(300)]
    one, other = ([Target(11).secret_rank(secret, key, 1000) for key in keys] for secret in (b"one", b"other"))
    same = sum(left == right for left, right in zip(one, other, strict=True))
    assert same < 30  # 1 in 34 by chance, 9 of 300


def test_documents_with_torn_characters_have_a_rank() -> None:
    assert Target(2).secret_rank(b"", "\ud800", 4) == 2
