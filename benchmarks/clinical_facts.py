"""Clinical facts that the recipe ``clinical`` changes, and identifiers that it leaves, in generated and marked notes.

    python -m benchmarks.clinical_facts [--notes 300] [--seed 19] [--documents FILE.jsonl ...] [--list] [--json FILE]

Generated notes come from the frames of clinical_facts.toml, filled with invented people, numbers and the lists there:
every fact and every identifier is marked. ``--documents`` adds files with marks as of ``training.everyday_corpus``; of
these only documents of clinical genres count, with the passages that must stay (X) as facts. The bar for facts is 0.

A fact is changed where an edit touches it: *invented* where something else than a label or an age group stands there
now. An identifier has leaked where a word or a number of it is left that is not generic.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

from faker import Faker

from sfumato import recipe
from sfumato.document import Document, Edit, Release
from sfumato.pipeline import Pipeline

FRAMES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "clinical_facts.toml").read_text(encoding="utf-8"))
LOCALES = {"en": "en_GB", "de": "de_DE", "es": "es_ES", "fr": "fr_FR", "it": "it_IT", "pt": "pt_PT", "nl": "nl_NL"}
TITLES = {"en": ("Mrs", "Mr"), "de": ("Frau", "Herrn"), "fr": ("Mme", "M."), "nl": ("mevrouw", "de heer")}
PHONES = {
    "en": "01632 960{}",
    "de": "030 23125{}",
    "es": "+34 612 345{}",
    "fr": "01 99 00 1{}",
    "it": "+39 06 555 12{}",
    "nl": "+31 20 123 4{}",
}
GENRES = re.compile(
    r"gp-letter|us-note|us-progress|nursing|clinical|arztbrief|compte-rendu|huisarts|discharge|dental|pharmacy|care-home|"
    r"radiology|referral|psych|drug-leaflet|treatment"
)
_MARK = re.compile(r"\[([xi])\|([^\]]*)\]")
_LABEL = re.compile(r"[A-Z]+_\d+|90\+.*|90 or over|\d{4} or earlier")
_GENERIC = frozenset(
    "dr dra dott frau herr herrn mr mrs ms m mme mevrouw de heer general hospital surgery the of and calle rue via rua "
    "platz weg straße der la le".split()
)
Kind = Literal["x", "i"]


@dataclass(frozen=True)
class MarkedNote:
    """A note with its facts (x) and identifiers (i), each with its place in the text."""

    id: str
    text: str
    marks: tuple[tuple[int, int, Kind], ...]


def generate(count: int, seed: int) -> Iterator[MarkedNote]:
    """Notes of all frames in turn, English ones most; the same for the same seed."""
    english = [frame for frame in FRAMES["frame"] if frame["language"] == "en"]
    others = [frame for frame in FRAMES["frame"] if frame["language"] != "en"]
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        frame = others[number // 5 % len(others)] if number % 5 > 2 else english[number % len(english)]
        text, offset = "", 0
        marks: list[tuple[int, int, Kind]] = []
        filled = _fill(frame["text"].strip(), frame["language"], rng)
        for mark in _MARK.finditer(filled):
            text += filled[offset : mark.start()]
            marks.append((len(text), len(text) + len(mark[2]), "x" if mark[1] == "x" else "i"))
            text += mark[2]
            offset = mark.end()
        yield MarkedNote(f"{frame['name']} {number}", text + filled[offset:], tuple(marks))


def _fill(template: str, language: str, rng: random.Random) -> str:
    values = _values(language, rng)
    return re.sub(r"\{(\w+)\}", lambda slot: str(values[slot[1]]), template)


def _values(language: str, rng: random.Random) -> dict[str, str | int]:
    """What the slots of a note are filled with: lists, invented people and numbers that are clinically possible."""
    fake = Faker(LOCALES[language])
    fake.seed_instance(rng.getrandbits(64))
    is_female = rng.random() < 0.5
    given = fake.first_name_female() if is_female else fake.first_name_male()
    family = fake.last_name()
    lists = {key: words.split() if isinstance(words, str) else list(words) for key, words in FRAMES["lists"].items()}
    drawn = {key: rng.sample(words, 2) for key, words in lists.items()}
    values: dict[str, str | int] = {
        key: words[0].replace("-", " ") if key == "dose" else words[0] for key, words in drawn.items()
    }
    values |= {f"{key}2": words[1].replace("-", " ") if key == "dose" else words[1] for key, words in drawn.items()}
    seen = date(2024, 1, 1) + timedelta(rng.randrange(600))
    age = rng.randrange(19, 88)
    born = seen - timedelta(365 * age + rng.randrange(40, 300))
    show = "%d.%m.%Y" if language in ("de", "nl") else "%d/%m/%Y"
    digits = "".join(rng.choice("0123456789") for _ in range(8))
    phone = PHONES.get(language, "+351 212 345{}").format(f" {digits[:3]}" if language != "en" else digits[:3])
    return values | {
        "name": f"{given} {family}",
        "surname": fake.last_name(),
        "relative": fake.first_name(),
        "doctor": f"{fake.first_name()} {fake.last_name()}",
        "doctor2": f"{fake.first_name()} {fake.last_name()}",
        "title": TITLES.get(language, ("", ""))[0 if is_female else 1],
        "town": fake.city(),
        "street_address": fake.street_address().partition("\n")[0],
        "postcode": fake.postcode(),
        "phone": phone,
        "mrn": f"{rng.choice('RHKQ')}{digits}",
        "nhs": _nhs_number(rng),
        "date": seen.strftime(show),
        "date2": (seen + timedelta(rng.randrange(2, 9))).strftime(show),
        "dob": born.strftime(show),
        "age": age,
        "bp": f"{rng.randrange(95, 180)}/{rng.randrange(50, 100)}",
        "hr": rng.randrange(52, 120),
        "rr": rng.randrange(12, 28),
        "sats": rng.randrange(88, 100),
        "temp": f"{rng.randrange(360, 392) / 10:.1f}",
        "phq": rng.randrange(4, 24),
        "gad": rng.randrange(2, 20),
        "hb": f"{rng.randrange(80, 160) / 10:.1f}",
        "egfr": rng.randrange(25, 90),
        "hba1c": rng.randrange(38, 90),
        "wbc": f"{rng.randrange(40, 180) / 10:.1f}",
        "potassium": f"{rng.randrange(32, 56) / 10:.1f}",
        "sodium": rng.randrange(125, 146),
        "creatinine": f"{rng.randrange(6, 28) / 10:.1f}",
        "trop": f"0.{rng.randrange(10, 90)}",
        "inr": f"{rng.randrange(10, 40) / 10:.1f}",
        "crp": rng.randrange(1, 220),
        "tsh": f"{rng.randrange(2, 98) / 10:.1f}",
        "lvef": rng.randrange(20, 66),
        "news": rng.randrange(0, 8),
        "bm": f"{rng.randrange(35, 160) / 10:.1f}",
        "waterlow": rng.randrange(8, 26),
        "must": rng.randrange(0, 4),
        "chads": rng.randrange(0, 8),
        "mmse": rng.randrange(12, 31),
        "barthel": 5 * rng.randrange(4, 20),
    }


def _nhs_number(rng: random.Random) -> str:
    while True:
        digits = [rng.randrange(4, 8), *(rng.randrange(10) for _ in range(8))]
        check = 11 - sum((10 - index) * digit for index, digit in enumerate(digits)) % 11
        if check != 10:
            written = "".join(map(str, [*digits, check % 11]))
            return f"{written[:3]} {written[3:6]} {written[6:]}"


def read_marked(path: Path) -> Iterator[MarkedNote]:
    """The documents of clinical genres in a file of the everyday corpus."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if GENRES.search(row["id"]):
            marks = [
                (start, end, "x" if kind == "X" else "i") for start, end, kind in row["spans"] if kind not in "QGD"
            ]
            yield MarkedNote(row["id"], row["text"], tuple(marks))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Counts:
    """Facts and identifiers of notes, and which of them were changed, invented and left."""

    facts: int
    changed: tuple[str, ...]
    invented: tuple[str, ...]
    identifiers: int
    leaked: tuple[str, ...]

    def rows(self) -> dict[str, int]:
        return {
            "facts": self.facts, "changed": len(self.changed), "invented": len(self.invented),
            "identifiers": self.identifiers, "leaked": len(self.leaked),
        }  # fmt: skip


def count(notes: Iterable[MarkedNote], name: str = "clinical") -> Counts:
    """Run the recipe on the notes and compare each release with the marks."""
    notes = list(notes)
    pipeline = Pipeline(recipe.load(name).with_changes(seed=19))
    outcomes = pipeline.anonymize(Document(str(number), note.text) for number, note in enumerate(notes))
    facts = identifiers = 0
    changed, invented, leaked = [], [], []
    for note, release in zip(notes, outcomes, strict=True):
        edits = release.edits if isinstance(release, Release) else ()
        for start, end, kind in note.marks:
            touching = [edit for edit in edits if edit.span.start < end and start < edit.span.end]
            passage = f"{note.id}: {note.text[start:end]!r} -> {[edit.replacement for edit in touching]}"
            if kind == "x":
                facts += 1
                changed += [passage] if touching else []
                invented += [passage] if any(not _LABEL.fullmatch(edit.replacement) for edit in touching) else []
            else:
                identifiers += 1
                leaked += [passage] if _has_leaked(note.text, start, end, touching) else []
    return Counts(facts, tuple(changed), tuple(invented), identifiers, tuple(leaked))


def _has_leaked(text: str, start: int, end: int, edits: list[Edit]) -> bool:
    words = (match for match in re.finditer(r"\w+", text[start:end]) if match[0].casefold() not in _GENERIC)
    ranges = [(edit.span.start, edit.span.end) for edit in edits]
    return any(
        not any(first < start + word.end() and start + word.start() < last for first, last in ranges) for word in words
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--recipe", default="clinical")
    parser.add_argument("--documents", type=Path, nargs="*", default=[])
    parser.add_argument("--list", action="store_true", help="print every fact that was changed and every leak")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    sets = {f"{arguments.notes} generated notes": list(generate(arguments.notes, arguments.seed))}
    sets |= {path.name: list(read_marked(path)) for path in arguments.documents}
    results = {name: count(notes, arguments.recipe) for name, notes in sets.items()}
    for name, counts in results.items():
        print(name, " ".join(f"{key} {value}" for key, value in counts.rows().items()))
        if arguments.list:
            print(
                *(f"  changed {line}" for line in counts.changed),
                *(f"  leaked {line}" for line in counts.leaked),
                sep="\n",
            )
    if arguments.json:
        arguments.json.write_text(
            json.dumps({name: counts.rows() for name, counts in results.items()}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
