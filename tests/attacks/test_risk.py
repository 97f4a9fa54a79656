"""Ranks, shares, best ranks and chance floors against figures worked out by hand and a slow count."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from sfumato.attacks.risk import (
    any_attack_risk,
    candidate_count,
    count_ties,
    find_strongest,
    hit_probability,
    linkage_risk,
    with_true_rank,
)
from sfumato.document import Attempt, Guess
from sfumato.errors import NotMeasurable
from sfumato.report.html import format_odds, format_percent, format_percent_column


def attempt(scores: dict[str, float], key: str = "d") -> Attempt:
    return Attempt("a", key, tuple(Guess(name, score) for name, score in scores.items()))


def ranked(rank: int | None, ties: int = 1, key: str = "d") -> Attempt:
    """The true person "t" at this rank, so many people sharing the score."""
    if rank is None:
        return with_true_rank(attempt({"x": 1.0}, key), {"t"})
    above = {f"above{number}": 9.0 for number in range(rank - 1)}
    same = {f"same{number}": 5.0 for number in range(ties - 1)}
    return with_true_rank(attempt({**above, **same, "t": 5.0, "below": 1.0}, key), {"t"})


def test_a_rank_counts_ties_against_us() -> None:
    one = with_true_rank(attempt({"x": 3.0, "t": 2.0, "y": 2.0, "z": 1.0}), {"t"})
    assert (one.rank, count_ties(one), candidate_count(one)) == (2, 2, 3)
    first = with_true_rank(attempt({"y": 2.0, "t": 2.0}), {"t"})
    assert (first.rank, count_ties(first), candidate_count(first)) == (1, 2, 2)
    gone = with_true_rank(attempt({"x": 3.0}), {"t"})
    assert (gone.rank, count_ties(gone), candidate_count(gone)) == (None, 0, None)
    assert with_true_rank(attempt({}), {"t"}).rank is None


def test_of_several_people_the_one_found_first_counts() -> None:
    assert with_true_rank(attempt({"x": 3.0, "t": 2.0, "u": 2.5}), {"t", "u"}).rank == 2


def test_guesses_out_of_order_are_put_in_order() -> None:
    assert [guess.answer for guess in with_true_rank(attempt({"t": 1.0, "x": 3.0}), {"t"}).guesses] == ["x", "t"]


def test_one_attack() -> None:
    risk = linkage_risk([ranked(1), ranked(1), ranked(3), ranked(None)])
    assert (risk.risk, risk.n, risk.found, risk.median_rank) == (0.5, 4, 2, 2.0)
    assert risk.interval == pytest.approx(tuple(binomtest(2, 4).proportion_ci(method="wilson")))
    assert (risk.best.rank, risk.best.risk) == (1, 0.5)
    assert linkage_risk([ranked(None), ranked(None), ranked(1)]).median_rank is None
    with pytest.raises(NotMeasurable):
        linkage_risk([])


def test_the_best_rank_of_a_loop_that_stops_at_eleven() -> None:
    risk = linkage_risk([ranked(11), ranked(11), ranked(11), ranked(1), ranked(20)])
    assert (risk.risk, risk.best.rank, risk.best.risk) == (0.2, 11, 0.6)
    assert risk.at("first").rank == 1
    assert risk.at("best") == risk.best


def test_people_who_tie_share_their_ranks() -> None:
    risk = linkage_risk([ranked(2, ties=2), ranked(3), ranked(3), ranked(9)])
    assert (risk.best.rank, risk.best.risk) == (3, (0.5 + 1 + 1) / 4)


@given(st.lists(st.one_of(st.none(), st.tuples(st.integers(1, 6), st.integers(1, 3))), min_size=1, max_size=8))
def test_the_best_rank_is_what_a_slow_count_finds(given: list[tuple[int, int] | None]) -> None:
    attempts = [ranked(None) if entry is None else ranked(*entry) for entry in given]
    risk = linkage_risk(attempts)

    def expected(rank: int) -> float:
        """Ties broken in every possible order."""
        total = 0.0
        for item in given:
            if item is not None:
                orders = list(permutations(range(item[1])))
                total += sum(item[0] + order.index(0) == rank for order in orders) / len(orders)
        return total / len(given)

    first = sum(one is not None and one[0] == 1 for one in given) / len(given)
    assert risk.risk == first
    assert risk.best.risk == pytest.approx(max([first, *map(expected, range(2, 10))]))
    low, high = risk.best.interval
    assert low <= risk.best.risk <= high
    ranks = [99 if one is None else one[0] for one in given]
    assert (risk.median_rank or 99) == pytest.approx(median(ranks)) or 99 in ranks


PLACES = st.lists(st.one_of(st.none(), st.tuples(st.integers(1, 5), st.integers(1, 3))), min_size=1, max_size=9)


def places(given: list[tuple[int, int] | None]) -> list[Attempt]:
    return [ranked(None) if item is None else ranked(*item) for item in given]


@given(PLACES)
def test_the_learned_rank_is_that_of_leaving_each_out(given: list[tuple[int, int] | None]) -> None:
    attempts = places(given)
    hits = 0.0
    for at, item in enumerate(attempts):
        others = attempts[:at] + attempts[at + 1 :]
        pays = {rank: sum(hit_probability(other, rank) for other in others) for rank in range(1, 10)}
        most = max(pays.values())
        chosen = [rank for rank, paid in pays.items() if paid == pytest.approx(most)] if most else [1]
        hits += sum(hit_probability(item, rank) for rank in chosen) / len(chosen)
    risk = linkage_risk(attempts)
    assert risk.learned.risk == pytest.approx(max(risk.risk, hits / len(attempts)))
    low, high = risk.learned.interval
    assert low - 1e-9 <= risk.learned.risk <= high + 1e-9
    assert risk.at("learned") == risk.learned


@given(PLACES)
def test_who_learns_does_no_better_than_who_knows_and_no_worse_than_the_first_guess(
    given: list[tuple[int, int] | None],
) -> None:
    risk = linkage_risk(places(given))
    assert risk.risk <= risk.learned.risk <= risk.best.risk + 1e-9


@pytest.mark.parametrize(
    "ranks",
    [
        [2, 3, 4, 5, 6, 7],  # nobody's rank says anything about another's
        [2, 2, 3, 3, 4, 4],  # each is left out of the rank that it shares
        [1, 2, 3, 4, None, None],
        [None, None],
        [7],
        [1],
    ],
)
def test_where_ranks_teach_nothing_the_first_is_looked_at(ranks: list[int | None]) -> None:
    risk = linkage_risk([ranked(rank) for rank in ranks])
    assert risk.learned.risk == risk.risk
    assert (risk.learned.rank, risk.learned.interval) == (1, risk.interval)


def test_a_loop_that_stops_at_eleven_is_found_out() -> None:
    risk = linkage_risk([ranked(11), ranked(11), ranked(11), ranked(1), ranked(20)])
    assert (risk.learned.rank, risk.learned.risk) == (11, 0.6)
    assert find_strongest({"a": risk}, "learned") == ("a", risk.learned)


def test_shares_at_a_rank() -> None:
    assert [hit_probability(ranked(2, ties=2), rank) for rank in (1, 2, 3, 4)] == [0.0, 0.5, 0.5, 0.0]
    assert hit_probability(ranked(1, ties=3), 1) == 1.0
    assert hit_probability(ranked(None), 1) == 0.0


def test_the_strongest_single_attack() -> None:
    weak, strong = linkage_risk([ranked(2), ranked(2), ranked(1)]), linkage_risk([ranked(1), ranked(1), ranked(None)])
    assert find_strongest({"weak": weak, "strong": strong})[0] == "strong"
    name, at = find_strongest({"weak": linkage_risk([ranked(2), ranked(2), ranked(2)]), "strong": strong}, "best")
    assert (name, at.rank, at.risk) == ("weak", 2, 1.0)
    near, far = linkage_risk([ranked(2), ranked(1)]), linkage_risk([ranked(9), ranked(1)])
    assert find_strongest({"far": far, "near": near})[0] == "near"


def test_any_attack_and_its_chance() -> None:
    def attack(ranks: Sequence[int | None]) -> list[Attempt]:
        return [ranked(rank, key=f"d{number}") for number, rank in enumerate(ranks)]

    risk = any_attack_risk({"a": attack([1, 2, None, None]), "b": attack([2, 1, 1, None])}, people=10)
    assert risk.risk == 0.75
    assert risk.chance == pytest.approx(1 - 0.9 * 0.9)
    assert risk.interval[0] < 0.75 < risk.interval[1]


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "none"), (1, "all"), (1 / 3, "1 in 3"), (0.34, "about 1 in 3"), (0.9, "9 in 10"), (0.99, "almost all"),
        (0.02, "1 in 50"), (0.0157, "about 1 in 64"), (0.5, "1 in 2"), (0.09, "about 1 in 11"),
        (0.0999, "about 1 in 10"),
    ],
)  # fmt: skip
def test_shares_in_words(share: float, words: str) -> None:
    assert format_odds(share) == words


def test_percentages() -> None:
    assert [format_percent(share) for share in (0, 0.004, 0.09, 0.331, 0.995, 1)] == [
        "0 %", "0.4 %", "9 %", "33 %", "99.5 %", "100 %",
    ]  # fmt: skip


def test_halves_are_rounded_away_from_zero() -> None:
    assert [format_percent(share) for share in (0.625, 0.285, 0.0625, 0.505)] == ["63 %", "29 %", "6.3 %", "51 %"]


def test_in_a_table_every_share_has_one_decimal() -> None:
    assert [format_percent_column(share) for share in (0, 0.09, 1 / 3, 0.625, 0.9945, 1)] == [
        "0.0 %", "9.0 %", "33.3 %", "62.5 %", "99.5 %", "100.0 %",
    ]  # fmt: skip
