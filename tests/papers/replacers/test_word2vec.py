"""Word2Vec protection on vectors that are given, so that every cosine is known; and on a corpus of invented people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sfumato import recipe as recipes
from sfumato.attacks.background import Background, as_background
from sfumato.document import Document, Release, Span
from sfumato.errors import InputError, RecipeError
from sfumato.generalize.hierarchy import Level
from sfumato.pipeline import Pipeline
from sfumato_papers.models.skip_gram import SkipGramSettings, WordVectors
from sfumato_papers.replacers import word2vec
from sfumato_papers.replacers.word2vec import Word2Vec

TEXT = "Ida Quorvex bought a cello in Velbrin. Quorvex likes soup."
PEOPLE = {"Ida Quorvex": "Ida Quorvex plays. " * 40, "Bo Tamsin": "Bo Tamsin cooks soup. " * 400}


def vectors(**cosines: float) -> WordVectors:
    """Unit vectors in the plane, each at the angle whose cosine with the person's vector is given."""
    rows = {"\0Ida Quorvex": 1.0, **{name.replace("_", " "): cosine for name, cosine in cosines.items()}}
    plane = np.array([[value, math.sqrt(1 - value**2)] for value in rows.values()], np.float32)
    return WordVectors({name: row for row, name in enumerate(rows)}, plane)


def edits(
    monkeypatch: pytest.MonkeyPatch, given: WordVectors, threshold: float, levels: Sequence[str] = ()
) -> dict[str, str]:
    """By replaced term what stands in its place."""
    monkeypatch.setattr(word2vec, "train", lambda sentences, settings: given)
    monkeypatch.setattr(word2vec, "generalize", lambda mention: tuple(Level(text, 1.0) for text in levels))
    replacer = Word2Vec(threshold=threshold, background=as_background(PEOPLE))
    document = Document("1", TEXT, subjects=("Ida Quorvex",))
    replacer.learn(lambda: [document])
    terms = ("Ida Quorvex", "cello", "Velbrin", "Quorvex", "soup")
    labels = ("PERSON", "MISC", "LOC", "PERSON", "MISC")
    starts = [TEXT.index(term) if index != 3 else TEXT.rindex(term) for index, term in enumerate(terms)]
    spans = [Span(start, start + len(term), label) for start, term, label in zip(starts, terms, labels, strict=True)]
    return {TEXT[edit.span.start : edit.span.end]: edit.replacement for edit in replacer.replace(document, spans)}


def test_only_terms_above_the_threshold_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    given = vectors(cello=0.6, velbrin=0.5, soup=-0.2)
    assert edits(monkeypatch, given, 0.5) == {"Ida Quorvex": "PERSON", "cello": "MISC", "Quorvex": "PERSON"}
    assert edits(monkeypatch, given, 0.25).keys() == {"Ida Quorvex", "cello", "Velbrin", "Quorvex"}
    assert edits(monkeypatch, given, -0.5).keys() == {"Ida Quorvex", "cello", "Velbrin", "Quorvex", "soup"}


def test_the_most_specific_generalization_below_the_threshold_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = ("string instrument", "instrument", "thing")
    given = vectors(cello=0.9, velbrin=0, soup=0, string_instrument=0.7, instrument=0.5, thing=0.1)
    assert edits(monkeypatch, given, 0.5, levels)["a cello"] == "an instrument"
    assert edits(monkeypatch, given, 0.45, levels)["cello"] == "thing"
    assert edits(monkeypatch, given, 0.05, levels)["cello"] == "MISC"
    # A generalization that stands in no text never stands beside the person.
    assert edits(monkeypatch, vectors(cello=0.9, velbrin=0, soup=0), 0.5, levels)["cello"] == "string instrument"


def test_a_term_without_a_vector_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Velbrin" in edits(monkeypatch, vectors(cello=0, soup=0), 0.5)


def seen(monkeypatch: pytest.MonkeyPatch, people: Any) -> list[list[str]]:
    """The sentences that the embedding is trained on."""
    collected: list[list[str]] = []

    def train(sentences: list[list[str]], settings: SkipGramSettings) -> WordVectors:
        collected.extend(sentence for sentence in sentences if sentence)
        return vectors()

    monkeypatch.setattr(word2vec, "train", train)
    background = as_background(people)
    Word2Vec(background=background).learn(lambda: [Document("1", TEXT, subjects=("Ida Quorvex",))])
    return collected


def test_documents_and_background_are_read_and_names_are_one_token(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = seen(monkeypatch, PEOPLE)
    person = "\0Ida Quorvex"
    assert sentences[:2] == [[person, "bought", "a", "cello", "in", "velbrin"], [person, "likes", "soup"]]
    assert [person, "plays"] in sentences
    assert ["\0Bo Tamsin", "cooks", "soup"] in sentences


@pytest.mark.parametrize("mention", ["Ida Quorvex", "Quorvex", "Ida Maria Quorvex", "Quorvex's"])
def test_every_form_of_a_name_is_the_person(monkeypatch: pytest.MonkeyPatch, mention: str) -> None:
    sentences = seen(monkeypatch, {**PEOPLE, "Ida Quorvex": f"{mention} plays. Ida Maria sings."})
    assert ["\0Ida Quorvex", "plays"] in sentences
    assert ["ida maria", "sings"] in sentences, "words beside a part of the name may make another's name"


def test_phrases_are_one_token(monkeypatch: pytest.MonkeyPatch) -> None:
    people = {**PEOPLE, "Ida Quorvex": "She wrote for a small harbour newspaper."}
    assert ["she", "wrote", "for", "a", "small harbour newspaper"] in seen(monkeypatch, people)


def test_too_small_a_corpus_is_refused() -> None:
    background = as_background({"Ida Quorvex": "Ida Quorvex sails.", "Bo Tamsin": "Bo Tamsin cooks."})
    with pytest.raises(InputError, match=r"have \d+ terms and words, too few to train word embeddings on \(1,000"):
        Word2Vec(background=background).learn(lambda: [Document("Ida Quorvex", TEXT)])


def test_a_person_without_a_name_in_the_texts_is_refused() -> None:
    background = as_background({"0017": "A plain text. " * 600, "0018": "Another plain text. " * 10})
    with pytest.raises(
        InputError, match=r"1 documents are about people whose names stand in no text .*column of names"
    ):
        Word2Vec(epochs=1, background=background).learn(lambda: [Document("0017", TEXT)])


def test_names_may_come_from_columns_of_the_background() -> None:
    read = as_background({"0017": "Ida Quorvex reads. " * 600, "0018": "Another plain text. " * 10})
    named = Background(read.people, read.records, names={"0017": ("Ida Quorvex",)})
    replacer = Word2Vec(epochs=1, background=named)
    replacer.learn(lambda: [Document("0017", TEXT)])
    [edit] = replacer.replace(Document("0017", TEXT), [Span(0, 11, "PERSON")])
    assert edit.replacement == "PERSON"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"threshold": 1}, "a cosine from -1 to below 1"), ({"threshold": "x"}, "a cosine"), ({"epochs": 0}, "epochs is")],
)
def test_options_are_checked(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Pipeline(recipes.load("labels").with_changes(replace={"default": {"use": "word2vec", **wrong}}))


@pytest.mark.parametrize("name", ["published/word2vec-0.5", "published/word2vec-0.25"])
def test_a_run_of_the_published_recipe_repeats(name: str) -> None:
    trades = {"Ida Quorvex": "cello", "Bo Tamsin": "soup", "Una Feld": "canoe"}
    people = {
        person: f"{person} has a {thing}. The {thing} made {person} famous. " * 60 for person, thing in trades.items()
    }
    documents = [Document(person, f"{person} owns a {thing}.") for person, thing in trades.items()]

    def run() -> list[str]:
        pipeline = Pipeline(recipes.load(name), background=as_background(people))
        pipeline.learn(lambda: documents)
        return [outcome.text for outcome in pipeline.anonymize(documents) if isinstance(outcome, Release)]

    first = run()
    assert first == run()
    assert all(person not in text for person, text in zip(trades, first, strict=True))
