"""The detector ``terms`` and what the methods share that read a background."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sfumato import recipe as recipes
from sfumato.attacks.background import as_background
from sfumato.document import Document
from sfumato.errors import InputError, NotMeasurable, RecipeError
from sfumato.pipeline import Pipeline
from sfumato_papers.detectors.terms import TermDetector, find_terms, term_key

TEXT = "Ida Quorvex's debut novel made her a famous writer. In June 1987 she moved to a small harbour town."


def shown(text: str, *, words: bool) -> list[str]:
    return [text[start:end] for start, end in find_terms(text, words=words)]


def test_terms_are_entities_and_noun_phrases_without_determiners() -> None:
    phrases = ["Ida Quorvex", "debut novel", "famous writer", "June 1987", "small harbour town"]
    assert shown(TEXT, words=False) == phrases


def test_with_words_everything_but_stop_words_is_a_term() -> None:
    both = shown(TEXT, words=True)
    assert set(shown(TEXT, words=False)) <= set(both)
    assert "moved" in both
    assert not {"her", "to", "a", "she", "In"} & set(both)
    assert shown("the of and", words=True) == []


def test_the_same_words_are_the_same_term() -> None:
    assert term_key("Small Harbour-Town’s") == term_key("small harbour town") == "small harbour town"


def test_spans_are_disjoint_and_labelled_by_the_detectors() -> None:
    [spans] = TermDetector().detect([Document("1", TEXT)])
    assert all(before.end <= after.start for before, after in pairwise(spans))
    labels = {TEXT[span.start : span.end]: span.label for span in spans}
    assert (labels["Ida Quorvex"], labels["June 1987"], labels["debut novel"]) == ("PERSON", "DATETIME", "MISC")
    assert TermDetector().detect([Document("2", "")]) == [[]]


METHODS = ("word2vec-0.5", "word2vec-0.25", "k-anonymity-greedy", "k-anonymity-random", "petre")
PEOPLE = {f"Person {letter}": f"Person {letter} lives in town {letter} and sails boats." for letter in "ABCDEFGHIJKLM"}


@pytest.mark.parametrize("name", METHODS)
def test_without_a_background_each_says_what_is_missing(name: str) -> None:
    pipeline = Pipeline(recipes.load(f"published/{name}"))
    documents = [Document("Person A", "Person A sails boats.")]
    with pytest.raises(RecipeError, match=r"needs a background.*give --background FILE"):
        pipeline.learn(lambda: documents)
    with pytest.raises(RecipeError, match="needs a background"):
        list(pipeline.anonymize(documents))


@pytest.mark.parametrize("name", METHODS)
def test_a_document_about_nobody_in_the_background_stops_the_run(name: str) -> None:
    pipeline = Pipeline(recipes.load(f"published/{name}"), background=as_background(PEOPLE))
    both = [Document("Person A", "Person A sails boats."), Document("stray", "Nobody knows them.")]
    with pytest.raises(
        InputError, match=r"1 of 2 documents are about nobody in the background \(.*stray.*--subject-table"
    ):
        pipeline.learn(lambda: both)
    with pytest.raises(NotMeasurable, match="not one of 1 documents"):
        pipeline.learn(lambda: both[1:])


@pytest.mark.parametrize("name", [name for name in METHODS if not name.startswith("word2vec")])
def test_k_larger_than_the_background_is_refused(name: str) -> None:
    recipe = recipes.load(f"published/{name}")
    options = recipe.replace["default"].model_dump() | {"k": 14}
    larger = recipe.with_changes(replace={"default": options})
    pipeline = Pipeline(larger, background=as_background(PEOPLE))
    with pytest.raises(InputError, match=r"k = 14, and the background holds 13 people: choose a smaller k"):
        pipeline.learn(lambda: [Document("Person A", "Person A sails boats.")])


@pytest.mark.parametrize("name", ["petre", "k-anonymity"])
@pytest.mark.parametrize("k", [1, 0, 2.5, True, "3"])
def test_k_is_a_whole_number_of_2_or_more(name: str, k: object) -> None:
    with pytest.raises(RecipeError, match="k is a whole number of 2 or more"):
        Pipeline(recipes.load("labels").with_changes(replace={"default": {"use": name, "k": k}}))
