"""The detectors' data files: every pattern compiles and is complete, every word list is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import sfumato.detectors
from sfumato.detectors.rules import attributes, codes, names_in_context, places
from sfumato.detectors.rules.patterns import Pattern
from sfumato.lexicon.tables import languages_with, load_toml

FIELDS = {
    *("name", "label", "identifier", "regex", "checker", "validate", "score"),
    *("context", "against", "scope"),
}
FOLDER = Path(sfumato.detectors.__file__).parent
OWN_TESTS = {"national_ids", "never_personal", "foreign_labels", "citations"}
TOPICS = sorted(file.stem for file in (FOLDER / "data" / "all").glob("*.toml") if file.stem not in OWN_TESTS)
PATTERNS = (*codes.PATTERNS, *attributes.PATTERNS, *places.PATTERNS, *names_in_context.PATTERNS)


@pytest.mark.parametrize("topic", TOPICS)
def test_entries_have_no_unknown_fields(topic: str) -> None:
    table = load_toml(topic, package="sfumato.detectors")
    assert table.keys() <= {"pattern", "fragments", "defaults"}
    assert all(entry.keys() <= FIELDS for entry in table["pattern"])


@pytest.mark.parametrize("pattern", PATTERNS, ids=[f"{n}-{pattern.name}" for n, pattern in enumerate(PATTERNS)])
def test_every_pattern_compiles(pattern: Pattern) -> None:
    assert pattern.compiled.search("") is None
    assert "{{" not in pattern.regex
    assert 0 < pattern.score <= 1
    if pattern.validate is not None:
        assert pattern.validate("-") is False


def keys(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from keys(value, f"{prefix}{key}.")
        else:
            yield prefix + key


@pytest.mark.parametrize("language", [*languages_with("detection"), None])
def test_every_word_list_is_used(language: str | None) -> None:
    sources = "".join(path.read_text("utf-8") for path in [*FOLDER.rglob("*.py"), *FOLDER.rglob("*.toml")])
    names = {key for key in keys(load_toml("detection", language)) if not key.startswith("fields.labels.")}
    quoted = set(re.findall(r"[\"'{~]([a-z_]+\.[a-z_.]+)[\"'}]", sources))
    assert names - quoted == set()


def test_kinds_of_fields_are_those_of_english() -> None:
    kinds = set(load_toml("detection", "en")["fields"]["labels"])
    for language in languages_with("detection"):
        assert set(load_toml("detection", language)["fields"]["labels"]) <= kinds
