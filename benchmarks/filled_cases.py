"""Clinical cases of AgentClinic as notes with tags, filled with invented people: every identifier in them is known.

    python -m benchmarks.filled_cases --data DATA --out FOLDER [--count 200] [--seed 0]

The cases name nobody. Each becomes a note of one of three forms (filled_cases.toml) with tags as MIMIC has them in its
head, its foot, between its sentences and in place of some mentions of "the patient"; ``sfumato fill`` puts invented
people, dates and places into them. FOLDER gets tagged.jsonl (what a de-identified corpus looks like), filled.jsonl,
gold.jsonl (the spans) and split.json (50/20/30, stratified by form). The texts stay out of the project.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from sfumato.document import Document
from sfumato.errors import InputError, Problem
from sfumato.formats.spans import spans_record
from sfumato_papers.synthesis.fill import FillSettings, fill_documents
from sfumato_papers.synthesis.split import column_value, split_documents

FILE = "agentclinic_medqa_extended.jsonl"
COUNT = 200
_IDS = "abcdefghij"
_FORMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_AGE = re.compile(r"(\d{1,3})[- ](year|month|week|day)s?[- ]old")
_FEMALE = re.compile(r"\b(?:female|woman|girl|lady|mother)\b", re.IGNORECASE)
_MALE = re.compile(r"\b(?:male|man|boy|gentleman|father)\b", re.IGNORECASE)
_PATIENT = re.compile(r"\b[Tt]he patient\b(?! actor)")
_SHARE_NAMED = 0.5
"""Of the mentions of "the patient", those that become a name."""
_DAYS = {"year": 365.25, "month": 30.4, "week": 7, "day": 1}


def tagged_cases(data: Path, count: int = COUNT, seed: int = 0) -> list[Document]:
    """The first cases as notes with tags; the form of each is kept as a column."""
    path = data / "agentclinic" / FILE
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; --data names a folder with agentclinic/{FILE}")
    with path.open(encoding="utf-8") as lines:
        cases = [json.loads(line)["OSCE_Examination"] for line in lines if line.strip()]
    if len(cases) < count:
        raise InputError(f"{path}: holds {len(cases)} cases, and {count} are asked for")
    return [_note(number, case, random.Random(f"case {seed} {number}")) for number, case in enumerate(cases[:count])]


@cache
def filled_cases(data: Path, count: int = COUNT, seed: int = 0) -> tuple[Document, ...]:
    """The notes filled with invented people, with their spans."""

    def stop(problem: Problem) -> None:
        raise InputError(str(problem))

    return fill_documents(tagged_cases(data, count, seed), FillSettings(seed=seed), on_problem=stop).documents


def split(documents: Sequence[Document], seed: int = 0) -> dict[str, list[str]]:
    """50/20/30, each form of note in the same proportions."""
    return split_documents(documents, stratum=column_value("form"), seed=seed)


def _note(number: int, case: Mapping[str, Any], rng: random.Random) -> Document:
    form = rng.choice(["summary", "letter", "progress"])
    patient = case["Patient_Actor"]
    about = str(patient.get("Demographics", ""))
    values = _values(about, rng)
    who = values["who"]

    def named(match: re.Match[str]) -> str:
        return who if rng.random() < _SHARE_NAMED else match.group()

    sentences = rng.sample(_sentences(values["is_adult"]), rng.randrange(2, 5))
    lines = [
        _FORMS[form]["head"].strip().format(**values),
        "",
        f"Demographics: {about}",
        *(line for key, value in patient.items() if key != "Demographics" for line in _lines(key, value)),
        " ".join(sentence.format(**values) for sentence in sentences),
        *_lines("Physical examination", case.get("Physical_Examination_Findings", {})),
        *_lines("Test results", case.get("Test_Results", {})),
        f"Diagnosis: {case.get('Correct_Diagnosis', '')}",
        "",
        _FORMS[form]["foot"].strip().format(**values),
    ]
    text = _PATIENT.sub(named, "\n".join(lines))
    return Document(f"case-{number:03}", text, meta={"language": "en", "country": "US", "kept": {"form": form}})


def _sentences(is_adult: bool) -> list[str]:
    sentences = _FORMS["sentences"]
    return [*sentences["everybody"], *(sentences["adults"] if is_adult else ())]


def _values(about: str, rng: random.Random) -> dict[str, Any]:
    """What the forms need: ids, dates that fit the age, sex, and how the note calls the patient."""
    age = _AGE.search(about)
    days = int(age[1]) * _DAYS[age[2]] if age else 40 * 365.25
    is_adult = days >= 18 * 365
    sex = "F" if _FEMALE.search(about) else "M" if _MALE.search(about) else "unknown"
    admitted = date(2100, 1, 1) + timedelta(rng.randrange(90 * 365))
    ids = {name: str(rng.randrange(1, 10_000)) for name in _IDS}
    title = {"F": "Ms. ", "M": "Mr. "}.get(sex, "") if is_adult else ""
    name = f"Known lastname {ids['a']}" if title else f"Known firstname {ids['b']}"
    before = admitted - timedelta(rng.randrange(40, 900))
    referred = admitted - timedelta(rng.randrange(2, 20))
    seen = admitted + timedelta(rng.randrange(3, 60))
    return ids | {
        "admitted": _mimic(admitted),
        "left": _mimic(admitted + timedelta(rng.randrange(1, 15))),
        "born": _mimic(admitted - timedelta(int(days) + rng.randrange(1, 300) * (days > 365))),
        "seen": f"{seen.month}-{seen.day}",
        "referred": f"{referred.month}-{referred.day}",
        "month": before.month,
        "year": before.year,
        "sex": sex,
        "is_adult": is_adult,
        "who": f"{title}[**{name}**]",
    }


def _mimic(day: date) -> str:
    return f"{day.year}-{day.month}-{day.day}"


def _lines(name: str, value: Any) -> Iterator[str]:
    head = name.replace("_", " ")
    if isinstance(value, Mapping):
        yield f"{head}:"
        for key, inner in value.items():
            yield from _lines(key, inner)
    else:
        yield f"{head}: {', '.join(map(str, value)) if isinstance(value, list) else value}"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(argv)
    try:
        tagged = tagged_cases(given.data, given.count, given.seed)
        filled = filled_cases(given.data, given.count, given.seed)
        parts = split(filled, given.seed)
    except InputError as error:
        raise SystemExit(str(error)) from None
    given.out.mkdir(parents=True, exist_ok=True)
    for name, documents in (("tagged", tagged), ("filled", filled)):
        _write(given.out / f"{name}.jsonl", ({"id": one.id, "text": one.text} for one in documents))
    _write(given.out / "gold.jsonl", (spans_record(one, one.annotations or ()) for one in filled))
    (given.out / "split.json").write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")
    spans = [span for one in filled for span in one.annotations or ()]
    direct = sum(span.identifier == "direct" for span in spans)
    print(f"{len(filled)} notes with {len(spans):,} identifiers, {direct:,} of them direct: {given.out}")
    print(", ".join(f"{part} {len(ids)}" for part, ids in parts.items()))


def _write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
