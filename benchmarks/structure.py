"""Structured text inside documents: what parsed before a release parses after it, with the same keys.

    python -m benchmarks.structure                         # the everyday corpus, train and validation part
    python -m benchmarks.structure --documents FILE.jsonl  # documents as training.everyday_corpus writes them
    python -m benchmarks.structure --recipe labels --list  # each part that does not parse afterwards

The parts are found by parsers alone (JSON, XML, Python, TOML, INI, YAML, CSV), not by the scanner that is measured.
Leaked marks and needless edits are counted in the documents that have such parts.
"""

from __future__ import annotations

import argparse
import ast
import configparser
import csv
import json
import re
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from training.everyday_corpus import Part, read_corpus

from sfumato.document import Document, Release
from sfumato.pipeline import Pipeline
from sfumato.recipe import load
from sfumato.statistics import wilson

PARTS: tuple[Part, ...] = ("train", "validation")
MUST_GO = frozenset("NUICALODGKVP")
_FENCE = re.compile(r"^[ \t]*```(\w*)[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)
_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>.*?</\1>", re.DOTALL)
_CODE = re.compile(r"^(?:import |from \w+ import |def \w+\(|class \w+)", re.MULTILINE)
_KEY = re.compile(r"[A-Za-z_][\w.-]*")
_NESTED = re.compile(r"^ *[\w.-]+: *\n(?: +[\w.-]+:| *- )", re.MULTILINE)
_FEWEST_LINES = 3

Shape = Any
"""What must be the same before and after: keys, tags, the syntax tree without its literals."""


class ParsedPart(NamedTuple):
    """A range of a text that a parser accepts."""

    format: str
    start: int
    end: int
    shape: Callable[[str], Shape]


@dataclass
class Result:
    """Counts over documents."""

    before: Counter[str]
    after: Counter[str]
    leaked: int = 0
    marks: int = 0
    needless: int = 0
    edits: int = 0


def json_shape(text: str) -> Shape:
    """The keys and the structure of a JSON value."""

    def shape(value: Any) -> Shape:
        if isinstance(value, dict):
            return {key: shape(inner) for key, inner in value.items()}
        return [shape(inner) for inner in value] if isinstance(value, list) else None

    return shape(json.loads(text))


def xml_shape(text: str) -> Shape:
    """The tags and the names of attributes."""
    return [(element.tag, sorted(element.attrib)) for element in ElementTree.fromstring(text).iter()]


def python_shape(text: str) -> Shape:
    """The syntax tree with every literal as the same one: a number may have become a string."""

    class Blank(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:
            return ast.Constant(None)

        def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
            inner = self.visit(node.operand)
            return inner if isinstance(inner, ast.Constant) else node

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.dump(Blank().visit(ast.parse(text)))


def toml_shape(text: str) -> Shape:
    return json_shape(json.dumps(tomllib.loads(text), default=str))


def ini_shape(text: str) -> Shape:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.read_string(text)
    keys = [key for name in parser.sections() for key in parser[name]]
    if not keys or not all(map(_KEY.fullmatch, keys)):
        raise ValueError("a text in brackets")
    return [list(parser[name]) for name in parser.sections()]


def yaml_shape(text: str) -> Shape:
    """Raises ImportError without PyYAML."""
    value = import_module("yaml").safe_load(text)
    if not isinstance(value, dict) or not any(isinstance(inner, dict | list) for inner in value.values()):
        raise ValueError("not nested")
    if not _NESTED.search(text) or not all(isinstance(key, str) and _KEY.fullmatch(key) for key in value):
        raise ValueError("a form or a chat")
    return json_shape(json.dumps(value, default=str))


def csv_shape(text: str) -> Shape:
    rows = list(csv.reader(text.splitlines(), strict=True))
    if len(rows) < _FEWEST_LINES or len(rows[0]) < _FEWEST_LINES or len({len(row) for row in rows}) != 1:
        raise ValueError("not a table")
    return rows[0], len(rows)


_WHOLE: dict[str, Callable[[str], Shape]] = {
    "TOML": toml_shape,
    "INI": ini_shape,
    "YAML": yaml_shape,
    "CSV": csv_shape,
}


def is_parsed(shape: Callable[[str], Shape], text: str) -> bool:
    try:
        shape(text)
    except (
        ValueError,
        SyntaxError,
        ElementTree.ParseError,
        configparser.Error,
        csv.Error,
        ImportError,
        RecursionError,
    ):
        return False
    except Exception as error:  # PyYAML's errors have no common base without PyYAML
        if type(error).__module__.startswith("yaml"):
            return False
        raise
    return True


def find_parts(text: str) -> Iterator[ParsedPart]:
    """The parts of a text that a parser accepts."""
    yield from _json_parts(text)
    for element in _ELEMENT.finditer(text):
        if is_parsed(xml_shape, element.group()):
            yield ParsedPart("XML", *element.span(), xml_shape)
    candidates = [(0, len(text)), *(fence.span(2) for fence in _FENCE.finditer(text)), *_blocks(text)]
    for start, end in candidates:
        piece = text[start:end]
        if _CODE.search(piece) and is_parsed(python_shape, piece):
            yield ParsedPart("Python", start, end, python_shape)
        for name, shape in _WHOLE.items():
            if is_parsed(shape, piece) and (name == "CSV" or shape(piece)):
                yield ParsedPart(name, start, end, shape)
                break


def _json_parts(text: str) -> Iterator[ParsedPart]:
    decoder, position = json.JSONDecoder(), 0
    while start := re.compile(r"[{\[]").search(text, position):
        try:
            value, position = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            position = start.end()
            continue
        if "{" in text[start.start() : position] and '"' in text[start.start() : position] and value:
            yield ParsedPart("JSON", start.start(), position, json_shape)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, where a document is more than one of them."""
    for block in re.finditer(r"(?:[^\n]+\n?)+", text):
        if block.span() != (0, len(text)):
            yield block.span()


def measure(documents: Iterable[tuple[Document, list[tuple[int, int, str]]]], recipe: str, *, verbose: bool) -> Result:
    """Release the documents that have structured parts, and parse them again."""
    pipeline = Pipeline(load(recipe))
    result = Result(Counter(), Counter())
    marked = {document.id: (document, spans) for document, spans in documents}
    parts = {key: list(find_parts(document.text)) for key, (document, _) in marked.items()}
    chosen = [document for key, (document, _) in marked.items() if parts[key]]
    for release in pipeline.anonymize(chosen):
        if not isinstance(release, Release):
            continue
        key, text = release.document.id, release.document.text
        for part in parts[key]:
            result.before[part.format] += 1
            piece = release.text[slice(*release.to_released(part.start, part.end))]
            is_same = is_parsed(part.shape, piece) and part.shape(piece) == part.shape(text[part.start : part.end])
            result.after[part.format] += is_same
            if verbose and not is_same:
                print(f"{key}: {part.format} at {part.start}")
        _count_marks(release, marked[key][1], result)
    return result


def _count_marks(release: Release, marks: list[tuple[int, int, str]], result: Result) -> None:
    touched, wanted = bytearray(len(release.document.text)), bytearray(len(release.document.text))
    for edit in release.edits:
        touched[edit.span.start : edit.span.end] = b"\1" * len(edit.span)
    for start, end, kind in marks:
        if kind in MUST_GO:
            words = re.finditer(r"\w+", release.document.text[start:end])
            result.marks += 1
            result.leaked += any(not all(touched[start + word.start() : start + word.end()]) for word in words)
        if kind != "X":
            wanted[start:end] = b"\1" * (end - start)
    for edit in release.edits:
        result.edits += 1
        result.needless += 2 * sum(wanted[edit.span.start : edit.span.end]) < len(edit.span)


def read_documents(path: Path | None) -> Iterator[tuple[Document, list[tuple[int, int, str]]]]:
    if path is not None:
        with path.open(encoding="utf-8") as file:
            for row in map(json.loads, file):
                yield Document(row["id"], row["text"]), [tuple(span) for span in row["spans"]]
        return
    for part in PARTS:
        for document in read_corpus(part=part):
            yield Document(document.id, document.text), [(s.start, s.end, s.kind) for s in document.spans]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    result = measure(read_documents(arguments.documents), arguments.recipe, verbose=arguments.list)
    print("| format | parsed before | parses after, same keys |\n| --- | --- | --- |")
    for name, before in sorted(result.before.items()):
        low, high = wilson(result.after[name], before)
        print(f"| {name} | {before} | {result.after[name]} ({low:.0%} to {high:.0%}) |")
    print(f"marks leaked {result.leaked} of {result.marks}; needless edits {result.needless} of {result.edits}")


if __name__ == "__main__":
    main()
