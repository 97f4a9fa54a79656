"""An allowed term is never replaced, whatever it stands in; the rest is judged on its own."""

from __future__ import annotations

import json
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from benchmarks.allow_terms import cases, count_lost
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import sfumato
from sfumato.cli.app import app
from sfumato.detectors.allowed import AllowedTerms, cut_around_allowed, with_allowed
from sfumato.document import Document, Edit, Span, keep_allowed
from sfumato.recipe import load, names
from sfumato.runs.anonymize import anonymize_files
from tests.formats.docx_files import paragraph, write_docx

OFFLINE = [name for name in names() if not load(name).asking]


@pytest.mark.parametrize("recipe", OFFLINE)
def test_a_term_inside_of_something_longer_stays_in_releases_and_repairs(recipe: str) -> None:
    """The benchmark counts more of them."""
    lost, lost_in_repairs = count_lost(list(cases(40, seed=OFFLINE.index(recipe))), recipe)
    assert [case.term for case in lost] == []
    assert [case.term for case in lost_in_repairs] == []


@pytest.mark.parametrize(
    ("text", "allow", "released"),
    [
        ("Judge Harriet Colclough sat. Later Harriet Colclough left.", "Colclough", "PERSON_1 Colclough left."),
        ("Judge Harriet Colclough", "Colclough", "PERSON_1 Colclough"),
        ("I met Mr Colclough.", "Colclough", "I met Mr Colclough."),
        ("He went to Mercy General Hospital.", "mercy", "to Mercy ORG_1."),
        ("She lives at 4 Elm Road, Leeds.", "Leeds", "at LOC_1, Leeds."),
        ('{"name": "Harriet Colclough", "age": 3}', "Harriet", '{"name": "Harriet PERSON_1", "age": "DEM_1"}'),
        ("Harriet  COLCLOUGH's letter", "harriet colclough", "Harriet  COLCLOUGH's letter"),
        ("Write to Colсlough now.", "Colclough", "Write to Colсlough now."),  # a Cyrillic letter
    ],
)
def test_the_rest_of_a_longer_span_is_judged_on_its_own(text: str, allow: str, released: str) -> None:
    assert sfumato.anonymize(text, recipe="labels", allow=[allow]).text.endswith(released)


NUMBERS = st.one_of(
    st.dates().map(lambda day: (str(day), str(day).split("-"))),
    st.integers(10**6, 10**9).map(lambda number: (f"{number}.25", [str(number)])),
)
LITERALS: dict[str, tuple[str, Callable[[str], dict[str, object]]]] = {
    "yaml": ("id: 7\nborn: {}\ntown: x\n", yaml.safe_load),
    "toml": ('[a]\nid = 7\nborn = {}\ntown = "x"\n', lambda text: tomllib.loads(text)["a"]),
    "json": ('{{"id": 7, "born": {}, "town": "x"}}', json.loads),
    "json in json": ('{{"a": "{{\\"born\\": {}}}"}}', lambda text: json.loads(json.loads(text)["a"])),
}


@pytest.mark.parametrize("recipe", ["labels", "default"])
@pytest.mark.parametrize("name", LITERALS)
@given(data=st.data())
@settings(max_examples=15)
def test_a_number_or_date_of_which_a_part_is_allowed_stays_one_value(
    name: str, recipe: str, data: st.DataObject
) -> None:
    written, parts = data.draw(NUMBERS.filter(lambda drawn: "json" not in name or "-" not in drawn[0]))
    term = data.draw(st.sampled_from(parts))
    template, read = LITERALS[name]
    text = template.format(written)
    released = sfumato.anonymize(text, recipe=recipe, allow=[term]).text
    assert list(read(released)) == list(read(text))
    value = str(read(released)["born"])
    assert term in value
    assert '"' not in value


def test_terms_that_overlap_are_all_allowed() -> None:
    terms = AllowedTerms(["Harriet Colclough", "Colclough Road", "Road"])
    text = "Harriet Colclough Road"
    assert terms.used(text) == set(terms.terms)
    assert [text[start:end] for start, end in terms.ranges("Harriet Colclough Road")] == ["Harriet Colclough Road"]


def test_what_is_denied_or_given_is_cut_as_well() -> None:
    text = "The plan Lantern Colclough was made."
    recipe = load("labels").with_changes(deny={"ORG": ["Lantern Colclough"]}, allow=["Colclough"])
    assert sfumato.anonymize(text, recipe=recipe).text == "The plan ORG_1 Colclough was made."
    document = with_allowed(Document("d", text, annotations=(Span(4, 26, "MISC"),)), AllowedTerms(["Colclough"]))
    gold = load("labels").with_changes(detect=["gold"], allow=["Colclough"])
    assert sfumato.anonymize(document, recipe=gold).text == "The MISC_1 Colclough was made."


@given(
    st.lists(st.sampled_from(["Colclough", "Anna", "of", "Leeds", "-", "12", ", ", "\n", "Mr"]), max_size=12),
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 30)), max_size=6),
)
@settings(max_examples=200, deadline=None)
def test_spans_and_edits_never_touch_what_is_allowed(words: list[str], places: list[tuple[int, int]]) -> None:
    text = " ".join(words)
    document = with_allowed(Document("d", text), AllowedTerms(["Colclough", "Leeds", "Mr Anna"]))
    allowed = document.meta.get("allowed", ())
    spans = [Span(start, min(start + size, len(text)), "PERSON") for start, size in places if start < len(text)]
    edits = keep_allowed(document, [Edit(span, "X") for span in spans])
    for part in [*cut_around_allowed(document, spans), *(edit.span for edit in edits)]:
        assert all(part.end <= start or end <= part.start for start, end in allowed)
        assert any(span.start <= part.start and part.end <= span.end for span in spans)


def test_commands_keep_allowed_terms_and_name_those_without_effect(tmp_path: Path) -> None:
    several = list(cases(40, seed=7))
    lines = [json.dumps({"id": str(number), "text": case.text}) for number, case in enumerate(several)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
    terms = sorted({case.term for case in several})
    (tmp_path / "terms").write_text("\n".join([*terms, "Zzyzx Nowhere"]), encoding="utf-8")
    out = tmp_path / "out.jsonl"
    command = [str(tmp_path / "in.jsonl"), "--out", str(out), "--allow-file", str(tmp_path / "terms"), "--json"]
    result = CliRunner().invoke(app, ["anonymize", *command], catch_exceptions=False)
    assert json.loads(result.stdout)["allowed"] == {"in_no_document": ["Zzyzx Nowhere"], "not_kept": {}}
    released = [json.loads(line)["text"] for line in out.read_text(encoding="utf-8").splitlines()]
    assert not any(case.is_lost_in(text) for case, text in zip(several, released, strict=True))
    CliRunner().invoke(app, ["detect", *command], catch_exceptions=False)
    allowed = AllowedTerms(terms)
    for case, line in zip(several, out.read_text(encoding="utf-8").splitlines(), strict=True):
        spans = [(span["start"], span["end"]) for span in json.loads(line)["spans"]]
        assert all(end <= first or last <= start for first, last in allowed.ranges(case.text) for start, end in spans)


def test_an_id_that_holds_an_allowed_term_and_is_renumbered_is_named(tmp_path: Path) -> None:
    record = {"id": "Anna Colclough 1", "text": "Anna Colclough came."}
    (tmp_path / "in.jsonl").write_text(json.dumps(record), encoding="utf-8")
    recipe = load("labels").with_options(["Colclough"])
    summary = anonymize_files([tmp_path / "in.jsonl"], tmp_path / "out.jsonl", recipe)
    assert dict(summary.allowed_lost) == {"Colclough": 1}
    assert summary.allowed_nowhere == []


def test_fields_of_a_word_file_keep_what_is_allowed(tmp_path: Path) -> None:
    body = paragraph("Mrs Anna Quorvex of the Colclough Trust was seen.") + paragraph("Colclough").replace(
        "<w:p>", '<w:p xmlns:x="urn:x" x:owner="Anna Quorvex Colclough">'
    )
    write_docx(tmp_path / "in.docx", body)
    recipe = load("labels").with_options(["Colclough"])
    anonymize_files([tmp_path / "in.docx"], tmp_path / "out", recipe)
    with zipfile.ZipFile(tmp_path / "out" / "in.docx") as archive:
        part = archive.read("word/document.xml").decode()
    assert part.count("Colclough") == 3
    assert "Quorvex" not in part
