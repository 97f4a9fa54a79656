"""Every language has the files that docs/languages.md asks for, and no key that nothing reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sfumato.lexicon import tables
from sfumato.lexicon.grammar import STOP_WORDS, lemma
from sfumato.lexicon.tables import LANGUAGE_FILES, languages_with, load_toml, missing_files, words_of_all_languages
from sfumato.models.table_scorers import FREQUENCY_LANGUAGES

SOURCE = Path(__file__).parents[2] / "src"
DATA = SOURCE / "sfumato" / "lexicon" / "data"
DETECTION = {
    "calendar": ("months", "short_months", "weekdays"),
    "detection": (),
    "function_words": (),
    "head_nouns": ("organisations", "places"),
    "names": ("particles", "roles", "titles.female", "titles.male", "titles.neutral"),
}
"""Word lists that a language needs for detection: topic -> keys."""
GENERALIZATION = ("ages", "dates", "durations", "holidays", "number_words", "quantities", "relative_times", "sentence")
"""Word lists that a language needs, besides those for detection, so that its dates and quantities are generalized."""
OF_ONE_LANGUAGE = {"dates.weekdays", "names.nouns_are_capitalised"}
"""Keys that a single language has, which is not English."""
GENERALIZED = languages_with("dates")


def keys(table: Mapping[str, object], prefix: str = "") -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from keys(value, f"{prefix}{key}.")
        else:
            yield prefix + key


@pytest.mark.parametrize("language", sorted(folder.name for folder in DATA.iterdir() if len(folder.name) == 2))
def test_a_language_has_what_detection_needs(language: str) -> None:
    assert missing_files(language) == []
    for topic, required in DETECTION.items():
        assert set(required) <= set(keys(load_toml(topic, language))), topic
    assert language in FREQUENCY_LANGUAGES
    assert lemma("xyzzy", language) == "xyzzy"  # simplemma knows the language


def test_an_incomplete_language_is_refused_and_changes_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = words_of_all_languages("names", "titles.male")
    for entry in DATA.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    folder = tmp_path / "qq"  # the code of no language
    folder.mkdir()
    (folder / "function_words.toml").write_text('conjunctions = "i ale"\n')
    (folder / "names.toml").write_text('[titles]\nmale = "pan"\n')
    monkeypatch.setattr(tables, "_data_folder", lambda package: tmp_path)
    for function in (tables._is_used, tables._load_toml, languages_with, words_of_all_languages):
        monkeypatch.setattr(tables, function.__name__, function.__wrapped__)

    assert tables.languages_with("function_words") == tuple(sorted(STOP_WORDS))
    assert tables.words_of_all_languages("names", "titles.male") == names
    with pytest.raises(
        FileNotFoundError, match=r"'qq': it lacks calendar\.toml, detection\.toml, head_nouns\.toml, freq"
    ):
        tables.load_toml("names", "qq")
    for file in LANGUAGE_FILES:
        (folder / file).touch()
    assert "qq" in tables.languages_with("function_words")


@pytest.mark.parametrize("language", GENERALIZED)
@pytest.mark.parametrize("topic", GENERALIZATION)
def test_a_language_has_what_generalization_needs(language: str, topic: str) -> None:
    assert language in languages_with(topic)


@pytest.mark.parametrize("topic", [topic for topic in DETECTION if topic != "function_words"])
def test_a_key_that_only_one_language_has_is_no_typing_error(topic: str) -> None:
    counts = Counter(key for language in languages_with(topic) for key in keys(load_toml(topic, language)))
    english = set(keys(load_toml(topic, "en")))
    assert {key for key, count in counts.items() if count == 1} <= english | OF_ONE_LANGUAGE


@pytest.mark.parametrize("file", sorted(SOURCE.glob("*/*/data/*/*.toml")), ids=lambda file: file.stem)
def test_a_word_list_begins_by_saying_what_it_is(file: Path) -> None:
    assert file.read_text("utf-8").startswith("# ")
