"""Everything that can go wrong, in one small hierarchy. Every message says what to do next.

Messages name files, lines, options and keys. They never quote document text.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


class SfumatoError(Exception):
    """Base of all errors this package raises on purpose."""


class InputError(SfumatoError):
    """An input cannot be read as what it claims to be."""


class OutputError(SfumatoError):
    """An output cannot be written."""


class RecipeError(SfumatoError):
    """A recipe or an option holds something that is not allowed there."""


class UnknownName(SfumatoError):
    """A plug-in, recipe or format that does not exist was asked for."""


class KeyProblem(SfumatoError):
    """A key is missing, unreadable or does not open what it should open."""


class NotReleased(SfumatoError):
    """A text is withheld; the message says why."""


class UncoveredLanguage(NotReleased):
    """A text is in a language that no active detector covers."""


class ChatProblem(SfumatoError):
    """A language model cannot be reached, or not used in the way that was asked for."""


class NotMeasurable(SfumatoError):
    """A metric cannot be defined on what it was given; the message says why, and what to give."""


class RestoreError(SfumatoError):
    """A text cannot be turned back into its original."""


class MissingExtra(SfumatoError):
    """An optional dependency is needed; the message ends with the command that installs it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional part. Install it with: pip install 'sfumato[{extra}]'")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that was wrong with one input while the rest went on. Says where and what, never the text."""

    file: Path | str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line is not None else str(self.file)
        return f"{where}: {self.message}"


def suggest(name: str, known: Iterable[str]) -> str:
    """A half sentence that points from a wrong name to the nearest right one, or lists them all."""
    by_lower = {candidate.lower(): candidate for candidate in sorted(known)}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    if close:
        return f"did you mean {by_lower[close[0]]!r}?"
    return "choose from: " + ", ".join(by_lower.values())


def listed(identifiers: Sequence[str], most: int = 3) -> str:
    """The first of them, and how many more there are."""
    more = len(identifiers) - most
    return (", ".join(identifiers[:most]) or "none") + (f" and {more} more" if more > 0 else "")
