"""Run methods, metrics and attacks on one corpus, and keep what they gave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.attacks.ground_truth import match
from sfumato.attacks.risk import STRONG, AttackReport, reported
from sfumato.comparison.cache import ResultCache, corpus_digest, digest_of, key_of
from sfumato.comparison.methods import (
    Made,
    Methods,
    NothingReleased,
    Run,
    made_by,
    methods_of,
    remarks,
    runs_of,
    together,
)
from sfumato.document import Attempt, Release, Score
from sfumato.errors import NotMeasurable, Problem, UnknownName, suggest
from sfumato.formats.base import Columns
from sfumato.formats.inputs import Corpus
from sfumato.llm.chat import Chat
from sfumato.llm.usage import Cost, Usage
from sfumato.metrics.base import Metric
from sfumato.metrics.run import Evaluation, Measurement, measure_releases, prepare_evaluation, select_metrics
from sfumato.models.cache import FolderStore
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato.recipe import Recipe
from sfumato.report.plots import Axis, Line, Point, scatter

# -- What a comparison found: figures by method, what attacks found, and what it cost.


FIELDS = ("method", "family", "metric", "value", "low", "high", "n", "higher_is_better", "settings")


@dataclass(frozen=True)
class Comparison:
    """Measurements by method; with a background, what the attacks found, too."""

    measurements: Mapping[str, Measurement]
    attacks: Mapping[str, AttackReport]
    documents: int
    problems: tuple[Problem, ...] = ()
    costs: Mapping[str, Cost] = field(default_factory=dict)
    """By method, what asking language models cost."""
    runs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By method, the names of its runs, where there are several: attacks are told of each."""

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato compare --json`` prints it."""
        found: dict[str, Any] = {}
        for name, measurement in self.measurements.items():
            own = measurement.to_json()
            del own["problems"]
            told = [_told(report) for report in self._reports(name).values()]
            own |= told[0] if told else {}
            if len(told) > 1:
                own["attacks_by_run"] = told
            if name in self.costs:
                own["chat"] = self.costs[name].to_json()
            found[name] = own
        return {"methods": found, "documents": self.documents, "problems": [str(one) for one in self.problems]}

    def _reports(self, method: str) -> dict[str, AttackReport]:
        """What attacks found, by the names of the method's runs."""
        return {name: self.attacks[name] for name in self.runs.get(method, (method,)) if name in self.attacks}

    def rows(self) -> Iterator[tuple[object, ...]]:
        """A table of all figures, its columns as in ``FIELDS``; an attack's own risk stands under its name."""
        for method, measurement in self.measurements.items():
            for name, score in measurement.scores.items():
                yield (
                    method,
                    measurement.families[name],
                    name,
                    score.value,
                    *score.interval,
                    score.n,
                    str(score.higher_is_better).lower(),
                    dict(score.settings),
                )
            for run, report in self._reports(method).items():
                for name, one in report.attacks.items():
                    yield run, "attack", name, one.risk, *one.interval, one.n, "false", {"at_rank": 1}


def _told(report: AttackReport) -> dict[str, Any]:
    told = report.to_json()
    return {key: told[key] for key in ("attacks", "strongest", "any", "best_rank", "candidates", "excluded")}


# -- Run methods, metrics and attacks on one corpus, and keep what they gave.


@dataclass(frozen=True)
class _Bench:
    """Everything but the method."""

    prepared: Evaluation
    cache: ResultCache
    columns: Columns
    about: str
    """A digest of all that figures depend on besides the releases."""
    judge: str | None
    """The language model that attacks and metrics ask."""
    metrics: Sequence[str]
    settings: Mapping[str, Mapping[str, Any]]
    on_progress: OnProgress


def compare_methods(
    originals: Corpus,
    methods: Methods,
    *,
    metrics: Iterable[str] | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    cache: Path | None = None,
    columns: Columns | None = None,
    chats: Sequence[Chat] = (),
    repeats: int = 1,
    on_progress: OnProgress = ignore_progress,
    **given: Any,
) -> Comparison:
    """Every method on the originals, measured and attacked; ``given`` is what ``metrics.run.prepare_evaluation`` takes.

    A method that asks a language model is run with each of ``chats``, ``repeats`` times; ``chat`` in ``given`` is the
    one that attacks and metrics ask.
    """
    named, names = runs_of(methods_of(methods), chats, repeats), select_metrics(metrics)
    columns = columns or Columns()
    with closing(FolderStore(cache)) if cache else nullcontext() as store:
        prepared = prepare_evaluation(originals, columns=columns, store=store, **given)
        about, judge = _about(prepared, given), _named(given.get("chat"))
        bench = _Bench(prepared, ResultCache(cache), columns, about, judge, names, settings or {}, on_progress)
        return _compared(bench, named)


def _about(prepared: Evaluation, given: Mapping[str, Any]) -> str:
    models = {kind: _named(given.get(kind, "default")) for kind in ("scorer", "embedder", "classifier")}
    models["chat"] = _named(given.get("chat"))
    material = prepared.inputs
    return key_of(
        corpus_digest(prepared.documents),
        material.gold and {key: [repr(span) for span in spans] for key, spans in material.gold.items()},
        material.labels,
        material.subjects,
        prepared.suite and prepared.suite.background.digest,
        models,
    )


def _compared(bench: _Bench, runs: Sequence[Run]) -> Comparison:
    problems = list(bench.prepared.problems)
    found: dict[str, list[Measurement]] = {}
    attacks: dict[str, AttackReport] = {}
    costs: dict[str, Cost] = {}
    count = sum(bool(document.text.strip()) for document in bench.prepared.documents)
    empty: list[NothingReleased] = []
    for number, run in enumerate(runs):
        report_progress = _reporter(bench.on_progress, Progress(run.name, number, len(runs)))
        try:
            made = _made(bench, run, report_progress, problems)
        except NothingReleased as error:  # the others may, and hours went into them
            empty.append(error)
            problems.append(Problem(run.name, str(error)))
            _charge(costs, run, error.usage, count)
            continue
        measurement, report = _judged(bench, run, report_progress, made.releases, problems)
        found.setdefault(run.row, []).append(measurement)
        if report is not None:
            attacks[run.name] = report
        _charge(costs, run, made.usage, count)
    if not found:
        raise empty[0]
    measurements = {row: together(own) for row, own in found.items()}
    documents = len(bench.prepared.documents)
    names: dict[str, list[str]] = {}
    for run in runs:
        names.setdefault(run.row, []).append(run.name)
    several = {row: own for row, own in names.items() if len(own) > 1}
    return Comparison(measurements, attacks, documents, tuple(dict.fromkeys(problems)), costs, several)


def _reporter(on_progress: OnProgress, event: Progress) -> Callable[[str], None]:
    return lambda detail: on_progress(replace(event, detail=detail))


def _charge(costs: dict[str, Cost], run: Run, usage: Usage, documents: int) -> None:
    if usage.questions:
        before = costs.get(run.row)
        total = usage + before.usage if before else usage
        costs[run.row] = Cost(run.chat.name if run.chat else "", 1 + (before.runs if before else 0), documents, total)


def _made(bench: _Bench, run: Run, report_progress: Callable[[str], None], problems: list[Problem]) -> Made:
    method = run.method
    report_progress("anonymizing")
    documents = bench.prepared.documents
    make = partial(made_by, method, documents, bench.columns, problems.append, run.chat, run.number)
    if not isinstance(method.source, Recipe):
        return make()
    model = (run.chat.name, run.number) if run.chat else None
    files = method.source.files
    key = key_of(method.source.model_dump(mode="json"), corpus_digest(documents), model, *([files] if files else ()))
    made = bench.cache.releases(key, documents, make)
    problems += remarks(run.name, method, documents, made)
    return made


def _judged(
    bench: _Bench,
    run: Run,
    report_progress: Callable[[str], None],
    releases: Sequence[Release],
    problems: list[Problem],
) -> tuple[Measurement, AttackReport | None]:
    made = digest_of(releases)
    texts = {release.document.id: release.text for release in releases}
    suite, truth = bench.prepared.suite, bench.prepared.truth
    broken: dict[str, NotMeasurable] = {}

    def attempts(attack: str) -> Sequence[Attempt]:
        """A failure is remembered: every metric of attempts asks for them, and a judge is not paid each time."""
        if attack not in broken:
            try:
                return _attempts(attack)
            except NotMeasurable as error:
                broken[attack] = error
        raise broken[attack]

    def _attempts(attack: str) -> Sequence[Attempt]:
        assert suite is not None
        assert truth is not None
        report_progress(f"the attack {attack}")
        if not suite.is_by_name(attack):  # of an object nobody can tell here what it would do
            return suite.run(attack, texts, truth)
        own = suite.settings.get(attack) or {}
        judge = [bench.judge] if registry.asks("attack", attack, own) else []
        key = key_of(attack, suite.settings.get(attack), suite.background.digest, made, *judge)
        return bench.cache.attempts(key, lambda: suite.run(attack, texts, truth))

    def remember(metric: Metric, own: Mapping[str, Any], measure: Callable[[], Score]) -> Score:
        if suite is not None and "attempts" in metric.requires:  # counted in no time from attempts that are kept
            return measure()
        key = key_of(metric.name, metric.version, {**metric.settings, **own}, bench.about, made)
        return bench.cache.score(key, measure)

    material = bench.prepared.metric_input(releases, attempts)
    report = None
    if suite is not None and material.attempts is not None:
        matched = match([release.document for release in releases], suite.background)
        try:
            report = reported(material.attempts, texts, suite.background, matched)
        except NotMeasurable as error:
            problems.append(Problem(run.name, f"its risk is not measured: {error}"))
    measurement = measure_releases(
        material,
        bench.prepared.models,
        bench.metrics,
        settings=bench.settings,
        on_progress=lambda event: report_progress(event.detail),
        score_cache=remember,
    )
    return replace(measurement, problems=bench.prepared.problems), report


def _named(model: Any) -> str | None:
    return model if model is None or isinstance(model, str) else str(getattr(model, "name", type(model).__name__))


# -- Which two figures the picture shows, and the points that follow.


_PRIVACY = ("risk", "risk-any", "tab-direct-recall", "tab-mention-recall", "lr", "smr", "alid")
_UTILITY = ("tps", "tpi", "rouge-l", "bleu", "nmi", "task-utility", "nsdcg", "jsc", "length")
"""What is shown where nobody chose: the first that was measured."""
_TITLES = {
    "risk": "re-identification risk (strongest attack)",
    "risk-any": "linked by any attack",
    "tps": "information preserved (TPS)",
    "tpi": "information left readable (TPI)",
    "rouge-l": "words in common (ROUGE-L)",
}


def picture(found: Comparison, privacy: str | None = None, utility: str | None = None) -> tuple[str, Sequence[str]]:
    """The scatter of the methods that have both figures, and the names of those, in the order of their colours.

    Raises NotMeasurable where no method has both.
    """
    up, across = (
        _chosen(found.measurements, privacy, _PRIVACY, "--privacy"),
        _chosen(found.measurements, utility, _UTILITY, "--utility"),
    )
    points = [
        Point(name, x.value, x.interval, y.value, y.interval)
        for name, one in found.measurements.items()
        if (x := one.scores.get(across)) is not None and (y := one.scores.get(up)) is not None
    ]
    if not points:
        raise NotMeasurable(f"no method has both {up} and {across}; choose other axes with --privacy and --utility")
    scores = [score for one in found.measurements.values() for score in one.scores.values()]
    higher = {score.metric: score.higher_is_better for score in scores}
    line = Line(STRONG, "9 %: 1 in 11, what regulators call strong") if up == "risk" else None
    svg = scatter(
        points,
        Axis(_TITLES.get(across, across), "more useful →" if higher[across] else "← more useful"),
        Axis(_TITLES.get(up, up), "↑ more private" if higher[up] else "↓ more private"),
        line,
    )
    return svg, [point.name for point in points]


def _chosen(measurements: Mapping[str, Measurement], asked: str | None, usual: Sequence[str], option: str) -> str:
    known: dict[str, Score] = {name: score for one in measurements.values() for name, score in one.scores.items()}
    if asked is not None:
        if asked not in known:
            raise UnknownName(
                f"{option} {asked}: was not measured; {suggest(asked, known) if known else 'nothing was'}"
            )
        return asked
    found = next((name for name in usual if name in known), None)
    if found is None:
        raise NotMeasurable(f"nothing that was measured serves as an axis of the picture; choose one with {option}")
    return found
