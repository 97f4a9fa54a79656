"""The commands. Exit codes: 0 all done; 1 done, but something was skipped or withheld; 2 nothing done; 130 stopped."""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from sfumato import __version__, registry
from sfumato import recipe as recipes
from sfumato.batch import NothingRead, Summary, anonymize_files, detect_files, restore_files
from sfumato.cli import show
from sfumato.cli.attack import attack
from sfumato.cli.certificate import certificate
from sfumato.cli.compare import compare
from sfumato.cli.frontier import frontier
from sfumato.cli.measure import measure
from sfumato.cli.options import IdColumn, Json, TextColumn
from sfumato.corpus import Columns
from sfumato.document import Release
from sfumato.errors import KeyProblem, OutputError, SfumatoError
from sfumato.pipeline import Outcome, Pipeline
from sfumato.vault import Key, Vault

INCOMPLETE, FAILED, INTERRUPTED = 1, 2, 130

app = typer.Typer(
    name="sfumato",
    help="Anonymize text, and say in numbers how private and how useful it still is.",
    epilog="Exit codes: 0 all done; 1 done, but something was skipped or withheld; 2 nothing done.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # they print local variables, and those hold personal text
    rich_markup_mode=None,
)

Inputs = Annotated[
    list[Path],
    typer.Argument(metavar="INPUT...", help="Files and folders: .jsonl .json .csv .tsv .parquet .txt .md .docx .html"),
]
RecipeOption = Annotated[
    str, typer.Option("--recipe", metavar="NAME|FILE", help="A recipe by name, or a .toml file of your own.")
]
KeepColumn = Annotated[
    list[str] | None,
    typer.Option("--keep-column", metavar="NAME", help="A column to carry over unchanged; may be given again."),
]
VaultOption = Annotated[
    Path | None,
    typer.Option("--vault", metavar="FILE", help="An encrypted file that remembers who stands for whom."),
]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key-file", metavar="FILE", help="The key of the vault and of keyed replacers; made if new."),
]


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
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    as_json: Json = False,
) -> None:
    """Find personal information and write where it stands, one line a document."""
    with show.progress() as on_progress:
        summary = detect_files(
            inputs,
            out,
            recipes.load(recipe),
            columns=Columns(id_column, text_column),
            on_progress=on_progress,
        )
    _finish(summary, "spans", as_json)


@app.command()
def anonymize(
    inputs: Inputs,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="A folder that mirrors the inputs, or a file such as out.jsonl."),
    ] = None,
    recipe: RecipeOption = "default",
    spans: Annotated[
        Path | None,
        typer.Option("--spans", metavar="FILE", help="Take the spans from this file (of detect, or masks) instead."),
    ] = None,
    audit: Annotated[
        Path | None,
        typer.Option(
            "--audit", metavar="FILE", help="Confidential: what was changed and why (.jsonl, or .masks.json)."
        ),
    ] = None,
    vault: VaultOption = None,
    key_file: KeyFile = None,
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    keep_column: KeepColumn = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="How many processes share the work.")] = 1,
    preview: Annotated[
        int, typer.Option("--preview", metavar="N", min=0, help="Show the first N documents before and after.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Replace personal information. The released files hold text and nothing that undoes it."""
    loaded = recipes.load(recipe)
    columns = Columns(id_column, text_column, tuple(keep_column or ()))
    if out is None:
        if not preview:
            raise typer.BadParameter("say where the releases go, or use --preview N to look only", param_hint="--out")
        looking = Key.load(key_file) if key_file and key_file.exists() else Key.random()
        show.preview(inputs, columns, Pipeline(loaded, key=looking), preview)
        return
    _keep_apart(out, vault, key_file)
    opened, key = _open(vault, key_file)
    shown: list[Release] = []

    def look(outcome: Outcome) -> None:
        if len(shown) < preview and isinstance(outcome, Release):
            shown.append(outcome)

    try:
        with show.progress() as on_progress:
            summary = anonymize_files(
                inputs,
                out,
                loaded,
                columns=columns,
                audit=audit,
                spans=spans,
                vault=opened,
                key=key,
                confidential=[key_file] if key_file else [],
                jobs=jobs,
                on_progress=on_progress,
                on_outcome=look,
            )
    finally:
        if opened:
            opened.close()
    if not as_json:
        for release in shown:
            show.before_and_after(release)
    _finish(summary, "released", as_json)


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
    with Vault.open_existing(vault, key_file) as opened, show.progress() as on_progress:
        summary = restore_files(
            inputs,
            out,
            opened,
            columns=Columns(id_column, text_column, tuple(keep_column or ())),
            document_id=document,
            on_progress=on_progress,
        )
    _finish(summary, "restored", as_json)


app.command()(attack)
app.command()(measure)
app.command()(compare)
app.command()(frontier)
app.command()(certificate)


@app.command()
def methods(as_json: Json = False) -> None:
    """List every method: its kind, name, purpose, paper, and the extra it needs."""
    plugins = registry.all_plugins()
    found = {name: recipes.load(name).description for name in recipes.names()}
    if as_json:
        fields = ("kind", "name", "purpose", "paper", "extra")
        rows: list[dict[str, Any]] = [{name: getattr(plugin, name) for name in fields} for plugin in plugins]
        typer.echo(json.dumps({"methods": rows, "recipes": found}, ensure_ascii=False, indent=2))
    else:
        show.methods(plugins, found)


def _open(vault: Path | None, key_file: Path | None) -> tuple[Vault | None, Key | None]:
    if vault is None:
        return None, _key(key_file)
    if key_file is None:
        raise KeyProblem("a vault needs a key: pass --key-file FILE (a new FILE is made together with a new vault)")
    opened = Vault.open(vault, key_file)
    return opened, opened.key


def _keep_apart(out: Path, *confidential: Path | None) -> None:
    """Before a new vault or key is made: it must not be made where the releases go."""
    for path in filter(None, confidential):
        if not out.suffix and path.resolve().is_relative_to(out.resolve()):
            raise OutputError(f"{path}: lies in the --out folder, which is given away; put it elsewhere")


def _key(key_file: Path | None) -> Key | None:
    if key_file is None:
        return None
    return Key.load(key_file) if key_file.exists() else Key.create(key_file)


def _finish(summary: Summary, verb: str, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(summary.to_json(), ensure_ascii=False, indent=2))
    else:
        show.summary(summary, verb)
    show.problems(summary)
    if not summary.complete:
        raise typer.Exit(INCOMPLETE)


def main() -> NoReturn:
    """Run the command line; errors become one line on stderr and an exit code, never a traceback with text in it."""
    try:
        app()
    except NothingRead as error:
        show.problems(error.summary)
        show.error(str(error))
        sys.exit(FAILED)
    except SfumatoError as error:
        show.error(str(error))
        sys.exit(FAILED)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            show.error("interrupted; the same command goes on where this run stopped")
        raise
    except Exception as error:  # the last line of defence: its message could quote a document
        if os.environ.get("SFUMATO_DEBUG"):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        show.error(
            f"unexpected {type(error).__name__} at {Path(place.filename).name}:{place.lineno}; this is a bug. "
            "Set SFUMATO_DEBUG=1 to see all of it (it may show document text)"
        )
        sys.exit(FAILED)
    raise AssertionError("app() always exits")
