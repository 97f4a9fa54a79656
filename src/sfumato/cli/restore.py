"""``sfumato restore``: from releases, or any text that quotes them, back to the real values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, render
from sfumato.cli.streams import StreamFormat, streams
from sfumato.formats.base import Columns
from sfumato.runs.restore import restore_files
from sfumato.vault.store import Vault


def restore(
    inputs: options.Inputs,
    out: Annotated[
        Path, typer.Option("--out", metavar="PATH", help="A folder, or a file such as restored.jsonl; - prints it.")
    ],
    vault: Annotated[Path, typer.Option("--vault", metavar="FILE", help="The vault that anonymize wrote.")],
    key_file: Annotated[Path, typer.Option("--key-file", metavar="FILE", help="The vault's key.")],
    document: Annotated[
        str | None,
        typer.Option("--document", metavar="ID", help="The released id the texts are about, if they do not carry it."),
    ] = None,
    text_column: options.TextColumn = "text",
    id_column: options.IdColumn = None,
    keep_column: options.KeepColumn = None,
    stream_format: StreamFormat = "txt",
    as_json: options.Json = False,
) -> None:
    """Turn releases back into originals, and replacements in any other text into the real values."""
    with (
        Vault.open_existing(vault, key_file) as opened,
        streams(inputs, out, stream_format) as (files, target),
    ):
        assert target is not None
        with render.progress() as on_progress:
            summary = restore_files(
                files,
                target,
                opened,
                columns=Columns(id_column, text_column, tuple(keep_column or ())),
                document_id=document,
                on_progress=on_progress,
            )
        render.finish(summary, "restored", as_json)
