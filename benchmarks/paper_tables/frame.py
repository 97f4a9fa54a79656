"""Tables of methods × metrics: what a module declares, and how it is run with every cell kept in a folder."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato import recipe as recipes
from sfumato.attacks.background import as_background
from sfumato.cache import SqliteStore, cache_key
from sfumato.comparison.compare import ResultCache, corpus_key, releases_key
from sfumato.comparison.methods import (
    EVERYTHING,
    NOTHING,
    MethodResult,
    NothingReleased,
    parse_methods,
    run_method,
)
from sfumato.document import Document, Release, Score
from sfumato.errors import MissingExtra, NotMeasurable, Problem, RecipeError, SfumatoError, UnknownName, suggest
from sfumato.formats.base import Columns
from sfumato.llm.chat import Chat
from sfumato.llm.usage import Usage
from sfumato.metrics.base import Metric, MetricInput
from sfumato.metrics.run import Evaluation, EvaluationInputs, measure_releases, prepare_evaluation
from sfumato.models.cache import FolderStore
from sfumato.recipe import Recipe

# -- What a module declares.

Source = str | Path | Recipe | Mapping[str, str] | Sequence[Release] | Callable[[str], str]
"""Where releases come from: what ``sfumato.compare`` takes for a method."""


@dataclass(frozen=True)
class Make:
    """Makes releases in a way that no recipe does. ``key`` says what they depend on besides documents and model."""

    key: str
    run: Callable[[Sequence[Document], Chat | None], MethodResult]
    asks: bool = False


@dataclass(frozen=True)
class Row:
    """A method. ``published``: by the title of a column, the figure of the publication as text."""

    name: str
    source: Source | Make
    published: Mapping[str, str] = field(default_factory=dict)
    trir: str | None = None
    """The column's name in the file of TRIR figures, where it is not the row's."""


@dataclass(frozen=True)
class Column:
    """A metric by name with its settings; or ``compute``, for what no metric of the product says."""

    title: str
    metric: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    compute: Callable[[MetricInput], Score] | None = None
    asks: bool = False
    """Whether it asks the language model: then its cells depend on the model, and need --llm."""
    higher_is_better: bool = True


@dataclass(frozen=True)
class Corpus:
    """Documents with the inputs of metrics, such as ``background``, ``gold`` or ``labels``."""

    name: str
    title: str
    documents: Sequence[Document]
    inputs: EvaluationInputs = field(default_factory=EvaluationInputs)
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By metric, settings that only the data give, such as the questions of an exam."""

    def drawn(self, limit: int | None, seed: int) -> Corpus:
        """The corpus with at most so many documents, drawn by the seed, in their order; all inputs stay."""
        if limit is None or limit >= len(self.documents):
            return self
        kept = sorted(random.Random(seed).sample(range(len(self.documents)), limit))
        return replace(self, documents=[self.documents[index] for index in kept])


@dataclass(frozen=True)
class Table:
    """A table of a paper. ``corpora`` and ``rows`` read the folder of the data."""

    name: str
    title: str
    corpora: Callable[[Path], Sequence[Corpus]]
    rows: Callable[[Path, Corpus], Sequence[Row]]
    columns: Sequence[Column]
    notes: Sequence[str] = ()
    """Where ours and the published figures are not of the same data, model or settings."""
    has_trir: bool = False
    """Whether a column shows TRIR from the file of --trir."""
    closing: Callable[[Corpus, Sequence[Result]], str] | None = None
    """A line beneath the table, such as a correlation of two columns."""


# -- What comes out.


@dataclass
class Result:
    """A row with its figures, by the title of the column: a score, or why there is none."""

    row: Row
    documents: int
    scores: dict[str, Score] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    released: int = 0
    used_fallback: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: float | None = None
    """By the clock, for all documents, in the run that made the releases."""
    failure: str = ""
    """Why there are no releases."""
    not_run: bool = False
    """Whether they are missing because the run was not given what they need."""

    def to_json(self) -> dict[str, Any]:
        scores = {
            title: {"value": score.value, "interval": list(score.interval), "n": score.n, "settings": score.settings}
            for title, score in self.scores.items()
        }
        return {
            "row": self.row.name,
            "documents": self.documents,
            "released": self.released,
            "used_fallback": self.used_fallback,
            "failure": self.failure,
            "scores": scores,
            "reasons": self.reasons,
            "published": dict(self.row.published),
            "seconds": self.seconds,
            "usage": self.usage.to_json(),
        }


# -- Running.


class Cells:
    """The folder of a table's cells: releases, scores, outputs of models, and the seconds that each took."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.models = FolderStore(folder)
        self._results = ResultCache(folder)
        self._seconds = SqliteStore(folder / "seconds.sqlite")

    def releases(
        self, key: str, documents: Sequence[Document], compute: Callable[[], MethodResult]
    ) -> tuple[MethodResult, float | None]:
        result = self._results.releases(key, documents, partial(self._timed, f"releases {key}", compute))
        return result, self._read_seconds(f"releases {key}")

    def score(self, key: str, compute: Callable[[], Score]) -> Score:
        return self._results.score(key, compute)

    def close(self) -> None:
        self._results.close()
        self._seconds.close()
        self.models.close()

    def _timed(self, key: str, compute: Callable[[], MethodResult]) -> MethodResult:
        began = time.monotonic()
        result = compute()
        self._seconds.put(key.encode(), json.dumps(time.monotonic() - began).encode())
        return result

    def _read_seconds(self, key: str) -> float | None:
        stored = self._seconds.get(key.encode())
        return None if stored is None else float(json.loads(stored))


@dataclass
class TableRun:
    """One run of a table on one corpus."""

    table: Table
    corpus: Corpus
    cells: Cells
    chat: Chat | None = None
    judge: Chat | None = None
    """Whom columns ask, the attackers among them; the methods' own model where none is named."""

    def results(self, rows: Sequence[Row]) -> Iterator[Result]:
        """Each row as it is done; one that fails says why, and the others follow."""
        for row in rows:
            report(f"{self.corpus.name}: {row.name}")
            yield self._result(row)

    def _result(self, row: Row) -> Result:
        documents = self.corpus.documents
        result = Result(row, len(documents))
        try:
            if self.chat is None and _asks(row):
                result.failure, result.not_run = "needs --llm", True
                return result
            made, result.seconds = self._releases(row)
        except NothingReleased as error:
            result.failure, result.usage = str(error), error.usage
            return result
        except SfumatoError as error:
            result.failure, result.not_run = str(error), isinstance(error, MissingExtra | RecipeError)
            return result
        result.released, result.usage, result.used_fallback = len(made.releases), made.usage, made.used_fallback
        self._export(row, made.releases)
        key = releases_key(made.releases)
        for column in self.table.columns:
            try:
                result.scores[column.title] = self._score(column, made.releases, key)
            except (NotMeasurable, MissingExtra) as reason:
                result.reasons[column.title] = str(reason)
        return result

    def _releases(self, row: Row) -> tuple[MethodResult, float | None]:
        documents, source = self.corpus.documents, row.source
        model = self.chat.name if self.chat is not None and _asks(row) else None
        if isinstance(source, Make):
            key = cache_key("made", source.key, corpus_key(documents), model, _own_code())
            return self.cells.releases(key, documents, lambda: source.run(documents, self.chat))
        (method,) = parse_methods({row.name: source})
        given = self.corpus.inputs.get("background")
        reads = isinstance(method.source, Recipe) and method.source.reads_background
        people = as_background(given) if reads and given is not None else None
        compute = partial(
            run_method, method, documents, Columns(), _ignore, self.chat if model else None, background=people
        )
        if not isinstance(method.source, Recipe):
            return compute(), None
        # The annotations are what the detector gold reads.
        annotations = [document.annotations for document in documents]
        key = cache_key(
            method.source.model_dump(mode="json"),
            corpus_key(documents),
            annotations,
            model,
            method.source.files,
            *([people.digest] if people is not None else ()),
        )
        return self.cells.releases(key, documents, compute)

    def _score(self, column: Column, releases: Sequence[Release], key_of_releases: str) -> Score:
        judge = self.judge or self.chat
        if column.asks and judge is None:
            raise NotMeasurable("needs --llm")
        model = judge.name if judge is not None and column.asks else None
        inputs = self._evaluation.metric_input(releases)
        if column.compute is not None:
            key = cache_key(
                "computed", column.title, dict(column.settings), self._key, key_of_releases, model, _own_code()
            )
            return self.cells.score(key, partial(column.compute, inputs))

        def cached(metric: Metric, settings: Mapping[str, Any], measure: Callable[[], Score]) -> Score:
            used = {**metric.settings, **settings}
            key = cache_key(
                metric.name, metric.version, used, self._key, key_of_releases, model, *self._attacks_of(metric)
            )
            return self.cells.score(key, measure)

        settings = {**self.corpus.settings.get(column.metric, {}), **column.settings}
        measurement = measure_releases(
            inputs,
            self._evaluation.models,
            [column.metric],
            settings={column.metric: settings} if settings else None,
            score_cache=cached,
        )
        if column.metric in measurement.refused:
            raise NotMeasurable(measurement.refused[column.metric])
        return measurement.scores[column.metric]

    def _attacks_of(self, metric: Metric) -> list[str]:
        """What the figures of a metric depend on that counts attacks: a new one makes them anew."""
        suite = self._evaluation.suite
        return list(suite.names) if suite is not None and "attempts" in metric.requires else []

    @cached_property
    def _evaluation(self) -> Evaluation:
        judge = self.judge or self.chat
        return prepare_evaluation(self.corpus.documents, Columns(), judge, self.cells.models, **self.corpus.inputs)

    @cached_property
    def _key(self) -> str:
        """Of everything that scores depend on besides the releases."""
        inputs: dict[str, Any] = dict(self.corpus.inputs)
        if (background := inputs.pop("background", None)) is not None:
            inputs["background"] = as_background(background).digest
        return cache_key(corpus_key(self.corpus.documents), inputs)

    def _export(self, row: Row, releases: Sequence[Release]) -> None:
        """The released texts by document, for TRIR on an accelerator, unless it has them from the data."""
        if row.trir is not None:
            return
        path = self.cells.folder / "releases" / self.corpus.name / f"{row.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = {release.document.id: release.text for release in releases}
        path.write_text(json.dumps(texts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def select_rows(rows: Sequence[Row], names: Sequence[str] | None) -> list[Row]:
    """The table's rows of these names; any other recipe or method of the product becomes a row of its own."""
    if names is None:
        return list(rows)
    by_name = {row.name: row for row in rows}
    known = [*by_name, NOTHING, EVERYTHING, *recipes.methods()]
    for name in names:
        if name not in known:
            raise UnknownName(f"--methods: no row {name!r}: {suggest(name, known)}")
    return [by_name.get(name) or Row(name, name) for name in names]


def select_corpora(corpora: Sequence[Corpus], names: Sequence[str] | None) -> list[Corpus]:
    """Those of these names."""
    known = [corpus.name for corpus in corpora]
    for name in names or ():
        if name not in known:
            raise UnknownName(f"--corpora: no corpus {name!r}: {suggest(name, known)}")
    return [corpus for corpus in corpora if names is None or corpus.name in names]


def select_columns(table: Table, titles: Sequence[str] | None) -> Table:
    """The table with the columns of these titles only."""
    if titles is None:
        return table
    known = [column.title for column in table.columns]
    for title in titles:
        if title not in known:
            raise UnknownName(f"--columns: no column {title!r}: {suggest(title, known)}")
    return replace(table, columns=[column for column in table.columns if column.title in titles])


def report(message: str) -> None:
    """Progress, apart from the table."""
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def _asks(row: Row) -> bool:
    if isinstance(row.source, Make):
        return row.source.asks
    (method,) = parse_methods({row.name: row.source})
    return isinstance(method.source, Recipe) and bool(method.source.asking)


def _ignore(problem: Problem) -> None:
    """Releases of documents outside of the sample are no problem."""


def _own_code() -> str:
    """A fingerprint of these modules but the one that prints, for cells that their own functions compute."""
    files = sorted(path for path in Path(__file__).parent.glob("*.py") if path.stem != "markdown")
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
