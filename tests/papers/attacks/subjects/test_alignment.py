"""Who is who: people are aligned by descriptions and by where both texts mention them, never by their attributes."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from random import Random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato_papers.attacks.subjects.alignment import MentionAligner, People
from sfumato_papers.attacks.subjects.matching import (
    Attribute,
    Fact,
    Mention,
    Pair,
    Profile,
    SharedWords,
    Subject,
    open_questions,
    read_subjects,
    score_pair,
    to_attempt,
)
from sfumato_papers.attacks.subjects.profiler import RuleProfiler


def subject(description: str, **values: str) -> Subject:
    return Subject("0", {tag: (Fact(tag, value, 5, 1),) for tag, value in values.items()}, False, description)


def profile(who: str, text: str = "", *mentions: str, **values: str) -> Profile:
    places = tuple(Mention(mention, text.index(mention), text.index(mention) + len(mention)) for mention in mentions)
    return Profile(who, tuple(Attribute(tag, value, 5) for tag, value in values.items()), places)


def align(subjects: Sequence[Subject], profiles: Sequence[Profile], original: str, released: str) -> list[str | None]:
    (pairs,) = MentionAligner().align([People(subjects, profiles, original, released)])
    assert [pair[0] for pair in pairs] == list(subjects)
    return [found.who if found else None for _, found in pairs]


RULING = (
    "The case was brought by Mr Adam Tvesk (“the applicant”), who lives in Lublin. The applicant was represented by "
    "Mr K. Quorvex, a lawyer practising in Gdańsk. The Government were represented by their Agent, Ms Ida Brelk."
)
MASKED = (
    "The case was brought by PERSON_1 (“the applicant”), who lives in LOC_1. The applicant was represented by "
    "PERSON_2, a lawyer practising in LOC_2. The Government were represented by their Agent, PERSON_3."
)
APPLICANT = subject(
    "Mr Adam Tvesk - The applicant, lives in Lublin", SEX="Male", NATIONALITY="Poland", OCCUPATION="Lawyer"
)
LAWYER = subject("Mr K. Quorvex - Lawyer practicing in Gdańsk, representing the applicant", SEX="Male")
AGENT = subject("Ms Ida Brelk - Agent representing the Government", SEX="Female")


def test_a_lawyer_who_shares_all_attributes_of_the_applicant_is_not_the_applicant() -> None:
    same = {"SEX": "Male", "NATIONALITY": "Poland", "OCCUPATION": "Lawyer"}
    described = profile("the lawyer who represents the applicant", **same)
    assert align([APPLICANT], [described], RULING, MASKED) == [None]
    assert align([APPLICANT, LAWYER], [described], RULING, MASKED) == [None, described.who]
    assert align([APPLICANT], [profile("PERSON_2", MASKED, "PERSON_2", **same)], RULING, MASKED) == [None]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_placeholder_is_who_stood_in_its_place(order: tuple[int, ...]) -> None:
    names = ("PERSON_1", "PERSON_2", "PERSON_3")
    profiles = [profile(names[number], MASKED, names[number]) for number in order]
    assert align([APPLICANT, LAWYER, AGENT], profiles, RULING, MASKED) == list(names)


def test_descriptions_alone_say_who_somebody_is() -> None:
    profiles = [
        profile("the Agent of the Government"),
        profile("a lawyer, who practises in LOC_2"),
        profile("the applicant"),
    ]
    aligned = align([APPLICANT, LAWYER, AGENT], profiles, RULING, MASKED)
    assert aligned == ["the applicant", "a lawyer, who practises in LOC_2", "the Agent of the Government"]


POST = "Gerald : I lost my keys again. The log of my wife shows ID QX-ID-77123 twice. Ask Gerald or call Ida Brelk."


@pytest.mark.parametrize(
    ("description", "wanted"),
    [
        ("Gerald - Speaker who lost the keys", "Gerald"),
        ("Post author who lost the keys", "Gerald"),
        ("Gerald's wife, whose log shows a number", "wife"),
        ("Individual with the number QX-ID-77123", "holder"),
        ("Ida Brelk - Friend of the post author", "Ida Brelk"),
        ("The dentist - who is nowhere in it", None),
    ],
)
def test_writers_relatives_and_holders_of_numbers(description: str, wanted: str | None) -> None:
    profiles = [
        profile("wife", POST, "wife"),
        profile("holder", POST, "QX-ID-77123"),
        profile("Ida Brelk", POST, "Ida Brelk"),
        replace(profile("Gerald", POST, "Gerald"), is_writer=True),
    ]
    assert align([subject(description)], profiles, POST, POST) == [wanted]


def test_one_profile_serves_one_subject() -> None:
    aligned = align([AGENT, replace(AGENT, id="1")], [profile("PERSON_3", MASKED, "PERSON_3")], RULING, MASKED)
    assert sorted(map(str, aligned)) == ["None", "PERSON_3"]


def test_nobody_found_is_nothing_known() -> None:
    assert align([APPLICANT], [], RULING, MASKED) == [None]
    assert align([], [profile("PERSON_1", MASKED, "PERSON_1")], RULING, MASKED) == []
    assert score_pair(APPLICANT, None, SharedWords()) == {"SEX": 0, "NATIONALITY": 0, "OCCUPATION": 0}


OTHER = "It rained for weeks. Bo Fwayle of Oslo sold the boat, and his sister never forgave him for that summer."


def test_profiles_of_another_text_are_nobody_here() -> None:
    wrong = [profile("Bo Fwayle", OTHER, "Bo Fwayle"), profile("his sister", OTHER, "his sister"), profile("Bo Fwayle")]
    assert align([APPLICANT, LAWYER, AGENT], wrong, RULING, MASKED) == [None, None, None]


def test_the_writer_of_another_text_did_not_write_this_one() -> None:
    writer = replace(profile("who writes", "Yesterday I swam.", "I"), is_writer=True)
    assert align([subject("Post author who lost the keys")], [writer], POST, POST) == [None]


def test_in_another_text_only_a_name_says_who_somebody_is() -> None:
    letter = OTHER.replace("Bo Fwayle", "Ida Brelk")
    aligned = align([APPLICANT, AGENT], [profile("Ida Brelk", letter, "Ida Brelk")], RULING, letter)
    assert aligned == [None, "Ida Brelk"]


def test_attributes_of_rule_profiles_do_not_move_anybody() -> None:
    (profiles,) = RuleProfiler().profile([RULING])
    assert align([APPLICANT, LAWYER, AGENT], profiles, RULING, RULING) == [
        "Mr Adam Tvesk",
        "Mr K. Quorvex",
        "Ms Ida Brelk",
    ]


_VALUES = st.lists(st.sampled_from([("SEX", "Male"), ("NATIONALITY", "Poland"), ("AGE", "30")]), max_size=3)


@given(st.lists(_VALUES, min_size=3, max_size=3), st.lists(_VALUES, min_size=3, max_size=3))
def test_whatever_is_known_or_guessed_the_pairs_are_the_same(
    facts: list[list[tuple[str, str]]], guesses: list[list[tuple[str, str]]]
) -> None:
    people = [
        replace(one, facts={tag: (Fact(tag, value, 5, 1),) for tag, value in known})
        for one, known in zip((APPLICANT, LAWYER, AGENT), facts, strict=True)
    ]
    profiles = [
        replace(profile(who, MASKED, who), attributes=tuple(Attribute(*guess, 3) for guess in guessed))
        for who, guessed in zip(("PERSON_3", "PERSON_1", "PERSON_2"), guesses, strict=True)
    ]
    assert align(people, profiles, RULING, MASKED) == ["PERSON_1", "PERSON_2", "PERSON_3"]


# -- Profiles of wrong documents, on invented rulings: no alignment may find more agreement in them than chance does.

_NAMES = "Tvesk Quorvex Brelk Fwayle Zrelt Gvesk Ostvar Primble Wexcombe Larnd Yshire Daulk Mervold Hanstry".split()
_GIVEN = "Ada Bo Cora Dan Eda Finn Gus Hal Ida Jon Kai Lea Mia Ned".split()
_COUNTRIES = {"Lublin": "Poland", "Oslo": "Norway", "Graz": "Austria", "Porto": "Portugal"}


def ruling(number: int) -> tuple[list[Subject], list[Profile], str]:
    """A ruling with three people, and an attacker who knows everything of them.

    Rulings share the sentences in which people appear, as real ones do, and nothing else.
    """
    random = Random(number)
    city = random.choice(list(_COUNTRIES))
    names = [f"{random.choice(_GIVEN)} {name}" for name in random.sample(_NAMES, 3)]
    facts = " ".join("".join(random.choices("bdfgklmnprstvaeiou", k=6)) for _ in range(60))
    text = (
        f"{names[0]} (“the applicant”) lived in {city}. The applicant was represented by {names[1]}, a lawyer. "
        f"The Government were represented by {names[2]}, their agent. {facts}."
    )
    roles = ("The applicant", "Lawyer of the applicant", "Agent of the Government")
    work = (random.choice(["Baker", "Lawyer", "Nurse"]), "Lawyer", random.choice(["Lawyer", "Diplomat"]))
    subjects, profiles = [], []
    for name, role, occupation in zip(names, roles, work, strict=True):
        known = {
            "NAME": name,
            "SEX": random.choice(["Male", "Female"]),
            "AGE": str(random.randint(25, 75)),
            "NATIONALITY": _COUNTRIES[city],
            "OCCUPATION": occupation,
        }
        subjects.append(subject(f"{name} - {role}", **known))
        profiles.append(profile(name, text, name, **known))
    return subjects, profiles, text


def cpr(documents: Sequence[Sequence[Pair]]) -> float:
    pairs = [pair for pairs in documents for pair in pairs]
    inferred = sum(sum(score_pair(*pair, SharedWords()).values()) for pair in pairs)
    return 1 - inferred / sum(len(one.facts) for one, _ in pairs)


def pairings(people: People) -> list[list[Pair]]:
    return [list(zip(people.subjects, order, strict=True)) for order in permutations(people.profiles)]


@pytest.mark.parametrize("is_described_only", [False, True])
def test_profiles_of_wrong_documents_protect_no_less_than_random_pairing(is_described_only: bool) -> None:
    rulings = [ruling(number) for number in range(40)]
    if is_described_only:
        rulings = [(truth, [replace(item, mentions=()) for item in found], text) for truth, found, text in rulings]
    shifted = [*rulings[1:], rulings[0]]
    own = [People(*entry, entry[2]) for entry in rulings]
    wrong_profiles = [People(one[0], other[1], one[2], one[2]) for one, other in zip(rulings, shifted, strict=True)]
    wrong_releases = [People(one[0], other[1], one[2], other[2]) for one, other in zip(rulings, shifted, strict=True)]
    aligner = MentionAligner()
    by_chance = mean(cpr([pairs]) for people in wrong_profiles for pairs in pairings(people))
    assert cpr(aligner.align(own)) == 0
    assert cpr(aligner.align(wrong_profiles)) >= by_chance - 0.01
    assert cpr(aligner.align(wrong_releases)) >= by_chance - 0.01
    # The same profiles paired by how well they agree: what this test must catch.
    by_agreement = cpr([min(pairings(people), key=lambda pairs: cpr([pairs])) for people in wrong_profiles])
    assert by_agreement < by_chance - 0.05


# -- Scores of a pair, records, and ground truth.


def test_the_best_pair_of_a_tag_counts() -> None:
    twice = Subject("0", {"OCCUPATION": (Fact("OCCUPATION", "Baker", 4, 1), Fact("OCCUPATION", "Pilot", 4, 2))})
    guesses = Profile("x", (Attribute("OCCUPATION", "Cook", 5), Attribute("OCCUPATION", "Pilot", 1)))
    assert score_pair(twice, guesses, SharedWords()) == {"OCCUPATION": 1}
    assert list(open_questions([(twice, guesses), (twice, None)])) == [
        ("OCCUPATION", "Baker", "Cook"),
        ("OCCUPATION", "Pilot", "Cook"),
        ("OCCUPATION", "Baker", "Pilot"),
    ]


def test_an_attempt_has_the_surest_guess_first() -> None:
    attributes = (Attribute("LOCATION", "a: b / c", 4, 3, 9), Attribute("NAME", "Ida", 5))
    attempt = to_attempt("subjects", "d", Profile("someone", attributes))
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


def test_people_without_a_description_are_known_by_names_and_numbers() -> None:
    number = {"PIIs": [row("PASSPORT_NUMBER", "QX12345", 5), row("SEX", "Male", 5)]}
    subjects = read_subjects(
        "d", [{"description": "the writer", "PIIs": []}, number, {"PIIs": [row("SEX", "Male", 5)]}]
    )
    assert [item.description for item in subjects] == ["the writer", "QX12345", ""]
    with pytest.raises(InputError, match="nobody in document d has a description"):
        read_subjects("d", [{"PIIs": [row("SEX", "Male", 5)]}])


def test_a_marked_target_is_the_target() -> None:
    subjects = read_subjects("d", [{"PIIs": []}, {"PIIs": [], "target": True}])
    assert [item.is_target for item in subjects] == [False, True]


@pytest.mark.parametrize("given_", ["Ida", [1], [{"id": 0}], [{"PIIs": [{}]}], [{"PIIs": [row("SHOE", "42", 5)]}]])
def test_other_shapes_are_refused(given_: object) -> None:
    with pytest.raises(InputError, match="d"):
        read_subjects("d", given_)
