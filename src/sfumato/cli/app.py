"""The commands. Exit codes: 0 all done; 1 done, but something was skipped or withheld; 2 nothing done; 130 stopped."""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from sfumato import recipe as recipes
from sfumato import registry
from sfumato.cli import output_paths, render
from sfumato.cli.anonymize import anonymize
from sfumato.cli.attack import attack
from sfumato.cli.certificate import certificate
from sfumato.cli.compare import compare
from sfumato.cli.frontier import frontier
from sfumato.cli.measure import measure
from sfumato.cli.models import models
from sfumato.cli.options import (
    ChatCache,
    ChatKey,
    ChatOption,
    IdColumn,
    Inputs,
    Json,
    KeepColumn,
    RecipeOption,
    SubjectsColumn,
    TextColumn,
    chat_files,
    opened,
)
from sfumato.cli.render import FAILED, INTERRUPTED, finish
from sfumato.errors import SfumatoError
from sfumato.formats.base import Columns
from sfumato.runs.anonymize import detect_files
from sfumato.runs.restore import restore_files
from sfumato.runs.summary import NothingRead
from sfumato.vault.store import Vault
from sfumato.version import __version__

app = typer.Typer(
    name="sfumato",
    help="Anonymize text, and say in numbers how private and how useful it still is.",
    epilog="Exit codes: 0 all done; 1 done, but something was skipped or withheld; 2 nothing done.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # they print local variables, and those hold personal text
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _start(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


@app.command()
def detect(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("--out", metavar="SPANS.jsonl", help="Where the spans go.")],
    recipe: RecipeOption = "default",
    chat: ChatOption = None,
    chat_cache: ChatCache = None,
    chat_key: ChatKey = None,
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    subjects_column: SubjectsColumn = "subjects",
    as_json: Json = False,
) -> None:
    """Find personal information and write where it stands, one line a document."""
    loaded = recipes.load(recipe)
    asked = chat or (loaded.chat if loaded.asking else None)
    output_paths.keep_aside(inputs, out, *chat_files(asked, chat_cache, chat_key))
    with render.progress() as on_progress:
        summary = detect_files(
            inputs,
            out,
            loaded,
            columns=Columns(id_column, text_column, subjects=subjects_column),
            chat=opened(chat or (loaded.chat if chat_cache else None), chat_cache, chat_key),
            on_progress=on_progress,
        )
    finish(summary, "spans", as_json)


app.command()(anonymize)


@app.command()
def restore(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("--out", metavar="PATH", help="A folder, or a file such as restored.jsonl.")],
    vault: Annotated[Path, typer.Option("--vault", metavar="FILE", help="The vault that anonymize wrote.")],
    key_file: Annotated[Path, typer.Option("--key-file", metavar="FILE", help="The vault's key.")],
    document: Annotated[
        str | None,
        typer.Option("--document", metavar="ID", help="The released id the texts are about, if they do not carry it."),
    ] = None,
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    keep_column: KeepColumn = None,
    as_json: Json = False,
) -> None:
    """Turn releases back into originals, and replacements in any other text into the real values."""
    with Vault.open_existing(vault, key_file) as opened, render.progress() as on_progress:
        summary = restore_files(
            inputs,
            out,
            opened,
            columns=Columns(id_column, text_column, tuple(keep_column or ())),
            document_id=document,
            on_progress=on_progress,
        )
    finish(summary, "restored", as_json)


app.command()(attack)
app.command()(measure)
app.command()(compare)
app.command()(frontier)
app.command()(certificate)
app.command()(models)


@app.command()
def methods(as_json: Json = False) -> None:
    """List every method: its kind, name, purpose, paper, and what it needs: an extra, a language model (--chat)."""
    plugins = registry.all_plugins()
    loaded = {name: recipes.load(name) for name in recipes.names()}
    if as_json:
        fields = ("kind", "name", "purpose", "paper", "extra", "needs_chat")
        found = {name: recipe.description for name, recipe in loaded.items()}
        rows: list[dict[str, Any]] = [{name: getattr(plugin, name) for name in fields} for plugin in plugins]
        typer.echo(json.dumps({"methods": rows, "recipes": found}, ensure_ascii=False, indent=2))
    else:
        render.methods(plugins, loaded)


def main() -> NoReturn:
    """Run the command line; errors become one line on stderr and an exit code, never a traceback with text in it."""
    try:
        app()
    except NothingRead as error:
        render.problems(error.summary)
        render.error(str(error))
        sys.exit(FAILED)
    except SfumatoError as error:
        render.error(str(error))
        sys.exit(FAILED)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            render.error("interrupted; the same command goes on where this run stopped")
        raise
    except Exception as error:  # the last line of defence: its message could quote a document
        if os.environ.get("SFUMATO_DEBUG"):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        render.error(
            f"unexpected {type(error).__name__} at {Path(place.filename).name}:{place.lineno}; this is a bug. "
            "Set SFUMATO_DEBUG=1 to see all of it (it may show document text)"
        )
        sys.exit(FAILED)
    raise AssertionError("app() always exits")
