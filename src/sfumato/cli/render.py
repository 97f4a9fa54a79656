"""What people see in the terminal."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from sfumato.cli import INCOMPLETE, printable, printable_json
from sfumato.document import Outcome, Release, Withheld
from sfumato.llm.usage import Cost, Usage
from sfumato.progress import OnProgress
from sfumato.progress import Progress as Event
from sfumato.recipe import PublishedCommand, RefusedMethod
from sfumato.report.html import format_estimate, pluralize
from sfumato.runs.summary import Note, Summary

_PATIENCE_SECONDS = 2.0
_MOST_PROBLEMS = 20
_MOST_PLACES = 20
_MOST_COLUMNS = 20
_NOTHING = {"spans": "there are spans of no document"}
_WHY_NUMBERED = "for names that say something personal"
_NOTICE = "bold yellow"


class Terminal(Console):
    """A console that shows controls as escapes instead of obeying them; only Rich's own styles reach the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


out = Terminal()
err = Terminal(stderr=True)
_printed: set[Path] = set()
"""Temporary files whose content goes to standard output; messages show them as ``-``."""
_standard_inputs: set[str] = set()
"""Temporary files that hold standard input."""


@contextmanager
def messages_on_stderr(target: Path) -> Iterator[None]:
    """While a release goes to standard output, the summary goes to standard error and calls ``target`` ``-``."""
    was, out.stderr = out.stderr, True
    _printed.add(target)
    try:
        yield
    finally:
        out.stderr = was
        _printed.discard(target)


def name_standard_input(path: Path) -> None:
    """Say "standard input" in messages about the temporary file that holds it."""
    _standard_inputs.add(str(path))


def _as_named(message: str) -> str:
    for path in _standard_inputs:
        message = message.replace(path, "standard input")
    return message


def _file_name(path: Path) -> str:
    return "-" if path in _printed else str(path)


def say(line: str | Text = "", style: str = "") -> None:
    """A line on standard output, not broken: a terminal wraps it, and a file has it whole."""
    out.print(Text(line, style=style) if isinstance(line, str) else line, soft_wrap=True)


def warn(line: str) -> None:
    """A line on standard error that should be noticed."""
    err.print(Text(_as_named(line), style="yellow"), soft_wrap=True)


def print_json(value: Any) -> None:
    """What ``--json`` prints."""
    shown = _as_named(json.dumps(value, ensure_ascii=False, indent=2, default=str))
    typer.echo(printable_json(shown), err=out.stderr)


Cell = str | Text | tuple[str, str] | None
"""What stands in a table: text, or text and its style; None where there is no value."""


def _as_text(cell: Cell) -> Text:  # a name may hold what Rich takes for markup
    if cell is None:
        return Text("–", style="dim")
    return cell if isinstance(cell, Text) else Text(cell) if isinstance(cell, str) else Text(*cell)


def print_table(table: Table) -> None:
    out.print(table)


def make_table(
    *columns: str,
    rows: Iterable[Sequence[Cell]] = (),
    right: Collection[str] = (),
    dim: Collection[str] = (),
    whole: Collection[str] = (),
) -> Table:
    """A table without lines. ``right``: columns of figures; ``whole``: columns whose cells stay on one line."""
    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(
            Text(name),
            justify="right" if name in right else "left",
            style="dim" if name in dim else None,
            no_wrap=name in whole,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*map(_as_text, row))
    return table


def show_table(*columns: str, rows: Iterable[Sequence[Cell]], **layout: Collection[str]) -> None:
    """Prints a table, as ``make_table`` makes it."""
    out.print(make_table(*columns, rows=rows, **layout))


def estimate_cell(value: float, interval: tuple[float, float], between: str = " ") -> Text:
    """A figure, and behind it its interval."""
    shown, low, high = format_estimate(value, interval)
    return Text.assemble((shown, "bold"), (f"{between}[{low}, {high}]", "dim"))


def say_values(values: Iterable[tuple[str, str | None]]) -> None:
    """Lines of a name and what is said of it, without those of which nothing is."""
    for name, value in values:
        if value:
            say(Text.assemble((f"{name}: ", "dim"), value))


@contextmanager
def progress() -> Iterator[OnProgress]:
    """A bar with rate and time left, for whatever takes longer than two seconds."""
    bar = Progress(
        TextColumn("{task.fields[detail]}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
    )
    task = bar.add_task("", total=None, detail="")
    started = monotonic()
    shown = False

    def advance(event: Event) -> None:
        nonlocal shown
        if not shown and monotonic() - started > _PATIENCE_SECONDS and err.is_terminal:
            bar.start()
            shown = True
        bar.update(task, completed=event.done, total=event.total, detail=event.detail)

    try:
        yield advance
    finally:
        if shown:
            bar.stop()


def show_summary(summary: Summary, verb: str) -> None:
    """A small table: how much went in, how much came out, what was replaced, how fast."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    for name, *value in (*_summary_of_documents(summary, verb), *_summary_of_work(summary, verb)):
        table.add_row(name, Text(*value))
    out.print(table)


def _summary_of_documents(summary: Summary, verb: str) -> Iterator[tuple[str, str, str]]:
    yield "documents", f"{summary.documents:,} read, {summary.released:,} {verb}, {summary.withheld:,} withheld", ""
    if not summary.released:
        empty = ": what is written holds no document" if summary.files else ""
        yield "", f"{_NOTHING.get(verb, f'nothing was {verb}')}{empty}", _NOTICE
    if summary.unchecked_parts:
        parts = ", ".join(pluralize(count, what) for what, count in sorted(summary.unchecked_parts.items()))
        yield "unchecked", f"{parts} in what is {verb}: nothing here can read such parts", _NOTICE
    if columns := summary.kept_columns:
        names = [
            name + f" ({column.personal:,} of {column.values:,} values look personal)" * bool(column.personal)
            for name, column in columns.items()
        ]
        is_personal = any(column.personal for column in columns.values())
        yield "kept", f"{', '.join(names)}: as in the input", _NOTICE * is_personal
    if names := summary.dropped_columns:
        more = f" and {len(names) - _MOST_COLUMNS:,} more" if len(names) > _MOST_COLUMNS else ""
        listed = f"{'column' if len(names) == 1 else 'columns'} {', '.join(names[:_MOST_COLUMNS])}{more}"
        yield "left out", f"{listed} of the input", "yellow"


def _summary_of_work(summary: Summary, verb: str) -> Iterator[tuple[str, str, str]]:
    renamed = [
        f"{count:,} of {pluralize(max(count, summary.released), kind)}"
        for count, kind in ((summary.renamed_files, "file"), (summary.renumbered_ids, "id"))
        if count
    ]
    if renamed:
        numbered = "as the recipe renumbers all" if summary.are_all_renumbered else _WHY_NUMBERED
        why = "with original names again" if verb == "restored" else f"by number, {numbered}"
        yield "renamed", f"{' and '.join(renamed)}, {why}", ""
    if summary.allowed_nowhere:
        yield "allowed", f"in no document: {_terms(summary.allowed_nowhere)}", "yellow"
    if summary.allowed_lost:
        lost = f"not kept in an id, a file name or a rewritten text: {_terms(list(summary.allowed_lost))}"
        yield "allowed", lost, _NOTICE
    if summary.used_fallback:
        alone = "as the other detectors alone make them: the language model failed"
        yield "fell back", f"{summary.used_fallback:,} {alone}", ""
    if summary.resumed:
        yield "resumed", f"{summary.resumed:,} were finished by an earlier run", ""
    labels = "  ".join(f"{label} {count:,}" for label, count in summary.labels.most_common())
    yield "spans", f"{sum(summary.labels.values()):,}   {labels}".rstrip(), ""
    rate = round(summary.characters / 1000 / max(summary.seconds, 1e-9))
    yield "time", f"{summary.seconds:.1f} s" + (f", {rate:,} kB/s" if rate else ""), ""
    for number, path in enumerate(summary.files[:_MOST_PROBLEMS]):
        yield "written" if number == 0 else "", _file_name(path), ""
    if len(summary.files) > _MOST_PROBLEMS:
        yield "", f"and {len(summary.files) - _MOST_PROBLEMS} more", ""


def _terms(terms: Sequence[str]) -> str:
    more = f" and {len(terms) - _MOST_COLUMNS:,} more (--json lists them)" if len(terms) > _MOST_COLUMNS else ""
    return f"{', '.join(repr(term) for term in terms[:_MOST_COLUMNS])}{more}"


def problems(summary: Summary) -> None:
    """Everything that was skipped, withheld or not checked, and what the methods remark, on stderr."""
    for remark in summary.remarks:
        warn(remark)
    unchecked = [(f"{what} cannot be checked for personal information", 1) for what in summary.unchecked]
    found = [(str(problem), int(not problem.is_warning)) for problem in summary.problems]
    lines = [*found, *_withheld(summary), *unchecked]
    for line, _ in lines[:_MOST_PROBLEMS]:
        warn(line)
    shown = sum(count for _, count in lines[:_MOST_PROBLEMS])
    more = summary.skipped + summary.withheld + len(unchecked) - shown
    if more > 0:
        warn(f"and {more:,} more; --json lists the first thousand of each kind")


def _withheld(summary: Summary) -> list[tuple[str, int]]:
    """One line for each reason, with where its documents stand and how many they are."""
    by_reason: dict[str, list[Note]] = defaultdict(list)
    for note in summary.withheld_documents:
        by_reason[note.reason].append(note)
    lines = []
    for reason, notes in by_reason.items():
        because = ":" if len(notes) == 1 else ", each because:"  # reasons speak of one document
        text = f"{pluralize(len(notes), 'document')} withheld{because} {reason} ({_places(notes)})"
        lines.append((text, len(notes)))
    return lines


def _places(notes: Sequence[Note]) -> str:
    """Files with the lines or records in them: ``a.txt; letters.jsonl lines 2, 5, 9``."""
    files: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for note in notes[:_MOST_PLACES]:
        files[note.file] += [] if note.place is None else [note.place]
    shown = []
    for file, places in files.items():
        kind = f" {places[0][0]}{'s' * (len(places) > 1)} " if places else ""
        shown.append(f"{file}{kind}{', '.join(str(number) for _, number in places)}")
    more = [f"and {len(notes) - _MOST_PLACES:,} more"] if len(notes) > _MOST_PLACES else []
    return "; ".join([*shown, *more])


def say_written(*files: Path | None) -> None:
    typer.echo(printable(f"written: {', '.join(str(file) for file in files if file)}"))


def error(message: str) -> None:
    err.print(Text(f"sfumato: {_as_named(str(message))}", style="red"), soft_wrap=True)


def preview(outcomes: Iterable[Outcome]) -> None:
    """Documents before and after."""
    for outcome in outcomes:
        if isinstance(outcome, Withheld):
            say(f"{outcome.document.id}: withheld: {outcome.reason}", "yellow")
        else:
            before_and_after(outcome)


def before_and_after(release: Release) -> None:
    """One document, what was replaced in red, what stands there now in green; a rewrite after what it was made of."""
    before, after = Text(), Text()
    shown = release if release.rewrite is None else release.before_rewrite or Release(release.document)
    for piece in shown.segments:
        original = release.document.text[piece.start : piece.end]
        if piece.edit is None:
            before.append(original)
            after.append(original)
        else:
            before.append(original, style="bold red")
            after.append(piece.edit.replacement or "∅", style="bold green")
    out.rule(Text(release.document.id))
    steps = [("before", before), ("after", after)]
    if release.rewrite is not None:
        steps = [("before", before), ("replaced", after), ("rewritten", Text(release.rewrite))]
    for title, text in steps:
        say(title, "dim")
        say(text)


def _tab_lines(rows: Iterable[Sequence[str]]) -> None:
    for row in rows:
        typer.echo("\t".join(map(printable, row)))


def methods(rows: Sequence[tuple[str, str, str, str, str, str]]) -> None:
    """Every method and recipe: a table in a terminal, one line each with tabs between the fields in a pipe."""
    if not out.is_terminal:
        _tab_lines(rows)
        return
    titles = ("kind", "name", "purpose", "reference", "needs", "from")
    cells: list[Sequence[Cell]] = [(kind, (name, "bold"), *rest) for kind, name, *rest in rows]
    show_table(*titles, rows=cells, whole=("name",))  # names are there to be copied


def published_methods(rows: Sequence[PublishedCommand], refused: Sequence[RefusedMethod], remark: str) -> None:
    """Every published method: a paragraph in a terminal, one line each with tabs between the fields in a pipe.

    Those that are commands of their own have the command after what they need; of those that cannot be run the fields
    are in a pipe name, title, source, "refused", reason and what to use.
    """
    warn(remark)
    if not out.is_terminal:
        for row in rows:
            needs = f"{row.needs}: {row.command}" if row.command else row.needs
            _tab_lines([(row.name, row.purpose, row.source, needs, row.stands_in, "; ".join(row.differs))])
        _tab_lines((item.name, item.title, item.source, "refused", item.reason, item.instead) for item in refused)
        return
    for row in rows:
        command = [f"command: {row.command}"] if row.command else []
        differs = [f"differs: {difference}" for difference in row.differs]
        needs = f"  needs {row.needs}" * bool(row.needs)
        out.print(Text.assemble("\n", (row.name, "bold"), f"  {row.source}", needs))
        out.print(*map(Text, (row.purpose, *command, f"stands in: {row.stands_in}", *differs)), sep="\n")
    for method in refused:
        out.print(Text.assemble("\n", (method.name, "bold dim"), f"  {method.title}, compared in {method.source}"))
        out.print(Text(f"refused: {method.reason}"), Text(f"instead: {method.instead}"), sep="\n")


_ANY_WIDTH = 10_000
_CAPTION = (
    "in all: unread (answers that could not be read), failed (questions without an answer), "
    "not there (strings that are not in the text)"
)


def usage(methods: Mapping[str, Usage], documents: int) -> None:
    """One line for each method that asked; numbers are per document, failures in all."""
    if methods and documents:
        costs({name: Cost("", 1, documents, usage) for name, usage in methods.items()}, "language model, per document")


def costs(rows: Mapping[str, Cost], title: str = "language models, per document and run") -> None:
    """One line for each method and model: in columns where the terminal is wide enough to show them whole."""
    if not rows:
        return
    cells = [(name, *cost.figures()) for name, cost in rows.items()]
    table = make_table("method", *Cost.COLUMNS, rows=cells, right=Cost.COLUMNS, whole=("method", *Cost.COLUMNS))
    say(title, "italic")
    if out.measure(table, options=out.options.update(max_width=_ANY_WIDTH)).maximum <= out.width:
        out.print(table)
    else:
        for name, cost in rows.items():
            figures = map(" ".join, zip(Cost.COLUMNS, cost.figures(), strict=True))
            say(f"{name}: {', '.join(figures)}")
    say(_CAPTION, "dim")


def lines(usages: Mapping[str, Mapping[str, Any]]) -> None:
    """One line on stderr for each attack or metric that asked, by what it counted: they have no documents in common."""
    for name, usage in usages.items():
        if usage.get("requests"):
            tokens = usage["prompt_tokens"] + usage["generated_tokens"]
            cached = f" ({usage['cached']:,} from a cache)" if usage.get("cached") else ""
            typer.echo(
                f"{printable(name)}: {usage['requests']:,} requests{cached}, {tokens:,} tokens, {usage['failed']:,} of "
                f"{usage['questions']:,} questions without a usable answer",
                err=True,
            )


def finish(summary: Summary, verb: str, as_json: bool) -> None:
    """Print what was done, and exit non-zero where something was skipped, withheld or missed."""
    if as_json:
        print_json({**summary.to_json(), "files": [_file_name(path) for path in summary.files]})
    else:
        show_summary(summary, verb)
        usage(summary.usage, summary.asked)
    problems(summary)
    if not summary.complete:
        raise typer.Exit(INCOMPLETE)


_GAP = 2


def wrap_columns(figures: Mapping[str, Sequence[Text]], beside: Sequence[str], width: int) -> list[list[str]]:
    """A table with more columns than fit a width, as several below each other: the names of the columns of each.

    ``beside``: what stands next to the figures in each of them.
    """
    blocks: list[list[str]] = [[]]
    taken = start = sum(len(title) + _GAP for title in beside)
    for name, cells in figures.items():
        column_width = max((len(line) for cell in cells for line in cell.plain.splitlines()), default=0) + _GAP
        if blocks[-1] and taken + column_width > width:
            blocks.append([])
            taken = start
        blocks[-1].append(name)
        taken += column_width
    return blocks
