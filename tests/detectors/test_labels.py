"""One name has one label in a document; a place that is named like a person stays a place."""

from __future__ import annotations

import pytest

from sfumato.detectors.passes.labels import unify_labels
from sfumato.document import Span


def labels(text: str, *parts: str) -> list[str]:
    """The labels after unification of the parts ("LOC Moll"), each found after the one before it."""
    spans, offset = [], 0
    for part in parts:
        label, string = part.split(" ", 1)
        offset = text.index(string, offset)
        spans.append(Span(offset, offset + len(string), label, "quasi", 0.9, "tagger:mask"))
        offset += len(string)
    return [span.label for span in unify_labels(text, spans)]


@pytest.mark.parametrize(
    ("text", "parts", "expected"),
    [
        ("Elvira Quorvex came. Quorvex left.", ["PERSON Elvira Quorvex", "ORG Quorvex"], "PERSON PERSON"),
        (
            "Elvira Quorvex came. Elvira's QUORVEX",
            ["PERSON Elvira Quorvex", "LOC Elvira", "MISC QUORVEX"],
            "PERSON " * 3,
        ),
        ("Then Yeray and Yeray.", ["PERSON Yeray", "DEM Yeray"], "PERSON PERSON"),
        ("Then Yeray, Yeray and Yeray.", ["MISC Yeray", "LOC Yeray", "LOC Yeray"], "LOC LOC LOC"),
        ("She lives with her partner Moll.", ["LOC Moll"], "PERSON"),
        ("Mit ihrer Tochter Florenza kam sie.", ["LOC Florenza"], "PERSON"),
        ("Jordan Quorvex has a dad in Jordan.", ["PERSON Jordan Quorvex", "PERSON Jordan"], "PERSON LOC"),
        ("Jordan Quorvex has a dad in Jordan.", ["PERSON Jordan Quorvex", "LOC Jordan"], "PERSON LOC"),
        ("He sat in Jordan's room with Jordan.", ["PERSON Jordan", "PERSON Jordan"], "PERSON PERSON"),
        ("Elvira Quorvex of Quorvex Ltd", ["PERSON Elvira Quorvex", "ORG Quorvex Ltd"], "PERSON ORG"),
        ("Will Bright paid the Bill. Bright", ["PERSON Will Bright", "MISC Bill"], "PERSON MISC"),
    ],
)
def test_one_name_has_one_label(text: str, parts: list[str], expected: str) -> None:
    assert labels(text, *parts) == expected.split()
