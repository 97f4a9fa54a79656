"""``sfumato models``: what is installed, which models a server has, and whether a language model answers."""

from __future__ import annotations

from dataclasses import asdict

import typer

from sfumato.cli import FAILED, options, render
from sfumato.cli.render import say
from sfumato.llm.health import Health, check
from sfumato.llm.settings import open_chat
from sfumato.models.installed import installed_extras, shipped_models


def models(
    chat: options.ChatOption = None,
    as_json: options.Json = False,
) -> None:
    """List what is installed and shipped; with --chat, try a language model.

    The model is asked three short questions.
    """
    health = None if chat is None else check(open_chat(chat))
    if as_json:
        answer = {
            "extras": [{**asdict(extra), "command": extra.command} for extra in installed_extras()],
            "shipped": [{"name": name, "bytes": size} for name, size in shipped_models().items()],
            "chat": None if health is None else health.to_json(),
        }
        render.print_json(answer)
    else:
        _show_installed()
        if health is not None:
            _show_health(health)
    if health is not None and health.failure is not None:
        render.error(f"the model gave no answer: {health.failure}")
        raise typer.Exit(FAILED)


def _show_installed() -> None:
    rows = [
        ((extra.name, "bold"), f"missing: {', '.join(extra.missing)}", (extra.command, "dim"))
        if extra.missing
        else ((extra.name, "bold"), "installed", "")
        for extra in installed_extras()
    ]
    render.show_table("optional part", "", "", rows=rows)
    say()
    shipped = (((name, "bold"), f"{size / 1e6:.1f} MB") for name, size in shipped_models().items())
    render.show_table("shipped model", "size", rows=shipped)


def _show_health(health: Health) -> None:
    say()
    render.say_values(
        (
            ("language model", health.name),
            ("text goes to", health.where),
            ("context", "not said by the server" if health.context is None else f"{health.context:,} tokens"),
            ("models", ", ".join(health.models)),
            ("JSON", health.json),
            ("log-probabilities", _logprobs(health)),
            ("note", health.remark),
        )
    )
    if health.failure is None:
        rate = health.tokens_per_second
        speed = "" if rate is None else f", {rate:,.0f} tokens a second"
        say(f"answers: one word in {health.seconds:.1f} s{speed}", "bold")


def _logprobs(health: Health) -> str:
    if health.all_logprobs:
        return "of the whole vocabulary"
    return "of the likeliest tokens" if health.logprobs else "none"
