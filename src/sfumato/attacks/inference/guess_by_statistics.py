"""Guesses by counting: what stands in such places in the texts that an attacker has read."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.attacks.base import Person
from sfumato.detectors.detection import named
from sfumato.document import Document, Guess, Span
from sfumato.errors import InputError
from sfumato.knowledge.grammar.lemmas import WORD

_REACH = 60
"""Characters on either side in which the neighbouring words are looked for."""
_NEIGHBOURS = 10
WEIGHTS = {"all": 0.1, "left": 0.3, "right": 0.3, "left two": 0.6, "right two": 0.6, "both": 1.0, "alike": 1.5}
"""How much each context counts: the more it says, the more. Set by hand, before any release was attacked."""

Context = tuple[str, ...]


class StatisticsGuesser:
    """Guesses what the background has in such places: same type, same words around, in texts like this one."""

    paper: ClassVar[str | None] = None
    extra: ClassVar[str | None] = None
    needs_background: ClassVar[bool] = True
    name = "statistics"

    def __init__(self, *, detector: str = "rules") -> None:
        """``detector``: finds what stands where in the background; ``default`` are those of the default recipe."""
        self._detector = detector

    def fit(self, background: Sequence[Person]) -> Self:
        """Count what stands in which context, and index the texts by their words."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = [text for person in background for text in person.texts if text.strip()]
        if not texts:
            raise InputError("the background holds no text to learn from: give what an attacker may have read")
        documents = [Document(str(number), text) for number, text in enumerate(texts)]
        self._shown: dict[str, Counter[str]] = defaultdict(Counter)
        self._all: dict[str, Counter[str]] = {"": Counter()}
        self._found: dict[tuple[str, Context], Counter[str]] = defaultdict(Counter)
        self._by_text: list[dict[str, Counter[str]]] = []
        for document, spans in zip(documents, named(self._detector).spans(documents), strict=True):
            self._by_text.append(defaultdict(Counter))
            for span in spans:
                self._count(document.text, span)
        self._usual = {label: counts.most_common() for label, counts in self._all.items()}
        self._totals = {label: counts.total() for label, counts in self._all.items()}
        self._words = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b[^\W\d_]{2,}\b")
        try:
            self._index = self._words.fit_transform(texts)
        except ValueError:
            raise InputError(
                "the background holds no words to learn from: give what an attacker may have read"
            ) from None
        return self

    def _count(self, text: str, span: Span) -> None:
        said = text[span.start : span.end]
        key = said.lower()
        self._shown[key][said] += 1
        for label in (span.label, ""):
            self._all.setdefault(label, Counter())[key] += 1
            self._by_text[-1][label][key] += 1
            for context in contexts(text, span):
                self._found[label, context][key] += 1

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """What the contexts add up to; a label that the background never shows is guessed from all labels."""
        alike = self._alike(text)
        return [self._guess(text, span, alike, count) for span in spans]

    def _guess(self, text: str, span: Span, alike: Sequence[tuple[int, float]], count: int) -> tuple[Guess, ...]:
        label = span.label if span.label in self._all else ""
        scores: dict[str, float] = defaultdict(float)
        for context in contexts(text, span):
            _add(scores, self._found.get((label, context)), WEIGHTS[context[0]])
        for number, likeness in alike:
            _add(scores, self._by_text[number].get(label), WEIGHTS["alike"] * likeness)
        for key, _ in islice(self._usual[label], count):
            scores[key] += 0.0
        for key in scores:
            scores[key] += WEIGHTS["all"] * self._all[label][key] / (self._totals[label] + 1)
        best = heapq.nsmallest(count, scores.items(), key=lambda item: (-item[1], item[0]))
        return tuple(Guess(self._shown[key].most_common(1)[0][0], score) for key, score in best)

    def _alike(self, text: str) -> list[tuple[int, float]]:
        """The texts most like this one, by shared words, with shares that add up to 1 at most."""
        likeness = (self._index @ self._words.transform([text]).T).toarray().ravel()
        best = np.argsort(-likeness, kind="stable")[:_NEIGHBOURS]
        # The nearest by far should count by far: the share of a text grows with the fourth power of its likeness.
        total = float((likeness[best] ** 4).sum())
        return [(int(number), float(likeness[number] ** 4 / total)) for number in best if likeness[number] > 0]


def contexts(text: str, span: Span) -> Iterator[Context]:
    """What stands around a span: one word and two on either side, one on both."""
    before = [word.lower() for word in WORD.findall(text, max(0, span.start - _REACH), span.start)][-2:]
    after = [word.lower() for word in WORD.findall(text, span.end, span.end + _REACH)][:2]
    if before:
        yield ("left", before[-1])
    if after:
        yield ("right", after[0])
    if before and after:
        yield ("both", before[-1], after[0])
    if len(before) == 2:
        yield ("left two", *before)
    if len(after) == 2:
        yield ("right two", *after)


def _add(scores: dict[str, float], counts: Counter[str] | None, weight: float) -> None:
    """Each count as a share of all, less where few were counted."""
    if counts:
        total: Any = counts.total() + 1
        for key, number in counts.items():
            scores[key] += weight * number / total
