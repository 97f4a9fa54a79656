"""``sfumato anonymize``: replace personal information. ``sfumato protect`` shares how its run is carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato import recipe as recipes
from sfumato.cli import options, output_paths, render
from sfumato.cli.streams import StreamFormat, streams
from sfumato.document import Outcome, Release
from sfumato.errors import EncryptionKeyError
from sfumato.formats.base import Columns
from sfumato.formats.sources import load
from sfumato.pipeline import Pipeline
from sfumato.progress import OnProgress
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.summary import Summary
from sfumato.scale.engines import open_engine
from sfumato.scale.storage import Stage, check_local
from sfumato.vault.key import Key
from sfumato.vault.store import Vault

if TYPE_CHECKING:
    from sfumato.attacks.background import Background
    from sfumato.runs.protected import ProtectedRun


@dataclass(frozen=True)
class RunOptions:
    """What ``anonymize`` and ``protect`` take alike, beside the model and the columns."""

    recipe: options.RecipeOption = "default"
    spans: Annotated[Path | None, options.option("spans")] = None
    audit: Annotated[Path | None, options.option("audit")] = None
    vault: Annotated[Path | None, options.option("vault")] = None
    key_file: Annotated[Path | None, options.option("key-file")] = None
    keep_column: options.KeepColumn = None
    jobs: options.Jobs = None
    engine: options.EngineOption = None
    staging: options.Staging = None
    preview: Annotated[int, options.option("preview", min=0)] = 0


def anonymize(
    inputs: options.Inputs,
    out: Annotated[Path | None, options.option("anonymize.out")] = None,
    background: Annotated[Path | None, options.option("anonymize.background")] = None,
    *,
    chosen: RunOptions,
    texts: options.TextOptions,
    chat: options.ChatOptions,
    columns: options.CorpusAndBackgroundColumns,
    stream_format: StreamFormat = "txt",
    as_json: options.Json = False,
) -> None:
    """Replace personal information; the released files hold text and nothing that undoes it.

    sfumato protect also attacks the releases and repairs them until a target holds.
    """
    stage = Stage(inputs, out, chosen.staging)
    with streams(stage.inputs, stage.out, stream_format) as (files, target):
        run = Run(files, target, chosen, texts, chat)
        corpus_columns = columns.of_corpus(chosen.keep_column)
        if target is None:
            if not chosen.preview:
                raise typer.BadParameter(
                    "say where the releases go, or use --preview N to look only", param_hint="--out"
                )
            key = Key.load(chosen.key_file) if chosen.key_file and chosen.key_file.exists() else Key.random()
            people = read_people(background, columns, corpus_columns)
            pipeline = Pipeline(run.recipe, key=key, chat=run.chat, background=people)
            if pipeline.reads_corpus:
                pipeline.learn(lambda: load(files, corpus_columns))
            render.preview(pipeline.anonymize(islice(load(files, corpus_columns), chosen.preview)))
            return
        output_paths.check_not_in_release(target, chosen.vault, chosen.key_file)
        output_paths.check_own_files(files, [background, columns.subject_table, target, *run.files])
        people = read_people(background, columns, corpus_columns)
        summary = run.release(corpus_columns, background=people)
        stage.finish(summary)
        run.finish(summary, as_json)


def read_people(
    background: Path | None, columns: options.CorpusAndBackgroundColumns, corpus_columns: Columns
) -> Background | None:
    """What is known of people, with remarks on it printed; None where no background was named."""
    if background is None:
        return None
    from sfumato.attacks.background import as_background
    from sfumato.cli import render_results

    return as_background(background, columns.of_background(), render_results.problem, corpus_columns)


class Run:
    """One run of ``anonymize`` or ``protect``. Raises where a confidential file would lie among inputs or releases."""

    def __init__(
        self,
        inputs: Sequence[Path],
        out: Path | None,
        chosen: RunOptions,
        texts: options.TextOptions,
        chat: options.ChatOptions,
    ) -> None:
        self.inputs = inputs
        self.out = out
        self.options = chosen
        self.recipe = texts.apply(recipes.load(chosen.recipe))
        self.answers = chat.output_files(self.recipe)
        self.chat = chat.open(inputs, out, self.recipe)
        self.files = [chosen.spans, chosen.audit, chosen.vault, chosen.key_file, *self.answers]
        check_local(*self.files)
        self._previewed: list[Release] = []

    def release(
        self,
        columns: Columns,
        protected_run: ProtectedRun | None = None,
        show: OnProgress | None = None,
        background: Background | None = None,
    ) -> Summary:
        """Write the releases; ``protect`` gives ``protected_run``, and ``show`` to display its progress."""
        assert self.out is not None
        key_file = self.options.key_file
        vault, key = _open_vault(self.options.vault, key_file)
        try:
            with open_engine(self.options.engine, self.options.jobs) as engine, render.progress() as on_progress:
                return anonymize_files(
                    self.inputs,
                    self.out,
                    self.recipe,
                    columns=columns,
                    audit=self.options.audit,
                    spans=self.options.spans,
                    vault=vault,
                    key=key,
                    confidential=[*self.answers, *([key_file] if key_file else [])],
                    jobs=(self.options.jobs or 1) if engine is None else 1,
                    engine=engine,
                    protected_run=protected_run,
                    chat=self.chat,
                    background=background,
                    on_progress=show or on_progress,
                    on_outcome=self._keep_for_preview,
                )
        finally:
            if vault:
                vault.close()

    def _keep_for_preview(self, outcome: Outcome) -> None:
        if len(self._previewed) < self.options.preview and isinstance(outcome, Release):
            self._previewed.append(outcome)

    def finish(self, summary: Summary, as_json: bool) -> None:
        """Print the previewed documents and the summary; exits non-zero where something was skipped or withheld."""
        if not as_json:
            for release in self._previewed:
                render.before_and_after(release)
                if summary.protection:
                    from sfumato.cli import render_results

                    render_results.repairs(summary.protection, release.document.id)
            if summary.protection:
                from sfumato.cli import render_results

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
