"""Where files go: what must not lie in a release, or take another file's place."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import OutputError
from sfumato.files import CONFIDENTIAL, atomic_path

if TYPE_CHECKING:
    from sfumato.metrics.measurement import Measurement


def check_not_in_release(out: Path, *confidential: Path | None) -> None:
    """Before a new vault or key is made: it must not be made where the releases go."""
    for path in filter(None, confidential):
        if (out.is_dir() or not out.suffix) and path.resolve().is_relative_to(out.resolve()):
            raise OutputError(f"{path}: lies in the --out folder, which is given away; put it elsewhere")


def check_answers_apart(inputs: Sequence[Path], out: Path | None, *confidential: Path) -> None:
    """Before a model's answers are kept, or their key made: not where releases go, nor where documents are read."""
    if out is not None:
        check_not_in_release(out, *confidential)
    for path in confidential:
        for source in inputs:
            if path.resolve().is_relative_to(source.resolve()):
                where = f"lies in the input folder {source}" if source.is_dir() else "is an input of this run"
                raise OutputError(f"{path}: {where}; a model's answers, their recording and their key go elsewhere")
        if out is not None and path.resolve() == out.resolve():
            raise OutputError(
                f"{path}: is what --out names, too; a model's answers, their recording and their key go elsewhere"
            )


def default_certificate(out: Path) -> Path:
    """Where the certificate goes unless it is said: beside the release, whatever the folder is called."""
    named = out if out.name not in ("", "..") else out.resolve()
    return named.with_name(f"{named.name}.certificate.json")


def check_own_files(inputs: Sequence[Path], others: Sequence[Path | None], *written: Path | None) -> None:
    """Report and certificate must not take another file's place, nor be read by the next run."""
    taken = {path.resolve() for path in (*inputs, *others) if path is not None}
    for path in filter(None, written):
        resolved = path.resolve()
        for folder in (folder for folder in inputs if folder.is_dir()):
            if resolved.is_relative_to(folder.resolve()):
                raise OutputError(
                    f"{path}: lies in the input folder {folder}, where the next run would read it; choose a place "
                    "outside of it"
                )
        if resolved in taken:
            raise OutputError(f"{path}: is another file of this run, too; give it a name of its own")
        taken.add(resolved)


def write_page(path: Path, page: str) -> None:
    """The whole page or none."""
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """The whole table or none, readable by its owner only."""
    with atomic_path(path, CONFIDENTIAL) as temporary, temporary.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(header)
        writer.writerows(rows)


def write_tables(
    what: str,
    measured: Mapping[str, Measurement],
    rows: Iterable[Sequence[object]],
    to_csv: Path | None,
    per_document: Path | None,
) -> None:
    """The rows of measurements, and every document's value by metric; ``what`` was measured heads the first column.

    A risk that is one attack's names it: the strongest for one method need not be the strongest for another.
    """
    from sfumato.metrics.measurement import FIELDS

    if to_csv:
        figures = ((*row, json.dumps(settings, ensure_ascii=False, default=str)) for *row, settings in rows)
        write_csv(to_csv, (what, *FIELDS), figures)
    if per_document:
        values = (
            (name, metric, identifier, value, score.settings.get("attack", ""))
            for name, measurement in measured.items()
            for metric, score in measurement.scores.items()
            for identifier, value in score.per_document.items()
        )
        write_csv(per_document, (what, "metric", "id", "value", "attack"), values)
