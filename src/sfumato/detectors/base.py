"""The interface of a detector, the detection threshold, and the detector of annotated corpora."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from sfumato.document import Document, Span
from sfumato.errors import InputError, RecipeError
from sfumato.formats.records import NOT_MASKED

Threshold = float | Literal["precise", "balanced", "leave-nothing"]
"""The detection threshold: a name that each detector maps to a score of its own, or the least score of a span."""
Reading = Literal["written", "folded", "both"]
"""Which form of a text a detector reads where folding changes it."""
SOURCE_SUFFIX = ":chat"
"""How the source of a span ends that a language model found. It is cut around what other detectors are sure of."""
DEFAULT_DETECTORS: Mapping[str, Mapping[str, Any]] = {"rules": {"without": ["context"]}, "tagger": {}}
"""The default recipe's detectors with their options: rules, except the kinds that the tagger judges better."""


def resolve_threshold(threshold: Threshold, named_scores: Mapping[str, float]) -> float:
    """The least score of a span at a threshold; ``named_scores`` are the scores a detector gives to the names."""
    score = named_scores.get(threshold) if isinstance(threshold, str) else threshold
    if score is None or not 0.0 <= score <= 1.0:
        raise RecipeError(f"threshold is a number from 0 to 1, or one of {', '.join(named_scores)}; got {threshold!r}")
    return float(score)


@runtime_checkable
class Detector(Protocol):
    """Finds personal information. The first line of a detector's docstring is its purpose in ``sfumato methods``.

    Of ``threshold`` (the recipe's), ``threads`` (how many it may use) and ``chat`` (the run's language model) the
    constructor is given what the class attribute ``uses`` declares. A detector that cannot do without a language model
    has ``needs_chat = True``, one that sends text to a service on the network ``calls_service = True``; both are
    ``Fallible``. The protocols below are what else a detector may be.
    """

    languages: ClassVar[frozenset[str] | None]
    """ISO 639-1 codes of the languages it covers; None means any language. Texts in other languages are withheld.

    A detector of a single kind of thing covers no language and says ``frozenset()``: beside other detectors it changes
    nothing, and alone it has every text withheld whose language can be identified.
    """

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """One list of spans for each document, in the documents' order; spans may overlap, and none is empty.

        A document with disguised or broken-up text is given twice, as written and folded (``sfumato.lexicon.folding``),
        to one that does not choose.

        A span's label is one of ``sfumato.LABELS``. Its ``source`` is ``"detector:kind"``, e.g. ``"rules:email"``.
        """
        ...


@runtime_checkable
class ChoosesReading(Protocol):
    """A detector that asks for one form of a text: ``"written"`` or ``"folded"``."""

    reads: Reading


@runtime_checkable
class Final(Protocol):
    """A detector whose spans are decisions, not guesses.

    Where all detectors of a run say so, spans are merged where they overlap, and neither completed, dropped nor
    repeated elsewhere in the text.
    """

    is_final: bool


@runtime_checkable
class Fallible(Protocol):
    """A detector that says why it had no usable answer in the last call, by document id."""

    failed: Mapping[str, str]


@runtime_checkable
class Clears(Protocol):
    """A detector that reads the context, and says where it is nearly certain that nothing is personal.

    Rules without a check or a cue then give way there.
    """

    cleared: Sequence[Iterable[tuple[int, int]]]
    """The ranges in each document of the last call."""


@runtime_checkable
class ReadsAhead(Protocol):
    """A detector of folded text whose work can run beside that of others."""

    def read_ahead(self, documents: Sequence[Document]) -> bool:
        """Begin with documents; whether it did.

        ``detect`` then gets these documents in parts, in the same order, or others; what was begun is given up when
        this is called again.
        """
        ...


class GoldDetector:
    """Take what annotators decided to mask in a document that comes annotated (TAB format), and nothing else."""

    cite: ClassVar[str | None] = "pilan2022"
    languages: ClassVar[frozenset[str] | None] = None
    reads: ClassVar[Reading] = "written"
    is_final: ClassVar[bool] = True

    def __init__(self, *, annotator: str | None = None, seed: int | None = None) -> None:
        """Whose annotations to take: one ``annotator``, or one drawn for each document by ``seed``, or the union."""
        if annotator is not None and seed is not None:
            raise RecipeError("the gold detector takes annotator or seed, not both: seed draws the annotator")
        if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
            raise RecipeError(f"seed is a whole number, got {seed!r}")
        self._annotator, self._seed = annotator, seed

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [self._spans(document) for document in documents]

    def _spans(self, document: Document) -> list[Span]:
        if document.annotations is None:
            raise InputError(
                "the gold detector needs annotated documents (TAB format); use the rules detector for plain text"
            )
        annotators = {span.annotator for span in document.annotations}
        if self._seed is not None and annotators:
            chosen = {_draw_annotator(self._seed, document.id, annotators)}
        elif self._annotator is not None:
            # A document that this annotator has not seen would be released whole.
            if self._annotator not in annotators:
                raise InputError(
                    f"document {document.id}: no annotations by {self._annotator!r}: name an annotator of every "
                    "document, draw one for each with seed, or leave both out for the union"
                )
            chosen = {self._annotator}
        else:
            chosen = annotators
        return [span for span in document.annotations if span.annotator in chosen and span.source != NOT_MASKED]


def _draw_annotator(seed: int, document_id: str, annotators: Collection[str | None]) -> str | None:
    """One of the annotators, each as likely; the same whatever the order of annotators and documents."""
    number = int.from_bytes(sha256(f"{seed} {document_id}".encode()).digest()[:8], "big")
    return sorted(annotators, key=lambda name: name or "")[number % len(annotators)]
