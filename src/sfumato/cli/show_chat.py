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

_out = Console()


def spent(methods: Mapping[str, Spent], documents: int) -> None:
    """One line for each method that asked; numbers are per document, failures in all."""
    if methods and documents:
        costs({name: Cost("", 1, documents, one) for name, one in methods.items()}, "language model, per document")


def costs(rows: Mapping[str, Cost], title: str = "language models, per document and run") -> None:
    """One line for each method and model."""
    if not rows:
        return
    table = Table(title=title, title_justify="left", caption="unread, failed, not there: in all", box=None)
    table.add_column("method")
    for name in Cost.COLUMNS:
        table.add_column(name, justify="right")
    for name, cost in rows.items():
        table.add_row(Text(name), *cost.figures())  # a name may hold what Rich takes for markup
    _out.print(table)


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
