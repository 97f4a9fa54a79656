"""Reading files beforehand for people who have several documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sfumato.corpus import Columns, Source, record_format
from sfumato.document import Document
from sfumato.errors import Problem

_CHUNK = 1 << 22


def documents_with_subjects(sources: Sequence[Source], columns: Columns) -> Callable[[], Iterator[Document]]:
    """The documents of the files that name subjects, as often as asked for. What cannot be read is left for the run."""
    naming = [source for source in sources if columns.about is not None or _names_subjects(source, columns.subjects)]

    def documents() -> Iterator[Document]:
        for source in naming:
            yield from source.documents(columns, _leave, None)

    return documents


def _names_subjects(source: Source, field: str) -> bool:
    """Whether a file of records holds the name of that field at all: a search of its bytes costs next to nothing."""
    if record_format(source.format) is None:
        return False
    if not field.isascii():  # JSON may have it escaped
        return True
    name = field.encode()
    before = b""
    with source.path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if name in before + chunk:
                return True
            before = chunk[-len(name) :]
    return False


def _leave(problem: Problem) -> None:
    pass
