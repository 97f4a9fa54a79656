"""``sfumato protect``: anonymize, attack the releases, and repair them until the target holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.attacks.background import as_background
from sfumato.cli import options, output_paths, render_results
from sfumato.cli.anonymize import Run, RunOptions
from sfumato.cli.streams import STREAM, StreamFormat, streams
from sfumato.errors import RecipeError
from sfumato.protection.keep import read_keep
from sfumato.protection.target import Options, Target, verifying_attacks
from sfumato.runs.protected import ProtectedRun, corpus_key
from sfumato.scale.storage import Stage, check_local


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
        typer.Option(
            "--attack",
            metavar="NAME",
            help="An attack that verifies the releases; may be given again. chat-link: 2 calls per release.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="WHAT",
            help="Repaired last: labels (.csv: id,label), terms (a text file), an entity type; may be given again.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE.html", help="Confidential: verdict, risk, repairs and their reasons."),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Where the certificate goes (else OUT.certificate.json)."),
    ] = None,
    *,
    chosen: RunOptions,
    texts: options.TextOptions,
    chat: options.ChatOptions,
    columns: options.CorpusAndBackgroundColumns,
    stream_format: StreamFormat = "txt",
    as_json: options.Json = False,
) -> None:
    """Anonymize, attack the releases, and repair them until the target holds.

    Without --background each document is protected among the others of the corpus. What misses the target is
    withheld, unless --release-anyway or --budget alone is given.
    """
    stage = Stage(inputs, out, chosen.staging)
    assert stage.out is not None
    out = stage.out
    with streams(stage.inputs, None, stream_format) as (files, _):
        run = Run(files, out, chosen, texts, chat)
        check_local(background, report, certificate)
        corpus_columns = columns.of_corpus(chosen.keep_column)
        output_paths.check_not_in_release(out, chosen.vault, chosen.key_file, report)
        where = certificate or output_paths.default_certificate(out)
        output_paths.check_own_files(files, [background, columns.subject_table, out, *run.files], report, where)
        with render_results.show_progress() as on_progress:
            if attacks and background is None:
                raise RecipeError(
                    "--attack names who verifies, and verifying takes a background: give --background FILE"
                )
            target = Target.of(k, target_risk, budget, release_anyway=release_anyway)
            loop = Options(
                attacker_knowledge=attacker_knowledge,
                attacks=verifying_attacks(attacks),
                chat=run.chat,
                keep=read_keep(keep or ()),
            )
            people = None
            if background is not None:
                people = as_background(background, columns.of_background(), render_results.problem, corpus_columns)
            kept = None
            if chosen.key_file is None and chosen.vault is None and STREAM not in inputs:
                kept = corpus_key(files, out)
            key = kept and kept[0]
            protected_run = ProtectedRun(target, people, loop, report, where, on_progress, key)
            summary = run.release(corpus_columns, protected_run, on_progress)
            summary.remarks += [_about_key(kept[1])] if kept and kept[2] else []
            stage.finish(summary)
        run.finish(summary, as_json)


def _about_key(path: Path) -> str:
    return (
        f"{path}: the key of these documents, made now. Keep it, and keep it from others: a later release of them made "
        "without it would undo this one, and whoever has it knows at which rank to look"
    )
