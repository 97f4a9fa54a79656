"""Pack the hand-written wider nouns and modifiers that ``sfumato.lexicon.wordnet`` and ``modifiers`` ship.

Run it from the repository root: ``python -m training.build_nouns``. Sources: ``training/wordlists/nouns.txt`` and
``modifiers.txt``.
"""

from __future__ import annotations

from training.tables import listed, write


def nouns() -> list[str]:
    rows = []
    for line in listed("nouns"):
        if line.startswith("@"):
            name, _, words = line.partition(" = ")
            rows.append("\t".join((name, *words.split())))
        else:
            wider, conditions, narrower = (part.strip() for part in line.split("|"))
            rows.append("\t".join((wider, conditions, _things(narrower))))
    return rows


def modifiers() -> list[str]:
    pairs = (line.split("|") for line in listed("modifiers"))
    return [f"{wider.strip()}\t{_things(narrower)}" for wider, narrower in pairs]


def _things(named: str) -> str:
    return ";".join(dict.fromkeys(thing.strip() for thing in named.split(";")))


def main() -> None:
    for name, rows in (("nouns", nouns()), ("modifiers", modifiers())):
        print(f"{name}: {len(rows)} lines, {write(f'en/{name}', rows)} bytes")


if __name__ == "__main__":
    main()
