"""Files that are written whole or not at all, private and temporary ones, and what is reported on a full disk."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
import stat
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Self

from sfumato.errors import DiskFull, OutputError

CONFIDENTIAL = 0o600
"""Permissions of a file that only its owner may read."""
_PRIVATE_FOLDER = 0o700
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FULL_IN_SQLITE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
"""A quota or a limit on the size of a file is a failed write to SQLite, and not a full disk."""
_WRITERS = 4
"""How many processes may write the same file at once; the last one to finish wins."""
_LONGEST_START = 40
"""Characters of a file's name that its temporary name starts with: 160 bytes at most, of 255 that are allowed."""
_WINDOWS = os.name == "nt"
"""Where there are no locks of this kind, and an open file is neither renamed nor removed."""
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
TEMPORARY = "sfumato-temporary-"
"""What the name of a temporary folder begins with."""
_TEMPORARY_NAME = re.compile(f"{TEMPORARY}[a-z0-9_]{{8}}")


def disk_full(error: BaseException, path: Path | str | None = None) -> DiskFull | None:
    """The error to raise where ``error`` says that there is no room for what is written; None for any other error."""
    if isinstance(error, OSError):
        is_full = error.errno in _FULL
        path = path or error.filename
    else:
        is_full = isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", None) in _FULL_IN_SQLITE
    if not is_full:
        return None
    where = "what is written does not fit" if path is None else f"{path}: does not fit"
    return DiskFull(
        f"{where}: the disk is full, or a quota or a limit on the size of files is reached; free some space and run "
        "the same command again"
    )


@contextmanager
def reports_full_disk(path: Path | str) -> Iterator[None]:
    """Raises ``DiskFull`` with this path in the place of what Python and SQLite raise when there is no room."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        if (full := disk_full(error, path)) is not None:
            raise full from None
        raise


@contextmanager
def atomic_path(final: Path, mode: int = 0o666) -> Iterator[Path]:
    """A temporary path next to ``final``, renamed to it when the block succeeds, else removed.

    What a killed process has left of the same file is removed. ``mode``: the file's permissions, minus the user's
    umask; ``CONFIDENTIAL`` for what only the owner may read.
    """
    if final.is_dir():
        raise OutputError(f"{final}: is a folder; name a file")
    try:
        with reports_full_disk(final):
            final.parent.mkdir(parents=True, exist_ok=True)
            temporary, lock = _create_temporary(final, mode)
    except OSError as error:
        raise _unwritable(final, error) from None
    with reports_full_disk(final), _removed_afterwards(temporary, lock):
        yield temporary
        sync(temporary)
        try:
            temporary.replace(final)
        except OSError as error:
            raise disk_full(error, final) or _unwritable(final, error) from None
    sync(final.parent)


def create_file(final: Path, content: bytes) -> None:
    """Write a new confidential file, whole or not at all. Raises FileExistsError where the name is taken."""
    with reports_full_disk(final):
        temporary, lock = _create_temporary(final, CONFIDENTIAL)
        with _removed_afterwards(temporary, lock):
            temporary.write_bytes(content)
            sync(temporary)
            try:
                os.link(temporary, final)  # a rename would take the place of a file that another process has made
            except FileExistsError:
                raise
            except OSError:  # a file system without links
                if final.exists():
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(final)) from None
                temporary.replace(final)
        sync(final.parent)


@contextmanager
def _removed_afterwards(temporary: Path, lock: int) -> Iterator[None]:
    if _WINDOWS:
        os.close(lock)
    try:
        yield
    finally:
        if _WINDOWS:
            temporary.unlink(missing_ok=True)
        else:
            # After the rename the name is free, and may be the file of another process by now.
            with suppress(FileNotFoundError):
                if os.path.samestat(temporary.lstat(), os.fstat(lock)):
                    temporary.unlink()
            os.close(lock)


def _create_temporary(final: Path, mode: int) -> tuple[Path, int]:
    """An empty file next to ``final``, and the open descriptor whose lock shows that it is in use."""
    # A long name plus our suffix might be longer than the file system allows.
    digest = blake2b(final.name.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    names = [f".{final.name[:_LONGEST_START]}.{digest}.{number}.part" for number in range(_WRITERS)]
    for name in names:
        _remove_abandoned(final.with_name(name))
    for name in names:
        temporary = final.with_name(name)
        try:
            descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _NO_LINKS, mode)
        except FileExistsError:
            continue
        if _WINDOWS or (_lock(descriptor) and os.fstat(descriptor).st_nlink):
            return temporary, descriptor
        os.close(descriptor)  # another process took it for abandoned before it was locked
    raise OutputError(f"{final}: several other runs are writing it; wait for them, or choose another name")


def _remove_abandoned(temporary: Path) -> None:
    """Remove a temporary file of ours that no process has locked."""
    try:
        descriptor = os.open(temporary, os.O_RDONLY | _NO_LINKS)
    except OSError:  # there is none, or it is a link or another user's, and so not ours
        return
    try:
        is_abandoned = stat.S_ISREG(os.fstat(descriptor).st_mode) and _lock(descriptor)
        if is_abandoned and not _WINDOWS:
            temporary.unlink(missing_ok=True)  # while it is locked, so that nobody else takes it over
    finally:
        os.close(descriptor)
    if is_abandoned and _WINDOWS:
        with suppress(OSError):  # another process has it open
            temporary.unlink(missing_ok=True)


def _lock(descriptor: int) -> bool:
    """Whether nobody else has locked the file; it stays locked until the descriptor is closed or the process ends."""
    if _WINDOWS:
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks, as on Windows
        return True
    return True


def private_folder(path: Path) -> None:
    """Make a folder that only its owner can open; one that exists is closed to others. Raises OSError."""
    path.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    if path.is_symlink():
        raise NotADirectoryError(errno.ENOTDIR, "a link stands in the place of our folder", str(path))
    if stat.S_IMODE(path.stat().st_mode) != _PRIVATE_FOLDER:
        path.chmod(_PRIVATE_FOLDER)


def open_confidential(path: Path, flags: int) -> int:
    """A descriptor of a file that only its owner can read, also where it exists with other permissions."""
    descriptor = os.open(path, flags | os.O_CREAT | _NO_LINKS, CONFIDENTIAL)
    if not _WINDOWS and stat.S_IMODE(os.fstat(descriptor).st_mode) != CONFIDENTIAL:
        os.fchmod(descriptor, CONFIDENTIAL)
    return descriptor


def _unwritable(final: Path, error: OSError) -> OutputError:
    return OutputError(f"{final}: cannot be written ({error.strerror}); choose another place or check the permissions")


def sync(path: Path) -> None:
    """Returns when the file, or the list of a folder's files, survives a power failure."""
    is_folder = path.is_dir()
    if is_folder and _WINDOWS:  # folders cannot be opened there
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        # A folder may not be readable, or its file system may not flush it: the file in it is whole all the same.
        if not is_folder or error.errno == errno.EIO or disk_full(error, path):
            raise


class TemporaryFolder:
    """A new folder for its owner alone; it is removed by ``close``, at the end of ``with``, or with its owner.

    It is locked while its process lives: what a killed process left is removed when another one first needs a folder.
    """

    def __init__(self, parent: Path | None = None) -> None:
        """``parent``: where it lies, in the place of ``TMPDIR``."""
        _remove_abandoned_once(parent)
        self.path, lock = _create_folder(parent)
        self.close = weakref.finalize(self, _remove_folder, self.path, lock, os.getpid())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def remove_abandoned_folders(parent: Path | None = None) -> None:
    """Remove the folders of this user whose process has ended without doing so."""
    if _WINDOWS:
        return
    for folder in (parent or Path(tempfile.gettempdir())).glob(f"{TEMPORARY}*"):
        with suppress(OSError):  # a link, a file, another user's, or removed by another process by now
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if _is_ours(folder, lock):
                    _lock_folder(lock)
                    shutil.rmtree(folder)
            finally:
                os.close(lock)


_remove_abandoned_once = cache(remove_abandoned_folders)


def _is_ours(folder: Path, descriptor: int) -> bool:
    about = os.fstat(descriptor)
    is_private = about.st_uid == os.getuid() and stat.S_IMODE(about.st_mode) == 0o700
    return is_private and _TEMPORARY_NAME.fullmatch(folder.name) is not None


def _create_folder(parent: Path | None) -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=parent))  # its permissions are 0700
        if _WINDOWS:
            return folder, None
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY)
            with suppress(OSError):  # a file system without locks, where nobody takes it for abandoned
                _lock_folder(lock)
            if folder.exists():  # else another process took it for abandoned before it was locked
                return folder, lock
            os.close(lock)


def _lock_folder(descriptor: int) -> None:
    """Lock a folder until the descriptor is closed or the process ends. Raises OSError where another has locked it."""
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_folder(folder: Path, lock: int | None, pid: int) -> None:
    if pid != os.getpid():  # a fork has the folder of its parent
        return
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)
