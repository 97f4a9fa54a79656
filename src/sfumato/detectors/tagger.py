"""The tagger as a detector."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.detectors.base import Threshold, resolve_threshold
from sfumato.document import Document, Identifier, Span
from sfumato.errors import InputError
from sfumato.lexicon import name_lists
from sfumato.lexicon.grammar_en import FUNCTION_WORDS
from sfumato.lexicon.language import identify_language
from sfumato.lexicon.tables import frequency_key
from sfumato.models.table_scorers import frequencies
from sfumato.models.tokens import MARGIN, central_ranges, segments, tokenizer_file, window_ranges

# -- How a token was written: its case or kind, and what stood before it.
#
# The tokenizer is uncased and drops blanks, so "Will" and "will", or a new line in a form, look the same to it. One
# number per token gives that back: ``shape + len(SHAPES) * gap``. Training and running share this module.


SHAPES = ("special", "lower", "title", "upper", "mixed", "digits", "punctuation", "other")
GAPS = ("glued", "blank", "line")
COUNT = len(SHAPES) * len(GAPS)

_SHAPE = {name: number for number, name in enumerate(SHAPES)}


def shape(piece: str) -> int:
    """The shape of a token as it stands in the original text."""
    if piece.islower():
        name = "lower" if piece.isalpha() else "mixed"
    elif piece.isupper():
        name = "upper" if piece.isalpha() else "mixed"
    elif piece.istitle() and piece.isalpha():
        name = "title"
    elif piece.isdigit():
        name = "digits"
    elif not any(map(str.isalnum, piece)):
        name = "punctuation"
    elif piece.lower() != piece.upper():
        name = "mixed"
    else:
        name = "other"
    return _SHAPE[name]


def shape_ids(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """One number per token; a text begins as if after a line break. Special tokens, which have no text, are 0."""
    numbers, before = [], 0
    for start, end in offsets:
        between = text[before:start]
        gap = 2 if before == 0 == start or "\n" in between or "\r" in between else int(between != "")
        numbers.append(shape(text[start:end]) + len(SHAPES) * gap)
        before = end
    return numbers


# -- The trained network: a folder with ``tagger.onnx``, ``config.json`` and, where they are not ours, the sub-words.


Floats = NDArray[np.float32]

_OVERLAP = 32
"""Tokens that neighbouring windows share: each token is judged with at least half of that on either side."""


@dataclass(frozen=True)
class Tokens:
    """What the network says about each token of a text."""

    offsets: list[tuple[int, int]]
    types: Floats
    """Probability of each tag, [token, tag]."""
    decisions: Floats
    """Probability of direct, quasi and none, [token, 3]."""
    mask: Floats
    """Calibrated probability that the token must go, [token]."""


class Network:
    """A loaded tagger. Windows run one at a time, several in parallel threads.

    Never in one batch: 8-bit activations are scaled by the largest of the whole batch, so what is found in a text
    would depend on the texts beside it, and a run that was taken up again would differ.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        try:
            self.card: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._tokenizer = Tokenizer.from_file(str(tokenizer_file(folder)))
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(
                str(folder / "tagger.onnx"),
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=["SkipLayerNormFusion"],  # its kernel is six times slower than the two it replaces
            )
        except Exception as error:  # noqa: BLE001 - onnxruntime and tokenizers raise many kinds, all about these files
            raise InputError(f"{folder}: not a trained tagger ({type(error).__name__}); see training/tagger") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._first, self._last = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
        self._temperature = float(self.card["calibration"]["temperature"])
        self._room = int(self.card["window"]) - 2
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text, which are of a size that fits in memory."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        shapes = [shape_ids(text, tokens.offsets) for text, tokens in zip(texts, encoded, strict=True)]
        pieces = [window_ranges(len(tokens.ids), self._room, self._room - _OVERLAP) for tokens in encoded]
        jobs = [
            (encoded[number].ids[start:end], shapes[number][start:end])
            for number, ranges in enumerate(pieces)
            for start, end in ranges
            if end > start
        ]
        outputs = iter(self._pool.map(self._run, jobs) if self._pool else map(self._run, jobs))
        found = []
        for tokens, ranges in zip(encoded, pieces, strict=True):
            if not tokens.ids:
                found.append(_nothing(len(self.card["tags"])))
                continue
            parts = []
            for (start, _), (first, last) in zip(ranges, central_ranges(ranges), strict=True):
                parts.append([output[first - start : last - start] for output in next(outputs)])
            types, decisions, logits = (np.concatenate(part) for part in zip(*parts, strict=True))
            chances = 1 / (1 + np.exp(-np.clip(logits / self._temperature, -60, 60)))
            found.append(Tokens(tokens.offsets, _softmax(types), _softmax(decisions), chances.astype(np.float32)))
        return found

    def _run(self, job: tuple[list[int], list[int]]) -> list[Floats]:
        ids, shapes = job
        feed = {
            "input_ids": np.array([[self._first, *ids, self._last]], np.int64),
            "case_ids": np.array([[0, *shapes, 0]], np.int64),
        }
        outputs = self._session.run(["type_logits", "decision_logits", "mask_logit"], feed)
        return [output[0, 1:-1] for output in outputs]


def _softmax(logits: Floats) -> Floats:
    exponents: Floats = np.exp(logits - logits.max(-1, keepdims=True))
    exponents /= exponents.sum(-1, keepdims=True)
    return exponents


def _nothing(tags: int) -> Tokens:
    return Tokens([], np.zeros((0, tags), np.float32), np.zeros((0, 3), np.float32), np.zeros(0, np.float32))


@cache
def load(folder: Path, threads: int | None) -> Network:
    """The network of a folder, loaded once a process."""
    return Network(folder, threads or os.cpu_count() or 1)


# -- From what the network says about tokens to spans of whole words.


SOURCE = "tagger:mask"


def spans(text: str, tokens: Tokens, tags: Sequence[str], threshold: float) -> list[Span]:
    """Runs of words that must go, cut where the type changes or a new mention begins.

    A word goes when any piece of it reaches the threshold, and is of the type its first piece most resembles.
    """
    found: list[Span] = []
    run: list[tuple[int, int]] = []
    label = ""
    for first, last in _words(text, tokens.offsets):
        if tokens.mask[first:last].max() < threshold:
            found += _span(tokens, run, label)
            run = []
            continue
        position, _, own = tags[1 + int(tokens.types[first, 1:].argmax())].partition("-")
        if run and (own != label or position == "B"):
            found += _span(tokens, run, label)
            run = []
        run.append((first, last))
        label = own
    return found + _span(tokens, run, label)


def _words(text: str, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of tokens that make one word: pieces glued to each other by letters or digits."""
    starts = [
        number
        for number, (start, _) in enumerate(offsets)
        if not (number and offsets[number - 1][1] == start > 0 and text[start - 1].isalnum() and text[start].isalnum())
    ]
    return list(pairwise([*starts, len(offsets)]))


def _span(tokens: Tokens, run: Sequence[tuple[int, int]], label: str) -> list[Span]:
    if not run:
        return []
    first, last = run[0][0], run[-1][1]
    direct, quasi = tokens.decisions[first:last, :2].mean(0)
    identifier: Identifier = "direct" if direct > quasi else "quasi"
    score = float(np.clip(tokens.mask[first:last].max(), 0.0, 1.0))
    return [Span(tokens.offsets[first][0], tokens.offsets[last - 1][1], label, identifier, score, SOURCE)]


# -- Everyday words that the tagger takes for names in languages it knows from generated text only.


_LANGUAGES = frozenset({"de", "fr", "it", "pt", "nl"})
_WORD = re.compile(r"[^\W\d_]+")
_KNOWN, _COMMON, _VERY_COMMON = 600, 480, 350
"""As ``frequencies`` counts: one word in a million, in 60,000, in 3,000."""
_SAMPLE = 1000
_ENGLISH_SHARE = 0.25


def without_everyday(text: str, spans: list[Span]) -> list[Span]:
    """The spans less those that hold nothing but everyday words of the text's language, and no known name or place.

    "Sehr geehrte Damen", "vriendelijke groet": German writes its nouns as English writes names. Places, organisations
    and what someone is may well be named by common words, so of these only the very common ones go.
    """
    if not spans or _is_english(text):
        return spans
    language = identify_language(text).code
    if language not in _LANGUAGES:
        return spans
    table = frequencies(language)
    return [span for span in spans if not _is_everyday(text[span.start : span.end], span.label, table)]


def _is_english(text: str) -> bool:
    """Whether English small words abound: the identifier takes a second to load, and most texts are spared it."""
    words = _WORD.findall(text[:_SAMPLE].lower())
    return sum(word in FUNCTION_WORDS for word in words) >= _ENGLISH_SHARE * len(words)


def _is_everyday(string: str, label: str, table: Mapping[str, int]) -> bool:
    words = _WORD.findall(string)
    if not words or any(letter.isdecimal() for letter in string):
        return False

    def limit(word: str) -> int:
        if label != "PERSON":
            return _VERY_COMMON
        return _KNOWN if word.islower() else _COMMON

    return all(
        table.get(frequency_key(word), 1000) <= limit(word) and not _may_name(name_lists.lookup_key(word))
        for word in words
    )


def _may_name(word: str) -> bool:
    return any(word in names for names in _names())


@cache
def _names() -> tuple[frozenset[str], ...]:
    return (
        frozenset(name_lists.given_names()),
        frozenset(name_lists.family_names()),
        frozenset(name_lists.major_cities()),
        frozenset(name_lists.regions()),
    )


# -- The tagger as a detector.


SHIPPED = Path(__file__).parents[1] / "models" / "weights" / "tagger"
_AT_ONCE = 200_000


class TaggerDetector:
    """Finds direct and quasi-identifiers by a small neural network of our own; reads context, not only shapes."""

    cite: ClassVar[str | None] = "pilan2022"
    uses: ClassVar[tuple[str, ...]] = ("threshold", "threads")
    languages: ClassVar[frozenset[str] | None] = frozenset({"en", "es", "de", "fr", "it", "pt", "nl"})

    def __init__(
        self, *, threshold: Threshold = "balanced", model: str | None = None, threads: int | None = None
    ) -> None:
        """``model``: a folder that ``training/tagger`` wrote, in place of the shipped one."""
        self._network: Network = load(Path(model) if model else SHIPPED, threads)
        stops = {name.replace("_", "-"): value for name, value in self._network.card["thresholds"].items()}
        self._threshold = resolve_threshold(threshold, stops)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        found: list[list[Span]] = [[] for _ in documents]
        for group in _groups(documents):
            for part, tokens in zip(group, self._network.read([part.text for part in group]), strict=True):
                found[part.document] += part.own(spans(part.text, tokens, self._network.card["tags"], self._threshold))
        return [without_everyday(document.text, own) for document, own in zip(documents, found, strict=True)]


@dataclass(frozen=True)
class _Part:
    """A piece of a document with some context on either side; what lies in [start, end) is its own."""

    document: int
    start: int
    end: int
    begin: int
    text: str

    def own(self, spans: Iterable[Span]) -> Iterator[Span]:
        """The spans that begin in its own part, at their place in the document; its neighbours have the others."""
        for span in spans:
            if self.start <= span.start + self.begin < self.end:
                yield span.moved(span.start + self.begin, span.end + self.begin)


def _groups(documents: Sequence[Document]) -> Iterator[list[_Part]]:
    """Parts of documents, enough at a time to keep all threads busy."""
    group: list[_Part] = []
    for number, document in enumerate(documents):
        text = document.text
        for start, end in segments(text):
            begin = max(0, start - MARGIN)
            group.append(_Part(number, start, end, begin, text[begin : end + MARGIN]))
            if sum(len(part.text) for part in group) >= _AT_ONCE:
                yield group
                group = []
    if group:
        yield group
