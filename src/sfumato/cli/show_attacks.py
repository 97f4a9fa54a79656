"""Risk as people read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sfumato.attacks.base import TOP
from sfumato.attacks.mentions import about_named
from sfumato.attacks.report import CROWD, AttackReport, DocumentRisk, sentence
from sfumato.attacks.risk import STRONG
from sfumato.cli.blocks import in_blocks
from sfumato.errors import listed
from sfumato.report.words import percent, tabled

_MOST_QUOTES = 5
_QUOTE_WIDTH = 40
_ANY = "any of them"

_out = Console()
_err = Console(stderr=True)


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """One line that says which attack is under way, where someone is looking."""
    with _err.status("reading") as status:
        yield lambda name: status.update(f"attacking: {name}")


@contextmanager
def steps() -> Iterator[Callable[[str, str], None]]:
    """The same for several methods."""
    with _err.status("reading") as status:
        yield lambda method, what: status.update(f"{method}: {what}")


def side_by_side(reports: Mapping[str, AttackReport]) -> None:
    """Each attack's risk, one column a method; those that do not fit beside the others below them."""
    if not reports:
        return
    first = next(iter(reports.values()))
    figures = {
        name: [_cell(own.any.risk, own.any.interval), *(_cell(one.risk, one.interval) for one in own.attacks.values())]
        for name, own in reports.items()
    }
    beside = max([*first.attacks, _ANY], key=len)
    for block in in_blocks(figures, [beside], _out.width):
        _out.print(_block({name: reports[name] for name in block}))
    _out.print(
        Text(
            f"share of releases whose person is the first guess among {first.people:,} people; in brackets the 95 % "
            f"interval; regulators call up to {percent(STRONG)} strong\n",
            style="dim",
        ),
        soft_wrap=True,
    )


def _block(reports: Mapping[str, AttackReport]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("attack", no_wrap=True)
    for name in reports:
        table.add_column(Text(name), justify="right", overflow="fold")
    first = next(iter(reports.values()))
    for name in first.attacks:
        found = [one.attacks[name] for one in reports.values()]
        table.add_row(name, *(_cell(one.risk, one.interval) for one in found))
    table.add_row(Text(_ANY, style="dim"), *(_cell(one.any.risk, one.any.interval) for one in reports.values()))
    return table


def _cell(risk: float, interval: tuple[float, float]) -> Text:
    low, high = (tabled(bound).removesuffix(" %") for bound in interval)
    return Text.assemble((tabled(risk), "bold"), (f"\n[{low}, {high}]", "dim"))


def report(found: AttackReport, shown: int) -> None:
    """The headline in words, the attacks, and the documents at most risk with what gave them away."""
    _out.print(Text(sentence(found), style="bold"), soft_wrap=True)
    _out.print()
    _attacks(found)
    _out.print()
    _summary(found)
    if shown and found.documents:
        _documents(found, shown)


def _attacks(found: AttackReport) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("attack", no_wrap=True)
    table.add_column("risk ↓", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("found", justify="right")
    table.add_column("median rank", justify="right")
    table.add_column("best rank", justify="right")
    for name, one in sorted(found.attacks.items(), key=lambda item: -item[1].risk):
        style = "bold" if name == found.strongest.attack else ""
        low, high = one.interval
        middle = _beyond(found, "not named") if one.median_rank is None else f"{one.median_rank:g}"
        best = f"{one.best.rank} ({tabled(one.best.risk)})" if one.best.rank > 1 else "1"
        interval = f"{tabled(low)} – {tabled(high)}"
        table.add_row(Text(name, style=style), tabled(one.risk), interval, f"{one.found:,}", middle, best)
    low, high = found.any.interval
    table.add_row(
        Text(_ANY, style="dim"),
        tabled(found.any.risk),
        f"{tabled(low)} – {tabled(high)}",
        "",
        "",
        "",
    )
    _out.print(table)


def _beyond(found: AttackReport, among_few: str) -> str:
    """Of a person whom an attack does not name: among few people not even one that shares something with the text."""
    return f"over {TOP}" if found.people > TOP else among_few


def _summary(found: AttackReport) -> None:
    lines = [
        f"{found.n:,} releases, {found.people:,} people to choose among; guessing alone finds "
        f"{percent(1 / found.people)}, by any of {len(found.attacks)} attacks {percent(found.any.chance)}",
        f"{found.exposed:,} of {found.n:,} releases have their person among the {CROWD - 1} likeliest of some attack",
        f"regulators call up to {percent(STRONG)} (1 in {CROWD}) strong; an attacker who knows more than this "
        "background finds more",
    ]
    lines += [
        f"{count:,} {_EXCLUDED[reason]}" for reason, count in found.excluded.items() if count and reason in _EXCLUDED
    ]
    for line in lines:
        _out.print(Text(line, style="dim"), soft_wrap=True)
    if found.also_named:
        said = f"{about_named(found.also_named)}, and were not looked for in: {listed(found.also_named)}"
        _out.print(Text(said, style="yellow"), soft_wrap=True)


_EXCLUDED = {
    "releases_without_background": "releases are about nobody in the background and are left out",
    "people_without_release": "people of the background have no release: the crowd that the others hide in",
    "people_without_text": "people of the background have no text and are left out",
    "records_merged": "records were added to a person who had one already",
    "blank_releases": "releases hold no text; nobody is found by them, and they count",
}


def _documents(found: AttackReport, shown: int) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("at most risk", overflow="fold")
    table.add_column("candidates", justify="right")
    table.add_column("found by", overflow="fold")
    table.add_column("given away by", overflow="fold")
    for one in found.documents[:shown]:
        size = _beyond(found, f"all {found.people}") if one.candidates is None else str(one.candidates)
        table.add_row(Text(one.id), size, Text(_by(one, len(found.attacks))), Text(_quotes(one)))
    _out.print()
    _out.print(table)


def _by(one: DocumentRisk, attacks: int) -> str:
    if not one.linked_by:
        return "none"
    return ", ".join(one.linked_by) if len(one.linked_by) < attacks or attacks < 3 else f"all {attacks}"


def _quotes(one: DocumentRisk) -> str:
    shown = one.quotes[:_MOST_QUOTES]
    return " · ".join(words if len(words) <= _QUOTE_WIDTH else words[: _QUOTE_WIDTH - 1] + "…" for words in shown)
