"""``sfumato frontier``: what each target costs a corpus, as a table and as a curve to choose from by looking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sfumato.attacks.background import as_background
from sfumato.attacks.risk import STRONG_RISK
from sfumato.cli import options, output_paths, render, render_results
from sfumato.cli.render import say
from sfumato.errors import Problem, RecipeError
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


def frontier(
    originals: options.Originals,
    background: options.KnownBackground,
    releases: Annotated[Path | None, options.option("frontier.releases")] = None,
    recipe: Annotated[str | None, options.option("frontier.recipe")] = None,
    ks: Annotated[
        list[int] | None,
        typer.Option("--k", metavar="N", help=f"A target; may be given again. Else {', '.join(map(str, KS))}."),
    ] = None,
    report: Annotated[Path | None, options.option("frontier.report")] = None,
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
        people = as_background(background, columns.of_background(), problems.append, corpus_columns)
        points = frontier_of_corpus(
            originals,
            people,
            recipe=recipe or "default",
            releases=releases,
            ks=ks or None,
            options=Options(scorer=scorer, embedder=embedder, chat=model),
            columns=corpus_columns,
            on_progress=on_progress,
            on_problem=problems.append,
        )
    origin = "as they were given" if releases else f"as the recipe {recipe or 'default'} releases them"
    heading = (
        f"{points[0].n:,} documents and {len(people):,} people to choose among. The start: {origin}, before any repair."
    )
    if report:
        output_paths.write_page(report, frontier_page(points, about=heading))
    if as_json:
        answer = {
            "points": [asdict(point) for point in points],
            "people": len(people),
            "problems": [str(problem) for problem in problems],
        }
        render.print_json(answer)
    else:
        _show(points, heading)
        if report:
            render.say_written(report)
    render_results.finish(problems)


def _show(points: Sequence[FrontierPoint], about: str) -> None:
    say(about, "bold")
    say()
    columns = ("k", "risk ↓", "95 % interval", "attack", "kept ↑", "95 % interval", "withheld")
    rows = [
        (
            point.name if point.k is None else f"{point.k:,}",
            (format_percent_column(point.risk), "" if point.risk > STRONG_RISK else "bold"),
            render_results.format_interval(point.risk_interval),
            point.attack,
            format_percent_column(point.kept),
            render_results.format_interval(point.kept_interval),
            f"{point.withheld:,} of {point.withheld + point.n:,}",
        )
        for point in points
    ]
    render.show_table(*columns, rows=rows, right=set(columns) - {"attack"}, dim=("95 % interval",))
    say()
    say(_advice(points), "dim")
    say(
        "risk: how many people the strongest attack finds that the repairs did not look at; kept: information (TPS); "
        "both of what is released, so where documents are withheld the others look the better for it",
        "dim",
    )


def _advice(points: Sequence[FrontierPoint]) -> str:
    """As the page has it."""
    chosen = recommend_point(points)
    if chosen is None:
        return f"the line is {format_percent(STRONG_RISK)}; {why_none(points)}"
    best, is_sure = chosen
    advice = f"the most useful point below {format_percent(STRONG_RISK)}: {best.name}, which {describe_cost(best)}"
    return advice if is_sure else f"{advice}; {describe_uncertainty(best)}"
