"""Texts as TRIR reads them: lemmas without stop words and signs, each knowing where it stood, cut into windows.

Lemmas, not stems: the reader is a language model, which knows "family" as one word and "famili" as two pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import simplemma

from sfumato.detectors import language as languages
from sfumato.detectors.detection import named
from sfumato.document import Document, Evidence, Span
from sfumato.errors import RecipeError
from sfumato.knowledge.grammar.function_words import STOP_WORDS
from sfumato.models.base import Floats, Range
from sfumato.models.windows import cuts

AROUND = 2
"""Special tokens of a window, [CLS] and [SEP]: they count in its length."""
_WORD = re.compile(r"[^\W_]+(?=n['’]t\b)|n['’]t\b|['’](?:s|d|m|ll|re|ve)\b|[^\W_]+|\.(?=\s|$)", re.IGNORECASE)
"""A word, an ending that is one by itself, or the end of a sentence, which the authors keep."""


class Word(NamedTuple):
    """What the model reads of a word, and where the word stands."""

    lemma: str
    start: int
    end: int


class Curated(NamedTuple):
    """A text as the model reads it. ``starts`` are the words' places in ``text``, in order."""

    text: str
    words: tuple[Word, ...]
    starts: tuple[int, ...]

    def word_at(self, place: int) -> Word:
        """The word that a place of the curated text belongs to."""
        return self.words[int(np.searchsorted(self.starts, place, side="right")) - 1]


def curated(text: str, language: str) -> Curated:
    """Lemmas joined by spaces, but for stop words; sentences still end in a full stop."""
    stop_words = STOP_WORDS.get(language, STOP_WORDS["en"])
    words, parts, starts, size = list[Word](), list[str](), list[int](), 0
    for found in _WORD.finditer(text):
        word = found[0]
        if word.lower().replace("’", "'") in stop_words or (word == "." and not parts):
            continue
        written = word if word == "." else lemma_of(word, language)
        gap = "" if written == "." or not parts else " "
        parts.append(gap + written)
        starts.append(size + len(gap))
        size += len(parts[-1])
        words.append(Word(written, *found.span()))
    return Curated("".join(parts), tuple(words), tuple(starts))


@cache
def lemma_of(word: str, language: str) -> str:
    """The dictionary form, by simplemma's tables; the word itself where they lack it."""
    try:
        return str(simplemma.lemmatize(word, lang=language))
    except ValueError:
        raise RecipeError(f"language {language!r} has no table of lemmas: try en, es, de, fr, it, pt or nl") from None


def language_of(texts: Iterable[str]) -> str:
    """The language most of the texts are in. One for all: a release is often too broken to tell its own."""
    sizes: dict[str, int] = {}
    for text in texts:
        found = languages.identify(text).code or "en"
        sizes[found] = sizes.get(found, 0) + len(text)
    known = {code: size for code, size in sizes.items() if code in STOP_WORDS}
    return max(known, key=known.__getitem__) if known else "en"


def windows(length: int, window: int, overlap: int) -> list[Range]:
    """Ranges of tokens that cover ``length``, each sharing ``overlap`` with the next; nothing gives no window.

    ``window`` counts the two special tokens, as the authors count it: 98 of 100 are text.
    """
    room = window - AROUND
    return cuts(length, room, room - overlap) if length else []


def summed(logits: Floats, owners: Sequence[int], count: int) -> tuple[Floats, Floats]:
    """Each document's logits summed over its windows [document, person], and how many windows it has."""
    totals = np.zeros((count, logits.shape[1]))
    np.add.at(totals, np.asarray(owners, np.int64), logits)
    return totals, np.bincount(np.asarray(owners, np.int64), minlength=count).astype(np.float64)


def probabilities(total: Floats, count: float) -> Floats:
    """Softmax of the mean window logits: it ranks as the sum does, and does not drown in it."""
    mean = total / count
    shares = np.exp(mean - mean.max())
    found: Floats = shares / shares.sum()
    return found


def evidence(text: str, weights: dict[Word, float], most: int) -> tuple[Evidence, ...]:
    """The words that speak for the first guess, heaviest first, each with its share of all that does."""
    speaking = {word: weight for word, weight in weights.items() if weight > 0}
    total = sum(speaking.values())
    heaviest = sorted(speaking.items(), key=lambda item: (-item[1], item[0].start))
    return tuple(
        Evidence(text[word.start : word.end], weight / total, word.start, word.end) for word, weight in heaviest[:most]
    )


def masked(texts: Sequence[str], detector: str) -> list[str]:
    """The texts with what a detector finds replaced by its label, as the maskers do whose work is attacked."""
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    return [_labelled(text, found) for text, found in zip(texts, named(detector).spans(documents), strict=True)]


def _labelled(text: str, spans: Sequence[Span]) -> str:
    parts, at = list[str](), 0
    for span in spans:
        parts += (text[at : span.start], span.label)
        at = span.end
    return "".join([*parts, text[at:]])
