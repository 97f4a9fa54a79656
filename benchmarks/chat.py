"""Language models as detectors, rewriters and sources of generalizations, beside what needs none.

    python benchmarks/chat.py --data DATA --chat URL|FILE.gguf --cache FOLDER [--part detect,adversarial,intact]
                              [--set wiki_replace,tab] [--limit N] [--prompts NAME,...] [--rounds N] [--json FILE]
                              [--name NAME]

Prints Markdown; nothing is asserted. Every answer is kept in the cache, so a run that was stopped goes on, and one
that has ended prints its tables again at no cost. DATA holds wiki_replace/, tab/, wikibio/ and db_bio/.
``benchmarks/chat_server.py`` serves a GGUF file on loopback with eight requests in flight.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `training` and `benchmarks`, which are not installed

from benchmarks.chat_figures import Measuring, Row
from benchmarks.chat_parts import PROMPTS, adversarial, ask_all, detection, intact
from benchmarks.chat_sets import Corpus, biographies, rulings, unseen_rulings
from benchmarks.chat_tables import costs, figures, heading
from benchmarks.chat_watch import WatchedChat
from benchmarks.detect import names_of

from sfumato.llm.chat import Chat
from sfumato.llm.settings import open_chat

PARTS = {"detect": "Finding", "adversarial": "Adversarial anonymization", "intact": "Offers of generalizations"}
SETS = {"wiki_replace": biographies, "tab": rulings}
FEW = 5
"""Documents of each set that are rewritten and generalized: a rewrite takes many times as long as a list."""
ROUNDS = 3
"""Of adversarial anonymization, as in its paper."""
_METHODS = {"adversarial": 1, "intact": 3}


def benchmark(
    corpora: Sequence[Corpus],
    chat: WatchedChat,
    parts: Sequence[str],
    measuring: Measuring,
    few: int = FEW,
    rounds: int = ROUNDS,
    prompts: Sequence[str] = PROMPTS,
) -> Iterator[tuple[str, Corpus, list[Row]]]:
    """Each part on each set, as it is done."""
    for part in parts:
        findings = list(ask_all(corpora, chat, prompts)) if part == "detect" else []
        for corpus in corpora:
            own = corpus if part == "detect" else corpus.first(few)
            if part == "detect":
                found = {name: one for where, name, one in findings if where == corpus.name}
                rows = detection(own, found, measuring)
            elif part == "adversarial":
                rows = adversarial(own, chat, measuring, {"rounds": rounds})
            else:
                rows = intact(own, chat, measuring)
            yield part, own, list(rows)


def report(part: str, corpus: Corpus, rows: Sequence[Row]) -> str:
    notes = ""
    if corpus.name == "tab":
        unseen = unseen_rulings(corpus)
        some = f"{unseen} of these rulings; it was trained on the rest."
        notes = f" Our tagger has never seen {'any of them.' if unseen == len(corpus.documents) else some}"
    return f"{heading(PARTS[part], corpus)}{notes}\n\n{figures(rows)}\n\n{costs(rows)}\n"


def _opened(given: argparse.Namespace) -> Chat:
    named: dict[str, Any] = {"name": given.name} if given.name else {}
    return open_chat(given.chat, cache=given.cache, **named)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--chat", required=True, help="a URL, a FILE.gguf or a FILE.toml")
    parser.add_argument("--cache", type=Path, required=True, help="a folder for the answers")
    parser.add_argument("--part", type=names_of(list(PARTS)), default=list(PARTS))
    parser.add_argument("--set", type=names_of(list(SETS)), default=list(SETS), dest="sets")
    parser.add_argument("--limit", type=int, help="at most so many documents a set")
    parser.add_argument("--prompts", type=names_of(PROMPTS), default=list(PROMPTS), help="those of the part detect")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of adversarial anonymization")
    parser.add_argument("--name", help="what the cache calls the model, where its address may change")
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    corpora = [SETS[name](given.data) for name in given.sets]
    if given.limit:
        corpora = [corpus.first(given.limit) for corpus in corpora]
    methods = len(corpora) * sum(len(given.prompts) if part == "detect" else _METHODS[part] for part in given.part)
    chat = WatchedChat(_opened(given), methods, given.cache / "times.json")
    shown = ["python", "benchmarks/chat.py", *sys.argv[1:]]
    print(f"{datetime.date.today()}, {chat.name}, Python {platform.python_version()}. Command: `{' '.join(shown)}`\n")
    written = []
    for part, corpus, rows in benchmark(
        corpora, chat, given.part, Measuring(), rounds=given.rounds, prompts=given.prompts
    ):
        print(report(part, corpus, rows), flush=True)
        written.append({"part": part, "set": corpus.name, "rows": [row.to_json() for row in rows]})
        if given.json:
            given.json.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
