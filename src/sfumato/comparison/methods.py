"""Anonymization methods to compare: how a user names them, their releases of a corpus, and repeated runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from sfumato import recipe as recipes
from sfumato import registry
from sfumato.attacks.background import Background
from sfumato.document import Document, Edit, Release, Score, Span, Withheld
from sfumato.errors import InputError, Problem, RecipeError, UnknownName, WrongArgument, suggest
from sfumato.formats.base import Columns, OnProblem
from sfumato.formats.inputs import Releases, align_release, as_releases
from sfumato.llm.chat import Chat, ChatWrapper, Reply, Request
from sfumato.llm.settings import open_chat
from sfumato.llm.usage import Usage
from sfumato.metrics.measurement import Measurement
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.vault.key import Key

NOTHING, EVERYTHING = "none", "all"
"""The two baselines: texts unchanged, and texts removed."""
_FIXED = b"sfumato compare: invented values come out the same each time"
"""Not secret, and need not be: compared releases are not published."""
_REASONS = 3
"""The most reasons that a message gives."""

Function = Callable[[str], str]
"""A method as a function from a text to its release."""
Methods = Iterable[str | Path | Recipe] | Mapping[str, str | Path | Recipe | Releases | Function]


@dataclass(frozen=True)
class Method:
    """A name and where the releases come from: a recipe, a function, existing releases, or a baseline."""

    name: str
    source: Any


def parse_methods(given: Methods) -> list[Method]:
    """Raises where a name comes twice or is unknown."""
    if isinstance(given, Mapping):
        methods = [
            Method(str(name), _resolve_source(source) if isinstance(source, str | Path) else source)
            for name, source in given.items()
        ]
    elif isinstance(given, str | Path) or not isinstance(given, Iterable):
        raise WrongArgument(f"methods: a list of them, or {{name: method}}, not {type(given).__name__}")
    else:
        methods = [_method(item) for item in given]
    if not methods:
        raise RecipeError("no method was named; give a recipe, NAME=FILE with releases, none or all")
    names = [method.name for method in methods]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecipeError(f"two methods are called {twice[0]!r}; name one of them: other={twice[0]}")
    return methods


def _method(given: str | Path | Recipe) -> Method:
    if isinstance(given, Recipe):
        return Method(given.name, given)
    if not isinstance(given, str | Path):
        raise WrongArgument(
            f"a method is a name, a path or a recipe, not {type(given).__name__}; functions and releases are given by "
            'name: {"mine": function}'
        )
    text = str(given)
    # A file name, and the options of a method, may contain an equals sign.
    is_whole = Path(text).exists() or recipes.has_options(text)
    name, equals, rest = ("", "", text) if is_whole else text.partition("=")
    try:
        source = _resolve_source(rest if equals else text)
    except UnknownName as unknown:
        if not equals:
            raise
        raise InputError(f"{rest}: there is no such file or folder of releases, and {unknown}") from None
    if name and equals:
        return Method(name, source)
    if isinstance(source, Path):
        return Method(source.name.removesuffix(".masks.json").removesuffix(source.suffix) or text, source)
    if isinstance(source, Recipe) and text.endswith(".toml") and not recipes.has_options(text):
        return Method(source.name, source)
    return Method(text, source)


def _resolve_source(given: str | Path) -> str | Path | Recipe:
    text = str(given)
    if text in (NOTHING, EVERYTHING):
        return text
    if recipes.has_options(text) or text.endswith(".toml") or text in recipes.names():
        return recipes.load(text)
    if Path(text).exists():
        return Path(text)
    names = [NOTHING, EVERYTHING, *recipes.methods()]
    if text in names or (text.startswith(recipes.PUBLISHED) and recipes.why_no_recipe(text)):
        return recipes.load(text)
    if Path(text).suffix or "/" in text or "\\" in text:
        raise InputError(f"{text}: there is no such file or folder of releases; check the name")
    raise UnknownName(f"no method {text!r}: {suggest(text, names)}, or name a recipe (.toml) or a file of releases")


class NothingReleased(InputError):
    """A recipe withholds every document. ``usage``: what finding that out cost."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


class MethodResult(NamedTuple):
    """A method's releases, and what it used of a language model."""

    releases: list[Release]
    usage: Usage
    used_fallback: int = 0
    """How many of them are what the other detectors alone made, because the model failed."""


def run_method(
    method: Method,
    documents: Sequence[Document],
    columns: Columns,
    on_problem: OnProblem,
    chat: Chat | None = None,
    run: int = 1,
    background: Background | None = None,
) -> MethodResult:
    """The method's releases of the documents, in their order, without those that it withholds.

    Raises ``NothingReleased`` where it withholds all. ``run``: repeated runs have different seeds. ``background``: for
    methods that read one.
    """
    if isinstance(method.source, Recipe):
        return _run_recipe(method, documents, chat, run, background)
    return MethodResult(_other_releases(method, documents, columns, on_problem), Usage())


def _other_releases(
    method: Method, documents: Sequence[Document], columns: Columns, on_problem: OnProblem
) -> list[Release]:
    if method.source == NOTHING:
        return [Release(document) for document in documents if document.text.strip()]
    if method.source == EVERYTHING:
        return [
            Release(document, (Edit(Span(0, len(document.text), "MISC", source=EVERYTHING), ""),))
            for document in documents
            if document.text.strip()
        ]
    source = _apply_function(method, documents) if callable(method.source) else method.source
    return as_releases(method.name, source, documents, columns, on_problem)


def _apply_function(method: Method, documents: Sequence[Document]) -> dict[str, str]:
    texts = {document.id: method.source(document.text) for document in documents if document.text.strip()}
    if wrong := [text for text in texts.values() if not isinstance(text, str)]:
        raise WrongArgument(
            f"the method {method.name!r} takes a text and gives back its release, a str; it gave "
            f"{type(wrong[0]).__name__}"
        )
    return texts


def _run_recipe(
    method: Method, documents: Sequence[Document], chat: Chat | None, run: int, background: Background | None
) -> MethodResult:
    key = Key(_FIXED if run == 1 else _FIXED + b" in run %d" % run)
    pipeline = Pipeline(method.source, key=key, chat=chat, background=background)
    pipeline.learn(lambda: documents)
    outcomes = list(pipeline.anonymize(document for document in documents if document.text.strip()))
    released = [outcome for outcome in outcomes if isinstance(outcome, Release)]
    # A rewritten text is measured like one made elsewhere: its edits come from an alignment with the original.
    releases = [item if item.rewrite is None else align_release(item.document, item.rewrite) for item in released]
    usage = sum(pipeline.usage.values(), start=Usage())
    if not releases:
        why = Counter(outcome.reason for outcome in outcomes if isinstance(outcome, Withheld)).most_common(_REASONS)
        raise NothingReleased(
            f"the method {method.name!r} releases not one document ({'; '.join(reason for reason, _ in why)}); "
            'try uncovered = "release" or failed = "fallback" in it',
            usage,
        )
    return MethodResult(releases, usage, sum(release.fallback_reason is not None for release in released))


def method_warnings(name: str, method: Method, documents: Sequence[Document], result: MethodResult) -> list[Problem]:
    """About documents that the method withholds, or releases by its fallback."""
    if not isinstance(method.source, Recipe):
        return []
    warnings = []
    if count := sum(bool(document.text.strip()) for document in documents) - len(result.releases):
        warnings.append(Problem(name, f"withholds {count} documents, which are left out of its figures"))
    if result.used_fallback:
        why = "the language model failed on them, and its figures have them as the other detectors alone make them"
        warnings.append(Problem(name, f"{result.used_fallback} of {len(result.releases)} documents fell back: {why}"))
    return warnings


# -- Runs of a method with several language models, or several times.

_SAMPLES_PER_RUN = 10_000
"""No method asks the same question so often in one run."""


@dataclass(frozen=True)
class MethodRun:
    """One run of a method."""

    method: Method
    row: str
    """The row of the table that it belongs to: the method, and the model where there are several."""
    number: int = 1
    chat: Chat | None = None

    @property
    def name(self) -> str:
        return self.row if self.number == 1 else f"{self.row} (run {self.number})"


class RepeatedChat(ChatWrapper):
    """A chat for another run of the same questions: other sample indices and seeds, so also other cache entries."""

    def __init__(self, chat: Chat, number: int) -> None:
        super().__init__(chat)
        self._number = number

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        shift = _SAMPLES_PER_RUN * (self._number - 1)
        shifted = []
        for request in requests:
            seed = None if request.seed is None else request.seed + shift
            shifted.append(replace(request, sample_index=request.sample_index + shift, seed=seed))
        return super().ask_unordered(shifted)


def plan_runs(methods: Sequence[Method], chats: Sequence[Chat], repeats: int) -> list[MethodRun]:
    """Methods that ask a language model run with each chat, ``repeats`` times; others once."""
    runs = list(_runs(methods, chats, repeats))
    names = [run.name for run in runs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecipeError(f"two rows of the table would be called {twice[0]!r}; name one of the methods otherwise")
    if chats and not any(run.chat for run in runs):
        raise RecipeError(
            "none of the methods asks a language model, and one was given to them: choose one that asks (sfumato "
            "methods), or give it to attacks and metrics (--judge, or judge=...)"
        )
    return runs


def _runs(methods: Sequence[Method], chats: Sequence[Chat], repeats: int) -> Iterator[MethodRun]:
    if repeats < 1:
        raise RecipeError(f"a method is run once or more often; got {repeats}")
    display_names = _display_names([chat.name for chat in chats])
    for method in methods:
        recipe = method.source if isinstance(method.source, Recipe) else None
        if recipe is None or not recipe.asking:
            yield MethodRun(method, method.name)
            continue
        if not chats and recipe.chat is None:
            raise registry.no_chat(repr(recipe.asking[0]))
        for chat in chats or [open_chat(str(recipe.chat))]:
            row = method.name if len(chats) < 2 else f"{method.name} @ {display_names[chat.name]}"
            for number in range(1, repeats + 1):
                yield MethodRun(method, row, number, RepeatedChat(chat, number) if number > 1 else chat)


def _display_names(names: Sequence[str]) -> dict[str, str]:
    """The names of language models without their servers, where they differ without them."""
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecipeError(
            f"the language model {twice[0]} was given twice; a method is run again with --repeat N, or repeats=N"
        )
    short = [name.partition("@")[0] for name in names]
    return dict(zip(names, short if len(set(short)) == len(short) else names, strict=True))


def combine_runs(runs: Sequence[Measurement]) -> Measurement:
    """One measurement of several runs: the mean of each metric, and its standard deviation over runs.

    The interval is the mean of the runs' intervals and is about documents. ``spread`` in the settings, the standard
    deviation over runs, is about the language model. A metric that one run could not measure is refused.
    """
    if len(runs) == 1:
        return runs[0]
    refused: dict[str, str] = {}
    for number, run in enumerate(runs, 1):
        refused |= {name: f"in run {number}, {reason}" for name, reason in run.refused.items() if name not in refused}
    scores = {
        name: _mean_score([run.scores[name] for run in runs])
        for name in runs[0].scores
        if all(name in run.scores for run in runs)
    }
    problems = tuple(dict.fromkeys(problem for run in runs for problem in run.problems))
    return Measurement(scores, refused, problems, runs[0].families)


def _mean_score(scores: Sequence[Score]) -> Score:
    values = [score.value for score in scores]
    value = fmean(values)
    low, high = (fmean(bounds) for bounds in zip(*(score.interval for score in scores), strict=True))
    shared = [key for key in scores[0].per_document if all(key in score.per_document for score in scores)]
    per_document = {key: fmean(score.per_document[key] for score in scores) for key in shared}
    settings: dict[str, Any] = {**scores[0].settings, "runs": values, "spread": stdev(values)}
    if "attack" in settings:  # the strongest need not be the same in each run
        settings["attack"] = ", ".join(dict.fromkeys(str(score.settings["attack"]) for score in scores))
    cost = _summed([score.cost for score in scores])
    # Rounding must not move the mean of equal values out of an interval that ends there.
    interval, n = (min(low, value), max(high, value)), min(score.n for score in scores)
    return Score(scores[0].metric, value, interval, n, per_document, scores[0].higher_is_better, settings, cost)


def _summed(costs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {kind: sum(cost.get(kind, 0) for cost in costs) for kind in dict.fromkeys(chain.from_iterable(costs))}
