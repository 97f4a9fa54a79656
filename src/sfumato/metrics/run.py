"""Run many metrics on originals and releases: scores for what can be measured, a reason for every other metric."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

from sfumato import registry
from sfumato.attacks.background import BackgroundLike, as_background
from sfumato.attacks.base import LinkingAttack
from sfumato.attacks.ground_truth import GroundTruth, match_subjects, unmatched_problems
from sfumato.attacks.suite import LazyAttempts, Settings, Suite
from sfumato.document import Attempt, Document, Release, Score, Span
from sfumato.errors import (
    InputError,
    MissingExtra,
    NotMeasurable,
    Problem,
    RecipeError,
    SfumatoError,
    UnknownName,
    WrongArgument,
    listed,
    suggest,
)
from sfumato.formats.base import Columns, OnProblem, format_for, record_format
from sfumato.formats.inputs import Corpus, Releases, as_documents, as_releases, is_aligned, is_mask_file, load_documents
from sfumato.formats.jsonl import read_objects
from sfumato.formats.spans import read_spans
from sfumato.formats.subject_table import read_id_table
from sfumato.llm.chat import Chat
from sfumato.metrics.adversaries import AdversaryComparison, compare_adversaries
from sfumato.metrics.base import MODELS, Annotations, MemoizedChat, Metric, MetricInput, ShownRecord
from sfumato.metrics.measurement import Measurement
from sfumato.models.base import Classifier, Embedder, TokenScorer, load_model
from sfumato.models.cache import Store, cached
from sfumato.progress import OnProgress, Progress, ignore_progress

_SHOWS_CLAIMS = "claims-privacy"
"""The metric that ``show_claims`` asks."""
ScoreCache = Callable[[Metric, Mapping[str, Any], Callable[[], Score]], Score]
"""Gives a metric's score with these settings: a cached one, or the result of the callable."""


class LazyModels:
    """Models by kind, given as objects or by name; a named one is loaded when it is first needed."""

    def __init__(self, *, store: Store | None = None, **models: Any) -> None:
        """``store``: where the outputs of models given by name are cached (default: in memory)."""
        self._models = models
        self._store = store
        self._failures: dict[str, str] = {}

    def get(self, kind: str) -> Any:
        """The model, or None where none was named. Raises NotMeasurable where it cannot be loaded."""
        model = self._models.get(kind)
        if isinstance(model, str) and kind not in self._failures:
            try:
                self._models[kind] = cached(load_model(kind, model), self._store)
            except SfumatoError as error:
                self._failures[kind] = str(error)
        if kind in self._failures:
            raise NotMeasurable(f"the {kind} cannot be used: {self._failures[kind]}")
        return self._models.get(kind)


def select_metrics(names: Iterable[str] | None) -> tuple[str, ...]:
    """The metrics of these names or families; all for None. Raises UnknownName for what is neither."""
    registered = registry.names("metric")
    if names is None:
        return tuple(registered)
    families = {metric: registry.get("metric", metric).family for metric in registered}
    selected: dict[str, None] = {}
    for name in names:
        members = [name] if name in families else [metric for metric in registered if families[metric] == name]
        if not members:
            raise UnknownName(f"no metric or family {name!r}: {suggest(name, [*registered, *set(families.values())])}")
        selected.update(dict.fromkeys(members))
    return tuple(selected)


def measure_releases(
    inputs: MetricInput,
    models: LazyModels,
    names: Sequence[str],
    *,
    settings: Settings | None = None,
    authors_compat: bool = False,
    on_progress: OnProgress = ignore_progress,
    score_cache: ScoreCache = lambda metric, settings, measure: measure(),
) -> Measurement:
    """Run each metric on these inputs; a model that they lack comes from ``models`` when a metric requires it."""
    settings = settings or {}
    for name, metric_settings in settings.items():
        registry.get("metric", name).check_settings(metric_settings)
    scores, refused, families = dict[str, Score](), dict[str, str](), dict[str, str]()
    aligned = any(is_aligned(release) for release in inputs.releases)
    for number, name in enumerate(names):
        on_progress(Progress("measuring", number, len(names), name))
        try:
            metric: Metric = registry.get("metric", name)
            families[name] = metric.family
            used = dict(settings.get(name, {}))
            if authors_compat and "authors_compat" in metric.settings:
                used.setdefault("authors_compat", True)
            score = score_cache(metric, used, partial(_measure, metric, inputs, models, used))
        except (NotMeasurable, MissingExtra) as reason:
            refused[name] = str(reason)
        else:
            scores[name] = replace(score, settings={**score.settings, "edits": "aligned"}) if aligned else score
    return Measurement(scores, refused, (), families)


def _measure(metric: Metric, inputs: MetricInput, models: LazyModels, settings: Mapping[str, Any]) -> Score:
    if inputs.synthesized is not None and "synthesized" not in metric.optional:
        raise NotMeasurable("it compares each original with its release, and a synthesized text stands for none")
    metric.check_inputs(inputs, MODELS)  # report a missing input before any model is loaded
    loaded = {kind: models.get(kind) for kind in MODELS if kind in metric.requires and getattr(inputs, kind) is None}
    return metric(replace(inputs, **loaded), **settings)


# -- From files or objects to measurements: ``sfumato.measure`` and the command of that name.


@dataclass(frozen=True)
class Evaluation:
    """Originals with all inputs of metrics, read once for any number of releases of them."""

    documents: Sequence[Document]
    inputs: MetricInput
    """Without releases."""
    models: LazyModels
    suite: Suite | None
    truth: GroundTruth | None
    problems: tuple[Problem, ...]

    def metric_input(
        self, releases: Sequence[Release], run: Callable[[str], Sequence[Attempt]] | None = None
    ) -> MetricInput:
        """The inputs for metrics on these releases; an attack runs when a metric reads its attempts."""
        if self.suite is None or self.truth is None:
            return replace(self.inputs, releases=releases)
        texts = {release.document.id: release.text for release in releases}
        run = run or partial(self.suite.run, released=texts, truth=self.truth)
        return replace(
            self.inputs, releases=releases, attempts=LazyAttempts(self.suite.names, run, self.suite.attack_settings())
        )


class EvaluationInputs(TypedDict, total=False):
    """What metrics and attacks may be given beside the texts; ``sfumato.measure`` says what each is."""

    gold: str | Path | Annotations | None
    subject_profiles: str | Path | Mapping[str, Any] | None
    labels: str | Path | Mapping[str, str] | None
    background: BackgroundLike | None
    background_columns: Columns | None
    attacks: Iterable[str | LinkingAttack] | None
    scorer: str | TokenScorer | None
    embedder: str | Embedder | None
    classifier: str | Classifier | None


def prepare_evaluation(
    originals: Corpus,
    columns: Columns,
    chat: Chat | None = None,
    store: Store | None = None,
    **given: Unpack[EvaluationInputs],
) -> Evaluation:
    """Read the originals and all inputs. ``chat``: the language model of attacks and metrics that use one."""
    allowed = EvaluationInputs.__optional_keys__
    if unknown := sorted(given.keys() - allowed):
        raise WrongArgument(f"there is no argument {unknown[0]!r}: {suggest(unknown[0], allowed)}")
    memoized = None if chat is None else MemoizedChat(chat)
    problems: list[Problem] = []
    documents = as_documents(originals, columns, problems.append)
    suite = truth = None
    attacks = given.get("attacks")
    if (background := given.get("background")) is not None:
        loaded = as_background(background, given.get("background_columns"), problems.append, columns)
        suite = Suite(loaded, attacks, chat=memoized)
        truth = match_subjects(documents, suite.background)
        problems += unmatched_problems(truth)
    elif attacks is not None:
        raise RecipeError("an attack was named, but not what the attacker knows: give --background FILE")
    if isinstance(labels := given.get("labels"), str | Path):
        read = load_values(Path(labels), "label", columns, problems.append)
        labels = {key: str(label) for key, label in read.items()}
    if isinstance(profiles := given.get("subject_profiles"), str | Path):
        profiles = load_values(Path(profiles), "subjects", columns, problems.append)
    inputs = MetricInput(
        releases=(),
        gold=_resolve_gold(given.get("gold"), documents, columns, problems.append),
        labels=labels,
        subjects=profiles,
        background=None if suite is None else suite.background,
        chat=memoized,
    )
    models = LazyModels(
        store=store,
        scorer=given.get("scorer", "default"),
        embedder=given.get("embedder", "default"),
        classifier=given.get("classifier"),
    )
    return Evaluation(documents, inputs, models, suite, truth, tuple(problems))


def measure_each(
    originals: Corpus,
    releases: Mapping[str, Releases],
    *,
    metrics: Iterable[str] | None = None,
    settings: Settings | None = None,
    authors_compat: bool = False,
    synthesized: bool = False,
    show_claims: Sequence[str] = (),
    columns: Columns | None = None,
    chat: Chat | None = None,
    adversaries: Sequence[Chat] = (),
    on_progress: OnProgress = ignore_progress,
    **inputs: Unpack[EvaluationInputs],
) -> dict[str, Measurement]:
    """Measure several releases of the same originals, by name; the originals are read and scored once.

    ``metrics``: names or families (default: all). ``settings``: by metric, then by setting. ``authors_compat``:
    reproduce the published numbers exactly, in the metrics that have such a setting. ``synthesized``: the releases are
    texts that stand for no original, as many as there are. ``show_claims``: ids of documents whose matches by the
    claims attack are to be shown, with original text. ``chat``: the language model of attacks and metrics that use one.
    ``adversaries``: further models, by each of which the metrics that asked ``chat`` are measured again.
    """
    columns = columns or Columns()
    _check_adversaries(chat, adversaries)
    names = select_metrics(metrics)
    evaluation = prepare_evaluation(originals, columns, chat, **inputs)
    if unknown := sorted(set(show_claims) - {document.id for document in evaluation.documents}):
        raise UnknownName(f"there is no document {unknown[0]!r} to show the claims of; check its id in the originals")
    measurements: dict[str, Measurement] = {}
    total = len(names) * len(releases)
    for number, (name, unread) in enumerate(releases.items()):
        problems = list(evaluation.problems)
        if synthesized:
            metric_input = _synthesized_input(evaluation, name, unread, columns, problems.append)
        else:
            read = as_releases(name, unread, evaluation.documents, columns, problems.append)
            metric_input = evaluation.metric_input(read)
        measurement = measure_releases(
            metric_input,
            evaluation.models,
            names,
            settings=settings,
            authors_compat=authors_compat,
            on_progress=_offset(on_progress, number * len(names), total),
        )
        privacy_settings = (settings or {}).get(_SHOWS_CLAIMS, {})
        records = _show_records(name, show_claims, metric_input, privacy_settings, problems.append)
        measure_by = partial(_measure_by, metric_input, evaluation.models, settings, authors_compat)
        compared = _compare_adversaries(name, measurement, chat, adversaries, measure_by, problems.append)
        measurements[name] = replace(
            measurement, problems=tuple(problems), records=tuple(records), adversaries=compared
        )
    return measurements


def _measure_by(
    inputs: MetricInput,
    models: LazyModels,
    settings: Settings | None,
    authors_compat: bool,
    chat: Chat,
    names: Sequence[str],
) -> Measurement:
    """These metrics with another language model."""
    asking = replace(inputs, chat=MemoizedChat(chat))
    return measure_releases(asking, models, names, settings=settings, authors_compat=authors_compat)


def _check_adversaries(chat: Chat | None, adversaries: Sequence[Chat]) -> None:
    if adversaries and chat is None:
        raise RecipeError("--adversary names further language models beside that of --chat: give --chat, too")
    names = [chat.name for chat in (chat, *adversaries) if chat is not None]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecipeError(f"two adversaries are called {twice[0]!r}, so their figures could not be told apart")


def _compare_adversaries(
    release: str,
    measurement: Measurement,
    chat: Chat | None,
    adversaries: Sequence[Chat],
    measure_by: Callable[[Chat, Sequence[str]], Measurement],
    on_problem: OnProblem,
) -> dict[str, AdversaryComparison]:
    """The metrics that asked the language model, by each adversary; reports those that cannot be compared."""
    if chat is None or not adversaries:
        return {}
    scores = {name: {chat.name: score} for name, score in measurement.scores.items() if score.cost.get("questions")}
    if not scores:
        on_problem(
            Problem(
                release,
                "no metric asked a language model, so adversaries have nothing to disagree on: set one that does, as "
                "--set cpr.profiler=chat",
            )
        )
    for adversary in adversaries:
        measured = measure_by(adversary, list(scores))
        for name, score in measured.scores.items():
            scores[name][adversary.name] = score
        for name, reason in measured.refused.items():
            on_problem(Problem(release, f"{name} by {adversary.name}: {reason}"))
    compared: dict[str, AdversaryComparison] = {}
    for name, by_adversary in scores.items():
        try:
            if len(by_adversary) > 1:
                compared[name] = compare_adversaries(by_adversary)
        except NotMeasurable as reason:
            on_problem(Problem(release, f"{name}: {reason}"))
    return compared


def _show_records(
    name: str, ids: Sequence[str], inputs: MetricInput, settings: Mapping[str, Any], on_problem: OnProblem
) -> list[ShownRecord]:
    """The records that were asked for; reports those that cannot be shown."""
    records: list[ShownRecord] = []
    why = "they have no release, or three claims at most"
    if ids:
        try:
            show = registry.get("metric", _SHOWS_CLAIMS).show
            records = show(ids, inputs.releases, chat=inputs.chat, synthesized=inputs.synthesized, **settings)
        except NotMeasurable as reason:
            why = str(reason)
    shown = {record.document_id for record in records}
    if missing := [key for key in ids if key not in shown]:
        on_problem(Problem(name, f"the claims of {listed(missing)} cannot be shown: {why}"))
    return records


def _synthesized_input(
    evaluation: Evaluation, name: str, unread: Releases, columns: Columns, on_problem: OnProblem
) -> MetricInput:
    """The inputs for metrics on synthesized texts, with the originals in place of releases."""
    if isinstance(unread, str | Path):
        texts = load_documents(Path(unread), columns, on_problem, "Synthesized texts are documents")
    elif isinstance(unread, Mapping):
        texts = [Document(str(key), text) for key, text in unread.items()]
    else:
        raise WrongArgument(f"{name}: synthesized texts are a path or {{id: text}}")
    originals = [Release(document) for document in evaluation.documents if document.text.strip()]
    return replace(evaluation.inputs, releases=originals, synthesized={text.id: text.text for text in texts})


def _offset(on_progress: OnProgress, first: int, total: int) -> OnProgress:
    return lambda event: on_progress(replace(event, done=first + event.done, total=total))


def _resolve_gold(
    gold: str | Path | Annotations | None, originals: Sequence[Document], columns: Columns, on_problem: OnProblem
) -> Annotations | None:
    if gold is None:  # the annotations that came with the originals, where any did
        return {item.id: item.annotations for item in originals if item.annotations is not None} or None
    if isinstance(gold, str | Path):
        return load_gold(Path(gold), originals, columns, on_problem)
    for document in originals:
        if any(span.end > len(document.text) for span in gold.get(document.id, ())):
            raise InputError(f"a reference span of document {document.id} ends after its text; check its offsets")
    return gold


# -- Readers of reference spans, labels and subject profiles, by document id.

_MENTION = re.compile(r"(T\d+)\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t|$)")
"""A line of brat's standoff files: ``T1<tab>LABEL 10 14<tab>words``."""


def read_brat(folder: Path, on_problem: OnProblem) -> Iterator[tuple[str, list[Span]]]:
    """Each document's id, which is the path of its .ann file in the folder without the suffix, and its mentions."""
    for path in sorted(folder.rglob("*.ann")):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            on_problem(Problem(path, "the file cannot be read as UTF-8; its document is left out of the reference"))
            continue
        spans: list[Span] = []
        for number, line in enumerate(lines, 1):
            if match := _MENTION.match(line):
                spans += _brat_spans(*match.groups())
            elif line.startswith("T"):
                on_problem(Problem(path, "the line is no mention of brat's (T1, tab, label and offsets)", number))
        yield path.relative_to(folder).with_suffix("").as_posix(), spans


def _brat_spans(name: str, label: str, places: str) -> Iterator[Span]:
    """A mention in several pieces is one entity: it is masked when all of them are."""
    pieces = [tuple(map(int, piece.split())) for piece in places.split(";")]
    for start, end in pieces:
        yield Span(start, end, label, source="gold", entity=name if len(pieces) > 1 else None)


_EXPECTED = (
    'Reference spans are TAB\'s JSON, lines with "annotations" or "entities", a file of sfumato detect, masks '
    "{id: [[start, end], ...]}, or a folder of .ann files"
)


def load_gold(path: Path, originals: Sequence[Document], columns: Columns, on_problem: OnProblem) -> Annotations:
    """Each original's reference spans.

    From annotated documents (TAB's JSON, or lines with ``annotations`` or ``entities``), from a file that
    ``sfumato detect`` wrote, a mask file, or a folder of brat's ``.ann`` files. Documents whose annotated text
    is not the original's are left out.
    """
    by_id = {document.id: document for document in originals}
    gold: dict[str, Sequence[Span]] = {}
    problems: list[Problem] = []
    for identifier, spans, text in _reference(path, columns, problems.append):
        if (document := by_id.get(identifier)) is None:
            continue
        if text is not None and text != document.text:
            wrong = f"document {identifier} was annotated on another text"
        elif any(span.end > len(document.text) for span in spans):
            wrong = f"a span of document {identifier} ends after its text"
        else:
            gold[identifier] = spans
            continue
        problems.append(Problem(path, f"{wrong}; its spans are left out"))
    if not gold:
        first = f" (the first of {len(problems)} problems: {problems[0]})" if problems else ""
        raise InputError(
            f"{path}: holds reference spans of not one original{first}; check that the ids are the originals'. "
            f"{_EXPECTED}"
        )
    for problem in problems:
        on_problem(problem)
    return gold


def _reference(path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[tuple[str, Sequence[Span], str | None]]:
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder; check the name")
    if path.is_dir() and any(path.rglob("*.ann")):
        yield from ((identifier, spans, None) for identifier, spans in read_brat(path, on_problem))
    elif is_mask_file(path) or _is_spans_file(path):
        yield from ((identifier, spans, None) for identifier, spans in read_spans(path, on_problem))
    else:
        for document in load_documents(path, columns, on_problem, _EXPECTED):
            if document.annotations is None:
                on_problem(Problem(path, f"document {document.id} has no annotations; it is left out of the reference"))
            else:
                yield document.id, document.annotations, document.text


def _is_spans_file(path: Path) -> bool:
    if path.suffix.lower() not in (".jsonl", ".ndjson") or not path.is_file():
        return False
    _, first = next(read_objects(path, lambda problem: None), (0, None))
    return isinstance(first, Mapping) and "spans" in first


def load_values(path: Path, column: str, columns: Columns, on_problem: OnProblem) -> dict[str, Any]:
    """What is said of each document by its id: ``{id: value}``, or a table or lines with the columns id and this."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; check the name")
    if path.suffix.lower() in (".json", ".jsonl", ".ndjson"):
        records = (record for _, record in read_id_table(path, column, on_problem) if isinstance(record, Mapping))
        pairs = ((_record_id(record, columns), record.get(column)) for record in records)
    elif (table_format := record_format(format_for(path))) is not None:
        # Read as documents whose text is the wanted column, so that all formats of tables work.
        documents = table_format.read(path, Columns(columns.id, column), on_problem)
        pairs = ((document.id, document.text) for document in documents)
    else:
        raise InputError(f"{path}: is no table; give {{id: {column}}} as .json, or .jsonl or .csv")
    values = {key: value for key, value in pairs if key and value not in (None, "")}
    if not values:
        raise InputError(f"{path}: holds no {column}; give {{id: {column}}} or the columns id and {column}")
    return values


def _record_id(record: Mapping[str, Any], columns: Columns) -> str:
    """A record's id, empty where it has none; the SPIA benchmark keeps it in ``metadata.data_id``."""
    inner = record.get("metadata")
    data_id = inner.get("data_id") if isinstance(inner, Mapping) else None
    ids = (record.get(columns.id or "id"), record.get("doc_id"), data_id, record.get("id"))
    return next((str(value) for value in ids if value is not None), "")
