"""How far the terms of our rules are those of spaCy, and what the difference does to TPI and TPS.

    python -m benchmarks.terms --data DATA [--model en_core_web_sm]

On TAB's dev set; intervals are a bootstrap over documents. Needs the extra ``spacy``.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from benchmarks.measures import METHODS

from sfumato.corpus import load
from sfumato.intervals import bootstrap
from sfumato.measures.measure import measure_each
from sfumato.measures.terms import terms

Range = tuple[int, int]
_ARTICLES = ("the ", "a ", "an ")


def as_found(text: str, ranges: Sequence[Range]) -> set[Range]:
    return set(ranges)


def without_articles(text: str, ranges: Sequence[Range]) -> set[Range]:
    """Each range from behind its leading article on."""
    found = set()
    for start, end in ranges:
        article = next((word for word in _ARTICLES if text[start:end].lower().startswith(word)), "")
        found.add((start + len(article), end))
    return found


def agreement(texts: Sequence[str], model: str, read: Callable[[str, Sequence[Range]], set[Range]]) -> list[str]:
    """Precision, recall and F1 of the rules' terms, both ends exact, spaCy's being the reference."""
    counts = []
    for text in texts:
        ours, theirs = read(text, terms(text)), read(text, terms(text, f"spacy:{model}"))
        counts.append((len(ours & theirs), len(ours), len(theirs)))
    both, ours, theirs = (np.array(column, dtype=float) for column in zip(*counts, strict=True))
    return [
        _cell([both, ours], lambda a, b: a.sum(-1) / b.sum(-1)),
        _cell([both, theirs], lambda a, b: a.sum(-1) / b.sum(-1)),
        _cell([both, ours + theirs], lambda a, b: 2 * a.sum(-1) / b.sum(-1)),
    ]


def _cell(columns: Sequence[np.ndarray], statistic: Callable[..., np.floating]) -> str:
    low, high = bootstrap(columns, statistic)
    return f"{float(statistic(*columns)):.3f} ({low:.3f}–{high:.3f})"


def differences(data: Path, model: str) -> list[str]:
    """TPI and TPS of each published mask file over either terms."""
    releases = {name: data / "tab/masks" / file for name, file in METHODS.items()}
    over = {
        segmenter: measure_each(
            data / "tab/dev.jsonl",
            releases,
            metrics=["tpi", "tps"],
            scorer="frequency",
            settings={metric: {"terms": segmenter} for metric in ("tpi", "tps")},
        )
        for segmenter in ("rules", f"spacy:{model}")
    }
    lines = []
    for name in releases:
        for metric in ("tpi", "tps"):
            ours, theirs = (one[name].scores[metric].value for one in over.values())
            lines.append(f"| {name} | {metric} | {ours:.4f} | {theirs:.4f} | {abs(ours - theirs):.4f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", default="en_core_web_sm")
    options = parser.parse_args()
    texts = [document.text for document in load([options.data / "tab/dev.jsonl"])]
    print(f"{date.today()}, {platform.processor() or platform.machine()}, Python {platform.python_version()}, ", end="")
    print(f"{len(texts)} rulings.\n\n| terms | precision | recall | F1 |\n| --- | --- | --- | --- |")
    for name, read in (("both ends exact", as_found), ("leading articles ignored", without_articles)):
        print(f"| {name} | {' | '.join(agreement(texts, options.model, read))} |", flush=True)
    print("\n| method | metric | over the rules' terms | over spaCy's | difference |\n| --- | --- | --- | --- | --- |")
    print("\n".join(differences(options.data, options.model)))


if __name__ == "__main__":
    main()
