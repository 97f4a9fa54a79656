"""Frequency and taxonomy against values worked by hand."""

from __future__ import annotations

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training.tables import number_lines

from sfumato.errors import RecipeError
from sfumato.lexicon import tables
from sfumato.models.base import Range
from sfumato.models.table_scorers import (
    CONCEPTS,
    FREQUENCY_LANGUAGES,
    RAREST,
    FrequencyScorer,
    TaxonomyScorer,
    frequencies,
    hyponyms,
    lookup,
)
from tests.models.fakes import texts_and_terms
from tests.strategies import texts

TableScorer = FrequencyScorer | TaxonomyScorer
SCORERS: list[TableScorer] = [FrequencyScorer(), FrequencyScorer(language="de"), TaxonomyScorer()]


def of(scorer: TableScorer, term: str) -> float:
    (value,) = scorer.information(f"(( {term} ))", [(3, 3 + len(term))])
    return float(value)


@pytest.mark.parametrize(
    ("term", "probability"),
    [
        ("the", 10**-1.27),
        ("The", 10**-1.27),
        ("judge", 10**-4.05),
        ("the judge", 10**-4.05),
        ("1994", 10**-4.49),
        ("don’t", 10**-2.80),
        ("Quorvex", 10**-6.5),
        ("the Quorvex", 10**-6.5),
        ("judge's Quorvex", 10**-6.5),
        ("—", 1.0),
    ],
)
def test_frequency_by_hand(term: str, probability: float) -> None:
    assert of(FrequencyScorer(), term) == pytest.approx(-math.log(probability), abs=1e-9)


def test_frequency_in_other_languages() -> None:
    assert of(FrequencyScorer(language="es"), "el juez") < of(FrequencyScorer(language="es"), "the judge")
    french = FrequencyScorer(language="fr")
    assert of(french, "l'homme") == max(of(french, "l"), of(french, "homme"))
    assert of(FrequencyScorer(language="de"), "Straße") == of(FrequencyScorer(language="de"), "STRASSE")
    with pytest.raises(RecipeError, match="no word frequencies for language 'xx'"):
        FrequencyScorer(language="xx")


@pytest.mark.parametrize("language", FREQUENCY_LANGUAGES)
def test_no_listed_word_is_rarer_than_the_lowest_frequency(language: str) -> None:
    table = frequencies(language)
    assert len(table) > 50_000
    assert max(table.values()) == RAREST
    assert min(table.values()) > 0
    assert 0.5 < sum(10 ** (-rarity / 100) for rarity in table.values()) < 1.1


@pytest.mark.parametrize(
    ("term", "below", "concepts"),
    [
        ("entity", 82_114, 82_115),
        ("physical entity", 46_161, 82_115),
        ("dog", 189, 82_115),
        ("dogs", 189, 82_115),
        ("the dog", 189, 82_115),
        ("the dog's", 189, 82_115),
        ("women", hyponyms("noun")["woman"], 82_115),
        ("went", hyponyms("verb")["go"], 13_767),
        ("dog with Quorvex", 0, 82_115),
        ("Quorvex Belnikov", 0, 82_115),
        ("the", 82_114, 82_115),
        ("don't", 82_114, 82_115),
        ("...", 82_114, 82_115),
    ],
)
def test_taxonomy_by_hand(term: str, below: int, concepts: int) -> None:
    assert of(TaxonomyScorer(), term) == pytest.approx(-math.log((below + 1) / concepts), abs=1e-12)


def test_a_known_phrase_is_read_as_one() -> None:
    assert lookup("court_of_appeals", hyponyms("noun"), "noun") is not None
    assert of(TaxonomyScorer(), "the court of appeals") == of(TaxonomyScorer(), "court of appeals")


def test_taxonomy_is_that_of_seco_up_to_its_unit() -> None:
    for word in ("dog", "judge", "object"):
        seco = 1 - math.log(hyponyms("noun")[word] + 1) / math.log(CONCEPTS["noun"])
        assert of(TaxonomyScorer(), word) / math.log(CONCEPTS["noun"]) == pytest.approx(seco, abs=1e-12)


def test_a_kind_tells_more_than_what_it_is_a_kind_of() -> None:
    values = [
        of(TaxonomyScorer(), word) for word in ("poodle", "dog", "carnivore", "mammal", "animal", "organism", "entity")
    ]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.name)
@given(case=texts_and_terms(texts))
def test_values_are_finite_and_never_negative(scorer: TableScorer, case: tuple[str, list[Range]]) -> None:
    text, terms = case
    values = scorer.information(text, terms)
    assert values.shape == (len(terms),)
    assert values.dtype == np.float64
    assert np.isfinite(values).all()
    assert (values >= 0).all()


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.name)
def test_long_texts_do_no_harm(scorer: TableScorer) -> None:
    text = "x" * 1_000_000
    assert scorer.information(text, [(0, len(text))])[0] > 8
    assert scorer.information("", []).tolist() == []


@given(st.dictionaries(st.text("abcé_'", min_size=1), st.integers(0, 900), min_size=1))
def test_a_table_comes_back_as_it_was_packed(numbers: dict[str, int]) -> None:
    with patch("sfumato.lexicon.tables.table_lines", return_value=number_lines(numbers)):
        assert dict(tables.read_numbers.__wrapped__("any")) == numbers


def test_the_documented_example() -> None:
    text, terms = "The judge owns a poodle.", [(4, 9), (17, 23)]
    assert FrequencyScorer().information(text, terms).round(2).tolist() == [9.33, 13.77]
    assert TaxonomyScorer().information(text, terms).round(2).tolist() == [7.85, 9.71]
