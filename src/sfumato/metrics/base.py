"""The ``@metric`` decorator and the inputs that a metric can require.

A metric is a function declared by ``@metric``. Its parameters without a default name the inputs it requires:
``releases`` (each carries its original) and any other field of ``MetricInput``. Parameters with a default are its
settings, except ``chat: Chat | None = None``, the language model of a metric that also works without one, and
``synthesized: Mapping[str, str] | None = None``, which a metric takes in place of one release of each original.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sfumato.document import Attempt, Release, Score, Span
from sfumato.errors import NotMeasurable, RecipeError, suggest
from sfumato.llm.chat import Chat, ChatWrapper, Reply, Request
from sfumato.llm.usage import CountsUsage, Usage
from sfumato.models.base import Classifier, Embedder, TokenScorer
from sfumato.statistics import Estimate

if TYPE_CHECKING:
    from sfumato.attacks.background import Background


PROMPTS = Path(__file__).parent / "prompts"
BY_TYPE, ALL_TYPES = "by_type", "all"
"""A table in a score's settings: by type of entity, then by column, shares or means; and its row for all types."""
Annotations = Mapping[str, Sequence[Span]]
"""Document id -> reference spans of all annotators (``Span.annotator`` tells them apart)."""


@dataclass(frozen=True)
class MetricInput:
    """Everything a metric can require by parameter name; None where the user did not give it."""

    releases: Sequence[Release]
    gold: Annotations | None = field(default=None, metadata={"give": "reference spans (--gold FILE)"})
    labels: Mapping[str, str] | None = field(default=None, metadata={"give": "a label per document (--labels FILE)"})
    subjects: Mapping[str, Any] | None = field(
        default=None, metadata={"give": "the people of each document (--subject-profiles FILE)"}
    )
    background: Background | None = field(default=None, metadata={"give": "what an attacker knows (--background FILE)"})
    attempts: Mapping[str, Sequence[Attempt]] | None = field(
        default=None, metadata={"give": "what an attacker knows (--background FILE)"}
    )
    """Attack name -> its judged attempts; the attack runs when they are first read."""
    scorer: TokenScorer | None = field(default=None, metadata={"give": "a token scorer (--scorer NAME)"})
    embedder: Embedder | None = field(default=None, metadata={"give": "an embedder (--embedder NAME)"})
    classifier: Classifier | None = field(default=None, metadata={"give": "a classifier (--classifier NAME)"})
    chat: Chat | None = field(default=None, metadata={"give": "a language model (--chat URL|FILE.gguf)"})
    synthesized: Mapping[str, str] | None = field(default=None, metadata={"give": "synthesized texts (--synthesized)"})
    """Texts by id that were made from all originals and stand for none; ``releases`` then are the originals."""


MODELS = ("scorer", "embedder", "classifier")
"""Inputs that are loaded when a metric requires them."""
_OPTIONAL = ("chat", "synthesized")
_HOW_TO_GIVE = {item.name: item.metadata.get("give", "") for item in fields(MetricInput)}


class ShownRecord(Protocol):
    """What a metric looked at in one document, which a user asked to see. It holds original text."""

    @property
    def document_id(self) -> str: ...

    def to_json(self) -> dict[str, Any]: ...

    def lines(self, release: str) -> Iterable[Sequence[tuple[str, str]]]:
        """Lines for a terminal, as parts with their styles; ``release`` names the releases where there are several."""
        ...


class Metric:
    """A declared metric: called with a MetricInput, it returns a Score."""

    extra: str | None = None

    def __init__(
        self,
        function: Callable[..., Estimate],
        name: str,
        *,
        family: str,
        cite: str | None,
        higher_is_better: bool,
        version: int,
        show: Callable[..., Sequence[ShownRecord]] | None = None,
    ) -> None:
        self.function, self.name, self.family = function, name, family
        self.cite, self.higher_is_better, self.version = cite, higher_is_better, version
        self.show = show
        self.__doc__ = function.__doc__
        self.__signature__ = inspect.signature(function)
        parameters = self.__signature__.parameters.values()
        self.requires = tuple(item.name for item in parameters if item.default is inspect.Parameter.empty)
        others = {item.name: item.default for item in parameters if item.default is not inspect.Parameter.empty}
        self.optional = tuple(name for name in others if name in _OPTIONAL)
        self.settings = {name: default for name, default in others.items() if name not in _OPTIONAL}
        if unknown := [name for name in self.requires if name not in _HOW_TO_GIVE]:
            raise TypeError(f"metric {name!r} requires {unknown[0]!r}, which is not a field of MetricInput")

    def __call__(self, inputs: MetricInput, /, **settings: Any) -> Score:
        """Measure. Raises NotMeasurable, with what to give, where a required input is missing."""
        self.check_settings(settings)
        self.check_inputs(inputs)
        if not inputs.releases:
            raise NotMeasurable("there is no document to measure")
        used = {**self.settings, **settings}
        arguments = {name: getattr(inputs, name) for name in (*self.requires, *self.optional)}
        began = time.perf_counter()
        estimate = self.function(**arguments, **used)
        models: dict[str, str] = {name: arguments[name].name for name in (*MODELS, "chat") if name in self.requires}
        return Score(
            self.name,
            estimate.value,
            estimate.interval,
            estimate.n,
            estimate.per_document,
            self.higher_is_better,
            {"version": self.version, **models, **used, **estimate.settings},
            {**estimate.cost, "seconds": time.perf_counter() - began},
        )

    def check_settings(self, settings: Iterable[str]) -> None:
        """Raises RecipeError for a setting that the metric does not have."""
        for key in settings:
            if key not in self.settings:
                hint = suggest(key, self.settings) if self.settings else "it has none"
                raise RecipeError(f"metric {self.name!r} has no setting {key!r}: {hint}")

    def check_inputs(self, inputs: MetricInput, ignore: Collection[str] = ()) -> None:
        """Raises NotMeasurable, with what to give, for a required input that is missing and not in ``ignore``."""
        for name in self.requires:
            if name not in ignore and getattr(inputs, name) is None:
                raise NotMeasurable(f"it needs {_HOW_TO_GIVE[name]}")


def metric(
    name: str,
    *,
    family: str,
    higher_is_better: bool,
    cite: str | None = None,
    version: int = 1,
    show: Callable[..., Sequence[ShownRecord]] | None = None,
) -> Callable[[Callable[..., Estimate]], Metric]:
    """Declare a function as a metric. Increase ``version`` when its values change.

    ``show(ids, releases, *, chat, synthesized, **settings)``: what it looked at in these documents, for people.
    """
    return partial(
        Metric, name=name, family=family, cite=cite, higher_is_better=higher_is_better, version=version, show=show
    )


def figure(estimate: Estimate | Score) -> dict[str, Any]:
    """Value, interval and n, as tables and JSON have them."""
    return {"value": estimate.value, "interval": list(estimate.interval), "n": estimate.n}


def with_cost(estimate: Estimate, *components: object) -> Estimate:
    """The estimate with what these components spent on a language model; ``seconds`` remains the wall-clock time."""
    usages = [component.usage for component in components if isinstance(component, CountsUsage)]
    total = sum((usage for usage in usages if isinstance(usage, Usage)), Usage())
    if not total.questions:
        return estimate
    totals = total.to_json()
    return replace(estimate, cost={**estimate.cost, **totals, "model_seconds": totals["seconds"]})


def require_edits(releases: Sequence[Release]) -> Sequence[Release]:
    """The releases unchanged. Raises NotMeasurable where one is a rewritten text without edits."""
    if rewritten := sum(release.rewrite is not None for release in releases):
        raise NotMeasurable(
            f"{rewritten} of {len(releases)} releases are rewritten texts without edits, so what was kept is unknown: "
            "give a mask file"
        )
    return releases


class MemoizedChat(ChatWrapper):
    """Asks the same request once per run, because several metrics share requests; failures are not kept.

    A reply from memory is marked as cached.
    """

    def __init__(self, chat: Chat) -> None:
        super().__init__(chat)
        self._replies: dict[str, Reply] = {}

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        return enumerate(self.ask(requests))

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        keys = [request.key for request in requests]
        new = {key: request for key, request in zip(keys, requests, strict=True) if key not in self._replies}
        unused = dict(zip(new, self.inner.ask(list(new.values())) if new else (), strict=True))
        self._replies |= unused
        # Only the first use of a new reply counts its cost.
        replies = [unused.pop(key) if key in unused else replace(self._replies[key], cached=True) for key in keys]
        for key in new:
            if self._replies[key].failure is not None:
                del self._replies[key]
        return replies
