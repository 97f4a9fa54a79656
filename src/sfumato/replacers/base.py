"""The contract of a replacer, and the base that most of them share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from sfumato.document import Document, Edit, Span
from sfumato.generalize.hierarchy import Mention
from sfumato.lexicon.phrases import fold_phrase
from sfumato.vault.ledger import Ledger

PROMPTS = Path(__file__).parent / "prompts"
Known = tuple[str, str]
"""A label, and what a thing is known by."""
_TRIES = 200


@runtime_checkable
class Replacer(Protocol):
    """Says what stands in a span's place. The docstring's first line is its purpose in ``sfumato methods``.

    A class with ``uses = ("ledger",)`` is given the run's ``Ledger``; its constructor's other parameters are options.
    """

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        """Edits for the spans, which are disjoint and sorted. A span without an edit stays as it is.

        Of the recipe's spans it is given those whose labels it was chosen for. An edit's ``because`` is never empty.
        """
        ...


class Ahead(NamedTuple):
    """A document that a replacer will be asked about."""

    document: Document
    spans: Sequence[Span]
    """Those that it will be given."""
    every: Sequence[Span]
    """Those of the other replacers as well: what is hidden in the end, and what no model has to see."""


@runtime_checkable
class Prepares(Protocol):
    """A replacer that works better when it sees several documents at once: one that asks a language model, say."""

    def prepare(self, batch: Sequence[Ahead]) -> None:
        """Called with the documents before it is asked to replace."""
        ...


class SpanReplacer(ABC):
    """A replacer that looks at one span at a time."""

    @abstractmethod
    def replacement(self, document: Document, span: Span) -> str | None:
        """What stands in the span's place; None leaves it as it is."""

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        edits = []
        for span in spans:
            replacement = self.replacement(document, span)
            if replacement is not None:
                edits.append(Edit(span, replacement, (found_by(span), type(self).__name__)))
        return edits


def found_by(span: Span) -> str:
    """The first reason of an edit: who found its span, and how surely."""
    return f"{span.source or 'given'} ({span.score:.2f})"


def entity_of(document: Document, span: Span) -> str:
    """What the span is about: its entity, or where nobody linked it, its text."""
    return span.entity or fold_phrase(document.text[span.start : span.end])


def known_by(document: Document, span: Span) -> Known:
    """What the span's thing is known by among all of the document."""
    return span.label, entity_of(document, span)


def numbered(document: Document, label: str) -> Callable[[int], Iterator[str]]:
    """``PERSON_1``, ``PERSON_2``, ... from the first free number on, without those the document itself contains."""

    def candidates(taken: int) -> Iterator[str]:
        return (name for n in count(taken + 1) if (name := f"{label}_{n}") not in document.text)

    return candidates


def number(ledger: Ledger, document: Document, span: Span) -> str:
    """The entity's label with its running number."""
    return ledger.assign(document, f"label/{span.label}", entity_of(document, span), numbered(document, span.label))


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

    Where the proposals run dry (there are only nine other digits for "5"), the numbered label stands in.
    """

    def candidates(taken: int) -> Iterator[str]:
        yield from (value for value in islice(proposals(), _TRIES) if fits(value) and not occurs(value, document))
        yield from numbered(document, label)(taken)

    for variant in count():
        # In a corpus-wide scope a value given out earlier may turn up in this document: then another one is needed.
        name = entity if variant == 0 else f"{entity}\0{variant}"
        value = ledger.assign(document, kind, name, candidates)
        if not occurs(value, document) and (value.startswith(f"{label}_") or fits(value)):
            return value
    raise AssertionError("unreachable")


def occurs(value: str, document: Document) -> bool:
    """Whether a value stands anywhere in the document, whatever its case."""
    return fold_phrase(value) in _folded_text(document.text)


@lru_cache(maxsize=4)
def _folded_text(text: str) -> str:
    return fold_phrase(text)


# -- What a model is shown of a text to say a span in other words: the sentence around it.


_END = re.compile(r"[.!?][\"'”’)]*\s+(?=[\"'“‘(]?[A-ZÀ-Þ0-9])|\n+")

_MOST = 1000
"""Characters on each side that are shown of a sentence without an end."""


def question(mention: Mention, count: int) -> dict[str, str]:
    """What a prompt with ``sentence``, ``span`` and ``count`` is filled with; the span stands in double brackets."""
    text, start, end = mention.text, mention.start, mention.end
    borders = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    first = max(start - _MOST, max(border for border in borders if border <= start))
    last = min(end + _MOST, min(border for border in borders if border >= end))
    sentence = f"{text[first:start]}[[{mention.surface}]]{text[end:last]}".strip()
    return {"sentence": sentence, "span": mention.surface, "count": str(count)}
