"""``sfumato restore``: from releases, or any text that quotes them, back to the real values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sfumato.cli import options, render
from sfumato.cli.streams import StreamFormat, streams
from sfumato.errors import EncryptionKeyError
from sfumato.formats.base import Columns
from sfumato.runs.restore import decrypt_files, restore_files
from sfumato.vault.key import Key
from sfumato.vault.store import Vault


def restore(
    inputs: options.Inputs,
    out: Annotated[Path, options.option("restore.out")],
    key_file: Annotated[Path, options.option("restore.key-file")],
    vault: Annotated[Path | None, options.option("restore.vault")] = None,
    document: Annotated[str | None, options.option("restore.document")] = None,
    audit: Annotated[Path | None, options.option("restore.audit")] = None,
    text_column: options.TextColumn = "text",
    id_column: options.IdColumn = None,
    keep_column: options.KeepColumn = None,
    stream_format: StreamFormat = "txt",
    as_json: options.Json = False,
) -> None:
    """Turn releases back into originals, and replacements in any other text into the real values."""
    columns = Columns(id_column, text_column, tuple(keep_column or ()))
    if vault is None and audit is not None:
        raise EncryptionKeyError(
            "--audit says which vault is meant: give the vault with --vault. Without it the key restores what the "
            "replacer encrypt wrote"
        )
    with streams(inputs, out, stream_format) as (files, target), render.progress() as on_progress:
        assert target is not None
        if vault is None:
            key = Key.load_existing(key_file)
            summary = decrypt_files(files, target, key, columns=columns, document_id=document, on_progress=on_progress)
        else:
            with Vault.open_existing(vault, key_file) as opened:
                summary = restore_files(
                    files,
                    target,
                    opened,
                    columns=columns,
                    document_id=document,
                    audit=audit,
                    on_progress=on_progress,
                )
        render.finish(summary, "restored", as_json)
