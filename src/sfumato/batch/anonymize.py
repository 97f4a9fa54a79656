"""Documents in, releases out: the recipe, the loop where there is a guard, ids and file names, the vault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from sfumato.batch.destination import Destination
from sfumato.batch.detect import check_asked
from sfumato.batch.ids import IdChecker, id_checker, name_key
from sfumato.batch.job import Job, OnProgress, Result
from sfumato.batch.parallel import Setup, anonymize_in_processes
from sfumato.batch.subjects import documents_with_subjects
from sfumato.batch.summary import Summary
from sfumato.corpus import TEXT_SUFFIXES, Columns, Source
from sfumato.corpus.identifiers import hide_identifiers
from sfumato.corpus.spans import spans_on_disk
from sfumato.document import Document, Outcome, Withheld
from sfumato.errors import Problem, RecipeError
from sfumato.models.chat import Chat
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.vault import Key, Vault

if TYPE_CHECKING:
    from sfumato.batch.guard import Guard


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
    guard: Guard | None = None,
    chat: Chat | None = None,
    on_progress: OnProgress = lambda progress: None,
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
        for problem in columns.about.unmatched(told()) if columns.about else ():
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
        summary.spent, summary.remarks = pipeline.spent, pipeline.remarks
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
