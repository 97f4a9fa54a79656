"""``sfumato models``: what is installed, which models a server has, and whether a language model answers."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sfumato.cli import FAILED, options, render
from sfumato.llm.health import Health, check
from sfumato.llm.settings import open_chat
from sfumato.models.installed import Extra, ShippedModel, installed_extras, shipped_models

_out = Console()


def models(
    chat: options.ChatOption = None,
    as_json: options.Json = False,
) -> None:
    """List what is installed and shipped; with --chat, try a language model.

    The model is asked three short questions.
    """
    health = None if chat is None else check(open_chat(chat))
    if as_json:
        typer.echo(json.dumps(_answer(installed_extras(), shipped_models(), health), ensure_ascii=False, indent=2))
    else:
        _parts(installed_extras())
        _shipped(shipped_models())
        if health is not None:
            _health(health)
    if health is not None and health.failure is not None:
        render.error(f"the model gave no answer: {health.failure}")
        raise typer.Exit(FAILED)


def _answer(parts: list[Extra], own: list[ShippedModel], health: Health | None) -> dict[str, Any]:
    return {
        "extras": [{**asdict(part), "command": part.command} for part in parts],
        "shipped": [{"name": model.name, "bytes": model.bytes} for model in own],
        "chat": None if health is None else health.to_json(),
    }


def _parts(parts: list[Extra]) -> None:
    table = _table("optional part", "", "")
    for part in parts:
        said = "installed" if not part.missing else f"missing: {', '.join(part.missing)}"
        table.add_row(Text(part.name, style="bold"), said, Text(part.command if part.missing else "", style="dim"))
    _out.print(table)


def _shipped(own: list[ShippedModel]) -> None:
    table = _table("shipped model", "size")
    for model in own:
        table.add_row(Text(model.name, style="bold"), f"{model.bytes / 1e6:.1f} MB")
    _out.print()
    _out.print(table)


def _health(health: Health) -> None:
    _out.print()
    for name, line in (
        ("language model", health.name),
        ("text goes to", health.where),
        ("context", "not said by the server" if health.context is None else f"{health.context:,} tokens"),
        ("models", ", ".join(health.models)),
        ("JSON", health.json),
        ("log-probabilities", _logprobs(health)),
        ("note", health.remark),
    ):
        if line:
            _out.print(Text.assemble((f"{name}: ", "dim"), line), soft_wrap=True)
    if health.failure is None:
        rate = health.tokens_per_second
        speed = "" if rate is None else f", {rate:,.0f} tokens a second"
        _out.print(Text(f"answers: one word in {health.seconds:.1f} s{speed}", style="bold"))


def _logprobs(health: Health) -> str:
    if health.all_logprobs:
        return "of the whole vocabulary"
    return "of the likeliest tokens" if health.logprobs else "none"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, style=None, overflow="fold")
    return table
