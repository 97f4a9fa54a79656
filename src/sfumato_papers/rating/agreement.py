"""How far the annotators of a corpus agree, character by character: Cohen's kappa and Krippendorff's alpha.

Manzanares-Salor and Sánchez (2025, section 5.1) report both for the annotations that they compare with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.document import Document, Span
from sfumato.errors import NotMeasurable
from sfumato.formats.base import Columns, OnProblem
from sfumato.formats.inputs import as_documents
from sfumato.formats.records import NOT_MASKED
from sfumato.metrics.base import Annotations
from sfumato.metrics.mentions import by_annotator
from sfumato.metrics.run import load_gold
from sfumato.models.base import Floats
from sfumato.models.tokens import Ints
from sfumato.statistics import Estimate, bootstrap_sums, cohen_kappa, krippendorff_alpha

_NOTHING, _MASKED = "", "masked"
DECISIONS: Mapping[str, Callable[[Span], str]] = {
    "masked or not": lambda span: _NOTHING if span.source == NOT_MASKED else _MASKED,
    "type or none": lambda span: span.label,
}
"""What annotators decide for each character, by the span that covers it."""


@dataclass(frozen=True)
class AnnotatorAgreement:
    """Agreement over the characters of the documents that two annotators or more marked."""

    documents: int
    left_out: int
    """Documents that fewer marked."""
    annotators: int
    characters: int
    kappa: Mapping[str, Estimate]
    """By decision: mean over pairs of annotators of Cohen's kappa, each over the documents that both marked."""
    alpha: Mapping[str, Estimate]
    """By decision: Krippendorff's alpha, for nominal data."""

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato rate --agreement --json`` prints it."""
        figures = {
            decision: {
                name: {"value": found[decision].value, "interval": list(found[decision].interval)}
                for name, found in (("kappa", self.kappa), ("alpha", self.alpha))
            }
            for decision in self.kappa
        }
        return {
            "documents": self.documents,
            "left_out": self.left_out,
            "annotators": self.annotators,
            "characters": self.characters,
            "agreement": figures,
        }


def read_annotations(
    corpus: Path, columns: Columns, gold: Path | None, on_problem: OnProblem
) -> tuple[Sequence[Document], Annotations]:
    """The documents, and the spans of all annotators: from a file, else the documents' own."""
    documents = as_documents(corpus, columns, on_problem)
    if gold is not None:
        return documents, load_gold(gold, documents, columns, on_problem)
    return documents, {item.id: item.annotations for item in documents if item.annotations is not None}


def measure_agreement(documents: Sequence[Document], annotations: Annotations) -> AnnotatorAgreement:
    """Agreement of the annotators, with intervals by a bootstrap over documents.

    An annotator who marked nothing in a document is not known to have read it, and counts in the others only.
    """
    marked = [
        (len(document.text), spans)
        for document in documents
        if len(spans := by_annotator(annotations.get(document.id, ()))) > 1
    ]
    if not marked:
        raise NotMeasurable(
            f"not one of {len(documents)} documents has spans of two annotators: give annotations that name them"
        )
    kappa, alpha = dict[str, Estimate](), dict[str, Estimate]()
    for decision, decide in DECISIONS.items():
        categories = {decide(span) for _, spans in marked for of_one in spans.values() for span in of_one}
        codes = {name: number for number, name in enumerate(sorted({_NOTHING, *categories}))}
        tables = [_tables(length, spans, decide, codes) for length, spans in marked]
        kappa[decision], alpha[decision] = _kappa(tables, decision), _alpha(tables, decision)
    annotators = {name for _, spans in marked for name in spans}
    characters = sum(length for length, _ in marked)
    return AnnotatorAgreement(len(marked), len(documents) - len(marked), len(annotators), characters, kappa, alpha)


Pair = tuple[str | None, str | None]
Tables = Mapping[Pair, Floats]
"""Of a document: by pair of annotators, how many characters got each category by the one and each by the other."""


def _tables(
    length: int,
    spans: Mapping[str | None, Sequence[Span]],
    decide: Callable[[Span], str],
    codes: Mapping[str, int],
) -> Tables:
    chosen: dict[str | None, Ints] = {}
    for annotator in sorted(spans, key=str):
        characters = chosen[annotator] = np.zeros(length, np.int64)
        for span in sorted(spans[annotator], key=len):  # where two overlap, the longer one counts
            characters[span.start : span.end] = codes[decide(span)]
    size = len(codes)
    return {
        (first, second): np.bincount(chosen[first] * size + chosen[second], minlength=size * size)
        .reshape(size, size)
        .astype(np.float64)
        for first, second in combinations(chosen, 2)
    }


def _kappa(tables: Sequence[Tables], decision: str) -> Estimate:
    pairs = list(dict.fromkeys(pair for of_text in tables for pair in of_text))
    empty = np.zeros_like(next(iter(tables[0].values())))
    by_pair = np.array([[of_text.get(pair, empty) for pair in pairs] for of_text in tables])

    def mean_kappa(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            kappas = cohen_kappa(sums)
        known = np.isfinite(kappas)  # not where both chose one category for everything
        mean: Floats = np.where(known, kappas, 0.0).sum(-1) / np.where(known.any(-1), known.sum(-1), np.nan)
        return mean

    return bootstrap_sums(by_pair, mean_kappa, f"Cohen's kappa of {decision!r}: all characters have one category")


def _alpha(tables: Sequence[Tables], decision: str) -> Estimate:
    coincidences = []
    for of_text in tables:
        others = len({name for pair in of_text for name in pair}) - 1
        coincidences.append(sum(table + table.T for table in of_text.values()) / others)
    return bootstrap_sums(
        np.array(coincidences),
        krippendorff_alpha,
        f"Krippendorff's alpha of {decision!r}: all characters have one category",
    )
