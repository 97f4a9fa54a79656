"""Reference mentions, and whether what was masked covers them.

Pilán et al., "The Text Anonymization Benchmark (TAB)", Computational Linguistics 48(4), 2022.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import NotMeasurable
from sfumato.formats.inputs import ALIGNED
from sfumato.formats.records import NOT_MASKED
from sfumato.formats.spans import placeholder_label
from sfumato.generalize.truth import UNKNOWN
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.time import read_dates
from sfumato.lexicon.tokens import WORD_CHARACTERS
from sfumato.metrics.base import Annotations
from sfumato.models.base import Range

_MENTION_TOKEN = re.compile(r"['’]s\b|\w+|[^\w\s]")

IGNORABLE = word_set("mentions", "ignorable", "en", "sfumato.metrics")
"""TAB's ignorable words, as a list in place of a part-of-speech tagger, so that scores do not depend on a model."""


class HasRange(Protocol):
    """A mention: anything that says where it stands."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def coverage(text: str, ranges: Iterable[Range]) -> bytearray:
    """One byte a character: 1 where a range covers it."""
    covered = bytearray(len(text))
    for start, end in ranges:
        covered[start:end] = b"\1" * (end - start)
    return covered


def is_ignorable(token: str) -> bool:
    """Whether a token may stay readable: a small word, a title, or no word at all."""
    return token.lower() in IGNORABLE or not (token[0].isalnum() or token[0] == "_")


def is_masked(text: str, mention: HasRange, masked: bytearray) -> bool:
    """TAB: every uncovered character of the mention belongs to an ignorable token."""
    return all(
        is_ignorable(match[0]) or all(masked[slice(*match.span())])
        for match in _MENTION_TOKEN.finditer(text, mention.start, mention.end)
    )


def words(text: str, start: int = 0, end: int | None = None) -> Iterator[Range]:
    """The tokens of TAB: runs of word characters."""
    return (match.span() for match in WORD_CHARACTERS.finditer(text, start, len(text) if end is None else end))


def masked_ranges(release: Release) -> list[Range]:
    """What the edits cover, less those that put back what stood there."""
    text = release.document.text
    return [
        (edit.span.start, edit.span.end)
        for edit in release.edits
        if edit.replacement != text[edit.span.start : edit.span.end]
    ]


def mentions_to_mask(spans: Iterable[Span]) -> list[Span]:
    """The mentions to mask: all but those an annotator decided to leave. Where nobody decided, every one counts."""
    return [span for span in spans if span.source != NOT_MASKED and len(span)]


def by_annotator(spans: Iterable[Span]) -> dict[str | None, list[Span]]:
    """Each annotator's mentions; one who marked nothing in a document does not show in it."""
    spans_by_annotator: dict[str | None, list[Span]] = defaultdict(list)
    for span in spans:
        spans_by_annotator[span.annotator].append(span)
    return dict(spans_by_annotator)


def entities(document: Document, spans: Iterable[Span]) -> list[list[Span]]:
    """Mentions of one thing by one annotator. Where nobody linked them, the same words of a label are one thing."""
    entities_by_key: dict[tuple[str | None, str], list[Span]] = defaultdict(list)
    for span in spans:
        words_key = " ".join(document.text[span.start : span.end].casefold().split())
        entities_by_key[span.annotator, span.entity or f"{span.label}:{words_key}"].append(span)
    return list(entities_by_key.values())


def annotated(
    releases: Sequence[Release], gold: Annotations
) -> tuple[list[tuple[Release, Sequence[Span]]], dict[str, int]]:
    """Releases with their reference spans, and the setting that says how many have none."""
    pairs = [(release, gold[release.document.id]) for release in releases if release.document.id in gold]
    if not pairs:
        raise NotMeasurable("no released document has reference spans: check that the ids of --gold are the originals'")
    without = len(releases) - len(pairs)
    return pairs, {"without_gold": without} if without else {}


# -- What a release put in another's place, and what kind of thing that seems to be.


_UNLABELLED = ("mask", ALIGNED)
"""Sources of edits whose labels nobody recorded: mask files, and the comparison of texts."""


class ReplacedSpan(NamedTuple):
    """A change that hides something: what stood there and where, and where its replacement stands in the release."""

    original: str
    edit: Edit
    place: Range
    released: Range

    @property
    def visible_label(self) -> str:
        """What kind of thing a reader takes it for: what the placeholder says, else the label, if there is one."""
        if label := placeholder_label(self.edit.replacement):
            return label
        return UNKNOWN if self.edit.span.source in _UNLABELLED else self.edit.span.label

    @property
    def label(self) -> str:
        """By which a guess or a replacement is judged. Where none was recorded, a date is known by its form."""
        return "DATETIME" if self.visible_label == UNKNOWN and read_dates(self.original) else self.visible_label


def replaced_spans(release: Release) -> Iterator[ReplacedSpan]:
    """The changes of a release, in order, but for those that put back what stood there."""
    for piece in release.segments:
        original = release.document.text[piece.start : piece.end]
        if piece.edit and original.strip() not in ("", piece.edit.replacement.strip()):
            place, released = (piece.start, piece.end), (piece.released_start, piece.released_end)
            yield ReplacedSpan(original, piece.edit, place, released)
