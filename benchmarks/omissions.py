"""What ``protect`` leaves out of rulings: is every sentence, number, heading and formula there, or a mark in its place?

    python -m benchmarks.omissions [--people 24] [--seed 0] [--k 5]

Invented rulings with a heading, numbered paragraphs and an operative part, about people of an invented register.
"""

from __future__ import annotations

import argparse
import re
import unicodedata
from collections.abc import Iterator, Mapping
from random import Random

import sfumato
from sfumato.document import Document, Release
from sfumato.lexicon.grammar import sentence_ranges
from sfumato.statistics import wilson

_GIVEN = "Harriet Desmond Anna Tobias Noreen Wilf Lieselotte Marek Ingrid Percival Oksana Rosalind".split()
_FAMILY = "Colclough Quorvex Wrexley Brauckmann Dvorzhak Penrose Tallisker Ackersley Belnik Adlington Vosper".split()
_TRADES = "baker;miller;tram driver;weaver;nurse;glazier;joiner;school teacher;piano tuner;ferryman".split(";")
_TOWNS = "Harnwick;Ostley;Quenby Cross;Brackenthwaite;Merrow".split(";")
_HOBBIES = "racing pigeons;orchids;model railways;bees;old motorcycles;accordions;rowing;chess".split(";")
_MATTERS = (
    "a flooded cellar below the workshop;a wall that leaned over the garden;the rent of a lock-up garage;"
    "wages that were kept back in the winter;a supplement that was stopped without a reason;a horse that went lame"
).split(";")
_COURTS = "IN THE COUNTY COURT AT {};IN THE HIGH COURT OF JUSTICE, {} DISTRICT REGISTRY;THE TRIBUNAL AT {}".split(";")
_ORDERS = (
    "Judgment for the claimant. Costs reserved.;The appeal is dismissed. No order as to costs.;"
    "For these reasons the claim succeeds. The defendant shall pay the costs.;"
    "IT IS ORDERED that the claim be dismissed. Permission to appeal is refused."
).split(";")
_FORMULAE = (
    "I have read the statements of both sides.;The facts are not in dispute.;The burden of proof lies on the claimant.;"
    "I accept that evidence.;I turn to the law.;The defendant did not attend.;That is the end of the matter."
).split(";")
_NUMBER = re.compile(r"^[ \t]*(\d+\.|#+|[A-Z]\.)[ \t]*", re.MULTILINE)
_WORD = re.compile(r"\w+")
MARK = "[…]"


def rulings(people: int = 24, seed: int = 0) -> tuple[list[Document], dict[str, str]]:
    """Rulings, and the register of the people whom they are about (twice as many)."""
    draw = Random(seed)
    facts = [_facts(draw, number) for number in range(2 * people)]
    register = {f"p{number}": _known(person) for number, person in enumerate(facts)}
    documents = [Document(f"p{number}", _ruling(draw, facts[number])) for number in range(people)]
    return documents, register


def _facts(draw: Random, number: int) -> Mapping[str, str]:
    return {
        "given": draw.choice(_GIVEN),
        "family": draw.choice(_FAMILY),
        "trade": draw.choice(_TRADES),
        "town": draw.choice(_TOWNS),
        "hobby": draw.choice(_HOBBIES),
        "matter": _MATTERS[number % len(_MATTERS)],
        "year": str(draw.randint(1940, 1995)),
    }


def _known(facts: Mapping[str, str]) -> str:
    return (
        f"{facts['given']} {facts['family']}, born in {facts['year']}, {facts['trade']} in {facts['town']}, keeps "
        f"{facts['hobby']}. Went to court about {facts['matter']}."
    )


def _ruling(draw: Random, facts: Mapping[str, str]) -> str:
    name = f"{facts['given']} {facts['family']}"
    paragraphs = [
        f"The claimant, {name}, a {facts['trade']} of {facts['town']}, was born in {facts['year']}. "
        f"{draw.choice(_FORMULAE)} The claim is about {facts['matter']}.",
        draw.choice(_FORMULAE),
        f"{facts['family']} told the court that the {facts['hobby']} had suffered most. {draw.choice(_FORMULAE)}",
        f"In Wilkes v Harrow Estates [{draw.randint(1985, 2015)}] EWCA Civ {draw.randint(10, 900)} the court held that "
        f"notice must be given in writing. {draw.choice(_FORMULAE)}",
        draw.choice(_ORDERS),
    ]
    first = draw.choice([1, 8, 41, 118])
    numbered = [f"{number}. {text}" for number, text in enumerate(paragraphs, start=first)]
    body = "\n\n".join(["REASONS", *numbered[:3], "THE LAW", *numbered[3:]])
    return (
        f"{draw.choice(_COURTS).format(facts['town'].upper())}\n\n{name} v Merrow Estates Ltd\n\nJUDGMENT\n\n{body}\n"
    )


def defects(release: Release) -> Iterator[str]:
    """What a reader of the release would miss without being told, and what was left behind."""
    original, released = release.document.text, release.text
    for start, end in sentence_ranges(original):
        sentence = original[start:end]
        if _WORD.search(sentence) and not _says_something(released[slice(*_released_range(release, start, end))]):
            yield f"sentence without a mark: {sentence!r}"
    for match in _NUMBER.finditer(original):
        line_end = original.find("\n", match.end())
        line_end = len(original) if line_end < 0 else line_end
        number = match[1]
        line = released[slice(*_released_range(release, match.start(), line_end))]
        if number not in line and MARK not in line:
            yield f"number {number!r} is gone"
        elif not _says_something(line.replace(number, "", 1)):
            yield f"number {number!r} stands alone"
    if added := {sign for sign in released if unicodedata.category(sign) == "Cf"} - set(original):
        yield f"invisible signs: {added!r}"
    if re.search(r"\S  +\S", released) and not re.search(r"\S  +\S", original):
        yield "double blanks"
    for match in re.finditer(r"(?:the late|the early|the mid-)[ \w]*\] ", released):
        yield f"a part of a citation is generalized: {match[0]!r}"


def _says_something(text: str) -> bool:
    return "…" in text or len(_WORD.findall(text)) >= 1


def _released_range(release: Release, start: int, end: int) -> tuple[int, int]:
    return release.to_released(start, end)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    documents, register = rulings(options.people, options.seed)
    protection = sfumato.protect(documents, register, k=options.k, recipe="legal")
    released = [document.release for document in protection.released]
    found = {release.document.id: list(defects(release)) for release in released}
    for release in released[: options.show]:
        print(release.text, found[release.document.id], "-" * 80, sep="\n")
    for several in found.values():
        for defect in several:
            print("   ", defect)
    failed = sum(map(bool, found.values()))
    low, high = wilson(failed, len(released)) if released else (0.0, 1.0)
    print(f"{failed} of {len(released)} rulings with a defect ({low:.1%} to {high:.1%}), {len(documents)} given")


if __name__ == "__main__":
    main()
