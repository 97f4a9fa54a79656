"""The part of a background that a hold-out run reads, and the threat scenarios of a verification."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato import registry
from sfumato.attacks.base import Person
from sfumato.attacks.risk import linkage_risk
from sfumato.protection import protect
from sfumato.protection.records import Scenario
from sfumato.protection.target import Target
from tests.protection.certificate_samples import attempts
from tests.strategies import texts


@given(texts, st.floats(0.01, 1))
def test_a_part_is_how_the_text_begins(text: str, share: float) -> None:
    ((person,), whole) = protect.background_part([Person("p", (text, "more"))], share), len(text)
    first, second = person.texts
    assert person.id == "p"
    assert text.startswith(first)
    assert "more".startswith(second)
    assert second
    assert min(whole, round(whole * share)) <= len(first) <= max(1, whole * share + 30)


@given(texts)
def test_all_of_it_is_a_part_too(text: str) -> None:
    assert protect.background_part([Person("p", (text,))], 1.0) == [Person("p", (text,))]


def test_a_part_ends_with_a_word_where_one_ends_nearby() -> None:
    (person,) = protect.background_part([Person("p", ("one two three four", "x" * 100))], 0.25)
    assert person.texts == ("one two", "x" * 25)


def test_a_word_ends_nearby_where_it_is_less_than_thirty_characters_away() -> None:
    for word, cut in ((39, 39), (40, 10)):
        (person,) = protect.background_part([Person("p", (f"{'x' * word} {'y' * (99 - word)}",))], 0.1)
        assert len(person.texts[0]) == cut


def test_nobody_is_left_without_a_word() -> None:
    (person,) = protect.background_part([Person("p", ("xyz" * 5, "x"))], 0.001)
    assert person.texts == ("x", "x")


def test_attempts_are_counted_by_attack() -> None:
    result = {"bm25": attempts("bm25", [1, 2, 3]), "dense": attempts("dense", [4, 4, 4])}
    assert protect.linkage_risks(result) == {name: linkage_risk(own) for name, own in result.items()}
    assert protect.linkage_risks({}) == {}


def test_who_clearly_finds_too_many_joins_first_and_else_the_strongest() -> None:
    firsts = {
        "late-interaction": 13,
        "joint": 12,
        "tfidf": 11,
        "dense": 60,
    }  # of 100 people; others have ranks of their own
    ranks = {name: [1] * first + list(range(2, 102 - first)) for name, first in firsts.items()}
    risks = protect.linkage_risks({name: attempts(name, own) for name, own in ranks.items()})
    target = Target(k=11)
    assert not any(target.is_met(risk.learned.risk) for risk in risks.values())
    missed = {name: registry.create("attack", name, {}) for name in firsts}

    def joining(*names: str) -> set[str]:
        return set(protect.first_to_join({name: missed[name] for name in names}, risks, target))

    assert joining(*firsts) == {"dense"}
    assert joining("late-interaction", "tfidf", "joint") == {"joint"}
    assert joining("late-interaction", "dense") == {"dense"}
    assert joining("late-interaction") == {"late-interaction"}
    assert joining() == set()


def test_who_joined_the_loop_is_told_beside_what_they_find() -> None:
    own = protect.linkage_risks({"bm25": attempts("bm25", [1, 2])})
    plain = protect.same_background(own, 30)
    assert (plain.name, plain.people, plain.binding, plain.attacks) == (Scenario.OTHER_ATTACKS, 30, True, own)
    assert "joined" not in plain.about
    for joined, said in (
        (["bm25"], "bm25 found"),
        (["bm25", "dense"], "bm25 and dense found"),
        (["bm25", "characters", "dense"], "bm25, characters and dense found"),
    ):
        assert f"that it read. {said} too many" in protect.same_background(own, 30, joined).about


def test_a_holdout_run_gives_two_scenarios() -> None:
    own, others = (protect.linkage_risks({name: attempts(name, [1, 2])}) for name in ("words", "bm25"))
    more, both = protect.more_background(own, others, 30, 0.5, binding=True)
    assert [(item.name, item.attacks, item.binding, item.people) for item in (more, both)] == [
        (Scenario.MORE_BACKGROUND, own, True, 30),
        (Scenario.OTHER_ATTACKS_MORE_BACKGROUND, others, True, 30),
    ]
    assert all("50%" in entry.about for entry in (more, both))
