"""How a command that writes files ends."""

from __future__ import annotations

import json

import typer

from sfumato.batch import Summary
from sfumato.cli import show, show_chat

INCOMPLETE, FAILED, INTERRUPTED = 1, 2, 130


def finish(summary: Summary, verb: str, as_json: bool) -> None:
    """Print what was done, and exit non-zero where something was skipped, withheld or missed."""
    if as_json:
        typer.echo(json.dumps(summary.to_json(), ensure_ascii=False, indent=2))
    else:
        show.summary(summary, verb)
        show_chat.spent(summary.spent, summary.asked)
    show.problems(summary)
    if not summary.complete:
        raise typer.Exit(INCOMPLETE)
