"""Kept columns are released unchanged: what the detectors find in their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from sfumato.document import Document
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.runs.ids import detection_pipeline
from sfumato.runs.summary import KeptColumn

_BATCH = 500
_MOST_REMEMBERED = 50_000
"""Values whose answer is remembered: most columns repeat a few."""


def check_kept(records: Iterable[tuple[Mapping[str, Any], list[str]]], recipe: Recipe) -> dict[str, KeptColumn]:
    """Every kept column of the released records by name, read by the recipe's detectors that ask no language model.

    ``records``: the kept values of each, and the columns whose value repeats what was replaced in its text.
    """
    columns: dict[str, KeptColumn] = {}
    is_personal: dict[str, bool] = {}
    detectors = [choice for choice in recipe.plain_detectors if choice.use != "gold"]
    pipeline: Pipeline | None = None
    waiting = iter(records)
    while batch := list(islice(waiting, _BATCH)):
        if len(is_personal) > _MOST_REMEMBERED:
            is_personal.clear()
        texts = {text for record, _ in batch for value in record.values() for text in _texts(value)}
        if new := sorted(texts - is_personal.keys()):
            pipeline = pipeline or detection_pipeline(recipe, detectors)
            for document, spans in pipeline.detect([Document("value", text) for text in new]):
                is_personal[document.text] = bool(spans)
        for record, repeating in batch:
            for name, value in record.items():
                column = columns.setdefault(name, KeptColumn())
                column.values += 1
                column.personal += name in repeating or any(is_personal[text] for text in _texts(value))
    return columns


def _texts(value: object) -> Iterator[str]:
    """All texts and numbers of a value; of an object also the names of its members."""
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from _texts(name)
            yield from _texts(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _texts(member)
    elif value is not None and not isinstance(value, bool) and str(value).strip():
        yield str(value)
