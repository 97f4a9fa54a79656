"""Structured text inside documents: spans stay within values, and what parsed still parses."""

from __future__ import annotations

import configparser
import csv
import json
import re
import tomllib
from typing import Any
from xml.etree import ElementTree

import pytest
from benchmarks.structure import find_parts, json_shape, python_shape
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.detectors.structure import find_structure
from sfumato.document import Document, Edit, Release, Span, merge_spans, resolve_overlaps

NAMES = ("Ida Brandvik", "Ragnhild", "Tömas O'Dwyer", 'Max "Mo" Feld', "José")
REPLACEMENTS = ("PERSON_1", "between 1,000 and 2,000", 'a "quoted" name', "back\\slash", "O'Brien & <Sons>", "", "42")


def release(text: str, spans: list[Span], replacement: str) -> str:
    """The text with spans cut and replaced as the pipeline does."""
    structure = find_structure(text)
    edits = [(Edit(span, replacement), span) for span in merge_spans(structure.cut_spans(spans))]
    return Release(Document("d", text), resolve_overlaps(structure.fit_edits(edits, lambda span: False))).text


@st.composite
def spans(draw: st.DrawFn, text: str) -> list[Span]:
    """Spans anywhere in a text, as a careless detector would give them."""
    places = draw(st.lists(st.tuples(st.integers(0, len(text)), st.integers(1, 30)), min_size=1, max_size=8))
    return [Span(start, min(start + size, len(text)), "PERSON") for start, size in places if start < len(text)]


keys = st.from_regex(r"[a-z][a-z_]{0,9}", fullmatch=True)
values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(-180, 180)
    | st.sampled_from(NAMES)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(
    st.data(),
    st.dictionaries(keys, values, min_size=1, max_size=5),
    st.sampled_from((None, 2)),
    st.booleans(),
    st.sampled_from(REPLACEMENTS),
)
def test_any_json_stays_json_with_its_keys(
    data: st.DataObject, value: dict[str, Any], indent: int | None, is_ascii: bool, replacement: str
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    released = release(text, data.draw(spans(text)), replacement)
    assert json_shape(released) == json_shape(text)


def nested_shape(value: Any) -> Any:
    """The shape of a JSON value, and of the JSON in its strings."""
    if isinstance(value, dict):
        return {key: nested_shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [nested_shape(inner) for inner in value]
    try:
        inner = json.loads(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return (nested_shape(inner),) if isinstance(inner, dict) else None


nested_values = st.sampled_from(
    (*NAMES, "two\nlines", "C:\\temp", "a {b} [c]", "M\u00fcnchen\u2028", 4417123, -2.5, None, True)
)
levels = st.tuples(
    st.dictionaries(keys, nested_values | st.lists(nested_values), min_size=1),
    st.booleans(),
    st.sampled_from((None, 2)),
)


@given(st.data(), st.lists(levels, min_size=2, max_size=4), st.sampled_from((*REPLACEMENTS, "two\nlines")))
def test_json_in_strings_of_json_stays_json_on_every_level(
    data: st.DataObject, nested: list[tuple[dict[str, Any], bool, int | None]], replacement: str
) -> None:
    text = ""
    for level, is_ascii, indent in nested:
        text = json.dumps({**level, "payload": text} if text else level, ensure_ascii=is_ascii, indent=indent)
    released = release(text, data.draw(spans(text)), replacement)
    assert nested_shape(json.loads(released)) == nested_shape(json.loads(text))


def test_a_value_in_nested_json_is_written_with_all_its_escapes() -> None:
    text = json.dumps({"a": json.dumps({"b": json.dumps({"name": "Ida Brandvik", "n": 4417123})})})
    start = text.index("Ida")
    number = text.index("4417123")
    given = [Span(start, start + 12, "PERSON"), Span(number, number + 7, "CODE")]
    inner = json.loads(json.loads(json.loads(release(text, given, 'a "quoted"\nname\\'))["a"])["b"])
    assert inner == {"name": 'a "quoted"\nname\\', "n": 'a "quoted"\nname\\'}


@given(st.data(), st.lists(st.dictionaries(keys, values, min_size=1), min_size=1, max_size=4))
def test_json_lines_between_prose_stay_json(data: st.DataObject, rows: list[dict[str, Any]]) -> None:
    lines = [json.dumps(row) for row in rows]
    text = "Hello Ida,\n" + "\n".join(lines) + "\nregards, Tom"
    released = release(text, data.draw(spans(text)), "PERSON_1").split("\n")
    assert [json_shape(line) for line in released if line.startswith("{")] == [json_shape(line) for line in lines]


CODE = '''import os

HOST = "10.0.0.7"
LIMIT = 40
ROOT = '/home/ida'

@cached
def find(name: str = "Ida Brandvik", ratio=-2.5) -> dict | None:
    """Find Ida's rows."""
    for row in rows[1:3]:
        print(f"found {row.id} at {os.path.join('/home/ida', 'data')}")
        return row.as_dict(limit=10)  # ask Ragnhild
'''
XML = (
    '<?xml version="1.0"?><people><person id="p7" note=\'Ida "B"\'><name>Ida Brandvik</name><!-- by Tom --></person>'
    "</people>"
)
TOML = 'title = "Ida Brandvik"\nborn = 1961-08-03\nage = 63\n\n[owner]\nname = "Tom"\nratio = 2.5\n'
INI = "[user]\nname = Ida Brandvik\nip = 10.0.0.7\n[core]\neditor = vim\n"
TABLE = 'name,age,city\nIda Brandvik,63,Bergen\n"Dwyer, Tom",41,Cork\nRagnhild,20,Oslo\n'


@given(st.data(), st.sampled_from(REPLACEMENTS))
def test_code_keeps_its_syntax(data: st.DataObject, replacement: str) -> None:
    assert python_shape(release(CODE, data.draw(spans(CODE)), replacement)) == python_shape(CODE)


@pytest.mark.parametrize("name", ["Anna Holtvane", "Mr Tom > Brandvik"])
@pytest.mark.parametrize("quote", ["'", '"'])
def test_what_a_declaration_of_xml_quotes_is_a_value(name: str, quote: str) -> None:
    head = '<?xml version="1.0" encoding="iso-8859-1"?>\n<!DOCTYPE r PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    text = f"{head}[<!ENTITY co {quote}{name}{quote}><!ENTITY d {quote}{name}{quote}>]>\n<r><p>&co; said so.</p></r>"
    released = sfumato.anonymize(text, recipe="labels").text
    assert not {"Anna", "Tom", "Holtvane", "Brandvik"} & set(re.findall(r"\w+", released))
    assert released.startswith(head)
    assert released.endswith("<r><p>&co; said so.</p></r>")


@given(st.data(), st.sampled_from(REPLACEMENTS))
def test_xml_keeps_its_tags(data: st.DataObject, replacement: str) -> None:
    tree = ElementTree.fromstring(release(XML, data.draw(spans(XML)), replacement))
    assert [(element.tag, sorted(element.attrib)) for element in tree.iter()] == [
        ("people", []),
        ("person", ["id", "note"]),
        ("name", []),
    ]


@given(st.data(), st.sampled_from(REPLACEMENTS))
def test_settings_keep_their_keys(data: st.DataObject, replacement: str) -> None:
    toml = tomllib.loads(release(TOML, data.draw(spans(TOML)), replacement))
    assert list(toml) == ["title", "born", "age", "owner"]
    assert list(toml["owner"]) == ["name", "ratio"]
    ini = configparser.ConfigParser(interpolation=None)
    ini.read_string(release(INI, data.draw(spans(INI)), replacement))
    assert {name: list(ini[name]) for name in ini.sections()} == {"user": ["name", "ip"], "core": ["editor"]}


@given(st.data(), st.sampled_from(REPLACEMENTS))
def test_cells_never_merge(data: st.DataObject, replacement: str) -> None:
    rows = list(csv.reader(release(TABLE, data.draw(spans(TABLE)), replacement).splitlines()))
    assert [len(row) for row in rows] == [3, 3, 3, 3]
    assert rows[0] == ["name", "age", "city"]


@pytest.mark.parametrize(
    ("text", "replacement", "released"),
    [
        ('{"price": 19.99}', "between 15 and 20", '{"price": "between 15 and 20"}'),
        ('{"price": 19.99}', "21.5", '{"price": 21.5}'),
        ('{"price": 19.99}', "", '{"price": null}'),
        ("INSERT INTO t (a) VALUES (19.99);", "CODE_1", "INSERT INTO t (a) VALUES ('CODE_1');"),
        ("SELECT a\n  FROM kunde k\n  JOIN r USING (id)\n WHERE k.nr > 19.99;", "CODE_1", None),
        ('{"body": "{\\"id\\":19.99}"}', "CODE_1", '{"body": "{\\"id\\":\\"CODE_1\\"}"}'),
    ],
)
def test_a_number_becomes_a_number_a_string_or_null(text: str, replacement: str, released: str | None) -> None:
    start = text.index("19")
    released = released or text.replace("19.99", f"'{replacement}'")
    # A part of a number is enough for all of it to go.
    assert release(text, [Span(start, start + 2, "QUANTITY")], replacement) == released


@pytest.mark.parametrize(
    ("text", "string"),
    [
        ('{"name": "Ida Brandvik"', "Ida Brandvik"),  # cut off
        ('{"name": "Ida Bran', "Ida Bran"),
        ('{"name": "Ida Brandvik",}', "Ida Brandvik"),
        ('  "name": "Ida Brandvik",\n  "age": 7\n}', "Ida Brandvik"),
        ("import os\nimport sys\n# ask Ida Brandvik first\n", "Ida Brandvik"),
        ("import os\nimport sys\nDear Ida Brandvik, here is the code.\n", "Ida Brandvik"),
        ("import os\nprint('x')\nx = 1  # TODO(ida): later\n", "ida"),
        ('  File "/home/ida/venv/lib/x.py", line 3, in load\n', "ida"),
        ("import os\nimport sys\nopen(r'C:\\Users\\nora\\x')\n", "nora"),
        ('{"path": "C:\\\\Users\\\\nora"}', "nora"),
        ('{"ida.brandvik@mail.example": 1}', "ida.brandvik@mail.example"),
        ('{"Anna Berg": {"age": 1}}', "Anna Berg"),
        ("[2024-03-12 08:14:26] Ida: hello", "Ida"),
        ("ida: hello\ntom: hi\nida: where are you?\n", "ida"),
        ("Name: Ida Brandvik", "Ida Brandvik"),
        ("<ida> hello there", "ida"),
        ("2024-03-12 08:14:26,113 INFO c.e.Auth - user=ida.b login ok", "ida.b"),
        ('10.0.0.7 - ida.b [12/Mar/2024:08:14:22 +0300] "GET /api/v2/users/ida HTTP/1.1" 200 51', "ida"),
        ("SELECT * FROM users WHERE name = 'Ida Brandvik';", "Ida Brandvik"),
        ("INSERT INTO people (name) VALUES ('Ida O''Hara');", "Ida O''Hara"),
        ("Please select the form from Ida and update it.", "Ida"),
        ("BEGIN:VCARD\nN:Brandvik;Ida;;;\nEND:VCARD", "Ida"),
        ("users:\n  - name: Ida Brandvik\n    age: 7\n", "Ida Brandvik"),
    ],
)
def test_what_is_a_value_or_prose_still_goes(text: str, string: str) -> None:
    start = text.rindex(string)
    span = Span(start, start + len(string), "PERSON", "direct")
    assert find_structure(text).cut_spans([span]) == [span]


@pytest.mark.parametrize(
    ("text", "string"),
    [
        ('{"first_name": "x"}', "first_name"),
        ("import os\n\ndef find(name: str) -> None:\n    return name\n", "str"),
        ("@media print {\n  color: red;\n}\n.card {\n  color: red;\n}\n", "@media"),
        ('{"@type": "Person"}', "@type"),
        ('10.0.0.7 - - [12/Mar/2024:08:14:22 +0300] "GET /login HTTP/1.1" 200 5123 "-" "curl/8.4.0"', "200 5123"),
        ('10.0.0.7 - - [12/Mar/2024:08:14:22 +0300] "GET /login HTTP/1.1" 200 5123 "-" "curl/8.4.0"', "curl/8.4.0"),
        ("2024-03-12 08:14:26,113 ERROR [worker-1] c.e.MailService - failed", "c.e.MailService"),
        ("    at com.acme.billing.InvoiceRenderer.render(InvoiceRenderer.java:88)", "InvoiceRenderer"),
        ("Message-ID: <x>\nContent-Type: text/plain; charset=utf-8\n", "charset=utf-8"),
        ("<person><name>x</name></person>", "person"),
        ("[core]\neditor = x\n", "core"),
        ("BEGIN:VCARD\nVERSION:3.0\nEND:VCARD", "VERSION:3.0"),
        ("SELECT name FROM users WHERE id = 1;", "users"),
        ('{"@context": "https://schema.org", "name": "x"}', "https://schema.org"),
        ('{"system": "http://loinc.org", "code": "x"}', "http://loinc.org"),
        ("a,b,c\nx,0,1\ny,1,1\n", "0"),
    ],
)
def test_what_the_format_says_stays(text: str, string: str) -> None:
    start = text.index(string)
    assert find_structure(text).cut_spans([Span(start, start + len(string), "PERSON", "direct")]) == []


@pytest.mark.parametrize("part", ["14:26", "2024", "113", "-03-12 08:1"])
def test_a_time_stamp_goes_whole(part: str) -> None:
    text = "2024-03-12 08:14:26,113 INFO started"
    start = text.index(part)
    (span,) = find_structure(text).cut_spans([Span(start, start + len(part), "CODE")])
    assert (text[span.start : span.end], span.label) == ("2024-03-12 08:14:26,113", "DATETIME")


def test_a_span_ends_with_its_column() -> None:
    text = "tier 1    lemon cake     deliver to Ida Brandvik\t12 Mill Lane | paid"
    parts = find_structure(text).cut_spans([Span(0, len(text), "MISC")])
    assert [text[part.start : part.end].strip() for part in parts] == [
        *("tier 1", "lemon cake", "deliver to Ida Brandvik", "12 Mill Lane", "paid")
    ]


def test_escapes_are_not_cut() -> None:
    text = '{"note": "Jos\\u00e9 said \\"hi\\"\\nTom"}'
    start, end = text.index("Jos"), text.index("\\u00e9") + 3
    assert json.loads(release(text, [Span(start, end, "PERSON")], "PERSON_1")) == {"note": 'PERSON_1 said "hi"\nTom'}
    start = text.index("nTom")
    assert json.loads(release(text, [Span(start, start + 4, "PERSON")], "PERSON_1"))["note"].endswith("\nPERSON_1")


def test_what_a_user_named_goes_anywhere() -> None:
    span = Span(2, 7, "MISC", "direct", source="recipe:deny")
    assert find_structure('{"orion": 1}').cut_spans([span]) == [span]


def test_an_edit_that_takes_in_an_article_stays_within_its_value() -> None:
    text = '{"role": "a nurse"}'
    structure = find_structure(text)
    anchor = Span(text.index("nurse"), text.index("nurse") + 5, "DEM")
    wide = Edit(anchor.moved(anchor.start - 4, anchor.end + 1), "a carer")
    assert Release(Document("d", text), (structure.fit_edits([(wide, anchor)], lambda span: False)[0][0],)).text == (
        '{"role": "a carer"}'
    )


@pytest.mark.parametrize(
    "text",
    [
        *("{[" * 20_000, "<a " * 20_000, "<!--" * 20_000, " " * 50_000, "{/*" * 20_000, '{"' * 20_000),
        *('",;\t|\n' * 5_000, "a,b\na;b\n" * 5_000, '"x"|"y\n' * 5_000, "a: [[[{\n" * 5_000, 'a: "\n' * 5_000),
    ],
)
def test_text_full_of_marks_takes_little_time(text: str) -> None:
    assert find_structure(text).cut_spans([Span(0, 1, "MISC")]) is not None


def test_the_benchmark_finds_parts_by_parsers_alone() -> None:
    parts = find_parts('see {"a": [1]}\n\n```\n[x]\na = b\n```\n')
    assert {part.format for part in parts} == {"JSON", "INI"}
    assert "Python" in {part.format for part in find_parts(CODE)}
    assert list(find_parts("Dear Ida, hello.")) == []
