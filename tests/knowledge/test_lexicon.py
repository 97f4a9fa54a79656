"""The shipped word tables."""

from __future__ import annotations

from importlib import resources

import pytest

from sfumato.knowledge import lexicon


def test_names_know_their_gender() -> None:
    given = lexicon.given_names()
    assert given["johanna"] == "female"
    assert given["martin"] == "male"
    assert len(given) > 15_000
    assert {"smith", "garcía", "müller"} <= lexicon.family_names()


def test_places() -> None:
    assert {"berlin", "new york", "reading", "izmir"} <= lexicon.cities() | lexicon.regions()
    assert "berlin" in lexicon.major_cities()
    assert lexicon.major_cities() <= lexicon.cities()
    assert {"deutschland", "alemania", "germany", "turkey", "california"} <= lexicon.regions()


def test_people_are_described_in_several_languages() -> None:
    assert {"Turkish", "español", "Französin", "italienne"} <= lexicon.demonyms()
    assert {"Muslim", "katholisch"} <= lexicon.groups()
    assert {"bus driver", "enfermera", "krankenschwester", "infirmière"} <= lexicon.occupations()


def test_everyday_words_are_known_as_such() -> None:
    assert {"the", "und", "porque", "march", "monday", "hope"} <= lexicon.common_words()
    assert not {"berlin", "germany"} & lexicon.common_words()


@pytest.mark.parametrize(("written", "key"), [("O’Brien", "o'brien"), ("İzmir", "izmir"), ("STRAẞE", "strasse")])
def test_keys_fold_what_writers_vary(written: str, key: str) -> None:
    assert lexicon.key(written) == key


def test_the_tables_stay_small_and_name_their_sources() -> None:
    data = resources.files("sfumato.knowledge").joinpath("data")
    assert sum(len(item.read_bytes()) for item in data.iterdir() if item.name.endswith(".gz")) < 5_000_000
    assert "GeoNames" in data.joinpath("SOURCES.md").read_text(encoding="utf-8")


def test_frequent_names_are_no_everyday_words() -> None:
    assert (
        not {"garcía", "lópez", "maría", "josé", "juan", "luis", "carlos", "pedro", "pierre"} & lexicon.common_words()
    )
