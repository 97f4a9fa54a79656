"""Whole files of de-identified notes filled with invented values: the texts, their spans, and a split of the ids."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, OutputError, Problem
from sfumato.files import atomic_path
from sfumato.formats.base import Columns, Record, format_for, record_format
from sfumato.formats.inputs import as_documents
from sfumato.formats.spans import spans_record
from sfumato_papers.synthesis.deid_tags import count_generic
from sfumato_papers.synthesis.fill import Filled, FillSettings, fill_documents
from sfumato_papers.synthesis.split import PARTS, SHARES, column_value, split_documents


@dataclass(frozen=True)
class Split:
    """A split to write: where, by which column it is stratified, and the shares in percent."""

    path: Path
    strata: str | None = None
    shares: Sequence[float] = SHARES


@dataclass(frozen=True)
class FillSummary:
    """What was filled."""

    notes: int
    without_tags: int
    kinds: Mapping[str, int]
    """How many tags of each kind."""
    split: Mapping[str, int] = field(default_factory=dict)
    """How many notes each part has."""
    problems: tuple[Problem, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "notes": self.notes,
            "without_tags": self.without_tags,
            "tags": sum(self.kinds.values()),
            "kinds": dict(self.kinds),
            "split": dict(self.split),
            "problems": list(map(str, self.problems)),
        }


def fill_file(
    notes: Path,
    out: Path,
    gold: Path,
    settings: FillSettings | None = None,
    *,
    columns: Columns | None = None,
    split: Split | None = None,
) -> FillSummary:
    """Read de-identified notes, write them filled, and beside them their spans; whole files or none.

    Raises InputError where there is not one tag.
    """
    form = record_format(format_for(out))
    if form is None:
        raise OutputError(f"{out}: holds one document; name a .jsonl, .json, .csv, .tsv or .parquet file")
    settings, columns = settings or FillSettings(), columns or Columns()
    keep = dict.fromkeys([*columns.keep, *([split.strata] if split and split.strata else [])])
    problems: list[Problem] = []
    read = Columns(columns.id, columns.text, tuple(keep), columns.subjects, columns.subject_table)
    documents = as_documents(notes, read, problems.append)
    filled = fill_documents(documents, settings, on_problem=problems.append)
    if not filled.kinds:
        raise InputError(
            f"{notes}: {_no_tags(settings, sum(count_generic(note.text) for note in documents), problems)}"
        )
    parts = _parts(filled, settings, split)
    with atomic_path(gold) as temporary, temporary.open("w", encoding="utf-8") as file:
        for document in filled.documents:
            file.write(json.dumps(spans_record(document, document.annotations or ()), ensure_ascii=False) + "\n")
    if split is not None:
        with atomic_path(split.path) as temporary:
            content = {"shares": list(split.shares), "strata": split.strata, "seed": settings.seed, **parts}
            temporary.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    with atomic_path(out) as temporary:
        form.write(
            temporary,
            (
                Record(document.id, document.text, _kept(document.meta.get("kept", {}), columns.keep))
                for document in filled.documents
            ),
        )
    without = sum(not document.annotations for document in filled.documents)
    counts = {part: len(ids) for part, ids in parts.items()}
    return FillSummary(len(filled.documents), without, filled.kinds, counts, tuple(problems))


def _kept(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def _no_tags(settings: FillSettings, generic: int, problems: Sequence[Problem]) -> str:
    if problems:
        return f"no note could be filled; the first problem: {problems[0]}"
    if settings.tags == "mimic" and generic:
        return f"holds no tag [**...**], but {generic:,} like [NAME]: fill them with --tags generic"
    return (
        "holds no tag: fill takes de-identified notes with tags such as [**Last Name 12**], or [NAME] (--tags generic)"
    )


def _parts(filled: Filled, settings: FillSettings, split: Split | None) -> dict[str, list[str]]:
    if split is None:
        return {}
    stratum = column_value(split.strata) if split.strata else None
    parts = split_documents(filled.documents, split.shares, stratum=stratum, seed=settings.seed)
    return {part: parts[part] for part in PARTS}
