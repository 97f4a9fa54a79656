"""A table and its results as Markdown, with the published figures beside ours."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.paper_tables.frame import Column, Corpus, Result, Row, Table

from sfumato.document import Score
from sfumato.errors import InputError

TRIR = "TRIR"
TOKENS = "tokens"
NOT_RUN = "not run"


@dataclass(frozen=True)
class TrirFigures:
    """Figures of a separate run of TRIR: by corpus and column, a record for each choice of the epoch and each seed."""

    records: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]

    @classmethod
    def read(cls, path: Path | None) -> TrirFigures:
        """From a list of {"set", "column", "trir", "n", "low", "high", "settings"}; empty without a file."""
        records: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        if path is None:
            return cls(records)
        try:
            for record in json.loads(path.read_text(encoding="utf-8")):
                records.setdefault((record["set"], record["column"]), []).append(record)
        except (OSError, ValueError, TypeError, KeyError) as error:
            expected = 'a JSON list of {"set", "column", "trir", "n", "low", "high", "settings"}'
            raise InputError(f"{path}: is no file of TRIR figures ({type(error).__name__}): give {expected}") from None
        return cls(records)

    def cell(self, corpus: Corpus, row: Row) -> str:
        """By the choice of the epoch, the mean over seeds of value and interval."""
        choices: dict[str, list[Mapping[str, Any]]] = {}
        for record in self.records.get((corpus.name, row.trir or row.name), ()):
            choices.setdefault(record.get("choice", ""), []).append(record)
        figures = {choice: self._figure(records) for choice, records in choices.items()}
        if len(set(figures.values())) < 2:  # the epochs agree
            return next(iter(figures.values()), NOT_RUN)
        return "; ".join(f"{choice} epoch {figure}" for choice, figure in figures.items())

    def _figure(self, records: Sequence[Mapping[str, Any]]) -> str:
        value, low, high = (short(fmean(record[key] for record in records)) for key in ("trir", "low", "high"))
        return f"{value} [{low}–{high}], n = {records[0]['n']}"

    def settings(self, corpus: Corpus) -> list[str]:
        """What the figures of this corpus were made with; trainings that differ by their seed alone are one line."""
        seeds: dict[str, dict[str, None]] = {}
        for (name, _), records in self.records.items():
            for record in records if name == corpus.name else ():
                settings = dict(record.get("settings", {}))
                seed = str(settings.pop("seed", ""))
                seeds.setdefault(", ".join(f"{key} {value}" for key, value in settings.items()), {})[seed] = None
        return [
            settings + (f", seeds {', '.join(used)}" if any(used) else "")
            for settings, used in seeds.items()
            if settings
        ]


def section(table: Table, corpus: Corpus, results: Sequence[Result], trir: TrirFigures) -> str:
    """The table of one corpus, with notes on what has no figure and on how the published ones differ.

    A row that was not run and has no published figure is only in the notes, and so is a column without any figure.
    """
    shown = [result for result in results if result.row.published or not result.not_run]
    heads, cells = _columns(table, corpus, shown, trir)
    lines = [heads, ["---"] * len(heads), *cells]
    parts = [
        f"### {table.title}: {corpus.title}",
        "\n".join(f"| {' | '.join(line)} |" for line in lines),
        "Rows `published/…` are methods as published, and nothing of ours guards them; rows with the plain name "
        "of a recipe are guarded by detectors that always run. Intervals are 95 %; seconds and tokens are those of "
        "making a release.",
    ]
    if table.closing is not None and (closing := table.closing(corpus, results)):
        parts.append(closing)
    notes = [*table.notes, *_missing(results)]
    if table.has_trir:
        notes += [f"TRIR: {settings}" for settings in trir.settings(corpus)]
    if notes:
        parts.append("\n".join(f"- {note}" for note in notes))
    return "\n\n".join(parts) + "\n"


def _columns(
    table: Table, corpus: Corpus, results: Sequence[Result], trir: TrirFigures
) -> tuple[list[str], list[list[str]]]:
    heads, cells = ["method", "n"], [[result.row.name, _count(result)] for result in results]

    def add(head: str, column: Sequence[str]) -> None:
        heads.append(head)
        for line, cell in zip(cells, column, strict=True):
            line.append(cell)

    def add_published(title: str) -> None:
        published = [result.row.published.get(title, "") for result in results]
        if any(published):
            add(f"{title}, published", published)

    for column in table.columns:
        if any(column.title in result.scores for result in results):
            arrow = "↑" if column.higher_is_better else "↓"
            add(f"{column.title} {arrow}", [_score(column, result) for result in results])
        add_published(column.title)
    if table.has_trir:
        cells_of_trir = [trir.cell(corpus, result.row) for result in results]
        if set(cells_of_trir) != {NOT_RUN}:
            add(f"{TRIR} ↓", cells_of_trir)
        add_published(TRIR)
    add("s / text", [_seconds(result) for result in results])
    add("tokens / text", [_tokens(result) for result in results])
    add_published(TOKENS)
    return heads, cells


def _count(result: Result) -> str:
    if result.failure:
        return NOT_RUN if result.not_run else "failed"
    fell_back = f", {result.used_fallback} by fallback" if result.used_fallback else ""
    withheld = result.documents - result.released
    return f"{result.released}{f' of {result.documents}' if withheld else ''}{fell_back}"


def _score(column: Column, result: Result) -> str:
    score = result.scores.get(column.title)
    return "–" if score is None else _figure(score, result)


def _figure(score: Score, result: Result) -> str:
    n = f", n = {score.n:,}" if score.n != result.released else ""
    attack = f" ({score.settings['attack']})" if score.value and "attack" in score.settings else ""
    return f"{short(score.value)} [{short(score.interval[0])}–{short(score.interval[1])}]{n}{attack}"


def _seconds(result: Result) -> str:
    """Those of the model where one was asked: they are the same when answers come from the cache."""
    if result.usage.requests:
        return f"{result.usage.seconds / result.documents:.1f}"
    return "–" if result.seconds is None else f"{result.seconds / result.documents:.2f}"


def _tokens(result: Result) -> str:
    usage, n = result.usage, result.documents
    if not usage.requests:
        return "–" if result.failure else "0"
    return f"{usage.prompt_tokens / n:,.0f} + {usage.generated_tokens / n:,.0f}"


def _missing(results: Sequence[Result]) -> list[str]:
    """Why rows and cells are empty: one line a reason."""
    rows: dict[str, list[str]] = {}
    cells: dict[tuple[str, str], list[str]] = {}
    for result in results:
        if result.failure:
            rows.setdefault(result.failure, []).append(result.row.name)
        for title, reason in result.reasons.items():
            cells.setdefault((reason, title), []).append(result.row.name)
    measured = sum(not result.failure for result in results)
    titles: dict[tuple[str, str], list[str]] = {}
    for (reason, title), names in cells.items():
        who = "" if len(names) == measured > 1 else f"{', '.join(names)}: "
        titles.setdefault((who, reason), []).append(title)
    return [
        *(f"{who}no {', '.join(named)}: {reason}" for (who, reason), named in titles.items()),
        *(f"{', '.join(names)}: {reason}" for reason, names in rows.items()),
    ]


def short(value: float) -> str:
    """Three digits, without the zero before the point; of percentages one digit after it."""
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"
