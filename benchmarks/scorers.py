"""What the masked scorer's numbers are worth: how well it guesses, whom it agrees with, what N does.

    python benchmarks/scorers.py --data DATA [--texts gpu-pack/mlm.jsonl.gz] [--gguf FILE | --causal FOLDER]

DATA holds tab/dev.jsonl and tab/masks/Manual_Supression.json; TEXTS is what training/masked_lm/prepare.py wrote, of
which only the fold-out is read. A causal model needs the extra torch. Prints Markdown.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from training.masked_lm.texts import Text, read
from training.tagger.splits import position

from sfumato.document import Document, Edit, Release, Span
from sfumato.metrics.base import MetricInput
from sfumato.metrics.information import preserved_information
from sfumato.metrics.terms import TERM_TOKEN, terms
from sfumato.models import masked
from sfumato.models.base import Range, TokenScorer
from sfumato.models.cache import cached
from sfumato.models.hugging_face import CausalScorer
from sfumato.models.masked import SHIPPED, MaskedScorer, masked_windows
from sfumato.models.table_scorers import FrequencyScorer
from sfumato.models.tokens import check_terms, token_spans
from sfumato.statistics import SEED, ratio

Numbers = NDArray[np.float64]
PER_SET, LONGEST = 12_000, 4_000
"""Characters read of a set, and of one text."""
RULINGS = 10
SWEEP = (2, 3, 4, 6, 8, 12)
RESAMPLES = 1000
SPANISH = {"meddocan", "debian_handbook es"}


def fold_out(path: Path) -> dict[str, list[str]]:
    """Texts the model never saw, by set, drawn by a hash; the handbook by language."""
    by_set = defaultdict[str, list[Text]](list)
    for text in read(path):
        if text.part == "foldout":
            name = f"{text.set} {text.id[:2]}" if text.set == "debian_handbook" else text.set
            by_set[name].append(text)
    found = {}
    for name, texts in sorted(by_set.items()):
        drawn = [text.text[:LONGEST] for text in sorted(texts, key=lambda text: position(SEED, f"{name} {text.id}"))]
        sizes = np.cumsum([len(text) for text in drawn])
        found[name] = drawn[: int(np.searchsorted(sizes, PER_SET)) + 1]
    return found


def words(text: str) -> list[Range]:
    return [match.span() for match in TERM_TOKEN.finditer(text) if match[0][0].isalnum()]


def masked_nats(text: str, ranges: Sequence[Range], n: int = 6) -> Numbers:
    """``-ln p`` of whole words: the sum over their sub-tokens, where the scorer takes the largest."""
    network = masked.load_onnx_model(SHIPPED, None)
    tokens = network.encode(text)
    asked = list(
        masked_windows(
            tokens, token_spans(tokens, check_terms(text, ranges)), n, network.mask, network.context - network.around
        )
    )
    found = np.zeros(len(ranges))
    for question, chances in zip(asked, network.log_probabilities(asked), strict=True):
        np.add.at(found, question.terms, -chances)
    return found


def guessing(texts: Mapping[str, Sequence[str]]) -> None:
    print("### How well it guesses\n")
    print("| set | texts | words | masked, nats per word | frequency, nats per word | masked, IC per word |")
    print("| --- | --- | --- | --- | --- | --- |")
    ours = MaskedScorer()
    for name, some in texts.items():
        everyday = FrequencyScorer(language="es" if name in SPANISH else "en")
        sums: dict[str, dict[str, float]] = {"masked": {}, "frequency": {}, "ic": {}, "words": {}}
        for number, text in enumerate(some):
            ranges = words(text)
            sums["words"][str(number)] = len(ranges)
            sums["masked"][str(number)] = float(masked_nats(text, ranges).sum())
            sums["frequency"][str(number)] = float(everyday.information(text, ranges).sum())
            sums["ic"][str(number)] = float(ours.information(text, ranges).sum())
        cells = []
        for kind in ("masked", "frequency", "ic"):
            found = ratio(sums[kind], sums["words"])
            spread = f" [{found.interval[0]:.2f}–{found.interval[1]:.2f}]" if found.n > 1 else ""
            cells.append(f"{found.value:.2f}{spread}")
        print(f"| {name} | {len(some)} | {int(sum(sums['words'].values())):,} | {' | '.join(cells)} |", flush=True)


def rulings(data: Path) -> list[Release]:
    """Some rulings with all annotated mentions suppressed."""
    masks = json.loads((data / "tab/masks/Manual_Supression.json").read_text(encoding="utf-8"))
    found = []
    with (data / "tab/dev.jsonl").open(encoding="utf-8") as file:
        rows = sorted(map(json.loads, file), key=lambda row: position(SEED, row["doc_id"]))
    for row in [row for row in rows if row["doc_id"] in masks][:RULINGS]:
        edits, end = [], 0
        for start, stop, *_ in sorted(masks[row["doc_id"]]):
            if start >= end:
                edits.append(Edit(Span(start, stop, "MASKED"), ""))
                end = stop
        found.append(Release(Document(row["doc_id"], row["text"]), tuple(edits)))
    return found


def values(scorer: TokenScorer, releases: Sequence[Release]) -> list[Numbers]:
    return [scorer.information(release.document.text, terms(release.document.text)) for release in releases]


def over_documents(statistic: Callable[[Numbers, Numbers], float], one: list[Numbers], other: list[Numbers]) -> str:
    """A statistic of all terms with its 95 % bootstrap interval over documents."""

    def of(rows: Sequence[int]) -> float:
        return statistic(np.concatenate([one[row] for row in rows]), np.concatenate([other[row] for row in rows]))

    draws = np.random.default_rng(SEED).integers(0, len(one), (RESAMPLES, len(one)))
    low, high = np.percentile([of(row) for row in draws.tolist()], [2.5, 97.5])
    return f"{of(range(len(one))):.3f} [{low:.3f}–{high:.3f}]"


def spearman(one: Numbers, other: Numbers) -> float:
    return float(spearmanr(one, other).statistic)


def agreement(scorers: Mapping[str, TokenScorer], releases: Sequence[Release]) -> None:
    found = {name: values(scorer, releases) for name, scorer in scorers.items()}
    count = sum(map(len, next(iter(found.values()))))
    print("\n### Whom it agrees with\n")
    print(f"Spearman's rank correlation of IC over {count:,} terms of {len(releases)} rulings of TAB dev.\n")
    print("| scorer | mean IC | " + " | ".join(f"ρ with {name}" for name in found) + " |")
    print("| --- |" + " --- |" * (len(found) + 1))
    for name, ours in found.items():
        cells = ["–" if name == other else over_documents(spearman, ours, theirs) for other, theirs in found.items()]
        print(f"| {name} | {np.concatenate(ours).mean():.2f} | {' | '.join(cells)} |", flush=True)


def sweep(releases: Sequence[Release]) -> None:
    print("\n### What N does\n\nThe same rulings; TPI of releases with all annotated mentions suppressed.\n")
    print("| N | mean IC | ρ with N = 6 | TPI | kB per CPU second |")
    print("| --- | --- | --- | --- | --- |")
    size = sum(len(release.document.text) for release in releases)
    usual = values(MaskedScorer(), releases)
    for n in SWEEP:
        scorer = cached(MaskedScorer(n=n))
        began = time.process_time()
        found = values(scorer, releases)
        pace = size / 1000 / (time.process_time() - began)
        kept = preserved_information(MetricInput(releases, scorer=scorer))
        share = f"{kept.value:.3f} [{kept.interval[0]:.3f}–{kept.interval[1]:.3f}]"
        mean = over_documents(lambda one, _: float(one.mean()), found, found)
        print(f"| {n} | {mean} | {over_documents(spearman, found, usual)} | {share} | {pace:.1f} |", flush=True)


def processor() -> str:
    """The processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--texts", type=Path, help="prepared texts; without, guessing is not measured")
    model = parser.add_mutually_exclusive_group()
    model.add_argument("--gguf", type=Path, help="a causal model as a GGUF file")
    model.add_argument("--causal", type=Path, help="a causal model as a Hugging Face folder")
    arguments = parser.parse_args()
    ours = MaskedScorer()
    print(f"{datetime.date.today()}, {os.cpu_count()} × {processor()}, Python {platform.python_version()};", end=" ")
    print(f"`{ours.name}`. Command: `python benchmarks/scorers.py {' '.join(sys.argv[1:])}`\n")
    if arguments.texts:
        guessing(fold_out(arguments.texts))
    releases = rulings(arguments.data)
    scorers: dict[str, TokenScorer] = {"masked": ours, "frequency": cast(TokenScorer, FrequencyScorer())}
    if causal := arguments.gguf or arguments.causal:
        scorers[f"causal, {causal.stem}"] = CausalScorer(model=str(causal), context=1024)
    agreement(scorers, releases)
    sweep(releases)


if __name__ == "__main__":
    main()
