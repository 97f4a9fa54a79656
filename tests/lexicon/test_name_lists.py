"""The shipped lists of names and words."""

from __future__ import annotations

from importlib import resources

import pytest

from sfumato.lexicon import name_lists


def test_names_know_their_gender() -> None:
    genders = name_lists.given_names()
    assert genders["johanna"] == "female"
    assert genders["martin"] == "male"
    assert len(genders) > 15_000
    assert {"smith", "garcía", "müller"} <= name_lists.family_names()


def test_places() -> None:
    assert {"berlin", "new york", "reading", "izmir"} <= name_lists.cities() | name_lists.regions()
    assert "berlin" in name_lists.major_cities()
    assert name_lists.major_cities() <= name_lists.cities()
    assert {"deutschland", "alemania", "germany", "turkey", "california"} <= name_lists.regions()


def test_people_are_described_in_several_languages() -> None:
    assert {"Turkish", "español", "Französin", "italienne"} <= name_lists.demonyms()
    assert {"Muslim", "katholisch"} <= name_lists.groups()
    assert {"bus driver", "enfermera", "krankenschwester", "infirmière"} <= name_lists.occupations()


def test_everyday_words_are_known_as_such() -> None:
    assert {"the", "und", "porque", "march", "monday", "hope"} <= name_lists.common_words()
    assert not {"berlin", "germany"} & name_lists.common_words()


@pytest.mark.parametrize(("written", "key"), [("O’Brien", "o'brien"), ("İzmir", "izmir"), ("STRAẞE", "strasse")])
def test_keys_fold_what_writers_vary(written: str, key: str) -> None:
    assert name_lists.lookup_key(written) == key


def test_the_tables_stay_small_and_name_their_sources() -> None:
    data = resources.files("sfumato.lexicon").joinpath("data")
    folders = [data, *(folder for folder in data.iterdir() if folder.is_dir())]
    files = [file for folder in folders for file in folder.iterdir() if file.name.endswith(".gz")]
    assert sum(len(file.read_bytes()) for file in files) < 7_800_000
    assert "GeoNames" in data.joinpath("SOURCES.md").read_text(encoding="utf-8")


def test_frequent_names_are_no_everyday_words() -> None:
    assert (
        not {"garcía", "lópez", "maría", "josé", "juan", "luis", "carlos", "pedro", "pierre"}
        & name_lists.common_words()
    )


def test_words_around_names_come_from_all_languages() -> None:
    assert {"de", "van", "von", "della", "dos", "bin"} <= name_lists.PARTICLES
    assert name_lists.LEADING_PARTICLES < name_lists.PARTICLES
    assert name_lists.is_title("Mrs.")
    assert name_lists.is_title("Herr")
    assert name_lists.gender_of("Señora") == "female"
    assert name_lists.gender_of("Dr") is None
    assert {"court", "juzgado", "amtsgericht"} <= name_lists.ORGANISATION_HEADS
