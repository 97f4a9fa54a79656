"""``sfumato measure``: its options, and what it writes beside the table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from sfumato.cli import options, render, render_results
from sfumato.cli.output_paths import check_answers_apart, write_csv, write_values
from sfumato.cli.render import say
from sfumato.errors import NotMeasurable
from sfumato.metrics.run import Measurement, measure_each

FIELDS = ("release", "family", "metric", "value", "low", "high", "n", "higher_is_better", "settings")


def measure(
    originals: options.Originals,
    releases: Annotated[list[Path], options.argument("measure.releases")],
    *,
    chosen: options.MetricOptions,
    chat: options.ChatOptions,
    adversaries: Annotated[list[str] | None, options.option("measure.adversary")] = None,
    authors_compat: Annotated[bool, options.option("measure.authors-compat")] = False,
    synthesized: Annotated[bool, options.option("measure.synthesized")] = False,
    show_claims: Annotated[list[str] | None, options.option("measure.show-claims")] = None,
    per_document: options.PerDocument = None,
    to_csv: options.ToCsv = None,
    columns: options.CorpusAndBackgroundColumns,
    as_json: options.Json = False,
) -> None:
    """Measure how private and how useful releases are."""
    model = chat.open([originals, *releases])
    others = adversaries or []
    for spec in others:
        kept = options.chat_output_files(spec, chat.chat_cache, chat.chat_key)
        check_answers_apart([originals, *releases], None, *kept)
    with render_results.show_progress() as on_progress:
        measured = measure_each(
            originals,
            options.name_releases(releases),
            chat=model,
            adversaries=options.open_chats(others, chat.chat_cache, chat.chat_key) if others else (),
            authors_compat=authors_compat,
            synthesized=synthesized,
            show_claims=show_claims or (),
            columns=columns.of_corpus(),
            background_columns=columns.of_background(),
            on_progress=on_progress,
            **chosen.arguments(),
        )
    if to_csv:
        write_csv(to_csv, FIELDS, _rows(measured))
    if per_document:
        write_values(per_document, "release", measured)
    if as_json:
        results = {name: measurement.to_json() for name, measurement in measured.items()}
        render.print_json({"releases": results} if len(results) > 1 else next(iter(results.values())))
    else:
        render_results.table(measured)
        if chosen.metrics:
            render_results.by_type(measured)
        for name, measurement in measured.items():
            render_results.adversaries(measurement.adversaries.values(), name if len(measured) > 1 else "")
            for record in measurement.records:
                for line in record.lines(name if len(measured) > 1 else ""):
                    say(Text.assemble(*line))
    for measurement in measured.values():
        render.lines({name: score.cost for name, score in measurement.scores.items()})
    problems = list(dict.fromkeys(problem for measurement in measured.values() for problem in measurement.problems))
    render_results.problems(problems)
    if not any(measurement.scores for measurement in measured.values()):
        raise NotMeasurable("nothing could be measured; the reasons are listed above")
    failed = any(not problem.is_warning for problem in problems)
    if failed or (chosen.metrics and any(measurement.refused for measurement in measured.values())):
        raise typer.Exit(1)


def _rows(measured: Mapping[str, Measurement]) -> Iterable[Sequence[object]]:
    for release, measurement in measured.items():
        for name, score in measurement.scores.items():
            settings = json.dumps(dict(score.settings), ensure_ascii=False, default=str)
            better = "true" if score.higher_is_better else "false"
            yield release, measurement.families[name], name, score.value, *score.interval, score.n, better, settings
