"""The detectors' data files: every pattern compiles and is complete, every word list is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import sfumato.detectors
from sfumato.detectors.rules import codes
from sfumato.detectors.rules.codes import ENTRIES
from sfumato.lexicon.tables import languages_with, load_toml

KEYS = {
    *("name", "label", "identifier", "regex", "checker", "validate", "score"),
    *("context", "against", "scope", "needs"),
}
FOLDER = Path(sfumato.detectors.__file__).parent


@pytest.mark.parametrize("entry", ENTRIES, ids=[f"{n}-{entry['name']}" for n, entry in enumerate(ENTRIES)])
def test_every_pattern_compiles(entry: Mapping[str, Any]) -> None:
    assert entry.keys() <= KEYS
    pattern = codes.pattern_of(entry)
    assert pattern.compiled.search("") is None
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
    quoted = set(re.findall(r"[\"'{]([a-z_]+\.[a-z_.]+)[\"'}]", sources))
    assert names - quoted == set()


def test_kinds_of_fields_are_those_of_english() -> None:
    kinds = set(load_toml("detection", "en")["fields"]["labels"])
    for language in languages_with("detection"):
        assert set(load_toml("detection", language)["fields"]["labels"]) <= kinds
