"""The joint attack: its correction and its assignment against small independent computations, and what it assumes."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from sfumato.attacks.base import Person
from sfumato.attacks.linking import fusion, joint
from sfumato.attacks.linking.fusion import assign, learn_scale
from sfumato.attacks.linking.joint import JointAttack
from sfumato.attacks.suite import attack_releases
from sfumato.document import Document
from sfumato.errors import InputError, NotMeasurable, RecipeError

CHANCE = np.random.default_rng(5)
WORDS = [f"{a}{b}" for a in "alder birch cedar elm fir gorse hazel ivy".split() for b in "ton ley wick dale".split()]


def people_of(count: int, size: int = 40) -> list[Person]:
    return [Person(f"p{number:03}", (" ".join(CHANCE.choice(WORDS, size)),)) for number in range(count)]


def everyone(rows: int, people: int) -> np.ndarray:
    return np.tile(np.arange(people), (rows, 1))


def test_nobody_gets_more_releases_than_stated() -> None:
    # Both releases fit person 0 best, the second has a good second choice.
    scores = np.array([[3.0, 0.0, 0.0], [2.9, 2.5, 0.0]])
    alone = assign(scores, everyone(2, 3), 2, 3)
    together = assign(scores, everyone(2, 3), 1, 3)
    assert alone.argmax(axis=1).tolist() == [0, 0]
    assert together.argmax(axis=1).tolist() == [0, 1]
    assert together.sum(axis=1) == pytest.approx([1, 1])
    assert together.sum(axis=0).max() <= 1.01


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 5), st.integers(5, 7), st.integers(0, 10_000))
def test_a_clear_assignment_is_the_one_with_the_highest_sum(releases: int, people: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(releases, people))
    sums = sorted(
        (
            sum(scores[row, person] for row, person in enumerate(chosen))
            for chosen in permutations(range(people), releases)
        ),
        reverse=True,
    )
    if sums[0] - sums[1] < 1:  # only where the best is far ahead does the temperature not matter
        return
    share = assign(scores, everyone(releases, people), 1, people)
    assert share.argmax(axis=1).tolist() == linear_sum_assignment(-scores)[1].tolist()


def test_more_releases_than_people_fill_everyone_alike() -> None:
    share = assign(np.random.default_rng(1).normal(size=(6, 2)), everyone(6, 2), 1, 2)
    assert share.sum(axis=0) == pytest.approx([3, 3], rel=0.01)


def test_people_of_one_kind_are_centred_and_a_hub_loses() -> None:
    """Person 0 fits every release a little better than its own person does."""
    generator = np.random.default_rng(2)
    scores = generator.normal(0, 0.1, (30, 30)).astype(np.float32)
    scores[np.arange(30), np.arange(30)] += 1.0
    scores[:, 0] += 1.2
    assert (scores.argmax(axis=1) == np.arange(30)).sum() < 8
    scale = learn_scale(scores)
    assert scale.centred
    np.testing.assert_allclose(scale.offset, scores.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(scale.spread, np.sqrt(scores.std(axis=0) + 0.05), rtol=1e-5)
    assert (scale.apply(scores).argmax(axis=1) == np.arange(30)).all()


def test_means_stay_where_they_tell_whom_such_releases_are_about() -> None:
    """Twenty people like the releases among two hundred unlike them, of whom each shares a word with one or two."""
    generator = np.random.default_rng(3)
    scores = np.zeros((20, 220), np.float32)
    scores[:, :20] = 1 + generator.normal(0, 0.2, (20, 20))
    scores[np.arange(20), np.arange(20)] += 0.8
    scores[generator.integers(0, 20, 200), np.arange(20, 220)] = 0.9
    scale = learn_scale(scores)
    assert not scale.centred
    assert (scale.apply(scores).argmax(axis=1) == np.arange(20)).mean() > 0.9


def test_few_releases_are_not_corrected() -> None:
    scale = learn_scale(np.ones((fusion.MIN_RELEASES - 1, 4), np.float32))
    assert (scale.offset == 0).all()
    assert (scale.spread == 1).all()


def test_it_finds_those_who_are_crowded_out_by_others() -> None:
    """Each release is a few words of its person's text; alone, some fit another person as well."""
    people = people_of(60)
    released = {person.id: " ".join(person.texts[0].split()[:7]) for person in people[:40]}
    attack = JointAttack().fit(people)
    attempts = attack.run(released)
    total = sum(attempt.guesses[0].answer == attempt.document_id for attempt in attempts)
    single = attack._members[0]
    alone = sum(attempt.guesses[0].answer == attempt.document_id for attempt in single.run(released))
    assert total >= alone
    assert total > 30
    assert attack.settings["texts per person at most"] == 1


def test_two_releases_about_one_person_need_the_right_assumption() -> None:
    people = people_of(40)
    half = people[3].texts[0].split()
    released = {"a": " ".join(half[:20]), "b": " ".join(half[20:])}
    answers = [attempt.guesses[0].answer for attempt in JointAttack(per_person=2).fit(people).run(released)]
    assert answers == ["p003", "p003"]
    guesses = JointAttack().fit(people).run(released)
    assert sum(attempt.guesses[0].answer == "p003" for attempt in guesses) == 1


def test_beyond_the_limit_the_likeliest_compete(monkeypatch: pytest.MonkeyPatch) -> None:
    people = people_of(80)
    released = {person.id: " ".join(person.texts[0].split()[:15]) for person in people[:30]}
    exact = JointAttack().fit(people).run(released)
    monkeypatch.setattr(fusion, "LARGE", 50)
    monkeypatch.setattr(fusion, "CANDIDATES", 20)
    monkeypatch.setattr(joint, "SAMPLE", 25)
    sparse = JointAttack().fit(people).run(released)
    assert all(len(attempt.guesses) <= 20 for attempt in sparse)
    same = sum(a.guesses[0].answer == b.guesses[0].answer for a, b in zip(exact, sparse, strict=True))
    assert same >= 28


def test_bad_options_and_order() -> None:
    with pytest.raises(RecipeError, match="per_person must be 1 or more"):
        JointAttack(per_person=0)
    with pytest.raises(NotMeasurable, match="fit it on a background first"):
        JointAttack().run({"a": "text"})
    assert JointAttack().fit(people_of(3)).run({}) == []


def test_the_run_tells_how_many_releases_a_person_has() -> None:
    people = people_of(40)
    words = people[3].texts[0].split()
    originals = [Document("a", "x", subjects=("p003",)), Document("b", "y", subjects=("p003",))]
    released = {"a": " ".join(words[:20]), "b": " ".join(words[20:])}
    report = attack_releases(originals, released, people, attacks=["joint"])
    assert report.attacks["joint"].risk == 1
    assert report.settings["joint"]["texts per person at most"] == 2
    stated = attack_releases(originals, released, people, attacks=["joint"], settings={"joint": {"per_person": 1}})
    assert stated.attacks["joint"].found == 1
    assert (report.strongest_single, stated.strongest_joint) == (None, stated.strongest)


def test_the_same_text_twice_shares_the_person() -> None:
    people = people_of(40)
    text = " ".join(people[3].texts[0].split()[:20])
    first, second = JointAttack(per_person=2).fit(people).run({"a": text, "b": text})
    assert first.guesses[0].answer == second.guesses[0].answer == "p003"
    alone = JointAttack().fit(people).run({"a": text, "b": text})
    chances = [guess.score for attempt in alone for guess in attempt.guesses if guess.answer == "p003"]
    assert sum(chances) == pytest.approx(1, abs=0.01)


def test_more_releases_than_people_are_all_attacked() -> None:
    people = people_of(5)
    released = {f"{person.id}/{part}": " ".join(person.texts[0].split()[part * 8 : part * 8 + 8])
                for person in people for part in range(4)}  # fmt: skip
    originals = [Document(key, text, subjects=(key.split("/")[0],)) for key, text in released.items()]
    report = attack_releases(originals, released, people, attacks=["joint"])
    assert report.n == 20
    assert report.settings["joint"]["texts per person at most"] == 4
    assert report.attacks["joint"].risk > 0.5


def test_a_release_about_several_people_is_found_by_one_of_them() -> None:
    people = people_of(30)
    text = " ".join(people[1].texts[0].split()[:15] + people[2].texts[0].split()[:15])
    others = {person.id: " ".join(person.texts[0].split()[:15]) for person in people[5:20]}
    originals = [
        Document("two", text, subjects=("p001", "p002")),
        *(Document(key, other) for key, other in others.items()),
    ]
    report = attack_releases(originals, {"two": text, **others}, people, attacks=["joint"])
    (both,) = [document for document in report.documents if document.id == "two"]
    assert both.linked_by == ("joint",)


def test_a_background_with_one_person_tells_nothing() -> None:
    (attempt,) = JointAttack().fit(people_of(1)).run({"a": " ".join(WORDS)})
    assert [guess.answer for guess in attempt.guesses] == ["p000"]
    assert attempt.guesses[0].score == pytest.approx(1)
    with pytest.raises(InputError, match="holds one person"):
        attack_releases([Document("p000", "x")], {"p000": "x"}, people_of(1), attacks=["joint"])


def test_among_very_many_people_fewer_members_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    people = people_of(60)
    released = {person.id: " ".join(person.texts[0].split()[:15]) for person in people[:30]}
    monkeypatch.setattr(joint, "HUGE", 50)
    attack = JointAttack().fit(people)
    assert len(attack._members) == 2
    attempts = attack.run(released)
    assert [attempt.document_id for attempt in attempts] == list(released)
