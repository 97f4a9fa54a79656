"""Large JSON files one element at a time, and the JSON list of the Text Anonymization Benchmark (TAB).

Pilán et al., "The Text Anonymization Benchmark (TAB)", Computational Linguistics 48(4), 2022.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Any, ClassVar, Literal

from sfumato.document import Document
from sfumato.errors import Problem
from sfumato.formats.base import MAX_DOCUMENT_BYTES, Columns, OnProblem, Record, RecordTemplate
from sfumato.formats.records import TOO_NESTED, Layout, NestingCounter, skipping_bad_record, to_document
from sfumato.formats.text import EMPTY, TOO_LARGE, open_utf8

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
"""Every escape of a JSON file: a whole surrogate pair, half a pair (the group), or any other."""


class Broken(Exception):
    """The file cannot be read beyond this point; the message says why and what to do."""


class _LimitedReader:
    """A file that raises Broken when one element takes more bytes, or more levels, than a record may."""

    def __init__(self, handle: IO[bytes]) -> None:
        self._handle = handle
        self._nesting = NestingCounter()
        self._is_too_nested = False
        self.since_last_element = 0

    def read(self, size: int = -1) -> bytes:
        if self._is_too_nested:
            raise Broken(f"a record {TOO_NESTED}. Nothing after it was read")
        data = self._handle.read(size)
        allowed = self._nesting.allowed(data)
        if allowed < len(data):
            # What comes before is parsed first, so that the elements before this one are read.
            self._is_too_nested = True
            data = data[:allowed]
            if size and not data:
                return self.read(size)
        self.since_last_element += len(data)
        if self.since_last_element > MAX_DOCUMENT_BYTES:
            raise Broken(f"a record {TOO_LARGE}. Nothing after it was read")
        return data


def stream_pairs(path: Path) -> Iterator[tuple[str, Any]]:
    """The members of the one object in the file, duplicates included."""
    return _stream(path, lambda handle: _backend(path).kvitems(handle, "", use_float=True))


def stream_items(path: Path) -> Iterator[Any]:
    """The elements of the one array in the file."""
    return _stream(path, lambda handle: _backend(path).items(handle, "item", use_float=True))


def _backend(path: Path) -> Any:
    """The fast parser; the slow one where the file has half a surrogate pair, which the fast one replaces by "?"."""
    import ijson

    return ijson.get_backend("python") if _has_half_pairs(path) else ijson


def _has_half_pairs(path: Path) -> bool:
    with path.open("rb") as handle:
        if not path.stat().st_size:
            return False
        with mmap(handle.fileno(), 0, access=ACCESS_READ) as data:
            if _SURROGATE.search(data) is None:
                return False
            return any(match.group(1) for match in _ESCAPE.finditer(data))


def _stream(path: Path, parse: Callable[[_LimitedReader], Iterator[Any]]) -> Iterator[Any]:
    from ijson import JSONError

    with open_utf8(path) as handle:
        reader = _LimitedReader(handle)
        elements = parse(reader)
        while True:
            try:
                element = next(elements)
            except StopIteration:
                return
            except UnicodeDecodeError:
                raise Broken("the file is not valid UTF-8 here; save it as UTF-8. Nothing after it was read") from None
            except JSONError:
                raise Broken("the file is not valid JSON here; correct it. Nothing after it was read") from None
            reader.since_last_element = 0
            yield element


def read_elements(
    path: Path, elements: Iterator[Any], to_document: Callable[[Any, int], Document], on_problem: OnProblem
) -> Iterator[Document]:
    """The documents in the elements of one JSON file; elements that are none are reported."""
    if not first_character(path):
        on_problem(Problem(path, EMPTY))
        return
    number = 0
    try:
        for element in elements:
            number += 1
            with skipping_bad_record(path, on_problem, number=number):
                yield to_document(element, number)
    except Broken as broken:
        on_problem(Problem(path, f"after record {number}: {broken}"))
        return
    if not number:
        on_problem(Problem(path, "the file holds no documents; remove it from the input or fill it"))


def first_character(path: Path) -> str:
    """The first character that is not white space, "[" or "{" in JSON; empty for an empty file."""
    with open_utf8(path) as handle:
        while chunk := handle.read(4096):
            if text := chunk.lstrip():
                return text[:1].decode("latin-1")
    return ""


class Tab:
    """TAB's list of ``{doc_id, text, annotations}``; a released list has no annotations, which would undo it."""

    name: ClassVar[str] = "tab"
    holds: ClassVar[Literal["records"]] = "records"

    def read(self, path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
        def document(record: Any, number: int) -> Document:
            return to_document(record, columns, {"record": number})

        return read_elements(path, stream_items(path), document, on_problem)

    def write(self, path: Path, records: Iterable[Record], like: RecordTemplate | None = None) -> None:
        layout = Layout("doc_id")
        if like is not None:
            first: Iterable[str] = ()
            with suppress(Broken):
                first = next((item for item in stream_items(like.path) if isinstance(item, dict)), ())
            layout = Layout.of(first, like.columns)
        fields = (json.dumps(layout.fields(record), ensure_ascii=False, default=str) for record in records)
        write_elements(path, fields, "[]")


def write_elements(path: Path, elements: Iterable[str], brackets: str) -> None:
    """One JSON list or object, an element a line."""
    with path.open("w", encoding="utf-8", newline="\n") as handle:
        before = f"{brackets[0]}\n"
        for element in elements:
            handle.write(before + element)
            before = ",\n"
        handle.write(f"\n{brackets[1]}\n" if before == ",\n" else f"{brackets}\n")
