"""Late interaction: its score against one worked out word by word, its evidence, and words that mean the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sfumato.attacks.base import Person
from sfumato.attacks.linking import fusion, late_interaction
from sfumato.attacks.linking.late_interaction import NEAR, LateInteractionAttack
from sfumato.attacks.suite import default_attacks
from sfumato.models import word_vectors

PEOPLE = [
    Person("a", ("She keeps bees and sells honey at the market. Her brother repairs church organs.",)),
    Person("b", ("He drives a tram through the old town and paints tiles in the evening.", "He likes boats.")),
    Person("c", ("A trawler captain who mends nets and fishes for cod in winter storms.",)),
    Person("d", ("The surgeon operates on knees and plays the cello with the hospital orchestra.",)),
]


@pytest.fixture(scope="module")
def attack() -> LateInteractionAttack:
    return LateInteractionAttack().fit(PEOPLE)


def test_the_score_is_the_weighted_sum_of_nearest_words(attack: LateInteractionAttack) -> None:
    text = "The skipper of the fishing boat mended nets; nets and more nets."
    starts, ends, weights, vectors, _ = attack._words_of(text)
    assert weights.sum() == pytest.approx(1)
    expected = np.zeros(4)
    position = 0
    for row, size in enumerate(attack._sizes.tolist()):
        known = attack._known[position : position + size]
        position += size
        for weight, vector in zip(weights, vectors, strict=True):
            expected[row] += weight * max(0.0, max(float(vector @ known_text) for known_text in known) - NEAR)
    np.testing.assert_allclose(attack.raw_scores(text), expected, atol=1e-5)
    scores, shared = attack.read(text)
    np.testing.assert_allclose(scores, (expected - expected.mean()) / expected.std(), atol=1e-3)
    assert (shared == (expected > 0)).all()
    # "nets" stands three times and counts 1 + ln 3 times; once would be the weight of a word as rare.
    words = [text[start:end].lower() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    nets = sum(weight for weight, word in zip(weights, words, strict=True) if word == "nets")
    once = next(weight for weight, word in zip(weights, words, strict=True) if word == "mended")
    rarities = np.log(5 / 2) / np.log(5 / 1)  # one person has "nets", nobody has "mended"
    assert nets / once == pytest.approx((1 + np.log(3)) * rarities, rel=1e-5)


def test_what_is_remembered_of_texts_is_bounded_and_changes_nothing(
    attack: LateInteractionAttack, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"The skipper of boat {number} mended nets in winter." for number in range(6)]
    alone = [LateInteractionAttack().fit(PEOPLE).raw_scores(text) for text in texts]
    monkeypatch.setattr("sfumato.attacks.linking.late_interaction._KEPT_NUMBERS", 1500)
    for _ in range(2):
        for text, expected in zip(texts, alone, strict=True):
            np.testing.assert_array_equal(attack.raw_scores(text), expected)
            assert sum(kept.size for kept in attack._read_texts.values()) == attack._kept_numbers <= 1500
    assert 1 < len(attack._read_texts) < 6


def test_a_background_that_was_read_before_is_not_read_again(
    attack: LateInteractionAttack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "The skipper of the fishing boat mended nets."
    LateInteractionAttack(folder=tmp_path).fit(PEOPLE)
    with monkeypatch.context() as patched:
        patched.delattr(LateInteractionAttack, "_read_background")
        again = LateInteractionAttack(folder=tmp_path).fit(PEOPLE)
        with pytest.raises(AttributeError):
            LateInteractionAttack(folder=tmp_path).fit(PEOPLE[:3])
    np.testing.assert_array_equal(again.raw_scores(text), attack.raw_scores(text))


def test_other_words_of_the_same_meaning_lead_to_the_person(attack: LateInteractionAttack) -> None:
    (attempt,) = attack.run({"x": "A skipper catches fish at sea when the weather is rough."})
    assert attempt.guesses[0].answer == "c"
    assert sum(item.weight for item in attempt.evidence) == pytest.approx(1)
    assert all(attempt.evidence[0].weight >= item.weight for item in attempt.evidence)


def test_blocks_of_people_do_not_change_scores(attack: LateInteractionAttack, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "She sells honey in the old town."
    whole = attack.read(text).scores
    monkeypatch.setattr(late_interaction, "_BLOCK", 1)
    np.testing.assert_allclose(attack.read(text).scores, whole, atol=1e-6)


def test_it_runs_where_it_is_named(attack: LateInteractionAttack) -> None:
    assert "late-interaction" not in default_attacks()
    assert attack.run({"x": "…"})[0].guesses == ()


def test_vectors_of_words_are_means_of_their_sub_tokens_and_depend_on_context() -> None:
    model = word_vectors.load()
    texts = [("the river bank", [(4, 9), (10, 14)]), ("the savings bank", [(4, 11), (12, 16)]), ("", [])]
    river, savings, nothing = model.embed(texts)
    assert river.shape == (2, word_vectors.DIMENSIONS)
    assert not np.allclose(river[1], savings[1], atol=0.05)
    assert nothing.shape == (0, word_vectors.DIMENSIONS)
    long = "word " * 600
    ranges = [(5 * number, 5 * number + 4) for number in range(600)]
    (vectors,) = model.embed([(long, ranges)])
    assert np.isfinite(vectors).all()
    assert (np.linalg.norm(vectors, axis=1) > 0).all()


def test_among_many_people_the_likeliest_are_compared_exactly(
    attack: LateInteractionAttack, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "She keeps bees and paints tiles."
    whole = attack.raw_scores(text)
    np.testing.assert_allclose(attack._scores_of(text, np.array([0, 3])), whole[[0, 3]], atol=1e-6)
    assert attack.read_likely(text).scores == pytest.approx(attack.read(text).scores)
    monkeypatch.setattr(fusion, "LARGE", 3)
    monkeypatch.setattr(late_interaction, "CANDIDATES", 2)
    assert attack.sample == late_interaction.READ_IN_FULL
    scores, shared = attack.read_likely(text)
    assert shared[[0, 1]].all()  # they share words with the text
    assert int(np.argmax(np.where(shared, scores, -np.inf))) == int(np.argmax(whole))
