"""Attackers who abstain: how the margin is chosen, and what is counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.abstention import MIN_ASSERTED, abstain, abstain_by_others, choose_margin, hold_out, learn_margin
from sfumato.attacks.base import Person
from sfumato.attacks.linking.sparse import TfIdfAttack
from sfumato.attacks.suite import attack_releases
from sfumato.document import Attempt, Document, Guess

WORDS = [f"{a}{b}" for a in "alder birch cedar elm fir gorse hazel ivy".split() for b in "ton ley wick dale".split()]


def people_of(count: int) -> list[Person]:
    """Everyone has ten words of their own among common ones, and a name."""
    return [
        Person(f"p{number:02}", (" ".join(f"{word} w{'abcdefghij'[i % 10]}x{'abcdefghijklmnopqrstuvwxyz'[number % 26]}"
                                          f"{'abcdefghijklmnopqrstuvwxyz'[number // 26]}"
                                          for i, word in enumerate(WORDS)) + " Quorvex 1971",))
        for number in range(count)
    ]  # fmt: skip


@given(st.lists(st.tuples(st.floats(0.01, 1), st.booleans()), max_size=40), st.floats(0.5, 1))
def test_the_margin_is_the_smallest_with_enough_right_links(links: list[tuple[float, bool]], precision: float) -> None:
    def is_enough(margin: float) -> bool:
        asserted = [right for value, right in links if value >= margin]
        return len(asserted) >= MIN_ASSERTED and sum(asserted) >= precision * len(asserted)

    enough = [margin for margin, _ in links if is_enough(margin)]
    assert choose_margin(links, precision) == min(enough, default=None)


def attempt(number: int, margin: float, rank: int | None) -> Attempt:
    return Attempt("a", f"d{number}", (Guess("x", 1.0),), rank, margin)


def test_only_links_above_the_margin_count() -> None:
    attempts = [attempt(0, 0.9, 1), attempt(1, 0.8, 2), attempt(2, 0.5, 1), attempt(3, 0.1, 1)]
    figures = abstain(attempts, 0.5)
    assert (figures.asserted, figures.found, figures.n) == (3, 2, 4)
    assert figures.recall == 0.5
    assert figures.precision == pytest.approx(2 / 3)
    assert figures.learned_on == "background"
    nothing = abstain(attempts, 0.95)
    assert (nothing.asserted, nothing.recall, nothing.precision) == (0, 0.0, None)


def test_a_margin_learned_from_others_does_not_look_at_the_release_itself() -> None:
    sure = [attempt(number, 0.9, 1) for number in range(20)]
    wrong = [attempt(20 + number, 0.2, 3) for number in range(20)]
    figures = abstain_by_others(sure + wrong)
    assert figures is not None
    assert (figures.asserted, figures.found, figures.learned_on) == (20, 20, "other releases")
    assert abstain_by_others(wrong) is None


def test_pieces_are_taken_out_of_the_background_and_lose_names() -> None:
    people = people_of(30)
    calibration = hold_out(people)
    assert [person.id for person in calibration.people] == [person.id for person in people]
    assert set(calibration.pieces) == {person.id for person in people}
    for person in calibration.people:
        piece = calibration.pieces[person.id]
        assert "Quorvex" not in piece
        assert "1971" not in piece
        visible = [word for word in piece.split() if word != "***"]
        left = " ".join(person.texts).split()
        whole = next(known for known in people if known.id == person.id).texts[0].split()
        assert len(left) + len(piece.split()) == len(whole)
        assert set(visible) <= set(whole)
    assert hold_out(people).pieces == calibration.pieces


def test_an_attack_that_is_always_right_asserts_everything() -> None:
    people = people_of(40)
    margin = learn_margin(TfIdfAttack(), hold_out(people))
    assert margin is not None
    released = {person.id: " ".join(person.texts[0].split()[:20]) for person in people}
    originals = [Document(key, text) for key, text in released.items()]
    report = attack_releases(originals, released, people, attacks=["tfidf"])
    assert report.abstaining["tfidf"].recall == pytest.approx(1)
    assert report.to_json()["attacks"]["tfidf"]["abstaining"]["precision"] == 1


def test_too_little_text_gives_no_margin() -> None:
    assert learn_margin(TfIdfAttack(), hold_out([Person("a", ("short",)), Person("b", ("text",))])) is None
