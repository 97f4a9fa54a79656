"""The Text Anonymization Benchmark's JSON: a list of court cases with the spans that annotators marked.

Pilán et al., "The Text Anonymization Benchmark (TAB)", Computational Linguistics 48(4), 2022.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from sfumato.corpus.base import Columns, OnProblem, Record
from sfumato.corpus.json_stream import read_elements, stream_items
from sfumato.corpus.records import to_document
from sfumato.document import Document


class Tab:
    """A list of ``{doc_id, text, annotations}``; a released list has no annotations, which would undo it."""

    name: ClassVar[str] = "tab"
    suffixes: ClassVar[tuple[str, ...]] = (".tab.json",)

    def read(self, path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
        def document(record: Any, number: int) -> Document:
            return to_document(record, columns, {"record": number})

        return read_elements(path, stream_items(path), document, on_problem)

    def write(self, path: Path, records: Iterable[Record]) -> None:
        with path.open("w", encoding="utf-8", newline="\n") as handle:
            before = "[\n"
            for record in records:
                case = {"doc_id": record.id, "text": record.text, **record.kept}
                handle.write(before + json.dumps(case, ensure_ascii=False, default=str))
                before = ",\n"
            handle.write("[]\n" if before == "[\n" else "\n]\n")
