"""``sfumato frontier``: what each target costs a corpus, as a table and as a curve to choose from by looking."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sfumato.attacks.background import as_background
from sfumato.attacks.risk import STRONG_RISK
from sfumato.cli import options, render_results
from sfumato.errors import Problem, RecipeError
from sfumato.formats.files import atomic_path
from sfumato.progress import Progress
from sfumato.protection.frontier import KS, frontier_of_corpus
from sfumato.protection.pages import (
    describe_cost,
    describe_uncertainty,
    frontier_page,
    recommend_point,
    why_none,
)
from sfumato.protection.records import FrontierPoint
from sfumato.protection.target import SCORER, Options
from sfumato.report.html import format_percent, format_percent_column

_out = Console()


def frontier(
    originals: options.Originals,
    background: options.KnownBackground,
    releases: Annotated[
        Path | None,
        typer.Option("--releases", metavar="FILE", help="Start from these releases or masks, not from a recipe's."),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", metavar="NAME|FILE", help="Start from what this recipe releases (default)."),
    ] = None,
    ks: Annotated[
        list[int] | None,
        typer.Option("--k", metavar="N", help=f"A target; may be given again. Else {', '.join(map(str, KS))}."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Draw the curve on a page of its own.")
    ] = None,
    scorer: options.Scorer = SCORER,
    embedder: options.Embedder = "default",
    *,
    chat: options.ChatOptions,
    columns: options.CorpusAndBackgroundColumns,
    as_json: options.Json = False,
) -> None:
    """Show how much risk and how much information each target leaves."""
    if releases is not None and recipe is not None:
        raise RecipeError("--releases and --recipe both say what to start from: give one of them")
    problems: list[Problem] = []
    corpus_columns = columns.of_corpus()
    model = chat.open([originals] if releases is None else [originals, releases])
    with render_results.show_progress() as on_progress:
        on_progress(Progress("reading"))
        known = as_background(background, columns.of_background(), problems.append, corpus_columns)
        points = frontier_of_corpus(
            originals,
            known,
            recipe=recipe or "default",
            releases=releases,
            ks=ks or None,
            options=Options(scorer=scorer, embedder=embedder, chat=model),
            columns=corpus_columns,
            on_progress=on_progress,
            on_problem=problems.append,
        )
    heading = _about(points, len(known), f"the recipe {recipe or 'default'}" if releases is None else "")
    if report:
        with atomic_path(report) as temporary:
            temporary.write_text(frontier_page(points, about=heading), encoding="utf-8")
    if as_json:
        answer = {
            "points": [asdict(point) for point in points],
            "people": len(known),
            "problems": [str(problem) for problem in problems],
        }
        typer.echo(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        _show(points, heading)
        if report:
            typer.echo(f"written: {report}")
    render_results.problems(problems)
    if any(not problem.is_warning for problem in problems):
        raise typer.Exit(1)


def _about(points: Sequence[FrontierPoint], people: int, recipe: str) -> str:
    origin = f"as {recipe} releases them" if recipe else "as they were given"
    return f"{points[0].n:,} documents and {people:,} people to choose among. The start: {origin}, before any repair."


def _show(points: Sequence[FrontierPoint], about: str) -> None:
    _out.print(Text(about, style="bold"), soft_wrap=True)
    _out.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("k", justify="right")
    table.add_column("risk ↓", justify="right")
    table.add_column("95 % interval", justify="right", style="dim")
    table.add_column("attack")
    table.add_column("kept ↑", justify="right")
    table.add_column("95 % interval", justify="right", style="dim")
    table.add_column("withheld", justify="right")
    for point in points:
        table.add_row(
            point.name if point.k is None else f"{point.k:,}",
            Text(format_percent_column(point.risk), style="" if point.risk > STRONG_RISK else "bold"),
            _interval(*map(format_percent_column, point.risk_interval)),
            point.attack,
            format_percent_column(point.kept),
            _interval(*map(format_percent_column, point.kept_interval)),
            f"{point.withheld:,} of {point.withheld + point.n:,}",
        )
    _out.print(table)
    _out.print()
    for line in (
        _advice(points),
        "risk: how many people the strongest attack finds that the repairs did not look at; kept: information (TPS); "
        "both of what is released, so where documents are withheld the others look the better for it",
    ):
        _out.print(Text(line, style="dim"), soft_wrap=True)


def _advice(points: Sequence[FrontierPoint]) -> str:
    """As the page has it."""
    chosen = recommend_point(points)
    if chosen is None:
        return f"the line is {format_percent(STRONG_RISK)}; {why_none(points)}"
    best, is_sure = chosen
    advice = f"the most useful point below {format_percent(STRONG_RISK)}: {best.name}, which {describe_cost(best)}"
    return advice if is_sure else f"{advice}; {describe_uncertainty(best)}"


def _interval(low: str, high: str) -> str:
    return f"{low} – {high}"
