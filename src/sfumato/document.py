"""The data that flows: Document, Span, Edit, Release, Withheld, Attempt, Score; and how overlapping spans merge.

Their ``repr`` shows no text, because logs, notebooks and tracebacks print it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, overload

from sfumato.annotated_text import AnnotatedText
from sfumato.errors import WrongArgument

LABELS = ("PERSON", "CODE", "ORG", "LOC", "DEM", "DATETIME", "QUANTITY", "MISC")
"""The eight entity types of the Text Anonymization Benchmark, in the order that breaks ties between detectors."""

Identifier = Literal["direct", "quasi"]


@dataclass(frozen=True, slots=True)
class Span:
    """A range of text that may identify somebody: ``text[start:end]``.

    Only an edit that puts something back (``Release.inverse``) has a span of no width; detectors never do.
    """

    start: int
    end: int
    label: str
    identifier: Identifier | None = None
    score: float = 1.0
    source: str = ""
    entity: str | None = field(default=None, repr=False)
    annotator: str | None = None
    passes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What changed it behind the detectors, oldest first; the audit says it."""

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span needs 0 <= start <= end, got [{self.start}, {self.end})")
        if not 0.0 <= self.score <= 1.0:
            raise ValueError(f"a span's score lies between 0 and 1, got {self.score}")
        if not self.label:
            raise ValueError("a span needs a label")

    def __len__(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end

    def moved(self, start: int, end: int) -> Span:
        """The same span at other offsets."""
        if start == self.start and end == self.end:
            return self
        rest = (self.label, self.identifier, self.score, self.source, self.entity, self.annotator, self.passes)
        return Span(start, end, *rest)

    def linked(self, entity: str) -> Span:
        """The same span of an entity."""
        before = (self.start, self.end, self.label, self.identifier, self.score, self.source)
        return Span(*before, entity, self.annotator, self.passes)


_NO_META: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, init=False)
class Document:
    """One text with its id. ``subjects`` are the ids of the people it concerns; without any, its own id stands in."""

    id: str
    text: AnnotatedText = field(repr=False)
    """A ``str`` that keeps what detectors and replacers read in it."""
    subjects: tuple[str, ...] = field(default=(), repr=False)
    annotations: tuple[Span, ...] | None = field(default=None, repr=False)
    meta: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __init__(
        self,
        id: str,
        text: str,
        subjects: tuple[str, ...] = (),
        annotations: tuple[Span, ...] | None = None,
        meta: Mapping[str, Any] = _NO_META,
    ) -> None:
        if not id or not isinstance(id, str):
            raise WrongArgument("a document needs an id: a str that is not empty")
        if not isinstance(text, str):
            raise WrongArgument(f"the text of a document is a str, not {type(text).__name__}")
        for span in annotations or ():
            if span.end > len(text):
                raise WrongArgument(
                    f"annotation [{span.start}, {span.end}) ends after the text ({len(text)} characters)"
                )
        values = (id, AnnotatedText(text), subjects, annotations, MappingProxyType(dict(meta)))
        for name, value in zip(("id", "text", "subjects", "annotations", "meta"), values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def subject_ids(self) -> tuple[str, ...]:
        return self.subjects or (self.id,)

    def __reduce__(self) -> tuple[Any, ...]:  # a mappingproxy does not pickle
        return (Document, (self.id, self.text, self.subjects, self.annotations, dict(self.meta)))


@dataclass(frozen=True, slots=True)
class Edit:
    """One change. ``reasons`` led to it, oldest first; the audit shows them.

    ``level``: of a generalization, its level in the hierarchy, from 1; None for anything else.
    ``alternatives``: what may be put there instead, each no more specific than the one before.
    Each has a range of its own (``resolve_overlaps`` fits them together again) and no alternatives itself.
    """

    span: Span
    replacement: str = field(repr=False)
    reasons: tuple[str, ...] = field(default=(), repr=False)
    level: int | None = None
    alternatives: Sequence[Edit] = field(default=(), compare=False, repr=False)


class LazyEdits(Sequence[Edit]):
    """Alternatives that are rendered when they are asked for: most releases are never generalized further."""

    def __init__(self, make: Callable[..., tuple[Edit, ...]], *arguments: object) -> None:
        """``make`` is called with the ``arguments``: one function for many edits, as a corpus has very many of them."""
        self._make, self._arguments = make, arguments

    @cached_property
    def _edits(self) -> tuple[Edit, ...]:
        return self._make(*self._arguments)

    def __len__(self) -> int:
        return len(self._edits)

    @overload
    def __getitem__(self, index: int) -> Edit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Edit]: ...
    def __getitem__(self, index: int | slice) -> Edit | Sequence[Edit]:
        return self._edits[index]

    def __reduce__(self) -> tuple[Any, ...]:  # pickled as a plain tuple: the assignment holds the whole document
        return (tuple, (self._edits,))


class Segment(NamedTuple):
    """A piece of a release: original and released range, and the edit that made it (None: untouched)."""

    start: int
    end: int
    released_start: int
    released_end: int
    edit: Edit | None


class _Side(NamedTuple):
    """Where all segments begin and end, in the original or in the release."""

    starts: Sequence[int]
    ends: Sequence[int]


@dataclass(frozen=True)
class Release:
    """A document after its edits. The text is computed, so it cannot disagree with them.

    A rewriter's release has no edits and carries its text: use ``Release.rewritten``.
    """

    document: Document
    edits: tuple[Edit, ...] = ()
    rewrite: str | None = field(default=None, repr=False)
    reasons: tuple[str, ...] = field(default=(), repr=False)
    """Why a text was rewritten as it was, oldest reason first; the audit shows it. Edits have their own."""
    before_rewrite: Release | None = field(default=None, compare=False, repr=False)
    """The release that was rewritten, where spans had been replaced first."""
    fallback_reason: str | None = field(default=None, compare=False)
    """Why this is the release by the other detectors alone: what the language model failed at."""

    def __post_init__(self) -> None:
        edits = tuple(sorted(self.edits, key=lambda edit: (edit.span.start, edit.span.end)))
        object.__setattr__(self, "edits", edits)
        if self.rewrite is not None and edits:
            raise ValueError("a rewritten release carries its text and no edits")
        for before, after in pairwise(edits):
            if before.span.overlaps(after.span):
                raise ValueError(
                    f"edits overlap at [{before.span.start}, {before.span.end}) and "
                    f"[{after.span.start}, {after.span.end}): merge the spans first (merge_spans)"
                )
        if edits and edits[-1].span.end > len(self.document.text):
            raise ValueError(f"an edit ends after the text ({len(self.document.text)} characters)")

    @classmethod
    def rewritten(
        cls, document: Document, text: str, reasons: tuple[str, ...] = (), before_rewrite: Release | None = None
    ) -> Release:
        return cls(document, (), text, reasons, before_rewrite)

    @property
    def hidden(self) -> tuple[Edit, ...]:
        """What was replaced, in the text or before it was rewritten."""
        return self.before_rewrite.edits if self.before_rewrite is not None else self.edits

    @cached_property
    def text(self) -> AnnotatedText:
        """The released text."""
        if self.rewrite is not None:
            return AnnotatedText(self.rewrite)
        original = self.document.text
        return AnnotatedText(
            "".join(
                original[piece.start : piece.end] if piece.edit is None else piece.edit.replacement
                for piece in self.segments
            )
        )

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """The released text for a notebook, its edits marked with their labels; nothing of the original or of reasons.

        Of a long text the beginning is shown.
        """
        pieces = [Segment(0, 0, 0, len(self.text), None)] if self.rewrite is not None else self.segments
        parts = []
        for _, _, start, end, edit in pieces:
            if edit is not None and start < _SHOWN:
                parts.append(_marked_html(self.text[start:end], edit))
            else:
                parts.append(escape(self.text[start : min(end, _SHOWN)]))
        count, left_out = len(self.hidden), max(0, len(self.text) - _SHOWN)
        notes = [f"{count} edit{'s' * (count != 1)}{' before it was rewritten' * (self.rewrite is not None)}"]
        notes += [f"about {left_out:,} more characters"] if left_out else []
        return f'<div style="white-space:pre-wrap">{"".join(parts)}</div><small>{"; ".join(notes)}</small>'

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The release from left to right, untouched stretches and edits in turn; empty ones left out."""
        if self.rewrite is not None:
            raise ValueError("a rewritten release has no edits, so it has no offset map")
        segments: list[Segment] = []
        offset = released = 0
        for edit in (*self.edits, None):
            start = edit.span.start if edit else len(self.document.text)
            if offset < start:
                segments.append(Segment(offset, start, released, released + start - offset, None))
                released += start - offset
            if edit:
                offset = edit.span.end
                segments.append(Segment(start, offset, released, released + len(edit.replacement), edit))
                released += len(edit.replacement)
        return tuple(segments)

    @property
    def kept(self) -> tuple[tuple[int, int], ...]:
        """Ranges of the original that are unchanged in the release."""
        return tuple((piece.start, piece.end) for piece in self.segments if piece.edit is None)

    def to_released(self, start: int, end: int) -> tuple[int, int]:
        """Where ``original[start:end]`` went: the smallest released range that holds all that came of it.

        Exact for untouched text; an edit that the range touches is taken whole.
        """
        return self._map(start, end, *self._sides)

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """Where ``released[start:end]`` came from; the inverse of ``to_released``."""
        here, there = self._sides
        return self._map(start, end, there, here)

    def _map(self, start: int, end: int, here: _Side, there: _Side) -> tuple[int, int]:
        size = here.ends[-1] if here.ends else 0
        if not 0 <= start < end <= size:
            raise ValueError(f"a range needs 0 <= start < end <= {size}, got [{start}, {end})")
        # Segments lie end to end, so neither search lands on one of no width (a suppressed span, say).
        first = bisect_right(here.ends, start)
        last = bisect_left(here.starts, end) - 1
        before = start - here.starts[first] if self.segments[first].edit is None else 0
        after = here.ends[last] - end if self.segments[last].edit is None else 0
        return there.starts[first] + before, there.ends[last] - after

    @cached_property
    def _sides(self) -> tuple[_Side, _Side]:
        starts, ends, released_starts, released_ends, _ = (
            zip(*self.segments, strict=True) if self.segments else [()] * 5
        )
        return _Side(starts, ends), _Side(released_starts, released_ends)

    def inverse(self) -> Release:
        """The release that undoes this one: applied to the released text it gives back the original."""
        original = self.document.text
        edits = tuple(
            Edit(piece.edit.span.moved(piece.released_start, piece.released_end), original[piece.start : piece.end])
            for piece in self.segments
            if piece.edit is not None
        )
        return Release(replace(self.document, text=self.text, annotations=None), edits)


_SHOWN = 20_000
"""Characters that a notebook shows of a release."""
_COLOURS = ("#ffd8a8", "#d0ebff", "#d3f9d8", "#c5f6fa", "#f3d9fa", "#fff3bf", "#ffe3e3", "#e9ecef")
"""Of the labels, in their order."""


def _marked_html(text: str, edit: Edit) -> str:
    """A replacement as markup, with its label as the tip; an empty one as a blank."""
    colour = dict(zip(LABELS, _COLOURS, strict=True)).get(edit.span.label, _COLOURS[-1])
    change = f"generalized (level {edit.level})" if edit.level else "replaced" if text else "removed"
    style = f"background:{colour};color:#111;border-radius:3px;padding:0 2px"
    return f'<mark title="{escape(edit.span.label)}, {change}" style="{style}">{escape(text) or "&emsp;"}</mark>'


@dataclass(frozen=True, slots=True)
class Withheld:
    """A document that is not released, and why."""

    document: Document
    reason: str
    language: str | None = None
    """Where that is why: the language that it is mainly in, which no active detector covers."""


Outcome = Release | Withheld


_IDENTIFIERS = ("direct", "quasi", None)
_RANK = {label: position for position, label in enumerate(LABELS)}


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Spans of several detectors, made disjoint and sorted, covering every character the inputs cover.

    Where spans overlap the longest wins; of equally long ones the higher score, then the label that comes first in
    ``LABELS``, then the earlier one; a direct identifier before a quasi one. What a loser covers beyond the winner
    stays covered, under the loser's label: dropping it would release the rest of a name because its beginning was also
    part of an address.
    """
    taken: list[tuple[int, int]] = []
    merged: list[Span] = []
    for span in sorted(spans, key=_precedence):
        for gap in _gaps(taken, span.start, span.end):
            merged.append(span.moved(*gap))
            insort(taken, gap)
    return sorted(merged, key=lambda span: span.start)


def _gaps(taken: Sequence[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """The parts of ``[start, end)`` in none of the sorted, disjoint ranges."""
    gaps = []
    offset = start
    for index in range(bisect_right(taken, start, key=lambda item: item[1]), len(taken)):
        if taken[index][0] >= end:
            break
        if offset < taken[index][0]:
            gaps.append((offset, taken[index][0]))
        offset = taken[index][1]
    if offset < end:
        gaps.append((offset, end))
    return gaps


def _precedence(span: Span) -> tuple[Any, ...]:
    order = _RANK.get(span.label, len(_RANK))
    # Nothing is left to chance: the order in which detectors give their spans must not matter.
    rest = (span.source, span.entity or "", _IDENTIFIERS.index(span.identifier), span.annotator or "")
    return (-len(span), -span.score, order, span.start, span.label, *rest)


def resolve_overlaps(edits_with_anchors: Sequence[tuple[Edit, Span]]) -> tuple[Edit, ...]:
    """The edits in the order of the text, cut back until no two overlap.

    An edit may be wider than the span it replaces, its anchor: it may take in an article or a preposition. Anchors are
    disjoint, and no edit keeps anything of another's. Of the text between two anchors the first edit takes as much as
    it covers, and the second what is left.
    """
    ordered = sorted(edits_with_anchors, key=lambda pair: (pair[1].start, pair[1].end))
    for edit, anchor in ordered:
        if edit.span.end < anchor.start or anchor.end < edit.span.start:
            raise ValueError(
                f"an edit at [{edit.span.start}, {edit.span.end}) does not touch its anchor "
                f"[{anchor.start}, {anchor.end}): give each edit the span that it replaces"
            )
    borders = []
    for (before, left), (_, right) in pairwise(ordered):
        if right.start < left.end:
            raise ValueError(
                f"anchors overlap at [{left.start}, {left.end}) and [{right.start}, {right.end}): "
                "merge the spans first (merge_spans)"
            )
        borders.append(min(max(before.span.end, left.end), right.start))
    if not ordered:
        return ()
    starts, ends = [ordered[0][0].span.start, *borders], [*borders, ordered[-1][0].span.end]
    return tuple(_within(edit, start, end) for (edit, _), start, end in zip(ordered, starts, ends, strict=True))


def _within(edit: Edit, start: int, end: int) -> Edit:
    """The edit, without what it replaces outside of ``[start, end)``."""
    if start <= edit.span.start and edit.span.end <= end:
        return edit
    return replace(edit, span=edit.span.moved(max(edit.span.start, start), min(edit.span.end, end)))


Range = tuple[int, int]


def allowed_ranges(document: Document) -> tuple[Range, ...]:
    """Ranges of a document's text that nothing replaces: terms that the user allows, and citations that a recipe keeps.

    Sorted and disjoint.
    """
    ranges: tuple[Range, ...] = document.meta.get("allowed", ())
    if not (citations := document.meta.get("citations")):
        return ranges
    return tuple(sorted((*citations, *(part for each in ranges for part in _gaps(citations, *each)))))


def outside(text: str, ranges: Sequence[Range], start: int, end: int) -> list[Range]:
    """The parts of ``text[start:end]`` in none of the sorted, disjoint ranges, without signs where they were cut."""
    parts = []
    for first, last in _gaps(ranges, start, end):
        while start < first < last and not text[first].isalnum():
            first += 1
        while first < last < end and not text[last - 1].isalnum():
            last -= 1
        if first < last and (first, last) != (start, end) and not any(map(str.isalnum, text[first:last])):
            continue
        if first < last:
            parts.append((first, last))
    return parts


def within_allowed(text: str, edit: Edit, anchor: Span, ranges: Sequence[Range]) -> Edit:
    """The edit and its alternatives, kept between the allowed ranges beside the span that it replaces, its anchor."""
    if not ranges:
        return edit
    index = bisect_right(ranges, anchor.start, key=lambda item: item[1])
    start = ranges[index - 1][1] if index else 0
    limit = ranges[index][0] if index < len(ranges) else anchor.end
    end = max(anchor.end, limit) if index < len(ranges) else None

    beside = {text[slice(*each)] for each in ranges[max(0, index - 1) : index + 1]}

    def within(each: Edit) -> Edit:
        cut = _within(each, start, each.span.end if end is None else end)
        # The year that is left of a date is not written beside the same year.
        return replace(cut, replacement="") if cut is not each and each.replacement in beside else cut

    alternatives = edit.alternatives
    if isinstance(alternatives, LazyEdits) or alternatives:
        edit = replace(edit, alternatives=LazyEdits(lambda: tuple(map(within, alternatives))))
    return within(edit)


def keep_allowed(document: Document, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits, cut around what is allowed: the gate for whatever makes edits behind the detectors."""
    ranges = allowed_ranges(document)
    if not ranges:
        return tuple(edits)
    return tuple(
        edit if part == (edit.span.start, edit.span.end) else replace(edit, span=edit.span.moved(*part))
        for edit in edits
        for part in _outside_or_empty(document.text, ranges, edit.span)
    )


def _outside_or_empty(text: str, ranges: Sequence[Range], span: Span) -> list[Range]:
    return outside(text, ranges, span.start, span.end) if len(span) else [(span.start, span.end)]


def is_table(value: object) -> bool:
    """Whether a value is a data frame of any library: looping over one gives the names of its columns, not its rows."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A term of the released text that helped an attack, with its weight and offsets."""

    term: str = field(repr=False)
    weight: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Guess:
    """One answer of an attack and how sure it is."""

    answer: str = field(repr=False)
    score: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attack on one released text. Whether it succeeded is decided by whoever knows the subjects."""

    attack: str
    document_id: str
    guesses: tuple[Guess, ...]
    rank: int | None = None
    score: float | None = None
    evidence: tuple[Evidence, ...] = ()
    span: Span | None = None
    """Where in the released text, for an attack on one span of it."""


@dataclass(frozen=True, slots=True)
class Score:
    """A measured value: never a bare float."""

    metric: str
    value: float
    interval: tuple[float, float]
    n: int
    per_document: Mapping[str, float]
    higher_is_better: bool
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        low, high = self.interval
        if not low <= self.value <= high:
            raise ValueError(f"{self.metric}: value {self.value} lies outside its interval [{low}, {high}]")
        if self.n < 1:
            raise ValueError(f"{self.metric}: a score over no documents is not a score")
