"""The combination: its pieces, its weights, and what it makes of its members."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import Vocabulary
from sfumato.attacks.linking.combination import MASKINGS, CombinedAttack, fit_weights, split_holdout

CHANCE = np.random.default_rng(3)
VOCABULARY = [
    f"{a}{b}" for a in "gorse hazel ivy juniper larch maple oak pine".split() for b in "ling wood shaw den".split()
]


def people_of(count: int) -> list[Person]:
    texts = [" ".join(CHANCE.choice(VOCABULARY, 60)) + " Quorvex 1971" for _ in range(count)]
    return [Person(f"p{number:02}", (text,)) for number, text in enumerate(texts)]


def test_pieces_are_held_out_and_lose_names_where_masked() -> None:
    vocabulary = Vocabulary("none")
    words = vocabulary.read(people_of(5))
    rest, pieces = split_holdout(words, seed=1)
    assert [piece.owner for piece in pieces] == [owner for owner in range(5) for _ in MASKINGS]
    size = int(62 * 0.25)
    assert len(rest.ids) == 5 * (62 - size)
    for piece, masking in zip(pieces, MASKINGS * 5, strict=True):
        assert len(piece.text) <= size
        if masking.names:
            assert not {"quorvex", "1971"} & set(piece.text.forms)
        if masking.share == 0:
            assert len(piece.text) == size
    again = split_holdout(words, seed=1)[1]
    assert all((a.text.ids == b.text.ids).all() for a, b in zip(pieces, again, strict=True))


def test_the_member_that_finds_owners_gets_the_weight() -> None:
    owners = np.arange(200) % 10
    chance = np.random.default_rng(1)
    scores = chance.random((200, 10, 2)).astype(np.float32)
    scores[np.arange(200), owners, 0] += 0.3
    weights = fit_weights(scores, owners)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.7


def test_the_score_is_the_weighted_sum_of_scores_in_deviations() -> None:
    people = people_of(30)
    attack = CombinedAttack(seed=2).fit(people)
    text = people[4].texts[0][:120]
    expected = np.zeros(30)
    for weight, member in zip(attack.weights.values(), attack._members, strict=True):
        if weight == 0:
            continue
        alone = member.all_scores(text)
        expected += weight * alone / (np.std(alone) or 1)
    np.testing.assert_allclose(attack.all_scores(text), expected, rtol=1e-5)
    assert sum(attack.weights.values()) == pytest.approx(1)
    assert attack.weights == CombinedAttack(seed=2).fit(people[::-1]).weights
    (attempt,) = attack.run({"d": text})
    assert attempt.guesses[0].answer == "p04"


def test_too_few_people_count_members_equally() -> None:
    assert set(CombinedAttack().fit(people_of(3)).weights.values()) == {1 / 4}
