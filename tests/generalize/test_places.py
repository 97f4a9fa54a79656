"""The hierarchy of places says only what is true, from specific to general."""

from __future__ import annotations

from itertools import chain, islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.places.guesses import candidate_originals, size_class
from sfumato.generalize.places.hierarchy import levels, nationality_levels, surrounding_areas
from sfumato.generalize.places.kinds import settlement_site
from sfumato.lexicon.tables import fold_name
from sfumato.lexicon.world import Settlement


def levels_of(mention: str, context: str = "She lived in @ for years.", language: str = "en") -> list[Level]:
    text = context.replace("@", mention)
    start = text.index(mention)
    return levels(Mention(text, start, start + len(mention), "LOC", language))


def texts(mention: str, context: str = "She lived in @ for years.", language: str = "en") -> list[str]:
    return [level.text for level in levels_of(mention, context, language)]


@pytest.mark.parametrize(
    ("said", "context", "first"),
    [
        ("Gdańsk", "@", "large city in northern Poland"),
        ("Gdansk", "@", "large city in northern Poland"),
        ("Gdynia, Poland", "@", "city in northern Poland"),
        ("Istanbul", "@", "large city in north-western Turkey"),
        ("Diyarbakır", "the Turkish city of @", "large city in eastern Turkey"),
        ("Başkale (Van)", "@", "small town in eastern Turkey"),
        ("Munich", "@", "large city in southern Germany"),
        ("Lviv", "@", "large city in north-western Ukraine"),
        ("Leeds", "@", "large city in northern England"),
        ("Bergen", "the Norwegian port of @", "city in south-western Norway"),
        ("Lustenau", "@, Austria", "town in western Austria"),
        ("Edirne", "@", "city in north-western Turkey"),
        ("Omsk", "@", "large city in Russia"),
        ("Warsaw", "@", "capital city in Eastern Europe"),
        ("London", "@", "capital city in Northern Europe"),
        ("Nicosia", "@, Cyprus", "capital city in Western Asia"),
        ("Washington, D.C.", "in @, they met", "capital city in North America"),
        ("Kadıköy", "a Turkish family from @", "urban district in Turkey"),
        ("Springfield", "an American from @", "settlement in the United States"),
        ("Springfield", "They live in @.", "town or city in the United States"),
        ("Zorbumtal", "She lives in @ (Austria).", "place in Austria"),
        ("Canton", "born in @, Ohio, in 1930", "town or city in the eastern United States"),
        ("U.S.", "in the @ and elsewhere", "country in North America"),
        ("Florida", "They moved to @.", "state in the United States"),
        ("N.Y.", "of Albany, @ , who", "state in the United States"),
        ("England and Wales", "in @", "parts of the United Kingdom"),
        ("East Asia", "in @", "part of Asia"),
        ("Portland, Oregon", "@", "large city in the north-western United States"),
        ("Paris, Texas", "@", "town in the southern United States"),
        ("Atlanta, Georgia", "@", "large city in the eastern United States"),
        ("Poland", "@", "country in Eastern Europe"),
        ("Republic of Turkey", "the @", "country in Western Asia"),
        ("United Kingdom of Great Britain and Northern Ireland", "the @", "country in Northern Europe"),
        ("USA", "the @", "country in North America"),
        ("Burma", "@", "country in Southeast Asia"),
        ("New Zealand", "@", "country in Australasia"),
        ("Hong Kong", "@", "territory in East Asia"),
        ("Scotland", "@", "part of the United Kingdom"),
        ("Yugoslavia", "@", "former state in Southern Europe"),
        ("GDR", "the @", "former state in Central Europe"),
        ("Bavaria", "@", "state in Germany"),
        ("Haute-Garonne", "@", "department in France"),
        ("Kent", "in @, England", "county in England"),
        ("Missouri", "@", "state in the United States"),
        ("Chechnya", "@", "republic in Russia"),
        ("Georgia", "@, near Tbilisi", "country in Western Asia"),
        ("Georgia", "@, in the United States", "state in the United States"),
        ("Van", "@ province, Turkey", "province in Turkey"),
        ("Van", "He is Turkish and comes from @ .", "large city in eastern Turkey"),
        ("Donetsk Region", "@", "region in Ukraine"),
        ("Taşova District", "@, Turkey", "district in Turkey"),
        ("northern Iraq", "@", "region in Iraq"),
        ("north of Sweden", "the @", "region in Sweden"),
        ("Danube", "the @", "river in Europe"),
        ("Mediterranean Sea", "the @", "sea"),
        ("Alps", "the @", "mountain range in Europe"),
        ("Europe", "@", "continent"),
        ("Küçükyalı Bridge", "@", "bridge"),
        ("Manchester Airport", "England's @", "airport in England"),
        ("Muret Prison", "the French @", "prison in France"),
        ("Rue de Rivoli", "@", "street"),
        ("Schlossgasse", "@", "street"),
        ("Mill Lane", "@", "road"),
        ("12 Mill Lane, Leeds", "@", "address in a large city in northern England"),
        ("Hauptstraße 12, 10115 Berlin", "@", "address in a capital city in Western Europe"),
        ("Zzyqville, Poland", "@", "place in Poland"),
        ("tunisia", "i moved to @ last year", "country in North Africa"),
        ("Izmir and Ankara", "@", "cities in Western Asia"),
        ("Turkish", "the @ bar", "Western Asian"),
    ],
)
def test_first_level(said: str, context: str, first: str) -> None:
    assert texts(said, context)[0] == first


def test_levels_end_with_the_continent() -> None:
    assert texts("Gdańsk") == [
        "large city in northern Poland",
        "large city in Poland",
        "city in Poland",
        "city in Eastern Europe",
        "city in Europe",
        "city",
    ]
    assert [level.modifier for level in levels_of("Gdańsk")][-3:] == ["Eastern European", "European", None]


@pytest.mark.parametrize(
    ("said", "context"),
    [
        ("Springfield", "@, not far from Sydney, where Australians live"),  # there is one there too
        ("Cambridge", "@"),
        ("Georgia", "@"),
        ("Nice", "It was @ ."),
        ("Athens", "an American student of @ ."),  # in Georgia, or the capital of Greece
        ("North Jersey", "@"),
        ("Heathrow", "the Polish town of @"),
        ("the", "@"),
        ("", "@ x"),
        ("St", "@"),
        ("Gdań", "@sk"),
        ("Warszawa", "Nie był z @."),
    ],
)
def test_silent_where_unsure(said: str, context: str) -> None:
    text = context.replace("@", said)
    start = text.index(said)
    language = "pl" if "był" in text else "en"
    wordings = levels(Mention(text, start, start + len(said), "LOC", language))
    assert [level.text for level in wordings] in ([], ["town or city"])


def test_a_facility_is_not_where_a_small_namesake_is() -> None:
    assert texts("Heathrow Airport") == ["airport", "transport facility"]
    assert texts("Warsaw Street, Leeds")[0] == "street in a large city in northern England"
    assert texts("Cape Town")[0] != "cape"


def test_spanish() -> None:
    assert texts("Sevilla", "Nació en @, España.", "es")[0] == "gran ciudad del suroeste de España"
    assert texts("Marruecos", "Nació en @.", "es") == ["país de África del Norte", "país de África", "país"]


def test_nationality() -> None:
    items = [level.text for level in nationality_levels("Turkish")]
    assert items == ["Western Asian", "Asian", "European or Asian"]
    swede, swedes = nationality_levels("Swede")[0], nationality_levels("Swedes")[0]
    assert (swede.text, swede.article, swede.plural) == ("Northern European", "a", False)
    assert (swedes.text, swedes.article, swedes.plural) == ("Northern Europeans", "", True)
    assert nationality_levels("Englishman")[0].text == "Briton"
    assert nationality_levels("turkish") == nationality_levels("Klingon") == []


def test_where() -> None:
    assert surrounding_areas("Istanbul", "") == ["Turkey", "Western Asia", "Asia"]
    assert surrounding_areas("Turkey", "") == surrounding_areas("Turkish", "") == ["Western Asia", "Asia"]
    assert surrounding_areas("London", "") == ["England", "the United Kingdom", "Northern Europe", "Europe"]
    assert surrounding_areas("Zzyqville", "") == []


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("a large city in northern Poland", "", "Gdańsk"),
        ("a city in Europe", "The Swedish court", "Gothenburg"),
        ("a country in Eastern Europe", "", "Poland"),
        ("a capital city in Europe", "", "London"),
        ("Western Asian", "", "Turkish"),
        ("Turkish", "", "Istanbul"),
        ("a part of the United Kingdom", "", "Scotland"),
        ("a state in Germany", "", "Hesse"),
        ("a river in Europe", "", "Danube"),
        ("an address in a large city in England", "", "Leeds"),
    ],
)
def test_originals(phrase: str, text: str, expected: str) -> None:
    assert expected in list(islice(candidate_originals(phrase, text, "en"), 12))


@pytest.mark.parametrize("said", ["Gdynia", "Izmir", "Poland", "Bavaria", "Danube", "Leeds", "Oslo", "Kenya"])
def test_originals_undo_levels(said: str) -> None:
    for level in levels_of(said)[:3]:
        assert fold_name(said) in {fold_name(name) for name in candidate_originals(f"a {level.text}", "", "en")}


def test_originals_of_nonsense() -> None:
    for phrase in ("", "  ", "something", "a thing in Narnia", "in in", "x" * 999):
        assert list(islice(candidate_originals(phrase, "", "en"), 3)) == []
    assert list(candidate_originals("ciudad de Europa", "", "fr")) == []


@pytest.mark.parametrize("noun", ["small town", "town", "city"])
def test_countries_that_a_text_names_most_come_first_each_with_all_its_towns(noun: str) -> None:
    """Whatever order they are listed in: the towns of a country are looked up when it is their turn."""
    text = "From Poland to Latvia, to Latvia again, to Kenya and to Peru, of all the villages in Latvia."
    originals = list(candidate_originals(f"a {noun} in Europe", text, "en"))
    towns = [list(candidate_originals(f"a {noun} in {country}", "", "en")) for country in ("Latvia", "Poland")]
    first = list(dict.fromkeys(chain.from_iterable(towns)))
    assert len(first) > 1
    assert originals[: len(first)] == first
    assert len(set(originals)) == len(originals)


_PLACES = [
    "Paris",
    "Van",
    "Georgia",
    "Leeds",
    "northern",
    "Street",
    "Rue",
    "of",
    "12",
    "Prison",
    "Turkey",
    "St.",
    "(",
    ")",
]
_PHRASES = st.lists(st.sampled_from([*_PLACES, ",", "and", "in", "\n", "🙂", "İ", "é", "-"]), max_size=8).map(" ".join)


@given(st.one_of(st.text(max_size=40), _PHRASES), _PHRASES, st.sampled_from(["en", "es", "de"]), st.integers(-3, 50))
def test_never_raises_and_grows(said: str, around: str, language: str, start: int) -> None:
    text = f"{around} {said} {around}"
    for at, end in ((len(around) + 1, len(around) + 1 + len(said)), (start, start + len(said))):
        wordings = levels(Mention(text, at, end, "LOC", language))
        assert all(one.members < two.members for one, two in pairwise(wordings))
        assert len({level.text for level in wordings}) == len(wordings) <= 7
    surrounding_areas(said, text)
    nationality_levels(said)
    list(islice(candidate_originals(said, text, language), 5))


@pytest.mark.parametrize("before", ["Dist: ", "Dist. ", "County ", "Landkreis ", "provincia "])
def test_a_district_is_not_the_town_of_its_name(before: str) -> None:
    assert texts("Satara") != []
    assert texts("Satara", f"Residence: {before}@, India") == []


@pytest.mark.parametrize("code", ["GB", "PL", "US"])
@pytest.mark.parametrize("mark", ["", "*", "!", "N"])
def test_settlements_of_one_size_are_called_the_same(code: str, mark: str) -> None:
    for population in (-1, 0, 1, 4_999, 5_000, 39_999, 40_000, 99_999, 100_000, 299_999, 300_000, 399_999, 2_000_000):
        sizes = (population, size_class(population))
        sites = [settlement_site([Settlement("X", code, "", size, mark)]) for size in sizes]
        assert sites[0] == sites[1]
