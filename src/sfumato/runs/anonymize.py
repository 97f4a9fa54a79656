"""Anonymize files, or detect in them: the recipe in one or several processes, protection, ids, file names, vault."""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, Any
from zipfile import is_zipfile

from sfumato import registry
from sfumato.detectors.allowed import AllowedTerms
from sfumato.detectors.detection import batches
from sfumato.detectors.passes.subjects import SubjectNames
from sfumato.document import Document, Outcome, Release, Span, Withheld
from sfumato.errors import NotReleased, Problem, RecipeError, SfumatoError
from sfumato.files import CONFIDENTIAL, atomic_path
from sfumato.formats.base import TEXT_SUFFIXES, Columns, FileFormat, record_format
from sfumato.formats.files import SeenIds
from sfumato.formats.sources import Source
from sfumato.formats.spans import spans_on_disk, spans_record
from sfumato.formats.text import Text
from sfumato.isolation import attempt
from sfumato.parallel import Engine, collect_garbage_rarely
from sfumato.pipeline import DetectedSpans, Pipeline
from sfumato.progress import OnProgress, ignore_progress
from sfumato.recipe import Recipe
from sfumato.runs.ids import IdChecker, id_checker, name_key
from sfumato.runs.job import Destination, Job, Result, find_sources, read_documents
from sfumato.runs.journal import numbered_id
from sfumato.runs.kept_columns import check_kept
from sfumato.runs.summary import Note, NothingRead, Summary
from sfumato.vault.key import Key
from sfumato.vault.store import Vault

if TYPE_CHECKING:
    from sfumato.attacks.background import Background
    from sfumato.llm.chat import Chat
    from sfumato.runs.protected import ProtectedRun

_AHEAD = 4
"""Batches in flight per process: enough to keep it busy, few enough to keep memory small."""
_WORKER_CHARACTERS = 20_000
"""Of a batch for one of several workers: about a second of work, so that all of them have some until the end."""
_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class FinishedDocument:
    """A document as it goes out but for its id: whether that is replaced by a number."""

    outcome: Outcome
    is_id_replaced: bool = False


def check_ids(checker: IdChecker, outcomes: Iterable[Outcome]) -> Iterator[FinishedDocument]:
    """The last step: whether the documents' own ids may go out."""
    for outcome in outcomes:
        if isinstance(outcome, Withheld):
            yield FinishedDocument(outcome)
            continue
        checked = attempt(partial(checker.is_replaced, outcome), outcome.document)
        yield FinishedDocument(checked) if isinstance(checked, Withheld) else FinishedDocument(outcome, checked)


def anonymize_in_processes(
    documents: Iterable[Document], jobs: int, start_worker: Callable[[], None]
) -> Iterator[FinishedDocument]:
    """Like ``Pipeline.anonymize``, in input order; only for recipes whose documents do not depend on each other."""
    context = multiprocessing.get_context("spawn")  # a fork would share open databases and locks
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=start_worker) as pool:
        waiting: deque[Future[list[FinishedDocument]]] = deque()
        try:
            for batch in batches(documents, _WORKER_CHARACTERS):
                waiting.append(pool.submit(_anonymize_batch, batch))
                if len(waiting) > jobs * _AHEAD:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        except BrokenProcessPool:
            raise SfumatoError(
                "a worker process was killed, perhaps for lack of memory: run the same command again, which resumes, "
                "with a smaller --jobs if it happens again"
            ) from None


_anonymize: Callable[[list[Document]], list[FinishedDocument]] | None = None
"""What a worker process does with a batch."""


def _start_worker(worker: _Worker, vault: Path | None) -> None:
    global _anonymize
    collect_garbage_rarely()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    opened = Vault(vault, worker.key) if vault and worker.key else None
    _anonymize = worker.load_anonymize(opened)


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever, with originals in its memory."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _anonymize_batch(batch: list[Document]) -> list[FinishedDocument]:
    assert _anonymize is not None
    return _anonymize(batch)


@dataclass(frozen=True)
class _Worker:
    """What a worker needs; the methods return, there, what is applied to a batch of documents."""

    recipe: Recipe
    key: Key | None = field(repr=False)
    secret: bytes = field(repr=False)
    subjects: SubjectNames | None = field(repr=False)
    is_finishing: bool
    """Whether it checks ids: not where the loop of protection comes before that."""

    def load_anonymize(self, vault: Vault | None = None) -> Callable[[list[Document]], list[FinishedDocument]]:
        pipeline = self._pipeline(vault)
        finish: Callable[[Iterable[Outcome]], Iterator[FinishedDocument]] = partial(map, FinishedDocument)
        if self.is_finishing:
            finish = partial(check_ids, id_checker(self.recipe))
        return lambda batch: list(finish(pipeline.anonymize(batch)))

    def load_find_spans(self) -> Callable[[list[Document]], list[DetectedSpans | Withheld]]:
        return self._pipeline(None).find_spans

    def _pipeline(self, vault: Vault | None) -> Pipeline:
        return Pipeline(self.recipe, vault=vault, key=self.key, secret=self.secret, subjects=self.subjects, threads=1)


def detect_by_engine(
    documents: Iterable[Document], engine: Engine, worker: _Worker, pipeline: Pipeline
) -> Iterator[Outcome]:
    """Like ``Pipeline.anonymize``, in input order: the workers of an engine detect, and this process replaces.

    So replacements may depend on earlier documents, and on a vault that this process alone writes.
    """
    waiting: deque[list[Document]] = deque()

    def remembered() -> Iterator[list[Document]]:
        for batch in batches(documents, _WORKER_CHARACTERS):
            waiting.append(batch)
            yield batch

    for detected in engine.map(worker.load_find_spans, remembered()):
        yield from map(pipeline.finish, pipeline.replace_spans(waiting.popleft(), detected))


def documents_with_subjects(sources: Sequence[Source], columns: Columns) -> Callable[[], Iterator[Document]]:
    """For a first pass, because of people with several documents: a function that reads the files that name subjects.

    The run itself reports unreadable documents.
    """
    with_subjects = [
        source for source in sources if columns.subject_table is not None or _names_subjects(source, columns.subjects)
    ]
    return all_documents(with_subjects, columns)


def all_documents(sources: Sequence[Source], columns: Columns) -> Callable[[], Iterator[Document]]:
    """For a first pass: a function that reads the files. The run itself reports unreadable documents."""

    def documents() -> Iterator[Document]:
        for source in sources:
            yield from source.documents(columns, lambda problem: None, None)

    return documents


def _names_subjects(source: Source, field: str) -> bool:
    """Whether a file of records holds the name of that field at all: a search of its bytes costs very little."""
    if record_format(source.format) is None:
        return False
    if not field.isascii():  # JSON may have it escaped
        return True
    name = field.encode()
    previous = b""
    with source.path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if name in previous + chunk:
                return True
            previous = chunk[-len(name) :]
    return False


def detect_files(
    inputs: Iterable[str | Path],
    out: Path,
    recipe: Recipe,
    *,
    columns: Columns | None = None,
    chat: Chat | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Summary:
    """Write one line of spans for each document (``{"id", "spans"}``) to ``out``."""
    started = monotonic()
    summary, columns = Summary(files=[out], allowed=AllowedTerms(recipe.allow)), columns or Columns()
    roots = [Path(path) for path in inputs]
    sources = find_sources(roots, summary)
    Destination(out).check_paths(sources, roots)
    check_chat_is_used(chat, recipe, recipe.detection_only.asking)
    pipeline = Pipeline(recipe.detection_only, chat=chat)
    pipeline.learn(documents_with_subjects(sources, columns))
    with atomic_path(out, CONFIDENTIAL) as temporary, temporary.open("w", encoding="utf-8") as file, SeenIds() as seen:
        files: deque[str] = deque()

        def documents() -> Iterator[Document]:
            for number, document in read_documents(sources, columns, summary, seen, on_progress):
                files.append(str(sources[number].path))  # documents are read ahead of their spans
                yield document

        for document, spans in pipeline.detect(documents()):
            note = partial(Note, files.popleft(), line=document.meta.get("line"), record=document.meta.get("record"))
            result = attempt(partial(_detected_record, pipeline, document, spans), document)
            if isinstance(result, Withheld):
                summary.withhold(note(f"{result.reason}; no spans are written for it"))
                continue
            record, language = result
            if (failure := pipeline.failed.get(document.id)) is not None:
                summary.fall_back(note(failure))
            if language is not None:
                summary.withhold(
                    note(f"in a language no active detector covers ({language}): its spans are incomplete")
                )
            summary.released += 1
            summary.note_unchecked(document.meta.get("unchecked", {}), note("").file)
            summary.labels.update(span.label for span in spans)
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        if not summary.documents:
            raise NothingRead(summary)
    summary.usage, summary.asked, summary.remarks = pipeline.usage, summary.documents, pipeline.remarks
    summary.seconds = monotonic() - started
    return summary


def _detected_record(pipeline: Pipeline, document: Document, spans: list[Span]) -> tuple[dict[str, Any], str | None]:
    """What is written for a document, and the language that no detector covers. Raises NotReleased."""
    if (reason := pipeline.why_incomplete(document)) is not None:
        raise NotReleased(reason)  # with half of the spans, taken for all of them, the rest would be released
    return spans_record(document, spans), pipeline.uncovered_language(document.text)


def check_chat_is_used(chat: Chat | None, recipe: Recipe, asking: Sequence[str]) -> None:
    """Raise where a language model was given and nothing would ask it."""
    if chat is not None and not asking:
        raise RecipeError(
            f"nothing in the recipe {recipe.name!r} asks a language model here, and one was given: leave --chat out, "
            "or choose a method that asks (sfumato methods)"
        )


def _check_background(background: Background | None, recipe: Recipe, jobs: int) -> None:
    """Raise where a background is missing, or was given and nothing would read it."""
    if recipe.reads_background and background is None:
        raise registry.no_background(f"the recipe {recipe.name!r}")
    if recipe.reads_background and jobs > 1:
        raise RecipeError(f"the recipe {recipe.name!r} reads all documents and the background at once: use --jobs 1")
    if background is not None and not recipe.reads_background:
        raise RecipeError(
            f"nothing in the recipe {recipe.name!r} reads a background, and one was given: leave --background out, or "
            "use sfumato protect, which attacks the releases with it"
        )


def _check_engine(engine: Engine, recipe: Recipe, spans: Path | None) -> None:
    """Raise where workers could not give what this process would."""
    if recipe.asking or recipe.reads_background or spans is not None:
        what = (
            f"the recipe {recipe.name!r} asks a language model"
            if recipe.asking
            else f"the recipe {recipe.name!r} reads a background"
            if recipe.reads_background
            else "a spans file is read"
        )
        raise RecipeError(f"--engine {engine.name}: {what} in one process; leave --engine out")


def anonymize_files(
    inputs: Iterable[str | Path],
    out: Path,
    recipe: Recipe,
    *,
    columns: Columns | None = None,
    audit: Path | None = None,
    spans: Path | None = None,
    vault: Vault | None = None,
    key: Key | None = None,
    confidential: Iterable[Path] = (),
    jobs: int = 1,
    engine: Engine | None = None,
    protected_run: ProtectedRun | None = None,
    chat: Chat | None = None,
    background: Background | None = None,
    on_progress: OnProgress = ignore_progress,
    on_outcome: Callable[[Outcome], None] = lambda outcome: None,
) -> Summary:
    """Release every document of the inputs to ``out``: a file, or a folder that mirrors the inputs.

    ``confidential``: files besides audit and vault that must not lie in the released folder, such as the key.
    ``jobs``: how many processes share the work. ``engine``: what does the work instead, on other machines; the bytes
    depend on neither. ``protected_run``: target, background and options of a protected run; it holds all documents in
    memory. ``chat``: the language model, else the one that the recipe names. ``background``: what is known of people,
    for recipes that read it; else that of the protected run.
    """
    if background is None and protected_run is not None and recipe.reads_background:
        background = protected_run.background
    _check_background(background, recipe, jobs)
    if jobs > 1 and (recipe.scope == "corpus" or spans is not None):
        raise RecipeError('several jobs need scope = "document" and no spans file: use --jobs 1')
    if engine is not None:
        _check_engine(engine, recipe, spans)
    check_chat_is_used(chat, recipe, [*recipe.asking, *(protected_run.options.asking if protected_run else ())])
    if jobs > 1 and recipe.asking:
        raise RecipeError("a language model is asked from one process, many questions at once: use --jobs 1")
    columns, checker = columns or Columns(), id_checker(recipe)
    secret_files = [*confidential, *([vault.path] if vault else [])]
    if protected_run and protected_run.report:
        secret_files.append(protected_run.report)
    are_given = spans is not None or recipe.has_given_spans
    destination = _destination(out, audit, recipe, checker, vault, secret_files, are_given=are_given)
    depends_on = [
        recipe.model_dump(mode="json"),
        spans and (str(spans.absolute()), spans.stat().st_size, spans.stat().st_mtime_ns),
        vault and str(vault.path.absolute()),
        key and key.derive("fingerprint").hex(),
        *(protected_run.depends_on if protected_run else ()),
        chat and chat.name,
        recipe.files,
        *([background.digest] if background else ()),
    ]
    with Job(inputs, destination, columns=columns, depends_on=depends_on, vault=vault, on_progress=on_progress) as job:
        job.summary.allowed = checker.allowed
        given = spans_on_disk(spans, job.summary.skip) if spans else None
        corpus_key = protected_run.key if protected_run else None
        secret = corpus_key.derive("values") if corpus_key else job.secret
        pipeline = Pipeline(recipe, vault=vault, key=key, secret=secret, given=given, chat=chat, background=background)
        first_pass = documents_with_subjects(job.sources, columns)
        for problem in columns.subject_table.unmatched(first_pass()) if columns.subject_table else ():
            job.summary.skip(problem)
        pipeline.learn(all_documents(job.sources, columns) if pipeline.reads_corpus else first_pass)

        is_finishing = protected_run is None
        worker = _Worker(recipe, key, secret, pipeline.subjects, is_finishing)
        has_one_writer = recipe.scope == "corpus" or vault is not None or pipeline.reads_corpus

        def outcomes(documents: Iterable[Document]) -> Iterator[Outcome]:
            if engine is not None and has_one_writer:
                return detect_by_engine(documents, engine, worker, pipeline)
            if engine is None and jobs == 1:
                return pipeline.anonymize(documents)
            return (finished.outcome for finished in finished_elsewhere(documents))

        def finished_elsewhere(documents: Iterable[Document]) -> Iterator[FinishedDocument]:
            if engine is None:
                return anonymize_in_processes(
                    documents, jobs, partial(_start_worker, worker, vault.path if vault else None)
                )
            return chain.from_iterable(engine.map(worker.load_anonymize, batches(documents, _WORKER_CHARACTERS)))

        # Not from the recipe's seed, which others may know: it would give the secret ranks away.
        secret_key = key or (vault.key if vault else None) or corpus_key
        rank_secret = secret_key.derive("ranks") if secret_key else job.secret

        def protect(initial: Iterable[Outcome]) -> Iterable[Outcome]:
            if protected_run is None:
                return initial
            checkpoints = job.work / "protected.sqlite"
            protected, job.summary.protection = protected_run.protect(
                initial, rank_secret, checkpoints, engine, pipeline.finish
            )
            return protected

        def finished(documents: Iterable[Document]) -> Iterator[FinishedDocument]:
            is_elsewhere = is_finishing and (jobs > 1 if engine is None else not has_one_writer)
            if is_elsewhere:
                return finished_elsewhere(documents)
            return check_ids(checker, protect(outcomes(documents)))

        def process(documents: Iterable[Document]) -> Iterator[Result]:
            for position, document in enumerate(finished(documents), start=1 if replay else job.summary.resumed + 1):
                outcome = document.outcome
                on_outcome(outcome)
                if isinstance(outcome, Withheld):
                    yield Result(outcome, "")
                    continue
                counted = attempt(partial(job.summary.note_lost, outcome.document.text, outcome.text), outcome.document)
                if isinstance(counted, Withheld):
                    yield Result(counted, "")
                    continue
                released_id = numbered_id(position) if document.is_id_replaced else outcome.document.id
                recorded = (
                    None if vault is None else attempt(partial(vault.record, outcome, released_id), outcome.document)
                )
                yield Result(outcome if recorded is None else recorded, released_id)

        # Corpus-wide numbers live in memory when there is no vault: a resumed run must assign them again. The loop
        # needs all documents before it releases one; those it finished are in its checkpoints.
        replay = protected_run is not None or (recipe.scope == "corpus" and vault is None)
        summary = job.run(process, replay=replay)
        summary.usage, summary.remarks = pipeline.usage, pipeline.remarks
        summary.are_all_renumbered = recipe.ids == "renumber"
        summary.hide_dropped_columns(checker.tells_something)
        if columns.keep:
            summary.note_kept(check_kept(job.kept_values(), recipe), _place_of(job.sources))
        for problem in _telling_columns(columns, checker, _place_of(job.sources)):
            summary.skip(problem)
        if protected_run is not None and summary.protection is not None:
            unkeyed = secret_key is None
            summary.protection = replace(summary.protection, is_unkeyed=unkeyed, not_read=summary.not_read)
            released = [path for path in summary.files if path != audit]
            summary.files += protected_run.write(summary.protection, released, out)
    if protected_run is not None:
        _note_foreign_files(out, summary)
    return summary


def _telling_columns(columns: Columns, checker: IdChecker, place: str) -> Iterator[Problem]:
    """Names of columns go out, too; the messages do not repeat them."""
    kept = [(f"kept column {number}", name) for number, name in enumerate(columns.keep, start=1)]
    for column, name in [("the id column", columns.id), ("the text column", columns.text), *kept]:
        if name is not None and checker.is_personal(name):
            message = f"the name of {column} says something personal, and is written as it is; rename it"
            yield Problem(place, message, is_warning=True)


def _place_of(sources: Sequence[Source]) -> str:
    """How a message names all inputs."""
    return str(sources[0].path) if len(sources) == 1 else f"{len(sources)} files"


def _destination(
    out: Path,
    audit: Path | None,
    recipe: Recipe,
    checker: IdChecker,
    vault: Vault | None,
    confidential: list[Path],
    *,
    are_given: bool,
) -> Destination:
    def record_original(source: Path, target: Path, content: bytes) -> None:
        if vault is not None and source.suffix.lower() not in TEXT_SUFFIXES:
            name = target.relative_to(out) if target != out else Path(out.name)
            vault.record_file(content, source.read_bytes(), name.as_posix())
            vault.sync()  # before the file is published

    def check_file(source: Path, form: FileFormat, content: bytes, release: Release) -> bytes:
        if isinstance(form, Text) and not is_zipfile(BytesIO(content)):
            return content  # all of it is the document's text
        from sfumato.formats.final_check import FinalCheck

        check = FinalCheck(checker.detect, allowed=checker.allowed.ranges, are_given=are_given)
        return check.clean(source, form, content, release)

    def file_name(source: Source, number: int) -> PurePosixPath:
        is_personal = checker.is_personal(str(source.relative.with_suffix("")))
        return PurePosixPath(f"file-{number + 1}{source.relative.suffix}") if is_personal else source.relative

    def record_name(source: Source, target: Path) -> None:
        if vault is not None:
            vault.record_file(name_key(target, target.relative_to(out)), str(source.relative).encode())

    return Destination(
        out,
        audit,
        file_name,
        repeats=checker.repeats,
        renames=recipe.ids != "keep",
        values_of=checker.values_of,
        values_in=checker.values_in,
        final_check=check_file,
        on_rendered=record_original,
        on_mirrored=record_name,
        rewrites=recipe.rewrite.use if recipe.rewrite is not None else None,
        confidential=tuple(confidential),
    )


def _note_foreign_files(out: Path, summary: Summary) -> None:
    """Files of an earlier run may hold what this one withheld: warn before the folder is shared."""
    released = {path.resolve() for path in summary.files}
    files = [path for path in sorted(out.rglob("*")) if path.is_file()] if out.is_dir() else []
    foreign = [path for path in files if path.resolve() not in released and not path.name.startswith(".")]
    if foreign:
        count = "a file that is" if len(foreign) == 1 else f"{len(foreign):,} files that are"
        message = f"holds {count} not of this release (the first: {foreign[0].name}); take them out before it is shared"
        summary.skip(Problem(out, message))
