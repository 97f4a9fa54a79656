"""Any Hugging Face token classifier as a detector: its tags become words, its words spans, its kinds our labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from sfumato.detectors.base import Threshold, resolve_threshold
from sfumato.document import Document, Span
from sfumato.errors import InputError, RecipeError
from sfumato.models.tokens import MARGIN, segments
from sfumato_papers.detectors.foreign_labels import checked_labels, identifier_of, our_label

if TYPE_CHECKING:
    from sfumato.models.base import Floats, Range
    from sfumato.models.hugging_face import TokenClassifier

Aggregation = Literal["first", "mean", "max"]
THRESHOLDS = {"precise": 0.75, "balanced": 0.5, "leave-nothing": 0.1}
"""The least probability that a word is not outside of all kinds."""
HUB = "hub:"
"""How a model of the hub is named; nothing else is ever downloaded."""
_OUTSIDE = frozenset({"O", "OUT", "OUTSIDE", "NONE", "NO_ENTITY"})
_TAG = re.compile(r"(?P<position>[BIESLU])[-_](?P<kind>.+)|(?P<kind_first>.+)[-_](?P<position_last>[BIESLU])")
_UNNAMED = re.compile(r"LABEL_\d+")
_LONGEST_WINDOW = 4096
"""Sub-tokens read at once, where a model could read more: memory grows with them."""
_OVERLAP_SHARE = 8
"""Neighbouring windows share an eighth of their sub-tokens unless the user says otherwise."""
_BEGINS, _ENDS = frozenset("BSU"), frozenset("ESLU")


@dataclass(frozen=True)
class Tag:
    """One label of a token classifier: what kind of thing, and which part of a mention the token is."""

    kind: str
    """Empty: the token is part of nothing."""
    position: str = ""
    """B, I, E, S, L or U; empty where the tags do not say."""


def parse_tags(labels: Sequence[str]) -> tuple[Tag, ...]:
    """The tags of a model: BIO, BIOES or BILOU, the position first (``B-PER``) or last (``PER-B``); or kinds alone.

    Raises InputError where a model has no tag for what is part of nothing, or numbers in place of names.
    """
    if any(_UNNAMED.fullmatch(label) for label in labels):
        raise InputError(
            "the model numbers its labels (LABEL_0) and does not name them: put their names into id2label in its "
            "config.json"
        )
    if not any(label.upper() in _OUTSIDE for label in labels):
        raise InputError("the model has no label O for tokens that are part of nothing: it is no tagger of entities")
    matches = [None if label.upper() in _OUTSIDE else _TAG.fullmatch(label) for label in labels]
    positions = {match["position"] or match["position_last"] for match in matches if match is not None}
    # "E_MAIL" beside "PHONE" says no position: all labels must, and some that they begin or go on.
    is_each = all(match is not None or label.upper() in _OUTSIDE for label, match in zip(labels, matches, strict=True))
    has_positions = is_each and bool(positions & {"B", "I"})
    tags = []
    for label, match in zip(labels, matches, strict=True):
        if label.upper() in _OUTSIDE:
            tags.append(Tag(""))
        elif match is None or not has_positions:
            tags.append(Tag(label))
        else:
            tags.append(Tag(match["kind"] or match["kind_first"], match["position"] or match["position_last"]))
    return tuple(tags)


def word_ranges(text: str, offsets: Sequence[Range]) -> list[tuple[int, int]]:
    """Ranges of sub-tokens that make one word: letters and digits without anything between them.

    Parts of one character, as byte-level tokenizers cut it, belong together.
    """
    starts = [
        number
        for number, (start, _) in enumerate(offsets)
        if number == 0 or not _continues(text, offsets[number - 1][1], start)
    ]
    return list(pairwise([*starts, len(offsets)]))


def _continues(text: str, before: int, start: int) -> bool:
    return start < before or (start == before > 0 and text[start - 1].isalnum() and text[start : start + 1].isalnum())


def visible_tokens(text: str, offsets: Sequence[Range]) -> tuple[list[int], list[Range]]:
    """The numbers of the sub-tokens that show something, and their ranges without white space at either end."""
    numbers, ranges = [], []
    for number, (start, end) in enumerate(offsets):
        piece = text[start:end]
        if shown := piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            numbers.append(number)
            ranges.append((first, first + len(shown)))
    return numbers, ranges


def tag_words(words: Sequence[Range], probabilities: Floats, tags: Sequence[Tag], by: Aggregation) -> Floats:
    """[word, tag]: the probabilities of a word by its first sub-token, their mean, or the one least surely outside."""
    outside = [number for number, tag in enumerate(tags) if not tag.kind]
    rows = np.zeros((len(words), probabilities.shape[1]))
    for row, (first, last) in zip(rows, words, strict=True):
        if by == "mean":
            row[:] = probabilities[first:last].mean(0)
        else:
            offset = 0 if by == "first" else int(probabilities[first:last, outside].sum(1).argmin())
            row[:] = probabilities[first + offset]
    return rows


@dataclass(frozen=True)
class FoundKind:
    """A run of words that a model gives one kind."""

    start: int
    end: int
    kind: str
    score: float


def decode_words(ranges: Sequence[Range], probabilities: Floats, tags: Sequence[Tag], least: float) -> list[FoundKind]:
    """Runs of words that are not outside with at least that probability, cut where the kind changes or one begins.

    A word's kind is the likeliest: the sum over the positions of its tags. A run's score is the mean of its words'.
    """
    kinds = sorted({tag.kind for tag in tags if tag.kind})
    columns = {kind: [number for number, tag in enumerate(tags) if tag.kind == kind] for kind in kinds}
    outside = [number for number, tag in enumerate(tags) if not tag.kind]
    found: list[FoundKind] = []
    run: list[tuple[Range, float]] = []
    run_kind, has_ended = "", False

    def finish() -> None:
        if run:
            score = float(np.clip(np.mean([score for _, score in run]), 0.0, 1.0))
            found.append(FoundKind(run[0][0][0], run[-1][0][1], run_kind, score))
            run.clear()

    for place, row in zip(ranges, probabilities, strict=True):
        score = 1.0 - float(row[outside].sum())
        if score < least:
            finish()
            continue
        kind = max(kinds, key=lambda name: float(row[columns[name]].sum()))
        position = tags[max(columns[kind], key=lambda number: float(row[number]))].position
        if run and (kind != run_kind or position in _BEGINS or has_ended):
            finish()
        run.append((place, score))
        run_kind, has_ended = kind, bool(position) and position in _ENDS
    finish()
    return found


class HuggingFaceTagger:
    """Finds entities by any Hugging Face token classifier that you name; long texts in windows that overlap."""

    cite: ClassVar[str | None] = "pissarra2024"
    extra: ClassVar[str | None] = "torch"
    uses: ClassVar[tuple[str, ...]] = ("threshold",)
    languages: frozenset[str] | None

    def __init__(
        self,
        *,
        model: str,
        threshold: Threshold = "balanced",
        labels: Mapping[str, str] | None = None,
        aggregation: Aggregation = "first",
        context: int | None = None,
        overlap: int | None = None,
        device: str = "cpu",
        languages: Sequence[str] = ("en",),
    ) -> None:
        """``model``: a folder, or ``hub:OWNER/NAME``, which may be downloaded; ``labels``: our label for their kinds.

        ``aggregation``: a word is judged by its first sub-token, their mean or the most telling one (max);
        ``context``, ``overlap``: sub-tokens of a window, and of two neighbours; ``languages``: those it was trained on.
        """
        if aggregation not in ("first", "mean", "max"):
            raise RecipeError(f"hf-tagger: aggregation is first, mean or max, got {aggregation!r}")
        self._aggregation: Aggregation = aggregation
        self._least = resolve_threshold(threshold, THRESHOLDS)
        own = checked_labels(labels, "hf-tagger")
        self.languages = frozenset([languages] if isinstance(languages, str) else languages)
        self._network = open_network(model, device)
        self._tags = parse_tags(self._network.labels)
        kinds = sorted({tag.kind for tag in self._tags if tag.kind})
        if unused := sorted(own.keys() - set(kinds)):
            raise RecipeError(f"hf-tagger: the model has no kind {unused[0]!r} (labels); it has {', '.join(kinds)}")
        ours = {kind: our_label(kind, own) for kind in kinds}
        self._labels = {kind: label or "MISC" for kind, label in ours.items()}
        unknown = [kind for kind, label in ours.items() if label is None]
        self.remarks = (
            [f"hf-tagger: the model's kinds {', '.join(unknown)} are not known and count as MISC; labels maps them"]
            if unknown
            else []
        )
        self._window = self._checked_window(context)
        self._overlap = self._window // _OVERLAP_SHARE if overlap is None else overlap
        if not 0 <= self._overlap < self._window:
            raise RecipeError(f"hf-tagger: overlap is 0 to {self._window - 1} sub-tokens, got {overlap}")

    def _checked_window(self, context: int | None) -> int:
        most = self._network.most_tokens
        if context is None:
            return min(most, _LONGEST_WINDOW)
        if not 1 <= context <= most:
            raise RecipeError(f"hf-tagger: context is 1 to {most} sub-tokens for this model, got {context}")
        return context

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [self._spans(document.text) for document in documents]

    def _spans(self, text: str) -> list[Span]:
        spans = []
        for start, end in segments(text):
            origin = max(0, start - MARGIN)
            for found in self._found(text[origin : end + MARGIN]):
                if start <= origin + found.start < end:
                    label = self._labels[found.kind]
                    place = origin + found.start, origin + found.end
                    source = f"hf-tagger:{found.kind}"
                    spans.append(Span(*place, label, identifier_of(label), found.score, source))
        return spans

    def _found(self, text: str) -> list[FoundKind]:
        offsets, probabilities = self._network.probabilities(text, self._window, self._overlap)
        numbers, ranges = visible_tokens(text, offsets)
        words = word_ranges(text, ranges)
        rows = tag_words(words, probabilities[numbers], self._tags, self._aggregation)
        places = [(ranges[first][0], ranges[last - 1][1]) for first, last in words]
        return decode_words(places, rows, self._tags, self._least)


def open_network(model: str, device: str) -> TokenClassifier:
    """The classifier in a folder, or of the hub where that is named. Raises InputError where there is none."""
    from sfumato.models.hugging_face import load_token_classifier, resolve_model

    if model.startswith(HUB):
        return load_token_classifier(model.removeprefix(HUB), device)
    _, options = resolve_model(model)
    if not options["local_files_only"]:
        raise InputError(
            f"model {model!r}: no such folder. Name the folder of a token classifier, or {HUB}{model} to download it"
        )
    return load_token_classifier(model, device)
