"""``sfumato anonymize``: replace personal information. ``sfumato protect`` shares how its run is carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato import recipe as recipes
from sfumato.cli import options, output_paths, render, render_results
from sfumato.cli.streams import StreamFormat, streams
from sfumato.document import Outcome, Release
from sfumato.errors import EncryptionKeyError
from sfumato.formats.base import Columns
from sfumato.formats.sources import load
from sfumato.formats.subject_table import as_subject_table
from sfumato.llm.chat import Chat
from sfumato.pipeline import Pipeline
from sfumato.progress import OnProgress
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.summary import Summary
from sfumato.vault.ledger import Key
from sfumato.vault.store import Vault

if TYPE_CHECKING:
    from sfumato.runs.protected import ProtectedRun

Out = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="PATH", help="A folder that mirrors the inputs, or a file such as out.jsonl; - prints it."
    ),
]
Spans = Annotated[
    Path | None,
    typer.Option("--spans", metavar="FILE", help="Take the spans from this file (of detect, or masks) instead."),
]
Audit = Annotated[
    Path | None,
    typer.Option("--audit", metavar="FILE", help="Confidential: what was changed and why (.jsonl, or .masks.json)."),
]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="How many processes share the work.")]
Preview = Annotated[
    int, typer.Option("--preview", metavar="N", min=0, help="Show the first N documents before and after.")
]


def anonymize(
    inputs: options.Inputs,
    out: Out = None,
    recipe: options.RecipeOption = "default",
    spans: Spans = None,
    audit: Audit = None,
    chat: options.ChatOption = None,
    chat_cache: options.ChatCache = None,
    chat_key: options.ChatKey = None,
    vault: options.VaultOption = None,
    key_file: options.KeyFile = None,
    text_column: options.TextColumn = "text",
    id_column: options.IdColumn = None,
    subjects_column: options.SubjectsColumn = "subjects",
    subject_table: options.SubjectTableOption = None,
    keep_column: options.KeepColumn = None,
    jobs: Jobs = 1,
    preview: Preview = 0,
    stream_format: StreamFormat = "txt",
    as_json: options.Json = False,
) -> None:
    """Replace personal information; the released files hold text and nothing that undoes it.

    sfumato protect also attacks the releases and repairs them until a target holds.
    """
    with streams(inputs, out, stream_format) as (files, target):
        run = Run.of(files, target, recipe, chat, chat_cache, chat_key, preview)
        columns = Columns(
            id_column, text_column, tuple(keep_column or ()), subjects_column, as_subject_table(subject_table)
        )
        if target is None:
            if not preview:
                raise typer.BadParameter(
                    "say where the releases go, or use --preview N to look only", param_hint="--out"
                )
            key = Key.load(key_file) if key_file and key_file.exists() else Key.random()
            pipeline = Pipeline(run.recipe, key=key, chat=run.chat)
            render.preview(pipeline.anonymize(islice(load(files, columns), preview)))
            return
        output_paths.check_not_in_release(target, vault, key_file)
        output_paths.check_own_files(files, [subject_table, spans, target, audit, vault, key_file, *run.answers])
        summary = run.release(columns, audit, spans, vault, key_file, jobs)
        run.finish(summary, as_json)


@dataclass
class Run:
    """What ``anonymize`` and ``protect`` have in common: inputs, recipe and model, and the documents to preview."""

    inputs: Sequence[Path]
    out: Path | None
    recipe: recipes.Recipe
    chat: Chat | None
    answers: Sequence[Path]
    """Files that hold the model's answers or their key: confidential."""
    preview: int

    @classmethod
    def of(
        cls,
        inputs: Sequence[Path],
        out: Path | None,
        recipe: str,
        chat: str | None,
        chat_cache: Path | None,
        chat_key: Path | None,
        preview: int,
    ) -> Run:
        """From what the options say; checks that no confidential file lies among inputs or releases."""
        loaded = recipes.load(recipe)
        answers = options.chat_output_files(chat or (loaded.chat if loaded.asking else None), chat_cache, chat_key)
        output_paths.check_answers_apart(inputs, out, *answers)
        model = options.open_chat_option(chat or (loaded.chat if chat_cache else None), chat_cache, chat_key)
        return cls(inputs, out, loaded, model, answers, preview)

    def __post_init__(self) -> None:
        self._previewed: list[Release] = []

    def release(
        self,
        columns: Columns,
        audit: Path | None,
        spans: Path | None,
        vault: Path | None,
        key_file: Path | None,
        jobs: int = 1,
        protected_run: ProtectedRun | None = None,
        show: OnProgress | None = None,
    ) -> Summary:
        """Write the releases; ``protect`` gives ``protected_run``, and ``show`` to display its progress."""
        assert self.out is not None
        opened, key = _open_vault(vault, key_file)
        try:
            with render.progress() as on_progress:
                return anonymize_files(
                    self.inputs,
                    self.out,
                    self.recipe,
                    columns=columns,
                    audit=audit,
                    spans=spans,
                    vault=opened,
                    key=key,
                    confidential=[*self.answers, *([key_file] if key_file else [])],
                    jobs=jobs,
                    protected_run=protected_run,
                    chat=self.chat,
                    on_progress=show or on_progress,
                    on_outcome=self._keep_for_preview,
                )
        finally:
            if opened:
                opened.close()

    def _keep_for_preview(self, outcome: Outcome) -> None:
        if len(self._previewed) < self.preview and isinstance(outcome, Release):
            self._previewed.append(outcome)

    def finish(self, summary: Summary, as_json: bool) -> None:
        """Print the previewed documents and the summary; exits non-zero where something was skipped or withheld."""
        if not as_json:
            for release in self._previewed:
                render.before_and_after(release)
                if summary.protection:
                    render_results.repairs(summary.protection, release.document.id)
            if summary.protection:
                render_results.protection(summary.protection)
        render.finish(summary, "released", as_json)


def _open_vault(vault: Path | None, key_file: Path | None) -> tuple[Vault | None, Key | None]:
    if vault is not None:
        if key_file is None:
            raise EncryptionKeyError(
                "a vault needs a key: pass --key-file FILE (a new FILE is made together with a new vault)"
            )
        opened = Vault.open(vault, key_file)
        return opened, opened.key
    if key_file is None:
        return None, None
    return None, Key.load(key_file) if key_file.exists() else Key.create(key_file)
