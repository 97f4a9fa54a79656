"""From files or objects to measurements: what ``sfumato.measure`` and the command do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.corpus import Columns, OnProblem
from sfumato.document import Document, Release
from sfumato.errors import InputError, Problem
from sfumato.measures.base import Annotations, Material
from sfumato.measures.load import from_texts, load_documents, load_releases, matched
from sfumato.measures.load_gold import load_gold, load_labels, load_subjects, own_gold
from sfumato.measures.run import Measurement, Models, OnMetric, chosen, measure_releases
from sfumato.models.base import Classifier, Embedder, TokenScorer

Corpus = str | Path | Mapping[str, str] | Iterable[Document]
Releases = str | Path | Mapping[str, str] | Iterable[Release]
Settings = Mapping[str, Mapping[str, Any]]


def measure_each(
    originals: Corpus,
    releases: Mapping[str, Releases],
    *,
    metrics: Iterable[str] | None = None,
    gold: str | Path | Annotations | None = None,
    subjects: str | Path | Mapping[str, Any] | None = None,
    labels: str | Path | Mapping[str, str] | None = None,
    background: Corpus | None = None,
    scorer: str | TokenScorer | None = "default",
    embedder: str | Embedder | None = "default",
    classifier: str | Classifier | None = None,
    settings: Settings | None = None,
    authors_compat: bool = False,
    columns: Columns | None = None,
    on_metric: OnMetric = lambda name: None,
) -> dict[str, Measurement]:
    """Several releases of the same originals, by name; the originals are read, and scored, once.

    ``metrics``: names or families (all). ``gold``: reference spans (else the originals' own annotations). ``labels``:
    a label per document. ``settings``: by metric, then by setting. ``authors_compat``: meet the published numbers,
    quirks and all, in the metrics that have such a setting.
    """
    columns = columns or Columns()
    names = chosen(metrics)
    problems: list[Problem] = []
    documents = _documents(originals, columns, problems.append)
    material = Material(
        releases=(),
        gold=_gold(gold, documents, columns, problems.append),
        labels=load_labels(Path(labels), columns, problems.append) if isinstance(labels, str | Path) else labels,
        subjects=(
            load_subjects(Path(subjects), columns, problems.append) if isinstance(subjects, str | Path) else subjects
        ),
        background=None if background is None else _documents(background, columns, problems.append),
    )
    models = Models(scorer=scorer, embedder=embedder, classifier=classifier)
    measured: dict[str, Measurement] = {}
    for name, given in releases.items():
        own = list(problems)
        found = _releases(name, given, documents, columns, own.append)
        measured[name] = replace(
            measure_releases(
                replace(material, releases=found),
                models,
                names,
                settings=settings,
                authors_compat=authors_compat,
                on_metric=on_metric,
            ),
            problems=tuple(own),
        )
    return measured


def _documents(given: Corpus, columns: Columns, on_problem: OnProblem) -> list[Document]:
    if isinstance(given, str | Path):
        return load_documents(Path(given), columns, on_problem)
    if isinstance(given, Mapping):
        return [Document(str(key), text) for key, text in given.items()]
    documents = list(given)
    if strange := [item for item in documents if not isinstance(item, Document)]:
        raise TypeError(f"a corpus is a path, {{id: text}} or documents, not a list of {type(strange[0]).__name__}")
    if len({document.id for document in documents}) < len(documents):
        raise InputError("two documents have the same id; give each one its own")
    return documents


def _releases(
    name: str, given: Releases, originals: Sequence[Document], columns: Columns, on_problem: OnProblem
) -> list[Release]:
    if isinstance(given, str | Path):
        return load_releases(Path(given), originals, columns, on_problem)
    by_id = {document.id: document for document in originals}
    if isinstance(given, Mapping):
        return from_texts(name, by_id, {str(key): text for key, text in given.items()}, on_problem)
    releases = list(given)
    for release in releases:
        if release.document.id in by_id and release.document.text != by_id[release.document.id].text:
            raise InputError(f"the release of document {release.document.id} was made from another text")
    return matched(name, by_id, ((release.document.id, release) for release in releases), on_problem)


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
