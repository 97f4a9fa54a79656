"""Reference mentions and replaced spans, and whether what was masked covers a mention.

Pilán et al., "The Text Anonymization Benchmark (TAB)", Computational Linguistics 48(4), 2022.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sfumato.document import Edit, Release, Span
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


def coverage(text: str, ranges: Iterable[Range]) -> bytearray:
    """One byte a character: 1 where a range covers it."""
    covered = bytearray(len(text))
    for start, end in ranges:
        covered[start:end] = b"\1" * (end - start)
    return covered


def is_ignorable(token: str) -> bool:
    """Whether a token may stay readable: a function word, a title, or no word at all."""
    return token.lower() in IGNORABLE or not (token[0].isalnum() or token[0] == "_")


def is_masked(text: str, start: int, end: int, masked: bytearray) -> bool:
    """TAB: every uncovered character of the mention ``text[start:end]`` belongs to an ignorable token."""
    return all(
        is_ignorable(match[0]) or all(masked[slice(*match.span())])
        for match in _MENTION_TOKEN.finditer(text, start, end)
    )


def words(text: str, start: int = 0, end: int | None = None) -> Iterator[Range]:
    """The tokens of TAB."""
    return (match.span() for match in WORD_CHARACTERS.finditer(text, start, len(text) if end is None else end))


def masked_ranges(release: Release) -> list[Range]:
    """What the edits cover, without those that change nothing."""
    text = release.document.text
    return [
        (edit.span.start, edit.span.end)
        for edit in release.edits
        if edit.replacement != text[edit.span.start : edit.span.end]
    ]


def mentions_to_mask(spans: Iterable[Span]) -> list[Span]:
    """The mentions to mask: all that no annotator decided to leave."""
    return [span for span in spans if span.source != NOT_MASKED and len(span)]


def by_annotator(spans: Iterable[Span]) -> dict[str | None, list[Span]]:
    """Each annotator's mentions; an annotator without mentions in a document is missing."""
    spans_by_annotator: dict[str | None, list[Span]] = defaultdict(list)
    for span in spans:
        spans_by_annotator[span.annotator].append(span)
    return dict(spans_by_annotator)


def entities(text: str, spans: Iterable[Span]) -> list[list[Span]]:
    """Mentions of one entity by one annotator. Where they are not linked, equal words of a label are one entity."""
    entities_by_key: dict[tuple[str | None, str], list[Span]] = defaultdict(list)
    for span in spans:
        words_key = " ".join(text[span.start : span.end].casefold().split())
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


_UNLABELLED = ("mask", ALIGNED)
"""Sources of edits without recorded labels: mask files, and aligned texts."""


class ReplacedSpan(NamedTuple):
    """An edit that changed something: the original text and range, and the range of the replacement in the release."""

    original: str
    edit: Edit
    place: Range
    released: Range

    @property
    def visible_label(self) -> str:
        """The label as a reader of the release sees it: that of the placeholder, else the recorded one."""
        if label := placeholder_label(self.edit.replacement):
            return label
        return UNKNOWN if self.edit.span.source in _UNLABELLED else self.edit.span.label

    @property
    def label(self) -> str:
        """The label by which a guess or a replacement is judged; dates are recognized where none was recorded."""
        return "DATETIME" if self.visible_label == UNKNOWN and read_dates(self.original) else self.visible_label


def replaced_spans(release: Release) -> Iterator[ReplacedSpan]:
    """The spans that a release changed, in order."""
    for piece in release.segments:
        original = release.document.text[piece.start : piece.end]
        if piece.edit and original.strip() not in ("", piece.edit.replacement.strip()):
            place, released = (piece.start, piece.end), (piece.released_start, piece.released_end)
            yield ReplacedSpan(original, piece.edit, place, released)
