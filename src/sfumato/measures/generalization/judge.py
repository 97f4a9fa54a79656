"""The judge of replacements that needs no language model: tables where they know, elsewhere a small model.

The model is a logistic regression over a few features, fitted to half of 1,200 human ratings by
``training/generalization_judge.py``; docs/utility.md says how well it agrees with the other half.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.knowledge.subsumption.pairs import Pair
from sfumato.knowledge.subsumption.tables import Known, known
from sfumato.measures.generalization.features import NAMES, features
from sfumato.measures.generalization.pairs import PairJudge, Verdict, kind_of
from sfumato.models import load_embedder

WEIGHTS = "judge.json"
_AT_ONCE = 4096
_LANGUAGES = frozenset({"en"})
"""Languages of the ratings that the model was fitted to. Dates and numbers are read in others, too."""


class TableJudge:
    """Judges by dates, numbers, places, taxonomy and ladders, and by a small model where these cannot tell."""

    def __init__(self) -> None:
        self.name = f"tables@{_weights()['version']}"

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Yes or no with a probability; None for what is in a language that the model was not made for."""
        return list(_judged(tuple(pairs)))


@lru_cache(maxsize=1)
def _judged(pairs: tuple[Pair, ...]) -> list[Verdict]:
    # Remembered, because both metrics ask about the same pairs, one after the other.
    found = [_decided(known(pair)) for pair in pairs]
    left = [place for place, pair in enumerate(pairs) if pair.language in _LANGUAGES and _is_open(found[place])]
    for start in range(0, len(left), _AT_ONCE):
        places = left[start : start + _AT_ONCE]
        table = features([pairs[place] for place in places], _embedder())
        truthful, abstract = (_probabilities(table, _weights()[question]) for question in ("truthful", "abstract"))
        for place, p_truthful, p_abstract in zip(places, truthful, abstract, strict=True):
            found[place] = _completed(found[place], float(p_truthful), float(p_abstract))
    return found


def _decided(table: Known | None) -> Verdict:
    if table is None:
        return Verdict("replaced")
    trust = _weights()["tables"]
    odds = (_trusted(table.truthful, trust["truthful"]), _trusted(table.abstract, trust["abstract"]))
    return Verdict("replaced", table.truthful, table.abstract, *odds, table.because)


def _is_open(verdict: Verdict) -> bool:
    return verdict.truthful is None or verdict.abstract is None


def _probabilities(table: NDArray[np.float64], weights: Mapping[str, Any]) -> NDArray[np.float64]:
    slope = np.array([weights["weights"][name] for name in NAMES])
    odds: NDArray[np.float64] = table @ slope + weights["intercept"]
    return 1 / (1 + np.exp(-odds))


def _trusted(answer: bool | None, share_right: float) -> float | None:
    return None if answer is None else share_right if answer else 1 - share_right


def _completed(verdict: Verdict, p_truthful: float, p_abstract: float) -> Verdict:
    """A verdict with the model's answers to what the tables left open."""
    if verdict.truthful is None:
        verdict = verdict._replace(truthful=p_truthful >= 0.5, p_truthful=p_truthful)
    if verdict.abstract is None:
        verdict = verdict._replace(abstract=p_abstract >= 0.5, p_abstract=p_abstract)
    return verdict._replace(because=verdict.because or "model")


def judge_pairs(pairs: Iterable[Pair], judge: PairJudge | None = None) -> list[Verdict]:
    """A verdict for each pair, in order. Bare labels and suppressions are told apart by kind and not judged.

    A bare label is true of what it stands for and says less, by definition; of a suppression nothing can be said.
    """
    given = list(pairs)
    found = [_by_kind(pair) for pair in given]
    asked = sorted({pair for pair, verdict in zip(given, found, strict=True) if verdict.kind == "replaced"})
    answers = dict(zip(asked, (judge or TableJudge()).verdicts(asked), strict=True))
    return [answers.get(pair, verdict) for pair, verdict in zip(given, found, strict=True)]


def _by_kind(pair: Pair) -> Verdict:
    kind = kind_of(pair.replacement, pair.label)
    return Verdict(kind, True, True, because="label") if kind == "label" else Verdict(kind)


@cache
def _weights() -> Mapping[str, Any]:
    loaded: dict[str, Any] = json.loads(
        resources.files("sfumato.measures.generalization").joinpath(WEIGHTS).read_text("utf-8")
    )
    return loaded


@cache
def _embedder() -> Any:
    return load_embedder("static")
