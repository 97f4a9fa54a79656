"""One method, several language models, several runs: what is run, and what the runs say together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

from sfumato import registry
from sfumato.comparison.methods import Method
from sfumato.document import Score
from sfumato.errors import RecipeError
from sfumato.measures.run import Measurement
from sfumato.models.chat import Chat, Reply, Request
from sfumato.models.chat.wrapped import Wrapped
from sfumato.recipe import Recipe

_APART = 10_000
"""Draws of one run: no method asks the same question so often."""


@dataclass(frozen=True)
class Run:
    """One time that a method is run."""

    method: Method
    row: str
    """The line of the table that it belongs to: the method, and the model where there are several."""
    number: int = 1
    chat: Chat | None = None

    @property
    def name(self) -> str:
        return self.row if self.number == 1 else f"{self.row} (run {self.number})"


class AnotherRun(Wrapped):
    """A Chat whose answers are drawn anew: the same questions, other seeds, and other places in a cache."""

    def __init__(self, chat: Chat, number: int) -> None:
        super().__init__(chat)
        self._number = number

    def ask_each(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        return super().ask_each([self._moved(request) for request in requests])

    def _moved(self, request: Request) -> Request:
        by = _APART * (self._number - 1)
        return replace(request, draw=request.draw + by, seed=None if request.seed is None else request.seed + by)


def runs_of(methods: Sequence[Method], chats: Sequence[Chat], repeats: int) -> list[Run]:
    """Every run: a method that asks, with each model and as often as wanted; any other once."""
    found = list(_runs(methods, chats, repeats))
    names = [run.name for run in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecipeError(f"two rows of the table would be called {twice[0]!r}; name one of the methods otherwise")
    if chats and not any(run.chat for run in found):
        raise RecipeError(
            "none of the methods asks a language model, and one was given to them: choose one that asks (sfumato "
            "methods), or give it to attacks and metrics (--judge, or judge=...)"
        )
    return found


def _runs(methods: Sequence[Method], chats: Sequence[Chat], repeats: int) -> Iterator[Run]:
    if repeats < 1:
        raise RecipeError(f"a method is run once or more often; got {repeats}")
    names = [chat.name for chat in chats]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecipeError(
            f"the language model {twice[0]} was given twice; a method is run again with --repeat N, or repeats=N"
        )
    short = [name.partition("@")[0] for name in names]
    called = dict(zip(names, short if len(set(short)) == len(short) else names, strict=True))
    for method in methods:
        recipe = method.source if isinstance(method.source, Recipe) else None
        if recipe is None or not recipe.asking:
            yield Run(method, method.name)
            continue
        if not chats and recipe.chat is None:
            raise registry.no_chat(repr(recipe.asking[0]))
        for chat in chats or [_opened(str(recipe.chat))]:
            row = method.name if len(chats) < 2 else f"{method.name} @ {called[chat.name]}"
            for number in range(1, repeats + 1):
                yield Run(method, row, number, AnotherRun(chat, number) if number > 1 else chat)


def _opened(spec: str) -> Chat:
    from sfumato.models.chat.open import open_chat

    return open_chat(spec)


def together(found: Sequence[Measurement]) -> Measurement:
    """Several runs as one measurement: the mean of each metric, and how far the runs lie apart.

    The interval is the mean of the runs' intervals: it speaks of documents. ``spread`` in the settings, the standard
    deviation over runs, speaks of the model. A metric that one run could not measure is refused.
    """
    if len(found) == 1:
        return found[0]
    refused: dict[str, str] = {}
    for number, one in enumerate(found, 1):
        refused |= {name: f"in run {number}, {reason}" for name, reason in one.refused.items() if name not in refused}
    scores = {
        name: _mean([one.scores[name] for one in found])
        for name in found[0].scores
        if all(name in one.scores for one in found)
    }
    problems = tuple(dict.fromkeys(problem for one in found for problem in one.problems))
    return Measurement(scores, refused, problems, found[0].families)


def _mean(scores: Sequence[Score]) -> Score:
    values = [score.value for score in scores]
    value = fmean(values)
    # Rounding must not push the mean of equal values out of an interval that ends there.
    low = min(fmean(score.interval[0] for score in scores), value)
    high = max(fmean(score.interval[1] for score in scores), value)
    per_document: dict[str, float] = {}
    for key in scores[0].per_document:
        if all(key in score.per_document for score in scores):
            per_document[key] = fmean(score.per_document[key] for score in scores)
    settings: dict[str, Any] = {**scores[0].settings, "runs": values, "spread": stdev(values)}
    if "attack" in settings:  # the strongest need not be the same in each run
        settings["attack"] = ", ".join(dict.fromkeys(str(score.settings["attack"]) for score in scores))
    n = min(score.n for score in scores)
    return replace(
        scores[0],
        value=value,
        interval=(low, high),
        n=n,
        per_document=per_document,
        settings=settings,
        cost=_summed([score.cost for score in scores]),
    )


def _summed(costs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for cost in costs:
        for key, value in cost.items():
            total[key] = total.get(key, 0) + value
    return total
