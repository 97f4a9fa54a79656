from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.subjects.matching import (
    Attribute,
    Fact,
    Profile,
    Subject,
    align_subjects,
    read_subjects,
    to_attempt,
)
from sfumato.errors import InputError


def subject(**values: str) -> Subject:
    return Subject("0", {tag: (Fact(tag, value, 5, 1),) for tag, value in values.items()})


def profile(**values: str) -> Profile:
    return Profile("someone", tuple(Attribute(tag, value, 5) for tag, value in values.items()))


def test_the_best_pairing_is_found_whatever_the_order() -> None:
    ida, bo = subject(NAME="Ida Quorvex", AGE="34"), subject(NAME="Bo Tvesk", AGE="70", SEX="Male")
    found = align_subjects(
        [ida, bo], [profile(NAME="Bo Tvesk", AGE="34", SEX="Male"), profile(NAME="Ida Quorvex", AGE="69")]
    )
    assert found == [{"NAME": 1, "AGE": 0}, {"NAME": 1, "AGE": 0, "SEX": 1}]


def test_one_profile_serves_one_subject() -> None:
    found = align_subjects([subject(SEX="Male"), subject(SEX="Male", AGE="20")], [profile(SEX="Male", AGE="20")])
    assert found == [{"SEX": 0}, {"SEX": 1, "AGE": 1}]


def test_nobody_found_is_nothing_known() -> None:
    assert align_subjects([subject(NAME="Ida", AGE="3")], []) == [{"NAME": 0, "AGE": 0}]
    assert align_subjects([], [profile(NAME="Ida")]) == []


def test_the_best_pair_of_a_tag_counts() -> None:
    twice = Subject("0", {"OCCUPATION": (Fact("OCCUPATION", "Baker", 4, 1), Fact("OCCUPATION", "Pilot", 4, 2))})
    guesses = Profile("x", (Attribute("OCCUPATION", "Cook", 5), Attribute("OCCUPATION", "Pilot", 1)))
    assert align_subjects([twice], [guesses]) == [{"OCCUPATION": 1}]


_TAGS = st.sampled_from(["SEX", "AGE", "NAME"])
_PEOPLE = st.lists(st.dictionaries(_TAGS, st.sampled_from(["Male", "20", "Ida"])), max_size=4)


@given(_PEOPLE, _PEOPLE)
def test_no_other_pairing_agrees_more(truth: list[dict[str, str]], guesses: list[dict[str, str]]) -> None:
    subjects, profiles = [subject(**one) for one in truth], [profile(**one) for one in guesses]
    best = sum(sum(one.values()) for one in align_subjects(subjects, profiles))
    padded = [*profiles, *[Profile("nobody", ())] * len(subjects)]
    slow = max(
        sum(sum(align_subjects([one], [other])[0].values()) for one, other in zip(subjects, order, strict=True))
        for order in permutations(padded, len(subjects))
    )
    assert best == slow


def test_an_attempt_records_a_profile() -> None:
    found = Profile("d", (Attribute("LOCATION", "a: b / c", 4, 3, 9), Attribute("NAME", "Ida", 5)))
    attempt = to_attempt("subjects", "d", found)
    assert [(guess.answer, guess.score) for guess in attempt.guesses] == [
        ("NAME: Ida", 1.0),
        ("LOCATION: a: b / c", 0.8),
    ]
    assert [(item.start, item.end) for item in attempt.evidence] == [(3, 9)]


def row(tag: str, keyword: str, certainty: int) -> dict[str, object]:
    return {"tag": tag, "keyword": keyword, "certainty": certainty, "hardness": 1}


def test_ground_truth_counts_a_tag_once_and_drops_what_is_uncertain_or_blank() -> None:
    rows = [row("NAME", "Ida", 5), row("AGE", "3", 2), row("OCCUPATION", "", 4), row("SEX", "Female", 3)]
    first, second = read_subjects("d", [{"id": 7, "PIIs": [*rows, row("NAME", "Idda", 3)]}, {"PIIs": []}])
    assert (first.id, sorted(first.facts), len(first.facts["NAME"]), first.is_target) == ("7", ["NAME", "SEX"], 2, True)
    assert (second.facts, second.is_target) == ({}, False)


def test_a_marked_target_is_the_target() -> None:
    found = read_subjects("d", [{"PIIs": []}, {"PIIs": [], "target": True}])
    assert [one.is_target for one in found] == [False, True]


@pytest.mark.parametrize("given_", ["Ida", [1], [{"id": 0}], [{"PIIs": [{}]}], [{"PIIs": [row("SHOE", "42", 5)]}]])
def test_other_shapes_are_refused(given_: object) -> None:
    with pytest.raises(InputError, match="d"):
        read_subjects("d", given_)
