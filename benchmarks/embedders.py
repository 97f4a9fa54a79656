"""Which embedder's cosine follows what people say of a replacement: truthful? less specific?

    python benchmarks/embedders.py --data DATA [--minilm FOLDER] [--static FOLDER]... [--wordllama FOLDER]

DATA holds intact/, two sheets with 600 replacements by INTACT and 600 by Presidio with GPT-3.5, rated by people. Prints
one Markdown table. MINILM is a sentence-transformers folder of all-MiniLM-L6-v2 (extra torch), WORDLLAMA the package's
folder with tokenizers/ and weights/. Needs openpyxl.
"""

from __future__ import annotations

import argparse
import datetime
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.metrics import roc_auc_score

from sfumato.models.embedders import StaticEmbedder
from sfumato.statistics import SEED, wilson

Numbers = NDArray[np.float64]
Embed = Callable[[Sequence[str]], NDArray[np.float32]]
COLUMNS = {
    "INTACT": ("entity_mention_id", "span_text", "sel_repl", "specificity", "truthfulness"),
    "Presidio": (
        "entity_mention_id",
        "Original span",
        "Presidio's synthetic replacement",
        "Less specific",
        "Truthful",
    ),
}
RESAMPLES = 1000


def sheet(path: Path, columns: Sequence[str]) -> list[tuple[str, str, str, float, float]]:
    """Mention, original, replacement, less specific, truthful; unrated rows left out, a half counts as no."""
    from openpyxl import load_workbook

    head, *rows = load_workbook(path, read_only=True).worksheets[0].iter_rows(values_only=True)
    places = [head.index(name) for name in columns]
    found = [[row[place] for place in places] for row in rows]
    return [
        (str(m), str(a), str(b), float(c == 1), float(d == 1)) for m, a, b, c, d in found if None not in (a, b, c, d)
    ]


def letters(texts: Sequence[str]) -> NDArray[np.float32]:
    """Shared three-letter stretches: what the eye sees without knowing a word."""
    counted = HashingVectorizer(analyzer="char_wb", ngram_range=(3, 3), n_features=2**12, alternate_sign=False)
    return np.asarray(counted.transform(texts).todense(), np.float32)


def wordllama(folder: Path) -> Embed:
    from wordllama import WordLlama

    model = WordLlama.load(cache_dir=folder, disable_download=True)
    return lambda texts: np.asarray(model.embed(list(texts), norm=True))


def minilm(folder: Path) -> Embed:
    from sfumato.models.embedders import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(model=str(folder)).embed


def with_interval(statistic: Callable[[NDArray[np.int64]], float], n: int) -> str:
    """The value with its 95 % bootstrap interval over replacements."""
    rows = np.random.default_rng(SEED).integers(0, n, (RESAMPLES, n))
    low, high = np.percentile([statistic(row) for row in rows], [2.5, 97.5])
    return f"{statistic(np.arange(n)):.3f} ({low:.3f}–{high:.3f})"


def one_true(mentions: Sequence[str], true: Numbers) -> list[tuple[int, int]]:
    """Rows (true, untrue) of the mentions that got one true and one untrue replacement."""
    found: dict[tuple[str, bool], int] = {}
    for number, mention in enumerate(mentions):
        found[mention, bool(true[number])] = number
    return [
        (row, found[mention, False])
        for (mention, is_true), row in found.items()
        if is_true and (mention, False) in found
    ]


def line(
    name: str,
    cosine: Numbers,
    truths: dict[str, Numbers],
    pairs: list[tuple[int, int]],
    reference: Numbers | None,
    speed: float,
) -> str:
    cells = [name]

    def auc(truth: Numbers, rows: NDArray[np.int64]) -> float:
        return float(roc_auc_score(truth[rows], cosine[rows]))

    for truth in truths.values():
        cells.append(with_interval(partial(auc, truth), len(cosine)))
    preferred = sum(float(cosine[good] > cosine[bad]) for good, bad in pairs)
    low, high = wilson(preferred, len(pairs))
    cells.append(f"{preferred / len(pairs):.3f} ({low:.3f}–{high:.3f})")
    cells.append(with_interval(lambda r: float(np.corrcoef(cosine[r], truths["truthful"][r])[0, 1]), len(cosine)))
    cells.append("–" if reference is None else f"{np.corrcoef(cosine, reference)[0, 1]:.3f}")
    cells.append(f"{speed:,.0f}")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--minilm", type=Path)
    parser.add_argument("--wordllama", type=Path)
    parser.add_argument("--static", type=Path, action="append", default=[], help="another table to compare")
    arguments = parser.parse_args()
    rows = []
    for name, columns in COLUMNS.items():
        rows += sheet(arguments.data / "intact" / f"manual_eval_data_spec_truth_{name}.xlsx", columns)
    originals, replacements = [row[1] for row in rows], [row[2] for row in rows]
    less, true = (np.array([row[place] for row in rows]) for place in (3, 4))
    pairs = one_true([row[0] for row in rows], true)
    truths = {"truthful": true, "less specific": less, "both": less * true}
    embedders: dict[str, Embed] = {"static (default)": StaticEmbedder().embed}
    embedders |= {f"static, {path.name}": StaticEmbedder(model=path).embed for path in arguments.static}
    if arguments.wordllama:
        embedders["wordllama 256"] = wordllama(arguments.wordllama)
    if arguments.minilm:
        embedders["all-MiniLM-L6-v2"] = minilm(arguments.minilm)
    embedders["letters"] = letters
    cosines, speeds = dict[str, Numbers](), dict[str, float]()
    for name, embed in embedders.items():
        embed(originals[:8])
        began = time.perf_counter()
        first, second = embed(originals), embed(replacements)
        speeds[name] = 2 * len(rows) / (time.perf_counter() - began)
        cosines[name] = (first * second).sum(1).astype(np.float64)
    print(f"{datetime.date.today()}, n = {len(rows)}, of them", end=" ")
    print(", ".join(f"{int(truth.sum())} {name}" for name, truth in truths.items()), end="; ")
    print(f"{len(pairs)} mentions with one true and one untrue replacement\n")
    titles = ("embedder", *(f"AUC {name}" for name in truths), "nearer to the true one", "r with truthful")
    print("| " + " | ".join((*titles, "r with MiniLM's cosine", "phrases/s")) + " |")
    print("| --- |" + " --- |" * 7)
    for name, cosine in cosines.items():
        print(line(name, cosine, truths, pairs, cosines.get("all-MiniLM-L6-v2"), speeds[name]))


if __name__ == "__main__":
    main()
