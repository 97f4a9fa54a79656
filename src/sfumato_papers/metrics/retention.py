"""Clinical retention: agreement of a classifier's logits before and after (Pissarra et al., 2024).

Both work on rewritten texts: they compare what a classifier makes of the whole text, not what was edited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sfumato.document import Release
from sfumato.errors import NotMeasurable
from sfumato.metrics.base import metric
from sfumato.models.base import Classifier, Floats
from sfumato.statistics import Estimate, mean


@metric("jsc", family="clinical retention", cite="pissarra2024", higher_is_better=True)
def jaccard_similarity(releases: Sequence[Release], classifier: Classifier, *, threshold: float = 0.05) -> Estimate:
    """Overlap of the labels found before and after: Jaccard of {softmax > threshold}, times 100.

    Two empty sets of labels count as equal. Documents without text are left out.
    """
    if not 0 <= threshold < 1:
        raise ValueError(f"a threshold on probabilities lies in [0, 1), got {threshold}")

    def overlap(before: Floats, after: Floats) -> float:
        old, new = softmax(before) > threshold, softmax(after) > threshold
        either = int((old | new).sum())
        return 100.0 * int((old & new).sum()) / either if either else 100.0

    return _over_documents(releases, classifier, overlap)


@metric("nsdcg", family="clinical retention", cite="pissarra2024", higher_is_better=True)
def discounted_gain(releases: Sequence[Release], classifier: Classifier, *, k: int | None = None) -> Estimate:
    """How well the ranking of labels after keeps that before: sum softmax(s)_i exp(z_i) over the ideal's, times 100.

    ``s`` are the original's logits in descending order, ``z`` the original's logits in the order of the released
    text's; ``k`` counts only the first k places. Documents without text are left out.
    """
    if k is not None and k < 1:
        raise ValueError(f"k counts places from the first, so it is at least 1, got {k}")

    def preserved_gain(before: Floats, after: Floats) -> float:
        # The logits' offset cancels in the ratio; without the largest, exp cannot overflow.
        shifted = before - before.max()
        ideal = -np.sort(-shifted)[:k]
        reordered = shifted[np.argsort(-after, kind="stable")][:k]
        discount = softmax(before)[np.argsort(-before, kind="stable")][:k]
        return 100.0 * float(discount @ np.exp(reordered)) / float(discount @ np.exp(ideal))

    return _over_documents(releases, classifier, preserved_gain)


def softmax(logits: Floats) -> Floats:
    """Probabilities of one document's labels."""
    exponents: Floats = np.exp(logits - logits.max())
    exponents /= exponents.sum()
    return exponents


def _over_documents(
    releases: Sequence[Release], classifier: Classifier, compare: Callable[[Floats, Floats], float]
) -> Estimate:
    read = [release for release in releases if release.document.text.strip()]
    if not read:
        raise NotMeasurable("every original is empty, so a classifier has nothing to read")
    before = classifier.logits([release.document.text for release in read])
    after = classifier.logits([release.text for release in read])
    values: dict[str, float | None] = dict.fromkeys(release.document.id for release in releases)
    for release, old, new in zip(read, before, after, strict=True):
        values[release.document.id] = compare(old, new)
    return mean(values, {"labels": len(classifier.labels)})
