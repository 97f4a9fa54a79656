"""A value that is restored into JSON, YAML, XML, SQL, code or a table is written so that what parsed still parses."""

from __future__ import annotations

import ast
import csv
import io
import json
import shlex
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.document import Document, Edit, Release, Span
from sfumato.vault.restore import restore_with

_WORDS = [*"&<>:#,;|\n\té{*-", "Anna", "Quorvex", '"Bunny"', "O'Brien", "a\\b"]
VALUES = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(" ".join)


def restored(answer: str, value: str) -> str:
    original = f"It was {value} who came."
    start = original.index(value)
    span = Span(start, start + len(value), "PERSON", entity="person:1")
    return restore_with(answer, [Release(Document("d", original), (Edit(span, "PERSON_1"),))])


def of_sql(text: str) -> str:
    literal = text[text.index("'") + 1 : text.rindex("'")]
    assert "'" not in literal.replace("''", "")
    return literal.replace("''", "'")


def of_table(separator: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        rows = list(csv.reader(io.StringIO(text), delimiter=separator))
        assert [len(row) for row in rows] == [3, 3, 3]
        return rows[1][1]

    return read


FORMATS: dict[str, tuple[str, Callable[[str], object]]] = {
    "json": ('{"to": "PERSON_1", "n": 1}', lambda text: json.loads(text)["to"]),
    "json key": ('{"PERSON_1": {"n": 1}}', lambda text: next(iter(json.loads(text)))),
    "json list": ('{"to": ["PERSON_1", "x"]}', lambda text: json.loads(text)["to"][0]),
    "json in a sentence": ('Call send({"to": "PERSON_1"}) now.', lambda text: json.loads(text[10:-6])["to"]),
    "json in json": (
        json.dumps({"call": json.dumps({"to": "PERSON_1", "n": 1})}),
        lambda text: json.loads(json.loads(text)["call"])["to"],
    ),
    "json in json in json": (
        json.dumps({"a": json.dumps({"call": json.dumps({"to": "PERSON_1"})})}),
        lambda text: json.loads(json.loads(json.loads(text)["a"])["call"])["to"],
    ),
    "yaml": ("to: PERSON_1\nn: 1\n", lambda text: yaml.safe_load(text)["to"]),
    "yaml in quotes": ('to: "PERSON_1"\nn: 1\n', lambda text: yaml.safe_load(text)["to"]),
    "yaml in single quotes": ("to: 'PERSON_1'\nn: 1\n", lambda text: yaml.safe_load(text)["to"]),
    "yaml list": ("people:\n  - PERSON_1\n  - x\ntown: Ghent\n", lambda text: yaml.safe_load(text)["people"][0]),
    "xml": ("<a><b>PERSON_1</b></a>", lambda text: ElementTree.fromstring(text)[0].text),
    "xml attribute": ('<a to="PERSON_1"><b/></a>', lambda text: ElementTree.fromstring(text).get("to")),
    "xml single quotes": ("<a to='PERSON_1'><b/></a>", lambda text: ElementTree.fromstring(text).get("to")),
    "sql": ("INSERT INTO people (name) VALUES ('PERSON_1');", of_sql),
    "python": ('name = "PERSON_1"\nprint(name)\n', lambda text: ast.literal_eval(text.split("\n")[0][7:])),
    "a lone return": ('return "PERSON_1"', lambda text: ast.literal_eval(text.removeprefix("return "))),
    "a return in a function": ('def f():\n    return "PERSON_1"\n', lambda text: ast.literal_eval(text[20:-1])),
    "a lone raise": ('raise ValueError("PERSON_1")', lambda text: ast.literal_eval(text[17:-1])),
    "csv": ("id,name,n\n1,PERSON_1,2\n3,x,4\n", of_table(",")),
    "csv in quotes": ('"id","name","n"\n"1","PERSON_1","2"\n"3","x","4"\n', of_table(",")),
    "semicolons": ("id;name;n\n1;PERSON_1;2\n3;x;4\n", of_table(";")),
    "part of a cell": (
        "id,name,n\n1,Dear PERSON_1!,2\n3,x,4\n",
        lambda text: of_table(",")(text).removeprefix("Dear ").removesuffix("!"),
    ),
    "part of a YAML scalar": (
        "to: Dear PERSON_1!\nn: 1\ntown: Ghent\n",
        lambda text: yaml.safe_load(text)["to"].removeprefix("Dear ").removesuffix("!"),
    ),
    "tabs": ("id\tname\tn\n1\tPERSON_1\t2\n3\tx\t4\n", of_table("\t")),
}


_FOLDED = ("xml attribute", "xml single quotes", "yaml in single quotes")


@pytest.mark.parametrize("name", FORMATS)
@given(value=VALUES)
def test_what_parsed_still_parses_and_says_the_value(name: str, value: str) -> None:
    text, read = FORMATS[name]
    assert read(text) == "PERSON_1"
    written = restored(text, value)
    if name in _FOLDED:  # an XML attribute and a YAML scalar in quotes cannot hold a line break as it is
        assert str(read(written)).split() == value.split()
    else:
        assert read(written) == value


COMMENTS = (
    "x = 1  # ask PERSON_1",
    "x = 1  # ask PERSON_1\ny = 2\nprint(x)\n",
    "# ask PERSON_1\nx = 1\nprint(x)\n",
    "#!/bin/sh\n# ask PERSON_1\necho hi\n",
    "const a = 1; // ask PERSON_1\nlet b = 2;\n",
    "// ask PERSON_1\nconst a = 1;\nlet b = 2;\n",
    "const a = 1; /* ask PERSON_1 */\nlet b = 2;\n",
    "SELECT a FROM t; -- ask PERSON_1\nSELECT 1;\n",
    "[section]\n# ask PERSON_1\na = 1\nb = 2\n",
    "a: 1 # ask PERSON_1\nb: x\nc: 3\n",
    '{"a": 1, // ask PERSON_1\n "b": 2}',
)


@pytest.mark.parametrize("text", COMMENTS)
@given(value=st.one_of(VALUES, st.just("a */ b")))
def test_a_comment_stays_on_its_line_and_open_no_longer_than_it_was(text: str, value: str) -> None:
    written = restored(text, value)
    before, after = text.split("PERSON_1")
    assert written.startswith(before)
    assert written.endswith(after)
    inside = written[len(before) : len(written) - len(after)]
    assert inside.replace("* /", "*/").split() == value.split()
    assert not {"\n", "*/"} & {inside[index : index + size] for index in range(len(inside)) for size in (1, 2)}


@given(value=VALUES)
def test_a_command_has_as_many_arguments_as_before(value: str) -> None:
    assert len(shlex.split(restored('git commit -m "PERSON_1" notes.txt', value))) == 5


@given(value=VALUES)
def test_a_sentence_says_the_value_as_it_is(value: str) -> None:
    assert restored("Dear PERSON_1, hello.", value) == f"Dear {value}, hello."


ORIGINALS: dict[str, Callable[[str], str]] = {
    "json": lambda value: json.dumps({"name": value, "note": "came to see us"}),
    "xml": lambda value: f"<p><name>{value.replace('&', '&amp;')}</name></p>",
    "sql": lambda value: "INSERT INTO people (name) VALUES ('" + value.replace("'", "''") + "');",
}


@pytest.mark.parametrize("name", ORIGINALS)
@pytest.mark.parametrize("value", ["Mrs Renée Quorvex", "Siobhán O'Brien", "Mr Tobias Wrexley"])
def test_an_answer_about_structured_text_names_what_its_escapes_stand_for(name: str, value: str) -> None:
    release = sfumato.anonymize(Document("d", ORIGINALS[name](value)), recipe="labels")
    assert "PERSON_1" in release.text
    assert sfumato.restore(release.text, release) == release.document.text
    assert sfumato.restore("Dear PERSON_1, hello.", release) == f"Dear {value}, hello."
    assert json.loads(sfumato.restore('{"to": "PERSON_1"}', release)) == {"to": value}
