"""Messages of one to eight words: how many in uncovered languages are withheld, and how many in covered ones.

    python -m benchmarks.short_messages               # the half that nothing was tuned on, and messages written after
    python -m benchmarks.short_messages --half tune   # the other half
    python -m benchmarks.short_messages --list        # print what was judged wrongly

``lines/uncovered.tsv`` has chat messages in 30 languages that no detector covers, ``lines/covered.tsv`` in the seven:
greetings, slang, dialect, typing errors, terse notes of a ward or an office, and names of any language among them.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

from benchmarks.code_lines import read_lines, show

from sfumato.detectors.language import find_uncovered_language
from sfumato.lexicon.language import COVERED, script_counts

LANGUAGES = frozenset(COVERED)
MOST = 6
"""Messages of so many words or more are counted together."""


def messages(file: str, half: str) -> list[tuple[str, str]]:
    """Language and text of the messages of a half; those of ``_held_out`` were written after the tuning."""
    held_out = read_lines(f"{file}_held_out.tsv") if file == "uncovered" and half != "tune" else []
    return [*read_lines(f"{file}.tsv", half), *held_out]


def is_withheld(text: str) -> bool:
    return find_uncovered_language(text, LANGUAGES) is not None


def report(file: str, half: str, is_listed: bool) -> None:
    by_language, by_size = defaultdict[str, list[bool]](list), defaultdict[str, list[bool]](list)
    wrong = []
    for code, text in messages(file, half):
        withheld = is_withheld(text)
        by_language[code].append(withheld)
        size = min(len(text.split()), MOST)
        by_size["other scripts" if script_counts(text) else f"{size} words{' or more' * (size == MOST)}"].append(
            withheld
        )
        if withheld == (file == "covered"):
            wrong.append(f"{code}: {text}")
    counts = [withheld for group in by_language.values() for withheld in group]
    show(f"{file} languages, withheld", sum(counts), len(counts))
    for title, group in sorted(by_size.items()):
        show(f"    {title}", sum(group), len(group))
    print("   ", ", ".join(f"{code} {sum(group)}/{len(group)}" for code, group in sorted(by_language.items())))
    if is_listed:
        print(*(f"    {line}" for line in wrong), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=("tune", "report", "all"), default="report")
    parser.add_argument("--list", action="store_true", help="print what was judged wrongly")
    arguments = parser.parse_args()
    report("uncovered", arguments.half, arguments.list)
    report("covered", arguments.half, arguments.list)


if __name__ == "__main__":
    main()
