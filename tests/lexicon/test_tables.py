"""Word lists are read from the data folder of a language, once, and cannot be changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from zlib import crc32

import pytest

from sfumato.lexicon import tables
from sfumato.lexicon.tables import languages_with, load_toml, word_set, words, words_of_all_languages

PACKAGE = "word_list_samples"


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / PACKAGE
    files = {
        "en/names": 'particles = ["of", "the"]\n[titles]\nmedical = "dr nurse dr"\n',
        "es/names": 'particles = ["de", "la", "of"]\n',
        "es/months": 'long = ["enero"]\n',
        "all/names": 'particles = ["van"]\nnested = [["a", 1], ["b", 2]]\n',
    }
    for name, text in files.items():
        file = root / "data" / f"{name}.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (root / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    for function in (tables._data_folder, tables._load_toml, languages_with, word_set, words_of_all_languages):
        function.cache_clear()


def test_a_list_keeps_its_order_and_may_be_one_string() -> None:
    assert words("names", "particles", "en", PACKAGE) == ("of", "the")
    assert words("names", "titles.medical", "en", PACKAGE) == ("dr", "nurse", "dr")
    assert word_set("names", "titles.medical", "en", PACKAGE) == {"dr", "nurse"}


def test_without_a_language_the_folder_all_is_read() -> None:
    assert words("names", "particles", package=PACKAGE) == ("van",)


def test_languages_with_a_topic() -> None:
    assert languages_with("names", PACKAGE) == ("en", "es")
    assert languages_with("months", PACKAGE) == ("es",)
    assert languages_with("holidays", PACKAGE) == ()


def test_words_of_all_languages_skips_languages_without_the_key() -> None:
    assert words_of_all_languages("names", "particles", PACKAGE) == ("of", "the", "de", "la", "van")
    assert words_of_all_languages("names", "titles.medical", PACKAGE) == ("dr", "nurse")


def test_a_missing_file_says_which_languages_have_the_topic() -> None:
    with pytest.raises(FileNotFoundError, match=r"'months' for language 'en'.*: es\)"):
        load_toml("months", "en", PACKAGE)


def test_content_is_read_once_and_read_only() -> None:
    table = load_toml("names", None, PACKAGE)
    assert table is load_toml("names", None, PACKAGE)
    assert table["nested"] == (("a", 1), ("b", 2))
    with pytest.raises(TypeError):
        table["particles"] = ()  # type: ignore[index]


def test_a_file_that_changed_after_it_was_parsed_is_read_itself(tmp_path: Path) -> None:
    folder = tmp_path / PACKAGE / "data"
    content = (folder / "es" / "months.toml").read_bytes()
    entries = {"es/months": [crc32(content), {"long": ["parsed"]}], "es/names": [0, {"particles": ["outdated"]}]}
    (folder / tables.PARSED_FILES).write_text(json.dumps(entries), "utf-8")
    tables._parsed_files.cache_clear()
    assert words("months", "long", "es", PACKAGE) == ("parsed",)
    assert words("names", "particles", "es", PACKAGE) == ("de", "la", "of")
