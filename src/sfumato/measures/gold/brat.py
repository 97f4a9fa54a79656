"""brat's standoff files as reference spans: ``T1<tab>LABEL 10 14<tab>words``, one file a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sfumato.corpus import OnProblem
from sfumato.document import Span
from sfumato.errors import Problem

_MENTION = re.compile(r"(T\d+)\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t|$)")


def read_brat(folder: Path, on_problem: OnProblem) -> Iterator[tuple[str, list[Span]]]:
    """Each document's id, which is the file's name below the folder without its ending, and its mentions."""
    for path in sorted(folder.rglob("*.ann")):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            on_problem(Problem(path, "the file cannot be read as UTF-8; its document is left out of the reference"))
            continue
        spans: list[Span] = []
        for number, line in enumerate(lines, 1):
            if line.startswith("T"):
                match = _MENTION.match(line)
                if match is None:
                    on_problem(Problem(path, "the line is no mention of brat's (T1, tab, label and offsets)", number))
                else:
                    spans += _spans(*match.groups())
        yield path.relative_to(folder).with_suffix("").as_posix(), spans


def _spans(name: str, label: str, places: str) -> Iterator[Span]:
    """A mention in several pieces is one entity: it is gone when all of them are."""
    pieces = [tuple(map(int, piece.split())) for piece in places.split(";")]
    for start, end in pieces:
        yield Span(start, end, label, source="gold", entity=name if len(pieces) > 1 else None)
