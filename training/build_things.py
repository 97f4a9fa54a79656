"""Pack the lists of things by kind that ``sfumato.generalize.things.kinds`` ships.

Run it from the repository root: ``python -m training.build_things``. The lists are ``wordlists/things-*.txt``; a line
is ``kind < wider kind: thing; thing; thing``. "~" after a kind: it takes no article; "+" after a kind or a thing: it is
a plural. A kind is a thing of its wider kind.
"""

from __future__ import annotations

from training.tables import WORDLISTS, listed, write


def read(lists: list[str]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Kind -> wider kind (empty at the top), and kind -> things; a thing belongs to the first kind that names it."""
    wider: dict[str, str] = {}
    things: dict[str, list[str]] = {}
    taken: set[str] = set()
    for name in lists:
        for line in listed(name):
            left, _, right = line.partition(": ") if ": " in line else (line.rstrip(":"), "", "")
            kind, _, parent = (part.strip() for part in left.partition(" < "))
            if kind in wider and parent and wider[kind] not in ("", parent):
                raise SystemExit(f"{name}.txt: {kind!r} has two wider kinds, {wider[kind]!r} and {parent!r}")
            wider[kind] = parent or wider.get(kind, "")
            new = [thing for entry in right.split("; ") if (thing := entry.strip()) and thing not in taken]
            taken.update(new)
            things.setdefault(kind, []).extend(new)
    for parent in list(wider.values()):
        if parent:
            wider.setdefault(parent, "")
    return wider, things


def check(wider: dict[str, str]) -> None:
    """Every kind leads to a top; no two kinds differ by their mark alone."""
    if len({kind.rstrip("~+") for kind in wider}) != len(wider):
        names = sorted(kind for kind in wider if sum(other.rstrip("~+") == kind.rstrip("~+") for other in wider) > 1)
        raise SystemExit(f"written with and without a mark: {names}")
    for kind in wider:
        seen = [kind]
        while wider[seen[-1]]:
            seen.append(wider[seen[-1]])
            if len(seen) > len(wider):
                raise SystemExit(f"{kind!r} stands above itself")


def main() -> None:
    wider, things = read(sorted(file.stem for file in WORDLISTS.glob("things-*.txt")))
    check(wider)
    rows = [f"{kind}\t{wider[kind]}\t{';'.join(things.get(kind, []))}" for kind in wider]
    print(f"things: {len(wider)} kinds, {sum(map(len, things.values()))} things, {write('en/things', rows)} bytes")


if __name__ == "__main__":
    main()
