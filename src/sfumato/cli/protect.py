"""``sfumato protect``: anonymize, attack the releases, and repair them until the target holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sfumato.cli import options, output_paths, render_results
from sfumato.cli.anonymize import Run, RunOptions, read_people
from sfumato.cli.streams import STREAM, StreamFormat, streams
from sfumato.errors import RecipeError
from sfumato.protection.keep import read_keep
from sfumato.protection.target import Options, Target, verifying_attacks
from sfumato.runs.protected import ProtectedRun, corpus_key
from sfumato.scale.storage import Stage, check_local


def protect(
    inputs: options.Inputs,
    out: Annotated[Path, options.option("protect.out")],
    background: options.Background = None,
    k: Annotated[int | None, options.option("protect.k")] = None,
    target_risk: Annotated[float | None, options.option("protect.target-risk")] = None,
    budget: Annotated[float | None, options.option("protect.budget")] = None,
    attacker_knowledge: Annotated[float, options.option("protect.attacker-knowledge", show_default=False)] = 1.0,
    release_anyway: Annotated[bool, options.option("protect.release-anyway")] = False,
    attacks: Annotated[list[str] | None, options.option("protect.attack")] = None,
    keep: Annotated[list[str] | None, options.option("protect.keep")] = None,
    report: Annotated[Path | None, options.option("protect.report")] = None,
    certificate: Annotated[Path | None, options.option("protect.certificate")] = None,
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
            people = read_people(background, columns, corpus_columns)
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
