"""``sfumato compare``: its options, and what it writes beside the table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, output_paths, render, render_results
from sfumato.comparison.compare import compare_methods
from sfumato.comparison.correlation import check_correlated, correlate
from sfumato.comparison.page import page
from sfumato.errors import NotMeasurable


def compare(
    originals: options.Originals,
    methods: Annotated[list[str], options.option("compare.method")],
    report: Annotated[Path, options.option("compare.report")],
    *,
    chosen: options.MetricOptions,
    privacy: Annotated[str | None, options.option("compare.privacy")] = None,
    utility: Annotated[str | None, options.option("compare.utility")] = None,
    correlated: Annotated[list[str] | None, options.option("compare.correlate")] = None,
    chats: Annotated[list[str] | None, options.option("compare.chat")] = None,
    repeats: Annotated[int, options.option("compare.repeat", min=1)] = 1,
    judge: Annotated[str | None, options.option("compare.judge")] = None,
    chat_cache: options.ChatCache = None,
    chat_key: options.ChatKey = None,
    to_csv: options.ToCsv = None,
    per_document: options.PerDocument = None,
    cache: Annotated[Path | None, options.option("compare.cache")] = None,
    columns: options.CorpusAndBackgroundColumns,
    as_json: options.Json = False,
) -> None:
    """Compare methods on the same documents: a table, and a page with a plot."""
    pairs = [_pair(text) for text in correlated or ()]
    check_correlated(pairs, chosen.metrics)
    named = [*(chats or ()), *([judge] if judge else ())]
    models = options.open_chats(named, chat_cache, chat_key, [originals])
    with render_results.show_progress() as on_progress:
        comparison = compare_methods(
            originals,
            methods,
            cache=cache,
            columns=columns.of_corpus(),
            chats=models[: len(chats or ())],
            chat=models[-1] if judge else None,
            repeats=repeats,
            background_columns=columns.of_background(),
            on_progress=on_progress,
            **chosen.arguments(),
        )
    if not comparison.attacks and not any(measurement.scores for measurement in comparison.measurements.values()):
        render_results.table(comparison.measurements)
        raise NotMeasurable("nothing could be measured; the reasons are listed above")
    correlations = [correlate(comparison, *pair) for pair in pairs]
    output_paths.write_page(report, page(comparison, privacy, utility, correlations))
    output_paths.write_tables("method", comparison.measurements, comparison.rows(), to_csv, per_document)
    if as_json:
        told = {"correlations": [found.to_json() for found in correlations]} if correlations else {}
        render.print_json(comparison.to_json() | told)
    else:
        render_results.side_by_side(comparison.attacks)
        render_results.table(comparison.measurements, by_type=bool(chosen.metrics))
        render_results.correlations(correlations)
        render.costs(comparison.costs)
        render.say_written(report, to_csv, per_document)
    render_results.finish(comparison.problems, comparison.measurements if chosen.metrics else {})


def _pair(text: str) -> tuple[str, str]:
    first, comma, second = (part.strip() for part in text.partition(","))
    if not (first and comma and second):
        raise typer.BadParameter(f"{text}: write two metrics, such as tps,nmi", param_hint="--correlate")
    return first, second
