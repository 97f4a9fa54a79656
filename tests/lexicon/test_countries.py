import pytest

from sfumato.lexicon import world


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
