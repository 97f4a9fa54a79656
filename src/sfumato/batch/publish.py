"""From the journal of a finished run to its files, each written whole and then given its name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path, PurePosixPath
from typing import Any

from sfumato.batch.destination import Destination
from sfumato.batch.work import Entry
from sfumato.corpus import (
    CONFIDENTIAL,
    TEXT_SUFFIXES,
    Columns,
    Model,
    OnProblem,
    Record,
    RecordFormat,
    Source,
    atomic_path,
    file_format,
    format_for,
    record_format,
    write_object,
)
from sfumato.corpus.edits import edit_from_json
from sfumato.document import Release
from sfumato.errors import InputError, OutputError, Problem, SfumatoError

Journal = Callable[[], Iterator[Entry]]


def publish(
    journal: Journal,
    sources: Sequence[Source],
    destination: Destination,
    columns: Columns,
    on_problem: OnProblem,
) -> list[Path]:
    """Write all outputs and return their paths."""
    written: list[Path] = []
    if destination.audit is not None:
        _write_audit(journal(), sources, destination.audit)
        written.append(destination.audit)
    if not destination.is_folder:
        form = record_format(format_for(destination.out))
        if form:
            alike = len(sources) == 1 and sources[0].format.name == form.name
            like = Model(sources[0].path, columns) if alike else None
            _write_records(form, destination.out, journal(), like)
            return [destination.out, *written]
    for number, entries in groupby(journal(), key=lambda entry: entry.source):
        target = _publish_source(sources[number], number, _released(entries), destination, columns, on_problem)
        written += [target] if target else []
    return written


def _released(entries: Iterable[Entry]) -> Iterator[Entry]:
    return (entry for entry in entries if entry.withheld is None)


def _publish_source(
    source: Source,
    number: int,
    entries: Iterator[Entry],
    destination: Destination,
    columns: Columns,
    on_problem: OnProblem,
) -> Path | None:
    first = next(entries, None)
    if first is None:
        return None
    records = record_format(source.format)
    if records:
        target = destination.out / destination.file_name(source, number)
        _write_records(records, target, chain([first], entries), Model(source.path, columns))
        destination.on_mirrored(source, target)
        return target
    target = destination.out / _file_for(source, first) if destination.is_folder else destination.out
    try:
        known = destination.known_file(source.path.read_bytes())
        content = _render(source, first, target) if known is None else known
    except SfumatoError as error:
        on_problem(Problem(source.path, str(error).removeprefix(f"{source.path}: ")))
        return None
    destination.on_rendered(source.path, content)
    with atomic_path(target) as temporary:
        temporary.write_bytes(content)
    return target


def _file_for(source: Source, entry: Entry) -> PurePosixPath:
    """The released id as a file name; the source's own place where the id did not change."""
    if entry.released_id == source.document_id or entry.released_id is None:
        return source.relative
    suffix = source.relative.suffix
    name = PurePosixPath(entry.released_id.removesuffix(suffix) + suffix)
    if name.is_absolute() or ".." in name.parts:
        raise OutputError(f"{source.path}: its released id does not make a file name")
    return name


def _render(source: Source, entry: Entry, target: Path) -> bytes:
    form = file_format(source.format)
    if form is None or (target.suffix.lower() in TEXT_SUFFIXES and form.name != format_for(target).name):
        return (entry.text or "").encode()
    document = form.read(source.path, source.document_id)
    if entry.rewritten is not None:
        return form.render(source.path, Release.rewritten(document, entry.text or ""))
    release = Release(document, tuple(map(edit_from_json, entry.edits)))
    if release.text != entry.text:
        raise InputError(f"{source.path}: changed while the run was going on; run again")
    return form.render(source.path, release)


def _write_records(form: RecordFormat, target: Path, entries: Iterable[Entry], like: Model | None) -> None:
    records = (
        Record(int(entry.released_id) if entry.numbered else entry.released_id, entry.text, entry.kept)
        for entry in entries
        if entry.text is not None and entry.released_id is not None
    )
    with atomic_path(target) as temporary:
        form.write(temporary, records, like)


def _write_audit(entries: Iterator[Entry], sources: Sequence[Source], target: Path) -> None:
    """The confidential record of what was changed and why."""
    with atomic_path(target, CONFIDENTIAL) as temporary:
        if target.name.endswith(".masks.json"):
            pairs = ((entry.id, _masks(entry)) for entry in _released(entries))
            write_object(temporary, pairs)
            return
        with temporary.open("w", encoding="utf-8", errors="surrogatepass") as file:
            for entry in entries:
                file.write(json.dumps(_audit_line(entry, sources[entry.source]), ensure_ascii=False) + "\n")


def _audit_line(entry: Entry, source: Source) -> dict[str, Any]:
    line: dict[str, Any] = {
        "id": entry.id,
        "released_id": entry.released_id,
        "file": str(source.relative),
        "edits": entry.edits,
    }
    if entry.rewritten is not None:
        line["rewritten"] = entry.rewritten
    if entry.fell_back is not None:
        line["fell_back"] = entry.fell_back
    return line if entry.withheld is None else {**line, "withheld": entry.withheld}


def _masks(entry: Entry) -> list[list[Any]]:
    if entry.rewritten is not None:
        return [[0, entry.length, entry.text]] if entry.length or entry.text else []
    return [[edit["start"], edit["end"], edit["replacement"]] for edit in entry.edits]
