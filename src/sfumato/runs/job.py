"""One run from input files to output files: resumable, atomic, and not stopped by files that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from sfumato.cache import cache_key
from sfumato.document import Document, Release, Withheld
from sfumato.errors import InputError, Problem
from sfumato.formats.base import Columns, file_format
from sfumato.formats.files import SeenIds
from sfumato.formats.sources import Source, open_corpus
from sfumato.formats.spans import edit_to_json
from sfumato.isolation import attempt
from sfumato.lexicon.caches import forget_texts
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato.residuals.names import NOTHING_CHECKED, IdChecker
from sfumato.runs.destination import Destination
from sfumato.runs.journal import Entry, WorkFolder, numbered_id
from sfumato.runs.publish import Publication, sources_with_personal_names, without_refused
from sfumato.runs.summary import Note, NothingRead, Summary
from sfumato.vault.store import Vault


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one document, and the id that it is released under."""

    outcome: Release | Withheld
    released_id: str


Item = TypeVar("Item")


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
        checker: IdChecker = NOTHING_CHECKED,
        on_progress: OnProgress = ignore_progress,
    ) -> None:
        """``depends_on``: everything besides the inputs and the code that the output depends on (recipe, key, ...).

        ``vault``: where the run records how to restore its documents. ``checker``: of names against what is replaced.
        """
        self._started = monotonic()
        self.summary = Summary()
        self._destination = destination
        self._columns, self._checker = columns, checker
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

    def run(
        self,
        process: Callable[[Iterable[Document]], Iterable[Item]],
        record: Callable[[Item, int], Result],
        *,
        replay: bool = False,
    ) -> Summary:
        """Do the work and write the files.

        ``process`` gives one item for each document, in order; ``record`` makes the result of it and of its position.
        ``replay``: ``process`` has state that finished documents must restore.
        """
        done = self.summary.resumed = self._work.done
        documents = self._documents()
        if not replay:
            for _ in islice(documents, done):
                pass
        results = map(record, process(self._remember_sources(documents)), count(1 if replay else done + 1))
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
        publication = Publication(self._entries, self.sources, self._destination, self._columns, self.summary.skip)
        publication.write(self._work.vault_state)
        self.summary.files, self._refused = publication.files, publication.refused
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
            checked: set[int] = set()
            for position, entry in enumerate(self._work.entries()):
                if entry.text is None:
                    continue
                if entry.released_id == entry.id and self._repeats(entry.id, replaced):
                    self._renumbered.add(position)
                    if self._vault is not None:
                        self._vault.rename(entry.id, entry.text, numbered_id(position + 1))
                if entry.source not in checked and self._repeats(str(self.sources[entry.source].relative), replaced):
                    self._personal_names.add(entry.source)
                checked.add(entry.source)
        if self._vault is not None:
            self._vault.sync()

    def _repeats(self, name: str, replaced: SeenIds) -> bool:
        return any(value in replaced for value in self._checker.values_in(name))

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
            entry = next(without_refused([entry], {0: self._refused[position]})) if position in self._refused else entry
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
        kept, repeats = dict(document.meta.get("kept", {})), self._checker.repeats
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
            file_name_repeats=self._checker.replaces_file_name(str(self.sources[source].relative), outcome),
            repeating_columns=[name for name, value in kept.items() if repeats(str(value), outcome)],
            values=self._checker.values_of(outcome),
        )

    def _note(self, entry: Entry, reason: str) -> Note:
        return Note(str(self.sources[entry.source].path), reason, entry.line, entry.record)
