"""From files or objects to measurements: what ``sfumato.measure`` and the command do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sfumato.attacks.background import BackgroundLike, as_background
from sfumato.attacks.base import LinkingAttack
from sfumato.attacks.suite import LazyAttempts, Settings, Suite
from sfumato.attacks.truth import Truth, about_truth, match
from sfumato.corpus import Columns, OnProblem
from sfumato.corpus.given import Corpus, Releases, as_documents, as_releases
from sfumato.document import Attempt, Document, Release
from sfumato.errors import InputError, Problem, RecipeError
from sfumato.measures.base import Annotations, Material
from sfumato.measures.gold import load_gold, load_labels, load_subjects, own_gold
from sfumato.measures.remember import RememberingChat
from sfumato.measures.run import Measurement, Models, OnMetric, chosen, measure_releases
from sfumato.models.base import Classifier, Embedder, TokenScorer
from sfumato.models.cache import Store
from sfumato.models.chat import Chat

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
