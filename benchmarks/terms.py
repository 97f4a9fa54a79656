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

from benchmarks.measures import METHODS

from sfumato.formats.sources import load
from sfumato.metrics.run import measure_each
from sfumato.metrics.terms import terms
from sfumato.models.base import Range
from sfumato.statistics import ratio

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
    ours = [read(text, terms(text)) for text in texts]
    theirs = [read(text, terms(text, f"spacy:{model}")) for text in texts]
    both = [len(one & other) for one, other in zip(ours, theirs, strict=True)]
    sizes = [(len(one), len(other)) for one, other in zip(ours, theirs, strict=True)]
    return [
        _cell(both, [own for own, _ in sizes]),
        _cell(both, [other for _, other in sizes]),
        _cell([2 * count for count in both], [own + other for own, other in sizes]),
    ]


def _cell(above: Sequence[int], below: Sequence[int]) -> str:
    found = ratio(*({str(at): value for at, value in enumerate(part)} for part in (above, below)))
    return f"{found.value:.3f} ({found.interval[0]:.3f}–{found.interval[1]:.3f})"


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
