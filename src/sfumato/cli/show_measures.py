"""Scores as people read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sfumato.cli.blocks import in_blocks
from sfumato.document import Score
from sfumato.errors import Problem
from sfumato.measures.base import MODELS
from sfumato.measures.run import Measurement
from sfumato.report.words import numbers

_MOST_PROBLEMS = 20

_out = Console()
_err = Console(stderr=True)


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """One line that says which metric is under way, where someone is looking."""
    done = 0
    with _err.status("reading") as status:

        def begin(name: str) -> None:
            nonlocal done
            done += 1
            status.update(f"measuring {name} ({done} of {total})")

        yield begin


def table(measured: Mapping[str, Measurement]) -> None:
    """Metrics by family, one column a release; below, what was not measured and why, and the models that judged.

    Columns that do not fit beside the others make another table below.
    """
    between = " " if len(measured) == 1 else "\n"
    figures = {name: [_cell(score, between) for score in one.scores.values()] for name, one in measured.items()}
    scores = [score for one in measured.values() for score in one.scores.values()]
    beside = [
        max((f"  {score.metric}" for score in scores), key=len, default=""),
        "↑",
        _counted(scores) if scores else "",
    ]
    for block in in_blocks(figures, beside, _out.width):
        _out.print(_block({name: measured[name] for name in block}, between))
    _out.print(Text("↑ more is better, ↓ less is better; in brackets the 95 % interval", style="dim"))
    for kind, names in _models(measured).items():
        _out.print(Text(f"{kind}: {', '.join(names)}", style="dim"), soft_wrap=True)
    _not_measured(measured)


def _block(measured: Mapping[str, Measurement], between: str) -> Table:
    columns = Table(box=None, pad_edge=False)
    columns.add_column("metric", no_wrap=True)
    columns.add_column("")
    for name in measured:
        columns.add_column(Text("value" if between == " " else name), justify="right", overflow="fold")
    columns.add_column("n", justify="right", style="dim", no_wrap=True)
    for family, names in _families(measured).items():
        columns.add_row(Text(family, style="bold"))
        for name in names:
            found = [one.scores.get(name) for one in measured.values()]
            known = [score for score in found if score is not None]
            arrow = "↑" if known[0].higher_is_better else "↓"
            columns.add_row(f"  {name}", arrow, *(_cell(score, between) for score in found), _counted(known))
    return columns


def problems(found: Sequence[Problem]) -> None:
    """What was skipped or does not fit together, on stderr."""
    for problem in found[:_MOST_PROBLEMS]:
        _err.print(Text(str(problem), style="yellow"), soft_wrap=True)
    if len(found) > _MOST_PROBLEMS:
        _err.print(Text(f"and {len(found) - _MOST_PROBLEMS:,} more; --json lists them all", style="yellow"))


def _cell(score: Score | None, between: str) -> Text:
    if score is None:
        return Text("–", style="dim")
    value, low, high = numbers(score.value, score.interval)
    return Text.assemble((value, "bold"), (f"{between}[{low}, {high}]", "dim"))


def _counted(scores: Sequence[Score]) -> str:
    low, high = min(score.n for score in scores), max(score.n for score in scores)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _families(measured: Mapping[str, Measurement]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in measured.values():
        for name in one.scores:
            own = found.setdefault(one.families[name], [])
            if name not in own:
                own.append(name)
    return dict(sorted(found.items()))


def _models(measured: Mapping[str, Measurement]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in measured.values():
        for score in one.scores.values():
            for kind in MODELS:
                name = score.settings.get(kind)
                if name and name not in found.setdefault(kind, []):
                    found[kind].append(name)
    return {kind: names for kind, names in found.items() if names}


def _not_measured(measured: Mapping[str, Measurement]) -> None:
    """By reason, because most often one thing is missing for many metrics."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for release, one in measured.items():
        for name, reason in one.refused.items():
            reasons.setdefault(reason, {}).setdefault(name, []).append(release)
    if reasons:
        _out.print(Text("\nnot measured", style="bold"))
    for reason, names in reasons.items():
        shown = [
            name if len(releases) == len(measured) else f"{name} ({', '.join(releases)})"
            for name, releases in names.items()
        ]
        _out.print(Text.assemble((", ".join(shown), "yellow"), f": {reason}"), soft_wrap=True)
