"""``sfumato anonymize``: its options, and what is made before and after the run."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from sfumato import recipe as recipes
from sfumato.cli import options, output_paths, render, render_results
from sfumato.cli.options import chat_files
from sfumato.cli.options import opened as opened_chat
from sfumato.cli.render import finish
from sfumato.document import Outcome, Release
from sfumato.errors import KeyProblem, RecipeError
from sfumato.formats.base import Columns
from sfumato.formats.sources import load
from sfumato.formats.subject_table import as_about
from sfumato.pipeline import Pipeline
from sfumato.runs.anonymize import anonymize_files
from sfumato.vault.ledger import Key
from sfumato.vault.store import Vault


def anonymize(
    inputs: options.Inputs,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="A folder that mirrors the inputs, or a file such as out.jsonl."),
    ] = None,
    recipe: options.RecipeOption = "default",
    spans: Annotated[
        Path | None,
        typer.Option("--spans", metavar="FILE", help="Take the spans from this file (of detect, or masks) instead."),
    ] = None,
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
    foresight: Annotated[
        float | None,
        typer.Option("--foresight", metavar="FACTOR", help="The attacker has read so many times as much as we have."),
    ] = None,
    insist: Annotated[
        bool, typer.Option("--insist", help="Release what misses the target as well; it is counted and said.")
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
    audit: Annotated[
        Path | None,
        typer.Option(
            "--audit", metavar="FILE", help="Confidential: what was changed and why (.jsonl, or .masks.json)."
        ),
    ] = None,
    chat: options.ChatOption = None,
    chat_cache: options.ChatCache = None,
    chat_key: options.ChatKey = None,
    vault: options.VaultOption = None,
    key_file: options.KeyFile = None,
    text_column: options.TextColumn = "text",
    id_column: options.IdColumn = None,
    subjects_column: options.SubjectsColumn = "subjects",
    about: options.About = None,
    background_id: options.BackgroundId = None,
    background_text: options.BackgroundText = None,
    keep_column: options.KeepColumn = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="How many processes share the work.")] = 1,
    preview: Annotated[
        int, typer.Option("--preview", metavar="N", min=0, help="Show the first N documents before and after.")
    ] = 0,
    as_json: options.Json = False,
) -> None:
    """Replace personal information. The released files hold text and nothing that undoes it.

    With --background, --k, --target-risk, --budget or --foresight the releases are attacked and repaired, too.
    """
    loaded = recipes.load(recipe)
    answers = chat_files(chat or (loaded.chat if loaded.asking else None), chat_cache, chat_key)
    output_paths.keep_aside(inputs, out, *answers)
    model = opened_chat(chat or (loaded.chat if chat_cache else None), chat_cache, chat_key)
    columns = Columns(id_column, text_column, tuple(keep_column or ()), subjects_column, as_about(about))
    protecting = background is not None or any(one is not None for one in (k, target_risk, budget, foresight))
    if not protecting and (report or certificate or insist or attacks):
        raise RecipeError(
            "--report, --certificate, --insist and --attack belong to a protected release: give --background FILE "
            "(what an attacker knows), or --k N to do without one"
        )
    if out is None:
        if protecting:
            raise typer.BadParameter("a protected release needs a place to go", param_hint="--out")
        if not preview:
            raise typer.BadParameter("say where the releases go, or use --preview N to look only", param_hint="--out")
        looking = Key.load(key_file) if key_file and key_file.exists() else Key.random()
        pipeline = Pipeline(loaded, key=looking, chat=model)
        render.preview(pipeline.anonymize(islice(load(inputs, columns), preview)))
        return
    output_paths.keep_apart(out, vault, key_file, report)
    where = (certificate or output_paths.beside(out)) if protecting else None
    output_paths.keep_off(inputs, [background, about, spans, out, audit, vault, key_file, *answers], report, where)
    shown: list[Release] = []

    def look(outcome: Outcome) -> None:
        if len(shown) < preview and isinstance(outcome, Release):
            shown.append(outcome)

    with render_results.protection_progress() as on_step:
        guard = None
        if protecting:
            from sfumato.runs.protected import Guard

            guard = Guard.of(
                background,
                Columns(background_id, background_text or "text"),
                k=k,
                target_risk=target_risk,
                budget=budget,
                foresight=foresight,
                insist=insist,
                attacks=attacks,
                chat=model,
                report=report,
                certificate=where,
                originals=columns,
                on_step=on_step,
                on_problem=render_results.problem,
            )
        opened, key = _open(vault, key_file)
        try:
            with render.progress() as on_progress:
                summary = anonymize_files(
                    inputs,
                    out,
                    loaded,
                    columns=columns,
                    audit=audit,
                    spans=spans,
                    vault=opened,
                    key=key,
                    confidential=[*answers, *([key_file] if key_file else [])],
                    jobs=jobs,
                    guard=guard,
                    chat=model,
                    on_progress=on_progress if guard is None else render_results.reading(on_step),
                    on_outcome=look,
                )
        finally:
            if opened:
                opened.close()
    if not as_json:
        for release in shown:
            render.before_and_after(release)
            if summary.protection:
                render_results.repairs(summary.protection, release.document.id)
        if summary.protection:
            render_results.protection(summary.protection)
    finish(summary, "released", as_json)


def _open(vault: Path | None, key_file: Path | None) -> tuple[Vault | None, Key | None]:
    if vault is None:
        return None, _key(key_file)
    if key_file is None:
        raise KeyProblem("a vault needs a key: pass --key-file FILE (a new FILE is made together with a new vault)")
    opened = Vault.open(vault, key_file)
    return opened, opened.key


def _key(key_file: Path | None) -> Key | None:
    if key_file is None:
        return None
    return Key.load(key_file) if key_file.exists() else Key.create(key_file)
