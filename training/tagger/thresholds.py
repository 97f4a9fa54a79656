"""The balanced threshold of each label, fitted on the validation part of the everyday corpus, into a tagger's card.

``python -m training.tagger.thresholds FOLDER`` reads ``tagger.onnx`` of a folder and writes its ``config.json``. One
threshold for all labels is right for rulings and wrong for letters, where what it takes for an attribute of somebody is
mostly an everyday word.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.detectors.tagger import TaggerNetwork, TokenPredictions, token_words
from training.everyday_corpus import MarkedDocument, read_corpus
from training.tagger.labels import LABELS

WORTH_MASKING = 0.25
"""A word goes when this share of the words with its label and its probability must go: a leak costs three times as much
as an edit that was not needed."""
LOWEST, HIGHEST = 0.15, 0.5
"""Bounds of a threshold: below, everything that is not in the corpus would go; above, everything would stay."""
ENOUGH = 100
"""Words of a label, at least, for a threshold of its own."""

Floats = NDArray[np.float64]
Words = list[tuple[float, bool]]
"""Probability of each word, and whether it must go."""


def words_by_label(
    documents: Sequence[MarkedDocument], predictions: Iterable[TokenPredictions], tags: Sequence[str]
) -> dict[str, Words]:
    """The words of the documents by the label that the tagger gives them; those that may go or stay are left out."""
    words: dict[str, Words] = defaultdict(list)
    for document, tokens in zip(documents, predictions, strict=True):
        kinds = [""] * len(document.text)
        for span in document.spans:
            kinds[span.start : span.end] = span.kind * (span.end - span.start)
        for first, last in token_words(document.text, tokens.offsets):
            start = tokens.offsets[first][0]
            if kinds[start] != "Q" and document.text[start].isalnum():
                label = tags[1 + int(tokens.types[first, 1:].argmax())][2:]
                words[label].append((float(tokens.mask[first:last].max()), kinds[start] not in ("", "X")))
    return words


def threshold(words: Words) -> float:
    """The least probability at which a word is worth masking, by a fit that only rises with the probability.

    With too few words to tell it is the highest.
    """
    scored = sorted((chance, must_go) for chance, must_go in words if chance >= LOWEST)
    if len(scored) < ENOUGH:
        return HIGHEST
    chances = np.array([chance for chance, _ in scored])
    shares = rising(np.array([float(must_go) for _, must_go in scored]))
    worth = np.flatnonzero(shares >= WORTH_MASKING)
    least = float(chances[worth[0]]) if len(worth) else HIGHEST
    return round(float(np.clip(least, LOWEST, HIGHEST)), 3)


def rising(values: Floats) -> Floats:
    """The non-decreasing sequence nearest to the values in squares (pool adjacent violators)."""
    means, counts = list[float](), list[int]()
    for value in values.tolist():
        mean, count = value, 1
        while means and means[-1] >= mean:
            before = counts.pop()
            mean = (means.pop() * before + mean * count) / (before + count)
            count += before
        means.append(mean)
        counts.append(count)
    return np.repeat(means, counts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    network = TaggerNetwork(folder, 2)
    documents = list(read_corpus(part="validation"))
    predictions = network.predict([document.text for document in documents])
    words = words_by_label(documents, predictions, network.config["tags"])
    thresholds = {label: threshold(words[label]) for label in LABELS}
    network.config["label_thresholds"] = {"balanced": thresholds}
    (folder / "config.json").write_text(json.dumps(network.config, indent=1), encoding="utf-8")
    print(thresholds)


if __name__ == "__main__":
    main()
