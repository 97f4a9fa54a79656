"""Detectors beside each other: what one finds is found; borders settled, repeats looked for, mentions linked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sfumato import registry
from sfumato.detectors.base import DEFAULT, Detector
from sfumato.detectors.borders import tidied, without_rough
from sfumato.detectors.chat.around import around_direct
from sfumato.detectors.entities import link
from sfumato.detectors.repeats import SubjectNames, repeated, without_outvoted
from sfumato.detectors.terms import UserTerms
from sfumato.document import Document, Span, merge_spans

BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000
_REPEAT_ROUNDS = 4

NO_TERMS = UserTerms((), (), {}, 0.0)


class Detected(NamedTuple):
    """A batch's spans, and by id why a language model had nothing usable to say on a document."""

    spans: list[list[Span]]
    failed: Mapping[str, str]


class Detection:
    """The detectors of a run. Spans come out merged, disjoint, sorted and linked."""

    def __init__(
        self,
        detectors: Sequence[Detector],
        *,
        asking: Sequence[Detector] = (),
        terms: UserTerms = NO_TERMS,
        subjects: SubjectNames | None = None,
    ) -> None:
        """``asking``: those that ask a language model. ``subjects``: what ``learn`` found out in another process."""
        self.detectors, self.asking = detectors, asking
        self.subjects = subjects
        self._terms = terms

    @property
    def languages(self) -> frozenset[str] | None:
        """What is covered, None for any language.

        A language model may say that it reads any language; what it missed there, no other detector would catch.
        """
        covered = [detector.languages for detector in self.detectors]
        if not covered or None in covered:
            return None
        return frozenset(code for codes in covered for code in codes or ())

    def learn(self, documents: Callable[[], Iterable[Document]]) -> None:
        """Read a corpus beforehand, so that who is named in one of a person's documents is hidden in all of them.

        Without language models: a text that is read twice is paid for once.
        """
        self.subjects = SubjectNames.learn(documents, self._plainly)

    def spans(self, documents: Iterable[Document]) -> Iterator[list[Span]]:
        """What the detectors that ask nobody find in each document."""
        for _, found in self._plainly(documents):
            yield found

    def _plainly(self, documents: Iterable[Document]) -> Iterator[tuple[Document, list[Span]]]:
        for batch in batches(documents):
            yield from zip(batch, self._found(batch, self.detectors), strict=True)

    def detect(self, batch: Sequence[Document]) -> Detected:
        """What stands in each document of a batch."""
        spans = self._found(batch, [*self.detectors, *self.asking])
        failed: dict[str, str] = {}
        for detector in self.asking:
            failed |= getattr(detector, "failed", {})
        return Detected(spans, failed)

    def _found(self, batch: Sequence[Document], detectors: Iterable[Detector]) -> list[list[Span]]:
        found: list[list[Span]] = [[] for _ in batch]
        for detector in detectors:
            for spans, more in zip(found, detector.detect(batch), strict=True):
                spans.extend(more)
        return [self._settled(document, spans) for document, spans in zip(batch, found, strict=True)]

    def _settled(self, document: Document, spans: list[Span]) -> list[Span]:
        text = document.text
        kept = [*spans, *self._terms.added(text), *document.meta.get("marked", ())]
        kept = self._terms.without_allowed(text, kept)
        merged = without_outvoted(text, tidied(text, merge_spans(without_rough(text, around_direct(kept)))))
        if self.subjects is not None:
            known = self._terms.without_allowed(text, self.subjects.spans(document, merged))
            merged = tidied(text, merge_spans([*merged, *known]))
        # Merging can cut spans, and a piece cut off may stand elsewhere too: a few rounds settle it.
        for _ in range(_REPEAT_ROUNDS):
            again = self._terms.without_allowed(text, repeated(text, merged))
            if not again:
                break
            merged = tidied(text, merge_spans([*merged, *again]))
        return link(text, merged)


def named(name: str) -> Detection:
    """One detector by its name; ``default`` are those of the default recipe."""
    chosen = DEFAULT if name == "default" else {name: {}}
    return Detection([registry.create("detector", one, options) for one, options in chosen.items()])


def batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Documents in groups that are worth a detector's while and fit in memory."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.text)
        if len(batch) >= BATCH_DOCUMENTS or size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
