"""DP-Fusion's arithmetic, against sums in 50 decimal digits and against whole distributions of texts."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.errors import RecipeError
from sfumato_papers.rewriters.fusion import FusionBudget, find_share, probabilities, symmetric_divergence

Floats = NDArray[np.float64]


def exact_divergence(one: Floats, other: Floats, order: float) -> float:
    """ln Σ one^α other^(1-α) / (α-1) by decimals; for an infinite order the largest log-ratio."""
    with localcontext() as context:
        context.prec = 50
        pairs = [(Decimal(float(p)), Decimal(float(q))) for p, q in zip(one, other, strict=True) if p > 0]
        if any(q == 0 for _, q in pairs):
            return math.inf
        if order == math.inf:
            return float(max((p / q).ln() for p, q in pairs))
        alpha = Decimal(order)
        total = sum((((alpha * p.ln()) + (1 - alpha) * q.ln()).exp() for p, q in pairs), Decimal(0))
        return float(total.ln() / (alpha - 1))


def distribution(weights: list[float]) -> Floats:
    return np.array(weights) / sum(weights)


WEIGHTS = st.lists(st.floats(1e-6, 1), min_size=6, max_size=6).map(distribution)
ORDERS = st.sampled_from([1.5, 2.0, 4.0, 32.0, math.inf])


def mixture(private: Floats, public: Floats, order: float, bound: float) -> Floats:
    share = find_share(private, public, order, bound)
    mixed: Floats = share * private + (1 - share) * public
    return mixed


@given(WEIGHTS, WEIGHTS, ORDERS)
def test_the_divergence_is_that_of_exact_sums(one: Floats, other: Floats, order: float) -> None:
    exact = max(exact_divergence(one, other, order), exact_divergence(other, one, order))
    assert symmetric_divergence(one, other, order) == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_a_token_that_only_one_can_say_is_infinitely_far() -> None:
    one, other = np.array([0.5, 0.5, 0.0]), np.array([1.0, 0.0, 0.0])
    assert symmetric_divergence(one, other, 2.0) == math.inf
    assert find_share(one, other, 2.0, 9.0) == 0.0  # what is impossible without the span would give it away
    assert find_share(other, one, 2.0, 9.0) == pytest.approx(1 - np.exp(-9) / 4, abs=1e-3)


@given(WEIGHTS, WEIGHTS, ORDERS, st.floats(1e-4, 3))
def test_the_share_is_the_largest_within_the_bound(private: Floats, public: Floats, order: float, bound: float) -> None:
    share = find_share(private, public, order, bound)

    def exact(part: float) -> float:
        mixed = part * private + (1 - part) * public
        return max(exact_divergence(mixed, public, order), exact_divergence(public, mixed, order))

    assert exact(share) <= bound * (1 + 1e-9)
    assert share == 1.0 or exact(min(1.0, share * (1 + 1e-6) + 1e-9)) > bound * (1 - 1e-9)


def test_a_hand_worked_share() -> None:
    """Two tokens, order infinite: M = (0.5 + 0.4 λ, 0.5 - 0.4 λ) reaches ln 0.5 at the second one first."""
    share = find_share(np.array([0.9, 0.1]), np.array([0.5, 0.5]), math.inf, math.log(2))
    assert share == pytest.approx(0.625)


@given(WEIGHTS, WEIGHTS, WEIGHTS, ORDERS, st.floats(1e-3, 2))
def test_two_values_are_no_further_apart_than_stated(
    one: Floats, other: Floats, public: Floats, order: float, bound: float
) -> None:
    budget = FusionBudget(order, bound, 1, 0.0 if order == math.inf else 0.1)
    first, second = (mixture(private, public, order, bound) for private in (one, other))
    assert exact_divergence(first, second, budget.value_order) <= budget.value_bound * (1 + 1e-9)


def test_a_bound_at_one_order_alone_does_not_add_up_at_this_order() -> None:
    """Why epsilon is stated at a lower order: two mixtures within .1, and at order 2 far above twice it."""
    rare, bound = 1e-6, 0.1
    public = np.array([1 - rare, rare])
    values = np.array([1 - 3.2e-4, 3.2e-4])
    other = np.array([1 - 1e-11, 1e-11])
    for private in (values, other):
        assert find_share(private, public, 2.0, bound) == 1.0
    assert exact_divergence(values, other, 2.0) > 9.0
    budget = FusionBudget(2.0, bound, 1, 0.1)
    assert exact_divergence(values, other, budget.value_order) < budget.value_bound


@given(st.lists(WEIGHTS, min_size=3, max_size=3), WEIGHTS, WEIGHTS, ORDERS, st.floats(1e-3, 2))
def test_one_group_of_several_tells_less(
    privates: list[Floats], changed: Floats, public: Floats, order: float, bound: float
) -> None:
    budget = FusionBudget(order, bound, 1, 0.0 if order == math.inf else 1 - 1e-12)
    before = np.mean([mixture(private, public, order, bound) for private in privates], axis=0)
    after = np.mean([mixture(private, public, order, bound) for private in [changed, *privates[1:]]], axis=0)
    assert exact_divergence(before, after, budget.value_order) <= budget.epsilon(groups=3) * (1 + 1e-6) + 1e-9
    assert budget.epsilon(groups=3) <= budget.epsilon()


@pytest.mark.parametrize(("order", "bound", "delta"), [(32.0, 0.3, 1e-2), (math.inf, 0.2, 0.0)])
def test_whole_texts_keep_epsilon_and_delta(order: float, bound: float, delta: float) -> None:
    """All 81 texts of four tokens, each after its own beginning: P(S) <= e^ε P'(S) + δ for the worst set S."""
    budget = FusionBudget(order, bound, 4, delta)

    def text_chances(secret: int) -> dict[tuple[int, ...], float]:
        @cache
        def next_token(written: tuple[int, ...]) -> Floats:
            public = np.random.default_rng([7, *written]).dirichlet([0.4] * 3)
            return mixture(np.random.default_rng([secret, *written]).dirichlet([0.2] * 3), public, order, bound)

        return {
            text: math.prod(float(next_token(text[:position])[text[position]]) for position in range(4))
            for text in product(range(3), repeat=4)
        }

    for one, other in ((1, 2), (3, 4)):
        first, second = text_chances(one), text_chances(other)
        assert sum(first.values()) == pytest.approx(1)
        epsilon = budget.epsilon()
        excess = sum(max(0.0, first[text] - math.exp(epsilon) * second[text]) for text in first)
        assert excess <= delta + 1e-12
        assert max(abs(math.log(first[text] / second[text])) for text in first) > bound  # there is something to bound


def test_epsilon_by_hand() -> None:
    """Order 2: two values at order 4/3 with thrice the bound, and ln(1/δ) / (1/3)."""
    budget = FusionBudget(2.0, 0.02, 100, 1e-3)
    assert (budget.value_order, budget.value_bound) == pytest.approx((4 / 3, 0.06))
    assert budget.epsilon() == pytest.approx(100 * 0.06 + 3 * math.log(1000))
    assert budget.epsilon(pieces=2) == pytest.approx(200 * 0.06 + 3 * math.log(1000))
    four = 100 * 3 * math.log(3 / 4 + math.exp(0.06 / 3) / 4) + 3 * math.log(1000)
    assert budget.epsilon(groups=4) == pytest.approx(four)
    # The publication: 4β a token, where αβ is the bound; here β = .01.
    assert budget.authors_epsilon() == pytest.approx(100 * 0.04 + math.log(1000))
    pure = FusionBudget(math.inf, 0.02, 100)
    assert pure.epsilon() == pytest.approx(4.0)
    assert pure.epsilon(groups=2) == pytest.approx(100 * math.log((1 + math.exp(0.04)) / 2))
    assert pure.authors_epsilon() == math.inf


@given(st.sampled_from([2.0, 8.0, math.inf]), st.floats(30, 1000), st.integers(1, 500))
def test_an_epsilon_gives_its_bound(order: float, epsilon: float, tokens: int) -> None:
    budget = FusionBudget.with_epsilon(epsilon, order, tokens, 0.0 if order == math.inf else 1e-3)
    assert budget.epsilon() == pytest.approx(epsilon)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 1.0}, "above 1"),
        ({"order": math.nan}, "above 1"),
        ({"bound": -0.1}, "from 0 on"),
        ({"bound": math.inf}, "from 0 on"),
        ({"tokens": 0}, "whole number"),
        ({"tokens": True}, "whole number"),
        ({"delta": 0.0}, "no epsilon can be computed"),
        ({"delta": 1.0}, "no epsilon can be computed"),
        ({"order": math.inf, "delta": 0.1}, "leave it out"),
    ],
)
def test_where_no_epsilon_can_be_computed_it_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        FusionBudget(**{"order": 2.0, "bound": 0.1, "tokens": 10, "delta": 1e-3, **options})


def test_an_epsilon_below_what_delta_takes_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"delta 0\.001 alone takes 20\.72"):
        FusionBudget.with_epsilon(20.0, 2.0, 10, 1e-3)
    with pytest.raises(RecipeError, match="cannot be kept"):
        FusionBudget.with_epsilon(math.nan, math.inf, 10)


def test_a_temperature_sharpens_both_alike() -> None:
    scores = np.array([0.0, -1.0, -math.inf])
    assert probabilities(scores, 0.5) == pytest.approx([1 / (1 + math.exp(-2)), math.exp(-2) / (1 + math.exp(-2)), 0])
