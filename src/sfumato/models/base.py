"""Models behind small interfaces. They read text and know nothing of anonymization."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfumato import registry
from sfumato.errors import RecipeError, UnknownName, suggest

Range = tuple[int, int]
Floats = NDArray[np.float64]


@runtime_checkable
class TokenScorer(Protocol):
    """How much each term of a text tells, given the rest: its information content."""

    name: str
    """The scorer with all that changes its values; values of scorers with different names are not comparable."""
    languages: frozenset[str] | None
    """Languages it knows (None: any)."""

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """Nats per term, ``-ln p(term | context)``; terms are sorted, disjoint ranges of code points."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Texts as vectors whose cosine is their likeness in meaning."""

    name: str

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[text, dimension]; rows have length 1, or 0 where a text holds nothing to embed."""
        ...


@runtime_checkable
class Classifier(Protocol):
    """A document's label as logits."""

    name: str
    labels: tuple[str, ...]

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, label]."""
        ...


# -- A model as users write it: ``frequency``, ``frequency:language=es``, ``masked:model=FOLDER,n=6``, or ``default``.


DEFAULTS = {"scorer": "masked", "embedder": "static", "classifier": "icd10"}
"""What ``default`` stands for, by kind."""
_NEXT = re.compile(r",(?=\w+=)")
"""A comma before the next option; one inside a path stays."""


def load(kind: str, text: str) -> Any:
    """The model of a kind ("scorer", "embedder", "classifier") that a text names with its options."""
    name, _, rest = text.partition(":")
    if name == "default":
        if kind not in DEFAULTS:
            raise UnknownName(f"no default {kind}: {suggest(name, registry.names(kind))}")
        name = DEFAULTS[kind]
    options = {}
    for part in _NEXT.split(rest) if rest else ():
        key, equals, value = part.partition("=")
        if not equals:
            raise RecipeError(f"{kind} {name!r}: write options as name:key=value,key=value; got {part!r}")
        options[key.strip()] = _value(value.strip())
    return registry.create(kind, name, options)


def load_scorer(text: str = "default") -> TokenScorer:
    """The token scorer that a text names."""
    scorer: TokenScorer = load("scorer", text)
    return scorer


def load_embedder(text: str = "default") -> Embedder:
    """The embedder that a text names."""
    embedder: Embedder = load("embedder", text)
    return embedder


def load_classifier(text: str = "default") -> Classifier:
    """The classifier that a text names."""
    classifier: Classifier = load("classifier", text)
    return classifier


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
