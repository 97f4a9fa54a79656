"""Standard input and output in the place of files: ``-`` as an input or as ``--out``."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

from sfumato.cli import options, render
from sfumato.errors import RecipeError
from sfumato.files import TemporaryFolder, open_confidential, remove_abandoned_folders, reports_full_disk
from sfumato.formats.base import SUFFIXES

STREAM = Path("-")
StreamFormat = Annotated[str, options.option("format")]


@contextmanager
def streams(
    inputs: Sequence[Path], out: Path | None, stream_format: str, out_format: str | None = None
) -> Iterator[tuple[list[Path], Path | None]]:
    """The inputs and the output as files, with temporary ones (readable by their owner only) for ``-``.

    What was written in the place of standard output is printed at the end, and messages go to standard error.
    """
    with suppress(OSError):  # there may be no place for temporary files, and none may be needed
        remove_abandoned_folders()
    if STREAM not in inputs and out != STREAM:
        yield list(inputs), out
        return
    suffix = f".{stream_format.lower().removeprefix('.')}"
    if suffix not in SUFFIXES:
        raise RecipeError(f"--format {stream_format}: write one of {', '.join(name[1:] for name in SUFFIXES)}")
    if list(inputs).count(STREAM) > 1:
        raise RecipeError("standard input (-) can be read once: name it once")
    with TemporaryFolder() as temporary:
        folder = temporary.path
        stdin = folder / f"stdin{suffix}"
        files = [stdin if path == STREAM else path for path in inputs]
        if STREAM in inputs:
            render.name_standard_input(stdin)
            with reports_full_disk(folder), os.fdopen(open_confidential(stdin, os.O_WRONLY), "wb") as handle:
                shutil.copyfileobj(sys.stdin.buffer, handle)
        if out != STREAM:
            yield files, out
            return
        ending = suffix if out_format is None else f".{out_format}"
        if out_format is None and STREAM not in inputs:
            ending = _one_suffix(inputs)
        target = folder / f"stdout{ending}"
        with render.messages_on_stderr(target):
            try:
                yield files, target
            finally:
                if target.exists():
                    with reports_full_disk("standard output"), target.open("rb") as handle:
                        shutil.copyfileobj(handle, sys.stdout.buffer)
                        sys.stdout.buffer.flush()


def _one_suffix(inputs: Sequence[Path]) -> str:
    suffixes = {path.suffix.lower() for path in inputs}
    if len(suffixes) != 1 or any(path.is_dir() for path in inputs):
        raise RecipeError("--out - takes files of one format: name a folder with --out for several")
    return suffixes.pop()
