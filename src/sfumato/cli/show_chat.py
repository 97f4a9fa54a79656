"""What language models cost, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from sfumato.models.chat import Spent
from sfumato.models.chat.spent import Cost

_out = Console()


def spent(methods: Mapping[str, Spent], documents: int) -> None:
    """One line for each method that asked; numbers are per document, failures in all."""
    if methods and documents:
        rows = {name: Cost("", 1, documents, one) for name, one in methods.items()}
        _out.print(_table("language model, per document", rows))


def costs(rows: Mapping[str, Cost]) -> None:
    """One line for each method and model of a comparison."""
    if rows:
        _out.print(_table("language models, per document and run", rows))


def _table(title: str, rows: Mapping[str, Cost]) -> Table:
    table = Table(title=title, title_justify="left", caption="unread, failed, not there: in all", box=None)
    table.add_column("method")
    for name in Cost.COLUMNS:
        table.add_column(name, justify="right")
    for name, cost in rows.items():
        table.add_row(name, *cost.figures())
    return table
