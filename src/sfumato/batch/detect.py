"""Files in, spans out."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import monotonic

from sfumato.batch.destination import Destination
from sfumato.batch.job import OnProgress, find_sources, read_documents
from sfumato.batch.subjects import documents_with_subjects
from sfumato.batch.summary import Note, NothingRead, Summary
from sfumato.corpus import CONFIDENTIAL, Columns, SeenIds, atomic_path, spans_record
from sfumato.document import Document
from sfumato.errors import RecipeError
from sfumato.models.chat import Chat
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe


def detect_files(
    inputs: Iterable[str | Path],
    out: Path,
    recipe: Recipe,
    *,
    columns: Columns | None = None,
    chat: Chat | None = None,
    on_progress: OnProgress = lambda progress: None,
) -> Summary:
    """Write one line of spans for each document (``{"id", "spans"}``) to ``out``."""
    started = monotonic()
    summary, columns = Summary(files=[out]), columns or Columns()
    roots = [Path(path) for path in inputs]
    sources = find_sources(roots, summary)
    Destination(out).keep_apart(sources, roots)
    check_asked(chat, recipe, recipe.finding.asking)
    pipeline = Pipeline(recipe.finding, chat=chat)
    pipeline.learn(documents_with_subjects(sources, columns))
    with atomic_path(out, CONFIDENTIAL) as temporary, temporary.open("w", encoding="utf-8") as file, SeenIds() as seen:
        files: deque[str] = deque()

        def documents() -> Iterator[Document]:
            for number, document in read_documents(sources, columns, summary, seen, on_progress):
                files.append(str(sources[number].path))  # documents are read ahead of their spans
                yield document

        for document, spans in pipeline.detect(documents()):
            note = partial(Note, files.popleft(), line=document.meta.get("line"), record=document.meta.get("record"))
            language = pipeline.uncovered_language(document.text)
            failure = pipeline.failed.get(document.id)
            if failure is not None and not pipeline.may_fall_back:
                # Half of the spans, taken for all of them, would let the rest out: whoever wants them says so.
                summary.withhold(note(f"{failure}; no spans are written for it"))
                continue
            if failure is not None:
                summary.fall_back(note(failure))
            if language is not None:
                summary.withhold(
                    note(f"in a language no active detector covers ({language}): its spans are incomplete")
                )
            summary.released += 1
            summary.let_out(document.meta.get("unchecked", {}), note("").file)
            summary.labels.update(span.label for span in spans)
            file.write(json.dumps(spans_record(document, spans), ensure_ascii=False) + "\n")
        if not summary.documents:
            raise NothingRead(summary)
    summary.spent, summary.asked, summary.remarks = pipeline.spent, summary.documents, pipeline.remarks
    summary.seconds = monotonic() - started
    return summary


def check_asked(chat: Chat | None, recipe: Recipe, asking: Sequence[str]) -> None:
    """Raise where a language model was given and nobody would ask it."""
    if chat is not None and not asking:
        raise RecipeError(
            f"nothing in the recipe {recipe.name!r} asks a language model here, and one was given: leave --chat out, "
            "or choose a method that asks (sfumato methods)"
        )
