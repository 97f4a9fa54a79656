"""The sparse attacks against hand-worked cases, scikit-learn, literal formulas and brute force."""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from sfumato.attacks.base import MAX_GUESSES, LinkingAttack, Person
from sfumato.attacks.linking.combination import CombinedAttack
from sfumato.attacks.linking.dense import DenseAttack
from sfumato.attacks.linking.ranking import RankingAttack, top_rows
from sfumato.attacks.linking.sparse import Bm25Attack, CharacterAttack, SkipGramAttack, TfIdfAttack
from sfumato.errors import InputError, NotMeasurable

KINDS = (TfIdfAttack, Bm25Attack, SkipGramAttack, CharacterAttack, CombinedAttack, DenseAttack)
VILLAGE = [
    Person("anna", ("Anna Quorvex keeps bees in Nether Wickle and sells honey to sailors.", "She once rowed a ferry.")),
    Person("bert", ("Bert Olmqvist repaired church organs and collected brass buttons from the coast.",)),
    Person("cleo", ("Cleo Vanterpool judged pigeon races, and wrote ballads about the lighthouse keeper.",)),
]
RELEASED = "PERSON_1 collects brass buttons and repaired <mask> organs; brass *** above all."

WORDS = st.lists(st.sampled_from("ash beech cedar elm fir gorse hazel ivy juniper".split()), min_size=1, max_size=30)
TEXTS = WORDS.map(" ".join)
BACKGROUNDS = st.lists(TEXTS, min_size=2, max_size=6)


def people(texts: list[str]) -> list[Person]:
    return [Person(f"p{number}", (text,)) for number, text in enumerate(texts)]


def test_cosine_by_hand() -> None:
    attack = TfIdfAttack(longest=1, stems="none").fit(people(["ash elm", "elm fir fir"]))
    both, one = math.log(3 / 3) + 1, math.log(3 / 2) + 1
    first = math.hypot(both, one)
    fir = (1 + math.log(2)) * one
    second = math.hypot(both, fir)
    text = math.hypot(both, one)
    expected = [both * both / (first * text), (both * both + one * fir) / (second * text)]
    assert attack.scores("elm fir", ["p0", "p1"]) == pytest.approx(expected, rel=1e-6)
    (attempt,) = attack.run({"d": "elm fir"})
    assert [guess.answer for guess in attempt.guesses] == ["p1", "p0"]
    assert attempt.score == pytest.approx((expected[1] - expected[0]) / expected[1], rel=1e-5)
    assert attempt.rank is None


@given(BACKGROUNDS, TEXTS, st.integers(1, 3))
def test_tfidf_is_scikit_learns(texts: list[str], released: str, longest: int) -> None:
    reference = TfidfVectorizer(ngram_range=(1, longest), sublinear_tf=True)
    known = reference.fit_transform(texts)
    expected = (reference.transform([released]) @ known.T).toarray()[0]
    scores = TfIdfAttack(longest=longest, stems="none").fit(people(texts)).all_scores(released)
    np.testing.assert_allclose(scores, expected, atol=1e-6)


@given(BACKGROUNDS, TEXTS, st.sampled_from([1.0, 1.5, 2.0, 3.0]))
def test_rarity_is_a_power_of_the_idf(texts: list[str], released: str, rarity: float) -> None:
    words = sorted({word for text in texts for word in text.split()})
    idf = {
        word: (math.log((1 + len(texts)) / (1 + sum(word in text.split() for text in texts))) + 1) ** rarity
        for word in words
    }

    def vector(text: str) -> list[float]:
        counts = Counter(text.split())
        raw = [(1 + math.log(counts[word])) * idf[word] if counts[word] else 0.0 for word in words]
        length = math.sqrt(sum(value * value for value in raw)) or 1.0
        return [value / length for value in raw]

    expected = [sum(a * b for a, b in zip(vector(text), vector(released), strict=True)) for text in texts]
    attack = TfIdfAttack(longest=1, stems="none", rarity=rarity).fit(people(texts))
    np.testing.assert_allclose(attack.all_scores(released), expected, atol=1e-5)


@given(BACKGROUNDS, TEXTS)
def test_characters_are_scikit_learns(texts: list[str], released: str) -> None:
    def pieces(text: str) -> list[str]:
        padded = [f" {word} " for word in text.split()]
        return [word[at : at + n] for word in padded for n in (3, 4) for at in range(len(word) - n + 1)]

    reference = TfidfVectorizer(analyzer=pieces, sublinear_tf=True)
    known = reference.fit_transform(texts)
    expected = (reference.transform([released]) @ known.T).toarray()[0]
    attack = CharacterAttack(shortest=3, longest=4, stems="none").fit(people(texts))
    np.testing.assert_allclose(attack.all_scores(released), expected, atol=1e-6)


@given(BACKGROUNDS, TEXTS)
def test_skip_grams_are_scikit_learns(texts: list[str], released: str) -> None:
    def pairs(text: str) -> list[str]:
        words = text.split()
        return [f"{a}+{b}" for at, a in enumerate(words) for b in words[at + 1 : at + 4]] or ["nothing at all"]

    reference = TfidfVectorizer(analyzer=pairs, sublinear_tf=True)
    known = reference.fit_transform(texts)
    known[:, reference.vocabulary_.get("nothing at all", 0)] *= "nothing at all" not in reference.vocabulary_
    row = reference.transform([released if len(released.split()) > 1 else "none"])
    scores = SkipGramAttack(reach=3, stems="none").fit(people(texts)).all_scores(released)
    if all(len(text.split()) > 1 for text in [*texts, released]):
        np.testing.assert_allclose(scores, (row @ known.T).toarray()[0], atol=1e-6)


@given(BACKGROUNDS, TEXTS)
def test_bm25_is_its_formula(texts: list[str], released: str) -> None:
    k1, b = 1.3, 0.6
    counts = [Counter(text.split()) for text in texts]
    mean = sum(map(Counter.total, counts)) / len(counts)
    expected = []
    for own in counts:
        score = 0.0
        for word in released.split():
            frequency = sum(word in other for other in counts)
            idf = math.log(1 + (len(counts) - frequency + 0.5) / (frequency + 0.5))
            score += idf * own[word] * (k1 + 1) / (own[word] + k1 * (1 - b + b * own.total() / mean))
        expected.append(score)
    attack = Bm25Attack(longest=1, k1=k1, b=b, stems="none").fit(people(texts))
    np.testing.assert_allclose(attack.all_scores(released), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_evidence_points_at_the_words_and_sums_to_the_score(kind: type[RankingAttack]) -> None:
    attack = kind().fit(VILLAGE)
    assert isinstance(attack, LinkingAttack)
    (attempt,) = attack.run({"d": RELEASED})
    assert attempt.guesses[0].answer == "bert"
    assert attempt.evidence
    for clue in attempt.evidence:
        assert RELEASED[clue.start : clue.end] == clue.term
    assert sum(item.weight for item in attempt.evidence) == pytest.approx(1, abs=1e-5)
    assert list(attempt.evidence) == sorted(attempt.evidence, key=lambda one: -one.weight)
    for person in VILLAGE:
        (score,) = attack.scores(RELEASED, [person.id])
        assert sum(share.weight for share in attack.contributions(RELEASED, person.id)) == pytest.approx(
            score, abs=1e-5
        )


@pytest.mark.parametrize("kind", [TfIdfAttack, Bm25Attack, SkipGramAttack, CharacterAttack])
def test_every_occurrence_is_named_and_no_placeholder(kind: type[RankingAttack]) -> None:
    shares = kind().fit(VILLAGE).contributions(RELEASED, "bert")
    if kind is not SkipGramAttack:
        brass = [share.start for share in shares if share.term == "brass"]
        assert sorted(brass) == [match.start() for match in re.finditer("brass", RELEASED)]
    hidden = [match.span() for match in re.finditer(r"PERSON_1|<mask>|\*\*\*", RELEASED)]
    assert not any(item.start < end and start < item.end for item in shares for start, end in hidden)


@pytest.mark.parametrize("kind", KINDS)
@given(texts=BACKGROUNDS, released=TEXTS, chance=st.randoms())
def test_the_order_of_the_background_is_no_matter(
    kind: type[RankingAttack], texts: list[str], released: str, chance: object
) -> None:
    known = people(texts)
    shuffled = sorted(known, key=lambda person: chance.random())  # type: ignore[attr-defined]
    assert kind().fit(known).run({"d": released}) == kind().fit(shuffled).run({"d": released})


@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), max_size=40), st.integers(1, 10))
def test_the_best_are_those_of_a_full_sort(values: list[float], size: int) -> None:
    scores = np.array(values, np.float32)
    full = [row for row in sorted(range(len(values)), key=lambda row: (-values[row], row)) if values[row] > 0]
    assert top_rows(scores, size) == full[:size]


def test_at_most_fifty_people_are_guessed() -> None:
    attack = TfIdfAttack().fit(people(["willow pond"] * (MAX_GUESSES + 9)))
    (attempt,) = attack.run({"d": "by the willow pond"})
    assert [guess.answer for guess in attempt.guesses] == sorted(f"p{n}" for n in range(MAX_GUESSES + 9))[:MAX_GUESSES]
    assert attempt.score == 0


@pytest.mark.parametrize("kind", KINDS)
def test_bad_input(kind: type[RankingAttack]) -> None:
    with pytest.raises(InputError, match="the background is empty"):
        kind().fit([])
    with pytest.raises(InputError, match="names 1 people twice"):
        kind().fit([*VILLAGE, VILLAGE[0]])
    with pytest.raises(NotMeasurable, match="fit it on a background first"):
        kind().run({"d": "text"})
    attack = kind().fit(VILLAGE)
    for nothing in ("", "   ", "*** [PERSON] SENSITIVE"):
        (attempt,) = attack.run({"d": nothing})
        assert (attempt.guesses, attempt.score, attempt.evidence) == ((), None, ())
    with pytest.raises(NotMeasurable, match="nobody with the id 'dora'"):
        attack.scores("text", ["dora"])


@pytest.mark.parametrize("kind", KINDS)
def test_one_person_another_language_and_a_long_text(kind: type[RankingAttack]) -> None:
    (attempt,) = kind().fit(VILLAGE[:1]).run({"d": VILLAGE[0].texts[0]})
    assert [guess.answer for guess in attempt.guesses] == ["anna"]
    assert attempt.score == 1
    attack = kind().fit([*VILLAGE, Person("dora", ("",))])
    for text in ("Никто не знает 海辺の灯台", "brass buttons " * 20_000):
        (attempt,) = attack.run({"d": text})
        assert "dora" not in [guess.answer for guess in attempt.guesses]


def test_unknown_settings_are_named() -> None:
    with pytest.raises(ValueError, match="no stems for 'klingon'"):
        TfIdfAttack(stems="klingon")
    with pytest.raises(ValueError, match="1 to 3 words"):
        TfIdfAttack(longest=4)
    with pytest.raises(ValueError, match="a power above 0"):
        TfIdfAttack(rarity=0)
    with pytest.raises(ValueError, match="1 to 10 apart"):
        SkipGramAttack(reach=0)
    with pytest.raises(ValueError, match="1 to 8 characters"):
        CharacterAttack(shortest=4, longest=3)
    with pytest.raises(ValueError, match="between 0 and 1"):
        Bm25Attack(b=2)
