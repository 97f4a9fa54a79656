"""Invented people, dates and places in the place of tags."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import sfumato
from sfumato.cli.app import app
from sfumato.document import LABELS, Document, Span
from sfumato.errors import InputError, Problem, RecipeError, SfumatoError
from sfumato.lexicon.name_lists import given_names
from sfumato_papers.synthesis.deid_tags import UNKNOWN, find_tags, kinds
from sfumato_papers.synthesis.fill import _LABELS, FillSettings, fill_documents

NOTE = """Admission Date: [**2151-7-16**]  Discharge Date: [**2151-7-24**]
Attending: [**First Name8 (NamePattern2) 12**] [**Last Name (NamePattern1) 13**], M.D.

[**Known firstname 4**] [**Known lastname 5**] is a [**Age over 90 7**] year old woman from [**Hospital1 18**], seen on
[**7-16**] and in [**2150**]. She lives in [**Location (un) 9**]. Ms. [**Known lastname 5**] can be reached at
[**Telephone/Fax (1) 8**]; MRN [**Medical Record Number 3**]. Dr. [**Last Name (STitle) 20**] was called.
[**Gadget 7**]
"""


def values(document: Document) -> list[tuple[str, Span]]:
    return [(document.text[span.start : span.end], span) for span in document.annotations or ()]


def untouched(document: Document) -> list[str]:
    """The text between the annotations."""
    borders = [0, *(place for span in document.annotations or () for place in (span.start, span.end))]
    return [document.text[a:b] for a, b in zip(borders[::2], [*borders[1::2], len(document.text)], strict=True)]


def test_a_note_is_filled_and_its_spans_are_exact() -> None:
    filled = sfumato.fill(NOTE)
    assert untouched(filled) == re.split(r"\[\*\*.*?\*\*\]", NOTE)
    result = values(filled)
    assert all(text.strip() == text and text for text, _ in result)
    assert [span.label for _, span in result] == [
        *("DATETIME", "DATETIME", "PERSON", "PERSON", "PERSON", "PERSON", "DEM", "ORG", "DATETIME", "DATETIME"),
        *("LOC", "PERSON", "CODE", "CODE", "PERSON", "MISC"),
    ]
    direct = {span.label for _, span in result if span.identifier == "direct"}
    assert direct == {"PERSON", "CODE", "MISC"}


def test_the_same_tag_is_the_same_person_and_names_side_by_side_are_one() -> None:
    result = values(sfumato.fill(NOTE))
    names = [(text, span.entity) for text, span in result if span.label == "PERSON"]
    first, last, given, family, again, other = names
    assert family == again
    assert first[1] == last[1]
    assert given[1] == family[1]
    assert len({first[1], given[1], other[1]}) == 3
    assert len({text for text, _ in names}) == 5
    # "She lives", "year old woman": the text tells the gender.
    assert given_names()[given[0].casefold()] in ("female", "both")


def days(text: str) -> list[date]:
    return [date.fromisoformat(part) for part in re.findall(r"\d{4}-\d\d-\d\d", text)]


def test_dates_move_together_by_whole_weeks() -> None:
    text = "Born [**2079-3-2**], seen [**2151-7-16**] and [**7-24**], last in [**2151**]; left [**2151-2-31**]."
    seeds = [seed for seed in range(20) if len(days(sfumato.fill(text, seed=seed).text)) == 3]
    assert seeds
    for seed in seeds:
        filled = sfumato.fill(text, seed=seed)
        born, seen, left = days(filled.text)
        assert (seen - born) == date(2151, 7, 16) - date(2079, 3, 2)
        assert seen.weekday() == date(2151, 7, 16).weekday()
        assert seen - left == date(2151, 7, 16) - date(2151, 2, 28)
        assert 2000 <= seen.year <= 2018
        later = filled.annotations[2]
        month, day = map(int, filled.text[later.start : later.end].split("-"))
        assert (date(seen.year + (month < seen.month), month, day) - seen).days == 8


def test_notes_of_one_subject_agree_and_others_differ() -> None:
    text = "[**Known lastname 5**] came on [**2151-7-16**]."
    one, two, stranger = sfumato.fill(
        [Document("1", text, subjects=("p",)), Document("2", text, subjects=("p",)), Document("3", text)]
    )
    assert one.text == two.text != stranger.text


def test_a_seed_repeats_and_another_one_does_not() -> None:
    assert sfumato.fill(NOTE, seed=3) == sfumato.fill(NOTE, seed=3)
    assert sfumato.fill(NOTE, seed=3).text != sfumato.fill(NOTE, seed=4).text


@pytest.mark.parametrize("locale", ["auto", "en_US", "en_GB", "de_DE", "es_ES", "fr_FR", "it_IT", "nl_NL", "pt_PT"])
def test_every_kind_has_a_value_in_every_locale(locale: str) -> None:
    own = {f"Thing{chr(97 + n // 26)}{chr(97 + n % 26)}": kind for n, kind in enumerate(kinds())}
    text = "\n".join(f"- [**{name} 1**]" for name in own)
    filled = sfumato.fill(text, locale=locale, kinds=own)
    lines = filled.text.split("\n")
    assert len(lines) == len(own)
    assert all(len(line) > 2 and "**" not in line for line in lines)
    assert {span.source.removeprefix("fill:") for span in filled.annotations or ()} == set(kinds())
    assert set(_LABELS) == {*kinds(), UNKNOWN}
    assert set(_LABELS.values()) <= set(LABELS)


def test_generic_tags() -> None:
    filled = sfumato.fill("[NAME_1] met <NAME_2> on [DATE]. [NAME_1] left [SIC].", tags="generic")
    first, second, _, again = values(filled)
    assert first[0] == again[0] != second[0]
    assert filled.text.endswith("left [SIC].")


@pytest.mark.parametrize(("unknown", "kept"), [("number", False), ("keep", True)])
def test_unknown_tags_by_rule(unknown: str, kept: bool) -> None:
    problems: list[Problem] = []
    document = Document("a", "x\n[**Gadget 7**]")
    filled = fill_documents([document], FillSettings(unknown=unknown), on_problem=problems.append)  # type: ignore[arg-type]
    assert ("[**Gadget 7**]" in filled.documents[0].text) == kept
    assert bool(filled.documents[0].annotations) != kept
    assert "1 of the tags are of no known kind, the first in document a, line 2" in str(problems[0])
    assert problems[0].is_warning
    assert "Gadget" not in str(problems[0])


def test_wrong_settings_and_broken_notes() -> None:
    with pytest.raises(InputError, match="no known kind"):
        sfumato.fill(NOTE, unknown="error")
    with pytest.raises(InputError, match="document 1: line 1: a tag begins"):
        sfumato.fill("[**Last Name")
    for settings in ({"tags": "xml"}, {"unknown": "drop"}, {"locale": "xx_XX"}, {"kinds": {"a": "b"}}):
        with pytest.raises(RecipeError):
            sfumato.fill(NOTE, **settings)


TAGS = [
    "Last Name 1",
    "First Name 2",
    "2151-7-16",
    "7-16",
    "Hospital 3",
    "Location 4",
    "Phone 5",
    "Name 6",
    "Age over 90",
]


@given(st.lists(st.tuples(st.sampled_from(["", " and ", "\n", "é ", "Dr. "]), st.sampled_from(TAGS)), max_size=8))
def test_the_text_around_tags_stays(drawn: list[tuple[str, str]]) -> None:
    text = "".join(f"{before}[**{tag}**]" for before, tag in drawn) + "."
    filled = sfumato.fill(text)
    assert untouched(filled) == [*(before for before, _ in drawn), "."]
    by_tag: dict[str, set[str]] = {}
    for (value, _), tag in zip(values(filled), find_tags(text), strict=True):
        by_tag.setdefault(tag.key, set()).add(value)
    assert all(len(item) == 1 for item in by_tag.values())


# Files.


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, list(map(str, arguments)))


def write_notes(path: Path, count: int = 20) -> Path:
    rows = [
        {
            "ROW": n,
            "category": "nursing" if n % 2 else "ecg",
            "note": f"[**Known lastname {n}**] came on [**2151-7-16**].",
        }
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_command_writes_texts_spans_and_a_split(tmp_path: Path) -> None:
    notes = write_notes(tmp_path / "notes.jsonl")
    out, gold, split = (tmp_path / name for name in ("filled.jsonl", "gold.jsonl", "split.json"))
    columns = ["--id-column", "ROW", "--text-column", "note", "--strata", "category"]
    done = run("fill", notes, "--out", out, "--gold", gold, "--split", split, *columns, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["kinds"] == {"family": 20, "date": 20}
    texts = {str(row["id"]): str(row["text"]) for row in read(out)}
    for row in read(gold):
        spans = row["spans"]
        assert isinstance(spans, list)
        text = texts[str(row["id"])]
        assert (
            text == f"{text[spans[0]['start'] : spans[0]['end']]} came on {text[spans[1]['start'] : spans[1]['end']]}."
        )
    parts = json.loads(split.read_text())
    assert [len(parts[part]) for part in ("train", "validation", "test")] == [10, 4, 6]
    assert sum(int(key) % 2 for key in parts["train"]) == 5
    # What was filled in can be measured: nothing is hidden yet.
    measured = run("measure", out, out, "--gold", gold, "--metric", "lr", "--metric", "smr", "--json")
    assert measured.exit_code == 0, measured.output
    assert {name: score["value"] for name, score in json.loads(measured.stdout)["metrics"].items()} == {
        "lr": 0,
        "smr": 0,
    }


def test_bad_files_are_explained(tmp_path: Path) -> None:
    path, out, gold, split = (tmp_path / name for name in ("notes.jsonl", "out.jsonl", "gold.jsonl", "split.json"))

    def fill(text: str, *options: object) -> Any:
        path.write_text("".join(json.dumps({"id": n, "text": line}) + "\n" for n, line in enumerate(text.split("|"))))
        outputs = () if "--out" in options else ("--out", out)
        return run("fill", path, *outputs, "--gold", gold, *options)

    for text, options, message in (
        ("nothing", (), "holds no tag"),
        ("[NAME] came.", (), "--tags generic"),
        ("[**Last", (), "no note could be filled"),
        ("[**Name 1**]", ("--strata", "x"), "name its file with --split"),
        ("[**Name 1**]", ("--split", split, "--shares", "1/2/3"), "add up to 100"),
        ("[**Name 1**]", ("--split", split), "too few to split"),
        ("[**Name 1**]", ("--split", split, "--strata", "x"), "no column 'x'"),
        ("[**Name 1**]", ("--kind", "name"), "TEXT=KIND"),
        ("[**Name 1**]", ("--split", gold), "is another file of this run"),
        ("[**Name 1**]", ("--out", path), "is another file of this run"),
        ("[**Name 1**]", ("--out", tmp_path / "out.txt"), "holds one document"),
    ):
        done = fill(text, *options)
        assert isinstance(done.exception, SfumatoError)
        assert message in str(done.exception)
        assert not out.exists()
        assert not gold.exists()
    done = fill("[**Last Name 1**] came.|secret [**Last")
    assert done.exit_code == 1
    assert "document 1: line 1: a tag begins" in done.stderr
    assert "secret" not in done.output
    assert [row["id"] for row in read(out)] == ["0"]
