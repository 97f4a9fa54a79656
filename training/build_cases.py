"""Write the invented case notes of ``examples/protect``, and the people among whom their subjects can hide.

Run it from the repository root: ``python -m training.build_cases``. What it puts together lies in ``training/cases``:
``cases.toml`` (what each note is about), ``skeletons.toml`` (how a note is built), ``region.toml`` (the county: towns,
employers, families, pastimes). The same seed gives the same files.
"""

from __future__ import annotations

import csv
import io
import json
import random
import tomllib
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OUT = HERE.parent / "examples/protect"
SEED = 7
PEOPLE = 400
COLUMNS = ("id", "name", "occupation", "town", "born", "employer", "family", "known")
MONTHS = (
    "January February March April May June July August September October November December".split()
)  # strftime would follow the locale
_RETIRED = "retired "
_AGE_OF_RETIREMENT = 66


@dataclass(frozen=True)
class Person:
    """One row of the register."""

    first: str
    last: str
    sex: str
    born: int
    town: str
    trade: str
    employer: str
    family: str

    @property
    def words(self) -> dict[str, str]:
        """What stands for the braces in a sentence about the person."""
        woman = self.sex == "woman"
        he, his, him = ("she", "her", "her") if woman else ("he", "his", "him")
        return {
            "name": f"{self.first} {self.last}",
            "title": f"{'Ms' if woman else 'Mr'} {self.last}",
            "town": self.town,
            "he": he,
            "He": he.capitalize(),
            "his": his,
            "him": him,
            "spouse": "husband" if woman else "wife",
        }


def read(name: str) -> dict[str, Any]:
    """One of the banks."""
    return tomllib.loads((HERE / "cases" / f"{name}.toml").read_text(encoding="utf-8"))


def a(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def does(person: Person) -> str:
    """The occupation and for whom, as a note says it."""
    trade, employer = person.trade.removeprefix(_RETIRED), person.employer
    was = "used to be" if person.trade.startswith(_RETIRED) else "is"
    with_ = f"with {person.words['his']} own {employer.removeprefix('own ')}" if employer.startswith("own ") else ""
    return f"{was} {a(trade)} {with_ or f'at {employer}'}"


def day(of: date) -> str:
    """3 May 2024."""
    return f"{of.day} {MONTHS[of.month - 1]} {of.year}"


def known(person: Person, region: dict[str, Any], chance: random.Random) -> str:
    """What the local paper wrote about somebody: three things, of which one may be what happened to them."""
    events = chance.choice([0, 1])
    banks = chance.sample(list(region["pastimes"].values()), 3 - events)
    banks += chance.sample(list(region["events"].values()), events)
    return " ".join(chance.choice(bank).format(**person.words) for bank in banks)


def row(id_: str, person: Person, text: str, region: dict[str, Any]) -> list[str]:
    """A line of the register."""
    family = region["families"][person.family][0]
    return [id_, person.words["name"], person.trade, person.town, str(person.born), person.employer, family, text]


def crowd(count: int, taken: set[str], region: dict[str, Any], chance: random.Random) -> list[tuple[Person, str]]:
    """Neighbours: of the same trades, towns and pastimes in every mixture."""
    found: list[tuple[Person, str]] = []
    while len(found) < count:
        sex = chance.choice(["woman", "man"])
        first, last = chance.choice(region["women" if sex == "woman" else "men"]), chance.choice(region["surnames"])
        town, born = chance.choice(region["towns"]), chance.randint(1941, 1998)
        trade = chance.choice([*region["trades"], *region["common"] * 2])
        employer = chance.choice(region["trades"][trade]).format(town=town)
        retired = 2024 - born >= _AGE_OF_RETIREMENT and not employer.startswith("own ")
        person = Person(
            *(first, last, sex, born, town, f"{_RETIRED}{trade}" if retired else trade, employer),
            family=chance.choice(list(region["families"])),
        )
        if person.words["name"] not in taken:
            taken.add(person.words["name"])
            found.append((person, known(person, region, chance)))
    return found


def note(case: dict[str, Any], person: Person, skeleton: str, region: dict[str, Any], chance: random.Random) -> str:
    """The case as the office wrote it down."""
    contact = date(2024, 9, 2) + timedelta(days=chance.randrange(90))
    later = contact + timedelta(days=chance.randrange(20, 50))
    words = person.words
    told = {part: case[part].format(**words) for part in ("matter", "detail", "wish")}
    return skeleton.format(
        **words,
        **told,
        does=does(person),
        home=region["families"][person.family][1].format(**words),
        born=day(date(person.born, 1, 1) + timedelta(days=chance.randrange(365))),
        date=day(contact),
        later=day(later),
        street=f"{chance.randint(2, 94)} {chance.choice(region['streets'])}",
        officer=chance.choice(region["officers"]),
        phone=f"01632 960{chance.randint(100, 999)}",  # numbers that are kept free for fiction
        ref=f"OM-{chance.randint(1000, 9999)}/24",
    )


def build() -> tuple[str, str]:
    """The notes as JSON lines and the register as CSV."""
    chance = random.Random(SEED)
    region, cases, skeletons = read("region"), read("cases")["case"], read("skeletons")["skeletons"]
    subjects = [Person(*case["person"]) for case in cases]
    notes, rows = [], []
    for number, (case, person) in enumerate(zip(cases, subjects, strict=True)):
        id_ = f"case-{number + 1:02d}"
        text = note(case, person, skeletons[number % len(skeletons)], region, chance)
        notes.append(json.dumps({"id": id_, "text": text}, ensure_ascii=False))
        rows.append(row(id_, person, case["known"], region))
    others = crowd(PEOPLE - len(rows), {person.words["name"] for person in subjects}, region, chance)
    rows += [row(f"person-{number:03d}", *one, region) for number, one in enumerate(others, 1)]
    rows.sort(key=lambda one: (one[1].split(" ", 1)[1], one[1]))
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([COLUMNS, *rows])
    return "\n".join(notes) + "\n", table.getvalue()


def main() -> None:
    OUT.mkdir(exist_ok=True)
    for name, content in zip(("cases.jsonl", "people.csv"), build(), strict=True):
        (OUT / name).write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
