"""The command line: a table of commands, each imported only when it is called, and the exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from sfumato import registry
from sfumato.cli import FAILED, INTERRUPTED, printable
from sfumato.errors import SfumatoError
from sfumato.files import disk_full
from sfumato.isolation import DEBUG, describe
from sfumato.version import __version__

COMMANDS = {
    "anonymize": "Replace personal information; the released files hold text and nothing that undoes it.",
    "protect": "Anonymize, attack the releases, and repair them until the target holds.",
    "detect": "Find personal information and write where it stands, one line per document.",
    "restore": "Turn releases back into originals, and replacements in any other text into the real values.",
    "attack": "Attack releases: who can still be found, by what, and how surely.",
    "measure": "Measure how private and how useful releases are.",
    "compare": "Compare methods on the same documents: a table, and a page with a plot.",
    "frontier": "Show how much risk and how much information each target leaves.",
    "certificate": "Read a certificate, and check that it belongs to these files.",
    "methods": "List every method: kind, name, purpose, reference, what it needs, and where it comes from.",
    "models": "List what is installed and shipped; with --chat, try a language model.",
}
"""Name and one-line help; ``sfumato.cli.<name>`` has a function of the same name. Help needs no import of a command."""


def commands() -> dict[str, str]:
    """Name and one-line help of every command: ours, and those that packages bring beside them."""
    brought = {name: registry.get("command", name).purpose for name in registry.names("command")}
    return COMMANDS | {name: purpose for name, purpose in brought.items() if name not in COMMANDS}


@contextmanager
def _printable_messages() -> Iterator[None]:
    """Wrong options are reported by Click, which repeats them as they are."""
    try:
        yield
    except Exception as error:
        if isinstance(message := getattr(error, "message", None), str):
            error.message = printable(message)  # type: ignore[attr-defined]
        raise


class _Command(TyperCommand):
    """Refuses a second value for an option that takes one, of which the first would be forgotten."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given: list[Any] = self.make_parser(ctx).parse_args(list(args))[2]
        for number, option in enumerate(given):
            takes_one = option.param_type_name == "option" and not (option.is_flag or option.multiple)
            if takes_one and option in given[:number]:
                raise typer.BadParameter(f"{option.opts[0]} takes one value and is given several times: give it once")
        return super().parse_args(ctx, args)


class _LazyGroup(TyperGroup):
    """Imports a command's module when the command is called, so that ``--version`` and ``--help`` are fast."""

    def make_context(self, *args: Any, **settings: Any) -> Any:
        with _printable_messages():
            return super().make_context(*args, **settings)

    def invoke(self, ctx: Any) -> Any:
        with _printable_messages():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(commands())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return load_command(cmd_name) if cmd_name in COMMANDS or cmd_name in registry.names("command") else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(commands().items()))


def load_command(name: str) -> Any:
    """The command of that name, imported now."""
    from sfumato.cli.options import flatten_groups

    where = f"sfumato.cli.{name}:{name}" if name in COMMANDS else registry.get("command", name).function
    module, _, function = where.partition(":")
    single = _typer()
    single.command(name, cls=_Command)(flatten_groups(getattr(import_module(module), function)))
    return typer.main.get_command(single)


def _typer(**settings: Any) -> typer.Typer:
    return typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,  # they print local variables, and those hold personal text
        rich_markup_mode=None,
        **settings,
    )


app = _typer(
    name="sfumato",
    cls=_LazyGroup,
    help="Anonymize text, attack the result, repair what the attack found, and report privacy and utility.",
    epilog="Exit codes: 0 done; 1 done, but something was skipped, withheld or missed its target; 2 nothing done; "
    "130 interrupted. A warning does not change the exit code.",
    no_args_is_help=True,
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


def main() -> NoReturn:
    """Run the command line; errors become one line on stderr and an exit code, never a traceback with text in it."""
    try:
        app()
    except SfumatoError as error:
        from sfumato.cli import render
        from sfumato.runs.summary import NothingRead

        if isinstance(error, NothingRead) and len(error.summary.problems) != 1:
            render.problems(error.summary)
            render.error(error.short)
        else:
            render.error(str(error))
        sys.exit(FAILED)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            from sfumato.cli import render

            render.error("interrupted; the same command continues where this run stopped")
        raise
    except Exception as error:  # its message could quote a document, so it is not printed
        if os.environ.get(DEBUG):
            raise
        from sfumato.cli import render

        if (full := disk_full(error)) is not None:  # in a place that does not report it itself
            render.error(str(full))
            sys.exit(FAILED)
        render.error(f"{describe(error)}. Set {DEBUG}=1 to see all of it (it may show document text)")
        sys.exit(FAILED)
    raise AssertionError("app() always exits")
