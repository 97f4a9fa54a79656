"""What goes wrong inside one document withholds that document: the rest is released, and no message tells its text."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from benchmarks import planted_errors
from sfumato import recipe as recipes
from sfumato.document import Document, Release, Span, Withheld
from sfumato.errors import ChatError, DiskFull, EncryptionKeyError, InputError, NotReleased, PluginError
from sfumato.formats import jsonl
from sfumato.formats.text import Text
from sfumato.isolation import DEBUG, attempt, concerns_run, describe, run_step, run_without_failing
from sfumato.pipeline import Pipeline
from sfumato.runs.anonymize import anonymize_files

TEXT = "Mrs {name} was seen in the clinic on 3 August 2021 about her knee."


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(run, marks=[pytest.mark.deep] if run in ("protect", "anonymize with a vault") else [])
        for run in sorted(planted_errors.RUNS)
    ],
)
def test_an_error_in_one_document_leaves_the_others_as_they_are(run: str) -> None:
    results = planted_errors.run_all(4, "fast", seed=7, runs=[run], documents=3)
    assert len(results) == 4
    assert {str(place): reason for place, reason in results.items() if reason is not None} == {}


@pytest.mark.parametrize("out", ["out.jsonl", "out"])
def test_what_cannot_be_written_is_withheld(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str) -> None:
    (folder := tmp_path / "in").mkdir()
    for name in "ab":
        texts = ["The oak tree is old.", "The walnut tree is old.", "The oak tree is tall."]
        records = [{"id": f"{name}{number}", "text": text} for number, text in enumerate(texts)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (folder / "t.txt").write_text("The walnut tree is old and tall.")
    (folder / "u.txt").write_text("The oak tree is old and tall.")
    line_of, render = jsonl.line_of, Text.render

    def raising_line_of(record: dict[str, Any]) -> str:
        if "walnut" in record["text"]:
            raise ValueError(record["text"])
        return line_of(record)

    def raising_render(self: Text, source: Path, release: Release) -> bytes:
        if "walnut" in release.text:
            raise ValueError(release.text)
        return render(self, source, release)

    monkeypatch.setattr(jsonl, "line_of", raising_line_of)
    monkeypatch.setattr(Text, "render", raising_render)
    summary = anonymize_files([folder], tmp_path / out, recipes.load("fast"), audit=tmp_path / "audit.jsonl")
    assert (summary.released, summary.withheld + summary.skipped) == (5, 3)
    written = [path.read_text() for path in summary.files if path.name != "audit.jsonl"]
    assert sum(text.count("oak") for text in written) == 5
    assert not any("walnut" in text for text in written)
    audit = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    is_withheld = [False, True, False, False, True, False, True, False]
    assert ["unexpected ValueError" in line.get("withheld", "") for line in audit] == is_withheld


@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_a_step_withholds_what_it_raises_on_and_keeps_the_order(raises: list[bool]) -> None:
    documents = [Document(f"d{number}", str(is_bad)) for number, is_bad in enumerate(raises)]

    def work(items: list[Document]) -> list[str]:
        if any(item.text == "True" for item in items):
            raise ValueError("personal text")
        return [item.id for item in items]

    results = run_step(documents, work, lambda document: document)
    for document, is_bad, result in zip(documents, raises, results, strict=True):
        assert result == (Withheld(document, result.reason) if isinstance(result, Withheld) else document.id)
        assert isinstance(result, Withheld) == is_bad
        assert not isinstance(result, Withheld) or "personal" not in result.reason


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(0, 3))
def test_work_on_a_whole_corpus_goes_on_without_the_items_it_raises_on(raises: list[bool], fewest: int) -> None:
    def work(items: list[int]) -> list[int]:
        if len(items) < fewest:
            raise InputError("too few")
        if any(raises[item] for item in items):
            raise ValueError("personal text")
        return items

    items = list(range(len(raises)))
    expected = [item for item in items if not raises[item]]
    try:
        result, failing = run_without_failing(items, work)
    except InputError:  # too few are left, or were left while items that raise were searched for
        assert fewest > 1 or not expected
        return
    assert sorted([*result, *failing]) == items
    assert set(result) <= set(expected)
    if fewest < 2:
        assert result == expected
    assert not any("personal" in reason for reason in failing.values())


def test_an_error_of_the_run_is_not_searched_for_in_documents() -> None:
    with pytest.raises(DiskFull):
        run_without_failing([1, 2], Mock(side_effect=DiskFull("full")))


@pytest.mark.parametrize(
    ("error", "stops"),
    [
        *((error, True) for error in (DiskFull("x"), EncryptionKeyError("x"), ChatError("x"), PluginError("x"))),
        *((error, True) for error in (OSError(28, "x"),)),
        *((error, False) for error in (InputError("x"), NotReleased("x"), ValueError("x"), RecursionError("x"))),
        *(
            (error, False)
            for error in (MemoryError(), KeyError("x"), AssertionError("x"), UnicodeDecodeError("u", b"", 0, 1, "x"))
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_that_concern_the_run_stop_it(error: Exception, stops: bool) -> None:
    assert concerns_run(error) == stops


def test_interruptions_are_never_taken_for_an_error_of_a_document() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(interrupt, Document("a", "text"))


def test_an_error_is_described_without_its_message(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="3, 1") as caught:
        Span(3, 1, "PERSON")
    assert describe(caught.value).startswith("unexpected ValueError at document.py:")
    assert "3, 1" not in describe(caught.value)
    monkeypatch.setenv(DEBUG, "1")
    assert concerns_run(ValueError())


class _Raises:
    """A detector that fails on one text."""

    languages = None

    def detect(self, documents: list[Document]) -> list[list[Span]]:
        if any("Quorvex" in document.text for document in documents):
            raise RuntimeError("Quorvex")
        return [[Span(4, 8, "PERSON", source="test")] for _ in documents]


def test_the_library_withholds_the_document_and_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.detectors.rules.detector import RuleDetector

    monkeypatch.setattr(RuleDetector, "detect", _Raises.detect)
    texts = [TEXT.format(name=name) for name in ("Anna Berg", "Anna Quorvex", "Tobias Berg")]
    pipeline = Pipeline(recipes.load("fast"))
    outcomes = list(pipeline.anonymize([Document(str(number), text) for number, text in enumerate(texts)]))
    assert [isinstance(outcome, Release) for outcome in outcomes] == [True, False, True]
    with pytest.raises(NotReleased, match="text 2 of 3 is withheld: unexpected RuntimeError at") as caught:
        sfumato.anonymize(texts, recipe="fast")
    assert "Quorvex" not in str(caught.value)
    with pytest.raises(NotReleased, match="text 2 of 3"):
        sfumato.detect(texts, recipe="fast")


def test_ids_and_folders_are_compared_with_the_whole_run(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "quorvex").mkdir(parents=True)
    (folder / "plain").mkdir()
    note = "The knee is better, and the patient walks without pain again."
    (folder / "quorvex" / "note.txt").write_text(note)
    (folder / "plain" / "note.txt").write_text(note)
    (folder / "plain" / "b.txt").write_text(TEXT.format(name="Anna Quorvex"))
    records = [{"id": "Quorvex", "text": note}, {"id": "knee", "text": note}]
    (folder / "r.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    with sfumato.Vault.open(tmp_path / "v.db", tmp_path / "v.key") as vault:
        summary = anonymize_files(
            [folder], tmp_path / "out", recipes.load("fast"), vault=vault, audit=tmp_path / "audit.jsonl"
        )
        names = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.*"))
        assert names == ["document-3.txt", "plain/b.txt", "plain/note.txt", "r.jsonl"]
        ids = [json.loads(line)["id"] for line in (tmp_path / "out" / "r.jsonl").read_text().splitlines()]
        assert ids == ["document-4", "knee"]
        assert vault.original_id("document-4") == "Quorvex"
        assert vault.original_id("Quorvex") is None
    assert summary.complete
    audit = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert [line["released_id"] for line in audit] == ["plain/b", "plain/note", "document-3", "document-4", "knee"]


@pytest.mark.parametrize("recipe", ["fast", "default"])
def test_no_original_stays_in_memory_after_a_run(recipe: str) -> None:
    surname = "".join(reversed("yrubnolliuq")).title()  # Python keeps the lines of this file
    name = f"Zacharias {surname}"
    sfumato.anonymize(f"{TEXT.format(name=name)} He works as a midwife in Leeds and earns $45,000.", recipe=recipe)
    gc.collect()
    kept = [
        type(holder).__name__
        for holder in gc.get_objects()
        for item in gc.get_referents(holder)
        if type(item) is str and len(item) > 40 and surname in item
    ]
    assert kept == []
