"""The Text Anonymization Benchmark's JSON: a list of court cases with the spans that annotators marked.

Pilán et al., "The Text Anonymization Benchmark (TAB)", Computational Linguistics 48(4), 2022.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from sfumato.corpus.base import Columns, Model, OnProblem, Record
from sfumato.corpus.json_stream import Broken, read_elements, stream_items
from sfumato.corpus.records import Layout, to_document
from sfumato.document import Document


class Tab:
    """A list of ``{doc_id, text, annotations}``; a released list has no annotations, which would undo it."""

    name: ClassVar[str] = "tab"

    def read(self, path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
        def document(record: Any, number: int) -> Document:
            return to_document(record, columns, {"record": number})

        return read_elements(path, stream_items(path), document, on_problem)

    def write(self, path: Path, records: Iterable[Record], like: Model | None = None) -> None:
        layout = Layout("doc_id") if like is None else _layout(like)
        with path.open("w", encoding="utf-8", newline="\n") as handle:
            before = "[\n"
            for record in records:
                handle.write(before + json.dumps(layout.fields(record), ensure_ascii=False, default=str))
                before = ",\n"
            handle.write("[]\n" if before == "[\n" else "\n]\n")


def _layout(like: Model) -> Layout:
    try:
        first = next((item for item in stream_items(like.path) if isinstance(item, dict)), ())
    except Broken:
        first = ()
    return Layout.of(first, like.columns)
