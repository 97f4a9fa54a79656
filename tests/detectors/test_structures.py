"""Structures keep their form: generated tables, JSON, YAML, XML, SQL, logs and code are released and read again."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import tomllib
from contextlib import closing
from io import StringIO

import pytest
import yaml
from benchmarks.structures import KINDS, Case, cases, is_same, make_case, measure
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.detectors.structure import find_structure
from sfumato.detectors.structure_check import keep_structures, read_shape
from sfumato.detectors.yaml_blocks import needs_quotes
from sfumato.document import Document, Edit, Release, Span, Withheld, merge_spans
from sfumato.pipeline import Pipeline
from sfumato.recipe import load

REPLACEMENTS = (
    "PERSON_1",
    "[REDACTED]",
    'a "quoted", name; here',
    "O'Brien & <Sons>",
    "x: #y",
    "",
    "42",
    "back\\slash",
)


@pytest.mark.parametrize("recipe", ["fast", "labels", "hipaa", "clinical", "codes"])
def test_no_structure_is_damaged_and_no_planted_value_stays(recipe: str) -> None:
    chosen = [case for kind in KINDS for case in cases(kind, 6, seed=70_000)]
    counts = measure(recipe, chosen)
    assert counts["damaged"] == counts["leaked"] == 0
    assert counts["withheld"] <= 2


NAMES = st.sampled_from(["Anna Quorvex", "Ida Wexelby", "Marek Dvorzhak"])
OBJECTS = st.fixed_dictionaries(
    {
        "name": NAMES,
        "n": st.integers(10**6, 10**9),
        "note": st.sampled_from(["ok", 'says "hi"', "a\\b", "x\ny"]),
        "is_open": st.sampled_from([True, None, 3]),
    }
)


@pytest.mark.parametrize("recipe", ["fast", "labels", "redact"])
@given(objects=st.lists(OBJECTS, min_size=1, max_size=3))
def test_json_in_cells_of_a_table_and_in_yaml_stays_json(recipe: str, objects: list[dict[str, object]]) -> None:
    file = StringIO()
    rows: list[list[object]] = [
        ["id", "data", "town"],
        *([number, json.dumps(each), "Leeds"] for number, each in enumerate(objects)),
    ]
    csv.writer(file, lineterminator="\n").writerows(rows)
    released = list(csv.reader(StringIO(release_text(file.getvalue(), recipe))))
    assert [len(row) for row in released] == [3] * len(rows)
    inner = [row[1] for row in released[1:]]
    inner.append(yaml.safe_load(release_text(f"a: {json.dumps(json.dumps(objects[0]))}\nb: x\nc: 3\n", recipe))["a"])
    for each, original in zip(map(json.loads, inner), [*objects, objects[0]], strict=True):
        assert list(each) == list(original)
        assert " " not in each["name"]


def release_text(text: str, recipe: str) -> str:
    (release,) = Pipeline(load(recipe)).anonymize([Document("d", text)])
    assert isinstance(release, Release), release.reason
    return release.text


@pytest.mark.parametrize("recipe", ["labels", "redact"])
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["Lyon", "060548", "K1"]), st.integers(100, 999), st.integers(100, 999)),
        min_size=2,
        max_size=5,
    )
)
def test_rows_of_numbers_without_a_header_keep_their_cells(recipe: str, rows: list[tuple[str, int, int]]) -> None:
    text = "".join(f"{place},{first},{second}.93\n" for place, first, second in rows)
    assert [row.count(",") for row in release_text(text, recipe).splitlines()] == [2] * len(rows)


NUMBERS = st.sampled_from(
    ["020 7946 {}", "0121 234 {}", "01512 345{}", "+44 20 7946 {}", "(212) 555-{}", "030 9018 {}"]
)
COUNTS = st.tuples(st.integers(1, 99), st.integers(10, 99))


@pytest.mark.parametrize("recipe", ["fast", "codes"])
@given(
    rows=st.lists(st.tuples(NUMBERS, st.integers(1000, 9999), COUNTS), min_size=2, max_size=4),
    header=st.sampled_from(["", "n{0}phone{0}qty", "id{0}telephone{0}total", "customer{0}mobile{0}count"]),
    separator=st.sampled_from(",;\t|"),
)
def test_telephone_numbers_between_other_numbers_go_whole_and_alone(
    recipe: str, rows: list[tuple[str, int, tuple[int, int]]], header: str, separator: str
) -> None:
    lines = [separator.join((str(a), number.format(last), str(b))) for number, last, (a, b) in rows]
    text = "\n".join(([header.format(separator)] if header else []) + lines)
    released = [line.split(separator) for line in release_text(text, recipe).splitlines()]
    for cells, (_, _, (first, last)) in zip(released[bool(header) :], rows, strict=True):
        assert (cells[0], cells[2]) == (str(first), str(last))
        assert re.fullmatch(r"CODE_\d", cells[1])


@pytest.mark.parametrize("recipe", ["fast", "codes"])
@pytest.mark.parametrize("number", ["555-0123", "02079460123", "2079460123"])
@pytest.mark.parametrize("header", ["phone", "Telephone", "mobile_no"])
def test_a_header_tells_what_the_numbers_below_it_are(recipe: str, number: str, header: str) -> None:
    text = "id,{},total\n1,{},33\n2,{},35\n".format(header.lower(), number, number[:-1] + "8")
    assert release_text(text, recipe) == f"id,{header.lower()},total\n1,CODE_1,33\n2,CODE_2,35\n"


@pytest.mark.parametrize(
    "template", ['1,"{}",x\n2,"{}",y\n', "{};7\n{};8\n", "name\tn\n{}\t7\n{}\t8\n", "| {} | 7 |\n| {} | 8 |"]
)
def test_a_cell_with_the_family_name_first_goes_whole(template: str) -> None:
    released = release_text(template.format("Quorvex, Anna", "van der Vexelby, Ida M."), "fast")
    assert released == template.format("PERSON_1", "PERSON_2")


PREFIXES = (
    "Mar 12 10:00:01 host app[123]: INFO ",
    "<34>Mar 12 10:00:01 host app: ",
    "<34>1 2024-03-12T10:00:01Z host app 123 ID47 - ",
    "2024-03-12 10:00:01,113 INFO app.users - login ",
    "2024-03-12T10:00:01.113Z [main] WARN c.e.App: payload=",
    "[2024-03-12 10:00:01] app.ERROR: failed ",
    "INFO:root:",
    "1710237601.123 host ",
    "I0312 10:00:01.123456    12 app.go:17] ",
    "app | ",
)


@pytest.mark.parametrize("recipe", ["fast", "labels", "default", "redact"])
@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("count", [1, 2])
def test_json_at_the_end_of_a_log_line_is_json_and_its_values_are_replaced(
    recipe: str, prefix: str, count: int
) -> None:
    entry = {"user": "Anna Quorvex", "mail": "a.quorvex@example.org", "n": 3, "tags": ["a", None]}
    text = "\n".join([prefix + json.dumps(entry)] * count)
    for line in release_text(text, recipe).splitlines():
        assert line.count("{") == 1
        released = json.loads(line[line.index("{") :])
        assert list(released) == list(entry)
        assert (released["n"], released["tags"]) == (3, ["a", None])
        assert "uorvex" not in line


@pytest.mark.parametrize("recipe", ["labels", "redact"])
@pytest.mark.parametrize("inner", ["line\nbreak", "one\n\ntwo", "Elm Road\nLeeds", "it''s\nhere"])
def test_a_string_of_sql_may_go_over_several_lines(recipe: str, inner: str) -> None:
    text = f"INSERT INTO t (a, b, c) VALUES ('{inner}', '07700 900181', 777659939), ('Ida Wexelby', 'x', 3);\nSELECT 1;"
    released = release_text(text, recipe)
    assert "900181" not in released
    assert "Wexelby" not in released
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (a, b, c)")
        database.executescript(released)
        assert [len(row) for row in database.execute("SELECT * FROM t")] == [3, 3]


def test_a_quote_in_a_comment_opens_no_string_of_sql() -> None:
    released = release_text("SELECT * FROM t; -- don't\nMrs Anna Quorvex came to see us, and she is well.\n", "labels")
    assert "Quorvex" not in released


def test_toml_with_a_string_over_several_lines_is_toml() -> None:
    text = '[owner]\nname = "Anna Quorvex"\nborn = 1984-03-12\nn = 53803049\nwho = """\nhi Anna Quorvex\n"""\n'
    released = release_text(text, "labels")
    assert list(tomllib.loads(released)["owner"]) == ["name", "born", "n", "who"]
    assert "Quorvex" not in released


@st.composite
def careless_releases(draw: st.DrawFn, kinds: tuple[str, ...]) -> tuple[Case, Release]:
    """A structure with edits anywhere in it, but for those that replace a key, as a careless step would make them."""
    case = make_case(draw(st.sampled_from(kinds)), draw(st.integers(0, 10**6)))
    structure = find_structure(case.text)
    assume(any(region.start <= case.start and case.end <= region.end for region in structure.regions))
    places = draw(
        st.lists(st.tuples(st.integers(case.start, case.end - 1), st.integers(1, 40)), min_size=1, max_size=6)
    )
    spans = merge_spans(Span(start, min(start + size, case.end), "PERSON") for start, size in places)
    keys = [piece for piece in structure.pieces if piece.kind == "name"]
    spans = [span for span in spans if not any(key.start <= span.start and span.end <= key.end for key in keys)]
    return case, Release(
        Document("d", case.text), tuple(Edit(span, draw(st.sampled_from(REPLACEMENTS))) for span in spans)
    )


@given(careless_releases(("json", "yaml", "xml", "table")))
def test_edits_across_values_are_narrowed_or_the_document_is_withheld(drawn: tuple[Case, Release]) -> None:
    case, release = drawn
    kept = keep_structures(release)
    if isinstance(kept, Withheld):
        assert case.text not in kept.reason
        return
    before, after = case.text[case.start : case.end], kept.text[slice(*kept.to_released(case.start, case.end))]
    if case.kind == "table":  # a header of common words may be a row like any
        assert case.read(after)[0] == case.read(before)[0]
    else:
        assert is_same(case.read(before), case.read(after))


@pytest.mark.parametrize(
    "table",
    [
        "date,amount\n2021-03-14,10025\n2021-03-15,20031",
        "zip,city\n51133,Gdańsk\n72305,Gdańsk",
        "phone,count\n+44 20 7946 0123,4",
        "dob,id\n1921-01-01,77\n1930-05-02,78\n1944-11-30,79",
        "amount,zip\n4410.50,10025",
        "sex|zip\nF|21964\nM|63548",
        "id;customer;ZIP;postcode;qty\nA-768;Lucía Dvorzhak;60431;18658;2",
        'name\tnote\nAnna Quorvex\t"said ""never"""\n\t',
    ],
)
@pytest.mark.parametrize("recipe", ["labels", "hipaa"])
def test_small_tables_keep_their_cells(table: str, recipe: str) -> None:
    separator = next(each for each in "\t|;," if each in table)
    (release,) = Pipeline(load(recipe)).anonymize([Document("d", table)])
    assert isinstance(release, Release)

    def shape(text: str) -> list[int]:
        return [len(row) for row in csv.reader(StringIO(text), delimiter=separator, strict=True)]

    assert shape(release.text) == shape(table)
    assert release.text.split("\n")[0] == table.split("\n")[0]


@pytest.mark.parametrize(
    "text",
    [
        "Dear Anna,\nthank you for the apples, pears and plums.\nYours, Tom",
        "It cost 1,000 pounds.\nShe paid 2,000 more.",
        "Anna: hello\nBob: how are you\nAnna: fine",
        "Name: Anna Quorvex\nDate: 3 March 2021\nPlace: Leeds",
        "See [12] and [3, 4] for this; it is known [sic].",
        "He came; she went.\nThey stayed; nobody knew.",
        "2024-03-12 08:14:26,113 INFO started\n2024-03-12 08:14:27,020 INFO stopped",
    ],
)
def test_prose_forms_and_chats_are_no_structure(text: str) -> None:
    assert find_structure(text).regions == []


def test_two_people_with_one_label_stay_two_keys() -> None:
    text = '{"Anna Quorvex": 1, "Marek Dvorzhak": 2, "again": {"Anna Quorvex": 3}}'
    spans = [
        Span(text.index(name, start), text.index(name, start) + len(name), "PERSON")
        for name, start in (("Anna Quorvex", 0), ("Marek Dvorzhak", 0), ("Anna Quorvex", 30))
    ]
    kept = keep_structures(Release(Document("d", text), tuple(Edit(span, "PERSON") for span in spans)))
    assert isinstance(kept, Release)
    assert json.loads(kept.text) == {"PERSON": 1, "PERSON 2": 2, "again": {"PERSON": 3}}


def test_a_number_may_become_text_and_nothing_else_changes_its_type() -> None:
    assert read_shape("JSON", '{"a": 1, "a": 2}') is None
    text = "list:\n  - 12\n  - true\n  - Anna\n  - '7'\nborn: 2021-03-14\n"
    edits = [(text.index(value), value) for value in ("12", "Anna", "7", "2021-03-14")]
    structure = find_structure(text)
    pairs = [(Edit(span, "[X]: y"), span) for span in (Span(i, i + len(v), "MISC") for i, v in edits)]
    release = Release(Document("d", text), tuple(edit for edit, _ in structure.fit_edits(pairs, lambda span: False)))
    loaded = yaml.safe_load(release.text)
    assert loaded == {"list": ["[X]: y", True, "[X]: y", "[X]: y"], "born": "[X]: y"}


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x7f\ufeff"), max_size=12))
def test_text_that_needs_no_quotes_is_itself_in_yaml(text: str) -> None:
    if not needs_quotes(text):
        assert yaml.safe_load(f"a: [{text}]\nb: {text}") == {"a": [text], "b": text}


@given(
    st.lists(
        st.sampled_from(
            [
                "Wir zahlten 24,90 € am Montag",
                "das ist nicht vereinbart. Bitte schreiben Sie an Anna Quorvex,",
                "il conto di 1.240,50 euro per la visita",
                "per la visita di controllo,",
                "costaba 3,5 euros el kilo",
            ]
        ),
        min_size=2,
        max_size=4,
    ).map("\n".join)
)
def test_lines_of_prose_with_decimal_commas_are_no_table(text: str) -> None:
    assert [piece for piece in find_structure(text).pieces if piece.style == "cell"] == []
