"""Which country a text is from, told by all of its words: texts about people of one country share courts, laws and names.

A logistic regression on TF-IDF, learned from what is known of people whose country is named there.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.linking.cleaning import Ints, placeholders
from sfumato.models.base import Floats

FEWEST_PEOPLE = 4
"""People of a country from whom its words are learned; others are one group."""
MOST_PEOPLE = 4000
"""People from whom is learned, drawn where there are more."""
OTHER = ""
"""The country of everybody whose own is unknown or too rare."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST_FEATURES = 50_000
_STEPS = 150
_STRENGTH = 30.0


class WordContributions(NamedTuple):
    """Where words of a text stand, and what each adds to the logit of each country."""

    starts: Ints
    ends: Ints
    logits: Floats


class CountryWords:
    """Learned once from texts and their countries."""

    def __init__(self, texts: Sequence[str], countries: Sequence[str]) -> None:
        """``countries``: codes, empty where none is known."""
        from sklearn.feature_extraction.text import TfidfVectorizer  # slow to load
        from sklearn.linear_model import LogisticRegression

        counts = Counter(countries)
        labels = np.array([code if counts[code] >= FEWEST_PEOPLE else OTHER for code in countries])
        self.codes: list[str] = sorted(set(labels.tolist()))
        self.priors: Floats = np.array([np.mean(labels == code) for code in self.codes])
        self._vocabulary: dict[str, int] = {}
        self._coefficients, self._rarity = np.zeros((0, len(self.codes))), np.zeros(0)
        self._intercept: Floats = np.log(self.priors)
        if len(self.codes) < 2:
            return
        drawn = np.random.default_rng(0).permutation(len(texts))[:MOST_PEOPLE]
        vectors = TfidfVectorizer(
            sublinear_tf=True, min_df=2, max_df=0.5, token_pattern=_WORD.pattern, max_features=_MOST_FEATURES
        )
        try:
            features = vectors.fit_transform([texts[row] for row in drawn])
        except ValueError:  # no word is shared by two people
            return
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="sklearn")  # not having converged costs a little accuracy
            model = LogisticRegression(C=_STRENGTH, max_iter=_STEPS).fit(features, labels[drawn])
        coefficients = model.coef_ if len(model.classes_) > 2 else np.vstack([-model.coef_, model.coef_]) / 2
        intercept = model.intercept_ if len(model.classes_) > 2 else np.array([-1, 1]) * model.intercept_[0] / 2
        columns = [self.codes.index(code) for code in model.classes_]
        self._coefficients = np.zeros((len(vectors.vocabulary_), len(self.codes)))
        self._coefficients[:, columns] = coefficients.T
        self._intercept = np.full(len(self.codes), float(intercept.min()))
        self._intercept[columns] = intercept
        self._vocabulary, self._rarity = vectors.vocabulary_, vectors.idf_

    def shares(self, text: str) -> Floats:
        """The probability of each of ``codes``, by the words of a text."""
        _, _, _, counts, weights = self._weigh(text)
        logits = self._intercept + weights @ self._coefficients[list(counts)] if counts else self._intercept
        shares: Floats = np.exp(logits - logits.max())
        return shares / shares.sum()

    def contributions(self, text: str) -> WordContributions:
        """What each word adds; occurrences of one word share its part."""
        starts, ends, numbers, counts, weights = self._weigh(text)
        parts = dict(zip(counts, weights / np.array(list(counts.values()) or [1.0])[: len(weights)], strict=True))
        factors = np.array([parts[number] for number in numbers])
        logits: Floats = self._coefficients[numbers] * factors[:, None] if numbers else np.zeros((0, len(self.codes)))
        return WordContributions(starts, ends, logits)

    def _weigh(self, text: str) -> tuple[Ints, Ints, list[int], Counter[int], Floats]:
        """Words of the vocabulary with their places, their counts, and the TF-IDF weight of each that occurs."""
        hidden = _cover(text)
        matches = [match for match in _WORD.finditer(text) if not hidden[match.start()]]
        known = [(match, number) for match in matches if (number := self._vocabulary.get(match[0].lower())) is not None]
        numbers = [number for _, number in known]
        counts = Counter(numbers)
        raw = np.array([(1 + np.log(count)) * self._rarity[number] for number, count in counts.items()])
        weights: Floats = raw / (np.linalg.norm(raw) or 1.0)
        starts = np.array([match.start() for match, _ in known], np.int64)
        ends = np.array([match.end() for match, _ in known], np.int64)
        return starts, ends, numbers, counts, weights


def _cover(text: str) -> NDArray[np.bool_]:
    """By character, whether it belongs to a placeholder."""
    hidden = np.zeros(len(text) + 1, bool)
    for start, end in placeholders(text):
        hidden[start:end] = True
    return hidden
