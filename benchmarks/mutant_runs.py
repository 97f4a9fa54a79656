"""How a change of a module is put to the tests: chosen ones, in a fork that imports the module as it was changed."""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

_KEPT = ("sfumato.lexicon", "sfumato.lexicon.tokens", "sfumato.errors")


class Tests:
    """A pytest plug-in: notes how long each test takes and which functions it enters, or runs chosen ones in order."""

    def __init__(self, files: Mapping[str, str], chosen: Sequence[str] | None = None) -> None:
        self._files = files
        self._chosen = None if chosen is None else {name: at for at, name in enumerate(chosen)}
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.failed: list[str] = []
        self.enter: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if (chosen := self._chosen) is not None:
            items[:] = sorted((item for item in items if item.nodeid in chosen), key=lambda item: chosen[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        def note(frame: FrameType, event: str, argument: Any) -> None:
            code = frame.f_code
            if code.co_filename in self._files:
                self.enter[self._files[code.co_filename], code.co_qualname.split(".<locals>")[0]].add(item.nodeid)

        began = time.process_time()
        if self._chosen is None:
            sys.settrace(note)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            self.seconds[item.nodeid] += time.process_time() - began


class Changed(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Gives out one module as it was compiled from a changed tree."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        self._name, self._path, self._code = name, path, code

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        places = [str(self._path.parent)] if self._path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self._path, loader=self, submodule_search_locations=places
        )

    def get_source(self, fullname: str) -> str | None:
        return None

    def get_code(self, fullname: str) -> CodeType:
        return self._code


def forget() -> None:
    """Let what depends on a changed module be imported again: all but tables, which take long to read.

    Models go too: the threads of a network are not there in a fork.
    """
    for name in list(sys.modules):
        if name.split(".")[0] in ("sfumato", "tests") and not name.startswith(_KEPT):
            del sys.modules[name]


@contextmanager
def silence() -> Iterator[None]:
    sys.stdout.flush()
    kept, nowhere = (os.dup(1), os.dup(2)), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)


def in_a_fork(work: Callable[[], int], limit: float) -> int | None:
    """What the work gives back; None where it takes longer than so many seconds."""
    child = os.fork()
    if not child:
        status = 3
        try:
            os.setsid()
            with silence():
                status = work()
        finally:
            os._exit(status)
    ends = time.monotonic() + limit
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
