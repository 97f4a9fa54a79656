"""Whether releases can still do the originals' work: telling what someone does for a living."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from benchmarks.protect_figures import Figures, value
from benchmarks.protect_sets import Corpus
from benchmarks.protect_tables import share, table

from sfumato.document import Release
from sfumato.metrics.task_utility import tfidf_logistic
from sfumato.statistics import Estimate, bootstrap, wilson


def task(corpus: Corpus, releases: Sequence[Release]) -> Figures:
    """Accuracy of a classifier that learned from other people's originals, on what is released and its originals."""
    learner = tfidf_logistic()
    texts, labels = zip(*corpus.lessons.values(), strict=True)
    learner.fit(texts, labels)
    starts = {start.document.id: start.text for start in corpus.starts}
    versions = {
        "originals": [release.document.text for release in releases],
        "start": [starts[release.document.id] for release in releases],
        "protected": [release.text for release in releases],
    }
    truth = np.array([corpus.labels[release.document.id] for release in releases])
    right = {name: np.asarray(learner.predict(own) == truth, np.float64) for name, own in versions.items()}
    found: Figures = {name: _accuracy(own, right["originals"]) for name, own in right.items()}
    print(f"Occupation, {len(set(labels))} labels, learned from {len(texts):,} other biographies' originals:")
    lines = []
    for name, one in found.items():
        low, high = one["ratio"]["interval"]
        ratio = f"{one['ratio']['value']:.3f} [{low:.3f}–{high:.3f}]"
        lines.append([name, share(one["accuracy"]), ratio, str(one["n"])])
    table(["version", "accuracy, % [95 %]", "of that on originals [95 %, paired bootstrap]", "n"], lines)
    return found


def _accuracy(right: np.ndarray, on_originals: np.ndarray) -> Figures:
    hits, n = float(right.sum()), len(right)
    interval = bootstrap([right, on_originals], lambda one, other: one.sum(-1) / other.sum(-1))
    ratio = Estimate(hits / float(on_originals.sum()), interval, n)
    return {"accuracy": {"risk": hits / n, "interval": list(wilson(hits, n))}, "ratio": value(ratio), "n": n}
