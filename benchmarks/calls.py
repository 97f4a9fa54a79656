"""How many Python functions one command calls, and how many of these calls cross from one of our packages into another.

    python -m benchmarks.calls [letter.txt] [--recipe default]

Only calls of functions of ``sfumato`` and ``sfumato_papers`` are counted; a package is a folder below them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

from sfumato import recipe as recipes
from sfumato.runs.anonymize import anonymize_files

LETTER = """Dear Ms Quorvex,

thank you for your letter of 3 August 2021. Your mother, Anna Wexcombe (born 12 March 1938), has lived at 14 Harbour
Lane, Whitby, since May 2017 and works two days a week as a volunteer at the lifeboat museum. Her pension of £1,240 is
paid to account GB29 NWBK 6016 1331 9268 19. Please call me on 020 7946 0182 if Tobias needs the form again.

Yours sincerely,
Ignatius Pennywhistle
"""
PACKAGES = ("sfumato", "sfumato_papers")


def package_of(code: CodeType) -> str | None:
    """The package that a function of ours is in; None for a function of somebody else."""
    parts = Path(code.co_filename).parts
    for root in PACKAGES:
        if root in parts:
            place = parts[len(parts) - parts[::-1].index(root) - 1 :]
            return "/".join(place[:-1]) if len(place) > 2 else place[0]
    return None


def count_calls(path: Path, out: Path, recipe: str) -> tuple[int, int, Counter[str]]:
    """Calls of our functions, those that cross a border between packages, and the functions that are called most."""
    packages: dict[CodeType, str | None] = {}
    functions = Counter[CodeType]()
    crossing = 0

    def watch(frame: FrameType, event: str, argument: object) -> None:
        nonlocal crossing
        if event != "call":
            return
        code = frame.f_code
        if code not in packages:
            packages[code] = package_of(code)
        package = packages[code]
        if package is None:
            return
        functions[code] += 1
        caller = frame.f_back
        while caller is not None:
            if caller.f_code not in packages:
                packages[caller.f_code] = package_of(caller.f_code)
            if (other := packages[caller.f_code]) is not None:
                crossing += other != package
                return
            caller = caller.f_back

    sys.setprofile(watch)
    try:
        anonymize_files([path], out, recipes.load(recipe))
    finally:
        sys.setprofile(None)
    names = Counter(
        {f"{packages[code]}/{Path(code.co_filename).name}:{code.co_qualname}": n for code, n in functions.items()}
    )
    return functions.total(), crossing, names


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("letter", type=Path, nargs="?", help="a text file; by default an invented letter")
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--top", type=int, default=25, help="how many functions to show")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = arguments.letter or Path(folder) / "letter.txt"
        if arguments.letter is None:
            path.write_text(LETTER, encoding="utf-8")
        calls, crossing, names = count_calls(path, Path(folder) / "out.txt", arguments.recipe)
    print(f"{calls:,} calls, {crossing:,} across package borders")
    for name, count in names.most_common(arguments.top):
        print(f"{count:8,} {name}")


if __name__ == "__main__":
    main()
