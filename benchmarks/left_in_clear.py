"""Mentions that stand in a release in clear and that the Levenshtein metrics call gone: there should be none.

``python -m benchmarks.left_in_clear --data DATA`` takes TAB's dev set and the published mask files. Of every ruling
five mentions are drawn by a seed; each is left as it is, alone or with the other four, all others are replaced as the
file says, and the similarity index of what was left must not be below the threshold. The released text is taken with
its edits, where the place of the mention is known, and as a rewrite, where the nearest sentence has to be found.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.measures import METHODS

from sfumato.document import Edit, Release
from sfumato.formats.base import Columns
from sfumato.formats.inputs import as_documents, as_releases
from sfumato_papers.metrics.levenshtein import similarities

LEFT, THRESHOLD = 5, 0.85


def draw(release: Release, seed: int) -> list[Edit]:
    """Five of the edits that change something."""
    text = release.document.text
    edits = [edit for edit in release.edits if edit.replacement != text[edit.span.start : edit.span.end]]
    return random.Random(f"{seed} {release.document.id}").sample(edits, min(LEFT, len(edits)))


def undo(release: Release, edits: Sequence[Edit]) -> Release:
    """The release without these edits."""
    return Release(release.document, tuple(edit for edit in release.edits if edit not in edits))


def called_gone(release: Release, left: Sequence[Edit]) -> int:
    """How many of the mentions left in clear are below the threshold."""
    found = similarities(release, [edit.span for edit in left], "sentence")
    return sum(mention.lsi < THRESHOLD for mention in found)


def count(releases: Iterable[Release], seed: int) -> dict[str, int]:
    """By what is left and how the release is given, how many mentions are called gone; and how many were left."""
    counts = dict.fromkeys(("alone, text", "five, text", "alone, edits", "five, edits", "mentions"), 0)
    for release in releases:
        drawn = draw(release, seed)
        counts["mentions"] += len(drawn)
        for way, groups in {"alone": [[edit] for edit in drawn], "five": [drawn]}.items():
            for left in groups:
                partial = undo(release, left)
                counts[f"{way}, edits"] += called_gone(partial, left)
                counts[f"{way}, text"] += called_gone(Release.rewritten(release.document, partial.text), left)
    return counts


def read(data: Path, file: str) -> list[Release]:
    """The rulings as this file masks them; its masks of rulings that are not in the dev set are left out."""
    documents = as_documents(data / "tab/dev.jsonl", Columns(), print)
    return as_releases(file, data / "tab/masks" / file, documents, Columns(), lambda problem: None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for method, file in METHODS.items():
        counts = count(read(options.data, file), options.seed)
        print(f"{method:24} {counts}")


if __name__ == "__main__":
    main()
