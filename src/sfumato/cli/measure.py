"""``sfumato measure``: its options, and what it writes beside the table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from rich.text import Text

from sfumato.cli import options, render, render_results
from sfumato.cli.output_paths import write_tables
from sfumato.cli.render import say
from sfumato.errors import NotMeasurable
from sfumato.metrics.measurement import Measurement
from sfumato.metrics.run import measure_each


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
    sources = [originals, *releases]
    model = chat.open(sources)
    others = options.open_chats(adversaries, chat.chat_cache, chat.chat_key, sources) if adversaries else []
    with render_results.show_progress() as on_progress:
        measured = measure_each(
            originals,
            options.name_releases(releases),
            chat=model,
            adversaries=others,
            authors_compat=authors_compat,
            synthesized=synthesized,
            show_claims=show_claims or (),
            columns=columns.of_corpus(),
            background_columns=columns.of_background(),
            on_progress=on_progress,
            **chosen.arguments(),
        )
    rows = (row for name, measurement in measured.items() for row in measurement.rows(name))
    write_tables("release", measured, rows, to_csv, per_document)
    if as_json:
        results = {name: measurement.to_json() for name, measurement in measured.items()}
        render.print_json({"releases": results} if len(results) > 1 else next(iter(results.values())))
    else:
        _show(measured, by_type=bool(chosen.metrics))
    for measurement in measured.values():
        render.lines({name: score.cost for name, score in measurement.scores.items()})
    problems = list(dict.fromkeys(problem for measurement in measured.values() for problem in measurement.problems))
    if not any(measurement.scores for measurement in measured.values()):
        render_results.problems(problems)
        raise NotMeasurable("nothing could be measured; the reasons are listed above")
    render_results.finish(problems, measured if chosen.metrics else {})


def _show(measured: Mapping[str, Measurement], *, by_type: bool) -> None:
    render_results.table(measured, by_type=by_type)
    for name, measurement in measured.items():
        release = name if len(measured) > 1 else ""
        render_results.adversaries(measurement.adversaries.values(), release)
        for line in (line for record in measurement.records for line in record.lines(release)):
            say(Text.assemble(*line))
