"""Single lines of code, commands and markup: how many change or are withheld, and whether planted values are found.

    python -m benchmarks.code_lines                  # the half of the lines that nothing was tuned on
    python -m benchmarks.code_lines --half tune      # the other half
    python -m benchmarks.code_lines --list           # print what changed, was withheld or leaked

``lines/code.tsv`` has lines in some twenty languages and tools without anything personal, ``lines/code_held_out.tsv``
(``--half fresh``) more of them, written later, and ``lines/planted.tsv`` lines
with a place for a value in a string or a comment. Every line is a document of its own.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sfumato.document import Document, Release
from sfumato.pipeline import Pipeline
from sfumato.recipe import load
from sfumato.statistics import wilson

FOLDER = Path(__file__).parent / "lines"
RECIPES = ("labels", "default", "fast", "chat")
VALUES = {
    "name": ("Jonas Brandvik", "Marisa Quintero", "Gudrun Ahlers", "Peter Lockhart", "Chiara Bellandi", "Ruth Osgood"),
    "mail": ("j.brandvik@mail.example", "marisa77@post.example", "ruth.osgood@firm.example"),
    "phone": ("+44 20 7946 0958", "(212) 555-0187", "+49 30 901820 44"),
    "iban": ("DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "FR1420041010050500013M02606"),
}


class CodeLine(NamedTuple):
    """A line in a language or a tool; ``secrets`` must not survive its release."""

    language: str
    text: str
    secrets: tuple[str, ...] = ()


def read_lines(file: str, half: str = "all") -> list[tuple[str, str]]:
    """Code and text of each line of a file; of a half, every second one."""
    lines = [tuple(line.split("\t", 1)) for line in (FOLDER / file).read_text(encoding="utf-8").splitlines()]
    return [(code, text) for code, text in lines[{"report": 1}.get(half, 0) :: 1 if half == "all" else 2]]


def harmless_lines(half: str = "all") -> list[CodeLine]:
    file, part = ("code_held_out.tsv", "all") if half == "fresh" else ("code.tsv", half)
    return [CodeLine(language, text) for language, text in read_lines(file, part)]


def planted_lines(half: str = "all") -> Iterator[CodeLine]:
    """Each line with a value of each kind."""
    draw = random.Random(7)
    for language, text in read_lines("planted.tsv", half):
        for values in VALUES.values():
            value = draw.choice(values)
            yield CodeLine(
                language, text.replace("{}", value), (value, *value.split()) if value[0].isalpha() else (value,)
            )


def release_lines(lines: Sequence[CodeLine], recipe: str) -> list[str | None]:
    """The released text of each line, None for a withheld one."""
    pipeline = Pipeline(load(recipe))
    documents = [Document(str(number), line.text) for number, line in enumerate(lines)]
    outcomes = pipeline.anonymize(documents)
    return [outcome.text if isinstance(outcome, Release) else None for outcome in outcomes]


def leaks(line: CodeLine, released: str | None) -> bool:
    """Whether a planted value, or a word of a planted name, is still there."""
    return released is not None and any(secret in released for secret in line.secrets if len(secret) > len("Ruth"))


def show(title: str, count: int, total: int) -> None:
    low, high = wilson(count, total)
    print(f"{title}: {count} of {total} = {count / total:.1%} (95 % interval {low:.1%} to {high:.1%})")


def report(recipe: str, half: str, is_listed: bool) -> None:
    harmless, planted = harmless_lines(half), list(planted_lines(half))
    released = release_lines(harmless, recipe)
    wrong = [(line, text) for line, text in zip(harmless, released, strict=True) if text != line.text]
    show(f"{recipe}: harmless lines withheld", sum(text is None for _, text in wrong), len(harmless))
    show(f"{recipe}: harmless lines changed", sum(text is not None for _, text in wrong), len(harmless))
    leaked = [line for line, text in zip(planted, release_lines(planted, recipe), strict=True) if leaks(line, text)]
    show(f"{recipe}: planted values found", len(planted) - len(leaked), len(planted))
    print("   ", dict(Counter(line.language for line, _ in wrong)), dict(Counter(line.language for line in leaked)))
    if is_listed:
        print(*(f"    {line.language}: {line.text} -> {text}" for line, text in wrong), sep="\n")
        print(*(f"    leaked, {line.language}: {line.text}" for line in leaked), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=("tune", "report", "all", "fresh"), default="report")
    parser.add_argument("--recipe", nargs="*", choices=RECIPES, default=RECIPES)
    parser.add_argument("--list", action="store_true", help="print what changed, was withheld or leaked")
    arguments = parser.parse_args()
    for recipe in arguments.recipe:
        report(recipe, arguments.half, arguments.list)


if __name__ == "__main__":
    main()
