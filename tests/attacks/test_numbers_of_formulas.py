"""Every threshold and default of an attack's formula, held from both sides by numbers worked by hand."""

from __future__ import annotations

from inspect import signature
from math import log, sqrt
from types import ModuleType

import pytest

from sfumato.attacks import inference
from sfumato.attacks.base import MAX_GUESSES, Person
from sfumato.attacks.inference import FREQUENT_LEMMAS, GUESSES, LikelihoodGuesser
from sfumato.attacks.linking import combination
from sfumato.attacks.linking.dense import DenseAttack
from sfumato.attacks.linking.sparse import (
    Bm25Attack,
    CharacterAttack,
    CharacterGrams,
    NGrams,
    SkipGramAttack,
    SkipGrams,
    TfIdfAttack,
)
from sfumato.attacks.risk import STRONG_K, STRONG_RISK
from sfumato_papers.attacks import claims
from sfumato_papers.attacks.claims import KNOWN_CLAIMS, VOTES, ClaimsAttack, EmbeddingJudge, LexicalJudge
from sfumato_papers.attacks.rag import PASSAGES_SHOWN, Rag, fuse_rankings
from sfumato_papers.attacks.subjects import alignment, matching
from sfumato_papers.attacks.subjects import people as people_rules
from sfumato_papers.attacks.subjects.matching import agreement
from sfumato_papers.attacks.trir.attack import Trir
from sfumato_papers.attacks.trir.network import FINETUNING, MASKED, PRETRAINING


def test_claims_are_looked_up_by_the_bm25_of_lucene() -> None:
    records = {"x": "A nurse has asthma.", "y": "The nurse and the nurse bake.", "z": "Pilots fly 747 planes."}
    (attempt,) = ClaimsAttack().fit(records).run({"p": ["a nurse", "has asthma"]})
    # Terms: 2, 3 and 4, in the mean 3. idf: nurse ln(1 + 1.5/2.5) = .4700036, asthma ln(1 + 2.5/1.5) = .9808293.
    # x: (.4700036 + .9808293) * 1.9 / (1 + .9 (.6 + .4 * 2/3)) = 1.4508329 * 1.9/1.78; y: .4700036 * 3.8/2.9.
    assert [guess.answer for guess in attempt.guesses] == ["x", "y"]
    assert [guess.score for guess in attempt.guesses] == pytest.approx([1.548642, 0.615867], abs=2e-6)


@pytest.mark.parametrize("tag", ["NAME", "NATIONALITY", "OCCUPATION", "AFFILIATION", "POSITION"])
@pytest.mark.parametrize(
    ("truth", "guess", "expected"),
    [
        ("Gvesk", "Tvesk", 1),  # 4 of 5 letters: (4/5 + 4/5 + 1) / 3 = .867, no letter in common at the start
        ("Fwayle", "Fuale", 0),  # 4 of 6 and of 5: (4/6 + 4/5 + 1) / 3 = .822, and .1 of the rest for the F: .840
        ("Brelk", "Zrelt", 0),  # 3 of 5: (3/5 + 3/5 + 1) / 3 = .733
    ],
)
def test_names_are_the_same_from_a_similarity_of_85(tag: str, truth: str, guess: str, expected: float) -> None:
    assert agreement(tag, truth, guess) == expected


@pytest.mark.parametrize(("guess", "expected"), [("7946 001", 1), ("94 60 01", 0)])
def test_a_part_of_a_phone_number_has_at_least_seven_digits(guess: str, expected: float) -> None:
    assert agreement("PHONE_NUMBER", "020 7946 0018", guess) == expected


def people(*texts: str) -> list[Person]:
    return [Person(f"p{number}", (text,)) for number, text in enumerate(texts)]


def test_bm25_counts_pairs_of_words_repeats_and_length_in_full() -> None:
    attack = Bm25Attack(stems="none").fit(people("ash ash elm", "fir"))
    # 3 words and 2 pairs against 1 term, in the mean 3; idf ln(1 + 1.5/1.5); 2 · 3 / (2 + 2 · 5/3) = 1.125.
    assert attack.scores("ash", ["p0", "p1"]) == pytest.approx([1.125 * log(2), 0], rel=1e-6)


def test_tfidf_reads_words_and_pairs_of_words() -> None:
    attack = TfIdfAttack(stems="none").fit(people("ash elm fir", "fir elm ash"))
    # Three words that both have weigh 1 each, two pairs that one has ln(3/2) + 1 = 1.405465 each.
    assert attack.scores("ash elm fir", ["p0", "p1"]) == pytest.approx([1, 3 / (3 + 2 * 1.405465**2)], rel=1e-5)


def test_skip_grams_reach_four_words() -> None:
    attack = SkipGramAttack(stems="none").fit(people("ash hazel", "elm fir gorse ivy"))
    (near,) = attack.scores("ash elm fir gorse hazel", ["p0"])
    (far,) = attack.scores("ash elm fir gorse ivy hazel", ["p0"])
    assert near > far == 0


def test_characters_are_read_five_at_a_time() -> None:
    attack = CharacterAttack(stems="none").fit(people("hazel", "ivy"))
    # " haze", "hazel" and "azel " of the person, " haze" of the text: one of three.
    assert attack.scores("hazes", ["p0"]) == pytest.approx([1 / sqrt(3)], rel=1e-6)


def test_rankings_are_fused_with_sixty_added_to_each_rank() -> None:
    # a: 1/61 + 1/64 = .03202; b: 2/62 = .03226. Were nothing added, a would lead by 1.25 to 1.
    assert fuse_rankings([["a", "b", "c", "d"], ["e", "b", "f", "a"]])[:2] == ["b", "a"]


@pytest.mark.parametrize(
    ("made_by", "name", "default"),
    [
        (Rag, "candidates", 10),
        (Rag, "chunk", 128),
        (Rag, "retrieve", "dense"),
        (DenseAttack, "words", 100),
        (LexicalJudge, "similar", 0.5),
        (EmbeddingJudge, "same", 0.95),
        (EmbeddingJudge, "similar", 0.6),
        (LikelihoodGuesser, "candidates", 20),
        (Trir, "epochs", 15),
        (Trir, "pretraining_epochs", 3),
    ],
)
def test_defaults(made_by: type, name: str, default: object) -> None:
    assert signature(made_by).parameters[name].default == default


def test_numbers_that_reports_and_documents_name() -> None:
    assert (MAX_GUESSES, STRONG_RISK, STRONG_K, GUESSES, FREQUENT_LEMMAS, KNOWN_CLAIMS, VOTES, PASSAGES_SHOWN) == (
        50,
        0.09,
        11,
        5,
        200,
        3,
        3,
        5,
    )
    assert (PRETRAINING.batch, PRETRAINING.rate, PRETRAINING.window, PRETRAINING.overlap) == (8, 5e-5, 512, 128)
    assert (FINETUNING.batch, FINETUNING.rate, FINETUNING.window, FINETUNING.overlap) == (16, 5e-5, 100, 25)
    assert MASKED == 0.15


CONSTANTS: dict[ModuleType, dict[str, object]] = {
    claims: {"K1": 0.9, "B": 0.4},
    inference: {"_NGRAM": 4, "_INSIDE": 4, "_ACRONYM": 3},
    combination: {
        "HOLDOUT_SHARE": 0.25,
        "LONGEST": 400,
        "SHORTEST": 8,
        "MASKINGS": ((False, 0.0), (False, 0.3), (True, 0.2), (True, 0.5)),
        "MAX_PEOPLE": 1000,
        "MAX_PIECES": 800,
        "MAX_DRAWS": 4,
        "MIN_PIECES": 80,
        "EVENNESS_PENALTY": 0.1,
        "MIN_WEIGHT": 0.02,
    },
    alignment: {"VERSION_SHARE": 0.4, "LEAST_SCORE": 0.1},
    matching: {
        "MAX_CERTAINTY": 5,
        "MAX_VALUES": 2,
        "LEAST_CERTAINTY": 3,
        "YEARS": 5,
        "OVERLAP": 0.75,
        "SIMILAR": 0.85,
        "LEVELS": 4,
        "LONGEST_PREFIX": 3,
    },
    people_rules: {"YEAR": 2025},
}
"""Those that a page, a paper or the code of its authors names."""


@pytest.mark.parametrize(
    ("module", "name", "value"), [(module, *item) for module, values in CONSTANTS.items() for item in values.items()]
)
def test_constants(module: ModuleType, name: str, value: object) -> None:
    assert getattr(module, name) == value


def test_the_more_specific_a_context_the_more_it_counts() -> None:
    once = {"left": 0.3, "right": 0.3, "left two": 0.6, "right two": 0.6, "both": 1.0}
    assert once | {"all": 0.1, "similar": 1.5} == inference.WEIGHTS


def test_terms_have_a_largest_size() -> None:
    assert [NGrams(1).longest, NGrams(3).longest] == [1, 3]
    assert SkipGrams(10)
    assert CharacterGrams(1, 8)
    for too_small_or_large in (
        lambda: NGrams(0),
        lambda: NGrams(4),
        lambda: SkipGrams(0),
        lambda: SkipGrams(11),
        lambda: CharacterGrams(0, 5),
        lambda: CharacterGrams(5, 9),
    ):
        with pytest.raises(ValueError, match="got"):
            too_small_or_large()
