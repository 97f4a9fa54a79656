"""The outputs of a finished run, written from its journal: each completely, and then renamed."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, groupby
from pathlib import Path, PurePosixPath
from typing import Any

from sfumato.document import Release
from sfumato.errors import DiskFull, EncryptionKeyError, InputError, OutputError, Problem, SfumatoError
from sfumato.files import CONFIDENTIAL, atomic_path, disk_full
from sfumato.formats.base import (
    TEXT_SUFFIXES,
    Columns,
    OnProblem,
    Record,
    RecordFormat,
    RecordTemplate,
    file_format,
    format_for,
    record_format,
)
from sfumato.formats.jsonl import write_object
from sfumato.formats.sources import Source
from sfumato.formats.spans import edit_from_json
from sfumato.isolation import concerns_run, describe, find_failing
from sfumato.runs.destination import Destination
from sfumato.runs.journal import Entry
from sfumato.vault.database import VaultState

Numbered = tuple[int, Entry]
"""An entry and its position in the journal."""


@dataclass
class Publication:
    """Writes what a run released. ``journal`` gives its entries, as often as it is called."""

    journal: Callable[[], Iterator[Entry]]
    sources: Sequence[Source]
    destination: Destination
    columns: Columns
    on_problem: OnProblem
    files: list[Path] = field(default_factory=list)
    """What was written."""
    refused: dict[int, str] = field(default_factory=dict)
    """What could not be: by position in the journal, with the reason."""

    def write(self, vault_state: VaultState | None = None) -> None:
        """Write all outputs. ``vault_state``: of the vault that the run was recorded in; the audit says it."""
        destination = self.destination
        if destination.is_file_of_records and (form := record_format(format_for(destination.out))):
            self._write_records(form, destination.out, enumerate(self.journal()))
            self.files.append(destination.out)
        else:
            self._write_sources()
        if destination.audit is not None:
            self._write_audit(destination.audit, vault_state)
            self.files.insert(int(destination.is_file_of_records), destination.audit)

    def _write_sources(self) -> None:
        """Write one file for each source."""
        personal = sources_with_personal_names(self.journal())
        for number, group in groupby(enumerate(self.journal()), key=lambda item: item[1].source):
            source = self.sources[number]
            form = record_format(source.format)
            target = self.destination.out / self.destination.name_of(source, number, is_personal=number in personal)
            if form is not None and target in self.files:
                raise OutputError(f"{source.path}: another file has its name in {self.destination.out}; rename it")
            released = (item for item in group if item[1].withheld is None)
            first = next(released, None)
            if first is None:
                continue
            if form is None:
                self._write_document(source, *first)
            else:
                self._write_records(form, target, chain([first], released), number)
                self.destination.record_name(source, target)
                self.files.append(target)

    def _write_document(self, source: Source, position: int, entry: Entry) -> None:
        """Write a file that is one document, or note why it cannot be."""
        destination = self.destination
        try:
            target = destination.out / _file_for(source, entry) if destination.is_folder else destination.out
            stored = destination.stored_original(source, source.path.read_bytes())
            content = _render(source, entry, target, destination) if stored is None else stored
            destination.record_original(source.path, target, content)
        except (DiskFull, EncryptionKeyError):
            raise  # the run stops: the next document would fail, too
        except OSError as error:
            if disk_full(error):
                raise
            reason = f"cannot be read ({error.strerror}); run again when it can"
        except Exception as error:
            if concerns_run(error) and not isinstance(error, SfumatoError):
                raise
            reason = describe(error).removeprefix(f"{source.path}: ")
        else:
            with atomic_path(target, destination.mode) as temporary:
                temporary.write_bytes(content)
            self.files.append(target)
            return
        self.refused[position] = reason
        self.on_problem(Problem(source.path, reason))

    def _write_records(
        self, form: RecordFormat, target: Path, entries: Iterable[Numbered], number: int | None = None
    ) -> None:
        """Write the entries of the source with a number, or of all, but for those that cannot be written."""
        like = self._template(form, number)
        with atomic_path(target, self.destination.mode) as temporary:
            try:
                form.write(temporary, _records(entries), like)
                return
            except Exception as error:
                if concerns_run(error):
                    raise
            # Which records cannot be written is seen by writing each alone.
            again = [item for item in enumerate(self.journal()) if number is None or item[1].source == number]
            failing = find_failing(again, lambda items: form.write(temporary, _records(items), like))
            self.refused |= {again[index][0]: reason for index, reason in failing.items()}
            form.write(temporary, _records(again, self.refused), like)

    def _template(self, form: RecordFormat, number: int | None) -> RecordTemplate | None:
        """The source that a file of records is written like; none where there are several or it is of another form."""
        if number is None and not (len(self.sources) == 1 and self.sources[0].format.name == form.name):
            return None
        return RecordTemplate(self.sources[number or 0].path, self.columns)

    def _write_audit(self, target: Path, vault_state: VaultState | None) -> None:
        """The confidential record of what was changed and why."""
        entries = without_refused(self.journal(), self.refused)
        with atomic_path(target, CONFIDENTIAL) as temporary:
            if target.name.endswith(".masks.json"):
                pairs = ((entry.id, _masks(entry)) for entry in entries if entry.withheld is None)
                write_object(temporary, pairs)
                return
            with temporary.open("w", encoding="utf-8", errors="surrogatepass") as file:
                vault = {} if vault_state is None else {"vault": asdict(vault_state)}
                for entry in entries:
                    line = {**_audit_line(entry, self.sources[entry.source]), **vault}
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")


def sources_with_personal_names(entries: Iterable[Entry]) -> set[int]:
    """The numbers of the files whose name repeats something that was replaced in the run."""
    return {entry.source for entry in entries if entry.file_name_repeats}


def without_refused(entries: Iterable[Entry], refused: Mapping[int, str]) -> Iterator[Entry]:
    """The entries, those withheld that could not be written."""
    for position, entry in enumerate(entries):
        reason = refused.get(position)
        yield entry if reason is None else replace(entry, released_id=None, text=None, edits=[], withheld=reason)


def _records(entries: Iterable[Numbered], refused: Container[int] = ()) -> Iterator[Record]:
    for position, entry in entries:
        if entry.text is not None and entry.released_id is not None and position not in refused:
            yield Record(int(entry.released_id) if entry.numbered else entry.released_id, entry.text, entry.kept)


def _file_for(source: Source, entry: Entry) -> PurePosixPath:
    """The released id as a file name; the source's relative path where the id did not change."""
    if entry.released_id == source.document_id or entry.released_id is None:
        return source.relative
    suffix = source.relative.suffix
    name = PurePosixPath(entry.released_id.removesuffix(suffix) + suffix)
    if name.is_absolute() or ".." in name.parts:
        raise OutputError(f"{source.path}: its released id does not make a file name")
    return name


def _render(source: Source, entry: Entry, target: Path, destination: Destination) -> bytes:
    form = file_format(source.format)
    if form is None or (target.suffix.lower() in TEXT_SUFFIXES and form.name != format_for(target).name):
        return (entry.text or "").encode()
    document = form.read(source.path, source.document_id)
    if entry.rewritten is not None:
        return form.render(source.path, Release.rewritten(document, entry.text or ""))
    release = Release(document, tuple(map(edit_from_json, entry.edits)))
    if release.text != entry.text:
        raise InputError(f"{source.path}: changed while the run was going on; run again")
    return destination.final_check(source.path, form, form.render(source.path, release), release)


def _audit_line(entry: Entry, source: Source) -> dict[str, Any]:
    line: dict[str, Any] = {
        "id": entry.id,
        "released_id": entry.released_id,
        "file": str(source.relative),
        "edits": entry.edits,
    }
    if entry.rewritten is not None:
        line["rewritten"] = entry.rewritten
    if entry.fallback_reason is not None:
        line["fallback_reason"] = entry.fallback_reason
    return line if entry.withheld is None else {**line, "withheld": entry.withheld}


def _masks(entry: Entry) -> list[list[Any]]:
    if entry.rewritten is not None:
        return [[0, entry.length, entry.text]] if entry.length or entry.text else []
    return [[edit["start"], edit["end"], edit["replacement"]] for edit in entry.edits]
