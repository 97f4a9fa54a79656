"""Detect in files: one line of spans for each document. And what a run reads before its first document."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from sfumato.detectors.allowed import AllowedTerms
from sfumato.document import Document, Span, Withheld
from sfumato.errors import NotReleased, RecipeError
from sfumato.files import CONFIDENTIAL, atomic_path
from sfumato.formats.base import Columns, record_format
from sfumato.formats.files import SeenIds
from sfumato.formats.sources import Source
from sfumato.formats.spans import spans_record
from sfumato.isolation import attempt
from sfumato.pipeline import Pipeline
from sfumato.progress import OnProgress, ignore_progress
from sfumato.recipe import Recipe
from sfumato.runs.destination import Destination
from sfumato.runs.job import find_sources, read_documents
from sfumato.runs.summary import Note, NothingRead, Summary

if TYPE_CHECKING:
    from sfumato.llm.chat import Chat

_CHUNK = 1 << 22


def detect_files(
    inputs: Iterable[str | Path],
    out: Path,
    recipe: Recipe,
    *,
    columns: Columns | None = None,
    chat: Chat | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Summary:
    """Write one line of spans for each document (``{"id", "spans"}``) to ``out``."""
    started = monotonic()
    summary, columns = Summary(files=[out], allowed=AllowedTerms(recipe.allow)), columns or Columns()
    roots = [Path(path) for path in inputs]
    sources = find_sources(roots, summary)
    Destination(out).check_paths(sources, roots)
    check_chat_is_used(chat, recipe, recipe.detection_only.asking)
    pipeline = Pipeline(recipe.detection_only, chat=chat)
    pipeline.learn(documents_with_subjects(sources, columns))
    with atomic_path(out, CONFIDENTIAL) as temporary, temporary.open("w", encoding="utf-8") as file, SeenIds() as seen:
        waiting: deque[Source] = deque()  # documents are read ahead of their spans
        documents = _remember_sources(read_documents(sources, columns, summary, seen, on_progress), sources, waiting)
        for document, spans in pipeline.detect(documents):
            place = document.meta.get("line"), document.meta.get("record")
            path = str(waiting.popleft().path)
            result = attempt(partial(_detected_record, pipeline, document, spans), document)
            if isinstance(result, Withheld):
                summary.withhold(Note(path, f"{result.reason}; no spans are written for it", *place))
                continue
            record, language = result
            if (failure := pipeline.failed.get(document.id)) is not None:
                summary.fall_back(Note(path, failure, *place))
            if language is not None:
                reason = f"in a language no active detector covers ({language}): its spans are incomplete"
                summary.withhold(Note(path, reason, *place))
            summary.released += 1
            summary.note_unchecked(document.meta.get("unchecked", {}), path)
            summary.labels.update(span.label for span in spans)
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        if not summary.documents:
            raise NothingRead(summary)
    summary.usage, summary.asked, summary.remarks = pipeline.usage, summary.documents, pipeline.remarks
    summary.seconds = monotonic() - started
    return summary


def _remember_sources(
    numbered: Iterable[tuple[int, Document]], sources: Sequence[Source], waiting: deque[Source]
) -> Iterator[Document]:
    for number, document in numbered:
        waiting.append(sources[number])
        yield document


def _detected_record(pipeline: Pipeline, document: Document, spans: list[Span]) -> tuple[dict[str, Any], str | None]:
    """What is written for a document, and the language that no detector covers. Raises NotReleased."""
    if (reason := pipeline.why_incomplete(document)) is not None:
        raise NotReleased(reason)  # with half of the spans, taken for all of them, the rest would be released
    return spans_record(document, spans), pipeline.uncovered_language(document.text)


def check_chat_is_used(chat: Chat | None, recipe: Recipe, asking: Sequence[str]) -> None:
    """Raise where a language model was given and nothing would ask it."""
    if chat is not None and not asking:
        raise RecipeError(
            f"nothing in the recipe {recipe.name!r} asks a language model here, and one was given: leave --chat out, "
            "or choose a method that asks (sfumato methods)"
        )


def documents_with_subjects(sources: Sequence[Source], columns: Columns) -> Callable[[], Iterator[Document]]:
    """For a first pass, because of people with several documents: what reads the files that name subjects."""
    with_subjects = [
        source for source in sources if columns.subject_table is not None or _names_subjects(source, columns.subjects)
    ]
    return partial(all_documents, with_subjects, columns)


def all_documents(sources: Sequence[Source], columns: Columns) -> Iterator[Document]:
    """The documents of the files, for a first pass. The run itself reports unreadable ones."""
    for source in sources:
        yield from source.documents(columns, lambda problem: None, None)


def _names_subjects(source: Source, field: str) -> bool:
    """Whether a file of records holds the name of that field at all: a search of its bytes costs very little."""
    if record_format(source.format) is None:
        return False
    if not field.isascii():  # JSON may have it escaped
        return True
    name = field.encode()
    previous = b""
    with source.path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if name in previous + chunk:
                return True
            previous = chunk[-len(name) :]
    return False
