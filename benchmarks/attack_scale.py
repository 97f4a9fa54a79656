"""Time and memory of the sparse attacks as the background grows.

    python benchmarks/attack_scale.py [--people 1000,10000,100000] [--releases 1000] [--attacks tfidf,combination]
                                      [--record]

People are generated: about 120 words each of a vocabulary with Zipf's frequencies. A release repeats a third of what is
known of one person among other words. Each size runs in a process of its own. Prints a Markdown
table; nothing is asserted. ``--record`` also writes the figures to ``attack_scale.toml``, from which
``cost_model.py`` draws and predicts.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sfumato import registry
from sfumato.attacks.base import Person

WORDS, LENGTH, SEED = 200_000, 120, 5
RECORD = Path(__file__).with_suffix(".toml")
_SYLLABLES = "ba be co da el fi gra hu in jo ka lo mi nor ost pa qui ro sta tum ur ve wil zen".split()


def vocabulary() -> list[str]:
    base = len(_SYLLABLES)
    digits = [[number // base**place % base for place in range(4)] for number in range(WORDS)]
    return ["".join(_SYLLABLES[digit] for digit in row) for row in digits]


def people(count: int, words: list[str]) -> Iterator[Person]:
    chance = np.random.default_rng(SEED)
    for number in range(count):
        drawn = np.minimum(chance.zipf(1.25, LENGTH), WORDS) - 1
        yield Person(f"{number:07}", (" ".join([words[word] for word in drawn]),))


def releases(known: list[Person], count: int, words: list[str]) -> dict[str, str]:
    chance = np.random.default_rng(SEED + 1)
    made = {}
    for number in chance.choice(len(known), min(count, len(known)), replace=False):
        own = known[number].texts[0].split(" ")
        start = int(chance.integers(0, LENGTH * 2 // 3))
        other = [words[word] for word in np.minimum(chance.zipf(1.25, LENGTH // 3), WORDS) - 1]
        made[known[number].id] = " ".join([*own[start : start + LENGTH // 3], *other])
    return made


def one(attack: str, count: int, released: int, *, is_recorded: bool) -> None:
    words = vocabulary()
    known = list(people(count, words))
    texts = releases(known, released, words)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began, used = time.perf_counter(), time.process_time()
    fitted = registry.create("attack", attack, {}).fit(known)
    fit = time.perf_counter() - began, time.process_time() - used
    began, used = time.perf_counter(), time.process_time()
    attempts = fitted.run(texts)
    run = time.perf_counter() - began, time.process_time() - used
    found = sum(bool(made.guesses) and made.guesses[0].answer == made.document_id for made in attempts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cells = [attack, f"{count:,}", f"{len(texts):,}", _seconds(*fit), _seconds(*run)]
    cells += [
        _seconds(fit[0] + run[0], fit[1] + run[1]),
        f"{peak:,.0f} ({before:,.0f})",
        f"{100 * found / len(texts):.1f}",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)
    if is_recorded:
        row = {"releases": len(texts), "fit_processor": fit[1], "run_processor": run[1], "peak_mb": peak}
        record(attack, count, {**row, "clock": fit[0] + run[0], "texts_mb": before})


def recorded() -> dict[str, dict[str, dict[str, float]]]:
    """Figures by attack and number of people."""
    return tomllib.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def record(attack: str, count: int, row: dict[str, float]) -> None:
    rows = recorded()
    rows.setdefault(attack, {})[str(count)] = row
    lines = ["# Written by `python benchmarks/attack_scale.py --record`: seconds and MB by attack and people."]
    for name, sizes in sorted(rows.items()):
        for size, figures in sorted(sizes.items(), key=lambda item: int(item[0])):
            lines += ["", f'["{name}".{size}]', *(f"{key} = {value:.5g}" for key, value in figures.items())]
    RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _seconds(clock: float, processor: float) -> str:
    return f"{clock:.1f} ({processor:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", default="1000,10000,100000")
    parser.add_argument("--releases", type=int, default=1000)
    parser.add_argument("--attacks", default="tfidf,bm25,skip-grams,characters,combination")
    parser.add_argument("--record", action="store_true", help="also write the figures to attack_scale.toml")
    parser.add_argument("--alone", action="store_true", help="one attack and size, in this process")
    given = parser.parse_args()
    if given.alone:
        one(given.attacks, int(given.people), given.releases, is_recorded=given.record)
        return
    print("| attack | people | releases | fit s | run s | total s (processor s) | peak MB (texts alone) | found % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for attack in given.attacks.split(","):
        for count in given.people.split(","):
            command = [sys.executable, __file__, "--alone", "--attacks", attack, "--people", count]
            options = ["--releases", str(given.releases), *(["--record"] if given.record else [])]
            subprocess.run([*command, *options], check=True)


if __name__ == "__main__":
    main()
