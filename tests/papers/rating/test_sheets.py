"""What is drawn for human raters, and how their sheets are read, however a spreadsheet saved them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import InputError, NotMeasurable, Problem
from sfumato_papers.rating.sheets import Sheet, choose_questions, count_ratings, draw_sheet, read_sheet

TEXT = "Anna Quorvex met Anna Quorvex in Lublin."
NAME, AGAIN, TOWN = (Span(0, 12, "PERSON"), Span(17, 29, "PERSON"), Span(33, 39, "LOC"))
EDITS = (Edit(NAME, "PERSON_1"), Edit(AGAIN, "PERSON_1"), Edit(TOWN, "a city"))


def edits_sheet(*edits: Edit, text: str = TEXT, **settings: object) -> Sheet:
    releases = {"a": [Release(Document("1", text), edits)]}
    return draw_sheet(releases, choose_questions(["truth", "grammar"]), **settings)  # type: ignore[arg-type]


def drawn(sheet: Sheet) -> list[tuple[str, int]]:
    return sorted((item.type, item.start) for items in sheet.rows.values() for item in items)


def test_of_an_entity_one_mention_is_drawn() -> None:
    assert len(drawn(edits_sheet(*EDITS))) == 2
    two = (Span(0, 12, "PERSON", entity="x"), Span(17, 29, "PERSON", entity="y"))
    assert len(drawn(edits_sheet(*(Edit(span, "PERSON_1") for span in two)))) == 2


def test_every_mention_is_drawn_by_some_seed() -> None:
    seeds = [drawn(edits_sheet(*EDITS, seed=seed, types=["PERSON"])) for seed in range(12)]
    assert {place for (place,) in seeds} == {("PERSON", 0), ("PERSON", 17)}


def test_the_reference_span_with_the_largest_overlap_says_the_type() -> None:
    gold = {"1": [Span(30, 34, "MISC"), Span(33, 39, "ORG"), Span(0, 4, "DEM")]}
    assert drawn(edits_sheet(Edit(TOWN, "a city"), Edit(AGAIN, "PERSON_1"), gold=gold)) == [("ORG", 33), ("PERSON", 17)]


def test_what_was_put_back_as_it_was_is_not_rated() -> None:
    assert drawn(edits_sheet(Edit(TOWN, "a city"), Edit(NAME, "Anna Quorvex"))) == [("LOC", 33)]
    with pytest.raises(NotMeasurable, match="no edit to rate"):
        edits_sheet(Edit(NAME, "Anna Quorvex"))


def test_a_text_that_no_cell_holds_is_left_out_and_named() -> None:
    problems: list[Problem] = []
    releases = {"a": [Release(Document(key, text)) for key, text in (("1", "A day. " * 5000), ("2", TEXT), ("3", " "))]}
    sheet = draw_sheet(releases, choose_questions(["coherence"]), on_problem=problems.append)
    assert [item.document for items in sheet.rows.values() for item in items] == ["2"]
    empty, long = map(str, problems)
    assert empty == "a: 1 releases hold no text and are left out (3)"
    assert long == "a: 1 texts are left out: a cell of a spreadsheet holds 32,767 characters (1)"


@pytest.fixture
def rows(tmp_path: Path) -> list[list[str]]:
    """The rows of a sheet of two texts of several lines, header first."""
    texts = ("First line.\nSecond line, with a comma.", 'She said "no".\nIt rained.\nIt poured.')
    releases = {"a": [Release(Document(str(number), text)) for number, text in enumerate(texts)]}
    draw_sheet(releases, choose_questions(["coherence"])).write(tmp_path / "sheet.csv", tmp_path / "key.csv")
    with (tmp_path / "sheet.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def save(
    path: Path, rows: list[list[str]], encoding: str = "utf-8", delimiter: str = ",", ending: str = "\r\n"
) -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator=ending).writerows(rows)
    return path


def answered(rows: list[list[str]], *answers: str) -> list[list[str]]:
    return [rows[0], *([name, text, answer, ""] for (name, text, *_), answer in zip(rows[1:], answers, strict=True))]


@pytest.mark.parametrize(
    ("encoding", "delimiter", "ending"),
    [
        ("utf-8", ",", "\n"),
        ("utf-8-sig", ";", "\r\n"),
        ("utf-16", "\t", "\r\n"),
        ("cp1252", "|", "\n"),
        ("utf-8", ",", "\r"),
    ],
)
def test_a_sheet_is_read_as_any_spreadsheet_saves_it(
    tmp_path: Path, rows: list[list[str]], encoding: str, delimiter: str, ending: str
) -> None:
    path = save(tmp_path / "filled.csv", answered(rows, "4", "2"), encoding, delimiter, ending)
    assert read_sheet(path) == {rows[1][0]: {"coherence": "4"}, rows[2][0]: {"coherence": "2"}}


def test_the_line_of_a_wrong_answer_is_where_its_row_begins(tmp_path: Path, rows: list[list[str]]) -> None:
    path = save(tmp_path / "filled.csv", answered(rows, "4", "good"))
    line = 2 + len(rows[1][1].split("\n"))
    with pytest.raises(InputError, match=rf"filled\.csv:{line}: row {rows[2][0]}: 'good' is no answer to coherence"):
        read_sheet(path)
    save(path, answered(rows, "0", "good"))
    with pytest.raises(InputError, match=r"filled\.csv:2: .*and 1 more answers are wrong"):
        read_sheet(path)


def test_an_error_does_not_quote_a_document(tmp_path: Path, rows: list[list[str]]) -> None:
    name, text, *rest = rows[1]
    shifted = save(tmp_path / "shifted.csv", [rows[0], [name, "", text, *rest]])
    with pytest.raises(InputError, match=rf"shifted\.csv:2: row {name}: a text of {len(text)} characters is no answer"):
        read_sheet(shifted)
    with pytest.raises(InputError, match=r"shifted\.csv:2: the row has lost its name"):
        read_sheet(save(shifted, [rows[0], [text, *rest]]))


def test_a_workbook_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "filled.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="save the sheet as CSV"):
        read_sheet(tmp_path / "filled.xlsx")


def test_a_second_rater_may_rate_a_part(tmp_path: Path, rows: list[list[str]]) -> None:
    first = save(tmp_path / "first.csv", answered(rows, "4", "2"))
    second = save(tmp_path / "second.csv", answered(rows, "5", "")[:2])
    ratings = count_ratings([first, second], tmp_path / "key.csv")
    assert ratings.unanswered == {"first": 0, "second": 1}
    (answers,) = ratings.answers
    (group,) = answers.groups
    assert group.mean is not None
    assert group.mean["value"] == (4.5 + 2) / 2
    assert {answer: share["value"] for answer, share in group.shares.items()} == {
        "1": 0,
        "2": 0.5,
        "3": 0,
        "4": 0.25,
        "5": 0.25,
    }
    assert answers.agreement is not None
    assert (answers.agreement["value"], answers.agreement["n"]) == (0, 1)
