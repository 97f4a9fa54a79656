"""One run from input files to output files: resumable, atomic, and not stopped by files that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import chain, groupby, islice
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import Any, NamedTuple

from sfumato.cache import cache_key
from sfumato.document import Document, Release, Withheld
from sfumato.errors import DiskFull, EncryptionKeyError, InputError, OutputError, Problem, SfumatoError
from sfumato.files import CONFIDENTIAL, atomic_path, disk_full
from sfumato.formats.base import (
    TEXT_SUFFIXES,
    Columns,
    FileFormat,
    OnProblem,
    Record,
    RecordFormat,
    RecordTemplate,
    Unreadable,
    file_format,
    format_for,
    record_format,
)
from sfumato.formats.files import SeenIds
from sfumato.formats.jsonl import write_object
from sfumato.formats.sources import Source, open_corpus
from sfumato.formats.spans import edit_from_json, edit_to_json
from sfumato.isolation import attempt, concerns_run, describe, find_failing
from sfumato.lexicon.caches import forget_texts
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato.runs.journal import Entry, WorkFolder, numbered_id
from sfumato.runs.summary import Note, NothingRead, Summary
from sfumato.vault.database import VaultState
from sfumato.vault.store import Vault

_AUDIT_ENDINGS = (".jsonl", ".masks.json")


@dataclass(frozen=True)
class Destination:
    """Where a run writes: one file, or a folder that mirrors the inputs; and the audit."""

    out: Path
    audit: Path | None = None
    file_name: Callable[[Source, int], PurePosixPath] = lambda source, number: source.relative
    """What an input file of records is called in an output folder."""
    repeats: Callable[[str, Release], bool] = lambda name, release: False
    """Whether a name or a kept value repeats something that a release replaced."""
    renames: bool = True
    """Whether a file whose name does gets a number."""
    values_of: Callable[[Release], list[str]] = lambda release: []
    """Digests of what a release replaced and no name of the whole run may repeat."""
    values_in: Callable[[str], list[str]] = lambda name: []
    """The digests that a name must not share with any release of the run."""
    final_check: Callable[[Path, FileFormat, bytes, Release], bytes] = lambda source, form, content, release: content
    """Called with every rendered file before it is written; returns what is written, or raises."""
    on_rendered: Callable[[Path, Path, bytes], None] = lambda source, target, content: None
    """Called with every Word, HTML or text file that is written from a source file."""
    on_mirrored: Callable[[Source, Path], None] = lambda source, target: None
    """Called with every file of records that was written from a source file into a folder."""
    stored_original: Callable[[Source, bytes], bytes | None] = lambda source, content: None
    """The whole file to write for a source file and its content, where it is known."""
    rewrites: str | None = None
    """The rewriter, where the texts have lost their place in a file with markup."""
    mode: int = 0o666
    """The permissions of what is written, minus the user's umask."""
    confidential: tuple[Path, ...] = ()
    """Other files that undo the release (a vault, a key) and so must not lie in a released folder."""

    def name_of(self, source: Source, number: int, *, is_personal: bool) -> PurePosixPath:
        """The name of a file of records in an output folder."""
        return (
            PurePosixPath(f"file-{number + 1}{source.relative.suffix}")
            if is_personal
            else self.file_name(source, number)
        )

    @property
    def is_folder(self) -> bool:
        return self.out.is_dir() or not self.out.suffix

    @property
    def is_one_file(self) -> bool:
        """Whether all documents end in one file of records or in one mask file, so that ids must be unique."""
        return not self.is_folder or (self.audit is not None and self.audit.name.endswith(".masks.json"))

    @property
    def is_file_of_records(self) -> bool:
        return not self.is_folder and record_format(format_for(self.out)) is not None

    def why_refused(self, source: Source) -> str | None:
        """Why no file can be written from this one, where that is known before any work is done."""
        if self.rewrites is None or record_format(source.format) or source.path.suffix.lower() in TEXT_SUFFIXES:
            return None
        if not self.is_folder and (self.out.suffix.lower() in TEXT_SUFFIXES or _holds_records(self.out)):
            return None
        return f"{self.rewrites} writes texts anew, which have no place in a {source.format.name} file; write .jsonl"

    def check(self, sources: Sequence[Source], roots: Sequence[Path]) -> None:
        """Raise before the work starts where the output cannot be what was asked for."""
        self.check_paths(sources, roots)
        if self.is_folder:
            return
        try:
            form = format_for(self.out)
        except Unreadable as unreadable:
            raise OutputError(f"{self.out}: cannot be written: {unreadable.reason}") from None
        if record_format(form):
            return
        if len(sources) != 1 or record_format(sources[0].format):
            raise OutputError(f"{self.out}: holds one document; name a folder or a .jsonl file for several")
        if self.out.suffix.lower() not in TEXT_SUFFIXES and form.name != sources[0].format.name:
            raise OutputError(f"{self.out}: a {sources[0].format.name} file stays one, or becomes .txt or .jsonl")

    def check_paths(self, sources: Sequence[Source], roots: Sequence[Path]) -> None:
        """Outputs must not be inputs, now or in the next run; confidential files must not be in the released folder."""
        out = self.out.resolve()
        inputs = {source.path.resolve() for source in sources}
        for taken in inputs & {out, self.audit and self.audit.resolve()}:
            raise OutputError(f"{taken}: is an input and is never overwritten; choose another --out")
        if self.is_folder and any(path.is_relative_to(out) for path in inputs):
            raise OutputError(f"{self.out}: holds inputs; choose an --out folder outside of them")
        for root in (root for root in roots if root.is_dir()):
            for path, option in ((self.out, "--out"), (self.audit, "--audit")):
                if path is not None and path.resolve().is_relative_to(root.resolve()):
                    raise OutputError(
                        f"{path}: lies in the input folder {root}, where the next run would read it; "
                        f"choose an {option} outside of it"
                    )
        if self.audit is not None and self.audit.resolve() in {path.resolve() for path in self.confidential}:
            raise OutputError(
                f"{self.audit}: is the vault, the key or another file of this run; choose another --audit"
            )
        for path in filter(None, (self.audit, *self.confidential)):
            if path.resolve() == out or (self.is_folder and path.resolve().is_relative_to(out)):
                raise OutputError(
                    f"{path}: would be released with the folder {self.out} and undoes it; choose a place outside of it"
                )
        if self.audit is not None and not self.audit.name.endswith(_AUDIT_ENDINGS):
            raise OutputError(f"{self.audit}: an audit is written as .jsonl or as .masks.json; choose such a name")


def _holds_records(path: Path) -> bool:
    try:
        return record_format(format_for(path)) is not None
    except Unreadable:
        return True  # reported when the output is checked


class Published(NamedTuple):
    """What was written, and what could not be: by position in the journal, with the reason."""

    files: list[Path]
    refused: dict[int, str]


def publish(
    journal: Callable[[], Iterator[Entry]],
    sources: Sequence[Source],
    destination: Destination,
    columns: Columns,
    on_problem: OnProblem,
    vault_state: VaultState | None = None,
) -> Published:
    """Write all outputs from the journal of a finished run, each completely and then renamed.

    ``vault_state``: of the vault that the run was recorded in; the audit says it.
    """
    refused: dict[int, str] = {}
    written = _publish_releases(journal, sources, destination, columns, on_problem, refused)
    if destination.audit is not None:
        _write_audit(_without(journal(), refused), sources, destination.audit, vault_state)
        written.insert(int(destination.is_file_of_records), destination.audit)
    return Published(written, refused)


def _numbered_entries(journal: Callable[[], Iterator[Entry]], source: int | None = None) -> list[tuple[int, Entry]]:
    """The entries with their positions, of one source or of all."""
    return [item for item in enumerate(journal()) if source is None or item[1].source == source]


def _publish_releases(
    journal: Callable[[], Iterator[Entry]],
    sources: Sequence[Source],
    destination: Destination,
    columns: Columns,
    on_problem: OnProblem,
    refused: dict[int, str],
) -> list[Path]:
    if destination.is_file_of_records:
        form = record_format(format_for(destination.out))
        if form:
            alike = len(sources) == 1 and sources[0].format.name == form.name
            like = RecordTemplate(sources[0].path, columns) if alike else None
            again = partial(_numbered_entries, journal)
            refused |= _write_records(form, destination.out, enumerate(journal()), again, like, destination.mode)
            return [destination.out]
    written: list[Path] = []
    personal = sources_with_personal_names(journal())
    for number, group in groupby(enumerate(journal()), key=lambda item: item[1].source):
        name = destination.name_of(sources[number], number, is_personal=number in personal)
        if record_format(sources[number].format) and destination.out / name in written:
            raise OutputError(f"{sources[number].path}: another file has its name in {destination.out}; rename it")
        released = ((position, entry) for position, entry in group if entry.withheld is None)
        first = next(released, None)
        if first is None:
            continue
        if (form := record_format(sources[number].format)) is not None:
            target, template = destination.out / name, RecordTemplate(sources[number].path, columns)
            entries, again = chain([first], released), partial(_numbered_entries, journal, number)
            refused |= _write_records(form, target, entries, again, template, destination.mode)
            destination.on_mirrored(sources[number], target)
            written.append(target)
        elif (file := _publish_file(sources[number], *first, destination, on_problem, refused)) is not None:
            written.append(file)
    return written


def sources_with_personal_names(entries: Iterable[Entry]) -> set[int]:
    """The numbers of the files whose name repeats something that was replaced in the run."""
    return {entry.source for entry in entries if entry.file_name_repeats}


def _publish_file(
    source: Source,
    position: int,
    entry: Entry,
    destination: Destination,
    on_problem: OnProblem,
    refused: dict[int, str],
) -> Path | None:
    """Write a file that is one document; None, and a problem, where it cannot be."""
    try:
        target = destination.out / _file_for(source, entry) if destination.is_folder else destination.out
        stored = destination.stored_original(source, source.path.read_bytes())
        content = _render(source, entry, target, destination) if stored is None else stored
        destination.on_rendered(source.path, target, content)
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
        return target
    refused[position] = reason
    on_problem(Problem(source.path, reason))
    return None


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


def _write_records(
    form: RecordFormat,
    target: Path,
    entries: Iterable[tuple[int, Entry]],
    again: Callable[[], list[tuple[int, Entry]]],
    like: RecordTemplate | None,
    mode: int,
) -> dict[int, str]:
    """Write the entries, with their positions in the journal; returns those that cannot be, with the reason.

    ``again``: gives the same entries once more.
    """

    def records(entries: Iterable[tuple[int, Entry]], refused: Container[int] = ()) -> Iterator[Record]:
        for position, entry in entries:
            if entry.text is not None and entry.released_id is not None and position not in refused:
                yield Record(int(entry.released_id) if entry.numbered else entry.released_id, entry.text, entry.kept)

    with atomic_path(target, mode) as temporary:
        try:
            form.write(temporary, records(entries), like)
            return {}
        except Exception as error:
            if concerns_run(error):
                raise
        # Which records cannot be written is seen by writing each alone.
        rest = again()
        failing = find_failing(rest, lambda items: form.write(temporary, records(items), like))
        refused = {rest[number][0]: reason for number, reason in failing.items()}
        form.write(temporary, records(rest, refused), like)
        return refused


def _without(entries: Iterable[Entry], refused: Mapping[int, str]) -> Iterator[Entry]:
    """The entries, those withheld that could not be written."""
    for position, entry in enumerate(entries):
        reason = refused.get(position)
        yield entry if reason is None else replace(entry, released_id=None, text=None, edits=[], withheld=reason)


def _write_audit(
    entries: Iterator[Entry], sources: Sequence[Source], target: Path, vault_state: VaultState | None
) -> None:
    """The confidential record of what was changed and why."""
    with atomic_path(target, CONFIDENTIAL) as temporary:
        if target.name.endswith(".masks.json"):
            pairs = ((entry.id, _masks(entry)) for entry in entries if entry.withheld is None)
            write_object(temporary, pairs)
            return
        with temporary.open("w", encoding="utf-8", errors="surrogatepass") as file:
            vault = {} if vault_state is None else {"vault": asdict(vault_state)}
            for entry in entries:
                line = {**_audit_line(entry, sources[entry.source]), **vault}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


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


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one document, and the id that it is released under."""

    outcome: Release | Withheld
    released_id: str


Process = Callable[[Iterable[Document]], Iterator[Result]]
"""One result for each document, in order."""


def find_sources(inputs: Iterable[Path], summary: Summary) -> list[Source]:
    """The files to read; unusable ones are noted in the summary."""
    try:
        return list(open_corpus(inputs, summary.skip_input))
    except InputError:
        if summary.problems:
            raise NothingRead(summary) from None
        raise


def read_documents(
    sources: Sequence[Source], columns: Columns, summary: Summary, seen: SeenIds | None, on_progress: OnProgress
) -> Iterator[tuple[int, Document]]:
    """Every readable document with the number of its source; the summary counts them."""
    sizes = [source.path.stat().st_size for source in sources]
    total, read = sum(sizes), 0

    def report(done: int) -> None:  # in bytes of the input
        on_progress(Progress("reading", done, total, f"{summary.documents:,} documents"))

    for number, (source, size) in enumerate(zip(sources, sizes, strict=True)):
        within = 0
        for document in source.documents(columns, summary.skip_input, seen):
            if isinstance(counted := attempt(partial(summary.read, document), document), Withheld):
                summary.skip_input(Problem(source.path, counted.reason, document.meta.get("line")))
                continue
            within = min(size, within + len(document.text))
            report(read + within)
            yield number, document
        read += size
        report(read)


def _withheld_entry(outcome: Withheld, source: int) -> Entry:
    meta = outcome.document.meta
    line, record = meta.get("line"), meta.get("record")
    return Entry(source, outcome.document.id, None, None, withheld=outcome.reason, line=line, record=record)


class Job:
    """One run. Use as a context manager; documents that an interrupted run finished are not done again."""

    def __init__(
        self,
        inputs: Iterable[str | Path],
        destination: Destination,
        *,
        columns: Columns,
        depends_on: Iterable[Any] = (),
        vault: Vault | None = None,
        on_progress: OnProgress = ignore_progress,
    ) -> None:
        """``depends_on``: everything besides the inputs and the code that the output depends on (recipe, key, ...).

        ``vault``: where the run records how to restore its documents.
        """
        self._started = monotonic()
        self.summary = Summary()
        self._destination = destination
        self._columns = columns
        self._on_progress = on_progress
        self._unchecked: dict[int, Mapping[str, int]] = {}
        self._mirrored: set[int] = set()
        self._personal_names: set[int] = set()
        self._renumbered: set[int] = set()
        """Positions of documents whose ids repeat what was replaced in another."""
        self._refused: Mapping[int, str] = {}
        roots = [Path(path) for path in inputs]
        self.sources = self._writable(find_sources(roots, self.summary))
        destination.check(self.sources, roots)
        paths = [(source.path.absolute(), source.path.stat()) for source in self.sources]
        stats = [(str(path), status.st_size, status.st_mtime_ns) for path, status in paths]
        fingerprint = cache_key(stats, str(columns), destination.audit and str(destination.audit), list(depends_on))
        self._vault = vault
        self._work = WorkFolder(destination.out, fingerprint, vault)
        self.work = self._work.path
        """The run's confidential folder, which is removed when all is done."""
        self.secret = self._work.secret
        """Random, and the same when the run is resumed."""

    def _writable(self, sources: list[Source]) -> list[Source]:
        """Without files whose output could not be written: no work is spent on those."""
        writable = []
        for source in sources:
            if (reason := self._destination.why_refused(source)) is None:
                writable.append(source)
            else:
                self.summary.skip_input(Problem(source.path, reason))
        if not writable:
            raise NothingRead(self.summary)
        return writable

    def __enter__(self) -> Job:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        forget_texts()
        if kind is None or issubclass(kind, NothingRead):
            self._work.remove()
        else:
            self._work.leave()

    def run(self, process: Process, *, replay: bool = False) -> Summary:
        """Do the work and write the files. ``replay``: ``process`` has state that finished documents must restore."""
        done = self.summary.resumed = self._work.done
        documents = self._documents()
        if not replay:
            for _ in islice(documents, done):
                pass
        results = process(self._remember_sources(documents))
        if replay:
            for _ in islice(results, done):
                self._origin.pop(0)
        for result in results:
            source = self._origin.pop(0)
            document = result.outcome.document
            entry = attempt(partial(self._entry, result, source), document)
            self._work.append(_withheld_entry(entry, source) if isinstance(entry, Withheld) else entry)
        self.summary.asked = self.summary.documents - (0 if replay else done)
        if not self.summary.documents:
            raise NothingRead(self.summary)
        self._work.flush()  # before anything is published
        self._compare_names()
        self.summary.files, self._refused = publish(
            self._entries,
            self.sources,
            self._destination,
            self._columns,
            self.summary.skip,
            self._work.vault_state,
        )
        if self._vault is not None:
            self._vault.sync()  # names of files; before the journal goes
        self._count_outcomes()
        self.summary.seconds = monotonic() - self._started
        return self.summary

    def _compare_names(self) -> None:
        """Find the ids and the names of files that repeat what was replaced in any document of the run.

        The whole run is known only now; until here an id was compared with its own document. The vault, which has the
        releases under the ids of before, is told.
        """
        with SeenIds() as replaced:
            if not sum(replaced.add(value) for entry in self._work.entries() for value in entry.values):
                return

            @lru_cache(maxsize=4096)
            def repeats(name: str) -> bool:
                return any(value in replaced for value in self._destination.values_in(name))

            for position, entry in enumerate(self._work.entries()):
                if entry.text is None:
                    continue
                if entry.released_id == entry.id and repeats(entry.id):
                    self._renumbered.add(position)
                    if self._vault is not None:
                        self._vault.rename(entry.id, entry.text, numbered_id(position + 1))
                if entry.source not in self._personal_names and repeats(str(self.sources[entry.source].relative)):
                    self._personal_names.add(entry.source)
        if self._vault is not None:
            self._vault.sync()

    def _entries(self) -> Iterator[Entry]:
        """All finished documents, with the ids and names that they go out with."""
        for position, entry in enumerate(self._work.entries()):
            if entry.source in self._personal_names and not entry.file_name_repeats:
                entry = replace(entry, file_name_repeats=True)
            if position in self._renumbered:
                entry = replace(entry, released_id=numbered_id(position + 1), numbered=False)
            yield entry

    def _remember_sources(self, documents: Iterator[tuple[int, Document]]) -> Iterator[Document]:
        # Documents are read ahead in batches; their sources wait here for the results.
        self._origin: list[int] = []
        for source, document in documents:
            self._origin.append(source)
            yield document

    def _documents(self) -> Iterator[tuple[int, Document]]:
        with SeenIds() as run_wide:
            seen = run_wide if self._destination.is_one_file else None
            for source, document in read_documents(self.sources, self._columns, self.summary, seen, self._on_progress):
                if parts := document.meta.get("unchecked"):  # only files that are one document have such parts
                    self._unchecked[source] = parts
                if dropped := document.meta.get("dropped"):
                    self.summary.note_dropped(dropped)
                yield source, document

    def _count_outcomes(self) -> None:
        self._personal_names = sources_with_personal_names(self._entries())
        for position, entry in enumerate(self._entries()):
            is_file = file_format(self.sources[entry.source].format) is not None
            if position in self._refused and is_file and not self._destination.is_file_of_records:
                continue  # noted as a problem with its file
            entry = next(_without([entry], {0: self._refused[position]})) if position in self._refused else entry
            if entry.withheld is None:
                self.summary.released += 1
                self._count_names(entry)
                path = str(self.sources[entry.source].path)
                self.summary.note_unchecked(self._unchecked.get(entry.source, {}), path)
                self.summary.labels.update(edit["label"] for edit in entry.edits)
                if entry.fallback_reason is not None:
                    self.summary.fall_back(self._note(entry, entry.fallback_reason))
            else:
                self.summary.withhold(self._note(entry, entry.withheld))

    def _count_names(self, entry: Entry) -> None:
        """Count names that are not those of the input."""
        source = self.sources[entry.source]
        is_file = self._destination.is_folder and file_format(source.format) is not None
        if entry.released_id != entry.id:
            self.summary.note_lost(entry.id, entry.released_id or "")
            self.summary.renamed_files += is_file
            self.summary.renumbered_ids += not is_file
        if self._destination.is_folder and not is_file and entry.source not in self._mirrored:
            self._mirrored.add(entry.source)
            name = self._destination.name_of(source, entry.source, is_personal=entry.source in self._personal_names)
            self.summary.renamed_files += name != source.relative
            self.summary.note_lost(str(source.relative), str(name))

    def kept_values(self) -> Iterator[tuple[Mapping[str, Any], list[str]]]:
        """The kept columns of every released document, and those that repeat what was replaced in it."""
        return ((entry.kept, entry.repeating_columns) for entry in self._entries() if entry.withheld is None)

    def _entry(self, result: Result, source: int) -> Entry:
        outcome = result.outcome
        if isinstance(outcome, Withheld):
            return _withheld_entry(outcome, source)
        document = outcome.document
        kept, repeats = dict(document.meta.get("kept", {})), self._destination.repeats
        return Entry(
            source,
            document.id,
            result.released_id,
            outcome.text,
            kept,
            [edit_to_json(edit) for edit in outcome.hidden],
            numbered=bool(document.meta.get("numbered")) and result.released_id == document.id,
            length=len(document.text),
            rewritten=None if outcome.rewrite is None else list(outcome.reasons),
            fallback_reason=outcome.fallback_reason,
            line=document.meta.get("line"),
            record=document.meta.get("record"),
            file_name_repeats=self._destination.renames and repeats(str(self.sources[source].relative), outcome),
            repeating_columns=[name for name, value in kept.items() if repeats(str(value), outcome)],
            values=self._destination.values_of(outcome),
        )

    def _note(self, entry: Entry, reason: str) -> Note:
        return Note(str(self.sources[entry.source].path), reason, entry.line, entry.record)
