"""Can the releases still do the originals' work? Accuracy of a text classifier before and after.

003: Xin et al., A false sense of privacy; the task is yours, as a label for each document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.document import Release
from sfumato.intervals import Estimate, share_of_documents
from sfumato.measures.base import metric
from sfumato.measures.folds import DEFAULT, factory, labelled, predictions
from sfumato.measures.overlap import words


@metric("task-utility", family="task", paper="003", higher_is_better=True)
def task_utility(
    releases: Sequence[Release], labels: Mapping[str, str], classifier: str = DEFAULT, folds: int = 5, seed: int = 0
) -> Estimate:
    """Accuracy on the releases of a classifier trained on other documents' originals (cross-validated).

    The settings hold the accuracy on the originals, the ratio of the two, and the reverse: trained on releases, tested
    on originals.
    """
    learn = factory(classifier)
    kept, said = labelled(releases, labels)
    truth = [labels[item.document.id] for item in kept]
    originals = [item.document.text for item in kept]
    released = [item.text for item in kept]
    on_originals, on_releases = predictions(learn, originals, [originals, released], truth, folds, seed)
    right = {item.document.id: float(a == b) for item, a, b in zip(kept, on_releases, truth, strict=True)}
    before = _accuracy(on_originals, truth)
    more: dict[str, Any] = {
        "accuracy_on_originals": before,
        "ratio": _accuracy(on_releases, truth) / before if before else None,
        "trained_on_releases": _reverse(learn, released, originals, truth, folds, seed),
        "most_frequent_label": max(Counter(truth).values()) / len(truth),
        "label_count": len(set(truth)),
    }
    return share_of_documents(right, {**said, **more})


def _accuracy(found: Sequence[str], truth: Sequence[str]) -> float:
    return sum(a == b for a, b in zip(found, truth, strict=True)) / len(truth)


def _reverse(
    learn: Any, released: Sequence[str], originals: Sequence[str], truth: Sequence[str], folds: int, seed: int
) -> float | None:
    """Accuracy on originals of what was trained on releases; None where the releases hold nothing to learn from."""
    if sum(map(bool, map(words, released))) < len(released) / 2:
        return None
    (found,) = predictions(learn, released, [originals], truth, folds, seed)
    return _accuracy(found, truth)
