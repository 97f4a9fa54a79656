"""The record-linkage attack: weights against the formula, people found by facts alone."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.attacks.base import Person
from sfumato.attacks.linking import records
from sfumato.attacks.linking.record_fields import FIELDS
from sfumato.attacks.linking.records import RecordLinkageAttack

COUNTRIES = ("Poland", "Turkey", "Norway", "Spain")


def person(number: int) -> Person:
    """One of 48 people: a country, a year of the reference number, a paragraph number."""
    year, country = 1990 + number % 12, COUNTRIES[number % 4]
    first = 8 + number // 12 * 5
    return Person(f"p{number:02}", (f"no. {number}17/{year % 100:02} against {country}\n\n{first}. The court sat.",))


def release(number: int) -> str:
    year, country = 1990 + number % 12, COUNTRIES[number % 4]
    paragraphs = ["The person wrote a letter and waited for an answer."] * (7 + number // 12 * 5 - 1)
    return "\n\n".join([f"In the spring of {year} somebody of {country} complained.", *paragraphs])


def test_people_are_found_without_a_shared_word() -> None:
    attack = RecordLinkageAttack().fit([person(number) for number in range(48)])
    attempts = attack.run({f"d{number}": release(number) for number in range(0, 48, 2)})
    is_right = [attempt.guesses[0].answer == f"p{int(attempt.document_id[1:]):02}" for attempt in attempts]
    assert sum(is_right) >= 20
    assert all(attempt.evidence for attempt in attempts)
    learned = attack.settings["agreement"]
    assert isinstance(learned, dict)
    assert sum(learned["country"][-3:]) > 0.8


def test_a_score_is_the_sum_of_log_odds_of_agreement() -> None:
    attack = RecordLinkageAttack().fit([person(number) for number in range(48)])
    text = release(5)
    levels, words = attack.compare(text)
    expected = 0.001 * words
    for number, field in enumerate(FIELDS):
        known = [level for level in levels[number].tolist() if level >= 0]
        size = len(field.expected)
        for row, level in enumerate(levels[number].tolist()):
            if level >= 0:
                strangers = (known.count(level) + 0.5) / (len(known) + 0.5 * size)
                expected[row] += max(-4.0, min(4.0, float(np.log(field.expected[level] / strangers))))
    np.testing.assert_allclose(attack.read(text).scores, expected, rtol=1e-5, atol=1e-5)


def test_among_many_people_the_likeliest_compete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LARGE", 20)
    monkeypatch.setattr(records, "CANDIDATES", 12)
    attack = RecordLinkageAttack().fit([person(number) for number in range(48)])
    attempts = attack.run({f"d{number}": release(number) for number in range(0, 48, 2)})
    assert sum(attempt.guesses[0].answer == f"p{int(attempt.document_id[1:]):02}" for attempt in attempts) >= 20
    assert all(len(attempt.guesses) <= 12 for attempt in attempts)


def test_expected_agreement_sums_to_one() -> None:
    for field in FIELDS:
        assert sum(field.expected) == pytest.approx(1, abs=0.011), field.name


def test_a_text_that_tells_nothing_finds_nobody() -> None:
    alike = RecordLinkageAttack().fit([Person(f"p{number}", ("Somebody came.",)) for number in range(12)])
    assert alike.run({"d": "Zebras run."})[0].guesses == ()


def test_what_is_followed_is_weighed_as_the_last_run_did() -> None:
    attack = RecordLinkageAttack().fit([person(number) for number in range(48)])
    assert attack.learned is None
    attack.run({f"d{number}": release(number) for number in range(0, 48, 2)})
    before = attack.learned
    followed = attack.follow(release(6), [attack.row("p06")], 5)
    assert int(followed.scores.argmax()) == attack.row("p06")
    attack.run({f"d{number}": "Nothing in 1991." for number in range(3)})
    assert attack.learned not in (None, before)


def test_a_part_of_the_world_tells_less_than_a_country() -> None:
    attack = RecordLinkageAttack().fit([person(number) for number in range(48)])
    row = attack.row("p04")
    named, region, other = (attack.read(f"A court in {place}.").scores[row] for place in ("Poland", "Europe", "Spain"))
    assert named > region > other
