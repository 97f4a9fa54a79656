"""Many metrics on one pair of originals and releases: what can be measured is, the rest is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.attacks.background import BackgroundLike, as_background
from sfumato.attacks.base import LinkingAttack
from sfumato.attacks.ground_truth import Truth, about_truth, match
from sfumato.attacks.suite import LazyAttempts, Settings, Suite
from sfumato.document import Attempt, Document, Release, Score
from sfumato.errors import (
    InputError,
    MissingExtra,
    NotMeasurable,
    Problem,
    RecipeError,
    SfumatoError,
    UnknownName,
    suggest,
)
from sfumato.formats.base import Columns, OnProblem
from sfumato.formats.inputs import Corpus, Releases, as_documents, as_releases, is_aligned
from sfumato.llm.chat import Chat
from sfumato.metrics.base import MODELS, Annotations, Material, Metric, RememberingChat
from sfumato.metrics.gold import load_gold, load_labels, load_subjects, own_gold
from sfumato.models.base import Classifier, Embedder, TokenScorer
from sfumato.models.cache import Store

OnMetric = Callable[[str], None]
"""Called with a metric's name before it is measured."""

Remember = Callable[[Metric, Mapping[str, Any], Callable[[], Score]], Score]
"""A metric's score with these settings: one known from before, or what measuring now gives."""


@dataclass(frozen=True)
class Measurement:
    """What was measured of one set of releases, and why the rest was not."""

    scores: Mapping[str, Score]
    refused: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    families: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato measure --json`` prints it."""
        return {
            "metrics": {
                name: {
                    "value": score.value,
                    "interval": list(score.interval),
                    "n": score.n,
                    "higher_is_better": score.higher_is_better,
                    "settings": dict(score.settings),
                }
                for name, score in self.scores.items()
            },
            "refused": dict(self.refused),
            "cost": {name: dict(score.cost) for name, score in self.scores.items()},
            "problems": [str(problem) for problem in self.problems],
        }


class Models:
    """The models by kind, given as objects or by name, each loaded when first asked for."""

    def __init__(self, *, store: Store | None = None, **given: Any) -> None:
        """``store``: where answers of models given by name are kept; else in memory."""
        self._given = given
        self._store = store
        self._failed: dict[str, str] = {}

    def get(self, kind: str) -> Any:
        """The model, or None where none was named. Raises NotMeasurable where it cannot be loaded."""
        wanted = self._given.get(kind)
        if isinstance(wanted, str) and kind not in self._failed:
            try:
                self._given[kind] = _load(kind, wanted, self._store)
            except SfumatoError as error:
                self._failed[kind] = str(error)
        if kind in self._failed:
            raise NotMeasurable(f"the {kind} cannot be used: {self._failed[kind]}")
        return self._given.get(kind)


def _load(kind: str, name: str, store: Store | None) -> Any:
    from sfumato import models

    return models.cached(models.load(kind, name), store)


def _now(metric: Metric, settings: Mapping[str, Any], measure: Callable[[], Score]) -> Score:
    return measure()


def chosen(names: Iterable[str] | None) -> tuple[str, ...]:
    """The metrics of these names or families; without any, all. Raises UnknownName for what is neither."""
    known = registry.names("metric")
    if names is None:
        return tuple(known)
    found: dict[str, None] = {}
    for name in names:
        own = [name] if name in known else [one for one in known if registry.get("metric", one).family == name]
        if not own:
            families = {registry.get("metric", one).family for one in known}
            raise UnknownName(f"no metric or family {name!r}: {suggest(name, [*known, *families])}")
        found.update(dict.fromkeys(own))
    return tuple(found)


def measure_releases(
    material: Material,
    models: Models,
    names: Sequence[str],
    *,
    settings: Settings | None = None,
    authors_compat: bool = False,
    on_metric: OnMetric = lambda name: None,
    remember: Remember = _now,
) -> Measurement:
    """Each of the metrics on this material; the models it lacks come from ``models`` when a metric asks for them."""
    given = settings or {}
    for name, own in given.items():
        registry.get("metric", name).check_settings(own)
    scores, refused, families = dict[str, Score](), dict[str, str](), dict[str, str]()
    aligned = any(is_aligned(release) for release in material.releases)
    for name in names:
        on_metric(name)
        try:
            metric: Metric = registry.get("metric", name)
            families[name] = metric.family
            used = dict(given.get(name, {}))
            if authors_compat and "authors_compat" in metric.settings:
                used.setdefault("authors_compat", True)
            score = remember(metric, used, partial(_measured, metric, material, models, used))
        except (NotMeasurable, MissingExtra) as reason:
            refused[name] = str(reason)
        else:
            scores[name] = replace(score, settings={**score.settings, "edits": "aligned"}) if aligned else score
    return Measurement(scores, refused, (), families)


def _measured(metric: Metric, material: Material, models: Models, settings: Mapping[str, Any]) -> Score:
    metric.check_material(material, MODELS)  # what is missing is said before any model is loaded
    wanted = {kind: models.get(kind) for kind in MODELS if kind in metric.asks and getattr(material, kind) is None}
    return metric(replace(material, **wanted), **settings)


# -- From files or objects to measurements: what ``sfumato.measure`` and the command do.


RunAttack = Callable[[str], Sequence[Attempt]]


@dataclass(frozen=True)
class Prepared:
    """All that is measured against, read once for any number of releases of the same originals."""

    documents: Sequence[Document]
    material: Material
    models: Models
    suite: Suite | None
    truth: Truth | None
    problems: tuple[Problem, ...]

    def released(self, releases: Sequence[Release], run: RunAttack | None = None) -> Material:
        """The material of these releases; attacks run when a metric looks at their attempts."""
        if self.suite is None or self.truth is None:
            return replace(self.material, releases=releases)
        texts = {release.document.id: release.text for release in releases}
        own = run or partial(self.suite.run, released=texts, truth=self.truth)
        return replace(self.material, releases=releases, attempts=LazyAttempts(self.suite.names, own))


def prepare(
    originals: Corpus,
    *,
    gold: str | Path | Annotations | None = None,
    subjects: str | Path | Mapping[str, Any] | None = None,
    labels: str | Path | Mapping[str, str] | None = None,
    background: BackgroundLike | None = None,
    attacks: Iterable[str | LinkingAttack] | None = None,
    attack_settings: Settings | None = None,
    scorer: str | TokenScorer | None = "default",
    embedder: str | Embedder | None = "default",
    classifier: str | Classifier | None = None,
    chat: Chat | None = None,
    store: Store | None = None,
    columns: Columns | None = None,
    background_columns: Columns | None = None,
) -> Prepared:
    """Read the originals and what goes with them. ``chat``: the language model of attacks and metrics that ask one."""
    columns = columns or Columns()
    asked = None if chat is None else RememberingChat(chat)
    problems: list[Problem] = []
    documents = as_documents(originals, columns, problems.append)
    suite = truth = None
    if background is not None:
        known = as_background(background, background_columns, problems.append, columns)
        suite = Suite(known, attacks, attack_settings, asked)
        truth = match(documents, suite.background)
        problems += about_truth(truth)
    elif attacks is not None:
        raise RecipeError("an attack was named, but not what the attacker knows: give --background FILE")
    material = Material(
        releases=(),
        gold=_gold(gold, documents, columns, problems.append),
        labels=load_labels(Path(labels), columns, problems.append) if isinstance(labels, str | Path) else labels,
        subjects=(
            load_subjects(Path(subjects), columns, problems.append) if isinstance(subjects, str | Path) else subjects
        ),
        background=None if suite is None else suite.background,
        chat=asked,
    )
    models = Models(store=store, scorer=scorer, embedder=embedder, classifier=classifier)
    return Prepared(documents, material, models, suite, truth, tuple(problems))


def measure_each(
    originals: Corpus,
    releases: Mapping[str, Releases],
    *,
    metrics: Iterable[str] | None = None,
    settings: Settings | None = None,
    authors_compat: bool = False,
    columns: Columns | None = None,
    on_metric: OnMetric = lambda name: None,
    **given: Any,
) -> dict[str, Measurement]:
    """Several releases of the same originals, by name; the originals are read, and scored, once.

    ``metrics``: names or families (all). ``settings``: by metric, then by setting. ``authors_compat``: meet the
    published numbers, quirks and all, in the metrics that have such a setting. ``given``: what ``prepare`` takes.
    """
    columns = columns or Columns()
    names = chosen(metrics)
    prepared = prepare(originals, columns=columns, **given)
    measured: dict[str, Measurement] = {}
    for name, one in releases.items():
        own = list(prepared.problems)
        found = as_releases(name, one, prepared.documents, columns, own.append)
        measured[name] = replace(
            measure_releases(
                prepared.released(found),
                prepared.models,
                names,
                settings=settings,
                authors_compat=authors_compat,
                on_metric=on_metric,
            ),
            problems=tuple(own),
        )
    return measured


def _gold(
    given: str | Path | Annotations | None, originals: Sequence[Document], columns: Columns, on_problem: OnProblem
) -> Annotations | None:
    if given is None:
        return own_gold(originals)
    if isinstance(given, str | Path):
        return load_gold(Path(given), originals, columns, on_problem)
    for document in originals:
        if any(span.end > len(document.text) for span in given.get(document.id, ())):
            raise InputError(f"a reference span of document {document.id} ends after its text; check its offsets")
    return given
