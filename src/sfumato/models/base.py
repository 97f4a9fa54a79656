"""Interfaces of token scorers, embedders and classifiers, and loading one by the name that a user gives.

Models read text and know nothing of anonymization. A name may carry options: ``frequency``, ``frequency:language=es``,
``masked:model=FOLDER,n=6``; ``default`` is the default of its kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfumato import registry
from sfumato.errors import MissingExtra, UnknownName, suggest

Range = tuple[int, int]
Floats = NDArray[np.float64]


def open_onnx(network: str | bytes) -> Any:
    """A network of ours, a file or its content, to be run on one thread of the CPU."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # The kernel of the fusion that is disabled is six times slower than the two it replaces.
    return onnxruntime.InferenceSession(
        network, options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
    )


class QuantizedGraph:
    """The 8-bit weights of one of our ONNX files as floats. Needs onnx, of the extra torch."""

    def __init__(self, path: Path) -> None:
        try:
            import onnx
        except ImportError:
            raise MissingExtra(f"reading the weights of {path.name}", "torch") from None
        graph = onnx.load(path).graph
        self.arrays: dict[str, NDArray[Any]] = {
            item.name: onnx.numpy_helper.to_array(item) for item in graph.initializer
        }
        self.inputs = {node.name: list(node.input) for node in graph.node}
        """The names of what each operation reads."""

    def dequantize(self, name: str) -> NDArray[np.float32]:
        """An array whose name ends in ``_quantized``."""
        part = name.removesuffix("_quantized")
        numbers = self.arrays[name].astype(np.float32) - self.arrays[f"{part}_zero_point"].astype(np.float32)
        values: NDArray[np.float32] = numbers * self.arrays[f"{part}_scale"]
        return values

    def product(self, operation: str) -> NDArray[np.float32]:
        """The matrix of a product as a linear layer holds it: [out, in]."""
        return self.dequantize(self.inputs[operation][1]).T


@runtime_checkable
class Named(Protocol):
    """A model with a name, which says everything that changes its values."""

    @property
    def name(self) -> str: ...


@runtime_checkable
class TokenScorer(Protocol):
    """Information content of each term of a text, given the rest."""

    @property
    def name(self) -> str:
        """Includes everything that changes the values; values of scorers with different names are not comparable."""

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages it covers (None: any)."""

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        """Nats per term, ``-ln p(term | context)``; terms are sorted, disjoint ranges of code points."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Texts as vectors whose cosine is their similarity in meaning."""

    name: str

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[text, dimension]; rows have length 1, or 0 where a text holds nothing to embed."""
        ...


@runtime_checkable
class SummingEmbedder(Embedder, Protocol):
    """An embedder whose vectors are directions of sums over words: what a text loses with a word is known."""

    def sums(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[text, dimension]: the sums of which ``embed`` takes the direction; that of a text is that of its words."""
        ...


@runtime_checkable
class Classifier(Protocol):
    """A document's label as logits."""

    name: str
    labels: tuple[str, ...]

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, label]."""
        ...


DEFAULTS = {"scorer": "masked", "embedder": "static", "classifier": "icd10"}
"""What ``default`` stands for, by kind."""


def load_model(kind: str, text: str) -> Any:
    """The model of a kind ("scorer", "embedder", "classifier") by name and options."""
    name, _, rest = text.partition(":")
    if name == "default":
        if kind not in DEFAULTS:
            raise UnknownName(f"no default {kind}: {suggest(name, registry.names(kind))}")
        name = DEFAULTS[kind]
    return registry.create(kind, name, registry.parse_options(rest, f"{kind} {name!r}"))


def load_scorer(text: str = "default") -> TokenScorer:
    """The token scorer of this name and options."""
    return cast(TokenScorer, load_model("scorer", text))


def load_embedder(text: str = "default") -> Embedder:
    """The embedder of this name and options."""
    return cast(Embedder, load_model("embedder", text))


def load_classifier(text: str = "default") -> Classifier:
    """The classifier of this name and options."""
    return cast(Classifier, load_model("classifier", text))
