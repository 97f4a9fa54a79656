"""Scores on texts never trained on. Tokens are the model's own; the benchmark counts words and adds intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.detectors.tagger import TokenPredictions, decode_spans
from training.tagger.labels import LABELS, TAGS, family
from training.tagger.predict import Prediction
from training.tagger.records import Mark
from training.tagger.windows import UNKNOWN, Encoded

THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Judged:
    """A text, what the network said about it, and the calibrated probability to mask each token."""

    text: Encoded
    prediction: Prediction
    chances: NDArray[np.float32]

    @property
    def runtime_tokens(self) -> TokenPredictions:
        """The same as the runtime sees it, so that its own decoding is what is scored."""
        return TokenPredictions(list(self.text.offsets), self.prediction.types, self.prediction.decisions, self.chances)

    @cached_property
    def tokens(self) -> dict[Mark, slice]:
        """The tokens of each mark."""
        starts, ends = np.array(self.text.offsets).reshape(-1, 2).T
        return {
            mark: slice(int(np.searchsorted(ends, mark.start, "right")), int(np.searchsorted(starts, mark.end, "left")))
            for mark in self.text.record.marks
        }


def report(judged: Sequence[Judged], threshold: float) -> dict[str, Any]:
    """All scores, by set."""
    by_set: dict[str, list[Judged]] = defaultdict(list)
    for item in judged:
        by_set[family(item.text.record.set)].append(item)
    scores: dict[str, Any] = {name: token_scores(items, threshold) for name, items in sorted(by_set.items())}
    gold = [item for item in by_set.get("tab", ()) if item.text.record.set == "tab"]
    if gold:
        scores["tab"]["entities"] = [entity_recall(gold, at) for at in THRESHOLDS]
        scores["tab"]["quasi_at_precision_80"] = at_precision(gold, 0.80)
    for name, items in by_set.items():
        harmless = [
            item for item in items if not any(mark.label and mark.decision != "none" for mark in item.text.record.marks)
        ]
        if harmless:
            scores[name]["harmless_touched"] = {
                str(at): ratio(sum(bool((item.chances >= at).any()) for item in harmless), len(harmless))
                for at in THRESHOLDS
            }
    if "meddocan" in by_set:
        scores["meddocan"]["strict"] = strict_spans(by_set["meddocan"], threshold)
    return scores


def ratio(part: float, whole: float) -> float | None:
    return round(float(part) / float(whole), 4) if whole else None


def token_scores(items: Sequence[Judged], threshold: float) -> dict[str, Any]:
    """Recall of what must be masked and precision of what was, over tokens whose truth is known.

    ``typed`` is the recall over *all* annotated tokens, masked or given a type: what a name set can say.
    """
    truths = np.concatenate([item.text.masks for item in items])
    said = np.concatenate([item.chances for item in items]) >= threshold
    tags = np.concatenate([item.text.tags for item in items])
    named = said | (np.concatenate([item.prediction.types[:, 0] for item in items]) < 0.5)
    hits = int(((truths == 1) & said).sum())
    labels = {}
    for number, label in enumerate(LABELS):
        own = (tags == 2 * number + 1) | (tags == 2 * number + 2)
        labels[label] = [
            ratio((own & (truths == 1) & said).sum(), (own & (truths == 1)).sum()),
            ratio((own & named).sum(), own.sum()),
        ]
    return {
        "texts": len(items),
        "recall": ratio(hits, (truths == 1).sum()),
        "precision": ratio(hits, (said & (truths != UNKNOWN)).sum()),
        "typed": ratio(((tags > 0) & named).sum(), (tags > 0).sum()),
        "labels": {label: values for label, values in labels.items() if values[1] is not None},
    }


def entity_recall(items: Iterable[Judged], threshold: float) -> dict[str, float | None]:
    """TAB's entity recall: an entity is found if every token of every mention is masked.

    The common format keeps no entity ids, so mentions of one type with the same words count as one entity.
    """
    found: dict[str, list[bool]] = {"direct": [], "quasi": []}
    right = masked = 0
    for item in items:
        said = item.chances >= threshold
        right += int((said & (item.text.masks == 1)).sum())
        masked += int((said & (item.text.masks != UNKNOWN)).sum())
        entities: dict[tuple[str, str | None, str], list[bool]] = defaultdict(list)
        for mark in item.text.record.personal:
            words = item.text.record.text[mark.start : mark.end].casefold()
            entities[mark.decision or "", mark.label, words].append(bool(said[item.tokens[mark]].all()))
        for (decision, _, _), mentions in entities.items():
            found[decision].append(all(mentions))
    recalls = {name: ratio(sum(values), len(values)) for name, values in found.items()}
    return {"threshold": threshold, **recalls, "precision": ratio(right, masked)}


def at_precision(items: Sequence[Judged], wanted: float) -> dict[str, float | None]:
    """Entity recall at the lowest threshold whose token precision reaches ``wanted``."""
    for threshold in np.arange(0.01, 1.0, 0.01):
        scores = entity_recall(items, float(threshold))
        if (scores["precision"] or 0) >= wanted:
            return scores
    return scores


def strict_spans(items: Iterable[Judged], threshold: float) -> dict[str, float | None]:
    """F1 of spans with exactly the annotated offsets, with and without the type."""
    scores = {}
    for name, keep in (("span_f1", 2), ("span_and_type_f1", 3)):
        true = said = both = 0
        for item in items:
            record = item.text.record
            wanted = {(mark.start, mark.end, mark.label)[:keep] for mark in record.personal}
            given = {
                (span.start, span.end, span.label)[:keep]
                for span in decode_spans(record.text, item.runtime_tokens, TAGS, threshold)
            }
            true, said, both = true + len(wanted), said + len(given), both + len(wanted & given)
        scores[name] = ratio(2 * both, true + said)
    return scores
