"""Restore files: turn releases back into originals with a vault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from sfumato.document import Document, Release, Withheld
from sfumato.errors import Problem, RestoreError
from sfumato.files import CONFIDENTIAL
from sfumato.formats.base import Columns
from sfumato.formats.sources import Source
from sfumato.progress import OnProgress, ignore_progress
from sfumato.runs.ids import name_key
from sfumato.runs.job import Destination, Job, Result
from sfumato.runs.summary import Summary
from sfumato.vault.restore import Restorer, find_labels
from sfumato.vault.store import Vault


def restore_files(
    inputs: Iterable[str | Path],
    out: Path,
    vault: Vault,
    *,
    columns: Columns | None = None,
    document_id: str | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Summary:
    """Turn releases back into originals, and replacements in any other text back into the real values.

    ``document_id``: the released id that the texts are about, for texts that do not carry it.
    """
    restorer = Restorer(vault)

    def process(documents: Iterable[Document]) -> Iterator[Result]:
        for position, document in enumerate(documents, start=job.summary.resumed + 1):
            original_id = document.id
            try:
                if document_id is None:
                    original_id, release = restorer.restore(document)
                else:
                    release = Release(document, restorer.about(document_id, document.text).edits)
            except RestoreError as error:
                yield Result(Withheld(document, str(error)), "")
                continue
            if left := len(find_labels(release.text)):
                reason = f"{left} labels are not known, or stand for several things; use --document"
                job.summary.skip(Problem(out, f"document {position}: {reason}"))
            yield Result(release, original_id)

    def file_name(source: Source, number: int) -> PurePosixPath:
        original = vault.original_file(name_key(source.path, source.relative))
        return source.relative if original is None else PurePosixPath(original.decode())

    destination = Destination(out, file_name=file_name, stored_original=vault.original_file, mode=CONFIDENTIAL)
    depends_on = [str(vault.path.absolute()), vault.path.stat().st_mtime_ns, document_id]
    with Job(inputs, destination, columns=columns or Columns(), depends_on=depends_on, on_progress=on_progress) as job:
        return job.run(process)
