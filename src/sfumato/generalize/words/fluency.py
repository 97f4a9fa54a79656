"""How well words fit their sentence, by the masked language model: the class of a word, and whether a wording reads."""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np

from sfumato.lexicon.caches import remember_in_run
from sfumato.lexicon.grammar_en import FUNCTION_WORDS, is_plural, word_classes
from sfumato.models.masked import SHIPPED, MaskedWindow, OnnxMasked, load_onnx_model
from sfumato.models.tokens import Ints

CLASSES = ("function", "singular", "plural", "adjective", "adverb", "verb", "past", "participle", "gerund")
_CONTEXT = 110
"""Characters of the text that the model reads on either side."""
_NEIGHBOURS = 2
"""Sub-tokens on either side of a wording whose likelihood says whether it fits."""


class FitChange:
    """How well a wording fits, in mean ln p of sub-tokens. What is not asked for is not computed."""

    def __init__(self, model: SentenceModel, before: str, original: str, replacement: str, after: str) -> None:
        self._model, self._before, self._original, self._replacement = model, before, original, replacement
        self._after = after

    @cached_property
    def beside(self) -> float:
        """How much likelier the sub-tokens beside it are than beside the original."""
        changed = self._model.likelihood_beside(self._before, self._replacement, self._after)
        return changed - self._model.likelihood_beside(self._before, self._original, self._after)

    @cached_property
    def inside(self) -> float:
        """Of its own sub-tokens; 0 where it has none."""
        return self._model.likelihood_inside(self._before, self._replacement, self._after)


class SentenceModel:
    """Asks a masked language model about one place of a text at a time."""

    def __init__(self, network: OnnxMasked) -> None:
        self._network = network
        numbers = network.vocabulary()
        self._class_of = np.full(len(numbers), -1, np.int64)
        for piece, number in numbers.items():
            if piece.isalpha() and len(piece) > 1:
                self._class_of[number] = CLASSES.index(_class_of(piece))
        self._is_word = self._class_of >= 0

    @remember_in_run(2**15)
    def class_shares(self, before: str, after: str) -> dict[str, float]:
        """The classes of the words that the model expects between two parts of a text, with their probabilities."""
        left, right = self._encode(before), self._encode(after)
        ids = np.concatenate([left, [self._network.mask], right])
        window = MaskedWindow(ids, np.array([len(left)]), np.zeros(1, np.int64), np.zeros(1, np.int64))
        logits = self._network.logits(window)[0][self._is_word].astype(np.float64)
        probabilities = np.exp(logits - logits.max())
        shares = np.bincount(self._class_of[self._is_word], probabilities, len(CLASSES)) / probabilities.sum()
        return dict(zip(CLASSES, shares.tolist(), strict=True))

    @remember_in_run(2**15)
    def likelihood_beside(self, before: str, wording: str, after: str) -> float:
        """The mean ln p of the sub-tokens beside a wording, those at one distance masked together."""
        left, middle, right = self._encode(before), self._encode(wording), self._encode(after)
        ids = np.concatenate([left, middle, right])
        first, last = len(left), len(left) + len(middle)
        pairs = ([first - distance, last + distance - 1] for distance in range(1, _NEIGHBOURS + 1))
        groups = [[position for position in pair if 0 <= position < len(ids)] for pair in pairs]
        windows = [self._masked(ids, np.array(group)) for group in groups if group]
        scores = self._network.log_probabilities(windows)
        return float(np.concatenate(scores).mean()) if scores else 0.0

    def likelihood_inside(self, before: str, wording: str, after: str) -> float:
        """The mean ln p of a wording's own sub-tokens, all masked together; 0 where it has none."""
        left, middle, right = self._encode(before), self._encode(wording), self._encode(after)
        if not len(middle):
            return 0.0
        positions = np.arange(len(left), len(left) + len(middle))
        (scores,) = self._network.log_probabilities([self._masked(np.concatenate([left, middle, right]), positions)])
        return float(scores.mean())

    def _masked(self, ids: Ints, positions: Ints) -> MaskedWindow:
        masked = ids.copy()
        masked[positions] = self._network.mask
        return MaskedWindow(masked, positions, ids[positions], np.zeros(len(positions), np.int64))

    def _encode(self, text: str) -> Ints:
        return self._network.encode(text).ids


def context(text: str, start: int, end: int) -> tuple[str, str]:
    """What the model reads around a range: a part of its paragraph on either side."""
    first = max(text.rfind("\n", 0, start) + 1, start - _CONTEXT)
    line_end = text.find("\n", end)
    last = min(len(text) if line_end < 0 else line_end, end + _CONTEXT)
    before, after = text[first:start], text[end:last]
    if first and not text[first - 1].isspace():
        before = before.partition(" ")[2]
    if last < len(text) and not text[last].isspace():
        after = after.rpartition(" ")[0]
    return before, after


def fit_change(model: SentenceModel, text: str, start: int, end: int, replacement: str) -> FitChange:
    """How much better the words beside it fit a wording than the original, and how likely the wording itself is."""
    before, after = context(text, start, end)
    return FitChange(model, before, text[start:end], replacement, after)


@cache
def load_sentence_model() -> SentenceModel:
    """The shipped model."""
    return SentenceModel(load_onnx_model(SHIPPED, None))


def _class_of(word: str) -> str:
    if word in FUNCTION_WORDS:
        return "function"
    listed = word_classes().get(word)
    return listed or ("plural" if is_plural(word) else "singular")
