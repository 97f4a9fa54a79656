"""The record-linkage attack: facts of texts against hand-worked cases, weights against the formula, people found."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.attacks.base import Person
from sfumato.attacks.linking import records
from sfumato.attacks.linking.records import FIELDS, RecordLinkageAttack, read_facts


@pytest.mark.parametrize(
    ("text", "times", "references"),
    [
        ("in the autumn of 2002 and in 1996", [(2002, 2002), (1996, 1996)], []),
        ("in the early 1980s", [(1980, 1983)], []),
        ("since the 1990s", [(1990, 1999)], []),
        ("in the late 20th century", [(1960, 1999)], []),
        ("(no. 1520/06) and 13146/2002", [], [2006, 2002]),
        ("case 77/98 of 1998", [(1998, 1998)], [1998]),
        ("on 3/04 he paid 2.5", [], [2004]),
    ],
)
def test_times_and_reference_numbers(text: str, times: list[tuple[int, int]], references: list[int]) -> None:
    facts = read_facts(text)
    assert [(time.low, time.high) for time in facts.times] == times
    assert list(facts.references) == references
    assert all(text[time.start : time.end].strip() for time in facts.times)


def test_country_apostrophes_and_paragraphs() -> None:
    facts = read_facts(
        "THE FACTS\n\nMr Quorvex, a Turkish national, lives in Norway. He left Turkey’s army.\n\n14. He came back."
        "\n\nIt ended."
    )
    assert (facts.country, facts.apostrophe, facts.paragraphs, facts.first_number) == ("TR", "’", 3, 14)
    assert read_facts("") == records.Facts((), (), None, "", 0, None)


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
    assert learned["country"][0] > 0.9


def test_a_score_is_the_sum_of_log_odds_of_agreement() -> None:
    attack = RecordLinkageAttack().fit([person(number) for number in range(48)])
    text = release(5)
    levels, words = attack._compare(text)
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
