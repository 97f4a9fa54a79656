"""The command line: parse, call the library, print. One module per command; ``app`` has the table of commands."""

import re
from typing import NamedTuple, NoReturn


class Command(NamedTuple):
    """A command that a package brings, by its name in the group ``sfumato.commands``.

    It stands apart from its function, so that the list of commands needs no import of it.
    """

    purpose: str
    """One line, the first of the function's docstring."""
    function: str
    """``module:name`` of a function that Typer can call."""


INCOMPLETE, FAILED, INTERRUPTED = 1, 2, 130
"""Exit codes beside 0 (done): something was skipped, withheld or missed its target; nothing was done; interrupted."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal obeys or cannot show: controls but tab and line feed, marks of direction, halves of a character."""


def printable(text: str) -> str:
    """Text for a terminal, with controls as escapes: names of files, ids and documents may hold any character."""
    return _CONTROLS.sub(lambda match: _escape(ord(match.group())), text)


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def printable_json(serialized: str) -> str:
    """JSON with the same characters as escapes of JSON, so that it still says the same."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match.group()):04x}", serialized)


def main() -> NoReturn:
    """Run the command that the program's arguments name."""
    from sfumato.parallel import collect_garbage_rarely

    collect_garbage_rarely()
    from sfumato.cli.app import main as run

    run()
