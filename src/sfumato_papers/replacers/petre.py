"""PETRE: mask the terms that explain a re-identification until the person's rank is at least k.

After Manzanares-Salor and Sánchez (2025), *Enhancing text anonymization via re-identification risk-based
explainability*. A re-identification model (here a linking attack) ranks the people of the background for a text. While
fewer than k people fit as well as the person whom the text is about, the term that explains the model's decision best
is masked everywhere in the text, and the model is asked again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato import registry
from sfumato.attacks.background import Background
from sfumato.attacks.base import LinkingAttack, is_linking
from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.attacks.risk import candidate_count, with_true_rank
from sfumato.document import Document, Edit, Span
from sfumato.errors import RecipeError, UnknownName, suggest
from sfumato.models.base import Floats, Range
from sfumato.replacers.base import detection_reason
from sfumato_papers.detectors.terms import MASK, BackgroundReplacer, checked_k, term_key

EXPLANATIONS = ("shapley", "greedy")
NO_TERM = -1
_ROUNDING = 1e-6
"""Scores that differ by less are the same."""


class Petre(BackgroundReplacer):
    """Mask the terms that explain a re-identification best, until at least k people fit the text as well."""

    cite: ClassVar[str | None] = "manzanares2025b"
    name: ClassVar[str] = "petre"

    def __init__(
        self,
        *,
        k: int = 10,
        attack: str = "tfidf",
        explain: str = "shapley",
        start: Sequence[str] = (),
        mask: str = MASK,
        background: Background | None = None,
    ) -> None:
        """``k``: people who must fit a release at least as well as its subject. ``attack``: the re-identification
        model, a linking attack. ``explain``: "shapley" values of the model's score, or "greedy", the change of the
        risk when a term is masked. ``start``: detectors whose spans are masked to begin with. ``mask``: what stands in
        the place of a term."""
        super().__init__(background)
        self._k = checked_k(k)
        if explain not in EXPLANATIONS:
            raise ValueError(f"no explanation {explain!r}: {suggest(explain, EXPLANATIONS)}")
        if attack in registry.names("attack") and not is_linking(registry.get("attack", attack)):
            raise UnknownName(f"the attack {attack!r} does not link texts to people: choose one that does, as tfidf")
        self._model: LinkingAttack = registry.create("attack", attack, {})
        if explain == "shapley" and not isinstance(self._model, SparseAttack):
            raise RecipeError(
                f"Shapley values are computed for attacks by shared terms (tfidf, bm25, skip-grams, characters), and "
                f'{attack!r} is none: add explain = "greedy"'
            )
        self._explain, self._mask = explain, mask
        self._start = [registry.create("detector", name, {}) for name in start]
        self._missed = 0

    @property
    def remarks(self) -> list[str]:
        """How many documents could not be brought to rank k."""
        if not self._missed:
            return []
        return [
            f"petre: {self._missed} documents are released below rank {self._k}, though all of their terms are masked"
        ]

    def read_corpus(self, documents: Sequence[Document]) -> None:
        self.check_k(self._k)
        self._model.fit(self.background.people)

    def replace_terms(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        text = MaskedText(document.text, spans, self._mask)
        for detector in self._start:
            for found in detector.detect([document])[0]:
                text.mask_overlapping(found)
        people = self.subjects(document)
        rounds: dict[int, int] = {}
        while self._fitting(text.text, people) < self._k:
            weights = self._weights(text, people)
            if not weights:
                self._missed += 1
                break
            term = max(weights, key=lambda number: (weights[number], -number))
            text.mask_term(term)
            rounds[term] = len(rounds) + 1
        return [
            Edit(span, self._mask, (detection_reason(span), _reason(rounds.get(term)))) for span, term in text.masked()
        ]

    def _fitting(self, text: str, people: Sequence[str]) -> int:
        """How many people fit a text at least as well as the one of its subjects who fits it best."""
        if isinstance(self._model, SparseAttack):
            scores = self._model.scores(text)
            best = max(float(scores[self._model.row(person)]) for person in people)
            return int(np.sum(scores >= best - _ROUNDING * max(1.0, abs(best))))
        if not text.strip():
            return len(self.background)
        fitting = candidate_count(with_true_rank(self._model.run({"text": text})[0], people))
        return len(self.background) if fitting is None else fitting

    def _weights(self, text: MaskedText, people: Sequence[str]) -> dict[int, float]:
        """How much each term that is left explains that the text points to its subjects."""
        left = text.left
        if not left:
            return {}
        if not isinstance(self._model, SparseAttack):
            before = self._risk(text.text, people)
            return {term: before - self._risk(text.without(term), people) for term in left}
        rows = np.array([self._model.row(person) for person in people], np.int64)
        explain = shapley_values if self._explain == "shapley" else greedy_values
        return {term: value for term, value in explain(self._model, text, rows).items() if term in left}

    def _risk(self, text: str, people: Sequence[str]) -> float:
        """The subjects' share in the scores of all whom the model guesses."""
        guesses = self._model.run({"text": text})[0].guesses if text.strip() else ()
        scores = {guess.answer: max(0.0, guess.score) for guess in guesses}
        return sum(scores.get(person, 0.0) for person in people) / (sum(scores.values()) or 1.0)


def _reason(number: int | None) -> str:
    return "masked to begin with" if number is None else f"masked as term {number}: it explained the link best"


class MaskedText:
    """A text of which terms are masked one after the other. Spans with the same words are one term."""

    def __init__(self, original: str, spans: Sequence[Span], mask: str) -> None:
        self._original, self._spans, self._mask = original, spans, mask
        numbers: dict[str, int] = {}
        self._terms = [
            numbers.setdefault(term_key(original[span.start : span.end]) or str(index), len(numbers))
            for index, span in enumerate(spans)
        ]
        self._hidden: set[int] = set()
        """Indexes of masked spans."""
        self._render()

    @property
    def left(self) -> set[int]:
        """The terms that are not masked."""
        return {term for index, term in enumerate(self._terms) if index not in self._hidden}

    def mask_term(self, term: int) -> None:
        """Mask all of its instances."""
        self._hidden |= {index for index, other in enumerate(self._terms) if other == term}
        self._render()

    def mask_overlapping(self, found: Span) -> None:
        """Mask the spans that a detector's span touches."""
        self._hidden |= {index for index, span in enumerate(self._spans) if span.overlaps(found)}
        self._render()

    def masked(self) -> list[tuple[Span, int]]:
        """The masked spans, each with its term."""
        return [(self._spans[index], self._terms[index]) for index in sorted(self._hidden)]

    def without(self, term: int) -> str:
        """The text if this term were masked, too."""
        also = {index for index, other in enumerate(self._terms) if other == term}
        return self._rendered(self._hidden | also)[0]

    def term_at(self, offsets: Ints) -> Ints:
        """The terms at offsets of the text; NO_TERM where there is none that is left."""
        index = np.searchsorted(self._starts, offsets, "right") - 1
        inside = (index >= 0) & (offsets < self._ends[np.maximum(index, 0)]) if len(self._ends) else index >= 0
        return np.where(inside, self._numbers[np.maximum(index, 0)], NO_TERM) if len(self._ends) else index * 0 - 1

    def _render(self) -> None:
        self.text, places = self._rendered(self._hidden)
        shown = [index for index in range(len(self._spans)) if index not in self._hidden]
        self._starts = np.array([places[index][0] for index in shown], np.int64)
        self._ends = np.array([places[index][1] for index in shown], np.int64)
        self._numbers = np.array([self._terms[index] for index in shown], np.int64)

    def _rendered(self, hidden: Collection[int]) -> tuple[str, list[Range]]:
        parts, places = list[str](), list[Range]()
        length = position = 0
        for index, span in enumerate(self._spans):
            between = self._original[position : span.start]
            shown = self._mask if index in hidden else self._original[span.start : span.end]
            parts += [between, shown]
            length += len(between)
            places.append((length, length + len(shown)))
            length += len(shown)
            position = span.end
        return "".join([*parts, self._original[position:]]), places


class _Query:
    """The features (words and phrases) of a text that people of the background have, and the terms they lie in."""

    def __init__(self, attack: SparseAttack, text: MaskedText) -> None:
        words = attack.read(text.text)
        self.query = attack.raw_query(words)
        occurrences = self.query.occurrences
        self.first = text.term_at(words.starts[occurrences.first])
        self.last = text.term_at(words.starts[occurrences.last])
        everyone = np.arange(attack.people)
        self.weights: csr_array = attack.weights_of_some(self.query.terms, everyone)
        """[feature, person]: what a feature with weight 1 in the text adds to the person's score."""


def shapley_values(attack: SparseAttack, text: MaskedText, rows: Ints) -> dict[int, float]:
    """Shapley values of the terms for how far a person's score lies above the mean score of all people.

    The score is a sum over features. One that lies in a single term is all that term's; one that reaches from one term
    into another needs both, so each has half of it. A feature that occurs several times is shared out evenly.
    """
    read = _Query(attack, text)
    query = read.query
    persons = read.weights[:, rows].toarray()
    centred = persons - np.asarray(read.weights.mean(axis=1)).reshape(-1, 1)
    each = (query.weights / query.counts)[:, None] * centred
    of_occurrence = each.max(axis=1)[query.term_index] if len(each) else np.zeros(0)
    values: dict[int, float] = defaultdict(float)
    for first, last, value in zip(read.first.tolist(), read.last.tolist(), of_occurrence.tolist(), strict=True):
        players = {first, last} - {NO_TERM}
        for player in players:
            values[player] += value / len(players)
    return {term: values.get(term, 0.0) for term in text.left}


def greedy_values(attack: SparseAttack, text: MaskedText, rows: Ints) -> dict[int, float]:
    """By term how much the person's share in all people's scores falls when the term is masked."""
    read = _Query(attack, text)
    query = read.query
    scores = _scores(query.weights, read.weights)
    before = _share(scores, rows)
    lost: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    features = query.term_index.tolist()
    for first, last, feature in zip(read.first.tolist(), read.last.tolist(), features, strict=True):
        for term in {first, last} - {NO_TERM}:
            lost[term][feature] += 1
    values = dict.fromkeys(text.left, 0.0)
    for term, counts in lost.items():
        changed = np.array(list(counts), np.int64)
        left = query.counts[changed] - np.array(list(counts.values()), np.int64)
        fall = query.weights[changed] - attack.raw_weights(query.terms[changed], left)
        values[term] = before - _share(scores - _scores(fall, read.weights[changed]), rows)
    return values


def _scores(weights: NDArray[np.floating], of_people: csr_array) -> Floats:
    scores: Floats = np.asarray(weights @ of_people, np.float64).ravel()
    return scores


def _share(scores: Floats, rows: Ints) -> float:
    total = float(np.maximum(scores, 0).sum())
    return float(np.maximum(scores[rows], 0).max()) / total if total > 0 else 0.0
