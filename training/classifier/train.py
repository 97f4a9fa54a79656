"""Train the clinical classifier, score it on what it never saw, calibrate it, and write it to a folder.

``python -m training.classifier.train --cases AGENTCLINIC.jsonl --wordnet DICT --out out/classifier``
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.linear_model import LogisticRegression

from sfumato.models.classifiers import FILE, counts, features
from sfumato.statistics import wilson
from training.classifier.cases import Case, chapters, code_book, dictionary, patients
from training.embedder.quantize import rows_to_bytes

BUCKETS = 2**16
FOLDS = 5
WEIGHT = {"book": 1.0, "dictionary": 2.0, "patients": 8.0}
Numbers = NDArray[np.float64]


def rarity_of(texts: Sequence[str]) -> Numbers:
    """Smoothed inverse document frequency of each bucket; one that never occurs weighs nothing."""
    seen = np.bincount(counts(texts, BUCKETS).indices, minlength=BUCKETS)
    return np.where(seen > 0, np.log((1 + len(texts)) / (1 + seen)) + 1, 0.0)


def fit(cases: Sequence[Case], weights: Sequence[float], rarity: Numbers) -> tuple[Numbers, Numbers]:
    """Weights [bucket, label] and bias, labels in the order of ``chapters()``."""
    order = {name: number for number, name in enumerate(chapters())}
    model = LogisticRegression(C=3.0, max_iter=60, tol=1e-3, class_weight="balanced")
    labels = np.array([order[case.chapter] for case in cases])
    model.fit(features([case.text for case in cases], rarity), labels, sample_weight=np.array(weights))
    if len(model.classes_) != len(order):
        raise ValueError("a chapter has no example")
    return model.coef_.T, model.intercept_


def judge(cases: Sequence[Case], model: tuple[Numbers, Numbers], rarity: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
    order = {name: number for number, name in enumerate(chapters())}
    truth = np.array([order[case.chapter] for case in cases])
    return features([case.text for case in cases], rarity) @ model[0] + model[1], truth


def scores(logits: Numbers, truth: NDArray[np.int64]) -> dict[str, object]:
    """Accuracy with its interval, the truth among the first three, and the mean of accuracies per chapter."""
    right = logits.argmax(1) == truth
    third = (np.sort(logits, 1)[:, -3] <= logits[np.arange(len(truth)), truth]).mean()
    per_label = [right[truth == label].mean() for label in np.unique(truth)]
    return {
        "n": len(truth),
        "accuracy": float(right.mean()),
        "interval": wilson(float(right.sum()), len(truth)),
        "first_three": float(third),
        "per_chapter_mean": float(np.mean(per_label)),
    }


def calibration_error(chances: Numbers, truth: NDArray[np.int64], bins: int = 10) -> float:
    """Expected calibration error of the first label."""
    top, right = chances.max(1), chances.argmax(1) == truth
    places = np.minimum((top * bins).astype(int), bins - 1)
    return float(sum(abs(top[places == b].sum() - right[places == b].sum()) for b in range(bins)) / len(truth))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    book = list({(case.text.lower(), case.chapter): case for case in code_book()}.values())
    defined, people = list(dictionary(arguments.wordnet)), list(patients(arguments.cases))
    given = [("book", case) for case in book] + [("dictionary", case) for case in defined]
    given += [("patients", case) for case in people]
    rarity = rarity_of([case.text for _, case in given])

    def trained(kept_out: set[str]) -> tuple[Numbers, Numbers]:
        chosen = [(kind, case) for kind, case in given if case.group not in kept_out]
        return fit([case for _, case in chosen], [WEIGHT[kind] for kind, _ in chosen], rarity)

    blocks = {case.group for case in book if crc32(case.group.encode()) % 10 == 0}
    hidden = [case for case in book if case.group in blocks]
    report: dict[str, object] = {"code_book": scores(*judge(hidden, trained(blocks), rarity))}
    print("code book", report["code_book"], flush=True)
    found, truths = [], []
    for fold in range(FOLDS):
        tested = people[fold::FOLDS]
        logits, truth = judge(tested, trained({case.group for case in tested}), rarity)
        found.append(logits)
        truths.append(truth)
    logits, truth = np.concatenate(found), np.concatenate(truths)
    report["patients"] = scores(logits, truth)
    print("patients", report["patients"], flush=True)

    def loss(temperature: float) -> float:
        return -float(log_softmax(logits / temperature, 1)[np.arange(len(truth)), truth].mean())

    temperature = float(minimize_scalar(loss, (0.02, 1.0), bounds=(0.02, 5.0)).x)
    report["calibration_error"] = {
        "before": calibration_error(softmax(logits, 1), truth),
        "after": calibration_error(softmax(logits / temperature, 1), truth),
    }
    weights, bias = trained(set())
    packed, scale = rows_to_bytes(weights.T.astype(np.float32))
    arguments.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        arguments.out / FILE,
        weights=packed.T,
        scale=scale,
        bias=bias,
        rarity=rarity.astype(np.float16),
        temperature=temperature,
        labels=np.array([f"{number} {name}" for number, name in chapters().items()]),
    )
    said = {"temperature": temperature, "texts": {kind: sum(k == kind for k, _ in given) for kind in WEIGHT}, **report}
    (arguments.out / "training.json").write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(said))


if __name__ == "__main__":
    main()
