"""What language models cost, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sfumato.models.chat import Spent
from sfumato.models.chat.spent import Cost

_ANY_WIDTH = 10_000
_CAPTION = (
    "in all: unread (answers that could not be read), failed (questions without an answer), "
    "not there (strings that are not in the text)"
)

_out = Console()


def spent(methods: Mapping[str, Spent], documents: int) -> None:
    """One line for each method that asked; numbers are per document, failures in all."""
    if methods and documents:
        costs({name: Cost("", 1, documents, one) for name, one in methods.items()}, "language model, per document")


def costs(rows: Mapping[str, Cost], title: str = "language models, per document and run") -> None:
    """One line for each method and model: in columns where the terminal is wide enough to show them whole."""
    if not rows:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("method", no_wrap=True)
    for name in Cost.COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for name, cost in rows.items():
        table.add_row(Text(name), *cost.figures())  # a name may hold what Rich takes for markup
    _out.print(Text(title, style="italic"), soft_wrap=True)
    if _out.measure(table, options=_out.options.update(max_width=_ANY_WIDTH)).maximum <= _out.width:
        _out.print(table)
    else:
        for name, cost in rows.items():
            told = ", ".join(f"{column} {figure}" for column, figure in zip(Cost.COLUMNS, cost.figures(), strict=True))
            _out.print(Text(f"{name}: {told}"), soft_wrap=True)
    _out.print(Text(_CAPTION, style="dim"), soft_wrap=True)


def lines(counted: Mapping[str, Mapping[str, Any]]) -> None:
    """One line on stderr for each attack or metric that asked, by what it counted: they have no documents in common."""
    for name, one in counted.items():
        if one.get("requests"):
            tokens = one["prompt_tokens"] + one["generated_tokens"]
            cached = f" ({one['cached']:,} from a cache)" if one.get("cached") else ""
            typer.echo(
                f"{name}: {one['requests']:,} requests{cached}, {tokens:,} tokens, {one['failed']:,} of "
                f"{one['questions']:,} questions without a usable answer",
                err=True,
            )
