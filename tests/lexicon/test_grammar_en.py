"""English a or an, singular and plural."""

from __future__ import annotations

import pytest
from hypothesis import given

from sfumato.lexicon.grammar_en import (
    indefinite_article,
    is_plural,
    pluralize,
    pluralize_phrase,
    singularize,
    singularize_phrase,
    split_after_head,
)
from tests.strategies import texts


@pytest.mark.parametrize(
    "phrase",
    "a university;an hour;an heir;a hotel;a European;an NHS hospital;a BBC film;a NATO base;an 18-month sentence;"
    "an 11th hour;a 1,100-page book;an 1865 law;a 100-page book;an 8 km road;an 80-year-old;a one-off;an onion;"
    "a once great city;a unit;an uninjured man;an unidentified man;an unimportant town;a unanimous vote;a user;"
    "an usher;a Ukrainian;an uncle;an umbrella;an urban area;a urine test;an MRI;an FBI agent;a UN body;an EU law;"
    "an ORG_1;a LOC_2;a DEM_3;an honest man;a house;an island;an Eastern town;a euro;an “old” man;a “new” man;"
    "an X-ray;an S-Bahn train;a U-turn;an Óbuda flat;a utility;an utter mess;a usual day;a unionist;an heirloom;"
    "a hundred;an A-level;a yearly fee;an eighth;a eulogy".split(";"),
)
def test_a_or_an_as_it_sounds(phrase: str) -> None:
    article, _, rest = phrase.partition(" ")
    assert indefinite_article(rest) == article


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        pair.split("/")
        for pair in (
            "city/cities;day/days;church/churches;box/boxes;man/men;woman/women;policewoman/policewomen;child/children;"
            "grandchild/grandchildren;person/people;wife/wives;housewife/housewives;chief/chiefs;cliff/cliffs;"
            "country/countries;mother-in-law/mothers-in-law;boss/bosses;crisis/crises;hospital/hospitals;"
            "public official/public officials;German/Germans;human/humans;disease/diseases;horse/horses;"
            "judge/judges;employee/employees;university/universities;brush/brushes;hero/heroes;photo/photos"
        ).split(";")
    ],
)
def test_singular_and_plural(singular: str, plural: str) -> None:
    assert pluralize(singular) == plural
    assert pluralize(plural) == plural
    assert singularize(singular) == singular
    if singular != "mother-in-law":
        assert singularize(plural) == singular
        assert is_plural(plural.rpartition(" ")[2])
    assert not is_plural(singular.rpartition(" ")[2])


def test_the_head_of_a_phrase_is_what_changes() -> None:
    assert split_after_head("large city in northern Poland") == ("large city", " in northern Poland")
    assert pluralize_phrase("large city in northern Poland") == "large cities in northern Poland"
    assert pluralize_phrase("member of a religious order") == "members of a religious order"
    assert pluralize_phrase("person who works in health care") == "people who work in health care"
    assert pluralize_phrase("company that is known") == "companies that are known"
    assert singularize_phrase("large cities in northern Poland") == "large city in northern Poland"
    assert pluralize_phrase("police") == "police"


@given(texts)
def test_any_text_can_be_inflected(text: str) -> None:
    assert indefinite_article(text) in ("a", "an")
    assert isinstance(pluralize_phrase(text) + singularize_phrase(text), str)
    is_plural(text)
