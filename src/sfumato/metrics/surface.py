"""Surface metrics: overlap of words (ROUGE-L, BLEU), readability (Flesch) and length.

Lin, ROUGE, 2004; Papineni et al., BLEU, 2002: the original is the reference, the release the candidate. Flesch, A new
readability yardstick, 1948; English only, because the constants of the formula are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from sfumato.document import Release
from sfumato.errors import NotMeasurable
from sfumato.lexicon.grammar import sentence_ranges
from sfumato.lexicon.language import CONFIDENT, identify_language
from sfumato.lexicon.tokens import ALPHANUMERIC, LETTERS_WITH_APOSTROPHE, WORD_OR_SIGN
from sfumato.metrics.base import metric
from sfumato.statistics import Estimate, bootstrap, left_out, mean

ORDERS = 4
_EMPTY = "every original is empty: there are no words to keep"


def words(text: str) -> list[str]:
    """Lower-cased runs of letters and digits."""
    return ALPHANUMERIC.findall(text.lower())


@metric("rouge-l", family="overlap", cite="lin2004", higher_is_better=True)
def rouge_l(releases: Sequence[Release]) -> Estimate:
    """ROUGE-L F1: longest common subsequence of words, whole text as one sequence; mean of documents."""
    values = {release.document.id: rouge_l_f1(release.document.text, release.text) for release in releases}
    return mean(values, {"variant": "F1, whole text, lower-cased words, no stemming"}, why_none=_EMPTY)


def rouge_l_f1(original: str, released: str) -> float | None:
    """2 LCS / (words of both); None where the original has no words."""
    before, after = words(original), words(released)
    if not before:
        return None
    return 2 * LCSseq.similarity(before, after) / (len(before) + len(after))


@metric("bleu", family="overlap", cite="papineni2002", higher_is_better=True)
def bleu(releases: Sequence[Release]) -> Estimate:
    """BLEU-4 of the releases against their originals, counted over the corpus, from 0 to 1."""
    worded = [release for release in releases if WORD_OR_SIGN.search(release.document.text)]
    if not worded:
        raise NotMeasurable(_EMPTY)
    counts = np.array([bleu_counts(release.document.text, release.text) for release in worded], np.float64)
    columns = list(counts.T)
    interval = bootstrap(columns, lambda *drawn: bleu_score(*(column.sum(-1) for column in drawn)))
    per_document = {release.document.id: float(bleu_score(*row)) for release, row in zip(worded, counts, strict=True)}
    variant = {"variant": "BLEU-4, corpus, words and signs, case kept, exponential smoothing"}
    settings = {**variant, **left_out(len(releases), len(worded))}
    return Estimate(float(bleu_score(*counts.sum(0))), interval, len(worded), per_document, settings)


def bleu_counts(original: str, released: str) -> list[int]:
    """Matching n-grams and n-grams of the release for n = 1 to 4, and the lengths of release and original."""
    reference, candidate = WORD_OR_SIGN.findall(original), WORD_OR_SIGN.findall(released)
    counts = []
    for order in range(1, ORDERS + 1):
        candidate_ngrams, reference_ngrams = _ngrams(candidate, order), _ngrams(reference, order)
        counts += [(candidate_ngrams & reference_ngrams).total(), candidate_ngrams.total()]
    return [*counts[::2], *counts[1::2], len(candidate), len(reference)]


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[skip:] for skip in range(order)), strict=False))


def bleu_score(*counts: Any) -> NDArray[np.float64]:
    """Brevity penalty times the geometric mean of the four precisions; counts may be arrays of equal length.

    An order without a match counts 1/2, 1/4, ... of one match; orders longer than every release are left out.
    """
    table = np.asarray(counts, np.float64)
    matched, total, (length, reference) = table[:ORDERS], table[ORDERS : 2 * ORDERS], table[2 * ORDERS :]
    halved = np.cumsum((matched == 0) & (total > 0), axis=0)
    top = np.where(matched > 0, matched, 0.5**halved)
    exists = total > 0
    logs = np.where(exists, np.log(top / np.where(exists, total, 1.0)), 0.0)
    orders = exists.sum(axis=0)
    shorter = np.minimum(0.0, 1.0 - reference / np.where(length > 0, length, 1.0))
    score = np.exp(logs.sum(axis=0) / np.maximum(orders, 1) + shorter)
    return np.where((orders > 0) & (matched[0] > 0), score, 0.0)


_VOWELS = re.compile(r"[aeiouyàáâäãåèéêëìíîïòóôöõøùúûü]+")
# The e of "make", "makes", "lodged"; not that of "table", "judges", "wanted".
_SILENT = re.compile(r"(?<=[^aeiouy])(?<![^aeiouy]l)(?:e|(?<![scgxzh])es|(?<![td])ed)$")


@metric("readability", family="form", cite="flesch1948", higher_is_better=False)
def readability_change(releases: Sequence[Release]) -> Estimate:
    """Change of the Flesch reading ease in points, |released - original|; mean of documents; English only."""
    english = [
        release for release in releases if identify_language(release.document.text, CONFIDENT).code in ("en", None)
    ]
    eases = {
        release.document.id: (reading_ease(release.document.text), reading_ease(release.text)) for release in english
    }
    pairs = {key: (old, new) for key, (old, new) in eases.items() if old is not None and new is not None}
    settings: dict[str, float | int] = {}
    if pairs:
        settings["originals"], settings["releases"] = map(fmean, zip(*pairs.values(), strict=True))
    if len(english) < len(releases):
        settings["unknown_language"] = len(releases) - len(english)
    values: dict[str, float | None] = dict.fromkeys(release.document.id for release in releases)
    values |= {key: abs(new - old) for key, (old, new) in pairs.items()}
    return mean(
        values, settings, why_none="no English document has words both before and after: the formula is for English"
    )


def reading_ease(text: str) -> float | None:
    """206.835 - 1.015 words per sentence - 84.6 syllables per word; None for a text without words."""
    sentences = [LETTERS_WITH_APOSTROPHE.findall(text, start, end) for start, end in sentence_ranges(text)]
    word_count, sentence_count = sum(map(len, sentences)), sum(map(bool, sentences))
    if not word_count:
        return None
    syllable_count = sum(syllables(word) for word in LETTERS_WITH_APOSTROPHE.findall(text))
    return 206.835 - 1.015 * word_count / sentence_count - 84.6 * syllable_count / word_count


def syllables(word: str) -> int:
    """Groups of vowels, less a silent e; at least one."""
    lower = word.lower()
    return max(1, len(_VOWELS.findall(lower)) - (_SILENT.search(lower) is not None))


@metric("length", family="form", higher_is_better=False)
def length_change(releases: Sequence[Release]) -> Estimate:
    """Change of length in words, |released / original - 1|; mean of documents. ``ratio`` tells the direction."""
    lengths = {
        release.document.id: (len(words(release.document.text)), len(words(release.text))) for release in releases
    }
    ratios = {key: after / before if before else None for key, (before, after) in lengths.items()}
    defined = [ratio for ratio in ratios.values() if ratio is not None]
    return mean(
        {key: None if ratio is None else abs(ratio - 1) for key, ratio in ratios.items()},
        {"ratio": sum(defined) / max(1, len(defined))},
        why_none="every original is empty: there is no length to compare with",
    )
