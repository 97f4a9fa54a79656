"""``sfumato protect``: anonymize, attack the releases, and repair them until the target holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, output_paths, render_results
from sfumato.cli.anonymize import Audit, Jobs, Preview, Run, Spans
from sfumato.cli.streams import StreamFormat, streams
from sfumato.formats.base import Columns
from sfumato.formats.subject_table import as_subject_table
from sfumato.runs.protected import ProtectedRun


def protect(
    inputs: options.Inputs,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="PATH", help="A folder that mirrors the inputs, or a file such as out.jsonl."),
    ],
    background: options.Background = None,
    k: Annotated[
        int | None,
        typer.Option("--k", metavar="N", help="People who must fit each release as well as its subject does (11)."),
    ] = None,
    target_risk: Annotated[
        float | None,
        typer.Option("--target-risk", metavar="SHARE", help="The same as a chance of being found: 0.09 is 1 in 11."),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option("--budget", metavar="SHARE", help="Most of a document's information that may be lost for it."),
    ] = None,
    attacker_knowledge: Annotated[
        float,
        typer.Option(
            "--attacker-knowledge",
            metavar="FACTOR",
            show_default=False,
            help="How many times as much as the background the attacker knows.",
        ),
    ] = 1.0,
    release_anyway: Annotated[
        bool, typer.Option("--release-anyway", help="Also release what misses the target; it is counted and reported.")
    ] = False,
    attacks: Annotated[
        list[str] | None,
        typer.Option("--attack", metavar="NAME", help="An attack that verifies the releases; may be given again."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE.html", help="Confidential: verdict, risk, repairs and their reasons."),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Where the certificate goes (else OUT.certificate.json)."),
    ] = None,
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
    background_id: options.BackgroundId = None,
    background_text: options.BackgroundText = None,
    keep_column: options.KeepColumn = None,
    jobs: Jobs = 1,
    preview: Preview = 0,
    stream_format: StreamFormat = "txt",
    as_json: options.Json = False,
) -> None:
    """Anonymize, attack the releases, and repair them until the target holds.

    Without --background each document is protected among the others of the corpus. What misses the target is
    withheld, unless --release-anyway or --budget alone is given.
    """
    with streams(inputs, None, stream_format) as (files, _):
        run = Run.of(files, out, recipe, chat, chat_cache, chat_key, preview)
        columns = Columns(
            id_column, text_column, tuple(keep_column or ()), subjects_column, as_subject_table(subject_table)
        )
        output_paths.check_not_in_release(out, vault, key_file, report)
        where = certificate or output_paths.default_certificate(out)
        others = [background, subject_table, spans, out, audit, vault, key_file, *run.answers]
        output_paths.check_own_files(files, others, report, where)
        with render_results.show_progress() as on_progress:
            protected_run = ProtectedRun.from_options(
                background,
                Columns(background_id, background_text or "text"),
                k=k,
                target_risk=target_risk,
                budget=budget,
                attacker_knowledge=attacker_knowledge,
                release_anyway=release_anyway,
                attacks=attacks,
                chat=run.chat,
                report=report,
                certificate=where,
                originals=columns,
                on_progress=on_progress,
                on_problem=render_results.problem,
            )
            summary = run.release(columns, audit, spans, vault, key_file, jobs, protected_run, on_progress)
        run.finish(summary, as_json)
