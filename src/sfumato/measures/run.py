"""Many metrics on one pair of originals and releases: what can be measured is, the rest is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sfumato import registry
from sfumato.attacks.suite import Settings
from sfumato.corpus.align import is_aligned
from sfumato.document import Score
from sfumato.errors import MissingExtra, NotMeasurable, Problem, SfumatoError, UnknownName, suggest
from sfumato.measures.base import MODELS, Material, Metric
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
