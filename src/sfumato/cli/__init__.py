"""The command line: parse, call the library, print."""

from sfumato.cli.app import main

__all__ = ["main"]
