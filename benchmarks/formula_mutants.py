"""Which faults in the formulas of metrics and attacks the tests would let through.

    python -m benchmarks.formula_mutants [--by review|new] [--only WORD]

Makes the changes of ``formula_mutants.toml`` one at a time in a copy of the checkout and runs the tests named there
until one fails: the change is killed. Before, these tests run once without a change. Prints the changes that survive,
and how many were killed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
_LIST = Path(__file__).with_suffix(".toml")
_COPIED = ("src", "tests", "benchmarks", "training", "docs", "pyproject.toml", "README.md")
_RUN = "import sys; sys.path[:0] = ['src', '.']; import pytest; sys.exit(pytest.main(sys.argv[1:]))"


@dataclass(frozen=True)
class Change:
    """``old`` stands once in the file, and ``new`` takes its place."""

    by: str
    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def apply(self, source: str) -> str:
        """The changed file. Raises ValueError where ``old`` does not stand in it exactly once."""
        if (count := source.count(self.old)) != 1:
            raise ValueError(f"{_LIST.name}: {self.what!r}: `old` stands {count} times in src/{self.file}")
        return source.replace(self.old, self.new)


def changes() -> list[Change]:
    rows = tomllib.loads(_LIST.read_text(encoding="utf-8"))["change"]
    return [Change(**{**row, "tests": tuple(row["tests"])}) for row in rows]


def are_killed(folder: Path, tests: Sequence[str]) -> bool:
    """Whether a test fails in a copy of the checkout."""
    paths = [f"tests/{name}" for name in tests]
    command = [sys.executable, "-c", _RUN, *paths, "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    # Compiled modules are told by the second and the size, which a quick change may share with what it replaces.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"the tests cannot be run: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done.returncode != 0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--by", choices=["review", "new"])
    parser.add_argument("--only", default="", help="changes whose description or file has this word")
    options = parser.parse_args()
    chosen = [
        change
        for change in changes()
        if options.by in (None, change.by) and options.only in f"{change.what} {change.file}"
    ]
    counts: Counter[tuple[str, bool]] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in _COPIED:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, folder / part)
        if are_killed(folder, sorted({test for change in chosen for test in change.tests})):
            raise SystemExit("tests fail although nothing was changed")
        for change in chosen:
            path = folder / "src" / change.file
            source = path.read_text(encoding="utf-8")
            path.write_text(change.apply(source), encoding="utf-8")
            killed = are_killed(folder, change.tests)
            path.write_text(source, encoding="utf-8")
            counts[change.by, killed] += 1
            if not killed:
                print(f"survived: {change.file}: {change.what}", flush=True)
    for by in ("review", "new"):
        if total := counts[by, True] + counts[by, False]:
            print(f"{by}: {counts[by, True]} of {total} killed")


if __name__ == "__main__":
    main()
