"""How much of the training records a synthesizer repeats: nearest records, and the exposure of planted canaries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np

from sfumato.errors import NotMeasurable
from sfumato.lexicon.tokens import WORD_OR_SIGN
from sfumato.models.base import Embedder, Floats
from sfumato.statistics import Estimate, mean

WORDS = 5
"""Length of the n-grams that are compared."""
COPIED = 0.5
"""A text of whose n-grams at least this share stands in one record counts as copied."""
CANARY = "My reference number is {}."
DIGITS = 9
REFERENCES = 1023
"""Other fillings of the canary that it is ranked among: exposure is at most log2 of all of them, 10 bits."""


def _ngrams(text: str) -> frozenset[tuple[str, ...]]:
    words = [word for word in WORD_OR_SIGN.findall(text.casefold()) if word[0].isalnum()]
    return frozenset(zip(*(words[start:] for start in range(WORDS)), strict=False))


def ngram_overlap(texts: Sequence[str], records: Sequence[str], *, leave_out: bool = False) -> list[float | None]:
    """The largest share of each text's distinct n-grams that one record has; None for a text shorter than an n-gram.

    ``leave_out``: the texts are the records themselves, and each is compared with the others.
    """
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, record in enumerate(records):
        for ngram in _ngrams(record):
            holders[ngram].append(number)
    shares: list[float | None] = []
    for number, text in enumerate(texts):
        ngrams = _ngrams(text)
        hits = Counter(record for ngram in ngrams for record in holders.get(ngram, ()))
        if leave_out:
            hits.pop(number, None)
        shares.append(max(hits.values(), default=0) / len(ngrams) if ngrams else None)
    return shares


def nearest_cosine(
    texts: Sequence[str], records: Sequence[str], embedder: Embedder, *, leave_out: bool = False
) -> list[float | None]:
    """The cosine of each text and the record nearest to it; None for a text that holds nothing to embed."""
    vectors, table = embedder.embed(texts), embedder.embed(records)
    values: list[float | None] = []
    for number, vector in enumerate(vectors):
        cosines = table @ vector
        if leave_out:
            cosines[number] = -1.0
        values.append(float(cosines.max()) if vector.any() else None)
    return values


def _estimate(values: Sequence[float | None]) -> dict[str, Any] | None:
    """A mean with its interval, as it is put into a report; None where no text can be compared."""
    try:
        estimate: Estimate = mean({str(number): value for number, value in enumerate(values)})
    except NotMeasurable:
        return None
    return {"value": estimate.value, "interval": list(estimate.interval), "n": estimate.n}


def compare_with_records(texts: Sequence[str], records: Sequence[str], embedder: Embedder) -> dict[str, Any]:
    """Nearest records of the synthesized texts; beside them, for comparison, those of the records among each other."""
    overlaps = ngram_overlap(texts, records)
    copies = set(records)
    return {
        "ngram": WORDS,
        "embedder": embedder.name,
        "ngram_overlap": _estimate(overlaps),
        "ngram_overlap_of_records": _estimate(ngram_overlap(records, records, leave_out=True)),
        "copied": _estimate([None if share is None else float(share >= COPIED) for share in overlaps]),
        "nearest_cosine": _estimate(nearest_cosine(texts, records, embedder)),
        "nearest_cosine_of_records": _estimate(nearest_cosine(records, records, embedder, leave_out=True)),
        "verbatim": sum(text in copies for text in texts),
    }


@dataclass(frozen=True)
class Canary:
    """A record with a random number that is planted among the others (Carlini et al. 2019)."""

    digits: str
    code: str = ""

    @property
    def text(self) -> str:
        return CANARY.format(" ".join(self.digits[start : start + 3] for start in range(0, DIGITS, 3)))


def draw_canaries(count: int, codes: Sequence[str], seed: int) -> list[Canary]:
    """Canaries with random numbers, each under one of the codes."""
    draws = np.random.default_rng([seed, 3])
    chosen = draws.integers(0, max(1, len(codes)), count).tolist()
    return [
        Canary("".join(map(str, draws.integers(0, 10, DIGITS))), codes[number] if codes else "") for number in chosen
    ]


def references(canary: Canary, seed: int, count: int = REFERENCES) -> list[Canary]:
    """The canary with other random numbers, none of which was planted."""
    draws = np.random.default_rng([seed, 4, *map(int, canary.digits)])
    drawn = ("".join(map(str, row)) for row in draws.integers(0, 10, (count, DIGITS)))
    return [Canary(digits, canary.code) for digits in drawn if digits != canary.digits]


def exposure(loss: float, others: Floats) -> float:
    """log2 |R| - log2 rank of a canary among all fillings R: its own and the others, by the model's loss.

    R is a sample of the possible fillings, so the most is log2 |R| (Carlini et al. 2019, section 4.3).
    Fillings with the same loss count before it.
    """
    rank = 1 + int((others <= loss).sum())
    return log2(len(others) + 1) - log2(rank)


def summarize_exposure(exposures: Sequence[float], texts: Sequence[str], canaries: Sequence[Canary]) -> dict[str, Any]:
    """The exposures as a report has them, and how many canaries stand in a synthesized text."""
    written = ["".join(char for char in text if char.isdigit()) for text in texts]
    summary: Mapping[str, Any] = {
        "canaries": len(canaries),
        "exposure": _estimate(list(exposures)),
        "most_possible": log2(REFERENCES + 1),
        "expected_without_training": 1 / np.log(2),
        "extracted": sum(any(canary.digits in digits for digits in written) for canary in canaries),
    }
    return dict(summary)
