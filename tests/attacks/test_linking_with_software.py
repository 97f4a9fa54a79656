"""The attacker who has the software: a generalized background, times and amounts within others, and both attacks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sfumato.attacks.base import Person
from sfumato.attacks.linking import generalizations
from sfumato.attacks.linking.generalizations import (
    GeneralizedMention,
    GeneralizedText,
    Generalizer,
    Interval,
    KnownPerson,
    read_interval,
    read_people,
    split_pseudo_releases,
)
from sfumato.attacks.linking.with_software import IntervalAttack, JointWithSoftwareAttack, WithSoftwareAttack

BORN = {"anna": "12 March 1981", "belo": "3 June 1956", "cora": "9 May 1974", "dano": "30 October 1962"}
PEOPLE = [
    Person(key, (f"{key.title()} Quorvex was born on {date} and keeps bees near the mill.",))
    for key, date in BORN.items()
]


@pytest.fixture
def generalizer() -> Generalizer:
    return Generalizer("rules")


def test_mentions_have_levels_that_replace_them(generalizer: Generalizer) -> None:
    (text,) = generalizer.read([PEOPLE[0].texts[0]])
    (date,) = [mention for mention in text.mentions if mention.label == "DATETIME"]
    assert text.text[date.start : date.end] == "12 March 1981"
    assert "1981" in date.levels
    specific, vague = text.at_level(0.0), text.at_level(1.0)
    assert date.levels[0] in specific
    assert date.levels[-1] in vague
    assert "12 March 1981" not in specific + vague


def test_a_part_keeps_the_mentions_within_it() -> None:
    text = GeneralizedText(
        "in Moll in 1981", (GeneralizedMention(3, 7, "LOC", ()), GeneralizedMention(11, 15, "X", ()))
    )
    assert text.part(8, 15) == GeneralizedText("in 1981", (GeneralizedMention(3, 7, "X", ()),))
    assert text.part(0, 5).mentions == ()
    assert text.at_level(0) == "in [LOC] in [X]"


def test_levels_are_read_from_the_folder_the_second_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [person.texts[0] for person in PEOPLE]
    first = Generalizer("rules", tmp_path).read(texts)
    assert not any(person.texts[0].encode() in path.read_bytes() for path in tmp_path.iterdir() for person in PEOPLE)

    def refuse(name: str) -> None:
        raise AssertionError("texts are detected again")

    monkeypatch.setattr(generalizations, "detection_by_name", refuse)
    assert Generalizer("rules", tmp_path).read(texts) == first


@pytest.mark.parametrize(
    ("phrase", "label", "unit"),
    [("in 1981", "DATETIME", "day"), ("12 March", "DATETIME", None), ("Quorvex", "PERSON", None)],
)
def test_intervals_are_times_with_a_year(phrase: str, label: str, unit: str | None) -> None:
    interval = read_interval(phrase, label)
    assert (interval.unit if interval else None) == unit


def test_a_vague_time_fits_those_whose_time_lies_within(generalizer: Generalizer) -> None:
    attack = IntervalAttack(generalizer).fit(PEOPLE)
    text = "The patient, born in the 1980s, was seen."
    scores = attack.scores(text)
    np.testing.assert_allclose(scores, [np.log(4), 0, 0, 0], rtol=1e-6)
    (evidence,) = attack.contributions(text, "anna")
    assert "1980s" in evidence.term
    assert evidence.weight == pytest.approx(np.log(4))
    both = attack.scores("born between 1970 and 1985")
    assert (both > 0).tolist() == [True, False, True, False]
    assert attack._people_within(Interval("day", 0, 1)) == []


def test_pseudo_releases_are_anonymized_and_taken_out(generalizer: Generalizer) -> None:
    people = [Person(person.id, (" ".join([person.texts[0]] * 5),)) for person in PEOPLE]
    known = read_people(people, generalizer)
    rest, pieces = split_pseudo_releases(known, seed=1)
    assert [piece.owner for piece in pieces] == [0, 1, 2, 3]
    for person, left, piece in zip(known, rest, pieces, strict=True):
        assert sum(len(text.text) for text in left.texts) < len(person.texts[0].text)
        assert BORN[person.id] not in piece.text
    short = [KnownPerson("x", (GeneralizedText("short", ()),)), KnownPerson("y", ())]
    assert split_pseudo_releases(short, seed=1) == (short, [])


def test_it_links_what_was_generalized_and_says_by_what() -> None:
    attack = WithSoftwareAttack(detector="rules").fit(PEOPLE)
    text = "PERSON_1 was born in the early 1980s and keeps animals."
    (attempt,) = attack.run({"d": text})
    assert attempt.guesses[0].answer == "anna"
    assert any("1980s" in evidence.term for evidence in attempt.evidence)
    assert sum(evidence.weight for evidence in attempt.evidence) == pytest.approx(1)
    weights = attack.settings["weights"]
    assert isinstance(weights, dict)
    assert sum(weights.values()) == pytest.approx(1, abs=0.01)


def test_jointly_two_vague_releases_go_to_two_people() -> None:
    attack = JointWithSoftwareAttack(detector="rules").fit(PEOPLE)
    released = {"a": "born in the early 1980s, keeps bees", "b": "born in the 1950s, keeps bees"}
    answers = {attempt.document_id: attempt.guesses[0].answer for attempt in attack.run(released)}
    assert answers == {"a": "anna", "b": "belo"}
    assert attack.settings["texts per person at most"] == 1
