"""How well judges of replacements agree with people: truthful? less specific?

    python -m benchmarks.generalization_judges --data DATA [--half train]

DATA holds intact/, two sheets with 600 replacements by INTACT and 600 by Presidio with GPT-3.5, rated by one person.
Prints Markdown tables for the half of the documents that ``training/generalization_judge.py`` never saw. Intervals
are a bootstrap over documents. Needs openpyxl.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from training.generalization_judge import Rating, read

from sfumato.metrics.generalization import Verdict, judge_pairs
from sfumato.metrics.information import similarities
from sfumato.models.base import load_embedder
from sfumato.statistics import SEED

RESAMPLES = 1000
QUESTIONS = ("truthful", "abstract")
Numbers = NDArray[np.float64]


class Judged(NamedTuple):
    """Ratings, and one judge's scores of them: yes from a threshold on."""

    ratings: Sequence[Rating]
    scores: Numbers
    threshold: float = 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--half", choices=("test", "train"), default="test")
    options = parser.parse_args()
    everything = read(options.data / "intact")
    train = [rating for rating in everything if rating.is_for_training]
    half = train if options.half == "train" else [rating for rating in everything if not rating.is_for_training]
    began = time.perf_counter()
    verdicts = judge_pairs(rating.pair for rating in half)
    seconds = time.perf_counter() - began
    print(f"{len(half)} ratings of {len({rating.document for rating in half})} documents, {seconds:.1f} s\n")
    kinds(half, verdicts)
    said = [place for place, verdict in enumerate(verdicts) if verdict.kind == "replaced"]
    ratings, found = [half[place] for place in said], [verdicts[place] for place in said]
    for question in QUESTIONS:
        print(f"\n### {question}\n\n| ratings | n | yes | judge | agreement | kappa | AUC |\n|{' --- |' * 7}")
        yes = np.array([getattr(verdict, f"p_{question}") for verdict in found])
        judges = {
            "tables and model": Judged(ratings, yes),
            "always yes": Judged(ratings, np.ones(len(ratings))),
            "cosine": Judged(ratings, cosines(ratings), cut(train, question)),
        }
        for name, judged in judges.items():
            rows(question, name, judged)
        deciders(question, ratings, found)


def kinds(ratings: Sequence[Rating], verdicts: Sequence[Verdict]) -> None:
    """How people rated what is told apart by kind."""
    print("| kind | source | n | rated truthful | rated less specific |\n|" + " --- |" * 5)
    counted = Counter((verdict.kind, rating.source) for rating, verdict in zip(ratings, verdicts, strict=True))
    for (kind, source), n in sorted(counted.items()):
        own = [
            rating
            for rating, verdict in zip(ratings, verdicts, strict=True)
            if (verdict.kind, rating.source) == (kind, source)
        ]
        shares = (sum(getattr(rating, question) for rating in own) / n for question in QUESTIONS)
        print(f"| {kind} | {source} | {n} | {' | '.join(f'{share:.3f}' for share in shares)} |")


def cosines(ratings: Sequence[Rating]) -> Numbers:
    """The cosine of the default embedder, as ``tps`` takes it."""
    pairs = [rating.pair[:2] for rating in ratings]
    alike = similarities(sorted(set(pairs)), load_embedder("static"))
    return np.array([alike[pair] for pair in pairs])


def cut(train: Sequence[Rating], question: str) -> float:
    """The threshold of the cosine that agrees most on the other half."""
    own = [rating for rating, verdict in zip(train, judge_pairs(r.pair for r in train), strict=True) if _says(verdict)]
    alike, human = cosines(own), np.array([getattr(rating, question) for rating in own])
    return float(max(np.unique(alike), key=lambda value: ((alike >= value) == human).mean()))


def _says(verdict: Verdict) -> bool:
    return verdict.kind == "replaced"


def rows(question: str, name: str, judged: Judged) -> None:
    """All, then each source, then, of our own judge, each label of each source."""
    groups: dict[str, Callable[[Rating], bool]] = {"all": lambda rating: True}
    sources = sorted({rating.source for rating in judged.ratings})
    groups |= {source: lambda rating, source=source: rating.source == source for source in sources}  # type: ignore[misc]
    if name == "tables and model":
        for label in sorted({rating.pair.label for rating in judged.ratings}):
            groups[label] = lambda rating, label=label: rating.pair.label == label  # type: ignore[misc]
    for group, belongs in groups.items():
        mask = np.array([belongs(rating) for rating in judged.ratings])
        own = [rating for rating, inside in zip(judged.ratings, mask, strict=True) if inside]
        human = np.array([getattr(rating, question) for rating in own])
        figures = estimates(human, judged.scores[mask], judged.threshold, [rating.document for rating in own])
        print(f"| {group} | {len(own)} | {human.mean():.3f} | {name} | {' | '.join(figures)} |")


def estimates(human: NDArray[np.bool_], scores: Numbers, threshold: float, documents: Sequence[str]) -> list[str]:
    """Agreement, Cohen's kappa and AUC, each with its 95 % interval over documents; - where it is not defined."""
    places = {key: np.array([at for at, own in enumerate(documents) if own == key]) for key in sorted(set(documents))}
    keys, random = list(places), np.random.default_rng(SEED)
    draws = [
        np.concatenate([places[keys[at]] for at in random.integers(0, len(keys), len(keys))]) for _ in range(RESAMPLES)
    ]
    found = []
    for statistic in (_agreement, _kappa, _auc):
        value = statistic(human, scores, threshold)
        if value is None:
            found.append("-")
            continue
        drawn = [statistic(human[draw], scores[draw], threshold) for draw in draws]
        low, high = np.percentile([one for one in drawn if one is not None], [2.5, 97.5])
        found.append(f"{value:.3f} ({low:.3f}–{high:.3f})")
    return found


def _agreement(human: NDArray[np.bool_], scores: Numbers, threshold: float) -> float | None:
    return float(((scores >= threshold) == human).mean())


def _kappa(human: NDArray[np.bool_], scores: Numbers, threshold: float) -> float | None:
    mine = scores >= threshold
    chance = mine.mean() * human.mean() + (1 - mine.mean()) * (1 - human.mean())
    return None if chance == 1 else float(((mine == human).mean() - chance) / (1 - chance))


def _auc(human: NDArray[np.bool_], scores: Numbers, threshold: float) -> float | None:
    yes, no = int(human.sum()), int((~human).sum())
    if not yes or not no or (scores == scores[0]).all():
        return None
    return float((rankdata(scores)[human].sum() - yes * (yes + 1) / 2) / (yes * no))


def deciders(question: str, ratings: Sequence[Rating], verdicts: Sequence[Verdict]) -> None:
    """How often each table, and the model, is right where it decides."""
    right: dict[str, list[bool]] = {}
    for rating, verdict in zip(ratings, verdicts, strict=True):
        agrees = getattr(verdict, question) == getattr(rating, question)
        right.setdefault(verdict.reason, []).append(agrees)
    shown = ", ".join(f"{name} {sum(own)} of {len(own)}" for name, own in sorted(right.items()))
    print(f"\nRight where it decides: {shown}.")


if __name__ == "__main__":
    main()
