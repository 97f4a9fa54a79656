"""The command line: parse, call the library, print. One module per command; ``app`` has the table of commands."""

from typing import NoReturn

INCOMPLETE, FAILED, INTERRUPTED = 1, 2, 130
"""Exit codes beside 0 (done): something was skipped, withheld or missed its target; nothing was done; interrupted."""


def main() -> NoReturn:
    """Run the command that the program's arguments name."""
    from sfumato.cli.app import main as run

    run()
