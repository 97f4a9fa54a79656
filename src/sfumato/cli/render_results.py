"""Scores as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from sfumato.attacks.abstention import PRECISION
from sfumato.attacks.base import MAX_GUESSES
from sfumato.attacks.continuation import describe_continuation
from sfumato.attacks.ground_truth import describe_also_named
from sfumato.attacks.risk import STRONG_K, STRONG_RISK, AttackReport, DocumentRisk, headline
from sfumato.cli import INCOMPLETE, render
from sfumato.cli.render import Cell, estimate_cell, say, show_table, warn, wrap_columns
from sfumato.document import Score
from sfumato.errors import Problem, listed
from sfumato.metrics.measurement import Measurement, by_family, by_reason, models_of, tables_by_type
from sfumato.progress import OnProgress, Progress
from sfumato.report.html import format_estimate, format_percent, format_percent_column, pluralize

if TYPE_CHECKING:
    from sfumato.attacks.risk import AnyAttackRisk, LinkageRisk, RiskAtRank
    from sfumato.comparison.correlation import MetricCorrelation
    from sfumato.metrics.adversaries import AdversaryComparison
    from sfumato.protection.records import Protection
    from sfumato.statistics import Correlation, Estimate

_MOST_PROBLEMS = 20
_INTERVAL_WIDTH = len("[0.000, 0.000]") + 2


@contextmanager
def show_progress() -> Iterator[OnProgress]:
    """One line on the terminal that names the current stage; it appears with the first event."""
    status = render.err.status("")
    started = False

    def show(event: Progress) -> None:
        nonlocal started
        if not started:
            status.start()
            started = True
        position = f" ({event.done:,} of {event.total:,})" if event.total > 1 else ""
        status.update(Text(": ".join(filter(None, (event.stage, event.detail))) + position))

    try:
        yield show
    finally:
        if started:
            status.stop()


def table(measured: Mapping[str, Measurement], *, by_type: bool = False) -> None:
    """Metrics by family, one column a release; below, what was not measured and why, and the models that judged.

    Columns that do not fit beside the others make another table below.
    """
    between = " " if len(measured) == 1 else "\n"
    figures = {
        name: [estimate_cell(score.value, score.interval, between) for score in measurement.scores.values()]
        for name, measurement in measured.items()
    }
    scores = [score for measurement in measured.values() for score in measurement.scores.values()]
    beside = [
        max((f"  {score.metric}" for score in scores), key=len, default=""),
        "↑",
        _counted(scores) if scores else "",
    ]
    for block in wrap_columns(figures, beside, render.out.width):
        _metrics_block({name: measured[name] for name in block}, between)
    say("↑ more is better, ↓ less is better; in brackets the 95 % interval", "dim")
    for kind, names in models_of(measured.values()).items():
        say(f"{kind}: {', '.join(names)}", "dim")
    _not_measured(measured)
    if by_type:
        _by_type(measured)


def _by_type(measured: Mapping[str, Measurement]) -> None:
    """The tables by type of entity that scores carry in their settings, one for each metric."""
    tables = tables_by_type(measured)
    for names in by_family(measured.values()).values():
        for name in names:
            if name in tables:
                say(f"\n{name}", "bold")
                _type_table(tables[name])


def _type_table(tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
    several = len(tables) > 1
    columns = list(dict.fromkeys(column for table in tables.values() for row in table.values() for column in row))
    # Where there is no room for intervals, only the JSON has them.
    narrow = render.out.width < _INTERVAL_WIDTH * (several + 1 + len(columns))

    def cell(figure: Mapping[str, Any] | None) -> Cell:
        if figure is None:
            return None
        if not narrow:
            return estimate_cell(figure["value"], figure["interval"], "\n")
        return format_estimate(figure["value"], figure["interval"])[0], "bold"

    rows: list[Sequence[Cell]] = []
    for release, table in tables.items():
        for label, figures in table.items():
            count = max(figure["n"] for figure in figures.values())
            rows.append([*([release] * several), label, *map(cell, map(figures.get, columns)), f"{count:,}"])
    titles = [*(["release"] * several), "type", *columns, "n"]
    show_table(*titles, rows=rows, right=(*columns, "n"), dim=("n",), whole=("type", "n"))


def _correlation(result: Correlation) -> tuple[Cell, Cell]:
    return estimate_cell(result.value, result.interval), f"{result.p:.3g}"


def correlations(correlations: Sequence[MetricCorrelation]) -> None:
    """Pearson's r of pairs of metrics, over methods and over the documents of each."""
    if not correlations:
        return
    figures = ("Pearson's r", "p", "n")
    rows: list[Sequence[Cell]] = []
    for found in correlations:
        name = f"{found.first}, {found.second}"
        rows += [(name, what, *_correlation(result), f"{result.n:,}") for what, result in found.by_subject.items()]
        if found.why_none:
            rows.append((name, "methods", None))
    say()
    show_table("correlation", "over", *figures, rows=rows, right=figures)
    for reason in dict.fromkeys(found.why_none for found in correlations if found.why_none):
        say(f"over methods: {reason}", "dim")


def adversaries(compared: Iterable[AdversaryComparison], release: str) -> None:
    """A metric by several adversaries, and below how far each two of them agree."""
    for found in compared:
        say(f"\n{found.metric} by adversary{f', {release}' if release else ''}", "bold")
        values: dict[str, Score | Estimate] = {**found.scores, "each document at its worst": found.worst}
        rows = [(name, _metric_cell(estimate, " "), f"{estimate.n:,}") for name, estimate in values.items()]
        show_table("adversary", "value", "n", rows=rows, right=("value", "n"), dim=("n",))
        pairs: list[Sequence[Cell]] = []
        for pair in found.pairs:
            figures = _correlation(pair.correlation) if pair.correlation else (None, "")
            pairs.append((f"{pair.first}, {pair.second}", f"{pair.difference:.3f}", *figures, f"{found.documents:,}"))
        show_table("agreement", "mean difference", "Spearman's ρ", "p", "n", rows=pairs, right=("p", "n"))
        for reason in dict.fromkeys(pair.why_none for pair in found.pairs if pair.why_none):
            say(f"no correlation: {reason}", "dim")
        if found.kappa is not None:
            value, low, high = format_estimate(found.kappa.value, found.kappa.interval)
            say(f"Fleiss' κ of all: {value} [{low}, {high}]", "dim")
        say(f"strongest adversary: {found.strongest}", "dim")


def _metrics_block(measured: Mapping[str, Measurement], between: str) -> None:
    titles = ["value"] if between == " " else list(measured)
    rows: list[Sequence[Cell]] = []
    for family, names in by_family(measured.values()).items():
        rows.append([(family, "bold")])
        for name in names:
            scores = [measurement.scores.get(name) for measurement in measured.values()]
            present = [score for score in scores if score is not None]
            arrow = "↑" if present[0].higher_is_better else "↓"
            rows.append([f"  {name}", arrow, *(_metric_cell(score, between) for score in scores), _counted(present)])
    show_table("metric", "", *titles, "n", rows=rows, right=(*titles, "n"), dim=("n",), whole=("metric", "n"))


def finish(found: Sequence[Problem], asked: Mapping[str, Measurement] | None = None) -> None:
    """Print what was skipped or does not fit together, and exit non-zero where something was skipped.

    ``asked``: measurements by metrics that were asked for, of which none may be refused.
    """
    problems(found)
    refused = any(measurement.refused for measurement in (asked or {}).values())
    if refused or any(not problem.is_warning for problem in found):
        raise typer.Exit(INCOMPLETE)


def problems(problems: Sequence[object]) -> None:
    """What was skipped or does not fit together, on stderr."""
    for problem in problems[:_MOST_PROBLEMS]:
        warn(str(problem))
    if len(problems) > _MOST_PROBLEMS:
        warn(f"and {len(problems) - _MOST_PROBLEMS:,} more; --json lists them all")


def _metric_cell(score: Score | Estimate | None, between: str) -> Text | None:
    return None if score is None else estimate_cell(score.value, score.interval, between)


def _counted(scores: Sequence[Score]) -> str:
    low, high = min(score.n for score in scores), max(score.n for score in scores)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _not_measured(measured: Mapping[str, Measurement]) -> None:
    reasons = by_reason(measured)
    if reasons:
        say("\nnot measured", "bold")
    for reason, names in reasons.items():
        shown = [
            name if len(releases) == len(measured) else f"{name} ({', '.join(releases)})"
            for name, releases in names.items()
        ]
        say(Text.assemble((", ".join(shown), "yellow"), f": {reason}"))


_MOST_QUOTES = 5
_QUOTE_WIDTH = 40
_ANY = "any of them"


def side_by_side(reports: Mapping[str, AttackReport]) -> None:
    """Each attack's risk, one column a method; those that do not fit beside the others below them."""
    if not reports:
        return
    first = next(iter(reports.values()))
    figures = {
        name: [*(_attack_cell(report.attacks[attack]) for attack in first.attacks), _attack_cell(report.any)]
        for name, report in reports.items()
    }
    for block in wrap_columns(figures, [max([*first.attacks, _ANY], key=len)], render.out.width):
        names = [*first.attacks, (_ANY, "dim")]
        cells = zip(names, *(figures[name] for name in block), strict=True)
        show_table("attack", *block, rows=cells, right=block, whole=("attack",))
    say(
        f"share of releases whose person is the first guess among {first.people:,} people; in brackets the 95 % "
        f"interval; regulators call up to {format_percent(STRONG_RISK)} strong\n",
        "dim",
    )


def _attack_cell(risk: LinkageRisk | AnyAttackRisk) -> Text:
    low, high = _bare_percents(risk.interval)
    return Text.assemble((format_percent_column(risk.risk), "bold"), (f"\n[{low}, {high}]", "dim"))


def _bare_percents(interval: tuple[float, float]) -> list[str]:
    return [format_percent_column(bound).removesuffix(" %") for bound in interval]


def report(report: AttackReport, shown: int) -> None:
    """The headline in words, the attacks, and the documents at most risk with what gave them away."""
    say(headline(report), "bold")
    say()
    _attacks(report)
    say()
    _assumptions(report)
    _abstaining(report)
    _summary(report)
    if shown and report.documents:
        _documents(report, shown)


def _attacks(report: AttackReport) -> None:
    figures = ("risk ↓", "95 % interval", "found", "median rank", "best rank", "sure")
    rows: list[Sequence[Cell]] = []
    for name, risk in sorted(report.attacks.items(), key=lambda item: -item[1].risk):
        style = "bold" if name == report.strongest.attack else ""
        middle = _beyond(report, "not named") if risk.median_rank is None else f"{risk.median_rank:g}"
        best = f"{risk.best.rank} ({format_percent_column(risk.best.risk)})" if risk.best.rank > 1 else "1"
        sure = report.abstaining.get(name)
        surely = "" if sure is None else format_percent_column(sure.recall)
        rows.append(((name, style), *_risk_cells(risk), f"{risk.found:,}", middle, best, surely))
    rows.append(((_ANY, "dim"), *_risk_cells(report.any)))
    show_table("attack", *figures, rows=rows, right=figures, whole=("attack",))


def _risk_cells(risk: LinkageRisk | AnyAttackRisk) -> tuple[str, str]:
    return format_percent_column(risk.risk), format_interval(risk.interval)


def format_interval(interval: tuple[float, float]) -> str:
    """Both bounds of a risk in percent."""
    return " – ".join(map(format_percent_column, interval))


def _beyond(report: AttackReport, among_few: str) -> str:
    """Of a person whom an attack does not name: among few people not even one that shares something with the text."""
    return f"over {MAX_GUESSES}" if report.people > MAX_GUESSES else among_few


def _assumptions(report: AttackReport) -> None:
    """What an attacker finds who reads one release at a time, and one who has them all; with what each assumes."""
    single, joint = report.strongest_single, report.strongest_joint
    if single is None or joint is None:
        return
    most = report.settings.get(joint.attack, {}).get("texts per person at most", 1)
    say(
        f"one release at a time: {single.attack} finds {format_percent(single.risk)} "
        f"({format_interval(single.interval)}), whatever else was released"
    )
    say(
        f"all releases at once: {joint.attack} finds {format_percent(joint.risk)} ({format_interval(joint.interval)}), "
        f"if the attacker has all {report.n:,} and nobody has more than {most} of them"
    )
    say()


def _abstaining(report: AttackReport) -> None:
    """What the attacker finds who asserts a link only where it stands out."""
    if not report.abstaining:
        return
    name = max(report.abstaining, key=lambda name: report.abstaining[name].recall)
    sure = report.abstaining[name]
    right = "none is" if sure.precision is None else f"{sure.found:,} ({format_percent(sure.precision)}) are"
    say(
        f"sure links alone: {name} asserts {sure.asserted:,} of {sure.n:,}, of which {right} right, and so finds "
        f"{format_percent(sure.recall)} ({format_interval(sure.interval)}); the margin was set for "
        f"{format_percent(PRECISION)} right on {_LEARNED_ON[sure.learned_on]}"
    )
    say()


_LEARNED_ON = {
    "background": "held-out pieces of the background",
    "other releases": "the other releases, whose people the attacker would have to know",
}


def _summary(report: AttackReport) -> None:
    lines = [
        f"{report.n:,} releases, {report.people:,} people to choose among; guessing alone finds "
        f"{format_percent(1 / report.people)}, by any of {len(report.attacks)} attacks "
        f"{format_percent(report.any.chance)}",
        f"{report.exposed:,} of {report.n:,} releases have their person among the {STRONG_K - 1} likeliest of some "
        "attack",
        f"regulators call up to {format_percent(STRONG_RISK)} (1 in {STRONG_K}) strong; an attacker who knows more "
        "than this background finds more",
    ]
    excluded = ((count, _EXCLUDED.get(reason)) for reason, count in report.excluded.items())
    lines += [f"{count:,} {what}" for count, what in excluded if count and what]
    for line in lines:
        say(line, "dim")
    if continues := describe_continuation(report.continuation):
        say(continues, "bold yellow")
    if report.also_named:
        also_named = describe_also_named(report.also_named)
        say(f"{also_named}, and were not looked for in: {listed(report.also_named)}", "yellow")


_EXCLUDED = {
    "releases_without_background": "releases are about nobody in the background and are left out",
    "people_without_release": "people of the background have no release: the crowd that the others hide in",
    "people_without_text": "people of the background have no text and are left out",
    "records_merged": "records were added to a person who had one already",
    "blank_releases": "releases hold no text; nobody is found by them, and they count",
}


def _documents(report: AttackReport, shown: int) -> None:
    rows = []
    for document in report.documents[:shown]:
        size = _beyond(report, f"all {report.people}") if document.candidates is None else str(document.candidates)
        rows.append((document.id, size, _by(document, len(report.attacks)), _quotes(document)))
    say()
    show_table("at most risk", "candidates", "found by", "given away by", rows=rows, right=("candidates",))


def _by(document: DocumentRisk, attacks: int) -> str:
    if not document.linked_by:
        return "none"
    return ", ".join(document.linked_by) if len(document.linked_by) < attacks or attacks < 3 else f"all {attacks}"


def _quotes(document: DocumentRisk) -> str:
    shown = document.quotes[:_MOST_QUOTES]
    return " · ".join(words if len(words) <= _QUOTE_WIDTH else words[: _QUOTE_WIDTH - 1] + "…" for words in shown)


_CHECKS = {"inference-rate": "replaced spans whose original a guesser names (inference-rate)"}
_MOST_REPAIRS = 10


def problem(problem: Problem) -> None:
    """Something about the background that the user should know."""
    message = str(problem)
    for column in ("id", "text"):  # what reads a table does not know which of the two it reads
        message = message.replace(f"--{column}-column", f"--background-{column}-column")
    warn(message)


def protection(protection: Protection) -> None:
    """The verdict, the risk before and after, and what it cost."""
    from sfumato.protection.certificate import verdict
    from sfumato.protection.pages import REPAIR_NAMES, format_loss
    from sfumato.protection.records import Scenario

    short_names: dict[str, str] = {  # the verdict has the whole names
        Scenario.MORE_BACKGROUND: "hold-out",
        Scenario.OTHER_ATTACKS_MORE_BACKGROUND: "hold-out, others",
    }
    met = protection.met
    is_certain = met and not describe_continuation(protection.continuation)
    say(verdict(protection, met), "bold green" if is_certain else "bold yellow")
    if protection.also_named:
        say(f"They are named in {listed(protection.also_named)}.", "yellow")
    say()
    if protection.before:
        figures = ("found before", "found after")
        rows: list[Sequence[Cell]] = []
        for name in dict.fromkeys((*protection.before, *protection.after)):
            role = "in the loop" if name in protection.loop_attacks else "verifies"
            risks = (side.get(name) for side in (protection.before, protection.after))
            cells = ("–" if risk is None else _with_interval(risk.learned) for risk in risks)
            rows.append((name, *cells, (role, "dim")))
        for scenario in protection.scenarios[1:]:
            if scenario.attacks:
                name, best = scenario.strongest
                role = short_names.get(scenario.name, scenario.name)
                rows.append((name, "", _with_interval(best), (role, "dim")))
        show_table("attack", *figures, "", rows=rows, right=figures)
        say()
    for name, (before, later) in protection.checks.items():
        shares = f"{format_percent(before.value)} before, {format_percent(later.value)} after"
        say(f"{_CHECKS.get(name, name)}: {shares}")
    say(f"It cost {format_loss(protection.loss)} of a document's information on average.", "dim")
    for kind, count in protection.repairs.most_common():
        say(f"  {count:,} x {REPAIR_NAMES.get(kind, kind)}", "dim")
    say()


def _with_interval(best: RiskAtRank) -> str:
    low, high = _bare_percents(best.interval)
    return f"{format_percent_column(best.risk)} ({low} to {high})"


def repairs(protection: Protection, document_id: str) -> None:
    """What the loop changed in a document that the user asked to see, and which attack forced it."""
    repairs = next((document.repairs for document in protection.documents if document.id == document_id), ())
    if repairs:
        costliest = sorted(repairs, key=lambda repair: -repair.loss)[:_MOST_REPAIRS]
        rows = [((repair.before, "red"), (repair.after or "∅", "green"), repair.attack) for repair in costliest]
        show_table("before", "after", "forced by", rows=rows)
        say(f"{pluralize(len(repairs), 'repair')} by the loop; the costliest first\n", "dim")
