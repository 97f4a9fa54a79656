"""What asking a language model cost, a line for each method that asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer


def lines(spent: Mapping[str, Mapping[str, Any]]) -> None:
    """Print them on stderr, beside the table and never in what machines read. ``spent``: by method, what it counted."""
    for name, one in spent.items():
        if one.get("requests"):
            tokens = one["prompt_tokens"] + one["generated_tokens"]
            cached = f" ({one['cached']:,} from a cache)" if one.get("cached") else ""
            typer.echo(
                f"{name}: {one['requests']:,} requests{cached}, {tokens:,} tokens, {one['failed']:,} of "
                f"{one['questions']:,} questions without a usable answer",
                err=True,
            )
