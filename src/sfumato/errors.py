"""The exceptions of the package, and the record of a problem with one input. Every message says what to do next.

Messages name files, lines, options and keys. They never quote document text.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


_SHORTEST_PART = 3
_MOST_OFFERED = 5


class SfumatoError(Exception):
    """Base of all errors this package raises on purpose."""


class InputError(SfumatoError):
    """An input cannot be read as what it claims to be."""


class WrongArgument(SfumatoError, ValueError, TypeError):
    """An argument of the wrong type or value; callers may catch it as ValueError or TypeError, too."""


class PluginError(SfumatoError):
    """A plug-in breaks its contract; the message names it and what it did. Nothing is released."""


class OutputError(SfumatoError):
    """An output cannot be written."""


class DiskFull(OutputError):
    """There is no room for what is written: on the disk, in a quota, or below a limit on the size of files."""


class RecipeError(SfumatoError):
    """A recipe or an option holds something that is not allowed there."""


class UnknownName(SfumatoError):
    """A plug-in, recipe or format that does not exist was asked for."""


class EncryptionKeyError(SfumatoError):
    """A key is missing, unreadable or does not open what it should open."""


class NotReleased(SfumatoError):
    """A text is withheld; the message says why."""


class UncoveredLanguage(NotReleased):
    """A text is in a language that no active detector covers."""


class ChatError(SfumatoError):
    """A language model cannot be reached, or not used in the way that was asked for."""


class ServiceError(SfumatoError):
    """A service on the network cannot be used in the way that was asked for."""


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
    """A problem with one input that did not stop the run: where and what, never the text."""

    file: Path | str
    message: str
    line: int | None = None
    is_warning: bool = False
    """Whether nothing was left out because of it, so that a run with it has not failed."""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line is not None else str(self.file)
        return f"{where}: {self.message}"


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of an error message: the known names that contain a wrong one, else the nearest, else all."""
    names = sorted(known)
    within = [other for other in names if len(name) >= _SHORTEST_PART and name.lower() in other.lower()]
    if not within and (near := nearest(name, names)) is not None:
        within = [near]
    if within:
        return f"did you mean {' or '.join(map(repr, within[:_MOST_OFFERED]))}?"
    return "choose from: " + ", ".join(names)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is spelled almost the same; None where there is none."""
    by_lower = {candidate.lower(): candidate for candidate in sorted(known)}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[close[0]] if close else None


def plugin_name(plugin: object) -> str:
    """How a message names a plug-in: the module and name of its class."""
    return f"{type(plugin).__module__}.{type(plugin).__qualname__}"


def listed(identifiers: Sequence[str], most: int = 3) -> str:
    """The first identifiers, and how many more there are."""
    more = len(identifiers) - most
    return (", ".join(identifiers[:most]) or "none") + (f" and {more} more" if more > 0 else "")
