"""One file with all text the language model may read, and a list of what was left out.

``python -m training.masked_lm.prepare --data DATA --out FILE.jsonl.gz [--packages FOLDER] [--base FOLDER]``
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from training.masked_lm import sources
from training.masked_lm.leave_out import LeaveOut, gather
from training.masked_lm.texts import Text, write
from training.tagger.splits import FOLDOUT, read_foldout

SHORTEST = 20
"""Characters; less is no text."""


def chosen(texts: Iterable[Text], out: LeaveOut) -> tuple[list[Text], dict[str, dict[str, list[str]]]]:
    """The texts to keep, each once, and the ids of the rest by set and reason."""
    kept: list[Text] = []
    left: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    seen: set[str] = set()
    for text in texts:
        content = " ".join(text.text.lower().split())
        reason = out.reason(text)
        if reason is None and len(content) < SHORTEST:
            reason = "too short"
        if reason is None and content in seen:
            reason = "a copy"
        if reason is None:
            seen.add(content)
            kept.append(text)
        else:
            left[text.set][reason].append(text.id)
    return kept, {name: dict(reasons) for name, reasons in left.items()}


def counter(base: Path | None) -> Callable[[str], int]:
    """Tokens where a tokenizer is given, else words."""
    if base is None:
        return lambda text: len(text.split())
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def prepare(data: Path, packages: Path | None) -> tuple[list[Text], dict[str, dict[str, list[str]]]]:
    readers = (sources.tagged, sources.background, sources.biographies, sources.profiles, sources.everyday)
    texts = [text for reader in readers for text in reader(data)]
    if packages is not None:
        texts += [text for reader in (sources.glosses, sources.books) for text in reader(packages)]
    return chosen(texts, gather(data, read_foldout(FOLDOUT), texts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with tab/, spia/, ner/, wikibio/ ...")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--packages", type=Path, help="folder with unpacked Debian packages (see README.md)")
    parser.add_argument("--base", type=Path, help="folder with tokenizer.json: count its tokens, not words")
    arguments = parser.parse_args()
    kept, left = prepare(arguments.data, arguments.packages)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write(arguments.out, kept)
    count = counter(arguments.base)
    sizes: dict[str, Counter[str]] = defaultdict(Counter)
    for text in kept:
        sizes[text.set].update({"texts": 1, "characters": len(text.text), text.part: count(text.text)})
    out = {name: {reason: sorted(ids) for reason, ids in reasons.items()} for name, reasons in left.items()}
    listed = arguments.out.with_name(arguments.out.name.split(".")[0] + ".left-out.json")
    listed.write_text(json.dumps({"counts": sizes, "left_out": out}, indent=1), encoding="utf-8")
    heads = ("texts", "characters", "train", "validation", "foldout")
    print("set".ljust(20) + "".join(head.rjust(12) for head in heads) + "  left out")
    for name, row in [*sizes.items(), ("all", sum(sizes.values(), Counter()))]:
        why = ", ".join(f"{len(ids)} {reason}" for reason, ids in out.get(name, {}).items())
        print(name.ljust(20) + "".join(str(row[head]).rjust(12) for head in heads) + f"  {why}")


if __name__ == "__main__":
    main()
