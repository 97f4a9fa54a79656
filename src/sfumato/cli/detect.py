"""``sfumato detect``: where personal information stands, as a file of spans."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sfumato import recipe as recipes
from sfumato.cli import options, render
from sfumato.cli.streams import StreamFormat, streams
from sfumato.formats.base import Columns
from sfumato.runs.detect import detect_files


def detect(
    inputs: options.Inputs,
    out: Annotated[Path, options.option("detect.out")],
    recipe: options.RecipeOption = "default",
    *,
    texts: options.TextOptions,
    chat: options.ChatOptions,
    text_column: options.TextColumn = "text",
    id_column: options.IdColumn = None,
    subjects_column: options.SubjectsColumn = "subjects",
    stream_format: StreamFormat = "txt",
    as_json: options.Json = False,
) -> None:
    """Find personal information and write where it stands, one line per document."""
    loaded = texts.apply(recipes.load(recipe))
    with streams(inputs, out, stream_format, out_format="jsonl") as (files, target):
        assert target is not None
        model = chat.open(files, target, loaded)
        with render.progress() as on_progress:
            summary = detect_files(
                files,
                target,
                loaded,
                columns=Columns(id_column, text_column, subjects=subjects_column),
                chat=model,
                on_progress=on_progress,
            )
        render.finish(summary, "spans", as_json)
