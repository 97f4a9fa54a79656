"""Sorted tables and the words of a text: the same answers as a dictionary and a regular expression give."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon import tables, wordnet, world
from sfumato.lexicon.grammar import LEMMA_TABLES
from sfumato.lexicon.tables import SortedTable
from sfumato.lexicon.tokens import contains_phrase, folded_words
from sfumato.models.table_scorers import FREQUENCY_LANGUAGES, frequencies
from sfumato.replacers.generalize import most_used_lemmas

NAMES = st.text("ab zé-'", min_size=1, max_size=4)


@given(st.dictionaries(NAMES, st.text("xy; ", max_size=3)), NAMES)
def test_a_sorted_table_answers_as_a_dictionary(entries: dict[str, str], asked: str) -> None:
    lines = sorted(f"{name}\t{value}" for name, value in entries.items())
    with patch("sfumato.lexicon.tables._table_bytes", return_value="\n".join(lines).encode()):
        table = SortedTable("any")
    for name in (*entries, asked) * 2:
        assert table.get(name) == entries.get(name)
        assert (name in table) == (name in entries)
        if name == asked:
            assert table.lines == "\n".join(lines).split("\n")  # from here on, lines are searched


@pytest.mark.parametrize(
    "table", ["villages", "town_names", "en/hypernym_names", *(f"{language}/lemmas" for language in LEMMA_TABLES)]
)
def test_the_shipped_tables_are_sorted_and_name_each_thing_once(table: str) -> None:
    lines = tables.table_lines(table)
    names = [line.partition("\t")[0] for line in lines]
    assert lines == sorted(lines)
    assert len(set(names)) == len(names)


def test_the_indexes_point_at_lines_that_have_the_name() -> None:
    index = wordnet.concept_names()
    for line in index.lines[:: len(index.lines) // 500]:
        name = line.partition("\t")[0]
        for number in index.numbers(name):
            listed = wordnet.concept_rows()[number].split("\t")[0].casefold().split(" ")
            assert name in [entry.partition(":")[0] for entry in listed]
    for number in range(0, world.town_count(), 500):
        town = world.town_at(number)
        assert town in world.find_settlements(town.name)


def test_towns_of_a_country_are_those_of_the_table() -> None:
    expected = [town for town in world.towns() if town.code == "PT"]
    assert list(world.towns_of(lambda code: code == "PT")) == expected
    assert list(world.towns_of(lambda code: code == "PT", among=3000)) == [
        town for town in world.towns()[:3000] if town.code == "PT"
    ]


@pytest.mark.parametrize("language", FREQUENCY_LANGUAGES)
def test_frequent_lemmas_are_listed_for_every_language_with_frequencies(language: str) -> None:
    lemmas = tables.table_lines(f"{language}/frequent_lemmas")
    assert len(lemmas) == 1000
    assert most_used_lemmas(language, 1000) == frozenset(lemmas)
    rarity = frequencies(language)
    assert sum(lemma in rarity for lemma in lemmas) > 900


PIECES = st.text("ab _-.é1 ", max_size=8)


@given(PIECES, st.text("ab _-.é1 ", min_size=1, max_size=3))
def test_a_phrase_is_contained_where_a_regular_expression_finds_it(text: str, phrase: str) -> None:
    expected = re.search(rf"\b{re.escape(phrase)}\b", text) is not None
    assert contains_phrase(phrase, text) == expected
    assert folded_words(text).contains(phrase) == expected


def test_threads_share_a_table() -> None:
    lines = sorted(f"{number:06}\t{number}" for number in range(50_000))
    for _ in range(5):
        with patch("sfumato.lexicon.tables._table_bytes", return_value="\n".join(lines).encode()):
            table = SortedTable("any")
        table._FEW = 3
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(table.get, [f"{number:06}" for number in range(40)])) == list(map(str, range(40)))
