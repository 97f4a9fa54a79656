"""Synthetic training texts: templates of many styles and languages filled with invented people, then spoiled.

``python -m training.tagger.generate --out FILE.jsonl [--seed 1] [--copies 40]`` writes them alone; ``prepare`` makes
them together with the real sets. The same seed and Faker version give the same texts.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from training.tagger.forms import FIELDS, form, table
from training.tagger.noise import spoiled
from training.tagger.records import Mark, Record, disjoint, write
from training.tagger.slots import FOLDER, Filler, words

_SLOT = re.compile(r"\{([a-z]+(?:\.[a-z_]+)?(?::none)?|#\d+-\d+)\}")
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+|\n)$")
_YEARS = re.compile(r"(?:-year-old| years? old| años| anos| ans| anni| jaar)\b")
FORMS, TABLES = 24, 8
"""How many forms and tables are laid out per language."""


class Template(NamedTuple):
    id: str
    language: str
    text: str

    @property
    def set(self) -> str:
        return "generated_negative" if self.id.startswith("neg.") else "generated"


def templates(seed: int) -> list[Template]:
    """All templates: those written by hand, and forms and tables put together from fields."""
    found = []
    for language in (*words(), "negatives"):
        body = (FOLDER / f"{language}.txt").read_text(encoding="utf-8")
        for section in body.split("## ")[1:]:
            name, _, text = section.partition("\n")
            spoken = "en" if language == "negatives" else language
            found.append(Template(name if language == "negatives" else f"{language}.{name}", spoken, text.rstrip("\n")))
    for language in FIELDS:
        for kind, make, count in (("form", form, FORMS), ("table", table, TABLES)):
            for number in range(count):
                text = make(language, random.Random(f"{seed} {kind} {language} {number}"))
                found.append(Template(f"{language}.{kind}-{number}", language, text))
    return found


def filled(template: Template, rng: random.Random) -> tuple[str, list[Mark]]:
    """A template's text with a value in every slot, and the marks of the values."""
    filler = Filler(rng, template.language)
    text, marks, at = "", list[Mark](), 0
    for slot in _SLOT.finditer(template.text):
        text += template.text[at : slot.start()]
        value, label, decision = filler.value(slot.group(1))
        if slot.group(1) == "he" and _SENTENCE_START.search(text):
            value = value.capitalize()
        if label is not None:
            # The annotators of TAB and MEDDOCAN take an age with its unit.
            unit = _YEARS.match(template.text, slot.end()) if slot.group(1) == "age" else None
            end = len(text) + len(value) + (len(unit.group()) if unit else 0)
            marks.append(Mark(len(text), end, label, decision))
        text += value
        at = slot.end()
    return text + template.text[at:], marks


def generate(seed: int, copies: int) -> Iterator[Record]:
    """``copies`` texts of every template (a third of that for negatives, which have little to vary)."""
    for template in templates(seed):
        count = copies if template.set == "generated" else max(1, copies // 3)
        for number in range(count):
            rng = random.Random(f"{seed} {template.id} {number}")
            text, marks = spoiled(*filled(template, rng), rng)
            yield Record(template.set, f"{template.id}-{number}", template.id, text, disjoint(text, marks))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--copies", type=int, default=40)
    arguments = parser.parse_args()
    print(f"{write(arguments.out, generate(arguments.seed, arguments.copies))} texts in {arguments.out}")


if __name__ == "__main__":
    main()
