"""How the tables of places are derived."""

from __future__ import annotations

from typing import Any

from training.build_places import astray, code_of, kilometres, lands, near_larger, part_of, parts, provinces


def city(name: str, north: float, east: float, population: int, code: str = "PL", admin: str = "") -> dict[str, Any]:
    return {
        "geonameid": hash((name, north, east)),
        "name": name,
        "latitude": north,
        "longitude": east,
        "population": population,
        "countrycode": code,
        "admin1code": admin,
    }


def test_part_of_leaves_margins() -> None:
    assert part_of(0.4, 0.0) == "N"
    assert part_of(-0.4, 0.4) == "SE"
    assert part_of(0.02, -0.03) == "C"
    assert part_of(0.12, -0.12) == part_of(None, None) == ""


def test_parts_of_a_country() -> None:
    grid = [city(f"{row} {column}", 50 + row / 2, 15 + column / 2, 1_000) for row in range(11) for column in range(11)]
    pieces = parts(grid)
    by_name = {item["name"]: pieces[item["geonameid"]] for item in grid}
    assert by_name["10 5"] == "N"
    assert by_name["0 0"] == "SW"
    assert by_name["5 5"] == "C"


def test_suburbs_are_near_a_far_larger_city() -> None:
    large, suburb, far = city("A", 52, 21, 900_000), city("B", 52.1, 21, 50_000), city("C", 53, 21, 50_000)
    assert near_larger([large, suburb, far]) == {suburb["geonameid"]}
    assert 10 < kilometres(large, suburb) < 12


def test_where_continents_meet() -> None:
    assert astray(city("Omsk", 54.99, 73.37, 1, "RU")) == "a"
    assert astray(city("Edirne", 41.67, 26.56, 1, "TR")) == "u"
    assert astray(city("Gdańsk", 54.35, 18.65, 1)) == ""
    assert code_of(city("Leeds", 53.8, -1.5, 1, "GB", "ENG")) == "GB-ENG"


def test_rows_are_whole() -> None:
    assert all(len(row.split("\t")) == 9 for row in lands())
    assert all(len(row.split("\t")) == 5 for row in provinces())
