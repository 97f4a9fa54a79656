"""Input files and folders as sources of documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from sfumato.document import Document
from sfumato.errors import InputError, MissingExtra, Problem
from sfumato.files import disk_full
from sfumato.formats.base import (
    Columns,
    Format,
    OnProblem,
    Unreadable,
    file_format,
    format_for,
    raise_problem,
    record_format,
)
from sfumato.formats.files import SeenIds
from sfumato.isolation import attempt, concerns_run, describe

WORK_SUFFIX = ".sfumato-work"
"""Suffix of our folders with the state of runs that can be resumed."""
KEY_SUFFIX = ".protect.key"
"""Suffix of the key of a corpus, which lies beside it and is no input."""

_LOCK = "~$"
"""Prefix of the lock files of Word, which ``*.docx`` matches, too."""
_NOT_FOLLOWED = "the link leads out of the folder and is not followed; name its target as an input"


@dataclass(frozen=True, slots=True)
class Source:
    """One input file. ``relative``: its path below the input folder, and so below the output folder."""

    path: Path
    relative: PurePosixPath
    format: Format
    document_id: str
    """The id of a file that is one document; files of records have their own."""

    def documents(self, columns: Columns, on_problem: OnProblem, seen: SeenIds | None = None) -> Iterator[Document]:
        """The file's documents. Ids already in ``seen`` are reported and skipped.

        Pass one ``SeenIds`` for a run that writes one file; without any, ids are unique within this source.
        """
        with SeenIds() as source_ids:
            for document in self._read(columns, on_problem):
                if not (source_ids if seen is None else seen).add(document.id):
                    record = document.meta.get("record")
                    where = "" if record is None else f"record {record}: "
                    message = f"{where}the id was used before and the record is skipped; give it an id of its own"
                    on_problem(Problem(self.path, message, document.meta.get("line")))
                elif columns.subject_table is None:
                    yield document
                else:
                    with_subjects = columns.subject_table.with_subjects
                    about = attempt(partial(with_subjects, document, self._file), document)
                    if isinstance(about, Document):
                        yield about
                    else:
                        on_problem(Problem(self.path, about.reason, document.meta.get("line")))

    @property
    def _file(self) -> PurePosixPath | None:
        """The path of a file that is one document; None for a file of records."""
        whole = file_format(self.format) is not None
        return PurePosixPath(self.path.absolute().as_posix()) if whole else None

    def _read(self, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
        try:
            if (records := record_format(self.format)) is not None:
                yield from records.read(self.path, columns, on_problem)
            elif (whole := file_format(self.format)) is not None:
                yield whole.read(self.path, self.document_id)
        except Unreadable as unreadable:
            on_problem(Problem(self.path, unreadable.reason))
        except MissingExtra as missing:
            on_problem(Problem(self.path, str(missing)))
        except InputError:  # of ``raise_problem``
            raise
        except Exception as error:
            is_of_file = isinstance(error, OSError) and disk_full(error) is None
            if concerns_run(error) and not is_of_file:
                raise
            on_problem(Problem(self.path, f"cannot be read from here on: {describe(error)}"))


def open_corpus(paths: Iterable[Path], on_problem: OnProblem) -> Iterator[Source]:
    """Every input file below the given files and folders, in a stable order.

    Files that cannot be used are reported. Raises InputError for a path that does not exist, and, at the end, where
    nothing was found.
    """
    roots = [Path(path) for path in paths]
    for root in roots:
        if not root.exists():
            raise InputError(f"{root}: there is no such file or folder; check the name")
        if not (root.is_file() or root.is_dir()):
            # Files are read twice, and a pipe can be read once.
            raise InputError(f"{root}: is a pipe or a device, not a file; pipe it to standard input and name it -")
    problems: list[Problem] = []

    def report(problem: Problem) -> None:
        problems.append(problem)
        on_problem(problem)

    with SeenIds() as names, SeenIds() as stems, SeenIds() as shared:
        for _, relative in _files(roots, lambda problem: None):
            stem = _stem(relative)
            if not stems.add(stem):
                shared.add(stem)
        is_empty = True
        for path, relative in _files(roots, report):
            try:
                form = format_for(path)
            except Unreadable as unreadable:
                report(Problem(path, unreadable.reason))
                continue
            if not names.add(str(relative)):
                report(Problem(path, "another input has the same name below its folder; rename one of them"))
                continue
            is_empty = False
            stem = _stem(relative)
            yield Source(path, relative, form, str(relative) if stem in shared else stem)
    if is_empty:
        first = f": {problems[0]}" if problems else "; name files or folders that hold some"
        raise InputError(f"no input documents were found{first}")


def load(paths: Iterable[Path | str], columns: Columns | None = None) -> Iterator[Document]:
    """All documents of files and folders. Raises InputError at the first problem."""
    with SeenIds() as seen:
        for source in open_corpus([Path(path) for path in paths], raise_problem):
            yield from source.documents(columns or Columns(), raise_problem, seen)


def _stem(relative: PurePosixPath) -> str:
    return str(relative.with_suffix(""))


def _files(roots: Iterable[Path], on_problem: OnProblem) -> Iterator[tuple[Path, PurePosixPath]]:
    for root in roots:
        if root.is_dir():
            yield from _below(root, root.resolve(), PurePosixPath(), on_problem)
        elif not root.name.startswith(_LOCK):
            yield root, PurePosixPath(root.name)


def _below(
    folder: Path, root: Path, relative: PurePosixPath, on_problem: OnProblem
) -> Iterator[tuple[Path, PurePosixPath]]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        on_problem(Problem(folder, f"the folder cannot be read ({error.strerror}); check the permissions"))
        return
    for name in names:
        path = folder / name
        if name.startswith((".", _LOCK)) or name.endswith(KEY_SUFFIX):
            continue
        if name.endswith(WORK_SUFFIX) and path.is_dir():
            continue
        if path.is_symlink() and not path.resolve().is_relative_to(root):
            on_problem(Problem(path, _NOT_FOLLOWED))
        elif path.is_dir():
            # A link to a parent folder would loop, and its files are read under their own names.
            if not path.is_symlink():
                yield from _below(path, root, relative / name, on_problem)
        elif path.is_file():
            yield path, relative / name
