"""Kept columns are released unchanged: which of their values the recipe would have replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from sfumato.document import Document, Withheld
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.runs.summary import KeptColumn
from sfumato.vault.key import Key

_BATCH = 500
_SEPARATOR = ": "
_MOST_REMEMBERED = 50_000
"""Values whose answer is remembered: most columns repeat a few."""


def check_kept(records: Iterable[tuple[Mapping[str, Any], list[str]]], recipe: Recipe) -> dict[str, KeptColumn]:
    """Every kept column of the released records by name, with how many of its values the recipe would replace.

    A value is read beside the name of its column, as in a form ("sex: F"), without language models. ``records``: the
    kept values of each, and the columns whose value repeats what was replaced in its text.
    """
    columns: dict[str, KeptColumn] = {}
    is_personal: dict[str, bool] = {}
    pipeline: Pipeline | None = None
    waiting = iter(records)
    while batch := list(islice(waiting, _BATCH)):
        if len(is_personal) > _MOST_REMEMBERED:
            is_personal.clear()
        fields = {field for record, _ in batch for item in record.items() for field in _fields(*item)}
        if new := sorted(fields - is_personal.keys()):
            pipeline = pipeline or _pipeline(recipe)
            for outcome in pipeline.anonymize([Document("value", field) for field in new]):
                is_personal[outcome.document.text] = isinstance(outcome, Withheld) or any(
                    edit.span.end > outcome.document.text.index(_SEPARATOR) + len(_SEPARATOR) for edit in outcome.edits
                )
        for record, repeating in batch:
            for name, value in record.items():
                column = columns.setdefault(name, KeptColumn())
                column.values += 1
                column.personal += name in repeating or any(is_personal[field] for field in _fields(name, value))
    return columns


def _pipeline(recipe: Recipe) -> Pipeline:
    """The recipe for values alone; what asks a language model or reads a background is taken to replace everything."""
    replaces_all = bool(recipe.asking) or recipe.reads_background or recipe.published is not None
    return Pipeline(
        recipe.with_changes(
            detect=[choice.model_dump() for choice in recipe.plain_detectors if choice.use != "gold"] or ["rules"],
            replace={"default": "suppress"} if replaces_all else recipe.model_dump()["replace"],
            rewrite=None,
            chat=None,
            uncovered="release",
            spans="completed",
            citations="parts",
        ),
        key=Key.random(),
    )


def _fields(name: str, value: object) -> Iterator[str]:
    """Each text and number of a column's value, as a form has it."""
    return (f"{name.replace(_SEPARATOR, ' ')}{_SEPARATOR}{text}" for text in _texts(value))


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
