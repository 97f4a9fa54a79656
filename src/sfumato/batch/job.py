"""Files in, files out: resumable, atomic, and going on past what cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

from sfumato.batch.destination import Destination
from sfumato.batch.publish import publish
from sfumato.batch.summary import Note, NothingRead, Summary
from sfumato.batch.work import Entry, WorkFolder, fingerprint
from sfumato.corpus import Columns, SeenIds, Source, open_corpus
from sfumato.corpus.edits import edit_to_json
from sfumato.document import Document, Release, Withheld
from sfumato.errors import InputError, Problem
from sfumato.version import __version__


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one document, and the id it leaves under."""

    outcome: Release | Withheld
    released_id: str


Step = Callable[[Iterable[Document]], Iterator[Result]]
"""The work itself: one result for each document, in order."""


def find_sources(inputs: Iterable[Path], summary: Summary) -> list[Source]:
    """The files to read; what cannot be used is noted in the summary."""
    try:
        return list(open_corpus(inputs, summary.skip))
    except InputError:
        if summary.problems:
            raise NothingRead(summary) from None
        raise


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, in bytes of its input."""

    documents: int
    done: int
    total: int


OnProgress = Callable[[Progress], None]


def read_documents(
    sources: Sequence[Source], columns: Columns, summary: Summary, seen: SeenIds | None, on_progress: OnProgress
) -> Iterator[tuple[int, Document]]:
    """Every readable document with the number of its source; the summary counts them."""
    sizes = [_stat(source.path)[0] for source in sources]
    total, read = sum(sizes), 0
    for number, (source, size) in enumerate(zip(sources, sizes, strict=True)):
        within = 0
        for document in source.documents(columns, summary.skip, seen):
            summary.read(document)
            within = min(size, within + len(document.text))
            on_progress(Progress(summary.documents, read + within, total))
            yield number, document
        read += size
        on_progress(Progress(summary.documents, read, total))


class Job:
    """One run from inputs to outputs. Use as a context manager; what an interrupted run finished is not done again."""

    def __init__(
        self,
        inputs: Iterable[str | Path],
        destination: Destination,
        *,
        columns: Columns,
        depends_on: Iterable[Any] = (),
        on_progress: OnProgress = lambda progress: None,
    ) -> None:
        """``depends_on``: all besides the inputs that the output's bytes depend on (the recipe, a key, ...)."""
        self._started = monotonic()
        self.summary = Summary()
        self._destination = destination
        self._columns = columns
        self._on_progress = on_progress
        self._unchecked: dict[int, Mapping[str, int]] = {}
        roots = [Path(path) for path in inputs]
        self.sources = self._taken(find_sources(roots, self.summary))
        destination.check(self.sources, roots)
        stats = [(str(source.path.absolute()), *_stat(source.path)) for source in self.sources]
        parts = (__version__, stats, str(columns), destination.audit and str(destination.audit), list(depends_on))
        self._work = WorkFolder(destination.out, fingerprint(*parts))
        self.work = self._work.path
        """The run's confidential folder, which is removed when all is done."""
        self.secret = self._work.secret
        """This run's random secret; the same when the run is taken up again."""

    def _taken(self, sources: list[Source]) -> list[Source]:
        """Without the files that could not be written in the end: nothing is spent on those."""
        reasons = [self._destination.refusal(source) for source in sources]
        for source, reason in zip(sources, reasons, strict=True):
            if reason is not None:
                self.summary.skip(Problem(source.path, reason))
        taken = [source for source, reason in zip(sources, reasons, strict=True) if reason is None]
        if not taken:
            raise NothingRead(self.summary)
        return taken

    def __enter__(self) -> Job:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None or issubclass(kind, NothingRead):
            self._work.remove()
        else:
            self._work.leave()

    def run(self, step: Step, *, replay: bool = False) -> Summary:
        """Do the work and write the files. ``replay``: the step has a memory that finished documents must refill."""
        done = self.summary.resumed = self._work.done
        documents = self._documents()
        if not replay:
            for _ in islice(documents, done):
                pass
        results = step(self._noting_sources(documents))
        if replay:
            for _ in islice(results, done):
                pass
        for result in results:
            self._work.append(_entry(result, self._origin.pop(0)))
        self.summary.asked = self.summary.documents - (0 if replay else done)
        if not self.summary.documents:
            raise NothingRead(self.summary)
        self.summary.files = publish(
            self._work.entries, self.sources, self._destination, self._columns, self.summary.skip
        )
        self._tally()
        self.summary.seconds = monotonic() - self._started
        return self.summary

    def _noting_sources(self, documents: Iterator[tuple[int, Document]]) -> Iterator[Document]:
        # Steps read ahead in batches, so the sources of documents in flight wait here for their results.
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
                yield source, document

    def _tally(self) -> None:
        for entry in self._work.entries():
            if entry.withheld is None:
                self.summary.released += 1
                self.summary.let_out(self._unchecked.get(entry.source, {}), str(self.sources[entry.source].path))
                self.summary.labels.update(edit["label"] for edit in entry.edits)
                if entry.fell_back is not None:
                    self.summary.fall_back(self._note(entry, entry.fell_back))
            else:
                self.summary.withhold(self._note(entry, entry.withheld))

    def _note(self, entry: Entry, reason: str) -> Note:
        return Note(str(self.sources[entry.source].path), reason, entry.line, entry.record)


def _entry(result: Result, source: int) -> Entry:
    outcome = result.outcome
    document = outcome.document
    line, record = document.meta.get("line"), document.meta.get("record")
    if isinstance(outcome, Withheld):
        return Entry(source, document.id, None, None, withheld=outcome.reason, line=line, record=record)
    return Entry(
        source,
        document.id,
        result.released_id,
        outcome.text,
        dict(document.meta.get("kept", {})),
        [edit_to_json(edit) for edit in outcome.hidden],
        numbered=bool(document.meta.get("numbered")) and result.released_id == document.id,
        length=len(document.text),
        rewritten=None if outcome.rewrite is None else list(outcome.because),
        fell_back=outcome.fell_back,
        line=line,
        record=record,
    )


def _stat(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns
