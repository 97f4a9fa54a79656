"""Runs a program under strace, in an empty network namespace, and tells what it asked of the system.

This sees native code and every process and thread that the program starts. Two lists come back. ``connections``: every
call that names an address family other than local ones, whether or not it succeeded, and every local service that was
asked (a cache of host names, say). ``foreign_files``: what was created or opened for writing elsewhere than in the
folders given, and what is left of the temporary folder.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_NETWORK = ("socket", "connect", "bind", "sendto", "sendmsg", "sendmmsg", "io_uring_setup")
_FILES = (
    *("open", "openat", "openat2", "creat", "mkdir", "mkdirat", "mknod", "mknodat", "link", "linkat"),
    *("symlink", "symlinkat", "rename", "renameat", "renameat2"),
)
_LOCAL_FAMILIES = {"AF_UNIX", "AF_LOCAL", "AF_NETLINK", "AF_UNSPEC"}
_CALL = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)\)\s+= (?P<result>.*)")
_FAMILY = re.compile(r"\b[AP]F_[A-Z0-9]+")
_LOOPBACK = re.compile(r'"(?:127\.[\d.]+|::1|::ffff:127\.[\d.]+)"')
_SERVICE = re.compile(r'sun_path="(?P<path>[^"]*)"')
_STRING = re.compile(r'(?:(?:AT_FDCWD|\d+)<(?P<folder>[^>]*)>, )?"(?P<path>(?:[^"\\]|\\.)*)"')
_OPENED = re.compile(r"\d+<(?P<path>[^>]*)>")
_WRITING = re.compile(r"\bO_(WRONLY|RDWR|CREAT|TRUNC)\b")
_NO_FILES = re.compile(r"/dev/(null|tty|u?random|pts/\d+)|/proc/.*|/dev/shm/sem\..*|(pipe|socket|anon_inode|memfd):.*")
"""Devices, processes, and the semaphores of a pool of processes, which no longer have a name when they are used."""

_INHERITED = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
"""No more: some libraries report nothing where ``CI`` is set, and would go unnoticed."""
_LOOPBACK_UP = ("sh", "-c", 'ip link set lo up && exec "$@"', "sh")


@dataclass(frozen=True)
class Trace:
    """What a program did."""

    returncode: int
    output: str
    connections: tuple[str, ...]
    foreign_files: tuple[str, ...]

    def assert_private(self) -> None:
        """Nothing was asked of a network, and nothing was written but what was named."""
        assert not self.connections, self.connections
        assert not self.foreign_files, self.foreign_files


@cache
def why_not() -> str | None:
    """Why programs cannot be traced here; None where they can."""
    if shutil.which("strace") is None:
        return "strace is not installed: connections made by native code are not counted"
    traced = subprocess.run(["strace", "-f", "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    return None if traced.returncode == 0 else f"this system forbids strace: {traced.stderr.strip()[-200:]}"


@cache
def without_network() -> tuple[str, ...]:
    """What to put before a command so that it has no network at all; nothing where the system forbids that."""
    command = ("unshare", "--map-root-user", "--net")
    try:
        return command if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0 else ()
    except OSError:
        return ()


def trace(
    command: Sequence[str | Path],
    folder: Path,
    *,
    named: Sequence[Path] = (),
    environment: Mapping[str, str] | None = None,
    timeout: float = 300,
    loopback: bool = False,
) -> Trace:
    """Run a command in fresh folders below ``folder``; it may write to the files and folders that are ``named``.

    ``loopback``: there is a network of this machine with itself, and what is said to it does not count.

    Its home, working and temporary folders are ``home``, ``work`` and ``tmp``; no cache of Python's own is written.
    """
    home, work, temporary, traces = (folder / name for name in ("home", "work", "tmp", "traces"))
    for place in (home, work, temporary, traces):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    calls = ",".join(f"?{name}" for name in (*_NETWORK, *_FILES))  # ?: a processor may not have all of them
    strace = ("strace", "-ff", "-qq", "-y", "-o", traces / "calls", "-e", f"trace={calls}", "-e", "signal=none", "--")
    with subprocess.Popen(
        [*without_network(), *(_LOOPBACK_UP if loopback and without_network() else ()), *strace, *command],
        cwd=work,
        env={**inherited, "HOME": str(home), "USER": "user", "TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"}
        | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except BaseException:  # what strace follows goes on without it
            os.killpg(process.pid, signal.SIGKILL)
            raise
    connections, files = [], []
    for call in _calls(traces):
        if call["name"] in _NETWORK:
            is_local = loopback and (call["name"] == "socket" or _LOOPBACK.search(call["arguments"]) is not None)
            if not is_local and _is_foreign_connection(call["arguments"], call["name"], folder):
                connections.append(call[0])
        elif (path := _written(call, work)) is not None:
            files.append(path)
    allowed = (*(place.resolve() for place in named), temporary.resolve())
    foreign = {path for path in files if not any(Path(path).is_relative_to(place) for place in allowed)}
    left = {str(path) for path in temporary.rglob("*")}
    return Trace(process.returncode, output, tuple(connections), tuple(sorted(foreign | left)))


def _calls(traces: Path) -> Iterator[re.Match[str]]:
    """One file for each process and thread: no line is interrupted by another's."""
    for file in sorted(traces.iterdir()):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if (call := _CALL.match(line)) is not None:
                yield call


def _is_foreign_connection(arguments: str, name: str, folder: Path) -> bool:
    if name == "io_uring_setup":  # what is sent through it is not seen
        return True
    if set(_FAMILY.findall(re.sub(r'"(?:[^"\\]|\\.)*"', "", arguments))) - _LOCAL_FAMILIES:
        return True
    service = _SERVICE.search(arguments)
    return service is not None and name == "connect" and not Path(service["path"]).is_relative_to(folder)


def _written(call: re.Match[str], work: Path) -> str | None:
    """The path that a call created or opened for writing; None where it did neither."""
    name, arguments, result = call["name"], call["arguments"], call["result"]
    if result.startswith("-1"):
        return None
    if name in ("open", "openat", "openat2", "creat"):
        opened = _OPENED.match(result)
        if opened is None or (name != "creat" and _WRITING.search(arguments.rpartition('"')[2]) is None):
            return None
        path = opened["path"]
    else:
        *_, target = _STRING.finditer(arguments)
        path = str(Path(target["folder"] or work, target["path"]))
    return None if _NO_FILES.fullmatch(path) else path
