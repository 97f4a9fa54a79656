"""What every linking attack promises that runs unnamed, ours or a third party's."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato import registry
from sfumato.attacks.background import as_background
from sfumato.attacks.base import MAX_GUESSES, LinkingAttack, Person
from sfumato.attacks.suite import default_attacks
from sfumato.document import Attempt, Document
from sfumato.errors import RecipeError
from sfumato.formats.sources import load

FOLDER = Path(__file__).parents[2] / "examples/protect"
NAMES = default_attacks()


@pytest.fixture(scope="module")
def people() -> list[Person]:
    return list(as_background(FOLDER / "people.csv").people[:120])


@pytest.fixture(scope="module")
def cases() -> list[Document]:
    return list(load([FOLDER / "cases.jsonl"]))[:6]


def attempts(name: str, people: list[Person], cases: list[Document]) -> list[Attempt]:
    attack = registry.create("attack", name, {})
    assert isinstance(attack, LinkingAttack)
    assert attack.name == name
    assert attack.goal.endswith(".")
    return attack.fit(people).run({case.id: case.text for case in cases})


@pytest.mark.parametrize("name", NAMES)
def test_every_attack_names_people_best_first_and_the_words_that_gave_them_away(
    name: str, people: list[Person], cases: list[Document]
) -> None:
    made = attempts(name, people, cases)
    assert [(item.attack, item.document_id, item.rank) for item in made] == [(name, case.id, None) for case in cases]
    for attempt, case in zip(made, cases, strict=True):
        answers = [guess.answer for guess in attempt.guesses]
        assert len(set(answers)) == len(answers) <= MAX_GUESSES
        assert set(answers) <= {person.id for person in people}
        scores = [guess.score for guess in attempt.guesses]
        assert scores == sorted(scores, reverse=True)
        assert all(score > 0 for score in scores)
        if scores:
            second = scores[1] if len(scores) > 1 else 0.0
            assert attempt.score == pytest.approx((scores[0] - second) / scores[0])
            assert attempt.evidence
        weights = [clue.weight for clue in attempt.evidence]
        assert weights == sorted(weights, reverse=True)
        assert all(0 <= entry.start < entry.end <= len(case.text) for entry in attempt.evidence)


@pytest.mark.parametrize("name", NAMES)
def test_no_attack_goes_by_the_order_of_people_or_texts(name: str, people: list[Person], cases: list[Document]) -> None:
    forward = {attempt.document_id: attempt.guesses for attempt in attempts(name, people, cases)}
    backward = {item.document_id: item.guesses for item in attempts(name, people[::-1], cases[::-1])}
    assert forward == backward


@pytest.mark.parametrize("name", NAMES)
def test_a_text_that_shares_nothing_leads_to_nobody(name: str, people: list[Person]) -> None:
    (attempt,) = attempts(name, people, [Document("x", "…")])
    assert (attempt.guesses, attempt.evidence) == ((), ())
    with pytest.raises(RecipeError, match="no option 'speed'"):
        registry.create("attack", name, {"speed": 9})
