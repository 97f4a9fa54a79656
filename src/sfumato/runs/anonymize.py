"""Documents in, releases out: the recipe, the loop where there is a guard, ids and file names, the vault."""

from __future__ import annotations

import json
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING

from sfumato.detectors.detection import batches
from sfumato.detectors.entities import SubjectNames
from sfumato.document import Document, Outcome, Withheld
from sfumato.errors import Problem, RecipeError
from sfumato.formats.base import TEXT_SUFFIXES, Columns, record_format
from sfumato.formats.files import CONFIDENTIAL, SeenIds, atomic_path
from sfumato.formats.identifiers import hide_identifiers
from sfumato.formats.sources import Source
from sfumato.formats.spans import spans_on_disk, spans_record
from sfumato.llm.chat import Chat
from sfumato.pipeline import Pipeline
from sfumato.progress import OnProgress, ignore_progress
from sfumato.recipe import Recipe
from sfumato.runs.ids import IdChecker, id_checker, name_key
from sfumato.runs.job import Destination, Job, Result, find_sources, read_documents
from sfumato.runs.summary import Note, NothingRead, Summary
from sfumato.vault.ledger import Key
from sfumato.vault.store import Vault

if TYPE_CHECKING:
    from sfumato.runs.protected import ProtectedRun


# -- The same pipeline in several processes on one machine, results in the documents' order.


_AHEAD = 2
"""Batches in flight for each process: enough to keep it busy, few enough to keep memory small."""


@dataclass(frozen=True)
class Setup:
    """All a process needs to build the pipeline for itself."""

    recipe: Recipe
    key: Key | None
    secret: bytes
    vault: Path | None
    subjects: SubjectNames | None = None


def anonymize_in_processes(setup: Setup, documents: Iterable[Document], jobs: int) -> Iterator[Outcome]:
    """As ``Pipeline.anonymize``; only for recipes whose documents do not depend on each other."""
    if setup.recipe.scope == "corpus":
        raise ValueError("numbers given out corpus-wide depend on the order of documents: use one process")
    context = multiprocessing.get_context("spawn")  # a fork would share open databases and locks
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(setup,)) as pool:
        waiting: deque[Future[list[Outcome]]] = deque()
        for batch in batches(documents):
            waiting.append(pool.submit(_work, batch))
            if len(waiting) > jobs * _AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


_pipeline: Pipeline | None = None


def _start(setup: Setup) -> None:
    global _pipeline
    vault = Vault(setup.vault, setup.key) if setup.vault and setup.key else None
    _pipeline = Pipeline(
        setup.recipe, vault=vault, key=setup.key, secret=setup.secret, subjects=setup.subjects, threads=1
    )


def _work(batch: list[Document]) -> list[Outcome]:
    assert _pipeline is not None
    return list(_pipeline.anonymize(batch))


# -- Reading files beforehand for people who have several documents.


_CHUNK = 1 << 22


def documents_with_subjects(sources: Sequence[Source], columns: Columns) -> Callable[[], Iterator[Document]]:
    """The documents of the files that name subjects, as often as asked for. What cannot be read is left for the run."""
    naming = [
        source for source in sources if columns.subject_table is not None or _names_subjects(source, columns.subjects)
    ]

    def documents() -> Iterator[Document]:
        for source in naming:
            yield from source.documents(columns, _leave, None)

    return documents


def _names_subjects(source: Source, field: str) -> bool:
    """Whether a file of records holds the name of that field at all: a search of its bytes costs next to nothing."""
    if record_format(source.format) is None:
        return False
    if not field.isascii():  # JSON may have it escaped
        return True
    name = field.encode()
    before = b""
    with source.path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if name in before + chunk:
                return True
            before = chunk[-len(name) :]
    return False


def _leave(problem: Problem) -> None:
    pass


# -- Files in, spans out.


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
    summary, columns = Summary(files=[out]), columns or Columns()
    roots = [Path(path) for path in inputs]
    sources = find_sources(roots, summary)
    Destination(out).keep_apart(sources, roots)
    check_asked(chat, recipe, recipe.detection_only.asking)
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
            language = pipeline.uncovered_language(document.text)
            failure = pipeline.failed.get(document.id)
            if failure is not None and not pipeline.may_fall_back:
                # Half of the spans, taken for all of them, would let the rest out: whoever wants them says so.
                summary.withhold(note(f"{failure}; no spans are written for it"))
                continue
            if failure is not None:
                summary.fall_back(note(failure))
            if language is not None:
                summary.withhold(
                    note(f"in a language no active detector covers ({language}): its spans are incomplete")
                )
            summary.released += 1
            summary.let_out(document.meta.get("unchecked", {}), note("").file)
            summary.labels.update(span.label for span in spans)
            file.write(json.dumps(spans_record(document, spans), ensure_ascii=False) + "\n")
        if not summary.documents:
            raise NothingRead(summary)
    summary.usage, summary.asked, summary.remarks = pipeline.usage, summary.documents, pipeline.remarks
    summary.seconds = monotonic() - started
    return summary


def check_asked(chat: Chat | None, recipe: Recipe, asking: Sequence[str]) -> None:
    """Raise where a language model was given and nobody would ask it."""
    if chat is not None and not asking:
        raise RecipeError(
            f"nothing in the recipe {recipe.name!r} asks a language model here, and one was given: leave --chat out, "
            "or choose a method that asks (sfumato methods)"
        )


# -- Documents in, releases out: the recipe, the loop where there is a guard, ids and file names, the vault.


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
    guard: ProtectedRun | None = None,
    chat: Chat | None = None,
    on_progress: OnProgress = ignore_progress,
    on_outcome: Callable[[Outcome], None] = lambda outcome: None,
) -> Summary:
    """Release every document of the inputs to ``out``: a file, or a folder that mirrors the inputs.

    ``confidential``: files besides audit and vault that must not lie in the released folder, such as the key.
    ``jobs``: how many processes share the work; the bytes do not depend on it. ``guard``: what the releases are
    protected against; the loop sees all documents, so they are held in memory. ``chat``: the language model, else
    the one that the recipe names.
    """
    if jobs > 1 and (recipe.scope == "corpus" or spans is not None):
        raise RecipeError('several jobs need scope = "document" and no spans file: use --jobs 1')
    check_asked(chat, recipe, [*recipe.asking, *(guard.options.asking if guard else ())])
    if jobs > 1 and recipe.asking:
        raise RecipeError("a language model is asked from one process, many questions at once: use --jobs 1")
    columns, checker = columns or Columns(), id_checker(recipe)
    undoing = [*confidential, *([vault.path] if vault else []), *([guard.report] if guard and guard.report else [])]
    destination = _destination(out, audit, recipe, checker, vault, undoing)
    depends_on = [
        recipe.model_dump(mode="json"),
        spans and (str(spans.absolute()), spans.stat().st_size, spans.stat().st_mtime_ns),
        vault and str(vault.path.absolute()),
        key and key.derive("fingerprint").hex(),
        *(guard.depends_on if guard else ()),
        chat and chat.name,
        recipe.files,
    ]
    with Job(inputs, destination, columns=columns, depends_on=depends_on, on_progress=on_progress) as job:
        given = spans_on_disk(spans, job.summary.skip) if spans else None
        pipeline = Pipeline(recipe, vault=vault, key=key, secret=job.secret, given=given, chat=chat)
        told = documents_with_subjects(job.sources, columns)
        for problem in columns.subject_table.unmatched(told()) if columns.subject_table else ():
            job.summary.skip(problem)
        pipeline.learn(told)

        def outcomes(documents: Iterable[Document]) -> Iterator[Outcome]:
            if jobs == 1:
                return pipeline.anonymize(documents)
            setup = Setup(recipe, key, job.secret, vault.path if vault else None, pipeline.subjects)
            return anonymize_in_processes(setup, documents, jobs)

        # A recipe's seed is for whoever repeats a run, and would give the ranks away.
        secret_key = key or (vault.key if vault else None)
        ranks = secret_key.derive("ranks") if secret_key else job.secret

        def protected(made: Iterable[Outcome]) -> Iterable[Outcome]:
            if guard is None:
                return made
            found, job.summary.protection = guard.protect(made, ranks, job.work / "protected.jsonl")
            return found

        def step(documents: Iterable[Document]) -> Iterator[Result]:
            position = 0 if replay else job.summary.resumed
            for outcome in map(_without_identifiers, protected(outcomes(documents))):
                position += 1
                on_outcome(outcome)
                if isinstance(outcome, Withheld):
                    yield Result(outcome, "")
                    continue
                released_id = checker.released(outcome, position)
                if vault is not None:
                    vault.record(outcome, released_id)
                yield Result(outcome, released_id)

        # Numbers given out corpus-wide live in memory when there is no vault: a resumed run must give them out again.
        # The loop looks at all documents before it lets one out; what it finished is on its shelf.
        replay = guard is not None or (recipe.scope == "corpus" and vault is None)
        summary = job.run(step, replay=replay)
        summary.usage, summary.remarks = pipeline.usage, pipeline.remarks
        if guard is not None and summary.protection is not None:
            released = [path for path in summary.files if path != audit]
            summary.files += guard.write(summary.protection, released, out)
    if guard is not None:
        _note_strangers(out, summary)
    return summary


def _destination(
    out: Path, audit: Path | None, recipe: Recipe, checker: IdChecker, vault: Vault | None, confidential: list[Path]
) -> Destination:
    def remember(source: Path, content: bytes) -> None:
        if vault is not None and source.suffix.lower() not in TEXT_SUFFIXES:
            vault.record_file(content, source.read_bytes())

    def file_name(source: Source, number: int) -> PurePosixPath:
        telling = checker.is_telling(str(source.relative.with_suffix("")))
        return PurePosixPath(f"file-{number + 1}{source.relative.suffix}") if telling else source.relative

    def remember_name(source: Source, target: Path) -> None:
        if vault is not None:
            vault.record_file(name_key(target, target.relative_to(out)), str(source.relative).encode())

    return Destination(
        out,
        audit,
        file_name,
        on_rendered=remember,
        on_mirrored=remember_name,
        rewrites=recipe.rewrite.use if recipe.rewrite is not None else None,
        confidential=tuple(confidential),
    )


def _without_identifiers(outcome: Outcome) -> Outcome:
    return outcome if isinstance(outcome, Withheld) else hide_identifiers(outcome)


def _note_strangers(out: Path, summary: Summary) -> None:
    """Files of an earlier run may hold what this one withheld; whoever shares the folder must know."""
    own = {path.resolve() for path in summary.files}
    files = [path for path in sorted(out.rglob("*")) if path.is_file()] if out.is_dir() else []
    strange = [path for path in files if path.resolve() not in own and not path.name.startswith(".")]
    if strange:
        count = "a file that is" if len(strange) == 1 else f"{len(strange):,} files that are"
        said = f"holds {count} not of this release (the first: {strange[0].name}); take them out before it is shared"
        summary.skip(Problem(out, said))
