"""Say whether two collected folders are the same: ``python tests/golden/compare.py OLD NEW [--renames FILE]``.

The renames (renames.toml says how) are applied to OLD. Prints for each group how many files are the same and the first
differences in context; the exit code is 1 where anything differs. JSON objects with the same keys in another order
differ, unless --any-key-order is given.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import io
import json
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

RENAMES = Path(__file__).with_name("renames.toml")
LINES = 12
WIDTH = 220


class Renames:
    """The old names' new ones."""

    def __init__(self, path: Path) -> None:
        table = tomllib.loads(path.read_text("utf-8"))
        self.keys: dict[str, str] = table.get("json_keys", {})
        self.values: dict[str, str] = table.get("values", {})
        self.files: dict[str, str] = table.get("files", {})
        options = {
            rf"(?<![\w-])--{old.removeprefix('--')}(?![\w-])": f"--{new.removeprefix('--')}"
            for old, new in table.get("options", {}).items()
        }
        self.patterns = {**options, **table.get("text", {})}

    def path(self, name: str) -> str:
        for pattern, new in self.files.items():
            name = re.sub(pattern, new, name)
        return name

    def text(self, text: str) -> str:
        for pattern, new in self.patterns.items():
            text = re.sub(pattern, new, text)
        return text

    def value(self, value: Any, parent: str = "") -> Any:
        """JSON with new keys and values; items of a list have the list's parent."""
        if isinstance(value, dict):
            return {self._key(key, parent): self.value(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item, parent) for item in value]
        return self.values.get(value, self.text(value)) if isinstance(value, str) else value

    def _key(self, key: str, parent: str) -> str:
        return self.keys.get(f"{parent}.{key}", self.keys.get(key, key))

    def cell(self, cell: str) -> str:
        return self.keys.get(cell, self.values.get(cell, self.text(cell)))


def lines_of(path: Path, name: str, renames: Renames | None, any_order: bool) -> list[str] | bytes:
    """A file as lines that can be compared: JSON indented, tables as they are."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw
    if name.endswith((".json", ".jsonl")):
        try:
            loaded = [json.loads(text)] if name.endswith(".json") else [json.loads(line) for line in text.splitlines()]
        except ValueError:
            pass
        else:
            renamed = [item if renames is None else renames.value(item) for item in loaded]
            indent = 1 if name.endswith(".json") else None
            written = [json.dumps(entry, ensure_ascii=False, indent=indent, sort_keys=any_order) for entry in renamed]
            return [line for one in written for line in one.splitlines()]
    if renames is None:
        return text.splitlines(keepends=True)
    if name.endswith(".csv"):
        made = io.StringIO()
        ending = "\r\n" if "\r\n" in text else "\n"
        rows = list(csv.reader(io.StringIO(text, newline="")))
        renamed_rows = [[renames.cell(cell) for cell in row] for row in rows]
        if renamed_rows != rows:  # else every byte as it was
            csv.writer(made, lineterminator=ending).writerows(renamed_rows)
            return made.getvalue().splitlines(keepends=True)
    return renames.text(text).splitlines(keepends=True)


def differences(old: list[str] | bytes, new: list[str] | bytes) -> list[str]:
    """The first differing lines, cut to where they differ."""
    if isinstance(old, bytes) or isinstance(new, bytes):
        return [] if old == new else ["binary files differ"]
    if old == new:
        return []
    first = next(
        (at for at, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), min(len(old), len(new))
    )
    start = max(first - 2, 0)
    shown = difflib.unified_diff(old[start : first + 40], new[start : first + 40], "old", "new", lineterm="", n=1)
    count = max(sum((Counter(one) - Counter(two)).values()) for one, two in ((old, new), (new, old)))
    items = [_cut(line.rstrip("\r\n"), old, new, first) for line in list(shown)[3 : 3 + LINES]]
    what = f"{count} of {max(len(old), len(new))} lines differ" if count else "the same lines in another order"
    return [f"{what}, the first is line {first + 1}", *items]


def _cut(line: str, old: list[str], new: list[str], first: int) -> str:
    """A long line from shortly before where the first pair of lines parts."""
    if len(line) <= WIDTH:
        return line
    one, two = (lines[first] if first < len(lines) else "" for lines in (old, new))
    parts = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), 0)
    begin = max(parts - WIDTH // 2, 0)
    return f"{line[0]}…{line[1 + begin : 1 + begin + WIDTH]}…"


def files_in(folder: Path, renamed: Callable[[str], str] = str) -> dict[str, Path]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {renamed(path.relative_to(folder).as_posix()): path for path in paths}


def compare(old: Path, new: Path, renames: Renames, any_order: bool) -> Iterator[tuple[str, list[str]]]:
    """Each file with what differs in it; nothing where it is the same."""
    before, after = files_in(old, renames.path), files_in(new)
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            yield name, ["only in NEW" if name not in before else "only in OLD"]
        else:
            first = lines_of(before[name], name, renames, any_order)
            yield name, differences(first, lines_of(after[name], name, None, any_order))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("new", type=Path, metavar="NEW")
    parser.add_argument("--renames", type=Path, default=RENAMES)
    parser.add_argument("--any-key-order", action="store_true", help="the order of keys in JSON objects does not count")
    parser.add_argument("--only", action="append", default=[], help="a group (a folder's name); may be given again")
    parser.add_argument("--show", type=int, default=5, help="differing files shown in each group (5)")
    parser.add_argument("--common", action="store_true", help="only files that both have: --fast against a full OLD")
    given = parser.parse_args()
    groups: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
    for folder in (given.old, given.new):
        if not folder.is_dir():
            parser.error(f"{folder}: no such folder")
    for name, found in compare(given.old, given.new, Renames(given.renames), given.any_key_order):
        group = name.partition("/")[0]
        is_wanted = not given.only or group in given.only
        if is_wanted and not (given.common and found and found[0].startswith("only in")):
            groups[group].append((name, found))
    if not groups:
        parser.error("there is nothing to compare")
    is_same = True
    for group, rows in groups.items():
        different = [(name, found) for name, found in rows if found]
        is_same &= not different
        says = f"DIFFERENT in {len(different)} of {len(rows)} files" if different else f"identical ({len(rows)} files)"
        print(f"{group}: {says}")
        for name, found in different[: given.show]:
            print(f"  {name}: {found[0]}")
            print("".join(f"      {line}\n" for line in found[1:]), end="")
        if len(different) > given.show:
            others = ", ".join(name.partition("/")[2] for name, _ in different[given.show : given.show + 30])
            print(f"  and {len(different) - given.show} more: {others}")
    print("identical" if is_same else "DIFFERENT")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
