"""The background: the people among whom an attacker searches, and the texts known about each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, cast

from sfumato.attacks.base import PACKAGE, Person
from sfumato.document import Document
from sfumato.errors import InputError, MissingExtra, Problem, WrongArgument, listed
from sfumato.formats.base import Columns, OnProblem, RecordFormat, Unreadable, file_format, record_format
from sfumato.formats.csv_table import Csv
from sfumato.formats.json_array import Broken, stream_items
from sfumato.formats.jsonl import read_objects
from sfumato.formats.parquet import Parquet
from sfumato.formats.records import ID_FIELDS, BadRecord, MissingField, cell_subjects, skipping_bad_record, to_document
from sfumato.formats.sources import Source, open_corpus
from sfumato.formats.text import check_utf8
from sfumato.lexicon.tables import words

_UTF8_FORMATS = ("csv", "tsv", "jsonl", "json", "tab", "text")
BackgroundLike = str | Path | Mapping[str, str | Iterable[str]] | Iterable[Document | Person]
KnownText = tuple[str, str, tuple[str, ...]]
"""A person's id, a text about them, and their names in a table's columns."""


@dataclass(frozen=True)
class Background:
    """People, each once. ``records``: how many were read; ``empty``: people left out, of whom nothing is known."""

    people: tuple[Person, ...]
    records: int
    empty: int = 0
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """A person's id -> what a table's columns of names say; empty where there is no such column."""

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(person.id for person in self.people)

    @property
    def merged(self) -> int:
        """Records added to a person who already had one."""
        return self.records - len(self.people) - self.empty

    @cached_property
    def digest(self) -> str:
        """A fingerprint of people and texts."""
        digest = sha256()
        for person in self.people:
            for part in (person.id, *person.texts):
                encoded = part.encode("utf-8", "surrogatepass")
                digest.update(len(encoded).to_bytes(8, "big") + encoded)
            digest.update(b"\xff" * 8)
        return digest.hexdigest()

    def __len__(self) -> int:
        return len(self.people)


def as_background(
    source: BackgroundLike | Background,
    columns: Columns | None = None,
    on_problem: OnProblem = lambda problem: None,
    originals: Columns | None = None,
) -> Background:
    """A background from a file or folder, from ``{person: text or texts}``, or from documents or people.

    Records of the same person (by ``subjects``, else by id) are merged. ``columns`` were named for the background and
    must be there; those of the ``originals`` count where it has them. Raises InputError where fewer than two people
    are left (among one there is nothing to find out) and where a file is not UTF-8: half of a list is no background.
    """
    if isinstance(source, Background):
        return source
    name = "the background"
    problems: list[Problem] = []
    if isinstance(source, str | Path):
        name = str(source)
        texts = _from_files(Path(source), columns or Columns(), originals or Columns(), problems.append)
    else:
        texts = _from_objects(source)
    background = _merge_records(texts)
    if len(background) < 2 and problems:
        more = f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""
        whom = "one person" if background.people else "nobody"
        raise InputError(f"{whom} of the background could be read. {problems[0]}{more}")
    if len(background) < 2:
        whom = "one person, whom every guess would find" if background.people else "nobody of whom anything is known"
        raise InputError(f"{name}: holds {whom}; give the people an attacker chooses among")
    for problem in problems:
        on_problem(problem)
    if background.empty:
        on_problem(Problem(name, f"{background.empty} people of the background have no text and are left out"))
    return background


def _merge_records(records: Iterable[KnownText]) -> Background:
    by_person: dict[str, dict[str, None]] = {}  # texts, each once, in order
    names: dict[str, tuple[str, ...]] = {}
    count = 0
    for person, text, cells in records:
        count += 1
        texts = by_person.setdefault(person, {})
        if text.strip():
            texts[text] = None
        if cells:
            names[person] = (*names.get(person, ()), *cells)
    people = tuple(Person(key, tuple(texts)) for key, texts in by_person.items() if texts)
    return Background(people, count, len(by_person) - len(people), names)


def _from_files(path: Path, columns: Columns, originals: Columns, on_problem: OnProblem) -> Iterator[KnownText]:
    for source in open_corpus([path], on_problem):
        if source.format.name in _UTF8_FORMATS:
            check_utf8(source.path)
        try:
            for document in _documents(source, columns, originals, on_problem):
                for person in document.subject_ids:
                    yield person, document.text, document.meta.get("names", ())
        except (Unreadable, MissingExtra) as error:
            on_problem(Problem(source.path, error.reason if isinstance(error, Unreadable) else str(error)))


def _documents(source: Source, columns: Columns, originals: Columns, on_problem: OnProblem) -> Iterator[Document]:
    """Not ``source.documents``, which refuses repeated ids: here they are more records of the same person."""
    if (whole := file_format(source.format)) is not None:
        yield whole.read(source.path, source.document_id)
        return
    records = record_format(source.format)
    assert records is not None
    if names := field_names(source.path, records):
        yield from read_people(source.path, records, names, resolve_columns(names, columns, originals), on_problem)
    else:
        yield from records.read(source.path, columns, on_problem)


def _from_objects(source: Mapping[str, Any] | Iterable[Any]) -> Iterator[KnownText]:
    if isinstance(source, Mapping):
        for key, texts in source.items():
            for text in [texts] if isinstance(texts, str) else texts:
                yield str(key), text, ()
        return
    if not isinstance(source, Iterable):
        raise WrongArgument(
            f"a background is a path, {{person: text}}, documents or people, not {type(source).__name__}"
        )
    for item in source:
        if isinstance(item, Person):
            for text in item.texts or ("",):
                yield item.id, text, ()
        elif isinstance(item, Document):
            for person in item.subject_ids:
                yield person, item.text, ()
        else:
            raise WrongArgument(f"a background holds documents or people, not {type(item).__name__}")


_TEXT = Columns().text
_NOT_KNOWLEDGE = ("subjects", "annotations", "entities")
_NAME_COLUMN = re.compile("|".join(words("name_columns", "patterns", package=PACKAGE)), re.IGNORECASE)
_SHOWN = 10
_ID_OPTION, _TEXT_OPTION = "--background-id-column", "--background-text-column"


def resolve_columns(names: Sequence[str], columns: Columns, originals: Columns) -> Columns:
    """The columns of a background with these names: those given for it, else those of the originals, if it has them."""
    text = originals.text if columns.text == _TEXT and originals.text in names else columns.text
    has_id = originals.id is not None and originals.id.partition(".")[0] in names
    # In a table of people a column of that name is one of the things that are known.
    has_subjects = text in names and originals.subjects in names
    subjects = originals.subjects if has_subjects else columns.subjects
    return Columns(columns.id or (originals.id if has_id else None), text, subjects=subjects)


def read_people(
    path: Path, form: RecordFormat, names: Sequence[str], columns: Columns, on_problem: OnProblem
) -> Iterator[Document]:
    """One document for each record: its text, or, where it has none and none was named, what its cells say."""
    in_cells = columns.text == _TEXT and _TEXT not in names
    to_person = partial(_person if in_cells else to_document, columns=columns)
    match form.name:
        case "csv" | "tsv" | "parquet":
            _check_columns(path, names, columns)
            if not in_cells:
                return form.read(path, columns, on_problem)
            if form.name != "parquet":
                return _from_csv(form, path, names, columns, on_problem)
            rows = enumerate(Parquet().rows(path), 1)
            return _from_rows(path, rows, "record", partial(to_person, subjects=cell_subjects), on_problem)
        case "jsonl":
            return _from_rows(path, read_objects(path, on_problem), "line", to_person, on_problem)
        case _:
            return _from_rows(path, enumerate(stream_items(path), 1), "record", to_person, on_problem)


def _check_columns(path: Path, names: Sequence[str], columns: Columns) -> None:
    has = f"(it has: {listed(names, _SHOWN)})"
    for name, option in ((columns.id, _ID_OPTION), (columns.text, _TEXT_OPTION)):
        if name not in (None, _TEXT, *names):
            raise Unreadable(path, f"has no column {name!r} {has}; name the right one with {option}")
    if columns.id is None and not {"id", "doc_id"} & set(names):
        raise Unreadable(
            path,
            f"has no column 'id' or 'doc_id' {has}; name the one that tells people apart with {_ID_OPTION}, or add one "
            "with a number or name for each person",
        )


def field_names(path: Path, form: RecordFormat) -> list[str] | None:
    """The names of the columns, or of the first record's fields; None where the format has none."""
    records: Iterator[Any] = iter(())
    match form.name:
        case "csv" | "tsv":
            return cast(Csv, form).header(path)
        case "parquet":
            records = Parquet().rows(path)
        case "jsonl":
            records = (record for _, record in read_objects(path, lambda problem: None))
        case "tab":
            records = stream_items(path)
    try:
        first = next(records, None)
    except Broken:
        return None
    return list(first) if isinstance(first, Mapping) else None


def _from_csv(
    form: Any, path: Path, names: Sequence[str], columns: Columns, on_problem: OnProblem
) -> Iterator[Document]:
    """The CSV reader takes any column for the text, and keeps all others in ``meta``."""
    identifying = columns.id or next((name for name in ID_FIELDS if name in names), None)
    others = [name for name in names if name != identifying]
    if not others:
        raise Unreadable(path, "has a column of ids and none that says anything about a person; add what is known")
    for document in form.read(path, Columns(columns.id, others[0], tuple(names)), on_problem):
        row = document.meta["kept"]
        yield replace(document, text=_cells(row, identifying), meta={**document.meta, "names": _name_cells(row)})


def _from_rows(
    path: Path,
    rows: Iterable[tuple[int, Any]],
    counted: Literal["line", "record"],
    to_person: Callable[..., Document],
    on_problem: OnProblem,
) -> Iterator[Document]:
    """Records that lack a field mostly lack the same one: there is one problem for all of them."""
    missing: dict[str, tuple[MissingField, Any]] = {}
    counts = Counter[str]()
    number = 0
    try:
        for number, record in rows:
            is_line = counted == "line"
            with skipping_bad_record(
                path, on_problem, line=number if is_line else None, number=None if is_line else number
            ):
                try:
                    yield to_person(record, place={counted: number})
                except MissingField as error:
                    missing.setdefault(error.names, (error, record))
                    counts[error.names] += 1
    except Broken as broken:
        on_problem(Problem(path, f"after record {number}: {broken}"))
    for names, (first, record) in missing.items():
        option = first.option.replace("--", "--background-")
        has = f"(the first has: {listed(list(record), _SHOWN)})"
        on_problem(Problem(path, f"{counts[names]} records have no field {names} {has}; name it with {option}"))


def _person(record: object, place: Mapping[str, int], columns: Columns, **reading: Any) -> Document:
    if not isinstance(record, Mapping):
        raise BadRecord("the record is not an object; write one object a person")
    text = _cells(record, columns.id or next((name for name in ID_FIELDS if name in record), None))
    person = to_document({**record, _TEXT: text}, Columns(columns.id), place, **reading)
    return replace(person, meta={**person.meta, "names": _name_cells(record)})


def _cells(record: Mapping[str, Any], identifying: str | None) -> str:
    """What the cells say, a line each, without the id, which only tells people apart here."""
    cells = (value for name, value in record.items() if name != identifying and name not in _NOT_KNOWLEDGE)
    return "\n".join(filter(None, map(_cell_text, cells)))


def _name_cells(record: Mapping[str, Any]) -> tuple[str, ...]:
    """What the columns of names say."""
    cells = (_cell_text(value) for name, value in record.items() if _NAME_COLUMN.fullmatch(name.strip()))
    return tuple(filter(None, cells))


def _cell_text(value: Any) -> str:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return ", ".join(filter(None, map(_cell_text, value)))
    return "" if value is None else str(value).strip()
