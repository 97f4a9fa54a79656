"""What a process keeps on disk while it runs is for its owner alone, and goes with it, also after a kill."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sfumato.files import TEMPORARY, TemporaryFolder, remove_abandoned_folders

pytestmark = pytest.mark.skipif(os.name == "nt", reason="folders cannot be locked there")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return place


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def killed_while_reading(command: list[str], original: str) -> None:
    """A process that is killed when it has copied standard input and waits for more of it."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(original)
    process.stdin.close()
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()


HELD = """
import sys
from pathlib import Path
from sfumato.cli.streams import STREAM, streams
with streams([STREAM], None, "txt") as ((file,), out):
    print("ready", flush=True)
    while True:
        pass
"""


def test_the_copy_of_standard_input_is_removed_by_the_next_run_after_a_kill(temporary: Path) -> None:
    killed_while_reading([sys.executable, "-c", HELD], "Mrs Anna Quorvex was seen.")
    (folder,) = temporary.iterdir()
    assert permissions(folder) == 0o700
    (copy,) = folder.iterdir()
    assert copy.read_text() == "Mrs Anna Quorvex was seen."
    assert permissions(copy) == 0o600
    (temporary.parent / "note.txt").write_text("Nothing.")
    program = "from sfumato.cli import main; main()"
    command = [sys.executable, "-c", program, "anonymize", "note.txt", "--recipe", "fast", "--out", "released.txt"]
    subprocess.run(command, cwd=temporary.parent, capture_output=True, check=True)
    assert list(temporary.iterdir()) == []


def test_a_folder_goes_with_its_owner(temporary: Path) -> None:
    with TemporaryFolder() as folder:
        assert folder.path.parent == temporary
    assert not folder.path.exists()
    path = TemporaryFolder().path
    assert not path.exists()


def test_folders_in_use_and_those_that_are_not_ours_stay(temporary: Path) -> None:
    """A name that begins like ours, a folder that others may open, a file, a link: nobody's original is at stake."""
    used = TemporaryFolder()
    (temporary / f"{TEMPORARY}notes").mkdir(mode=0o700)
    (temporary / f"{TEMPORARY}abcdefg1").mkdir()
    (temporary / f"{TEMPORARY}abcdefg1").chmod(0o755)
    (temporary / f"{TEMPORARY}abcdefg2").write_text("a file")
    (temporary.parent / "elsewhere").mkdir(mode=0o700)
    (temporary.parent / "elsewhere" / "kept").write_text("kept")
    (temporary / f"{TEMPORARY}abcdefg3").symlink_to(temporary.parent / "elsewhere")
    before = {path.name for path in temporary.iterdir()}
    (temporary / f"{TEMPORARY}abcdefg4").mkdir(mode=0o700)
    remove_abandoned_folders()
    assert {path.name for path in temporary.iterdir()} == before
    assert (temporary.parent / "elsewhere" / "kept").exists()
    other = "from sfumato.files import remove_abandoned_folders; remove_abandoned_folders()"
    subprocess.run([sys.executable, "-c", other], check=True)
    assert used.path.exists()
    used.close()


def test_a_fork_leaves_the_folder_to_its_parent(temporary: Path) -> None:
    with TemporaryFolder() as folder:
        child = os.fork()
        if child == 0:
            folder.close()
            os._exit(0)
        os.waitpid(child, 0)
        assert folder.path.exists()
