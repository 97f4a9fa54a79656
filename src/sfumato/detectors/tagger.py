"""The tagger: a small token classifier (ONNX) as a detector, from token shapes to spans of whole words."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, pairwise
from operator import is_
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.detectors.base import Reading, Threshold, resolve_threshold
from sfumato.document import LABELS, Document, Identifier, Span
from sfumato.errors import InputError, RecipeError, suggest
from sfumato.lexicon.name_lists import is_title
from sfumato.lexicon.time import mentions_time
from sfumato.lexicon.word_kinds import word_kinds
from sfumato.models.base import open_onnx
from sfumato.models.tokens import MARGIN, central_ranges, load_tokenizer, segments, window_ranges

if TYPE_CHECKING:
    from sfumato.models.torch_tagger import TorchTagger, Window

Floats = NDArray[np.float32]

SHIPPED_MODEL = Path(__file__).parents[1] / "models" / "weights" / "tagger"
SOURCE = "tagger:mask"
SHAPES = ("special", "lower", "title", "upper", "mixed", "digits", "punctuation", "other")
GAPS = ("glued", "blank", "line")
SHAPE_COUNT = len(SHAPES) * len(GAPS)
"""How many values ``shape_ids`` has."""

_SHAPE_NUMBERS = {name: number for number, name in enumerate(SHAPES)}
_GROUP_CHARACTERS = 200_000
"""Characters of the segments that a GPU is given at once."""
_AHEAD_CHARACTERS = 500_000
"""Characters of the segments that are under way before their predictions are asked for."""
_OVERLAP = 32
"""Tokens that neighbouring windows share; each token has at least half of that as context on either side."""
_GROWTH = 0.5
"""Share of its threshold that a word needs beside a masked word of its label: names of several words stay whole."""
_DATE = "DATETIME"
_CLEAR = 0.05
"""Below this probability the tagger is nearly certain that a token is not personal."""


class TaggerDetector:
    """Finds direct and quasi-identifiers by a small neural network of our own; reads context, not only shapes."""

    cite: ClassVar[str | None] = "pilan2022"
    uses: ClassVar[tuple[str, ...]] = ("threshold", "threads")
    languages: ClassVar[frozenset[str] | None] = frozenset({"en", "es", "de", "fr", "it", "pt", "nl"})
    reads: ClassVar[Reading] = "folded"

    def __init__(
        self,
        *,
        threshold: Threshold = "balanced",
        thresholds: Mapping[str, float] | None = None,
        model: str | None = None,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        """``thresholds``: scores by label that count in place of ``threshold``; a named threshold brings its own.

        ``model``: a folder that ``training/tagger`` wrote, in place of the shipped one. ``device``: another than the
        processor runs the network in torch, in half precision: ``cuda``, ``mps`` (``torch:cpu`` to compare).
        """
        self._network: TaggerNetwork = load_network(Path(model) if model else SHIPPED_MODEL, threads, device)
        scores = {name.replace("_", "-"): value for name, value in self._network.config["thresholds"].items()}
        self._threshold = resolve_threshold(threshold, scores)
        by_label = self._network.config.get("label_thresholds", {}).get(threshold, {})
        self._thresholds = {**by_label, **_checked_thresholds(thresholds or {})}
        self._clear_below = min(_CLEAR, self._threshold)
        self.cleared: list[list[tuple[int, int]]] = []
        """For each document of the last call, the ranges in which it is nearly certain that nothing is personal."""
        self._ahead: _ReadAhead | None = None

    def read_ahead(self, documents: Sequence[Document]) -> bool:
        """Begin to run the network on these documents in threads of its own; ``detect`` then waits for less.

        They may be given to ``detect`` in parts, in the same order. What was begun before is given up. False where the
        network has no threads.
        """
        if self._ahead is not None:
            self._ahead.cancel()
        self._ahead = _ReadAhead(self._network, documents) if self._network.has_threads else None
        return self._ahead is not None

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        ahead = self._ahead
        if ahead is None or not ahead.begins_with(documents):
            ahead = _ReadAhead(self._network, documents)
        spans: list[list[Span]] = []
        self.cleared = []
        tags = self._network.config["tags"]
        for _ in documents:
            document_spans, cleared = list[Span](), list[tuple[int, int]]()
            for segment, tokens in ahead.next_document():
                decoded = decode_spans(segment.text, tokens, tags, self._threshold, self._thresholds)
                document_spans += segment.own_spans(decoded)
                cleared += segment.own_ranges(clear_ranges(tokens, self._clear_below))
            spans.append(document_spans)
            self.cleared.append(cleared)
        return spans


@dataclass(frozen=True)
class _Segment:
    """A part of a document, [start, end), with some context on either side; ``text`` begins at ``text_start``."""

    document: int
    start: int
    end: int
    text_start: int
    text: str

    def own_spans(self, spans: Iterable[Span]) -> Iterator[Span]:
        """The spans that begin in [start, end), with offsets in the document; neighbouring segments have the others."""
        for span in spans:
            if self.start <= span.start + self.text_start < self.end:
                yield span.moved(span.start + self.text_start, span.end + self.text_start)

    def own_ranges(self, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The parts of the ranges in [start, end), with offsets in the document."""
        for start, end in ranges:
            start, end = max(self.start, start + self.text_start), min(self.end, end + self.text_start)
            if start < end:
                yield start, end


def _segments(documents: Sequence[Document]) -> Iterator[_Segment]:
    for number, document in enumerate(documents):
        text = document.text
        for start, end in segments(text):
            text_start = max(0, start - MARGIN)
            yield _Segment(number, start, end, text_start, text[text_start : end + MARGIN])


class _ReadAhead:
    """What the network says of documents, one after the other; it is some segments ahead of what is asked for."""

    def __init__(self, network: TaggerNetwork, documents: Sequence[Document]) -> None:
        self._network = network
        self._documents = deque(documents)
        self._number = 0
        self._segments = _segments(documents)
        self._begun: deque[tuple[list[_Segment], PendingPredictions]] = deque()
        self._characters = 0
        self._finished: deque[tuple[_Segment, TokenPredictions]] = deque()
        self._begin()

    def begins_with(self, documents: Sequence[Document]) -> bool:
        """Whether these are the next documents."""
        coming = list(islice(self._documents, len(documents)))
        return len(coming) == len(documents) and all(map(is_, coming, documents))

    def next_document(self) -> Iterator[tuple[_Segment, TokenPredictions]]:
        """The segments of the next document with their predictions."""
        self._documents.popleft()
        number, self._number = self._number, self._number + 1
        while self._finished or self._begun:
            if not self._finished:
                group, pending = self._begun.popleft()
                self._characters -= sum(len(segment.text) for segment in group)
                self._begin()
                self._finished.extend(zip(group, pending.result(), strict=True))
            if self._finished[0][0].document > number:
                return
            segment, predictions = self._finished.popleft()
            if segment.document == number:  # else it is left over from a document that raised an error
                yield segment, predictions

    def cancel(self) -> None:
        """Give up what has not begun to run."""
        while self._begun:
            self._begun.popleft()[1].cancel()

    def _begin(self) -> None:
        """Begin with as many segments as may be under way: that bounds the memory that predictions take."""
        while self._characters < _AHEAD_CHARACTERS and (group := self._next_group()):
            self._begun.append((group, self._network.begin([segment.text for segment in group])))
            self._characters += sum(len(segment.text) for segment in group)

    def _next_group(self) -> list[_Segment]:
        """Segments that the network is given at once."""
        group: list[_Segment] = []
        while sum(len(segment.text) for segment in group) < self._network.group_characters:
            if (segment := next(self._segments, None)) is None:
                break
            group.append(segment)
        return group


@lru_cache(maxsize=2**14)
def token_shape(token: str) -> int:
    """The number of a token's shape in ``SHAPES``, by how it is written in the text."""
    if token.islower():
        name = "lower" if token.isalpha() else "mixed"
    elif token.isupper():
        name = "upper" if token.isalpha() else "mixed"
    elif token.istitle() and token.isalpha():
        name = "title"
    elif token.isdigit():
        name = "digits"
    elif not any(map(str.isalnum, token)):
        name = "punctuation"
    elif token.lower() != token.upper():
        name = "mixed"
    else:
        name = "other"
    return _SHAPE_NUMBERS[name]


def shape_ids(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """For each token ``shape + len(SHAPES) * gap``: how it is written, and what stands before it.

    The tokenizer is uncased and drops white space; these numbers give the network "Will" and "will", or a line break
    in a form, back. A text begins as if after a line break. Special tokens, which have no text, are 0.
    """
    numbers, previous_end = [], 0
    for start, end in offsets:
        if start > previous_end:
            between = text[previous_end:start]
            gap = 2 if "\n" in between or "\r" in between else 1
        else:
            gap = 2 if previous_end == 0 == start else 0
        numbers.append(token_shape(text[start:end]) + len(SHAPES) * gap)
        previous_end = end
    return numbers


def word_kind_ids(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """For each token what the lists of words and names know of the word that it is part of."""
    words = token_words(text, offsets)
    kinds = word_kinds([text[offsets[first][0] : offsets[last - 1][1]] for first, last in words])
    return [kind for (first, last), kind in zip(words, kinds, strict=True) for _ in range(first, last)]


@dataclass(frozen=True)
class TokenPredictions:
    """The network's output for each token of a text."""

    offsets: list[tuple[int, int]]
    types: Floats
    """Probability of each tag, [token, tag]."""
    decisions: Floats
    """Probability of direct, quasi and none, [token, 3]."""
    mask: Floats
    """Calibrated probability that the token must be masked, [token]."""


class PendingPredictions(NamedTuple):
    """Predictions that the network may still be at work on."""

    result: Callable[[], list[TokenPredictions]]
    running: Sequence[Future[list[Floats]]]

    def cancel(self) -> None:
        for window in self.running:
            window.cancel()


class _Tokenized(NamedTuple):
    """The tokens of a text, and the windows in which the network reads them."""

    offsets: list[tuple[int, int]]
    ranges: list[tuple[int, int]]
    windows: Sequence[Window]


class TaggerNetwork:
    """A loaded tagger: a folder with ``tagger.onnx``, ``config.json`` and, unless it uses ours, ``tokenizer.json``.

    On the processor windows run one at a time, several in parallel threads, and never in one batch: 8-bit activations
    are scaled by the largest of the whole batch, so the result for a text would depend on the texts beside it, and a
    resumed run would differ. On a GPU (``device``) they run in batches, and rounding may differ in the last digits.
    """

    def __init__(self, folder: Path, threads: int, device: str = "cpu") -> None:
        try:
            self.config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._tokenizer = load_tokenizer(folder)
            self._session: Any = open_onnx(str(folder / "tagger.onnx")) if device == "cpu" else None
        except Exception as error:  # noqa: BLE001 - onnxruntime and tokenizers raise many kinds, all about these files
            raise InputError(f"{folder}: not a trained tagger ({type(error).__name__}); see training/tagger") from None
        self._inputs = frozenset(given.name for given in self._session.get_inputs()) if self._session else frozenset()
        self._first, self._last = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
        self._temperature = float(self.config["calibration"]["temperature"])
        self._window = int(self.config["window"]) - 2
        self._pool = ThreadPoolExecutor(threads) if threads > 1 and self._session else None
        self.has_threads = self._pool is not None
        self.group_characters = 1 if self._session else _GROUP_CHARACTERS
        self._in_torch: TorchTagger | None = None
        if self._session is None:
            from sfumato.models.torch_tagger import TorchTagger

            self._in_torch = TorchTagger(folder / "tagger.onnx", self.config["size"], device.removeprefix("torch:"))

    def predict(self, texts: Sequence[str]) -> list[TokenPredictions]:
        """Predictions for each text; the texts together must fit in memory."""
        return self.begin(texts).result()

    def begin(self, texts: Sequence[str]) -> PendingPredictions:
        """Begin to run the network on texts, where it has threads."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        tokenized = [
            self._tokenized(text, tokens.ids, tokens.offsets) for text, tokens in zip(texts, encoded, strict=True)
        ]
        inputs = [window for tokens in tokenized for window in tokens.windows]
        running = [self._pool.submit(self._run, window) for window in inputs] if self._pool else []
        outputs = (window.result() for window in running) if self._pool else self._outputs(inputs)
        return PendingPredictions(lambda: self._predictions(tokenized, outputs), running)

    def _tokenized(self, text: str, ids: list[int], offsets: list[tuple[int, int]]) -> _Tokenized:
        ranges = window_ranges(len(ids), self._window, self._window - _OVERLAP) if ids else []
        shapes, kinds = shape_ids(text, offsets), word_kind_ids(text, offsets)
        windows = [
            ([self._first, *ids[start:end], self._last], [0, *shapes[start:end], 0], [0, *kinds[start:end], 0])
            for start, end in ranges
        ]
        return _Tokenized(offsets, ranges, windows)

    def _predictions(self, texts: Sequence[_Tokenized], outputs: Iterator[list[Floats]]) -> list[TokenPredictions]:
        """The outputs of all windows as predictions for each text."""
        predictions = []
        for offsets, ranges, _ in texts:
            if not offsets:
                types, decisions = (np.zeros((0, width), np.float32) for width in (len(self.config["tags"]), 3))
                predictions.append(TokenPredictions([], types, decisions, np.zeros(0, np.float32)))
                continue
            parts = []
            for (start, _), (first, last) in zip(ranges, central_ranges(ranges), strict=True):
                parts.append([output[1 + first - start : 1 + last - start] for output in next(outputs)])
            types, decisions, logits = (np.concatenate(part) for part in zip(*parts, strict=True))
            mask = (1 / (1 + np.exp(-np.clip(logits / self._temperature, -60, 60)))).astype(np.float32)
            predictions.append(TokenPredictions(offsets, _softmax(types), _softmax(decisions), mask))
        return predictions

    def _outputs(self, windows: Sequence[Window]) -> Iterator[list[Floats]]:
        """The logits of each window, special tokens included, where the network has no threads."""
        if self._in_torch is not None:
            return iter(self._in_torch.run(windows))
        return map(self._run, windows)

    def _run(self, window: Window) -> list[Floats]:
        arrays = (np.array([numbers], np.int64) for numbers in window)
        feed = dict(zip(("input_ids", "case_ids", "word_kinds"), arrays, strict=True))
        # A network trained before words had kinds does not ask for them.
        feed = {name: values for name, values in feed.items() if name in self._inputs}
        outputs = self._session.run(["type_logits", "decision_logits", "mask_logit"], feed)
        return [output[0] for output in outputs]


@cache
def load_network(folder: Path, threads: int | None, device: str = "cpu") -> TaggerNetwork:
    """The network of a folder, loaded once per process."""
    return TaggerNetwork(folder, threads or os.cpu_count() or 1, device)


def _softmax(logits: Floats) -> Floats:
    exponents: Floats = np.exp(logits - logits.max(-1, keepdims=True))
    exponents /= exponents.sum(-1, keepdims=True)
    return exponents


def _checked_thresholds(thresholds: Mapping[str, float]) -> Mapping[str, float]:
    for label, score in thresholds.items():
        if label not in LABELS:
            raise RecipeError(f"tagger: thresholds: the label {label!r} is unknown; {suggest(label, LABELS)}")
        resolve_threshold(score, {})
    return thresholds


def clear_ranges(tokens: TokenPredictions, limit: float) -> list[tuple[int, int]]:
    """The longest ranges of text in which every token's probability lies below the limit."""
    ranges: list[tuple[int, int]] = []
    previous_is_clear = False
    for (start, end), is_clear in zip(tokens.offsets, (tokens.mask < limit).tolist(), strict=True):
        if is_clear and previous_is_clear:
            ranges[-1] = ranges[-1][0], end
        elif is_clear:
            ranges.append((start, end))
        previous_is_clear = is_clear
    return ranges


def decode_spans(
    text: str,
    tokens: TokenPredictions,
    tags: Sequence[str],
    threshold: float,
    thresholds: Mapping[str, float] = MappingProxyType({}),
) -> list[Span]:
    """Spans of the words to mask: runs of words, cut where the type changes or a new mention begins.

    A word is masked when any token of it reaches the threshold, or that of its label in ``thresholds``. Half of it is
    enough between two masked words, and beside one of the same label for a word that begins with no small letter. Its
    label is the likeliest of its first token. What is called a date without a digit or a word for a time gets the next
    likeliest label, and that label's threshold counts.
    """
    words = token_words(text, tokens.offsets)
    firsts = [first for first, _ in words]
    scores: list[float] = np.maximum.reduceat(tokens.mask, firsts).tolist() if words else []
    least = _GROWTH * min((threshold, *thresholds.values()))
    likeliest: list[int] = tokens.types[firsts, 1:].argmax(1).tolist()
    tagged = [
        tags[1 + number].partition("-")[::2] if score >= least else ("", "")
        for number, score in zip(likeliest, scores, strict=True)
    ]
    limits = [thresholds.get(label, threshold) for _, label in tagged]
    is_masked = [
        bool(label) and score >= limit for (_, label), score, limit in zip(tagged, scores, limits, strict=True)
    ]
    for order in (range(1, len(words)), range(len(words) - 2, -1, -1)):
        step = -1 if order.step > 0 else 1
        for number in order:
            is_likely = tagged[number][1] == tagged[number + step][1] and scores[number] >= _GROWTH * limits[number]
            if is_masked[number + step] and is_likely:
                is_between = 0 <= number - step < len(words) and is_masked[number - step]
                is_masked[number] |= is_between or not text[tokens.offsets[words[number][0]][0]].islower()
    spans: list[Span] = []
    run: list[tuple[int, int]] = []
    run_label = ""

    def add_run() -> None:
        label = run_label
        if run and label == _DATE and not mentions_time(_run_text(text, tokens, run)):
            label = _next_label(tokens, run, tags)
            if tokens.mask[run[0][0] : run[-1][1]].max() < thresholds.get(label, threshold):
                return
        spans.extend(_span(tokens, run, label))

    for word, (position, label), masked in zip(words, tagged, is_masked, strict=True):
        is_next = position == "B" and not _is_title(text, tokens, run)
        if run and (not masked or label != run_label or is_next):
            add_run()
            run = []
        if masked:
            run.append(word)
            run_label = label
    add_run()
    return spans


def _next_label(tokens: TokenPredictions, run: Sequence[tuple[int, int]], tags: Sequence[str]) -> str:
    """The likeliest label of a run's first words but for dates."""
    chances = tokens.types[[first for first, _ in run]].sum(0)
    others = [number for number, tag in enumerate(tags) if tag != "O" and not tag.endswith(_DATE)]
    return tags[max(others, key=lambda number: float(chances[number]))].partition("-")[2]


def _is_title(text: str, tokens: TokenPredictions, run: Sequence[tuple[int, int]]) -> bool:
    """Whether a run is a title, after which its name may begin anew."""
    return bool(run) and is_title(_run_text(text, tokens, run))


def _run_text(text: str, tokens: TokenPredictions, run: Sequence[tuple[int, int]]) -> str:
    return text[tokens.offsets[run[0][0]][0] : tokens.offsets[run[-1][1] - 1][1]]


def token_words(text: str, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of tokens that make one word: letters and digits without anything between them."""
    begins = [start for start, _ in offsets]
    ends_before = [0, *(end for _, end in offsets)]
    starts = [
        number
        for number, (start, end) in enumerate(zip(begins, ends_before, strict=False))
        if start != end or not (start and text[start - 1].isalnum() and text[start].isalnum())
    ]
    return list(pairwise([*starts, len(offsets)]))


def _span(tokens: TokenPredictions, run: Sequence[tuple[int, int]], label: str) -> list[Span]:
    if not run:
        return []
    first, last = run[0][0], run[-1][1]
    direct, quasi = np.add.reduce(tokens.decisions[first:last, :2])
    identifier: Identifier = "direct" if direct > quasi else "quasi"
    score = min(1.0, max(0.0, float(np.maximum.reduce(tokens.mask[first:last]))))
    return [Span(tokens.offsets[first][0], tokens.offsets[last - 1][1], label, identifier, score, SOURCE)]
