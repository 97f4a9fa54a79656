"""Word lists that are parsed when the package is built say what their files say."""

from __future__ import annotations

from pathlib import Path

import pytest
from training.parse_word_lists import HINTS, SOURCE, data_folders, parsed_files, pattern_hints, serialized

from sfumato.lexicon.tables import PARSED_FILES


@pytest.mark.parametrize("folder", data_folders(), ids=lambda folder: str(folder.relative_to(SOURCE)))
def test_parsed_word_lists_are_those_of_the_files(folder: Path) -> None:
    written = (folder / PARSED_FILES).read_text(encoding="utf-8")
    assert written == serialized(parsed_files(folder)), "run python -m training.parse_word_lists"


def test_the_hints_that_are_kept_are_those_of_the_patterns() -> None:
    assert HINTS.read_text(encoding="utf-8") == pattern_hints(), "run python -m training.parse_word_lists"
