"""What objects show of themselves in logs, notebooks and tracebacks: no text, no name, no value that was replaced."""

from __future__ import annotations

import gc
import re
import warnings
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import isclass
from typing import Any

import pytest

import sfumato
from sfumato.document import Attempt, Document, Edit, Evidence, Guess, Release, Span, Withheld

MODULES = (
    "document",
    "errors",
    "attacks.base",
    "attacks.ground_truth",
    "attacks.risk",
    "formats.base",
    "generalize.hierarchy",
    "llm.chat",
    "protection.records",
    "runs.journal",
    "runs.summary",
    "vault.restore",
    "vault.store",
)
"""Whose dataclasses public functions take or return."""

HARMLESS = {
    *("id", "document_id", "released_id", "original_id", "without_background", "also_named"),  # ids
    *("label", "labels", "source", "annotator", "language", "identifier", "kind", "role"),
    *("attack", "attacks", "metric", "name", "linked_by", "loop_attacks", "joined_loop", "joint"),
    *("file", "files", "message", "reason", "failure", "withheld", "fallback_reason", "released_anyway", "about"),
    *("guarantee", "background", "settings", "schema", "cost", "usage", "remarks", "excluded"),
    *("unchecked", "unchecked_parts", "per_document", "checks", "documents", "keep"),
    *("kept_columns", "dropped_columns", "repeating_columns"),  # names of columns
    *("columns", "interval", "preposition", "modifier", "article", "key"),
}
"""Fields of text that say nothing of a document: ids, names of methods, messages, which quote no text."""
HARMLESS_IN = {
    *("Columns.text", "Columns.subjects"),  # names of columns
    "Level.text",  # a generalization
    *("Protection.before", "Protection.after", "DocumentRisk.ranks", "AttackReport.abstaining"),  # by attack
}


def dataclasses() -> list[type[Any]]:
    modules = [import_module(f"sfumato.{name}") for name in MODULES]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isclass(value) and is_dataclass(value) and value.__module__ == module.__name__
    ]


@pytest.mark.parametrize("kind", dataclasses(), ids=lambda kind: kind.__name__)
def test_fields_of_text_are_not_shown(kind: type[Any]) -> None:
    shown = [field for field in fields(kind) if field.repr and re.search(r"\b(?:str|Any)\b", str(field.type))]
    telling = [
        field.name
        for field in shown
        if field.name not in HARMLESS and f"{kind.__name__}.{field.name}" not in HARMLESS_IN
    ]
    assert telling == [], "hide these with field(repr=False), or say here why they tell nothing"


def test_no_part_of_a_document_is_shown() -> None:
    text = "Ida Brandvik"
    span = Span(0, 12, "PERSON", entity="person:ida brandvik")
    document = Document("a", text, ("Ida Brandvik",), (span,), {"kept": {"name": text}})
    release = Release(document, (Edit(span, text, (text,)),))
    guess = Attempt("tfidf", "a", (Guess(text, 1.0),), evidence=(Evidence(text, 1.0, 0, 3),), span=span)
    rewritten = Release.rewritten(document, text, (text,), release)
    for item in (
        span,
        document,
        release,
        release.inverse(),
        release.segments,
        rewritten,
        Withheld(document, ""),
        guess,
    ):
        assert "brandvik" not in repr(item).casefold()
    assert str(release) == text


SECRETS = ("vexelhaug", "quillroth", "7946 0178")
"""In no other test, whose objects may be in memory, too; nor in a figure, as four digits alone may be."""


def test_nothing_that_a_call_leaves_in_memory_shows_text() -> None:
    originals = {
        "a": "Ms Ida Vexelhaug, a ghillie, was born on 3 August 1961. Call 020 7946 0178.",
        "b": "Mr Otto Quillroth, a ghillie, was born on 4 May 1970. Call 020 7946 0178.",
    }
    background = {**originals, **{f"p{number}": f"A teacher with {number} cats." for number in range(5)}}
    documents = [Document(key, text, (key,)) for key, text in originals.items()]
    releases = sfumato.anonymize(documents, recipe="fast")
    results = (
        [release.inverse() for release in releases],
        sfumato.restore("Dear PERSON_1", releases),
        sfumato.attack(originals, releases, background),
        sfumato.measure(originals, releases, metrics=["rouge-l"]),
    )
    assert results
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # objects of torch, where it is installed, warn when they are looked at
        ours = [item for item in gc.get_objects() if is_dataclass(item) and not isclass(item)]
    shown = [
        (type(item).__name__, repr(item))
        for item in ours
        if str(type(item).__module__).startswith("sfumato") and not type(item).__module__.startswith("sfumato.lexicon")
    ]
    assert {"Document", "Release", "Edit", "Span", "AttackReport"} <= dict(shown).keys()
    assert {name for name, text in shown if any(secret in text.casefold() for secret in SECRETS)} == set()
