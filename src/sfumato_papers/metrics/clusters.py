"""Normalized mutual information (NMI) of clusterings of the originals and of the releases.

Pilán et al. (2025), INTACT. Document vectors are means over passages, clustered by k-means++.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.document import Release
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.metrics.base import metric
from sfumato.models.base import Embedder, Floats
from sfumato.models.spacy_pipeline import split_text
from sfumato.statistics import Estimate, left_out

RUNS, STARTS = 5, 50
MOST_CLUSTERS = 10
SUBSAMPLES, SUBSAMPLE_SHARE, SUBSAMPLE_STARTS = 20, 0.8, 10
PASSAGE = 600
"""Characters of a passage: about 130 tokens, which every sentence embedder reads whole."""

Labels = NDArray[np.int32]


@metric("nmi", family="structure", cite="pilan2025", higher_is_better=True)
def clustering_agreement(
    releases: Sequence[Release], embedder: Embedder, k: int | None = None, seed: int = 0
) -> Estimate:
    """Normalised mutual information of k-means++ clusterings of the originals and of the releases; mean of 5 runs.

    The interval is the spread over the runs and over subsamples of 80 % of the documents, not a confidence interval.
    """
    clustered = [release for release in releases if any(map(str.isalnum, release.document.text))]
    size = len(clustered)
    least = 3 if k is None else k + 1
    if k is not None and k < 2:
        raise RecipeError(f"k = {k}: clusters are at least 2")
    if size < least:
        raise NotMeasurable(f"clusters need at least {least} documents that are not empty, and there are {size}")
    before = document_vectors([release.document.text for release in clustered], embedder)
    after = document_vectors([release.text for release in clustered], embedder)
    clusters = k or best_k(before, seed)
    values = [
        agreement(cluster(before, clusters, seed + run, STARTS), cluster(after, clusters, seed + run, STARTS))
        for run in range(RUNS)
    ]
    spread = [*values, *_over_subsamples(before, after, clusters, seed)]
    value = float(np.mean(values))
    low, high = np.percentile(spread, [2.5, 97.5])
    settings = {"k": clusters, "k_by": "silhouette" if k is None else "given", "runs": RUNS, "starts": STARTS}
    settings |= left_out(len(releases), size)
    return Estimate(value, (min(float(low), value), max(float(high), value)), size, {}, settings)


def document_vectors(texts: Sequence[str], embedder: Embedder) -> Floats:
    """A vector per text: the mean over its passages, weighted by their length, of length 1 (or 0 for an empty text)."""
    places = [
        (number, text[start:end]) for number, text in enumerate(texts) for start, end in split_text(text, PASSAGE)
    ]
    if not places:
        return np.zeros((len(texts), 1))
    rows = embedder.embed([passage for _, passage in places]).astype(np.float64)
    weights = np.array([len(passage) for _, passage in places], np.float64)
    sums = np.zeros((len(texts), rows.shape[1]))
    np.add.at(sums, [number for number, _ in places], rows * weights[:, None])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / np.where(lengths > 0, lengths, 1.0)


def best_k(vectors: Floats, seed: int) -> int:
    """The number of clusters, 2 to 10, at which the originals separate best (silhouette)."""
    return _best_k(vectors.tobytes(), vectors.shape, seed)


def cluster(vectors: Floats, k: int, seed: int, starts: int) -> Labels:
    """Labels of the tightest of ``starts`` k-means++ clusterings."""
    return _cluster(vectors.tobytes(), vectors.shape, k, seed, starts)


def agreement(before: Labels, after: Labels) -> float:
    """NMI with arithmetic normalisation: 2 I(U; V) / (H(U) + H(V)); 1 where both are a single cluster."""
    from sklearn.metrics import normalized_mutual_info_score  # slow to load

    return float(np.clip(normalized_mutual_info_score(before, after), 0.0, 1.0))


# Ten methods on one corpus cluster the originals once.
@lru_cache(256)
def _cluster(data: bytes, shape: tuple[int, int], k: int, seed: int, starts: int) -> Labels:
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    vectors = np.frombuffer(data).reshape(shape)
    # One thread: on a few hundred documents threads are twenty times slower.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Number of distinct clusters")  # releases may all be alike
        labels: Labels = KMeans(k, n_init=starts, random_state=seed).fit_predict(vectors)
    return labels


@lru_cache(32)
def _best_k(data: bytes, shape: tuple[int, int], seed: int) -> int:
    from sklearn.metrics import silhouette_score

    vectors = np.frombuffer(data).reshape(shape)

    def separation(k: int) -> float:
        labels = cluster(vectors, k, seed, STARTS)
        return float(silhouette_score(vectors, labels)) if 1 < len(set(labels)) < len(labels) else -1.0

    return max(range(2, min(MOST_CLUSTERS, shape[0] - 1) + 1), key=separation)


def _over_subsamples(before: Floats, after: Floats, k: int, seed: int) -> list[float]:
    size = max(k + 1, round(SUBSAMPLE_SHARE * len(before)))
    random = np.random.default_rng(seed)
    rows = [np.sort(random.choice(len(before), size, replace=False)) for _ in range(SUBSAMPLES)]
    return [
        agreement(cluster(before[part], k, seed, SUBSAMPLE_STARTS), cluster(after[part], k, seed, SUBSAMPLE_STARTS))
        for part in rows
    ]
