"""The three things done to files: find, anonymize, restore."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING

from sfumato.batch.ids import IdChecker
from sfumato.batch.job import Job, Progress, Result, find_sources
from sfumato.batch.parallel import Setup, anonymize_in_processes
from sfumato.batch.publish import TEXT_SUFFIXES, Destination
from sfumato.batch.subjects import documents_with_subjects
from sfumato.batch.summary import Note, NothingRead, Summary
from sfumato.corpus import (
    CONFIDENTIAL,
    Columns,
    DiskIndex,
    OnProblem,
    SeenIds,
    Source,
    atomic_path,
    read_spans,
    spans_record,
)
from sfumato.corpus.identifiers import hide_identifiers
from sfumato.document import Document, Outcome, Release, Span, Withheld
from sfumato.errors import Problem, RecipeError, RestoreError
from sfumato.models.chat import Chat
from sfumato.pipeline import Pipeline
from sfumato.recipe import Choice, Recipe
from sfumato.vault import Key, Restorer, Vault
from sfumato.vault.pairs import labels_left

if TYPE_CHECKING:
    from sfumato.batch.guard import Guard

Paths = Iterable[str | Path]


def _ignore(progress: Progress) -> None:
    pass


def detect_files(
    inputs: Paths,
    out: Path,
    recipe: Recipe,
    *,
    columns: Columns | None = None,
    chat: Chat | None = None,
    on_progress: Callable[[Progress], None] = _ignore,
) -> Summary:
    """Write one line of spans for each document (``{"id", "spans"}``) to ``out``."""
    started = monotonic()
    summary = Summary(files=[out])
    roots = [Path(path) for path in inputs]
    sources = find_sources(roots, summary)
    Destination(out).keep_apart(sources, roots)
    _check_asked(chat, recipe, recipe.finding.asking)
    pipeline = Pipeline(recipe.finding, chat=chat)
    pipeline.learn(documents_with_subjects(sources, columns or Columns()))
    with atomic_path(out, CONFIDENTIAL) as temporary, temporary.open("w", encoding="utf-8") as file, SeenIds() as seen:
        files: deque[str] = deque()
        documents = _read(sources, columns or Columns(), summary, seen, on_progress, files)
        for document, spans in pipeline.detect(documents):
            note = partial(Note, files.popleft(), line=document.meta.get("line"), record=document.meta.get("record"))
            language = pipeline.uncovered_language(document)
            failure = pipeline.failed.get(document.id)
            if failure is not None and not pipeline.may_fall_back:
                # Half of the spans, taken for all of them, would let the rest out: whoever wants them says so.
                summary.withhold(note(f"{failure}; no spans are written for it"))
                continue
            if failure is not None:
                summary.fall_back(note(failure))
            if language is not None:
                summary.withhold(note(_language_note(language)))
            summary.released += 1
            summary.labels.update(span.label for span in spans)
            file.write(json.dumps(spans_record(document, spans), ensure_ascii=False) + "\n")
        if not summary.documents:
            raise NothingRead(summary)
    summary.spent, summary.asked, summary.remarks = pipeline.spent, summary.documents, pipeline.remarks
    summary.seconds = monotonic() - started
    return summary


def _language_note(language: str) -> str:
    return f"in a language no active detector covers ({language}): its spans are incomplete"


def _read(
    sources: list[Source],
    columns: Columns,
    summary: Summary,
    seen: SeenIds,
    on_progress: Callable[[Progress], None],
    files: deque[str],
) -> Iterator[Document]:
    """``files``: the files of documents in flight, which are read ahead of their spans."""
    total = sum(source.path.stat().st_size for source in sources)
    done = 0
    for source in sources:
        for document in source.documents(columns, summary.skip, seen):
            summary.read(document, str(source.path))
            done = min(total, done + len(document.text))
            on_progress(Progress(summary.documents, done, total))
            files.append(str(source.path))
            yield document


def anonymize_files(
    inputs: Paths,
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
    guard: Guard | None = None,
    chat: Chat | None = None,
    on_progress: Callable[[Progress], None] = _ignore,
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
    _check_asked(chat, recipe, [*recipe.asking, *(guard.options.asking if guard else ())])
    if jobs > 1 and recipe.asking:
        raise RecipeError("a language model is asked from one process, many questions at once: use --jobs 1")
    checker = _id_checker(recipe)

    def remember(source: Path, content: bytes) -> None:
        if vault is not None and source.suffix.lower() not in TEXT_SUFFIXES:
            vault.record_file(content, source.read_bytes())

    def file_name(source: Source, number: int) -> PurePosixPath:
        telling = checker.is_telling(str(source.relative.with_suffix("")))
        return PurePosixPath(f"file-{number + 1}{source.relative.suffix}") if telling else source.relative

    def remember_name(source: Source, target: Path) -> None:
        if vault is not None:
            vault.record_file(_name_key(target, target.relative_to(out)), str(source.relative).encode())

    destination = Destination(
        out,
        audit,
        file_name,
        on_rendered=remember,
        on_mirrored=remember_name,
        rewrites=recipe.rewrite.use if recipe.rewrite is not None else None,
        confidential=(
            *confidential,
            *([vault.path] if vault else []),
            *([guard.report] if guard and guard.report else []),
        ),
    )
    depends_on = [
        recipe.model_dump(mode="json"),
        spans and (str(spans.absolute()), spans.stat().st_size, spans.stat().st_mtime_ns),
        vault and str(vault.path.absolute()),
        key and key.derive("fingerprint").hex(),
        *(guard.depends_on if guard else ()),
        chat and chat.name,
        recipe.files,
    ]
    with Job(inputs, destination, columns=columns or Columns(), depends_on=depends_on, on_progress=on_progress) as job:
        given = _given(spans, job.summary.skip) if spans else None
        pipeline = Pipeline(recipe, vault=vault, key=key, secret=job.secret, given=given, chat=chat)
        pipeline.learn(documents_with_subjects(job.sources, columns or Columns()))

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
        summary.spent, summary.remarks = pipeline.spent, pipeline.remarks
    if guard is not None and summary.protection is not None:
        released = [path for path in summary.files if path != audit]
        summary.files += guard.write(summary.protection, released, out)
    return summary


def _check_asked(chat: Chat | None, recipe: Recipe, asking: Sequence[str]) -> None:
    if chat is not None and not asking:
        raise RecipeError(
            f"nothing in the recipe {recipe.name!r} asks a language model here, and one was given: leave --chat out, "
            "or choose a method that asks (sfumato methods)"
        )


def _without_identifiers(outcome: Outcome) -> Outcome:
    return outcome if isinstance(outcome, Withheld) else hide_identifiers(outcome)


def _id_checker(recipe: Recipe) -> IdChecker:
    # Rules alone where the recipe has them: a file name has no context for the tagger or a language model to read.
    plain = recipe.plain_detectors
    detectors = [choice for choice in plain if choice.use == "rules"] or plain or [Choice(use="rules")]
    pipeline = Pipeline(
        recipe.with_changes(
            detect=[choice.model_dump() for choice in detectors],
            replace={"default": "suppress"},
            rewrite=None,
            chat=None,
            uncovered="release",
        )
    )

    def detect(document: Document) -> list[Span]:
        return next(pipeline.detect([document]))[1]

    return IdChecker(recipe.ids, detect)


def _given(path: Path, on_problem: OnProblem) -> Callable[[Document], list[Span] | None]:
    """Spans by document id, kept on disk."""
    index = DiskIndex()
    for identifier, spans in read_spans(path, on_problem):
        fields = [
            (span.start, span.end, span.label, span.identifier, span.score, span.source, span.entity) for span in spans
        ]
        if not index.add(identifier, fields):
            on_problem(Problem(path, "an id stands there twice; the first one counts"))

    def lookup(document: Document) -> list[Span] | None:
        found = index.get(document.id)
        return None if found is None else [Span(*fields) for fields in found]

    return lookup


def restore_files(
    inputs: Paths,
    out: Path,
    vault: Vault,
    *,
    columns: Columns | None = None,
    document_id: str | None = None,
    on_progress: Callable[[Progress], None] = _ignore,
) -> Summary:
    """Turn releases back into originals, and replacements in any other text back into the real values.

    ``document_id``: the released id that the texts are about, for texts that do not carry it.
    """
    restorer = Restorer(vault)

    def step(documents: Iterable[Document]) -> Iterator[Result]:
        for position, document in enumerate(documents, start=job.summary.resumed + 1):
            try:
                result = _restored(restorer, document, document_id)
            except RestoreError as error:
                yield Result(Withheld(document, str(error)), "")
                continue
            if isinstance(result.outcome, Release) and (left := labels_left(result.outcome.text)):
                reason = (
                    f"document {position}: {left} labels are not known, or stand for several things; use --document"
                )
                job.summary.skip(Problem(out, reason))
            yield result

    def file_name(source: Source, number: int) -> PurePosixPath:
        known = vault.original_file(_name_key(source.path, source.relative))
        return source.relative if known is None else PurePosixPath(known.decode())

    destination = Destination(out, file_name=file_name, known_file=vault.original_file)
    depends_on = [str(vault.path.absolute()), vault.path.stat().st_mtime_ns, document_id]
    with Job(inputs, destination, columns=columns or Columns(), depends_on=depends_on, on_progress=on_progress) as job:
        return job.run(step)


def _name_key(file: Path, name: PurePath) -> bytes:
    """What the vault keeps a released file's original name under: only this file under this name."""
    with file.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").digest()
    return b"sfumato: original name of\0" + digest + name.as_posix().encode()


def _restored(restorer: Restorer, document: Document, document_id: str | None) -> Result:
    if document_id is None:
        original_id, release = restorer.restore(document)
        return Result(release, original_id)
    return Result(Release(document, restorer.about(document_id, document.text).edits), document.id)
