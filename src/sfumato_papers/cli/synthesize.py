"""``sfumato synthesize``: new records from a language model that was fine-tuned on records, with or without DP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli import options, render, render_results
from sfumato.cli.output_paths import check_own_files
from sfumato.cli.render import say
from sfumato.errors import RecipeError
from sfumato.files import CONFIDENTIAL, atomic_path
from sfumato.models.base import load_embedder
from sfumato.report.html import format_estimate, pluralize
from sfumato_papers.synthesis.causal import SamplingOptions
from sfumato_papers.synthesis.synthesize import Settings, Synthesis, synthesize_file


def synthesize(
    records: Annotated[Path, typer.Argument(metavar="RECORDS", help="A file or folder of original records.")],
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the new records go (.jsonl, .csv ...).")],
    base: Annotated[
        str, typer.Option("--base", metavar="MODEL", help="A causal language model: a folder, .gguf, or hub name.")
    ],
    epsilon: Annotated[
        float, typer.Option("--epsilon", metavar="E", help="The ε of DP-SGD; inf: without differential privacy.")
    ],
    delta: Annotated[
        float | None, typer.Option("--delta", metavar="D", help="The δ that belongs to ε; at most 1 / records.")
    ] = None,
    code_columns: Annotated[
        list[str] | None,
        typer.Option("--code-column", metavar="NAME", help="A column for the control code; may be given again."),
    ] = None,
    codes: Annotated[
        Path | None,
        typer.Option("--codes", metavar="FILE", help="Codes to sample for, one a line, in place of the records'."),
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", metavar="N", min=1, help="How many new records; else as many as there are.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", metavar="FOLDER", help="Confidential: checkpoint and weights; a stopped run goes on from it."
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.json", help="Confidential: ε spent, and what is repeated.")
    ] = None,
    epochs: Annotated[float, typer.Option("--epochs", metavar="N", help="How often the records are read.")] = 5.0,
    batch: Annotated[int, typer.Option("--batch", metavar="N", min=1, help="Records a step; with DP on average.")] = 16,
    rate: Annotated[
        float | None, typer.Option("--rate", metavar="R", help="Peak learning rate; else 5e-5, with DP 1e-4.")
    ] = None,
    micro_batch: Annotated[
        int, typer.Option("--micro-batch", metavar="N", min=1, help="Records in memory at once.")
    ] = 8,
    clip: Annotated[float, typer.Option("--clip", metavar="C", help="With DP: longest gradient of a record.")] = 1.0,
    record_tokens: Annotated[
        int, typer.Option("--record-tokens", metavar="N", min=2, help="Longer records are cut for learning.")
    ] = 512,
    max_tokens: Annotated[int, typer.Option("--max-tokens", metavar="N", min=1, help="Of a new record.")] = 256,
    temperature: Annotated[float, typer.Option("--temperature", metavar="T", help="Of sampling.")] = 1.0,
    top_p: Annotated[
        float, typer.Option("--top-p", metavar="P", help="Of sampling: the likeliest tokens only.")
    ] = 0.95,
    canaries: Annotated[
        int, typer.Option("--canaries", metavar="N", min=0, help="Planted records whose exposure is measured.")
    ] = 0,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Repeatable; with DP it must stay secret.")
    ] = None,
    device: Annotated[str, typer.Option("--device", metavar="NAME", help="cpu or cuda.")] = "cpu",
    embedder: options.Embedder = "default",
    columns: options.CorpusColumns,
    as_json: options.Json = False,
) -> None:
    """Make new records with a language model fine-tuned on yours, with differential privacy if asked."""
    check_own_files([records], [codes, out], report)
    settings = Settings(
        base=base,
        epsilon=epsilon,
        delta=delta,
        code_columns=tuple(code_columns or ()),
        codes=_read_codes(codes) if codes else (),
        count=count,
        epochs=epochs,
        batch=batch,
        rate=rate,
        micro_batch=micro_batch,
        clip=clip,
        record_tokens=record_tokens,
        sampling=SamplingOptions(temperature, top_p, max_tokens),
        canaries=canaries,
        seed=seed,
        device=device,
    )
    with render_results.show_progress() as on_progress:
        synthesis = synthesize_file(
            records,
            out,
            settings,
            embedder=load_embedder(embedder),
            columns=columns.of_corpus(),
            folder=model,
            on_progress=on_progress,
        )
    if report:
        with atomic_path(report, CONFIDENTIAL) as temporary:
            temporary.write_text(json.dumps(synthesis.report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if as_json:
        render.print_json({"out": str(out), **synthesis.report, "problems": list(map(str, synthesis.problems))})
    else:
        _show(synthesis, out)
    render_results.problems(synthesis.problems)
    if any(not problem.is_warning for problem in synthesis.problems):
        raise typer.Exit(1)


def _read_codes(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"--codes {path}: cannot be read ({type(error).__name__}); give a code a line") from None
    codes = tuple(line.strip() for line in lines if line.strip())
    if not codes:
        raise RecipeError(f"--codes {path}: holds no code; give one a line, such as: occupation: judge")
    return codes


def _show(synthesis: Synthesis, out: Path) -> None:
    report = synthesis.report
    say(f"{pluralize(report['synthesized'], 'new record')} from {report['records']:,}: {out}", "bold")
    privacy = report["privacy"]
    if privacy["epsilon"] == "inf":
        say("ε = ∞: trained without differential privacy")
    else:
        say(
            f"ε = {privacy['epsilon']:.4g} at δ = {privacy['delta']:g} for one record, spent in {privacy['steps']:,} "
            f"steps; noise multiplier {privacy['noise_multiplier']:.4g}"
        )
    found = report["memorization"]
    _compare("5-grams of a new record that one record has", found, "ngram_overlap")
    _compare("cosine to the nearest record", found, "nearest_cosine")
    if found["copied"]:
        say(f"copied by half or more: {_estimate(found['copied'])}; verbatim: {found['verbatim']:,}")
    if found.get("exposure"):
        say(
            f"exposure of {found['canaries']} canaries: {_estimate(found['exposure'])} bits of at most "
            f"{found['most_possible']:.0f}; by chance {found['expected_without_training']:.1f}; "
            f"{found['extracted']} stand in a new record"
        )
    for remark in report["remarks"]:
        say(remark, "dim")


def _compare(what: str, found: Mapping[str, Any], key: str) -> None:
    if found[key]:
        among = found[f"{key}_of_records"]
        beside = f"; of the records among each other {_estimate(among)}" if among else ""
        say(f"{what}: {_estimate(found[key])}{beside}")


def _estimate(estimate: Mapping[str, Any]) -> str:
    return "{} [{}, {}]".format(*format_estimate(estimate["value"], estimate["interval"]))
