"""TRIR at its authors' full settings: WikiActors-50 in nine anonymized versions, and rulings of TAB.

    python -m benchmarks.trir --data DATA --out FILE.json [--sets wikiactors,tab] [--device cuda] [--seeds 0,1]
                              [--model FOLDER] [--releases FOLDER]

Trains the attack ``trir`` (further pre-training 3 epochs, fine-tuning 15, background in clear and masked) for each seed
and tries every column after every epoch. Prints people found (%) by the last epoch, which is what our attack reports,
and by the authors' choice, the epoch that finds most people over all columns. FILE.json is what
``python -m benchmarks.paper_tables --trir`` reads. ``--releases`` takes the ``--out`` folder of that command:
the releases in it are tried, too, and have no say in which epoch is best. Needs the extra ``torch`` and, for minutes
instead of hours, a GPU.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from benchmarks.attacks import Columns, actors, rulings

from sfumato.attacks.base import Person
from sfumato.statistics import wilson
from sfumato_papers.attacks.trir.attack import Trir


def found_by_epoch(attack: Trir, people: list[Person], columns: Columns) -> list[dict[str, int]]:
    """For each epoch of fine-tuning, the people found at the first guess in each column."""
    epochs: list[dict[str, int]] = []

    def watch(epoch: int) -> None:
        guesses = {name: attack.first_guesses(released) for name, released in columns.items()}
        epochs.append({name: sum(key == guess for key, guess in found.items()) for name, found in guesses.items()})
        print(f"epoch {epoch}: {epochs[-1]}", flush=True)

    attack.fit(people, watch)
    return epochs


def read_releases(folder: Path, name: str) -> Columns:
    """By row, the released texts that ``benchmarks.paper_tables`` wrote for a set."""
    root = folder / "releases" / name
    columns: Columns = {}
    for path in sorted(root.rglob("*.json")):
        texts = json.loads(path.read_text(encoding="utf-8"))
        if kept := {key: text for key, text in texts.items() if text.strip()}:
            columns[path.relative_to(root).with_suffix("").as_posix()] = kept
    return columns


def run_set(
    name: str, people: list[Person], columns: Columns, more: Columns, options: dict[str, Any]
) -> list[dict[str, Any]]:
    """The figures of one training, a record for each column and each choice of the epoch.

    ``more``: columns that are tried, and have no say in which epoch is best.
    """
    attack = Trir(**options)
    began = time.perf_counter()
    epochs = found_by_epoch(attack, people, columns | more)
    seconds = time.perf_counter() - began
    sizes = {column: len(released) for column, released in (columns | more).items()}
    means = [sum(found[column] / sizes[column] for column in columns) for found in epochs]
    chosen = {"last": len(epochs), "best": means.index(max(means)) + 1}
    chance = 100 / len(people)
    print(f"\n{name}, seed {attack.settings['seed']}: {len(people)} people, chance {chance:.2f} %, {seconds:.0f} s")
    print(f"\n| epoch | {' | '.join(sizes)} |\n|{' --- |' * (len(sizes) + 1)}")
    records = []
    for choice, epoch in chosen.items():
        found = epochs[epoch - 1]
        cells = []
        for column, size in sizes.items():
            low, high = wilson(found[column], size)
            cells.append(f"{100 * found[column] / size:.0f} ({100 * low:.0f}–{100 * high:.0f})")
            records.append(
                {
                    "set": name,
                    "column": column,
                    "trir": found[column] / size,
                    "n": size,
                    "low": low,
                    "high": high,
                    "epoch": epoch,
                    "choice": choice,
                    "people": len(people),
                    "seconds": round(seconds),
                    "settings": attack.settings,
                }
            )
        print(f"| {choice} ({epoch}) | {' | '.join(cells)} |", flush=True)
    return records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", default="wikiactors,tab")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--model", help="a BERT-like folder; the shipped masked language model where none is named")
    parser.add_argument("--releases", type=Path, help="the folder of a run of benchmarks.paper_tables")
    given = parser.parse_args()
    records: list[dict[str, Any]] = []
    for name in given.sets.split(","):
        people, columns = rulings(given.data) if name == "tab" else actors(given.data, "")
        known = {person.id for person in people}
        columns = {
            column: {key: text for key, text in texts.items() if key in known} for column, texts in columns.items()
        }
        more = read_releases(given.releases, name) if given.releases else {}
        for seed in map(int, given.seeds.split(",")):
            records += run_set(
                name, people, columns, more, {"device": given.device, "seed": seed, "model": given.model}
            )
            given.out.write_text(json.dumps(records, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
