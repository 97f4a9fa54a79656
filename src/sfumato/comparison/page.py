"""The comparison as one self-contained HTML file. It quotes and names no document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from sfumato.attacks.risk import STRONG_RISK, AnyAttackRisk, AttackReport, LinkageRisk, headline
from sfumato.comparison.compare import Comparison, plot_methods
from sfumato.comparison.correlation import MetricCorrelation
from sfumato.document import Score
from sfumato.errors import NotMeasurable
from sfumato.llm.usage import Cost
from sfumato.metrics.measurement import by_family, by_reason, models_of, tables_by_type
from sfumato.report.html import cell, format_estimate, format_percent, html_page, row, table
from sfumato.version import __version__


def page(
    comparison: Comparison,
    privacy: str | None = None,
    utility: str | None = None,
    correlations: Sequence[MetricCorrelation] = (),
) -> str:
    parts = [
        "<h1>Methods compared</h1>",
        f'<p class="quiet">{comparison.documents:,} documents, {len(comparison.measurements)} methods. '
        f"Sfumato {__version__}.</p>",
        *_headlines(_first_runs(comparison), comparison.runs),
        *_plot(comparison, privacy, utility),
        *_attacks(_first_runs(comparison), comparison.runs),
        *_figures(comparison),
        *_by_type(comparison),
        *_correlations(correlations),
        *_runs(comparison),
        *_costs(comparison),
        *_not_measured(comparison),
        *_reading(comparison),
    ]
    return html_page("methods compared", parts)


def _first_runs(comparison: Comparison) -> dict[str, AttackReport]:
    """One attack report per method: of several runs the first (the JSON has them all)."""
    later = {name for names in comparison.runs.values() for name in names[1:]}
    return {name: report for name, report in comparison.attacks.items() if name not in later}


def _headlines(attacks: Mapping[str, AttackReport], runs: Mapping[str, Sequence[str]]) -> Iterator[str]:
    if attacks:
        yield "<ul>"
        for name, report in attacks.items():
            which = f" (the first of {len(runs[name])} runs)" if name in runs else ""
            yield f"<li><b>{escape(name)}{which}.</b> {escape(headline(report))}</li>"
        yield "</ul>"


def _plot(comparison: Comparison, privacy: str | None, utility: str | None) -> Iterator[str]:
    yield "<h2>Privacy and utility</h2>"
    try:
        svg, shown = plot_methods(comparison, privacy, utility)
    except NotMeasurable as reason:
        yield f'<p class="quiet">No plot: {escape(str(reason))}.</p>'
        return
    yield svg
    missing = [name for name in comparison.measurements if name not in shown]
    lacking = f" Not shown, because one of the two was not measured: {escape(', '.join(missing))}." if missing else ""
    order = " A line goes through one method with several language models, from the first that was given to the last."
    yield f'<p class="quiet">Bars are 95 % intervals.{order * bool(comparison.by_model)}{lacking}</p>'


def _attacks(attacks: Mapping[str, AttackReport], runs: Mapping[str, Sequence[str]]) -> Iterator[str]:
    if not attacks:
        return
    names = list(dict.fromkeys(name for report in attacks.values() for name in report.attacks))
    first = next(iter(attacks.values()))
    yield "<h2>Who can be found, by which attack</h2>"
    rows = [row(name, [_share(report.attacks[name]) for report in attacks.values()]) for name in names]
    rows.append(row("any of them", [_share(report.any) for report in attacks.values()]))
    yield from table(["attack", *attacks], rows)
    yield (
        f'<p class="quiet">Share of releases whose person is the attack’s first guess among {first.people:,} people; '
        f"guessing alone finds {format_percent(1 / first.people)}, by any of {len(names)} attacks "
        f"{format_percent(first.any.chance)}. In red: above {format_percent(STRONG_RISK)}.</p>"
    )
    if runs:
        yield '<p class="quiet">Of methods that were run several times the first run is shown here.</p>'
    left_out = {name: report.excluded["releases_without_background"] for name, report in attacks.items()}
    if any(left_out.values()):
        counts = ", ".join(f"{escape(name)} {count:,}" for name, count in left_out.items())
        yield f'<p class="quiet">Releases about nobody in the background, left out of the risk: {counts}.</p>'


def _figures(comparison: Comparison) -> Iterator[str]:
    measured = comparison.measurements
    if not (families := by_family(measured.values())):
        return
    rows = []
    for family, names in families.items():
        rows.append(f'<tr class="family"><td colspan="{len(measured) + 1}">{escape(family)}</td></tr>')
        for name in names:
            scores = [measurement.scores.get(name) for measurement in measured.values()]
            arrow = "↑" if next(score for score in scores if score).higher_is_better else "↓"
            rows.append(
                row(f"{name} {arrow}", [_cell((score.value, score.interval) if score else None) for score in scores])
            )
    yield "<h2>All figures</h2>"
    yield from table(["metric", *measured], rows)
    models = sorted(f"{kind}: {name}" for kind, names in models_of(measured.values()).items() for name in names)
    judged = f" Models: {escape('; '.join(models))}." if models else ""
    yield f'<p class="quiet">↑ more is better, ↓ less is better; below each value its 95 % interval.{judged}</p>'


def _by_type(comparison: Comparison) -> Iterator[str]:
    """The tables by type of entity; of several runs that of the first."""
    for name, by_method in tables_by_type(comparison.measurements).items():
        columns = dict.fromkeys(column for types in by_method.values() for row in types.values() for column in row)
        rows = []
        for method, types in by_method.items():
            for label, figures in types.items():
                found = (figures.get(column) for column in columns)
                cells = (_cell(figure and (figure["value"], figure["interval"])) for figure in found)
                rows.append(row(method, [f"<td>{escape(label)}</td>", *cells]))
        yield f"<h2>{escape(name)}, by type of entity</h2>"
        yield from table(["method", "type", *columns], rows)


def _correlations(correlations: Sequence[MetricCorrelation]) -> Iterator[str]:
    if not correlations:
        return
    rows = []
    for found in correlations:
        name = f"{found.first}, {found.second}"
        for what, result in found.by_subject.items():
            estimate = _cell((result.value, result.interval))
            figures = [f"<td>{escape(what)}</td>", estimate, f"<td>{result.p:.3g}</td>", f"<td>{result.n:,}</td>"]
            rows.append(row(name, figures))
        if found.why_none:
            rows.append(row(name, [f'<td>methods</td><td colspan="3">{escape(found.why_none)}</td>']))
    yield "<h2>Correlations</h2>"
    yield from table(["metrics", "over", "Pearson’s r", "p", "n"], rows)


def _runs(comparison: Comparison) -> Iterator[str]:
    """The spread of several runs of one method."""
    measured = {name: measurement.scores.items() for name, measurement in comparison.measurements.items()}
    spread = {
        name: {key: score for key, score in items if "spread" in score.settings} for name, items in measured.items()
    }
    if not (repeated := {name: scores for name, scores in spread.items() if scores}):
        return
    metrics = dict.fromkeys(metric for scores in repeated.values() for metric in scores)
    yield "<h2>Several runs</h2>"
    yield from table(
        ["metric", *repeated],
        [row(metric, [_spread(scores.get(metric)) for scores in repeated.values()]) for metric in metrics],
    )
    counts = sorted({len(score.settings["runs"]) for scores in repeated.values() for score in scores.values()})
    yield (
        f'<p class="quiet">Mean ± standard deviation over {", ".join(map(str, counts))} runs with other seeds. '
        "It is about the language model alone; the intervals above are about the documents.</p>"
    )


def _spread(score: Score | None) -> str:
    return "<td>–</td>" if score is None else f"<td>{score.value:.3f} ± {score.settings['spread']:.3f}</td>"


def _costs(comparison: Comparison) -> Iterator[str]:
    if not comparison.costs:
        return
    yield "<h2>What the language models cost</h2>"
    figures = (
        (name, [f"<td>{escape(shown)}</td>" for shown in cost.figures()]) for name, cost in comparison.costs.items()
    )
    yield from table(["method", *Cost.COLUMNS], (row(*cells) for cells in figures))
    models = sorted({cost.chat for cost in comparison.costs.values()})
    yield (
        '<p class="quiet">Requests, tokens, seconds of the model and money per document and run; unread answers, '
        "questions left without an answer, and strings that are not in the text: in all. "
        f"Models: {escape('; '.join(models))}.</p>"
    )


def _not_measured(comparison: Comparison) -> Iterator[str]:
    if reasons := by_reason(comparison.measurements):
        yield "<h2>Not measured</h2><ul>"
        yield from (f"<li>{escape(', '.join(names))}: {escape(reason)}</li>" for reason, names in reasons.items())
        yield "</ul>"
    if comparison.problems:
        yield f'<p class="quiet">{len(comparison.problems)} remarks on the input were printed by the run.</p>'


def _reading(comparison: Comparison) -> Iterator[str]:
    if comparison.attacks:
        yield (
            "<h2>How to read the risk</h2><p>The risk is the share of releases that the strongest attack tried here "
            "links to the right person, by what this background says about them. It is a lower bound: an attacker "
            "with a stronger attack, or who knows more, finds more. Up to 9 % (a crowd of 11) is what health "
            "regulators call strong protection; compare the upper end of the interval with it, not the value alone. "
            "“Any of them” grows with every attack added and is no single attacker.</p>"
        )


def _share(result: LinkageRisk | AnyAttackRisk) -> str:
    low, high = map(format_percent, result.interval)
    return cell(format_percent(result.risk), (low, high), "over" if result.risk > STRONG_RISK else "")


def _cell(estimate: tuple[float, tuple[float, float]] | None) -> str:
    if estimate is None:
        return "<td>–</td>"
    value, low, high = format_estimate(*estimate)
    return cell(value, (low, high))
