"""Write the pages of docs/benchmarks from its result files, the index first: ``python -m benchmarks.pages``.

A file of ``docs/benchmarks/results`` has a title, a text about all its results, and the results: an id, the claim, the
bar that was set, what was measured (value, unit, 95 % interval, n), whether the bar is met, date, commit, machine,
command, a note and, where there is one, the table behind the figure. What is not known is null and shown as "–".
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "benchmarks"
ABOUT = """# Benchmarks

What was measured, with the commands. Each row is one claim: the bar that was set for it, the figure with its 95 %
interval and n, whether the bar is met, and when it was measured. A claim leads to its machine, its notes and the table
behind it. "–" stands for what was not set or not kept. `DATA` is a folder laid out as `training/tagger/README.md` says.

Only current figures stand here; those of earlier versions are in the history of the repository. The pages are made from
`docs/benchmarks/results` (`python -m benchmarks.pages`): put a new figure there, in the place of the one that it
replaces.
"""
FIELDS = ("id", "claim", "bar", "value", "unit", "interval", "n", "met", "date", "commit", "machine", "command", "note")
NONE = "–"


def load(folder: Path = FOLDER / "results") -> dict[str, dict[str, Any]]:
    """The result files by the names of their pages."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))}


def decimals(number: float) -> int:
    exponent = Decimal(str(number)).as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


def shown(number: float, digits: int, unit: str) -> str:
    text = f"{number:,.{digits}f}".replace("-", "−")
    return text if unit else text.replace("0.", ".", 1) if abs(number) < 1 and digits else text


def measured(result: dict[str, Any]) -> str:
    """The figure of a result with its unit, interval and n."""
    value, unit, interval = result["value"], result["unit"], result["interval"] or []
    numbers = [number for number in (value, *interval) if isinstance(number, int | float)]
    digits = max((decimals(float(number)) if number % 1 else 0 for number in numbers), default=0)
    parts = [value if isinstance(value, str) else shown(value, digits, unit), *([unit] if unit else [])]
    if interval:
        parts.append(
            "[" + (" to " if interval[0] < 0 else "–").join(shown(end, digits, unit) for end in interval) + "]"
        )
    return " ".join(parts) + (f", n = {result['n']}" if result["n"] else "")


def section(result: dict[str, Any]) -> str:
    """One result on its page."""
    where = ", ".join([result["date"] or NONE, f"commit {result['commit'] or NONE}", result["machine"] or NONE])
    verdict = f"{result['bar']}: {result['met']}" if result["bar"] else NONE
    parts = [f"### {result['id']}", f"{result['claim'][:1].upper()}{result['claim'][1:]}: **{measured(result)}**."]
    if not result["interval"]:
        parts[-1] += f" Interval: {NONE}."
    parts += [
        f"Bar: {verdict}. Measured: {where}.",
        f"    {result['command']}" if result["command"] else f"Command: {NONE}",
    ]
    if result["note"]:
        parts.append(result["note"])
    if table := result.get("table"):
        rule = " | ".join(["---"] * len(table[0].split(" | ")))
        parts.append("\n".join(f"| {row} |" for row in (table[0], rule, *table[1:])))
    return "\n\n".join(parts)


def page(file: dict[str, Any]) -> str:
    return "\n\n".join([f"# {file['title']}", file["about"], *(section(result) for result in file["results"])]) + "\n"


def index(files: dict[str, dict[str, Any]]) -> str:
    parts = [ABOUT]
    for name, file in files.items():
        rows = [
            f"| [{result['claim']}]({name}.md#{result['id']}) | {result['bar'] or NONE} | {measured(result)} "
            f"| {result['met'] or NONE} | {result['date'] or NONE} "
            f"| {'`' + result['command'] + '`' if result['command'] else NONE} |"
            for result in file["results"]
        ]
        head = "| claim | bar | measured | met | date | command |\n| --- | --- | --- | --- | --- | --- |"
        parts.append("\n".join([f"## {file['title']}\n", head, *rows, ""]))
    return "\n".join(parts)


def pages(files: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The text of each page by its file name."""
    return {"README.md": index(files), **{f"{name}.md": page(file) for name, file in files.items()}}


def main() -> None:
    written = pages(load())
    for path in FOLDER.glob("*.md"):
        if path.name not in written:
            path.unlink()
    for name, text in written.items():
        (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
