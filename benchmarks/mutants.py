"""Which small faults the tests of the core would let through.

    PYTHONPATH=. python benchmarks/mutants.py [--area match --area loop ...] [--most 40] [--seed 0]

Works on a copy of the checkout. Each area's tests run once as they are, which tells how long each of them takes and
which functions it enters. Then one change at a time is made to a module, and the tests that enter the function run, the
quickest first, until one fails: the change is killed. Each runs in a fork, so that libraries and tables are read once.
Prints what survived or took too long, with the change, and a table; nothing is asserted. Hypothesis does not shrink,
and looks at as many examples as in ``make test``.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from benchmarks.mutant_changes import Mutant, mutants
from benchmarks.mutant_runs import Changed, Tests, forget, in_a_fork, silence

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
_PATIENCE, _AT_LEAST = 5, 30.0
"""How many times as long as before tests may take, and seconds that they always may."""
_SAID = {0: "survived", 1: "killed", 2: "killed", None: "took too long"}
"""By what pytest gives back; 2: a module cannot be imported any more."""


class Area(NamedTuple):
    """Modules, as paths below ``src/sfumato``, and the tests that should notice a fault in them."""

    modules: Sequence[str]
    tests: Sequence[str]


_LOOP = ("target", "incremental", "incremental_dense", "loss", "loop", "loss_budget", "repair_candidates", "repairs")
AREAS = {
    "match": Area(["attacks/inference/match.py"], ["tests/attacks/test_match.py", "tests/attacks/test_inference.py"]),
    "loop": Area(
        [f"protection/{name}.py" for name in ("target", "incremental", "loss", "loop")],
        [f"tests/protection/test_{name}.py" for name in _LOOP],
    ),
    "protect": Area(
        ["protection/protect.py"],
        ["tests/protection/test_protect.py", "tests/protection/test_verify.py"],
    ),
    "document": Area(["document/*.py"], ["tests/test_document.py"]),
    "vault": Area(["vault/*.py"], ["tests/vault"]),
}


def module_name(path: Path) -> str:
    parts = path.relative_to("src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


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
        sys.meta_path.insert(0, Changed(name, path.resolve(), code))
        return int(pytest.main([*area.tests, "-x", "-q", *_QUIET], plugins=[Tests({}, chosen)]))

    status = in_a_fork(work, _AT_LEAST + _PATIENCE * sum(seen.seconds[test] for test in chosen))
    return _SAID.get(status, "could not be run")


def as_they_are(area: Area, paths: Sequence[Path]) -> Tests:
    """An area's tests after a run without any change, here and in a fork."""
    seen = Tests({str(path.resolve()): module_name(path) for path in paths})
    with silence():
        status = pytest.main([*area.tests, *_QUIET], plugins=[seen])
    if status:
        raise SystemExit(f"tests fail although nothing was changed: {', '.join(seen.failed or area.tests)}")
    if outcome(paths[0], ast.parse(paths[0].read_text(encoding="utf-8")), None, area, seen) != "survived":
        raise SystemExit(f"tests fail in a fork although nothing was changed: {', '.join(area.tests)}")
    return seen


def look_at(area: Area, most: int, seed: int, only: Sequence[str]) -> list[tuple[str, Counter[str]]]:
    """An area's modules, and how many of their mutants came to what."""
    paths = sorted(path for pattern in area.modules for path in Path("src/sfumato").glob(pattern))
    seen, rows = as_they_are(area, paths), []
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = mutants(tree)
        tried = sorted(Random(f"{seed} {path}").sample(range(len(found)), min(most, len(found))))
        counts: Counter[str] = Counter()
        for mutant in (found[at] for at in tried):
            where = f"{path}:{mutant.line}"
            if only and not {str(path), where} & set(only):
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
    parser.add_argument(
        "--only", action="append", metavar="FILE[:LINE]", default=[], help="changes of this file or line alone"
    )
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
        rows = []
        for name in options.area or AREAS:
            rows += look_at(AREAS[name], options.most, options.seed, options.only)
        os.chdir(ROOT)
    kinds = ("killed", "survived", "took too long", "reached by no test", "could not be run")
    print("\n| module | mutants | " + " | ".join(kinds) + " |\n|" + " --- |" * (len(kinds) + 2))
    for name, counts in [*rows, ("all", sum((counts for _, counts in rows), Counter()))]:
        print(f"| {name} | {counts.total()} | " + " | ".join(str(counts[kind]) for kind in kinds) + " |")


if __name__ == "__main__":
    main()
