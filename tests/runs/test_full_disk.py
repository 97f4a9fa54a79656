"""Runs on a disk that is really full, and runs that are killed while they publish."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

FULL = """
set -e
mount -t tmpfs -o size=$1k tmpfs "$2"
status=0; "${@:3}" >/dev/null || status=$?
echo "status $status"
find "$2" -type f -not -path '*/.*' -printf '%f %s\\n'
mount -o remount,size=20m "$2"
"${@:3}" >/dev/null
echo "then $?"
"""
SFUMATO = [sys.executable, "-c", "from sfumato.cli import main; main()"]


def letters(path: Path, count: int = 40) -> Path:
    text = "Ms Ida Brandvik phoned 020 7946 0144 on 3 August 1961. " * 5
    path.write_text("".join(json.dumps({"id": f"n{number}", "text": text}) + "\n" for number in range(count)))
    return path


@pytest.mark.deep
@pytest.mark.parametrize("size", [4, 16, 64, 128, 256])
@pytest.mark.parametrize("with_vault", [False, True], ids=["plain", "vault"])
def test_a_full_disk_stops_a_run_that_goes_on_with_more_room(size: int, with_vault: bool, tmp_path: Path) -> None:
    source, disk = letters(tmp_path / "in.jsonl"), tmp_path / "disk"
    disk.mkdir()
    vault: list[str | Path] = ["--vault", disk / "v.db", "--key-file", disk / "v.key"] if with_vault else []
    command: list[str | Path] = [*SFUMATO, "anonymize", source, "--recipe", "fast", "--out", disk / "out.jsonl"]
    run = subprocess.run(
        ["unshare", "-rm", "bash", "-c", FULL, "full", str(size), disk, *command, "--audit", disk / "a.jsonl", *vault],
        capture_output=True,
        text=True,
        check=False,
    )
    if "status" not in run.stdout:
        pytest.skip("no file system of a few kilobytes can be mounted here")
    status, *files, then = run.stdout.splitlines()
    assert then == "then 0"
    if status == "status 0":
        assert size > 64
        return
    assert status == "status 2"
    assert run.stderr.count("\n") == 1
    assert "free some space and run the same command again" in run.stderr
    sizes = {name: int(length) for name, length in (line.split() for line in files)}
    assert sizes.keys().isdisjoint({"out.jsonl", "a.jsonl"})
    assert sizes.get("v.key") != 0


KILLED = """
import os, signal, sys
from pathlib import Path
from sfumato.cli import main
name, replace = sys.argv.pop(), Path.replace
def replace_or_die(self, target):
    if Path(target).name == name:
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(self, target)
Path.replace = replace_or_die
main()
"""


@pytest.mark.parametrize("name", ["a.jsonl", "out.jsonl"])
def test_a_run_that_is_killed_while_it_publishes_leaves_nothing_for_good(name: str, tmp_path: Path) -> None:
    source = letters(tmp_path / "in.jsonl", 3)
    out = tmp_path / "out"
    out.mkdir()
    command: list[str | Path] = [
        "anonymize",
        source,
        "--recipe",
        "fast",
        "--out",
        out / "out.jsonl",
        "--audit",
        out / "a.jsonl",
    ]
    killed = subprocess.run([sys.executable, "-c", KILLED, *command, name], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(out.glob(".*.part"))) == 1
    subprocess.run([*SFUMATO, *command], capture_output=True, check=True)
    assert sorted(path.name for path in out.iterdir()) == ["a.jsonl", "out.jsonl"]
