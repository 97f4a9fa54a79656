"""Files on disk: what a full disk leaves and says, what killed runs leave, and who may read what."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sfumato.cache import SqliteStore
from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import DiskFull, SfumatoError
from sfumato.files import CONFIDENTIAL, atomic_path, create_file, disk_full, open_confidential, private_folder
from sfumato.llm.cache import AnswerFile
from sfumato.llm.chat import Reply
from sfumato.runs.journal import Entry, WorkFolder
from sfumato.vault.key import Key
from sfumato.vault.store import Vault


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow beyond this size: the next write fails with EFBIG."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write_whole(folder: Path) -> None:
    with atomic_path(folder / "out.txt") as temporary:
        temporary.write_bytes(b"x" * 5000)


def write_key(folder: Path) -> None:
    Key.create(folder / "vault.key")


def write_vault(folder: Path) -> None:
    with Vault(folder / "vault.db", Key.random()) as vault:
        vault.record(Release(Document("a", "Ida"), (Edit(Span(0, 3, "PERSON"), "PERSON_1"),)), "a")


def write_settings_of_run(folder: Path) -> None:
    WorkFolder(folder / "out.jsonl", "0" * 5000).remove()


def write_journal(folder: Path) -> None:
    work = WorkFolder(folder / "out.jsonl", "fingerprint")
    try:
        work.append(Entry(0, "a", "a", "x" * 20_000))
        list(work.entries())
    finally:
        work.leave()


def write_cache(folder: Path) -> None:
    SqliteStore(folder / "cache.sqlite").put(b"key", b"value" * 2000)


def write_answers(folder: Path) -> None:
    AnswerFile(folder / "answers", None).put("key", Reply("x" * 5000))


WRITERS = [write_whole, write_key, write_vault, write_settings_of_run, write_journal, write_cache, write_answers]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("size", [0, 40])
def test_no_room_is_one_error_that_says_what_to_do(write: Callable[[Path], None], size: int, tmp_path: Path) -> None:
    with largest_file(size), pytest.raises(DiskFull, match="free some space") as caught:
        write(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert not (tmp_path / "out.txt").exists()
    assert not (tmp_path / "vault.key").exists()
    assert not list(tmp_path.glob("*.part")) + list(tmp_path.glob(".*.part"))
    write(tmp_path)  # what is left behind is in nobody's way


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_errors_of_the_system_that_mean_no_room(number: int) -> None:
    assert "out.txt" in str(disk_full(OSError(number, os.strerror(number), "out.txt")))
    assert disk_full(OSError(errno.EACCES, "", "out.txt")) is None
    assert disk_full(ValueError("the disk is full")) is None


def test_sqlite_says_itself_that_it_is_full(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "full.db")
    database.execute("PRAGMA max_page_count = 2")
    database.execute("CREATE TABLE t (value BLOB)")
    with pytest.raises(sqlite3.OperationalError, match="database or disk is full") as caught:
        database.execute("INSERT INTO t VALUES (zeroblob(100000))")
    database.close()
    assert isinstance(disk_full(caught.value, "full.db"), DiskFull)


def test_a_vault_without_room_keeps_what_it_has(tmp_path: Path) -> None:
    with Vault(tmp_path / "vault.db", Key.random()) as vault:
        vault.record(Release(Document("a", "Ida"), (Edit(Span(0, 3, "PERSON"), "PERSON_1"),)), "a")
        with largest_file(1), pytest.raises(DiskFull):
            vault.record(Release(Document("b", "Bo"), (Edit(Span(0, 2, "PERSON"), "PERSON_1"),)), "b")
        assert vault.original_id("a") == "a"
        assert vault.original_id("b") is None
        vault.record(Release(Document("b", "Bo"), (Edit(Span(0, 2, "PERSON"), "PERSON_1"),)), "b")
        assert vault.original_id("b") == "b"


KILLED = """
import os, signal, sys
from pathlib import Path
from sfumato.files import atomic_path
with atomic_path(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    final = tmp_path / ("Ä" * 100 + ".jsonl")
    killed = subprocess.run([sys.executable, "-c", KILLED, final], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert [path.read_text() for path in tmp_path.iterdir()] == ["half"]
    (tmp_path / ".other.part").write_text("not ours")
    with atomic_path(final) as temporary:
        temporary.write_text("whole")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        final.name: "whole",
        ".other.part": "not ours",
    }


def test_a_file_in_use_is_left_alone(tmp_path: Path) -> None:
    final = tmp_path / "out.txt"
    with atomic_path(final) as first, atomic_path(final) as second:
        assert first != second
        first.write_text("first")
        second.write_text("second")
    assert final.read_text() == "first"
    assert list(tmp_path.iterdir()) == [final]


def test_a_link_in_the_place_of_a_temporary_file_is_not_followed(tmp_path: Path) -> None:
    final, elsewhere = tmp_path / "out.txt", tmp_path / "elsewhere"
    elsewhere.write_text("kept")
    with atomic_path(final) as first:
        pass
    first.symlink_to(elsewhere)
    with atomic_path(final) as temporary:
        temporary.write_text("whole")
    assert elsewhere.read_text() == "kept"
    assert final.read_text() == "whole"


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    create_file(tmp_path / "key", b"first")
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "key", b"second")
    assert (tmp_path / "key").read_bytes() == b"first"
    assert permissions(tmp_path / "key") == CONFIDENTIAL
    assert len(list(tmp_path.iterdir())) == 1


def test_the_work_folder_is_closed_to_others_also_where_it_exists(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    folder = tmp_path / ".out.jsonl.sfumato-work"
    folder.mkdir(mode=0o755)
    for name in ("run.json", "journal.jsonl", "lock"):
        (folder / name).write_text("")
        (folder / name).chmod(0o644)
    work = WorkFolder(out, "fingerprint")
    work.append(Entry(0, "a", "a", "text"))
    assert len(list(work.entries())) == 1
    assert permissions(folder) == 0o700
    assert {permissions(path) for path in folder.iterdir()} == {CONFIDENTIAL}
    work.remove()


def test_a_link_in_the_place_of_the_work_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".out.jsonl.sfumato-work").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SfumatoError, match="a link stands in the place"):
        WorkFolder(tmp_path / "out.jsonl", "fingerprint")


def test_folders_of_caches_are_made_for_their_owner_only(tmp_path: Path) -> None:
    write_cache(tmp_path / "results")
    write_answers(tmp_path)
    assert permissions(tmp_path / "results") == permissions(tmp_path / "answers") == 0o700
    assert {permissions(path) for path in (tmp_path / "results").iterdir()} == {CONFIDENTIAL}


def test_private_files_and_folders(tmp_path: Path) -> None:
    private_folder(tmp_path / "new" / "folder")
    assert permissions(tmp_path / "new" / "folder") == 0o700
    (tmp_path / "open").write_text("")
    os.close(open_confidential(tmp_path / "open", os.O_RDWR))
    assert permissions(tmp_path / "open") == CONFIDENTIAL
