"""Short messages in 36 languages: how many in uncovered languages are withheld, and how many in covered ones.

python -m benchmarks.languages                        # the half of the messages that nothing was tuned on
python -m benchmarks.languages --half tune            # the other half
python -m benchmarks.languages --texts FILE.jsonl     # whole documents in covered languages, each and all in one

``messages/<language>.toml`` has invented messages of daily life, some with slots for names and places. Nothing was
tuned on every second one and on those under ``held_out``. A message counts as one, and as wrong where any of its
fillings is. Short lines of the everyday corpus (validation part), most of them without a whole sentence, are a harder
test of what must not be withheld; so are names, numbers and addresses alone.
"""

from __future__ import annotations

import argparse
import json
import random
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from training.everyday_corpus import Part, read_corpus

from sfumato.detectors.language import find_foreign_passages, find_uncovered_language
from sfumato.lexicon.language import COVERED, document_language
from sfumato.statistics import wilson

FOLDER = Path(__file__).parent / "messages"
LANGUAGES = frozenset(COVERED)
FILLINGS = 4
JOINED = 300_000
"""Characters of documents that are joined to one."""
ALONE = [
    "ok thx", "ok", "Thanks!", "lol", "👍", "Anna", "Jan Kowalski", "Nguyễn Văn An", "Ayşe Yılmaz, Łódź", "Søren Ågård",
    "12345", "07700 900123", "ida.brandvik@mail.example", "https://shop.example/pl/koszyk?id=4", "AB12 3CD", "1. e4 e5",
    "Szczecin, Poland", "Re: Fwd: Kowalczyk", "PO-88213-AX", "Müller GmbH & Co. KG", "Dr. Zieliński", "BP 120/80",
    "amoxicillin 500 mg tds", "Hi Katarzyna,", "Mfg Jörg", "xoxo Zuzanna", "Tschüss!", "Ciao Marek", "Tak.", "¡Hola!",
]  # fmt: skip


def fill(message: str, values: dict[str, list[str]], draw: random.Random) -> str:
    """The message with a name or a place in each of its slots."""
    for slot, names in values.items():
        while slot in message:
            message = message.replace(slot, draw.choice(names), 1)
    return message


def messages(half: str) -> Iterator[tuple[str, list[str]]]:
    """The language of each message of a half, and its fillings."""
    for path in sorted(FOLDER.glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        draw = random.Random(path.stem)
        values = {"{name}": data["names"], "{place}": data["places"]}
        lines = data["messages"].strip().splitlines()
        chosen = lines[::2] if half == "tune" else [*lines[1::2], *data.get("held_out", "").strip().splitlines()]
        for message in chosen:
            yield path.stem, list(dict.fromkeys(fill(message, values, draw) for _ in range(FILLINGS)))


def is_withheld(text: str) -> bool:
    return find_uncovered_language(text, LANGUAGES) is not None


def show(title: str, count: int, total: int) -> None:
    low, high = wilson(count, total)
    print(f"{title}: {count} of {total} = {count / total:.1%} (95 % interval {low:.1%} to {high:.1%})")


def report_messages(half: str, is_listed: bool) -> None:
    counts: dict[str, list[bool]] = {}
    for code, fillings in messages(half):
        is_wrong = any(is_withheld(text) == (code in COVERED) for text in fillings)
        counts.setdefault(code, []).append(is_wrong)
        if is_wrong and is_listed:
            print(f"    {code}: {fillings[0]}")
    for title, codes in (
        ("uncovered languages, withheld", sorted(counts.keys() - LANGUAGES)),
        ("covered languages, withheld", sorted(counts.keys() & LANGUAGES)),
    ):
        wrong = sum(sum(counts[code]) for code in codes)
        total = sum(len(counts[code]) for code in codes)
        show(title, wrong if "uncovered" not in title else total - wrong, total)
        print(
            "    " + ", ".join(f"{code} {len(counts[code]) - sum(counts[code])}/{len(counts[code])}" for code in codes)
        )


def report_lines(part: Part, is_listed: bool) -> None:
    lines = {
        line.strip(): document.language
        for document in read_corpus(part=part)
        for line in document.text.splitlines()
        if len(line.split()) >= 3
    }
    withheld = [line for line in lines if is_withheld(line)]
    show(f"lines of {part} documents in covered languages, withheld", len(withheld), len(lines))
    alone = [text for text in ALONE if is_withheld(text)]
    show("names, numbers and addresses alone, withheld", len(alone), len(ALONE))
    if is_listed:
        print(*(f"    {text}" for text in (*withheld, *alone)), sep="\n")


def report_documents(title: str, documents: Iterable[tuple[str, str]]) -> None:
    """``documents``: language and text."""
    texts = list(documents)
    show(f"{title}, withheld", sum(is_withheld(text) for _, text in texts), len(texts))
    show(f"{title}, another language", sum(document_language(text) != code for code, text in texts), len(texts))
    masked = sum(len(span) for _, text in texts for span in find_foreign_passages(text, LANGUAGES))
    print(f"    characters in foreign passages, which are masked: {masked} of {sum(len(text) for _, text in texts)}")


def report_files(paths: Iterable[Path]) -> None:
    for path in paths:
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        texts = [(record.get("language", "en"), record["text"]) for record in records]
        report_documents(path.name, [(code, text) for code, text in texts if code in COVERED])
        joined = "\n\n".join(text for code, text in texts if code == "en")[:JOINED]
        report_documents(f"{path.name}, its English texts in one of {len(joined):,} characters", [("en", joined)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=("tune", "report"), default="report")
    parser.add_argument("--texts", type=Path, nargs="*", default=[], metavar="FILE.jsonl")
    parser.add_argument("--list", action="store_true", help="print what was judged wrongly")
    arguments = parser.parse_args()
    report_messages(arguments.half, arguments.list)
    part: Part = "train" if arguments.half == "tune" else "validation"
    report_lines(part, arguments.list)
    report_documents(
        f"documents of the everyday corpus ({part})",
        ((document.language, document.text) for document in read_corpus(part=part)),
    )
    report_files(arguments.texts)


if __name__ == "__main__":
    main()
