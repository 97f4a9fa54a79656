"""Anonymize files: who detects in their documents, replaces and protects, checks ids, and keeps the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from zipfile import is_zipfile

from sfumato import registry
from sfumato.document import Document, Outcome, Release, Withheld
from sfumato.errors import Problem, RecipeError
from sfumato.formats.base import TEXT_SUFFIXES, Columns, FileFormat
from sfumato.formats.sources import Source
from sfumato.formats.spans import spans_on_disk
from sfumato.formats.text import Text
from sfumato.isolation import attempt
from sfumato.parallel import Engine
from sfumato.pipeline import Pipeline
from sfumato.progress import OnProgress, ignore_progress
from sfumato.recipe import Recipe
from sfumato.residuals.names import IdChecker
from sfumato.runs.destination import Destination, numbered_file
from sfumato.runs.detect import all_documents, check_chat_is_used, documents_with_subjects
from sfumato.runs.ids import id_checker, name_key
from sfumato.runs.job import Job, Result
from sfumato.runs.journal import numbered_id
from sfumato.runs.kept_columns import check_kept
from sfumato.runs.summary import Summary
from sfumato.runs.workers import (
    FinishedDocument,
    Worker,
    anonymize_by_engine,
    anonymize_in_processes,
    check_ids,
    detect_by_engine,
)
from sfumato.vault.key import Key
from sfumato.vault.store import Vault

if TYPE_CHECKING:
    from sfumato.attacks.background import Background
    from sfumato.llm.chat import Chat
    from sfumato.runs.protected import ProtectedRun


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
    options = _Options(recipe, columns or Columns(), spans, vault, key, jobs, engine, protected_run, chat, background)
    options.check()
    checker = id_checker(recipe)
    secret_files = (*confidential, vault.path if vault else None, protected_run.report if protected_run else None)
    destination = _ReleaseDestination(
        out,
        audit,
        rewrites=recipe.rewrite.use if recipe.rewrite is not None else None,
        confidential=tuple(filter(None, secret_files)),
        checker=checker,
        vault=vault,
        are_spans_given=spans is not None or recipe.has_given_spans,
    )
    job = Job(
        inputs,
        destination,
        columns=options.columns,
        depends_on=options.depends_on,
        vault=vault,
        checker=checker,
        on_progress=on_progress,
    )
    with job:
        run = _Run(options, job, checker, on_outcome)
        summary = job.run(run.finished, run.record, replay=options.is_replayed)
        run.complete(summary, destination)
    if protected_run is not None:
        _note_foreign_files(out, summary)
    return summary


@dataclass(frozen=True)
class _Options:
    """What ``anonymize_files`` was asked for."""

    recipe: Recipe
    columns: Columns
    spans: Path | None
    vault: Vault | None
    key: Key | None
    jobs: int
    engine: Engine | None
    protected_run: ProtectedRun | None
    chat: Chat | None
    background: Background | None

    def check(self) -> None:
        """Raise where they do not go together."""
        recipe, run = self.recipe, self.protected_run
        self._check_background()
        if self.jobs > 1 and (recipe.scope == "corpus" or self.spans is not None):
            raise RecipeError('several jobs need scope = "document" and no spans file: use --jobs 1')
        if self.engine is not None:
            self._check_engine(self.engine)
        check_chat_is_used(self.chat, recipe, [*recipe.asking, *(run.options.asking if run else ())])
        if self.jobs > 1 and recipe.asking:
            raise RecipeError("a language model is asked from one process, many questions at once: use --jobs 1")

    def _check_background(self) -> None:
        """Raise where a background is missing, or was given and nothing would read it."""
        name, is_read = self.recipe.name, self.recipe.reads_background
        if is_read and self.background is None:
            raise registry.no_background(f"the recipe {name!r}")
        if is_read and self.jobs > 1:
            raise RecipeError(f"the recipe {name!r} reads all documents and the background at once: use --jobs 1")
        if self.background is not None and not is_read:
            raise RecipeError(
                f"nothing in the recipe {name!r} reads a background, and one was given: leave --background out, or "
                "use sfumato protect, which attacks the releases with it"
            )

    def _check_engine(self, engine: Engine) -> None:
        """Raise where workers could not give what this process would."""
        recipe = self.recipe
        if recipe.asking:
            what = f"the recipe {recipe.name!r} asks a language model"
        elif recipe.reads_background:
            what = f"the recipe {recipe.name!r} reads a background"
        elif self.spans is not None:
            what = "a spans file is read"
        else:
            return
        raise RecipeError(f"--engine {engine.name}: {what} in one process; leave --engine out")

    @property
    def depends_on(self) -> list[Any]:
        """What the bytes of the release depend on, beside the inputs."""
        return [
            self.recipe.model_dump(mode="json"),
            self.spans and (str(self.spans.absolute()), self.spans.stat().st_size, self.spans.stat().st_mtime_ns),
            self.vault and str(self.vault.path.absolute()),
            self.key and self.key.derive("fingerprint").hex(),
            *(self.protected_run.depends_on if self.protected_run else ()),
            self.chat and self.chat.name,
            self.recipe.files,
            *([self.background.digest] if self.background else ()),
        ]

    @property
    def corpus_key(self) -> Key | None:
        return self.protected_run.key if self.protected_run else None

    @property
    def secret_key(self) -> Key | None:
        """What secret ranks are drawn from: not the recipe's seed, which others may know."""
        return self.key or (self.vault.key if self.vault else None) or self.corpus_key

    @property
    def is_replayed(self) -> bool:
        """Whether a resumed run does the finished documents again.

        Corpus-wide numbers live in memory when there is no vault: a resumed run must assign them again. The loop needs
        all documents before it releases one; those it finished are in its checkpoints.
        """
        return self.protected_run is not None or (self.recipe.scope == "corpus" and self.vault is None)


class _Run:
    """A run over the documents of a job.

    This process does all of it, or processes and engines do: they detect, and they replace and check ids as well where
    documents do not depend on each other. A protected run has them replaced only, and then attacked together.
    """

    def __init__(self, options: _Options, job: Job, checker: IdChecker, on_outcome: Callable[[Outcome], None]) -> None:
        self._options, self._job, self._checker, self._on_outcome = options, job, checker, on_outcome
        job.summary.allowed = checker.allowed
        secret = options.corpus_key.derive("values") if options.corpus_key else job.secret
        self._pipeline = self._learned_pipeline(secret)
        is_finishing = options.protected_run is None
        self._worker = Worker(options.recipe, options.key, secret, self._pipeline.subjects, is_finishing)

    def _learned_pipeline(self, secret: bytes) -> Pipeline:
        """The recipe's pipeline, after it has read what it needs before the first document."""
        options, job = self._options, self._job
        pipeline = Pipeline(
            options.recipe,
            vault=options.vault,
            key=options.key,
            secret=secret,
            given=spans_on_disk(options.spans, job.summary.skip) if options.spans else None,
            chat=options.chat,
            background=options.background,
        )
        with_subjects = documents_with_subjects(job.sources, options.columns)
        if options.columns.subject_table:
            for problem in options.columns.subject_table.unmatched(with_subjects()):
                job.summary.skip(problem)
        everything = partial(all_documents, job.sources, options.columns)
        pipeline.learn(everything if pipeline.reads_corpus else with_subjects)
        return pipeline

    def finished(self, documents: Iterable[Document]) -> Iterator[FinishedDocument]:
        """The documents detected, replaced, protected, and with their ids checked; in order."""
        if self._workers_replace and self._worker.is_finishing:
            return self._finished_by_workers(documents)
        return check_ids(self._checker, self._protected(self._outcomes(documents)))

    def _outcomes(self, documents: Iterable[Document]) -> Iterator[Outcome]:
        if self._workers_replace:
            return (document.outcome for document in self._finished_by_workers(documents))
        if self._options.engine is not None:
            return detect_by_engine(documents, self._options.engine, self._worker, self._pipeline)
        return self._pipeline.anonymize(documents)

    @property
    def _workers_replace(self) -> bool:
        """Whether others than this process replace spans: not where replacements depend on earlier documents."""
        options = self._options
        if options.engine is None:
            return options.jobs > 1
        return options.recipe.scope != "corpus" and options.vault is None and not self._pipeline.reads_corpus

    def _finished_by_workers(self, documents: Iterable[Document]) -> Iterator[FinishedDocument]:
        options = self._options
        if options.engine is not None:
            return anonymize_by_engine(documents, options.engine, self._worker)
        vault = options.vault.path if options.vault else None
        return anonymize_in_processes(documents, options.jobs, self._worker, vault)

    def _protected(self, outcomes: Iterable[Outcome]) -> Iterable[Outcome]:
        options, job = self._options, self._job
        if options.protected_run is None:
            return outcomes
        rank_secret = options.secret_key.derive("ranks") if options.secret_key else job.secret
        protected, job.summary.protection = options.protected_run.protect(
            outcomes, rank_secret, job.work / "protected.sqlite", options.engine, self._pipeline.finish
        )
        return protected

    def record(self, document: FinishedDocument, position: int) -> Result:
        """The last step: the id that a document goes out under, and how to restore it."""
        outcome = document.outcome
        self._on_outcome(outcome)
        if isinstance(outcome, Withheld):
            return Result(outcome, "")
        released_id = numbered_id(position) if document.is_id_replaced else outcome.document.id
        failed = attempt(partial(self._record, outcome, released_id), outcome.document)
        return Result(failed or outcome, released_id)

    def _record(self, release: Release, released_id: str) -> None:
        """Note what was lost, and how to restore the document."""
        self._job.summary.note_lost(release.document.text, release.text)
        if self._options.vault is not None:
            self._options.vault.record(release, released_id)

    def complete(self, summary: Summary, destination: Destination) -> None:
        """Add what is known when all is published, and write the certificate and the report of a protected run."""
        options, place = self._options, _place_of(self._job.sources)
        summary.usage, summary.remarks = self._pipeline.usage, self._pipeline.remarks
        summary.are_all_renumbered = options.recipe.ids == "renumber"
        summary.hide_dropped_columns(self._checker.tells_something)
        if options.columns.keep:
            summary.note_kept(check_kept(self._job.kept_values(), options.recipe), place)
        for problem in _telling_columns(options.columns, self._checker, place):
            summary.skip(problem)
        if options.protected_run is not None and summary.protection is not None:
            is_unkeyed = options.secret_key is None
            summary.protection = replace(summary.protection, is_unkeyed=is_unkeyed, not_read=summary.not_read)
            released = [path for path in summary.files if path != destination.audit]
            summary.files += options.protected_run.write(summary.protection, released, destination.out)


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


@dataclass(frozen=True, kw_only=True)
class _ReleaseDestination(Destination):
    """Checks names and files for what was replaced, and records in the vault what they were."""

    checker: IdChecker
    vault: Vault | None
    are_spans_given: bool

    def file_name(self, source: Source, number: int) -> PurePosixPath:
        is_personal = self.checker.is_personal(str(source.relative.with_suffix("")))
        return numbered_file(source, number) if is_personal else source.relative

    def final_check(self, source: Path, form: FileFormat, content: bytes, release: Release) -> bytes:
        if isinstance(form, Text) and not is_zipfile(BytesIO(content)):
            return content  # all of it is the document's text
        from sfumato.residuals.final_check import FinalCheck

        check = FinalCheck(self.checker.detect, allowed=self.checker.allowed.ranges, are_given=self.are_spans_given)
        return check.clean(source, form, content, release)

    def record_original(self, source: Path, target: Path, content: bytes) -> None:
        if self.vault is not None and source.suffix.lower() not in TEXT_SUFFIXES:
            name = target.relative_to(self.out) if target != self.out else Path(self.out.name)
            self.vault.record_file(content, source.read_bytes(), name.as_posix())
            self.vault.sync()  # before the file is published

    def record_name(self, source: Source, target: Path) -> None:
        if self.vault is not None:
            self.vault.record_file(name_key(target, target.relative_to(self.out)), str(source.relative).encode())


def _note_foreign_files(out: Path, summary: Summary) -> None:
    """Files of an earlier run may hold what this one withheld: warn before the folder is shared."""
    released = {path.resolve() for path in summary.files}
    files = [path for path in sorted(out.rglob("*")) if path.is_file()] if out.is_dir() else []
    foreign = [path for path in files if path.resolve() not in released and not path.name.startswith(".")]
    if foreign:
        count = "a file that is" if len(foreign) == 1 else f"{len(foreign):,} files that are"
        message = f"holds {count} not of this release (the first: {foreign[0].name}); take them out before it is shared"
        summary.skip(Problem(out, message))
