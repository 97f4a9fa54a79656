"""Runs the detectors of a recipe and merges their spans: borders, user terms, repeats, entity linking."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from sfumato import registry
from sfumato.annotated_text import AnnotatedText
from sfumato.detectors.allowed import cut_around_allowed
from sfumato.detectors.base import DEFAULT_DETECTORS, SOURCE_SUFFIX, Detector
from sfumato.detectors.passes.borders import cut_at_borders
from sfumato.detectors.passes.compounds import complete_spans
from sfumato.detectors.passes.edges import trim_spans
from sfumato.detectors.passes.everyday_ends import trim_everyday_words, trim_function_words
from sfumato.detectors.passes.joined_names import join_names
from sfumato.detectors.passes.labels import unify_labels
from sfumato.detectors.passes.links import link_mentions
from sfumato.detectors.passes.never_personal import drop_never_personal
from sfumato.detectors.passes.outvoted import drop_outvoted
from sfumato.detectors.passes.overlaps import drop_imprecise, keep_names_whole
from sfumato.detectors.passes.repeats import find_repeats
from sfumato.detectors.passes.subjects import SubjectNames
from sfumato.detectors.rules.attributes import drop_weak_numbers
from sfumato.detectors.rules.dates import join_ranges
from sfumato.detectors.rules.patterns import Pattern, PatternSet
from sfumato.detectors.structure import document_structure
from sfumato.document import LABELS, Document, Span, Withheld, allowed_ranges, merge_spans
from sfumato.errors import NotReleased, PluginError, plugin_name
from sfumato.isolation import attempt, run_step
from sfumato.lexicon.folding import fold, snap
from sfumato.lexicon.grammar import merge_ranges
from sfumato.lexicon.tokens import PhraseIndex
from sfumato.models.tokens import replace_surrogates

BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000

_MAX_REPEAT_ROUNDS = 4
_META_WITH_OFFSETS = ("marked", "identifiers", "borders", "allowed")
_GROUPS_AFTER = r"(?:[ \u00a0./-]\d{2,6}){2}"
_LABEL = re.compile(rf"(?<!\w)(?:{'|'.join(LABELS)})_(?:[1-9]\d?(?!\w)|[1-9]\d{{2,3}}(?!\w|{_GROUPS_AFTER}))")
"""A numbered label of ours. A longer number may be personal: CODE_4417123456789113 is not one of our labels, and
neither is CODE_4417 1234 5678 9113."""
_PARTS_OF_CODES = ({"CODE", "QUANTITY"}, {"CODE", "MISC"})
_CHECKED = 0.9
"""Rules whose spans have a check digit, a form of their own or a cue beside them score at least this."""
_WITHOUT_CUE = frozenset(f"rules:{kind}" for kind in ("person", "money", "date", "phone", "ip", "url", "code", "age"))
"""Rules that need no word beside them that says what follows, so that the context may know better."""


class UserTerms:
    """A recipe's own patterns, and terms that are always personal (deny)."""

    def __init__(self, patterns: Sequence[Pattern], deny: Mapping[str, Iterable[str]], min_score: float) -> None:
        self._min_score = min_score
        self._patterns = PatternSet(patterns) if patterns else None
        self._denied: PhraseIndex[str] = PhraseIndex(match_case=False)
        for label, terms in deny.items():
            for term in terms:
                self._denied.add(term, label)

    def find(self, text: str) -> list[Span]:
        """Spans of the patterns and of the denied terms."""
        spans = [
            Span(match.start, match.end, match.value, "direct", 1.0, "recipe:deny") for match in self._denied.find(text)
        ]
        if self._patterns:
            spans += [
                replace(span, source=span.source.replace("rules:", "recipe:", 1))
                for span in self._patterns.find(text)
                if span.score >= self._min_score
            ]
        return spans


NO_TERMS = UserTerms((), {}, 0.0)


class DetectionResult(NamedTuple):
    """The spans of each document of a batch, and by document id why a language model gave no usable answer.

    A document that a detector or a later step raised on is withheld.
    """

    spans: list[list[Span] | Withheld]
    failed: Mapping[str, str]


class _Findings(NamedTuple):
    """What one detector says of a document."""

    folded: list[Span]
    written: list[Span]
    cleared: list[tuple[int, int]]
    failure: str | None
    """Why a language model or a service gave no usable answer."""


class Detection:
    """The detectors of a run. Its spans are merged, disjoint, sorted and linked to entities."""

    def __init__(
        self,
        detectors: Sequence[Detector],
        *,
        remote_detectors: Sequence[Detector] = (),
        terms: UserTerms = NO_TERMS,
        subjects: SubjectNames | None = None,
        as_found: bool = False,
    ) -> None:
        """``remote_detectors``: those that ask a language model or a service.

        ``subjects``: what ``learn`` read in another process.

        ``as_found``: every detector reads the text as written, and its spans are only merged where they overlap.
        """
        for detector in (*detectors, *remote_detectors):
            _check_languages(detector)
        self.detectors, self.remote_detectors = detectors, remote_detectors
        self.subjects = subjects
        self._terms = terms
        self._as_found = as_found
        self._ahead: list[_Reading] = []

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages that the detectors cover, None for any language.

        Language models do not count: they accept any language, and no other detector would find what they miss.
        """
        covered = [detector.languages for detector in self.detectors]
        if not covered or None in covered:
            return None
        return frozenset(code for codes in covered for code in codes or ())

    def learn(self, documents: Callable[[], Iterable[Document]]) -> None:
        """Read a corpus first, so that a name in one of a person's documents is hidden in all of them.

        Without language models, so that no text is paid for twice.
        """
        self.subjects = SubjectNames.learn(documents, self._detect_offline)

    def spans(self, documents: Iterable[Document]) -> Iterator[list[Span]]:
        """The spans of each document, without language models. Raises NotReleased where there are none to rely on."""
        for _, spans in self._detect_offline(documents):
            if isinstance(spans, Withheld):
                raise NotReleased(spans.reason)
            yield spans

    def _detect_offline(self, documents: Iterable[Document]) -> Iterator[tuple[Document, list[Span] | Withheld]]:
        for batch in batches(documents):
            yield from zip(batch, self._detect(batch, self.detectors), strict=True)

    def detect(self, batch: Sequence[Document]) -> DetectionResult:
        """The spans of each document of a batch, with language models."""
        failed: dict[str, str] = {}
        return DetectionResult(self._detect(batch, [*self.detectors, *self.remote_detectors], failed), failed)

    def read_ahead(self, documents: Sequence[Document]) -> bool:
        """Let detectors that can read ahead begin; ``detect`` then gets these documents in parts, in this order.

        What was begun before is given up. False where no detector reads ahead.
        """
        self._ahead = [_Reading(document) for document in documents]
        readers = [detector for detector in self.detectors if hasattr(detector, "read_ahead") and not self._as_found]
        begun = [reader.read_ahead([reading.folded for reading in self._ahead]) for reader in readers]
        return any(begun)

    def _readings(self, batch: Sequence[Document]) -> list[_Reading]:
        """What was begun for these documents; where nothing is under way, they begin now."""
        if not self._ahead:
            self.read_ahead(batch)
        readings = self._ahead[: len(batch)]
        if [reading.document for reading in readings] != list(batch):
            return [_Reading(document) for document in batch]
        del self._ahead[: len(batch)]
        return readings

    def _detect(
        self, batch: Sequence[Document], detectors: Sequence[Detector], failed: dict[str, str] | None = None
    ) -> list[list[Span] | Withheld]:
        """``failed``: gets the documents that a language model gave no usable answer for, with the reason."""
        readings: list[_Reading | Withheld] = run_step(batch, self._readings, lambda document: document)
        for detector in detectors:
            findings = run_step(readings, partial(self._find, detector), _document_of)
            readings = list(map(_with_findings, readings, findings))
            for reading, found in zip(readings, findings, strict=True):
                if failed is not None and isinstance(found, _Findings) and found.failure is not None:
                    failed[_document_of(reading).id] = found.failure
        are_final = bool(detectors) and all(getattr(detector, "is_final", False) for detector in detectors)
        merge = self._merge_final if are_final or self._as_found else self._merge
        return run_step(readings, lambda items: [reading.merged(merge) for reading in items], _document_of)

    def _find(self, detector: Detector, readings: Sequence[_Reading]) -> list[_Findings]:
        """What a detector says of each document, folded or as written or both."""
        # A language model or a service is asked once.
        reads = getattr(detector, "reads", "folded" if detector in self.remote_detectors else "both")
        if self._as_found:
            results = _run(detector, [reading.written for reading in readings])
            return [
                _Findings([], spans, [], _failure(detector, reading))
                for reading, spans in zip(readings, results, strict=True)
            ]
        folded: list[list[Span]] = [[] for _ in readings]
        written: list[list[Span]] = [[] for _ in readings]
        if reads != "written":
            for number, spans in enumerate(_run(detector, [reading.folded for reading in readings])):
                folded[number] = list(_cut_around_labels(readings[number].folded.text, spans))
        if reads != "folded":
            unread = [number for number, reading in enumerate(readings) if reads == "written" or reading.is_changed]
            results = _run(detector, [readings[number].written for number in unread]) if unread else []
            for number, spans in zip(unread, results, strict=True):
                written[number] = list(_cut_around_labels(readings[number].written.text, spans))
        cleared = [list(ranges) for ranges in getattr(detector, "cleared", ())]
        cleared += [[] for _ in readings[len(cleared) :]]
        return list(map(_Findings, folded, written, cleared, [_failure(detector, reading) for reading in readings]))

    def _merge_final(self, document: Document, spans: Iterable[Span]) -> list[Span]:
        """The spans of detectors whose spans are final, with the recipe's own terms."""
        text = document.text
        return link_mentions(text, merge_spans(cut_around_allowed(document, [*spans, *self._terms.find(text)])))

    def _merge(self, document: Document, spans: Iterable[Span]) -> list[Span]:
        text = document.text
        spans, own_terms = list(spans), self._terms.find(text)
        if not spans and not own_terms and self.subjects is None:
            return []
        structure = document_structure(document)
        text = structure.without_commas

        def cut_spans(spans: Iterable[Span]) -> list[Span]:
            return cut_around_allowed(document, structure.cut_spans(spans))

        spans = trim_everyday_words(text, cut_at_borders(text, cut_spans(spans)))
        spans = trim_function_words(text, spans)
        spans = [*drop_weak_numbers(text, drop_never_personal(text, spans)), *own_terms]
        spans = cut_around_direct(cut_around_allowed(document, spans))

        def merge(*spans: Span) -> list[Span]:
            whole = complete_spans(text, trim_spans(text, merge_spans(spans)))
            return cut_around_allowed(document, join_names(text, whole))

        merged = _join_codes(text, drop_outvoted(text, merge(*keep_names_whole(drop_imprecise(text, spans)))))
        if self.subjects is not None:
            merged = merge(*merged, *cut_spans(self.subjects.spans(document, merged)))
        if not merged:
            return []
        # Merging can cut spans, and a part that was cut off may occur elsewhere: that takes a few rounds.
        for _ in range(_MAX_REPEAT_ROUNDS):
            repeats = drop_never_personal(text, cut_spans(find_repeats(text, merged)))
            if not repeats:
                break
            merged = merge(*merged, *repeats)
        # Spans that were completed may have grown over the end of a value.
        merged = unify_labels(text, trim_spans(text, merge_spans(cut_spans(merged))))
        return link_mentions(text, join_ranges(text, merged))


class _Reading:
    """A document as written and as a reader sees it, and the spans of detectors in the folded text."""

    def __init__(self, document: Document) -> None:
        self.document = document
        # Some detectors cannot encode lone surrogates; offsets stay the same without them.
        self.written = replace(document, text=AnnotatedText(replace_surrogates(document.text)))
        self._fold = fold(self.written.text)
        self.folded = self.written
        if self._fold is not None:
            meta = {key: value for key, value in document.meta.items() if key not in _META_WITH_OFFSETS}
            places = (self._fold.folded(border - 1, border) for border in document.meta.get("borders", ()))
            meta["borders"] = tuple(place[1] for place in places if place)
            allowed = (self._fold.folded(start, end) for start, end in allowed_ranges(document))
            meta["allowed"] = tuple(place for place in allowed if place)
            self.folded = replace(document, text=AnnotatedText(self._fold.text), annotations=None, meta=meta)
        self.spans: list[Span] = []
        self.cleared: list[tuple[int, int]] = []
        """Ranges of the folded text in which a detector that reads the context is certain that nothing is personal."""
        self._written_ranges: dict[tuple[int, int], tuple[int, int]] = {}
        self.add_written(document.meta.get("marked", ()))

    @property
    def is_changed(self) -> bool:
        return self._fold is not None

    def with_findings(self, findings: _Findings) -> _Reading:
        """The reading with what one more detector says."""
        self.spans += findings.folded
        self.add_written(findings.written)
        self.cleared += findings.cleared
        return self

    def merged(self, merge: Callable[[Document, Iterable[Span]], list[Span]]) -> list[Span]:
        """The spans of all detectors as one list, in the text as written."""
        try:
            return self.to_original(merge(self.folded, _drop_cleared(self)))
        finally:
            if self.is_changed:
                self.folded.text.forget()

    def add_written(self, spans: Iterable[Span]) -> None:
        """Spans in the text as written."""
        if self._fold is None:
            self.spans += spans
            return
        for span in spans:
            if place := self._fold.folded(span.start, span.end):
                self.spans.append(span.moved(*place))
                first, last = self._written_ranges.get(place, (span.start, span.end))
                self._written_ranges[place] = min(first, span.start), max(last, span.end)

    def to_original(self, spans: Sequence[Span]) -> list[Span]:
        """Merged spans of the folded text, at their places in the text as written."""
        if self._fold is None:
            return list(spans)
        text, moved = self.written.text, []
        for span in spans:
            start, end = self._fold.original(span.start, span.end)
            first, last = self._written_ranges.get((span.start, span.end), (start, end))
            moved.append(span.moved(*snap(text, min(start, first), max(end, last))))
        # A ligature is one character of the text, and two spans may share it.
        return merge_spans(moved)


def _document_of(reading: _Reading | Withheld) -> Document:
    return reading.document


def _failure(detector: Detector, reading: _Reading) -> str | None:
    """Why the detector had no usable answer in its last call."""
    reason: str | None = getattr(detector, "failed", {}).get(reading.document.id)
    return reason


def _with_findings(reading: _Reading | Withheld, findings: _Findings | Withheld) -> _Reading | Withheld:
    if isinstance(reading, Withheld) or isinstance(findings, Withheld):
        return findings if isinstance(findings, Withheld) else reading
    return attempt(lambda: reading.with_findings(findings), reading.document)


def detection_by_name(name: str) -> Detection:
    """One detector by its name; ``default`` stands for those of the default recipe."""
    choices = DEFAULT_DETECTORS if name == "default" else {name: {}}
    return Detection([registry.create("detector", choice, options) for choice, options in choices.items()])


def batches(documents: Iterable[Document], characters: int = BATCH_CHARACTERS) -> Iterator[list[Document]]:
    """Documents in batches that are large enough to be efficient and fit in memory; of so many characters or more."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.text)
        if len(batch) >= BATCH_DOCUMENTS or size >= characters:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _check_languages(detector: Detector) -> None:
    languages = getattr(detector, "languages", ())
    if languages is not None and not isinstance(languages, Set):
        raise PluginError(
            f"the detector {plugin_name(detector)} does not say in `languages` which it covers: a frozenset of codes "
            "such as frozenset({'en'}), or None for any (docs/plugins.md)"
        )


def _run(detector: Detector, batch: Sequence[Document]) -> list[list[Span]]:
    """The detector's spans, refused where they are not one list of spans within its text for each document."""
    results = list(map(list, detector.detect(batch)))
    problem = None
    if len(results) != len(batch):
        problem = f"gave {len(results)} lists of spans for {len(batch)} documents"
    elif any(span.end > len(document.text) for document, spans in zip(batch, results, strict=True) for span in spans):
        problem = "gave a span that ends after its text"
    if problem is not None:
        raise PluginError(
            f"the detector {plugin_name(detector)} {problem}: correct it (docs/plugins.md), or choose another; nothing "
            "is released"
        )
    return results


def _cut_around_labels(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans without the parts that lie within a label that is already in the text (``PERSON_1``)."""
    labels = [match.span() for match in _LABEL.finditer(text)] if "_" in text else []
    if not labels:
        yield from (span for span in spans if text[span.start : span.end].strip())
        return
    for span in spans:
        _, first_end = labels[index - 1] if (index := bisect_right(labels, (span.start, len(text)))) else (0, 0)
        last_start, last_end = labels[index - 1] if (index := bisect_left(labels, (span.end, 0))) else (0, 0)
        start = max(span.start, first_end)
        end = last_start if span.end <= last_end else span.end
        if text[start:end].strip():
            yield span.moved(start, end)


def _drop_cleared(reading: _Reading) -> list[Span]:
    """The spans without those of rules without a check or a cue where the context says that nothing is personal.

    A full name that is all of a value or a key has no context.
    """
    spans, ranges = reading.spans, merge_ranges(reading.cleared)
    starts = [start for start, _ in ranges]

    def is_cleared(span: Span) -> bool:
        if span.score >= _CHECKED or span.source not in _WITHOUT_CUE:
            return False
        index = bisect_right(starts, span.start) - 1
        if index < 0 or span.end > ranges[index][1]:
            return False
        is_name = span.source == "rules:person" and " " in reading.folded.text[span.start : span.end]
        return not (is_name and document_structure(reading.folded).is_value(span.start, span.end))

    return [span for span in spans if not is_cleared(span)] if ranges else spans


def _join_codes(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans, with a code and what adjoins it in the same word as one: 88213-AX is not a code and a quantity."""
    joined: list[Span] = []
    for span in spans:
        previous = joined[-1] if joined else span
        is_same_code = previous.end == span.start and {previous.label, span.label} in _PARTS_OF_CODES
        if is_same_code and not re.search(r"\s", text[previous.start : span.end]):
            code = previous if previous.label == "CODE" else span
            joined[-1] = code.moved(previous.start, span.end)
        else:
            joined.append(span)
    return joined


def cut_around_direct(spans: Sequence[Span]) -> list[Span]:
    """The spans, with those of a model cut around the direct identifiers that other detectors found in them.

    Where spans are merged the longest wins. A name inside a longer span of a model ("her uncle Otto") would lose its
    label, and other forms of the name elsewhere in the text would not be found.
    """
    direct = merge_spans(span for span in spans if span.identifier == "direct" and not _is_from_model(span))
    if not direct:
        return list(spans)
    ends = [span.end for span in direct]
    result: list[Span] = []
    for span in spans:
        if not _is_from_model(span):
            result.append(span)
            continue
        start = span.start
        for other in direct[bisect_right(ends, span.start) :]:
            if other.start >= span.end:
                break
            result += [span.moved(start, other.start)] if start < other.start else []
            start = max(start, other.end)
        result += [span.moved(start, span.end)] if start < span.end else []
    return result


def _is_from_model(span: Span) -> bool:
    return span.source.endswith(SOURCE_SUFFIX)
