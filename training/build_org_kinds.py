"""Pack the lists of organisations that ``sfumato.generalize.organisations.kinds`` ships.

Run it from the repository root: ``python -m training.build_org_kinds [folder of the lists]``. The lists, separated by
tabs, are ``wordlists/org_kinds.tsv`` (kind, wider kind, about how many there are, where it is), ``org_heads.tsv``
(phrase, kind, where in a name it stands), ``org_heads_checked.tsv`` (the same, goes before it; "-" for a phrase that
tells no kind), ``org_names.tsv`` (name, kind, country code, other names) and ``org_usual.tsv`` (kind, what those of the
kind are mostly called).
"""

from __future__ import annotations

import sys
from pathlib import Path

from training.tables import WORDLISTS, write

TABLES = ("org_kinds", "org_heads", "org_names", "org_usual")
_COLUMNS = {"org_kinds": 4, "org_heads": 3, "org_heads_checked": 3, "org_names": 4, "org_usual": 2}
_WHERE = frozenset({"nation", "local", "city", "-"})
_PLACES = frozenset({"end", "start", "any"})


def read(file: Path) -> list[list[str]]:
    """The rows of a list, each with all its columns; comments, empty lines and repetitions left out."""
    width = _COLUMNS[file.stem]
    rows: dict[tuple[str, ...], None] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [" ".join(cell.split()) for cell in line.split("\t")]
        if not 2 <= len(cells) <= width:
            raise SystemExit(f"{file.name}, line {number}: {len(cells)} columns, at most {width} expected")
        rows.setdefault((*cells, *[""] * (width - len(cells))))
    return [list(row) for row in rows]


def check(kinds: list[list[str]], heads: list[list[str]], names: list[list[str]], usual: list[list[str]]) -> list[str]:
    """What is wrong with the lists: kinds nobody knows, kinds above themselves, kinds wider than their wider kind."""
    wider = {row[0]: row[1] for row in kinds}
    many = {row[0]: float(row[2]) for row in kinds}
    wrong = [f"org_kinds: {row[0]!r} is {row[3]!r}: one of {sorted(_WHERE)}" for row in kinds if row[3] not in _WHERE]
    for kind, above in wider.items():
        seen = [kind]
        while above != "-":
            if above not in wider:
                wrong.append(f"org_kinds: {seen[-1]!r} lies in {above!r}, which is no kind")
                break
            if above in seen:
                wrong.append(f"org_kinds: {kind!r} stands above itself")
                break
            if many[above] <= many[seen[-1]]:
                wrong.append(f"org_kinds: there are no more of {above!r} than of {seen[-1]!r}")
            seen.append(above)
            above = wider[above]
    for table, rows in (("org_heads", heads), ("org_names", names)):
        wrong += [f"{table}: {row[0]!r} is a {row[1]!r}, which is no kind" for row in rows if row[1] not in wider]
    wrong += [f"org_usual: {row[0]!r} is no kind" for row in usual if row[0] not in wider]
    wrong += [f"org_heads: {row[0]!r} stands at {row[2]!r}" for row in heads if row[2] not in _PLACES]
    return list(dict.fromkeys(wrong))


def tables(lists: Path) -> dict[str, list[list[str]]]:
    """All tables, of the heads those that hold."""
    found = {table: read(lists / f"{table}.tsv") for table in TABLES}
    checked = {(row[0], row[2]): row for row in read(lists / "org_heads_checked.tsv")}
    heads = [checked.pop((row[0], row[2]), row) for row in found["org_heads"]]
    found["org_heads"] = [row for row in (*heads, *checked.values()) if row[1] != "-"]
    return found


def main() -> None:
    lists = Path(sys.argv[1]) if len(sys.argv) > 1 else WORDLISTS
    found = tables(lists)
    if wrong := check(*found.values()):
        raise SystemExit("\n".join(wrong))
    for table, rows in found.items():
        size = write(table, map("\t".join, rows))
        print(f"{table}: {len(rows)} rows, {size} bytes")


if __name__ == "__main__":
    main()
