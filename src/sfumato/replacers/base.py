"""The interface of replacers, and what most of them share: labels, invented values, prompts for a span."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from sfumato.annotated_text import read_once
from sfumato.document import Document, Edit, Span
from sfumato.generalize.hierarchy import Mention
from sfumato.lexicon.language import document_language
from sfumato.lexicon.time import Order, infer_order
from sfumato.lexicon.tokens import fold_phrase
from sfumato.vault.ledger import Ledger

PROMPTS = Path(__file__).parent / "prompts"
EntityKey = tuple[str, str]
"""The label and the entity of a span."""
_MAX_PROPOSALS = 200
_SENTENCE_END = re.compile(r"[.!?][\"'”’)]*\s+(?=[\"'“‘(]?[A-ZÀ-Þ0-9])|\n+")
_MAX_CONTEXT = 1000
"""Characters on each side that a model is shown of a long sentence."""


@runtime_checkable
class Replacer(Protocol):
    """Replaces spans. The docstring's first line is its purpose in ``sfumato methods``.

    A class with ``uses = ("ledger",)`` is given the run's ``Ledger``; its constructor's other parameters are options.
    """

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        """Edits for the spans, which are disjoint and sorted. A span without an edit stays as it is.

        It is given the spans of the labels that the recipe chose it for. An edit's ``reasons`` are never empty.
        """
        ...


class PendingDocument(NamedTuple):
    """A document that a replacer will be given."""

    document: Document
    spans: Sequence[Span]
    """Those that it will be given."""
    all_spans: Sequence[Span]
    """Those of the other replacers as well: what will be replaced, and no model has to see."""


@runtime_checkable
class BatchReplacer(Protocol):
    """A replacer that works better on several documents at once, such as one that asks a language model."""

    def prepare(self, batch: Sequence[PendingDocument]) -> None:
        """Called with the documents before ``replace``."""
        ...


@runtime_checkable
class CorpusReplacer(Protocol):
    """A replacer that may need all documents before the first one is replaced."""

    reads_corpus: bool

    def learn(self, documents: Callable[[], Iterable[Document]]) -> None:
        """Called with them first where it does; ``documents()`` reads them anew each time."""
        ...


@runtime_checkable
class HidesNamedDays(Protocol):
    """A replacer of dates that hides "Christmas Day" and the like: always, or beside dates that are written out."""

    hides_named_days: Literal["always", "beside dates"]


class SpanReplacer(ABC):
    """A replacer of one span at a time."""

    @abstractmethod
    def replacement(self, document: Document, span: Span) -> str | None:
        """The span's replacement; None leaves it as it is."""

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        edits = []
        for span in spans:
            replacement = self.replacement(document, span)
            if replacement is not None:
                edits.append(Edit(span, replacement, (detection_reason(span), type(self).__name__)))
        return edits


def language_of(document: Document) -> str:
    """The language of the document: as its words tell, else as the user says (``meta["language"]``), else English."""
    return document_language(document.text) or document.meta.get("language") or "en"


def date_order(document: Document) -> Order | None:
    """How the document writes 3/4/2021: as the user says (``meta["date_order"]``) or its text tells; None: open."""
    given: Order | None = document.meta.get("date_order")
    return given or infer_order(document.text, language_of(document))


def detection_reason(span: Span) -> str:
    """The first reason of an edit: what detected its span, with which score."""
    return "; ".join([f"{span.source or 'given'} ({span.score:.2f})", *dict.fromkeys(span.passes)])


def entity_of(document: Document, span: Span) -> str:
    """The span's entity, or its text where it is not linked to one."""
    return span.entity or fold_phrase(document.text[span.start : span.end])


def entity_key(document: Document, span: Span) -> EntityKey:
    """What identifies the span's entity in the document."""
    return span.label, entity_of(document, span)


def label_candidates(document: Document, label: str) -> Callable[[int], Iterator[str]]:
    """``PERSON_1``, ``PERSON_2``, ... from the first free number on, without those that the document contains."""

    def candidates(taken: int) -> Iterator[str]:
        present = _labels_in(document.text, label)
        return (name for n in count(taken + 1) if (name := f"{label}_{n}") not in present)

    return candidates


@read_once
def _labels_in(text: str, label: str) -> frozenset[str]:
    """The numbered labels in a text, also as the beginning of longer ones."""
    matches = re.findall(rf"{re.escape(label)}_\d{{1,12}}", text)
    return frozenset(name[:end] for name in matches for end in range(len(label) + 2, len(name) + 1))


def numbered_label(ledger: Ledger, document: Document, span: Span) -> str:
    """The entity's label with its running number."""
    candidates = label_candidates(document, span.label)
    return ledger.assign(document, f"label/{span.label}", entity_of(document, span), candidates)


def assign_absent(
    ledger: Ledger,
    document: Document,
    kind: str,
    entity: str,
    label: str,
    proposals: Callable[[], Iterator[str]],
    fits: Callable[[str], bool] = bool,
) -> str:
    """An invented value for the entity that occurs nowhere in the document, and ``fits`` it.

    Where there are no more proposals (there are only nine other digits for "5"), it gets the numbered label.
    """

    def candidates(taken: int) -> Iterator[str]:
        yield from (
            value for value in islice(proposals(), _MAX_PROPOSALS) if fits(value) and not occurs(value, document)
        )
        yield from label_candidates(document, label)(taken)

    for variant in count():
        # In a corpus-wide scope an earlier value may occur in this document: then another one is needed.
        name = entity if variant == 0 else f"{entity}\0{variant}"
        value = ledger.assign(document, kind, name, candidates)
        if not occurs(value, document) and (value.startswith(f"{label}_") or fits(value)):
            return value
    raise AssertionError("unreachable")


def occurs(value: str, document: Document) -> bool:
    """Whether a value occurs in the document, in any case."""
    return fold_phrase(value) in _folded_text(document.text)


@read_once
def _folded_text(text: str) -> str:
    return fold_phrase(text)


def span_question(mention: Mention, count: int) -> dict[str, str]:
    """The variables ``sentence``, ``span`` and ``count`` of a prompt; the sentence has the span in double brackets."""
    text, start, end = mention.text, mention.start, mention.end
    borders = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    first = max(start - _MAX_CONTEXT, max(border for border in borders if border <= start))
    last = min(end + _MAX_CONTEXT, min(border for border in borders if border >= end))
    sentence = f"{text[first:start]}[[{mention.surface}]]{text[end:last]}".strip()
    return {"sentence": sentence, "span": mention.surface, "count": str(count)}
