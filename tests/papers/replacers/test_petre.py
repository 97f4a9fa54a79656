"""PETRE: its explanations beside plain ones, from every subset of terms; and what a run leaves of a text."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pytest

from sfumato import recipe as recipes
from sfumato.attacks.background import as_background
from sfumato.attacks.base import Person
from sfumato.attacks.linking.sparse import SparseAttack, TfIdfAttack
from sfumato.document import Document, Release, Span
from sfumato.errors import RecipeError, UnknownName
from sfumato.pipeline import Pipeline
from sfumato_papers.replacers.petre import NO_TERM, MaskedText, Petre, greedy_values, shapley_values

PEOPLE = [
    Person("ida", ("Judge, herons, red cello, Velbrin.",)),
    Person("bo", ("Cook, herons, Tarn, red canoe.",)),
    Person("una", ("Pilot, canoe, cello, garden.",)),
    Person("kim", ("Garden, pilot, judge, soup.",)),
]
TEXT = "The judge had a red cello, herons and a garden near Velbrin."
TERMS = ("judge", "red", "cello", "herons", "garden", "Velbrin")


def spans(text: str = TEXT, terms: tuple[str, ...] = TERMS) -> list[Span]:
    return [Span(text.index(term), text.index(term) + len(term), "MISC") for term in terms]


@pytest.fixture(scope="module")
def attack() -> SparseAttack:
    return TfIdfAttack().fit(PEOPLE)


def raw_scores(attack: SparseAttack, text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Scores without the text's own length, which is the same for all people."""
    query = attack.raw_query(attack.read(text))
    return np.asarray(attack.score_change(query.terms, np.asarray(query.weights, np.float64))).ravel()


def masked(kept: set[int]) -> str:
    text = TEXT
    for index, term in enumerate(TERMS):
        if index not in kept:
            text = text.replace(term, "SENSITIVE")
    return text


def test_shapley_values_agree_with_their_definition(attack: SparseAttack) -> None:
    row = attack.row("ida")

    def value(kept: set[int]) -> float:
        scores = raw_scores(attack, masked(kept))
        return float(scores[row] - scores.mean())

    n = len(TERMS)
    expected = {}
    for player in range(n):
        others = [index for index in range(n) if index != player]
        expected[player] = sum(
            factorial(size) * factorial(n - size - 1) / factorial(n) * (value({*some, player}) - value(set(some)))
            for size in range(n)
            for some in combinations(others, size)
        )
    values = shapley_values(attack, MaskedText(TEXT, spans(), "SENSITIVE"), np.array([row]))
    assert values == pytest.approx(expected, abs=1e-6)


def test_greedy_values_are_the_fall_of_the_share(attack: SparseAttack) -> None:
    row = attack.row("ida")

    def share(kept: set[int]) -> float:
        scores = raw_scores(attack, masked(kept))
        return float(scores[row] / scores.sum())

    everything = set(range(len(TERMS)))
    expected = {term: share(everything) - share(everything - {term}) for term in everything}
    values = greedy_values(attack, MaskedText(TEXT, spans(), "SENSITIVE"), np.array([row]))
    assert values == pytest.approx(expected, abs=1e-6)


def test_offsets_of_a_masked_text_lead_to_the_terms_that_are_left() -> None:
    text = MaskedText(TEXT, spans(), "XXXX")
    text.mask_term(1)
    assert text.text == TEXT.replace("red", "XXXX")
    assert text.left == {0, 2, 3, 4, 5}
    offsets = [text.text.index(word) for word in ("judge", "XXXX", "cello", "had", "Velbrin")]
    assert text.term_at(np.array(offsets)).tolist() == [0, NO_TERM, 2, NO_TERM, 5]
    assert text.without(5) == text.text.replace("Velbrin", "XXXX")
    empty = MaskedText("plain", [], "X")
    assert empty.term_at(np.array([0])).tolist() == [NO_TERM]


def test_all_instances_of_a_term_are_masked() -> None:
    text = "Heron, heron and HERON."
    places = [Span(0, 5, "MISC"), Span(7, 12, "MISC"), Span(17, 22, "MISC")]
    masked_text = MaskedText(text, places, "X")
    masked_text.mask_term(0)
    assert masked_text.text == "X, X and X."


def run(options: dict[str, object]) -> tuple[str, Pipeline]:
    recipe = recipes.load("published/petre").with_changes(replace={"default": {"use": "petre", **options}})
    pipeline = Pipeline(recipe, background=as_background(PEOPLE))
    documents = [Document("ida", TEXT)]
    pipeline.learn(lambda: documents)
    [outcome] = pipeline.anonymize(documents)
    assert isinstance(outcome, Release)
    return outcome.text, pipeline


@pytest.mark.parametrize("explain", ["shapley", "greedy"])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_k_people_fit_the_release_as_well(attack: SparseAttack, explain: str, k: int) -> None:
    text, _ = run({"k": k, "explain": explain})
    scores = attack.scores(text)
    assert (scores >= scores[attack.row("ida")] - 1e-6).sum() >= k


def test_a_larger_k_masks_more_and_nothing_more_than_needed_is_masked() -> None:
    counts = [run({"k": k})[0].count("SENSITIVE") for k in (2, 3, 4)]
    assert counts == sorted(counts)
    assert counts[0] < len(TERMS)


def test_a_start_is_masked_first() -> None:
    text, _ = run({"k": 2, "start": ["rules", "tagger"]})
    assert "Velbrin" not in text


def test_a_document_that_cannot_reach_k_is_counted() -> None:
    replacer = Petre(k=4, background=as_background(PEOPLE))
    document = Document("ida", TEXT)
    replacer.learn(lambda: [document])
    assert not replacer.remarks
    [edit] = replacer.replace(document, [span for span in spans() if TEXT[span.start : span.end] == "red"])
    assert edit.replacement == "SENSITIVE"
    assert replacer.remarks == ["petre: 1 documents are released below rank 4, though all of their terms are masked"]


def test_another_attack_is_explained_by_running_it_again() -> None:
    text, _ = run({"k": 2, "attack": "combination", "explain": "greedy"})
    assert "SENSITIVE" in text


def test_bad_options_are_refused() -> None:
    with pytest.raises(RecipeError, match="no explanation 'shap'"):
        run({"explain": "shap"})
    with pytest.raises(UnknownName, match="does not link texts to people"):
        run({"attack": "inference"})
    with pytest.raises(UnknownName, match="no attack 'tfidff'"):
        run({"attack": "tfidff"})
    with pytest.raises(RecipeError, match=r"attacks by shared terms.*'dense' is none: add explain"):
        run({"attack": "dense"})
