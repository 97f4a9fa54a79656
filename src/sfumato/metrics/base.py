"""What a metric is, and what it may ask for.

A metric is a function declared by ``@metric``. It asks by parameter name for what it needs: ``releases`` (each carries
its original) and any of ``Material``'s other fields. Parameters with a default are its settings; but ``chat: Chat |
None = None`` is the language model of a metric that can do without one.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.document import Attempt, Release, Score, Span
from sfumato.errors import NotMeasurable, RecipeError, suggest
from sfumato.llm.chat import Chat, Reply, Request, ChatWrapper
from sfumato.llm.usage import Usage
from sfumato.models.base import Classifier, Embedder, TokenScorer
from sfumato.statistics import Estimate

if TYPE_CHECKING:
    from sfumato.attacks.background import Background


PROMPTS = Path(__file__).parent / "prompts"
Annotations = Mapping[str, Sequence[Span]]
"""A document's id -> its reference spans, of all annotators (``Span.annotator`` tells them apart)."""


@dataclass(frozen=True)
class MetricInput:
    """Everything a metric may ask for by name. What is None was not given; asking for it is refused with the reason."""

    releases: Sequence[Release]
    gold: Annotations | None = field(default=None, metadata={"give": "reference spans (--gold FILE)"})
    labels: Mapping[str, str] | None = field(default=None, metadata={"give": "a label per document (--labels FILE)"})
    subjects: Mapping[str, Any] | None = field(
        default=None, metadata={"give": "the people of each document (--subjects FILE)"}
    )
    background: Background | None = field(default=None, metadata={"give": "what an attacker knows (--background FILE)"})
    attempts: Mapping[str, Sequence[Attempt]] | None = field(
        default=None, metadata={"give": "what an attacker knows (--background FILE)"}
    )
    """An attack's name -> its judged attempts, made when they are first looked at."""
    scorer: TokenScorer | None = field(default=None, metadata={"give": "a token scorer (--scorer NAME)"})
    embedder: Embedder | None = field(default=None, metadata={"give": "an embedder (--embedder NAME)"})
    classifier: Classifier | None = field(default=None, metadata={"give": "a classifier (--classifier NAME)"})
    chat: Chat | None = field(default=None, metadata={"give": "a language model (--chat URL|FILE.gguf)"})


MODELS = ("scorer", "embedder", "classifier")
"""Parts of the material that are loaded when a metric asks for them."""
_OPTIONAL = ("chat",)
_GIVE = {item.name: item.metadata.get("give", "") for item in fields(MetricInput)}


class Metric:
    """A declared metric: called with its material, it returns a Score."""

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
    ) -> None:
        self.function, self.name, self.family = function, name, family
        self.cite, self.higher_is_better, self.version = cite, higher_is_better, version
        self.__doc__ = function.__doc__
        self.__signature__ = inspect.signature(function)
        parameters = self.__signature__.parameters.values()
        self.requires = tuple(item.name for item in parameters if item.default is inspect.Parameter.empty)
        others = {item.name: item.default for item in parameters if item.default is not inspect.Parameter.empty}
        self.optional = tuple(name for name in others if name in _OPTIONAL)
        self.settings = {name: default for name, default in others.items() if name not in _OPTIONAL}
        if unknown := [name for name in self.requires if name not in _GIVE]:
            raise TypeError(f"metric {name!r} asks for {unknown[0]!r}, which is no part of Material")

    def __call__(self, material: MetricInput, /, **settings: Any) -> Score:
        """Measure. Raises NotMeasurable, with what to give, where the material does not allow it."""
        self.check_settings(settings)
        self.check_inputs(material)
        if not material.releases:
            raise NotMeasurable("there is no document to measure")
        used = {**self.settings, **settings}
        given = {name: getattr(material, name) for name in (*self.requires, *self.optional)}
        began = time.perf_counter()
        estimate = self.function(**given, **used)
        models: dict[str, str] = {name: given[name].name for name in (*MODELS, "chat") if name in self.requires}
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

    def check_inputs(self, material: MetricInput, apart: Collection[str] = ()) -> None:
        """Raises NotMeasurable, with what to give, for what the metric asks for and does not get; some parts aside."""
        for name in self.requires:
            if name not in apart and getattr(material, name) is None:
                raise NotMeasurable(f"it needs {_GIVE[name]}")


def metric(
    name: str, *, family: str, higher_is_better: bool, cite: str | None = None, version: int = 1
) -> Callable[[Callable[..., Estimate]], Metric]:
    """Declare a function as a metric. ``version`` grows when its values change."""

    def declare(function: Callable[..., Estimate]) -> Metric:
        return Metric(function, name, family=family, cite=cite, higher_is_better=higher_is_better, version=version)

    return declare


def with_cost(estimate: Estimate, *asked: object) -> Estimate:
    """The estimate with what those who ask a language model have spent; ``seconds`` stay the clock's own."""
    usage = Usage()
    for one in asked:
        if isinstance(own := getattr(one, "spent", None), Usage):
            usage.add(own)
    if not usage.questions:
        return estimate
    counted = usage.to_json()
    return replace(estimate, cost={**estimate.cost, **counted, "model_seconds": counted["seconds"]})


def require_edits(releases: Sequence[Release]) -> Sequence[Release]:
    """The releases, where each of them says what it changed; a rewritten one is refused."""
    if rewritten := sum(release.rewrite is not None for release in releases):
        raise NotMeasurable(
            f"{rewritten} of {len(releases)} releases are rewritten texts without edits, so what was kept is unknown: "
            "give a mask file"
        )
    return releases


# -- A Chat that is asked the same only once in a run: several metrics have the same questions.


class MemoizedChat(ChatWrapper):
    """Remembers answers, not failures, while it lives. A reply from memory is marked as cached."""

    def __init__(self, chat: Chat) -> None:
        super().__init__(chat)
        self._known: dict[str, Reply] = {}

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        return enumerate(self.ask(requests))

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        keys = [request.key for request in requests]
        new = {key: request for key, request in zip(keys, requests, strict=True) if key not in self._known}
        came = dict(zip(new, self.inner.ask(list(new.values())) if new else (), strict=True))
        given = list[Reply]()
        for key in keys:
            # The first time it is what came, and costs what it costs.
            reply = came.pop(key, None)
            if reply is None:
                reply = replace(self._known[key], cached=True)
            else:
                self._known[key] = reply
            given.append(reply)
        for key in new:
            if self._known[key].failure is not None:
                del self._known[key]
        return given
