"""What people see in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from time import monotonic

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.table import Table
from rich.text import Text

from sfumato.batch import Progress as Step
from sfumato.batch import Summary
from sfumato.corpus import Columns, load
from sfumato.document import Release, Withheld
from sfumato.pipeline import Pipeline
from sfumato.registry import Plugin

_PATIENCE_SECONDS = 2.0
_MOST_PROBLEMS = 20

_out = Console()
_err = Console(stderr=True)


@contextmanager
def progress() -> Iterator[Callable[[Step], None]]:
    """A bar with rate and time left, for whatever takes longer than two seconds."""
    bar = Progress(
        TextColumn("{task.fields[documents]} documents"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=_err,
        transient=True,
    )
    task = bar.add_task("", total=None, documents=0)
    started = monotonic()
    shown = False

    def advance(step: Step) -> None:
        nonlocal shown
        if not shown and monotonic() - started > _PATIENCE_SECONDS and _err.is_terminal:
            bar.start()
            shown = True
        bar.update(task, completed=step.done, total=step.total, documents=step.documents)

    try:
        yield advance
    finally:
        if shown:
            bar.stop()


def summary(found: Summary, verb: str) -> None:
    """A small table: how much went in, how much came out, what was replaced, how fast."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    table.add_row("documents", f"{found.documents:,} read, {found.released:,} {verb}, {found.withheld:,} withheld")
    if found.fell_back:
        table.add_row("fell back", f"{found.fell_back:,} as the floor alone makes them: the language model failed")
    if found.resumed:
        table.add_row("resumed", f"{found.resumed:,} were finished by an earlier run")
    labels = "  ".join(f"{label} {count:,}" for label, count in found.labels.most_common())
    table.add_row("spans", f"{sum(found.labels.values()):,}   {labels}".rstrip())
    seconds = max(found.seconds, 1e-9)
    table.add_row("time", f"{found.seconds:.1f} s, {found.characters / 1000 / seconds:,.0f} kB/s")
    for number, path in enumerate(found.files[:_MOST_PROBLEMS]):
        table.add_row("written" if number == 0 else "", Text(str(path)))
    if len(found.files) > _MOST_PROBLEMS:
        table.add_row("", f"and {len(found.files) - _MOST_PROBLEMS} more")
    _out.print(table)


def problems(found: Summary) -> None:
    """Everything that was skipped, withheld or not checked, on stderr."""
    withheld = [f"{place}: withheld: {reason}" for place, reason in found.withheld_documents]
    unchecked = [f"{what} cannot be checked for personal information" for what in found.unchecked]
    lines = [*map(str, found.problems), *withheld, *unchecked]
    for line in lines[:_MOST_PROBLEMS]:
        _err.print(Text(line, style="yellow"), soft_wrap=True)
    more = found.skipped + found.withheld + len(unchecked) - min(len(lines), _MOST_PROBLEMS)
    if more > 0:
        _err.print(Text(f"and {more:,} more; --json lists the first thousand of each kind", style="yellow"))


def error(message: str) -> None:
    _err.print(Text(f"sfumato: {message}", style="red"), soft_wrap=True)


def preview(inputs: Sequence[Path], columns: Columns, pipeline: Pipeline, count: int) -> None:
    """The first documents before and after, without writing anything."""
    for outcome in pipeline.anonymize(islice(load(inputs, columns), count)):
        if isinstance(outcome, Withheld):
            _out.print(Text(f"{outcome.document.id}: withheld: {outcome.reason}", style="yellow"))
        else:
            before_and_after(outcome)


def before_and_after(release: Release) -> None:
    """One document, what was replaced in red, what stands there now in green; a rewrite after what it was made of."""
    before, after = Text(), Text()
    shown = release if release.rewrite is None else release.floor or Release(release.document)
    for piece in shown.segments:
        original = release.document.text[piece.start : piece.end]
        if piece.edit is None:
            before.append(original)
            after.append(original)
        else:
            before.append(original, style="bold red")
            after.append(piece.edit.replacement or "∅", style="bold green")
    _out.rule(Text(release.document.id))
    steps = [("before", before), ("after", after)]
    if release.rewrite is not None:
        steps = [("before", before), ("replaced", after), ("rewritten", Text(release.rewrite))]
    for title, text in steps:
        _out.print(Text(title, style="dim"))
        _out.print(text, soft_wrap=True)


def methods(plugins: Sequence[Plugin], recipes: Mapping[str, str]) -> None:
    table = Table(box=None, pad_edge=False)
    for column in ("kind", "name", "purpose", "paper", "extra"):
        table.add_column(column, overflow="fold")
    for plugin in plugins:
        table.add_row(plugin.kind, Text(plugin.name, style="bold"), plugin.purpose, plugin.paper, plugin.extra)
    for name, description in recipes.items():
        table.add_row("recipe", Text(name, style="bold"), description)
    _out.print(table)
