"""One document's error is its own: what fails on it is reported without its text, and the other documents go on.

Errors that concern the run stop it, because every document after it would fail in the same way, or because what was
released before it could not be trusted: a full disk, a damaged vault, a missing key or model, a server that does not
answer, a recipe that cannot be carried out, a plug-in that breaks its contract, an interruption. Everything else, an
error in our own code included, concerns the document that was being worked on.
"""

from __future__ import annotations

import os
import sqlite3
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from sfumato.document import Document, Withheld
from sfumato.errors import InputError, NotMeasurable, NotReleased, RestoreError, SfumatoError, WrongArgument

DEBUG = "SFUMATO_DEBUG"
"""The environment variable with which nothing is isolated: the error is raised, with its traceback."""
_OF_ONE_DOCUMENT = (InputError, NotMeasurable, NotReleased, RestoreError, WrongArgument)
_PACKAGES = tuple(Path(__file__).parents[1] / name for name in ("sfumato", "sfumato_papers"))

Item = TypeVar("Item")
Result = TypeVar("Result")


def concerns_run(error: Exception) -> bool:
    """Whether an error stops the run, rather than withholding the document that it happened on."""
    if isinstance(error, _OF_ONE_DOCUMENT):
        return False
    return isinstance(error, SfumatoError | OSError | sqlite3.Error) or bool(os.environ.get(DEBUG))


def describe(error: Exception) -> str:
    """The kind of an error and the line of ours that it comes from; its own message only where we wrote it.

    The message of any other error may quote the document.
    """
    if isinstance(error, SfumatoError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    # An error in a library or a plug-in is told by the last line of ours that led there.
    ours = [frame for frame in frames if any(map(Path(frame.filename).is_relative_to, _PACKAGES))] or frames
    place = f" at {Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    return f"unexpected {type(error).__name__}{place}; this is a bug: report it with this line"


def attempt(work: Callable[[], Result], document: Document) -> Result | Withheld:
    """What ``work`` gives for a document; the document withheld where it raises."""
    try:
        return work()
    except Exception as error:
        if concerns_run(error):
            raise
        return Withheld(document, describe(error))


def run_step(
    items: Sequence[Item | Withheld],
    work: Callable[[list[Item]], Sequence[Result | Withheld]],
    document_of: Callable[[Item], Document],
) -> list[Result | Withheld]:
    """One step of the work on a batch, in order, without the items that an earlier step has withheld.

    ``work`` gets all of them at once and, where that raises, each of them alone, so that what it fails on is withheld.
    It gives the same for an item alone as in company, and may be given an item twice.
    """
    pending = [item for item in items if not isinstance(item, Withheld)]
    try:
        results: Sequence[Result | Withheld] = work(pending) if pending else []
    except Exception as error:
        if concerns_run(error):
            raise
        results = [_alone(item, work, document_of(item)) for item in pending]
    following = iter(results)
    return [item if isinstance(item, Withheld) else next(following) for item in items]


def _alone(
    item: Item, work: Callable[[list[Item]], Sequence[Result | Withheld]], document: Document
) -> Result | Withheld:
    return attempt(lambda: work([item])[0], document)


def run_without_failing(items: Sequence[Item], work: Callable[[list[Item]], Result]) -> tuple[Result, dict[int, str]]:
    """The result of ``work`` on all items but those that it raises on; and these, by position, with the reason.

    For work that reads all items together and takes long: what it fails on is searched for by halves.
    """
    try:
        return work(list(items)), {}
    except Exception as error:
        if isinstance(error, SfumatoError) or concerns_run(error):
            raise
    failing: dict[int, str] = {}

    def add(good: list[int], more: list[int]) -> list[int]:
        """The good positions, and those of ``more`` that can be added."""
        reason = _failure(work, [items[number] for number in (*good, *more)])
        if reason is None:
            return [*good, *more]
        if len(more) == 1:
            failing[more[0]] = reason
            return good
        half = len(more) // 2
        return add(add(good, more[:half]), more[half:])

    good = add([], list(range(len(items))))
    return work([items[number] for number in good]), failing


def _failure(work: Callable[[list[Item]], object], items: list[Item]) -> str | None:
    """The description of the error that ``work`` raises; that it refuses so few items is none."""
    try:
        work(items)
    except Exception as error:
        if isinstance(error, SfumatoError):
            return None
        if concerns_run(error):
            raise
        return describe(error)
    return None


def find_failing(items: Sequence[Item], work: Callable[[list[Item]], object]) -> dict[int, str]:
    """The positions of those items that ``work`` raises on alone, with the descriptions of their errors.

    For work that reads all items together. What it says of too few of them, on purpose, is no failure of theirs.
    """
    failing = {}
    for number, item in enumerate(items):
        try:
            work([item])
        except Exception as error:
            if concerns_run(error):
                raise
            if not isinstance(error, SfumatoError):
                failing[number] = describe(error)
    return failing
