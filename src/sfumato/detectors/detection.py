"""Detectors beside each other: what one finds is found; borders settled, repeats looked for, mentions linked."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from sfumato import registry
from sfumato.detectors.base import DEFAULT, Detector
from sfumato.detectors.borders import tidied, without_rough
from sfumato.detectors.chat.around import around_direct
from sfumato.detectors.entities import link
from sfumato.detectors.repeats import SubjectNames, repeated, without_outvoted
from sfumato.detectors.terms import UserTerms
from sfumato.document import LABELS, Document, Span, merge_spans
from sfumato.errors import PluginError, plugin_name
from sfumato.models.subtokens import readable

BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000
_REPEAT_ROUNDS = 4
_LABEL = re.compile(rf"(?<!\w)(?:{'|'.join(LABELS)})_[1-9]\d{{0,3}}(?!\w)")
"""A longer number may be somebody's: CODE_4417123456789113 is no label of ours."""

_ONE_CODE = ({"CODE", "QUANTITY"}, {"CODE", "MISC"})

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
        for detector in (*detectors, *asking):
            _check_languages(detector)
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
        read = [_readable(document) for document in batch]
        for detector in detectors:
            for document, spans, more in zip(batch, found, _checked(detector, read), strict=True):
                spans.extend(_beside_labels(document.text, more))
        return [self._settled(document, spans) for document, spans in zip(batch, found, strict=True)]

    def _settled(self, document: Document, spans: list[Span]) -> list[Span]:
        text = document.text
        kept = [*spans, *self._terms.added(text), *document.meta.get("marked", ())]
        kept = self._terms.without_allowed(text, kept)
        merged = without_outvoted(text, tidied(text, merge_spans(without_rough(text, around_direct(kept)))))
        merged = _whole_codes(text, merged)
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


def _readable(document: Document) -> Document:
    """The document as any detector can read it, every offset as it was: half a surrogate pair is no character."""
    text = readable(document.text)
    return document if text == document.text else replace(document, text=text)


def _beside_labels(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans without what they cover inside of a label that stands in the text already (``PERSON_1``)."""
    labels = [match.span() for match in _LABEL.finditer(text)]
    for span in spans:
        _, after = labels[at - 1] if (at := bisect_right(labels, (span.start, len(text)))) else (0, 0)
        before, last = labels[at - 1] if (at := bisect_left(labels, (span.end, 0))) else (0, 0)
        start = max(span.start, after)
        end = before if span.end <= last else span.end
        if text[start:end].strip():
            yield span.moved(start, end)


def _whole_codes(text: str, spans: Iterable[Span]) -> list[Span]:
    """A code and what adjoins it in the same word are one thing: 88213-AX is not a code beside a quantity."""
    found: list[Span] = []
    for span in spans:
        before = found[-1] if found else span
        code = before if before.label == "CODE" else span
        is_one = before.end == span.start and {before.label, span.label} in _ONE_CODE
        if is_one and not re.search(r"\s", text[before.start : span.end]):
            found[-1] = code.moved(before.start, span.end)
        else:
            found.append(span)
    return found


def _check_languages(detector: Detector) -> None:
    languages = getattr(detector, "languages", ())
    if languages is not None and not isinstance(languages, Set):
        raise PluginError(
            f"the detector {plugin_name(detector)} does not say in `languages` which it covers: a frozenset of codes "
            "such as frozenset({'en'}), or None for any (docs/plugins.md)"
        )


def _checked(detector: Detector, batch: Sequence[Document]) -> list[list[Span]]:
    """What the detector finds, refused where it is not one list of spans within its text for each document."""
    found = [list(spans) for spans in detector.detect(batch)]
    wrong = None
    if len(found) != len(batch):
        wrong = f"gave {len(found)} lists of spans for {len(batch)} documents"
    elif any(span.end > len(document.text) for document, spans in zip(batch, found, strict=True) for span in spans):
        wrong = "gave a span that ends after its text"
    if wrong is not None:
        raise PluginError(
            f"the detector {plugin_name(detector)} {wrong}: mend it (docs/plugins.md), or choose another; nothing is "
            "released"
        )
    return found


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
