"""A released file contains no telling value that the audit says was replaced.

A number or an everyday word may stand elsewhere with another meaning.
"""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import recipe as recipes
from sfumato.detectors.everyday import EverydayWords
from sfumato.detectors.passes.repeats import is_telling
from sfumato.document import Document, Release, Span
from sfumato.formats.sources import load
from sfumato.pipeline import Pipeline
from sfumato.runs.anonymize import anonymize_files
from tests.chats import minimal_chat

EXAMPLES = Path(__file__).parents[1] / "examples/texts"


def leaks(value: str, text: str) -> bool:
    """Whether the value stands in the text as whole words."""
    before = r"(?<!\w)" if value[:1].isalnum() else ""
    after = r"(?!\w)" if value[-1:].isalnum() else ""
    return re.search(before + re.escape(value) + after, text) is not None


def everything_in(path: Path) -> str:
    """A released file as an attacker opens it: every byte of it, archives unpacked."""
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as archive:
            return "\n".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())
    if path.suffix == ".parquet":
        return "\n".join(document.text for document in load([path]))
    return path.read_text(encoding="utf-8")


GENERALIZING = ("default", "intact", "legal")
"""Their edits may be wider than what was detected, and a date's level keeps a month or year that is another's whole."""


@pytest.fixture(scope="module")
def detected() -> dict[str, list[tuple[str, str]]]:
    """Label and text of all that the recipes' common detectors find in the examples, by document."""
    return {
        document.id: [(span.label, document.text[span.start : span.end]) for span in spans]
        for document, spans in Pipeline(recipes.load("default")).detect(load([EXAMPLES]))
    }


@pytest.mark.parametrize("recipe", recipes.names())
def test_no_released_file_holds_what_was_replaced(
    recipe: str, detected: dict[str, list[tuple[str, str]]], tmp_path: Path
) -> None:
    out, audit = tmp_path / "out", tmp_path / "audit.jsonl"
    loaded = recipes.load(recipe)
    summary = anonymize_files([EXAMPLES], out, loaded, audit=audit, chat=minimal_chat() if loaded.asking else None)
    assert summary.complete
    originals = {document.id: document.text for document in load([EXAMPLES])}
    released = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    lines = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len(originals)
    checked = 0
    texts = {document.id: document.text for document in load([out])}
    for line in lines:
        text: str = texts[line["released_id"]]
        name = line["file"] if line["file"] in released else line["released_id"] + Path(line["file"]).suffix
        whole = everything_in(released[name]) if Path(name).suffix in (".docx", ".html", ".txt", ".md") else text
        values = []
        for edit in line["edits"]:
            values.append((edit["label"], originals[line["id"]][edit["start"] : edit["end"]]))
            assert values[-1][1] != edit["replacement"]
            if recipe in GENERALIZING and edit["label"] == "DATETIME":
                text = text.replace(edit["replacement"], "")
        everyday = EverydayWords(originals[line["id"]])
        for label, value in [*values, *(detected[line["id"]] if recipe in GENERALIZING else ())]:
            if not is_telling(value, Span(0, len(value), label, "direct"), everyday):
                continue
            if label in ("QUANTITY", "DATETIME") and recipe == "clinical":
                continue  # a shifted date may be another original date
            assert not leaks(value, text), f"{line['id']}: a {label} is still there"
            if label in ("PERSON", "CODE") and len(value) > 4:
                assert not leaks(value, whole), f"{line['id']}: a {label} is still in the file"
                checked += 1
    assert checked > (20 if recipe == "codes" else 40)


pieces = st.sampled_from(
    ["Anna Quorvex", "anna", "ANNA", "Mr Belnik", "Belnik's", "+44 20 7946 0018", "7946", "3 March 2019", "2019",
     "in 2019", "a@b.example.org", "Leeds", "leeds", "case no. 4821/19", "4821/19", "\n", ", ", ". ", " and ",
     "The ", "£1,200"]
)  # fmt: skip


texts = st.lists(pieces, min_size=1, max_size=14).map(" ".join)


def detected_and_released(recipe: str, text: str) -> tuple[list[str], Release]:
    """What the detectors found in a text, and its release."""
    pipeline, document = Pipeline(recipes.load(recipe)), Document("d", text)
    ((_, spans),) = pipeline.detect([document])
    return [text[span.start : span.end] for span in spans], pipeline.release(document, spans)


@given(texts)
def test_what_is_replaced_once_is_gone_from_the_whole_text(text: str) -> None:
    values, release = detected_and_released("labels", text)
    assert not [value for value in values if leaks(value, release.text)]


@given(texts)
def test_what_is_generalized_once_is_gone_from_the_whole_text(text: str) -> None:
    """But for dates: March 2019 stands for a day in it, though 2019 alone was hidden elsewhere."""
    values, release = detected_and_released("default", text)
    pieces = [
        text[piece.start : piece.end] if piece.edit is None else piece.edit.replacement
        for piece in release.segments
        if piece.edit is None or piece.edit.span.label != "DATETIME"
    ]
    assert not [value for value in values if any(leaks(value, piece) for piece in pieces)]
    assert release.inverse().text == text
