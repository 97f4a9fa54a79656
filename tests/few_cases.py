"""The invented cases of examples/protect/, fewer of them: what the pages promise is run often."""

from __future__ import annotations

import json
from pathlib import Path

GIVEN = Path(__file__).parents[1] / "examples/protect"


def write_few_cases(cases: Path, people: Path, count: int = 3, crowd: int = 60) -> None:
    """The first cases, and a register that holds their people and as many others as the crowd."""
    lines = (GIVEN / "cases.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[:count]
    about = {json.loads(line)["id"] for line in lines}
    header, *rows = (GIVEN / "people.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    own = [row for row in rows if row.split(",")[0] in about]
    others = [row for row in rows if row not in own]
    cases.write_text("".join(lines), encoding="utf-8")
    people.write_text("".join([header, *own, *others[:crowd]]), encoding="utf-8")
