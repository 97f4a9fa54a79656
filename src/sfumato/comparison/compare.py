"""Run methods, metrics and attacks on one corpus, and keep what they gave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.attacks.report import AttackReport, reported
from sfumato.attacks.truth import match
from sfumato.comparison.methods import Made, Methods, NothingReleased, made_by, methods_of, remarks
from sfumato.comparison.result import Comparison
from sfumato.comparison.runs import Run, runs_of, together
from sfumato.comparison.shelf import Shelf, corpus_digest, digest_of, key_of
from sfumato.corpus import Columns
from sfumato.corpus.given import Corpus
from sfumato.document import Attempt, Release, Score
from sfumato.errors import NotMeasurable, Problem
from sfumato.measures.base import Metric
from sfumato.measures.measure import Prepared, prepare
from sfumato.measures.run import Measurement, chosen, measure_releases
from sfumato.models.cache import Folder
from sfumato.models.chat import Chat, Spent
from sfumato.models.chat.spent import Cost
from sfumato.recipe import Recipe

OnStep = Callable[[str, str], None]
"""Called with a method's name and what is about to be done with it."""


@dataclass(frozen=True)
class _Bench:
    """Everything but the method."""

    prepared: Prepared
    shelf: Shelf
    columns: Columns
    about: str
    """A digest of all that figures depend on besides the releases."""
    judge: str | None
    """The language model that attacks and metrics ask."""
    metrics: Sequence[str]
    settings: Mapping[str, Mapping[str, Any]]
    on_step: OnStep


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
    on_step: OnStep = lambda method, what: None,
    **given: Any,
) -> Comparison:
    """Every method on the originals, measured and attacked; ``given`` is what ``measures.measure.prepare`` takes.

    A method that asks a language model is run with each of ``chats``, ``repeats`` times; ``chat`` in ``given`` is the
    one that attacks and metrics ask.
    """
    named, names = runs_of(methods_of(methods), chats, repeats), chosen(metrics)
    columns = columns or Columns()
    with closing(Folder(cache)) if cache else nullcontext() as store:
        prepared = prepare(originals, columns=columns, store=store, **given)
        about, judge = _about(prepared, given), _named(given.get("chat"))
        bench = _Bench(prepared, Shelf(cache), columns, about, judge, names, settings or {}, on_step)
        return _compared(bench, named)


def _about(prepared: Prepared, given: Mapping[str, Any]) -> str:
    models = {kind: _named(given.get(kind, "default")) for kind in ("scorer", "embedder", "classifier")}
    models["chat"] = _named(given.get("chat"))
    material = prepared.material
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
    for run in runs:
        try:
            made = _made(bench, run, problems)
        except NothingReleased as error:  # the others may, and hours went into them
            empty.append(error)
            problems.append(Problem(run.name, str(error)))
            _charge(costs, run, error.spent, count)
            continue
        measurement, report = _judged(bench, run, made.releases, problems)
        found.setdefault(run.row, []).append(measurement)
        if report is not None:
            attacks[run.name] = report
        _charge(costs, run, made.spent, count)
    if not found:
        raise empty[0]
    measurements = {row: together(own) for row, own in found.items()}
    documents = len(bench.prepared.documents)
    names: dict[str, list[str]] = {}
    for run in runs:
        names.setdefault(run.row, []).append(run.name)
    several = {row: own for row, own in names.items() if len(own) > 1}
    return Comparison(measurements, attacks, documents, tuple(dict.fromkeys(problems)), costs, several)


def _charge(costs: dict[str, Cost], run: Run, spent: Spent, documents: int) -> None:
    if spent.questions:
        before = costs.get(run.row)
        total = spent + before.spent if before else spent
        costs[run.row] = Cost(run.chat.name if run.chat else "", 1 + (before.runs if before else 0), documents, total)


def _made(bench: _Bench, run: Run, problems: list[Problem]) -> Made:
    method = run.method
    bench.on_step(run.name, "anonymizing")
    documents = bench.prepared.documents
    make = partial(made_by, method, documents, bench.columns, problems.append, run.chat, run.number)
    if not isinstance(method.source, Recipe):
        return make()
    model = (run.chat.name, run.number) if run.chat else None
    files = method.source.files
    key = key_of(method.source.model_dump(mode="json"), corpus_digest(documents), model, *([files] if files else ()))
    made = bench.shelf.releases(key, documents, make)
    problems += remarks(run.name, method, documents, made)
    return made


def _judged(
    bench: _Bench, run: Run, releases: Sequence[Release], problems: list[Problem]
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
        bench.on_step(run.name, f"the attack {attack}")
        if not suite.is_by_name(attack):  # of an object nobody can tell here what it would do
            return suite.run(attack, texts, truth)
        own = suite.settings.get(attack) or {}
        judge = [bench.judge] if registry.asks("attack", attack, own) else []
        key = key_of(attack, suite.settings.get(attack), suite.background.digest, made, *judge)
        return bench.shelf.attempts(key, lambda: suite.run(attack, texts, truth))

    def remember(metric: Metric, own: Mapping[str, Any], measure: Callable[[], Score]) -> Score:
        if suite is not None and "attempts" in metric.asks:  # counted in no time from attempts that are kept
            return measure()
        key = key_of(metric.name, metric.version, {**metric.settings, **own}, bench.about, made)
        return bench.shelf.score(key, measure)

    material = bench.prepared.released(releases, attempts)
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
        on_metric=lambda name: bench.on_step(run.name, name),
        remember=remember,
    )
    return replace(measurement, problems=bench.prepared.problems), report


def _named(model: Any) -> str | None:
    return model if model is None or isinstance(model, str) else str(getattr(model, "name", type(model).__name__))
