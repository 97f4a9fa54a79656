"""National identifiers: every entry of the data file, invented examples, and restraint with bare numbers."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any

import pytest

from sfumato.detectors.rules import codes
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.detectors.rules.patterns import PatternSet
from sfumato.document import Document

DETECTOR = RuleDetector(kinds=["national-id"])
ENTRIES = codes.NATIONAL_IDS
KEYS = {"country", "name", "checker", "pattern", "bare", "context", "example", "regex", "score"}
WITH_EXAMPLE = [entry for entry in ENTRIES if "example" in entry]


def title(entry: Mapping[str, Any]) -> str:
    return f"{entry['country']}-{entry['name']}"


@pytest.mark.parametrize("entry", ENTRIES, ids=title)
def test_every_entry_is_complete(entry: Mapping[str, Any]) -> None:
    assert entry.keys() <= KEYS
    assert re.fullmatch("[A-Z]{2}", entry["country"])
    assert entry["name"]
    if "checker" in entry:
        assert callable(importlib.import_module(f"stdnum.{entry['checker']}").is_valid)
        assert "pattern" in entry or "bare" in entry
        assert entry["context"]
        assert "score" not in entry
    else:
        assert 0 < entry["score"] <= 1
        assert "regex" in entry
    assert "bare" not in entry or entry["context"]
    assert list(codes.national_id_patterns(entry))


@pytest.mark.parametrize("entry", WITH_EXAMPLE, ids=title)
def test_the_example_is_found(entry: Mapping[str, Any]) -> None:
    """A distinctive form alone, any other after the first context word."""
    number = entry["example"]
    if "checker" in entry and not importlib.import_module(f"stdnum.{entry['checker']}").is_valid(number):
        pytest.skip("this release of python-stdnum no longer accepts the example")
    stands_alone = re.fullmatch(entry.get("pattern", "(?!)"), number) or entry.get("score", 0) >= 0.5
    text = f"It says: {'' if stands_alone else entry['context'][0] + ' '}{number}."
    assert number in {text[span.start : span.end] for span in DETECTOR.detect([Document("d", text)])[0]}


def test_the_entries_cover_many_countries() -> None:
    assert len({entry["country"] for entry in ENTRIES}) > 40
    valid = {
        entry["country"]
        for entry in WITH_EXAMPLE
        if "checker" in entry and importlib.import_module(f"stdnum.{entry['checker']}").is_valid(entry["example"])
    }
    assert len(valid) >= 20


@pytest.mark.parametrize("number", ["111222333", "44051401359", "7523169263", "17291716060"])
def test_a_bare_number_needs_its_context(number: str) -> None:
    scores = [span.score for span in PatternSet(codes.NATIONAL_ID_PATTERNS).find(f"a total of {number} items")]
    assert scores
    assert max(scores) < 0.5


def test_a_wrong_checksum_is_not_found() -> None:
    # The patterns alone: behind a word that is the label of a field in one of the languages any number is a code.
    text = "PESEL 44051401358, CPF 390.533.447-06, hetu 131052-308U"
    assert not [span for span in PatternSet(codes.NATIONAL_ID_PATTERNS).find(text) if span.score >= 0.5]
    right = "PESEL 44051401359, CPF 390.533.447-05, hetu 131052-308T"
    assert len([span for span in PatternSet(codes.NATIONAL_ID_PATTERNS).find(right) if span.score >= 0.5]) == 3
