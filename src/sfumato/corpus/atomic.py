"""Output files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sfumato.errors import OutputError

CONFIDENTIAL = 0o600
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def atomic_path(final: Path, mode: int = 0o666) -> Iterator[Path]:
    """A temporary path beside ``final``, renamed to it when the block ends well, else removed.

    ``mode`` are the file's permissions, less the user's umask; ``CONFIDENTIAL`` for what nobody else may read.
    """
    if final.is_dir():
        raise OutputError(f"{final}: is a folder; name a file")
    # The name is cut because a long one plus our ending might be longer than the file system allows.
    temporary = final.with_name(f".{final.name[:80]}.{secrets.token_hex(4)}.part")
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    except OSError as error:
        raise _unwritable(final, error) from None
    try:
        yield temporary
        _sync(temporary)
        _replace(temporary, final)
    except OSError as error:
        if error.errno in _FULL:
            raise OutputError(f"{final}: the disk is full; free some space and run again") from None
        raise
    finally:
        temporary.unlink(missing_ok=True)
    _sync(final.parent)


def _replace(temporary: Path, final: Path) -> None:
    try:
        temporary.replace(final)
    except OSError as error:
        raise _unwritable(final, error) from None


def _unwritable(final: Path, error: OSError) -> OutputError:
    return OutputError(f"{final}: cannot be written ({error.strerror}); choose another place or check the permissions")


def _sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":  # folders cannot be opened there
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
