"""The combination: its pieces, its weights, and what it makes of its members."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import Vocabulary
from sfumato.attacks.linking.combination import MASKINGS, CombinedAttack, split_holdout
from sfumato.attacks.linking.fusion import adapt_weights, fit_weights, sure_links
from sfumato.attacks.linking.ranking import Scores
from sfumato.models.base import Floats

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
        alone = member.scores(text)
        expected += weight * alone / (np.std(alone) or 1)
    np.testing.assert_allclose(attack.scores(text), expected, rtol=1e-5)
    assert sum(attack.weights.values()) == pytest.approx(1)
    assert attack.weights == CombinedAttack(seed=2).fit(people[::-1]).weights
    (attempt,) = attack.run({"d": text})
    assert attempt.guesses[0].answer == "p04"


def test_too_few_people_count_members_equally() -> None:
    assert set(CombinedAttack().fit(people_of(3)).weights.values()) == {1 / 4}


def release_scores(seed: int) -> Scores:
    """Scores [release, person, member] of 100 releases, each about the person with its number.

    The second and the third member agree, in their mistakes as well; the first stands out more for the true person.
    """
    chance, at = np.random.default_rng(seed), np.arange(100)
    scores = chance.exponential(size=(100, 200, 3)).astype(np.float32)
    scores[:, :, 2] = scores[:, :, 1]
    scores[at, at, 0] += chance.uniform(0, 20, 100)
    scores[at, at, 1:] += chance.uniform(0, 4, 100)[:, None]
    scores /= scores.std(axis=1, keepdims=True)
    return scores


def count_found(scores: Scores, weights: Floats) -> int:
    return int(((scores @ weights).argmax(axis=1) == np.arange(len(scores))).sum())


def test_weights_that_releases_correct_find_more_of_their_people() -> None:
    learned = np.full(3, 1 / 3)
    gains = []
    for seed in range(1, 7):
        scores = release_scores(seed)
        weights = adapt_weights(scores, learned)
        assert weights.sum() == pytest.approx(1)
        assert weights[0] >= 0.33
        gains.append(count_found(scores, weights) - count_found(scores, learned))
    assert min(gains) >= 0
    assert np.mean(gains) > 5


def test_with_few_releases_the_weights_of_the_background_stay() -> None:
    learned = np.array([0.2, 0.4, 0.4])
    assert (adapt_weights(release_scores(3)[:9], learned) == learned).all()


def test_no_link_is_sure_where_two_releases_fit_the_same_person() -> None:
    scores = release_scores(4)[:, :, 0]
    scores[np.arange(100), np.arange(100)] += 20
    scores[1] = scores[0]
    releases, people = sure_links(scores, 0.9)
    assert releases.tolist() == people.tolist() == list(range(2, 100))


def test_a_run_starts_from_the_weights_of_the_background() -> None:
    people = people_of(40)
    attack = CombinedAttack(seed=2).fit(people)
    before = attack.weights
    released = {person.id: person.texts[0][:150] for person in people}
    first = attack.run(released)
    assert sum(attack.weights.values()) == pytest.approx(1)
    assert attack.run(dict(reversed(released.items()))) == first[::-1]
    attack.run({"p04": released["p04"]})
    assert attack.weights == before
