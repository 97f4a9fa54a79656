"""Which small faults the tests of the core would let through.

    PYTHONPATH=. python benchmarks/mutants.py [--area match --area protect ...] [--most 40] [--seed 0]

Works on a copy of the checkout. Each area's tests run once as they are, which tells how long each of them takes and
which functions it enters. Then one change at a time is made to a module, and the tests that enter the function run, the
quickest first, until one fails: the change is killed. Each runs in a fork, so that libraries and tables are read once.
Prints what survived or took too long, with the change, and a table; nothing is asserted. Hypothesis does not shrink,
and looks at as many examples as in ``make test``.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any, NamedTuple

import pytest
from benchmarks.mutant_changes import Mutant, mutants

ROOT = Path(__file__).parents[1]
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "demo-out", "gpu-pack")
_QUIET = (
    "-p",
    "no:cacheprovider",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",
    "--hypothesis-profile",
    "mutants",
)
_KEPT = ("sfumato.knowledge", "sfumato.phrases", "sfumato.errors")
_PATIENCE, _AT_LEAST = 5, 30.0
"""How many times as long as before tests may take, and seconds that they always may."""


class Area(NamedTuple):
    """Modules, as paths below ``src/sfumato``, and the tests that should notice a fault in them."""

    modules: Sequence[str]
    tests: Sequence[str]


_LOOP = ("target", "purse", "links", "loop", "repairs", "protect", "verify", "moves")
AREAS = {
    "match": Area(["attacks/inference/match.py"], ["tests/attacks/test_match.py", "tests/attacks/test_inference.py"]),
    "protect": Area(
        [f"protection/{name}.py" for name in _LOOP],
        [f"tests/protection/test_{name}.py" for name in (*_LOOP, "loss", "text", "foresight", "crew", "starts")],
    ),
    "document": Area(["document/*.py"], ["tests/test_document.py"]),
    "vault": Area(["vault/*.py"], ["tests/vault"]),
}


class Tests:
    """A pytest plug-in: notes how long each test takes and which functions it enters, or runs chosen ones in order."""

    def __init__(self, files: Mapping[str, str], chosen: Sequence[str] | None = None) -> None:
        self._files = files
        self._chosen = None if chosen is None else {name: at for at, name in enumerate(chosen)}
        self.seconds: Counter[str] = Counter()
        self.enter: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._chosen is not None:
            items[:] = sorted(
                (item for item in items if item.nodeid in self._chosen), key=lambda item: self._chosen[item.nodeid]
            )

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


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
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


def module_name(path: Path) -> str:
    parts = path.relative_to("src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


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


def outcome(path: Path, tree: ast.Module, mutant: Mutant | None, area: Area, seen: Tests) -> str:
    """What the tests say to a change: killed, survived, or too slow."""
    name = module_name(path)
    every = sorted(seen.seconds, key=lambda test: seen.seconds[test])
    reached = seen.enter[name, mutant.inside] if mutant and mutant.inside else set(every)
    chosen = [test for test in every if test in reached]
    if not chosen:
        return "reached by no test"

    def work() -> int:
        if mutant:
            mutant.apply()
        code = compile(ast.fix_missing_locations(tree), str(path.resolve()), "exec")
        forget()
        sys.meta_path.insert(0, _Changed(name, path.resolve(), code))
        return int(pytest.main([*area.tests, "-x", "-q", *_QUIET], plugins=[Tests({}, chosen)]))

    status = in_a_fork(work, _AT_LEAST + _PATIENCE * sum(seen.seconds[test] for test in chosen))
    return "took too long" if status is None else "survived" if status == 0 else "killed"


def look_at(name: str, most: int, seed: int, only: Sequence[str]) -> list[tuple[str, Counter[str]]]:
    """An area's modules, and how many of their mutants came to what."""
    area = AREAS[name]
    area = area._replace(tests=[test for test in area.tests if Path(test).exists()])
    paths = sorted(path for pattern in area.modules for path in Path("src/sfumato").glob(pattern))
    seen = Tests({str(path.resolve()): module_name(path) for path in paths})
    with silence():
        failed = pytest.main([*area.tests, *_QUIET], plugins=[seen])
    if failed:
        raise SystemExit(f"{name}: the tests do not pass as they are; run pytest {' '.join(area.tests)}")
    rows = []
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if outcome(path, tree, None, area, seen) not in ("survived", "reached by no test"):
            raise SystemExit(f"{path}: its tests fail in a fork although nothing was changed")
        found = mutants(tree)
        tried = sorted(Random(f"{seed} {path}").sample(range(len(found)), min(most, len(found))))
        counts: Counter[str] = Counter()
        for mutant in (found[at] for at in tried):
            where = f"{path}:{mutant.line}"
            if only and where not in only:
                continue
            said = outcome(path, tree, mutant, area, seen)
            counts[said] += 1
            if said != "killed":
                print(f"{said}: {where}  {mutant.before}  ->  {mutant.after}", flush=True)
        rows.append((str(path), counts))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--area", action="append", choices=list(AREAS), help="what to change; may be given again")
    parser.add_argument("--most", type=int, default=40, help="changes tried for each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", metavar="FILE:LINE", default=[], help="changes of this line alone")
    options = parser.parse_args()
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "mutants",
        deadline=None,
        max_examples=200,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
        phases=[Phase.explicit, Phase.generate],
    )
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=_LEFT_OUT)
        os.chdir(copy)
        sys.path[:0] = [str(copy / "src"), str(copy)]
        rows = [
            row for name in options.area or AREAS for row in look_at(name, options.most, options.seed, options.only)
        ]
        os.chdir(ROOT)
    kinds = ("killed", "survived", "took too long", "reached by no test")
    print("\n| module | mutants | " + " | ".join(kinds) + " |\n|" + " --- |" * (len(kinds) + 2))
    for name, counts in [*rows, ("all", sum((counts for _, counts in rows), Counter()))]:
        print(f"| {name} | {counts.total()} | " + " | ".join(str(counts[kind]) for kind in kinds) + " |")


if __name__ == "__main__":
    main()
