"""The benchmark of language models as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from benchmarks.chat_figures import Figure, Row
from benchmarks.chat_sets import Corpus

from sfumato.statistics import SEED

RESAMPLES = 2000
HEADS = {
    "tab-direct-recall": "direct",
    "tab-quasi-recall": "quasi",
    "tab-mention-recall": "mentions",
    "tab-token-recall": "tokens",
    "tab-precision": "precision",
    "tps": "TPS",
    "direct-gone": "direct gone",
    "quasi-gone": "quasi gone",
    "rouge-l": "ROUGE-L",
    "bare": "bare labels",
    "truthful": "truthful",
    "abstract": "less specific",
    "guessed": "guessed",
}


def figures(rows: Sequence[Row]) -> str:
    """One line a method; every value with its interval, and n in the head where it is the same for all."""
    keys = list(dict.fromkeys(key for row in rows for key in row.figures))
    heads = [_head(key, [row.figures[key] for row in rows if key in row.figures]) for key in keys]
    lines = [[row.name, *(_cell(row.figures.get(key), key, rows) for key in keys)] for row in rows]
    return table(["method", *heads], lines)


def _head(key: str, own: Sequence[Figure]) -> str:
    name = f"found, {key.removeprefix('risk:')}" if key.startswith("risk:") else HEADS[key]
    sizes = {figure.n for figure in own if figure.value is not None}
    return f"{name} (n = {sizes.pop():,})" if len(sizes) == 1 else name


def _cell(figure: Figure | None, key: str, rows: Sequence[Row]) -> str:
    if figure is None or figure.value is None:
        return "–"
    sizes = {row.figures[key].n for row in rows if key in row.figures and row.figures[key].value is not None}
    n = f", n = {figure.n:,}" if len(sizes) > 1 else ""
    by = f" {figure.note}" if key.startswith("risk:") and figure.value else ""
    return f"{short(figure.value)} [{short(figure.low)}–{short(figure.high)}{n}]{by}"


def costs(rows: Sequence[Row]) -> str:
    """What asking cost by document, and what went wrong in all."""
    heads = ["method", "documents", "requests", "prompt", "generated", "tokens / document", "s / document", "minutes"]
    heads += ["unread", "questions failed", "documents failed", "not in the text", "folded", "ignored", "repaired"]
    lines = []
    for row in rows:
        usage = row.usage
        if usage is None:
            continue
        n = row.documents
        wall = "–" if row.wall is None else f"{row.wall / 60:.1f}"
        lines.append(
            [
                row.name,
                str(n),
                f"{usage.requests}",
                f"{usage.prompt_tokens / n:,.0f}",
                f"{usage.generated_tokens / n:,.0f}",
                per_document(row),
                f"{usage.seconds / n:.1f}",
                wall,
                *map(str, (usage.unreadable, usage.failed, row.failed)),
                *map(str, (usage.hallucinated, usage.folded, usage.ignored, usage.repaired)),
            ]
        )
    return table(heads, lines)


def per_document(row: Row) -> str:
    """Tokens read and written for a document, with a bootstrap interval over requests."""
    if row.usage is None or not row.tokens:
        return "–"
    both = np.array([read + written for read, written in row.tokens], float)
    draws = np.random.default_rng(SEED).choice(both, (RESAMPLES, len(both))).sum(axis=1) / row.documents
    low, high = np.percentile(draws, [2.5, 97.5])
    return f"{row.usage.tokens / row.documents:,.0f} [{low:,.0f}–{high:,.0f}]"


def heading(part: str, corpus: Corpus) -> str:
    entities = {(key, span.entity, span.identifier) for key, spans in corpus.gold.items() for span in spans}
    mentions = sum(map(len, corpus.gold.values()))
    people = ", ".join(f"{name} {len(own):,}" for name, own in corpus.backgrounds.items())
    return (
        f"### {part}: {len(corpus.documents)} × {corpus.title}\n\n{mentions:,} annotated mentions of {len(entities):,} "
        f"entities; people that are known: {people}."
    )


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [heads, ["---"] * len(heads), *lines])


def short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0") if abs(value) <= 1 else f"{value:.1f}"
