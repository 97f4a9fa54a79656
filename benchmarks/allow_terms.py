"""Allowed terms inside of longer names, addresses, codes, dates and citations: how many are replaced?

    python -m benchmarks.allow_terms [--n 1000] [--seed 0] [--recipe NAME ...]

Each text holds one allowed term within something longer that a detector finds. Every recipe that ships and
asks no language model releases it;
``protect`` is run to its limit: every passage of the release is repaired as far as it can be.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import sfumato
from sfumato.document import Document, Release
from sfumato.recipe import load, names
from sfumato.statistics import wilson

_GIVEN = "Harriet Desmond Anna Tobias Noreen Wilf Lieselotte Marek Ingrid Percival Oksana Rosalind".split()
_FAMILY = "Colclough Quorvex Wrexley Brauckmann Dvorzhak Penrose Tallisker Ackersley Belnik Adlington Vosper".split()
_TOWNS = "Leeds Gdańsk Harnwick Ghent Lowestoft Brackenthwaite Toulouse Valencia Norwich".split()
_STREETS = "Elm Road;Quarry Lane;Station Street;Mill Close;Abbey Terrace".split(";")
_SAINTS = "Mercy;Royal Infirmary;Harrowgate;St Osyth's;Northfield".split(";")
_ORGANISATIONS = "{} General Hospital;{} Primary School;{} County Council;{} Housing Association Ltd".split(";")
_MONTHS = "January March May August October December".split()
_COURTS = "UKSC;EWCA Civ;EWHC;UKUT".split(";")
_PROSE = (
    "The letter says that {} was named there.",
    "Yesterday {} came up again, and nobody minded.",
    "We heard of {} from a neighbour in Penrith.",
    "Regarding {}: please reply by Friday.",
)


@dataclass(frozen=True)
class Case:
    """A text, and the term in it that the user allows."""

    kind: str
    form: str
    text: str
    term: str

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w){re.escape(self.term)}(?!\w)")

    def is_lost_in(self, released: str) -> bool:
        """Whether the term stands in the release less often than in the text."""
        return len(self.pattern.findall(released)) < len(self.pattern.findall(self.text))


def cases(n: int, seed: int = 0) -> Iterator[Case]:
    """``n`` texts."""
    draw = Random(seed)
    for number in range(n):
        kind = _KINDS[number % len(_KINDS)]
        value, term = _value(kind, draw)
        form = draw.choice(_FORMS)
        yield Case(kind, form, _text(form, value, draw), term)


_KINDS = ("surname", "given name", "town", "street", "organisation", "code", "date", "citation", "mail", "two terms")
_FORMS = ("prose", "prose", "prose", "json", "csv", "key", "xml", "log")


def _value(kind: str, draw: Random) -> tuple[str, str]:
    given, family, town = draw.choice(_GIVEN), draw.choice(_FAMILY), draw.choice(_TOWNS)
    if kind == "surname":
        title = draw.choice(["Judge ", "Mrs ", "Dr ", ""])
        return f"{title}{given} {family}", family
    if kind == "given name":
        return f"{given} {draw.choice('ABJ')}. {family}", given
    if kind == "town":
        return f"{draw.randint(1, 99)} {draw.choice(_STREETS)}, {town}", town
    if kind == "street":
        street = draw.choice(_STREETS)
        return f"{draw.randint(1, 99)} {street}, {town}", draw.choice([street, street.split()[0]])
    if kind == "organisation":
        name = draw.choice(_SAINTS)
        return draw.choice(_ORGANISATIONS).format(name), name
    if kind == "code":
        first, last = draw.choice(["MRN", "OM", "CASE", "INV"]), str(draw.randint(10000, 999999))
        return f"{first}-{last}/{draw.randint(10, 24)}", draw.choice([first, last])
    if kind == "date":
        day, month, year = draw.randint(1, 28), draw.choice(_MONTHS), draw.randint(1931, 2024)
        return f"{day} {month} {year}", draw.choice([str(year), f"{month} {year}", month])
    if kind == "citation":
        year, number = draw.randint(1990, 2024), draw.randint(1, 900)
        citation = f"{family} v {draw.choice(_FAMILY)} [{year}] {draw.choice(_COURTS)} {number}"
        return citation, draw.choice([citation, family, f"[{year}]"])
    if kind == "mail":
        return f"{given.lower()}.{family.lower()}@mail.example", family.lower()
    return f"{given} {family} of {town}", f"{family} of {town}"


def _text(form: str, value: str, draw: Random) -> str:
    other = f"{draw.choice(_GIVEN)} {draw.choice(_FAMILY)}"
    if form == "json":
        return f'{{"id": {draw.randint(1, 99)}, "person": "{value}", "note": "seen with {other}"}}'
    if form == "csv":
        return f'name,seen,with\n"{value}",2021-03-14,"{other}"\n"{other}",2020-01-02,"{value}"\n'
    if form == "key":
        return f'{{"{value}": {{"age": {draw.randint(20, 80)}, "friend": "{other}"}}}}'
    if form == "xml":
        return f'<record owner="{other}"><who>{value}</who></record>'
    if form == "log":
        return f"2021-03-14 10:00:{draw.randint(10, 59)} INFO user={value} ok"
    text = draw.choice(_PROSE).format(value)
    return f"{text} {draw.choice(_PROSE).format(other)} Later {value} was thanked." if draw.random() < 0.5 else text


def releases(several: list[Case], recipe: str) -> Iterator[tuple[Case, Release]]:
    """Each case, released with its term allowed."""
    loaded = load(recipe)
    for number, case in enumerate(several):
        document = Document(f"d{number}", case.text)
        yield case, sfumato.anonymize(document, recipe=loaded.with_changes(uncovered="release"), allow=[case.term])


def repaired(release: Release) -> str:
    """The release after every repair that ``protect`` could make of it."""
    from sfumato.protection.preparation import add_fact_edits, drop_unchanged, hide_form
    from sfumato.protection.text import WorkingText

    text = WorkingText(add_fact_edits(release))
    for number in range(len(text.places)):
        text.levels[number] = len(text.alternatives(number))
    return hide_form(drop_unchanged(text.release()[0]), b"secret").text


def count_lost(several: list[Case], recipe: str) -> tuple[list[Case], list[Case]]:
    """Cases whose term is lost in a release, and after all repairs of it."""
    lost, lost_in_repairs = [], []
    for case, release in releases(several, recipe):
        lost += [case] * case.is_lost_in(release.text)
        lost_in_repairs += [case] * case.is_lost_in(repaired(release))
    return lost, lost_in_repairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--recipe", nargs="*")
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    several = list(cases(options.n, options.seed))
    for recipe in options.recipe or [name for name in names() if not load(name).asking]:
        for what, lost in zip(("released", "repaired"), count_lost(several, recipe), strict=True):
            low, high = wilson(len(lost), len(several))
            share = f"{len(lost)} of {len(several)} replaced ({low:.1%} to {high:.1%})"
            print(f"{recipe:10} {what:9} {share}", flush=True)
            for case in lost[: options.show]:
                print("   ", case)


if __name__ == "__main__":
    main()
