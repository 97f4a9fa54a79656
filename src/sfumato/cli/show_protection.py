"""A protected release as people read it in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sfumato.errors import Problem, listed
from sfumato.report.words import counted, percent, tabled

if TYPE_CHECKING:
    from sfumato.attacks.risk import BestRank, Linked
    from sfumato.batch import Progress
    from sfumato.protection.records import OnStep, Protection, Step

_CHECKS = {"inference-rate": "replaced spans whose original a guesser names (inference-rate)"}
_MOST_REPAIRS = 10

_out = Console()
_err = Console(stderr=True)


@contextmanager
def progress() -> Iterator[OnStep]:
    """One line that says what the loop is at, where someone is looking."""
    status = _err.status("")
    started = False

    def show(step: Step) -> None:
        nonlocal started
        if not started:
            status.start()
            started = True
        status.update(f"{step.stage}: {step.done:,} of {step.total:,}" if step.total > 1 else step.stage)

    try:
        yield show
    finally:
        if started:
            status.stop()


def reading(on_step: OnStep) -> Callable[[Progress], None]:
    """How far the recipe is, on the same line: two displays would write over each other."""
    from sfumato.protection.records import Step

    return lambda progress: on_step(Step(f"anonymizing document {progress.documents:,}", 0, 1))


def problem(found: Problem) -> None:
    """Something about the background that the user should know."""
    said = str(found)
    for column in ("id", "text"):  # what reads a table does not know which of the two it reads
        said = said.replace(f"--{column}-column", f"--background-{column}-column")
    _err.print(Text(said, style="yellow"), soft_wrap=True)


def protection(found: Protection) -> None:
    """The verdict, the risk before and after, and what it cost."""
    from sfumato.protection.certificate.words import verdict
    from sfumato.protection.pages.words import WORDS_OF_KINDS, lost
    from sfumato.protection.verify import BOTH, MORE

    in_short = {MORE: "rehearsal", BOTH: "rehearsal, others"}  # the verdict has the whole names

    met = found.met
    _out.print(Text(verdict(found, met), style="bold green" if met else "bold yellow"), soft_wrap=True)
    if found.also_named:
        _out.print(Text(f"They are named in {listed(found.also_named)}.", style="yellow"), soft_wrap=True)
    _out.print()
    if found.before:
        table = Table(box=None, pad_edge=False)
        for column in ("attack", "found before", "found after", ""):
            table.add_column(column, justify="right" if column.startswith("found") else "left")
        for name, one in found.before.items():
            role = "in the loop" if name in found.loop_attacks else "verifies"
            after = found.after.get(name)
            table.add_row(name, _share(one), "–" if after is None else _share(after), Text(role, style="dim"))
        for column_ in found.columns[1:]:
            if column_.attacks:
                name, best = column_.strongest
                table.add_row(
                    name, "", _with_interval(best), Text(in_short.get(column_.name, column_.name), style="dim")
                )
        _out.print(table)
        _out.print()
    for name, (before, later) in found.checks.items():
        what = _CHECKS.get(name, name)
        _out.print(Text(f"{what}: {percent(before.value)} before, {percent(later.value)} after"), soft_wrap=True)
    _out.print(Text(f"It cost {lost(found.loss)} of a document's information on average.", style="dim"))
    for kind, count in found.repairs.most_common():
        _out.print(Text(f"  {count:,} x {WORDS_OF_KINDS.get(kind, kind)}", style="dim"))
    _out.print()


def _share(one: Linked) -> str:
    return _with_interval(one.learned)


def _with_interval(best: BestRank) -> str:
    low, high = (tabled(bound).removesuffix(" %") for bound in best.interval)
    return f"{tabled(best.risk)} ({low} to {high})"


def repairs(found: Protection, document_id: str) -> None:
    """What the loop changed in a document that the user asked to see, and which attack forced it."""
    own = next((one.repairs for one in found.documents if one.id == document_id), ())
    table = Table(box=None, pad_edge=False)
    for column in ("said", "says now", "forced by"):
        table.add_column(column, overflow="fold")
    for repair in sorted(own, key=lambda one: -one.loss)[:_MOST_REPAIRS]:
        table.add_row(Text(repair.said, style="red"), Text(repair.put or "∅", style="green"), repair.against)
    if own:
        _out.print(table)
        _out.print(Text(f"{counted(len(own), 'repair')} by the loop; the dearest first\n", style="dim"))
