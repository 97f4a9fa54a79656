"""Run methods, metrics and attacks on one corpus: the comparison, its table and its scatter plot."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, Unpack

from sfumato import registry
from sfumato.attacks.ground_truth import match_subjects
from sfumato.attacks.risk import STRONG_RISK, AttackReport, build_report
from sfumato.attacks.suite import Settings
from sfumato.cache import SqliteStore, cache_key
from sfumato.comparison.methods import (
    MethodResult,
    MethodRun,
    Methods,
    NothingReleased,
    combine_runs,
    method_warnings,
    parse_methods,
    plan_runs,
    run_method,
)
from sfumato.document import Attempt, Document, Edit, Evidence, Guess, Release, Score, Span
from sfumato.errors import NotMeasurable, Problem, UnknownName, suggest
from sfumato.formats.base import Columns
from sfumato.formats.inputs import Corpus
from sfumato.llm.chat import Chat
from sfumato.llm.usage import Cost, Usage
from sfumato.metrics.base import MODELS, Metric
from sfumato.metrics.measurement import Measurement
from sfumato.metrics.run import Evaluation, EvaluationInputs, measure_releases, prepare_evaluation, select_metrics
from sfumato.models.base import Named
from sfumato.models.cache import FolderStore
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato.recipe import Recipe
from sfumato.report.plots import Axis, Line, Point, scatter


@dataclass(frozen=True)
class Comparison:
    """Measurements by method, and with a background the attack reports by run."""

    measurements: Mapping[str, Measurement]
    attacks: Mapping[str, AttackReport]
    documents: int
    problems: tuple[Problem, ...] = ()
    costs: Mapping[str, Cost] = field(default_factory=dict)
    """By method, what asking language models cost."""
    runs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By method, the names of its runs, where there are several: each has its own attack report."""
    by_model: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By method, its rows with each language model, where there are several."""

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato compare --json`` prints it."""
        methods: dict[str, Any] = {}
        for name, measurement in self.measurements.items():
            record = measurement.to_json()
            del record["problems"]
            reports = [_report_json(report) for report in self._reports(name).values()]
            record |= reports[0] if reports else {}
            if len(reports) > 1:
                record["attacks_by_run"] = reports
            if name in self.costs:
                record["chat"] = self.costs[name].to_json()
            methods[name] = record
        return {"methods": methods, "documents": self.documents, "problems": list(map(str, self.problems))}

    def _reports(self, method: str) -> dict[str, AttackReport]:
        """Attack reports by the names of the method's runs."""
        return {name: self.attacks[name] for name in self.runs.get(method, (method,)) if name in self.attacks}

    def rows(self) -> Iterator[tuple[object, ...]]:
        """As ``Measurement.rows`` of each method, and a row for each attack's risk under its name."""
        for method, measurement in self.measurements.items():
            yield from measurement.rows(method)
            for run, report in self._reports(method).items():
                for name, result in report.attacks.items():
                    yield run, "attack", name, result.risk, *result.interval, result.n, "false", {"at_rank": 1}


def _report_json(report: AttackReport) -> dict[str, Any]:
    record = report.to_json()
    return {key: record[key] for key in ("attacks", "strongest", "any", "best_rank", "candidates", "excluded")}


def compare_methods(
    originals: Corpus,
    methods: Methods,
    *,
    metrics: Iterable[str] | None = None,
    settings: Settings | None = None,
    cache: Path | None = None,
    columns: Columns | None = None,
    chats: Sequence[Chat] = (),
    repeats: int = 1,
    chat: Chat | None = None,
    on_progress: OnProgress = ignore_progress,
    **inputs: Unpack[EvaluationInputs],
) -> Comparison:
    """Run, measure and attack every method.

    A method that asks a language model is run with each of ``chats``, ``repeats`` times; ``chat`` is the one that
    attacks and metrics ask.
    """
    runs, names = plan_runs(parse_methods(methods), chats, repeats), select_metrics(metrics)
    columns = columns or Columns()
    with ExitStack() as stack:
        store = stack.enter_context(closing(FolderStore(cache))) if cache else None
        results = stack.enter_context(closing(ResultCache(cache)))
        evaluation = prepare_evaluation(originals, columns, chat, store, **inputs)
        judge = _model_name(chat)
        key = _evaluation_key(evaluation, inputs, judge)
        runner = _Runner(evaluation, results, columns, key, judge, names, settings or {}, on_progress)
        return runner.compare(runs)


@dataclass(frozen=True)
class _Runner:
    """Runs, measures and attacks methods; it holds what is the same for all of them."""

    evaluation: Evaluation
    cache: ResultCache
    columns: Columns
    key: str
    """Of everything that figures depend on besides the releases."""
    judge: str | None
    """The language model that attacks and metrics ask."""
    metrics: Sequence[str]
    settings: Settings
    on_progress: OnProgress

    def compare(self, runs: Sequence[MethodRun]) -> Comparison:
        problems = list(self.evaluation.problems)
        measurements: dict[str, list[Measurement]] = {}
        attacks: dict[str, AttackReport] = {}
        costs: dict[str, Cost] = {}
        documents = self.evaluation.documents
        count = sum(bool(document.text.strip()) for document in documents)
        failures: list[NothingReleased] = []
        for number, run in enumerate(runs):
            report_progress = _reporter(self.on_progress, Progress(run.name, number, len(runs)))
            try:
                result = self._run(run, report_progress, problems)
            except NothingReleased as error:  # the other methods may release something, and hours went into them
                failures.append(error)
                problems.append(Problem(run.name, str(error)))
                _add_cost(costs, run, error.usage, count)
                continue
            measurement, report = self._evaluate(run, report_progress, result.releases, problems)
            measurements.setdefault(run.row, []).append(measurement)
            if report is not None:
                attacks[run.name] = report
            _add_cost(costs, run, result.usage, count)
        if not measurements:
            raise failures[0]
        names: dict[str, list[str]] = {}
        rows: dict[str, dict[str, None]] = {}
        for run in runs:
            names.setdefault(run.row, []).append(run.name)
            rows.setdefault(run.method.name, {})[run.row] = None
        return Comparison(
            {row: combine_runs(several) for row, several in measurements.items()},
            attacks,
            len(documents),
            tuple(dict.fromkeys(problems)),
            costs,
            {row: several for row, several in names.items() if len(several) > 1},
            {method: tuple(several) for method, several in rows.items() if len(several) > 1},
        )

    def _run(self, run: MethodRun, report_progress: Callable[[str], None], problems: list[Problem]) -> MethodResult:
        method, documents = run.method, self.evaluation.documents
        report_progress("anonymizing")
        suite = self.evaluation.suite
        people = suite.background if suite is not None else None
        compute = partial(run_method, method, documents, self.columns, problems.append, run.chat, run.number, people)
        if not isinstance(method.source, Recipe):
            return compute()
        model = (run.chat.name, run.number) if run.chat else None
        known = [people.digest] if people is not None and method.source.reads_background else []
        key = cache_key(
            method.source.model_dump(mode="json"), corpus_key(documents), model, method.source.files, *known
        )
        result = self.cache.releases(key, documents, compute)
        problems += method_warnings(run.name, method, documents, result)
        return result

    def _evaluate(
        self,
        run: MethodRun,
        report_progress: Callable[[str], None],
        releases: Sequence[Release],
        problems: list[Problem],
    ) -> tuple[Measurement, AttackReport | None]:
        key_of_releases = releases_key(releases)
        texts = {release.document.id: release.text for release in releases}
        suite, truth = self.evaluation.suite, self.evaluation.truth
        failures: dict[str, NotMeasurable] = {}

        def attempts(attack: str) -> Sequence[Attempt]:
            """A failure is remembered: every metric of attempts asks for them, and a judge is not paid each time."""
            if attack in failures:
                raise failures[attack]
            try:
                return cached_attempts(attack)
            except NotMeasurable as error:
                failures[attack] = error
                raise

        def cached_attempts(attack: str) -> Sequence[Attempt]:
            assert suite is not None
            assert truth is not None
            report_progress(f"the attack {attack}")
            compute = partial(suite.run, attack, texts, truth)
            if not suite.is_registered(attack):  # what an object would do is not known from its name
                return compute()
            settings = suite.settings.get(attack)
            judge = self.judge if registry.asks("attack", attack, settings or {}) else None
            return self.cache.attempts(
                cache_key(attack, settings, suite.background.digest, key_of_releases, judge), compute
            )

        def cached_score(metric: Metric, settings: Mapping[str, Any], measure: Callable[[], Score]) -> Score:
            if suite is not None and "attempts" in metric.requires:  # counted in no time from cached attempts
                return measure()
            key = cache_key(metric.name, metric.version, {**metric.settings, **settings}, self.key, key_of_releases)
            return self.cache.score(key, measure)

        inputs = self.evaluation.metric_input(releases, attempts)
        report = None
        if suite is not None and inputs.attempts is not None:
            matched = match_subjects([release.document for release in releases], suite.background)
            try:
                report = build_report(inputs.attempts, texts, suite.background, matched)
            except NotMeasurable as error:
                problems.append(Problem(run.name, f"its risk is not measured: {error}"))
        measurement = measure_releases(
            inputs,
            self.evaluation.models,
            self.metrics,
            settings=self.settings,
            on_progress=lambda event: report_progress(event.detail),
            score_cache=cached_score,
        )
        return replace(measurement, problems=self.evaluation.problems), report


def _reporter(on_progress: OnProgress, event: Progress) -> Callable[[str], None]:
    return lambda detail: on_progress(replace(event, detail=detail))


def _add_cost(costs: dict[str, Cost], run: MethodRun, usage: Usage, documents: int) -> None:
    if usage.questions:
        before = costs.get(run.row)
        total = usage + before.usage if before else usage
        costs[run.row] = Cost(run.chat.name if run.chat else "", 1 + (before.runs if before else 0), documents, total)


def _evaluation_key(evaluation: Evaluation, given: EvaluationInputs, judge: str | None) -> str:
    models = {kind: _model_name(given.get(kind, "default")) for kind in MODELS} | {"chat": judge}
    inputs = evaluation.inputs
    return cache_key(
        corpus_key(evaluation.documents),
        inputs.gold and {key: [astuple(span) for span in spans] for key, spans in inputs.gold.items()},
        inputs.labels,
        inputs.subjects,
        evaluation.suite and evaluation.suite.background.digest,
        models,
    )


def _model_name(model: Any) -> str | None:
    if model is None or isinstance(model, str):
        return model
    return str(model.name) if isinstance(model, Named) else type(model).__name__


# -- The scatter plot.

_PRIVACY = ("risk", "risk-any", "trir", "tab-direct-recall", "tab-mention-recall", "lr", "smr", "alid")
_UTILITY = ("tps", "tpi", "rouge-l", "bleu", "nmi", "task-utility", "nsdcg", "jsc", "length")
"""The default axes: the first of each that was measured."""
_RISKS = ("risk", "trir")
"""Shares of people whom one attack finds: to these the 9 % of regulators apply."""
_TITLES = {
    "risk": "re-identification risk (strongest attack)",
    "risk-any": "linked by any attack",
    "trir": "re-identification risk (TRIR)",
    "tps": "information preserved (TPS)",
    "tpi": "information left readable (TPI)",
    "rouge-l": "words in common (ROUGE-L)",
}


def plot_methods(
    comparison: Comparison, privacy: str | None = None, utility: str | None = None
) -> tuple[str, Sequence[str]]:
    """The scatter plot (SVG) of the methods that have both figures, and their names in order.

    A line goes through one method with several language models, in the order in which they were given.
    Raises NotMeasurable where no method has both figures.
    """
    measurements = comparison.measurements
    y_metric = _axis_metric(measurements, privacy, _PRIVACY, "--privacy")
    x_metric = _axis_metric(measurements, utility, _UTILITY, "--utility")
    shown = [name for name, measurement in measurements.items() if {x_metric, y_metric} <= measurement.scores.keys()]
    if not shown:
        raise NotMeasurable(
            f"no method has both {y_metric} and {x_metric}; choose other axes with --privacy and --utility"
        )
    lines = {name: [shown.index(row) for row in rows if row in shown] for name, rows in comparison.by_model.items()}
    # On a line the first point has the name of the method, and each other that of its language model.
    short = {shown[at]: shown[at].removeprefix(f"{name} @ ") for name, path in lines.items() for at in path[1:]}
    points = []
    for name in shown:
        x, y = (measurements[name].scores[metric] for metric in (x_metric, y_metric))
        points.append(Point(short.get(name, name), x.value, x.interval, y.value, y.interval))
    x, y = (measurements[shown[0]].scores[metric] for metric in (x_metric, y_metric))
    svg = scatter(
        points,
        Axis(_TITLES.get(x_metric, x_metric), "more useful →" if x.higher_is_better else "← more useful"),
        Axis(_TITLES.get(y_metric, y_metric), "↑ more private" if y.higher_is_better else "↓ more private"),
        Line(STRONG_RISK, "9 %: 1 in 11, what regulators call strong") if y_metric in _RISKS else None,
        list(lines.values()),
    )
    return svg, shown


def _axis_metric(
    measurements: Mapping[str, Measurement], chosen: str | None, defaults: Sequence[str], option: str
) -> str:
    measured = {name for measurement in measurements.values() for name in measurement.scores}
    if chosen is not None:
        if chosen not in measured:
            alternatives = suggest(chosen, sorted(measured)) if measured else "nothing was"
            raise UnknownName(f"{option} {chosen}: was not measured; {alternatives}")
        return chosen
    metric = next((name for name in defaults if name in measured), None)
    if metric is None:
        raise NotMeasurable(f"nothing that was measured serves as an axis of the plot; choose one with {option}")
    return metric


_T = TypeVar("_T")


class ResultCache:
    """Releases, attempts and scores by key. Without a folder everything is computed anew."""

    def __init__(self, folder: Path | None) -> None:
        self._store = None if folder is None else SqliteStore(folder / "results.sqlite")

    def close(self) -> None:
        if self._store is not None:
            self._store.close()

    def releases(self, key: str, documents: Sequence[Document], compute: Callable[[], MethodResult]) -> MethodResult:
        by_id = {document.id: document for document in documents}
        return self._get(
            f"releases {key}",
            compute,
            lambda result: {
                "releases": {
                    release.document.id: _edits(release) if release.rewrite is None else release.rewrite
                    for release in result.releases
                },
                "usage": asdict(result.usage),
                "used_fallback": result.used_fallback,
            },
            lambda stored: MethodResult(
                [_release(by_id[document_id], edits) for document_id, edits in stored["releases"].items()],
                Usage(**stored["usage"]),
                stored["used_fallback"],
            ),
        )

    def attempts(self, key: str, compute: Callable[[], Sequence[Attempt]]) -> Sequence[Attempt]:
        return self._get(
            f"attempts {key}",
            compute,
            lambda attempts: [asdict(attempt) for attempt in attempts],
            lambda stored: list(map(_attempt, stored)),
        )

    def score(self, key: str, compute: Callable[[], Score]) -> Score:
        return self._get(f"score {key}", compute, asdict, _score)

    def _get(
        self, key: str, compute: Callable[[], _T], to_json: Callable[[_T], Any], from_json: Callable[[Any], _T]
    ) -> _T:
        if self._store is None:
            return compute()
        stored = self._store.get(key.encode())
        if stored is not None:
            try:
                return from_json(json.loads(stored))
            except (ValueError, KeyError, TypeError):  # damaged: computed again
                pass
        value = compute()
        self._store.put(key.encode(), json.dumps(to_json(value), ensure_ascii=True, default=str).encode())
        return value


def releases_key(releases: Sequence[Release]) -> str:
    """Distinguishes one method's releases of a corpus from another's."""
    return cache_key(
        [(release.document.id, release.document.subjects, _edits(release), release.text) for release in releases]
    )


def corpus_key(documents: Sequence[Document]) -> str:
    return cache_key([(document.id, document.text, document.subjects) for document in documents])


def _edits(release: Release) -> list[list[Any]]:
    return [
        [edit.span.start, edit.span.end, edit.span.label, edit.replacement, edit.span.source] for edit in release.edits
    ]


def _release(document: Document, stored: Any) -> Release:
    if isinstance(stored, str):
        return Release.rewritten(document, stored)
    edits = (
        Edit(Span(start, end, label, source=source), replacement) for start, end, label, replacement, source in stored
    )
    return Release(document, tuple(edits))


def _attempt(stored: Mapping[str, Any]) -> Attempt:
    return Attempt(
        stored["attack"],
        stored["document_id"],
        tuple(Guess(**guess) for guess in stored["guesses"]),
        stored["rank"],
        stored["score"],
        tuple(Evidence(**evidence) for evidence in stored["evidence"]),
    )


def _score(stored: Mapping[str, Any]) -> Score:
    return Score(**{**stored, "interval": tuple(stored["interval"])})
