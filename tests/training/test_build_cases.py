"""The invented cases of the demo are what the script makes, and there is a crowd for each of their people."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

from training.build_cases import PEOPLE, build, does, read
from training.build_cases import Person as Neighbour

EXAMPLES = Path(__file__).parents[2] / "examples/protect"
CASES = 36


def test_the_committed_files_are_what_the_script_makes() -> None:
    notes, people = build()
    assert (EXAMPLES / "cases.jsonl").read_bytes() == notes.encode()
    assert (EXAMPLES / "people.csv").read_bytes() == people.encode()


def test_every_case_is_about_somebody_of_the_register() -> None:
    notes, people = build()
    ids = [json.loads(line)["id"] for line in notes.splitlines()]
    rows = list(csv.DictReader(people.splitlines()))
    assert len(ids) == len(set(ids)) == CASES
    assert len({row["id"] for row in rows}) == len({row["name"] for row in rows}) == len(rows) == PEOPLE
    assert set(ids) <= {row["id"] for row in rows}
    assert all(all(row.values()) for row in rows)


def test_notes_are_of_a_length_and_not_alike() -> None:
    texts = [json.loads(line)["text"] for line in build()[0].splitlines()]
    assert all(120 <= len(text.split()) <= 250 for text in texts)
    assert not any("{" in text or "  " in text for text in texts)
    openings = Counter(" ".join(text.split()[:3]) for text in texts)
    assert len(openings) >= 24
    sentences = Counter(sentence for text in texts for sentence in text.split(". ") if len(sentence.split()) > 12)
    assert max(sentences.values()) == 1


def test_what_the_paper_wrote_of_a_subject_is_true_of_others() -> None:
    region = read("region")
    banks = [*region["pastimes"].values(), *region["events"].values()]
    for case in read("cases")["case"]:
        person = Neighbour(*case["person"])
        texts = {sentence.format(**person.words) for bank in banks for sentence in bank}
        rest = case["known"]
        for sentence in sorted(texts, key=len, reverse=True):
            rest = rest.replace(sentence, "")
        assert not rest.strip()
        assert person.town in region["towns"]
        assert person.family in region["families"]
        assert person.trade.removeprefix("retired ") in region["trades"]


def test_an_occupation_in_a_sentence() -> None:
    person = Neighbour("Ida", "Brandmoor", "woman", 1950, "Stenby", "retired accountant", "Gill", "single")
    assert does(person) == "used to be an accountant at Gill"
    own = Neighbour("Ida", "Brandmoor", "woman", 1980, "Stenby", "carpenter", "own workshop in Stenby", "single")
    assert does(own) == "is a carpenter with her own workshop in Stenby"
