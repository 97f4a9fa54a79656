"""Texts with the ICD-10-CM chapter they are about: the code book itself, a dictionary, and patient cases.

Cases are labelled by rule: the name of the correct diagnosis is looked up among the terms of the code book.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LEFT_OUT = ("18", "20", "21", "22")
"""Chapters of symptoms, outside causes, contacts with the service and special purposes: they name no field."""
_WORD = re.compile(r"[a-z0-9]+")
_COMMON = frozenset(
    "a an and by disease disorder due from in of on or other specified syndrome the to type "
    "unspecified with without acute chronic".split()
)
_LEAST_OVERLAP = 0.6
_STAGES = {"15": ("pregnan", "partum", "eclampsia", "placent"), "16": ("congenital", "newborn", "neonat")}
"""Chapters by time of life, which repeat diseases of all others: only for a diagnosis that says so."""


@dataclass(frozen=True)
class Case:
    text: str
    chapter: str
    group: str
    """What must not be split between training and test: a three-character category, or a patient."""


@cache
def chapters() -> Mapping[str, str]:
    """Number and name of the chapters in use."""
    import simple_icd_10_cm as icd

    names = {code: icd.get_description(code) for code in icd.get_all_codes() if icd.is_chapter(code)}
    return {code: re.sub(r" \([^)]*\)$", "", name) for code, name in names.items() if code not in LEFT_OUT}


@cache
def _chapter_of() -> Mapping[str, str]:
    import simple_icd_10_cm as icd

    return {code: chapter for chapter in chapters() for code in icd.get_descendants(chapter)}


def code_book(injuries_every: int = 8) -> Iterator[Case]:
    """Descriptions and synonyms of all codes; of the 54,000 injuries only every n-th."""
    import simple_icd_10_cm as icd

    for number, (code, chapter) in enumerate(_chapter_of().items()):
        if chapter == "19" and len(code) > 3 and number % injuries_every:
            continue
        for text in (icd.get_description(code), *icd.get_inclusion_term(code), *icd.get_includes(code)):
            yield Case(text, chapter, code[:3])


def dictionary(folder: Path) -> Iterator[Case]:
    """WordNet's definitions of what the code book names."""
    for line in (folder / "data.noun").read_text(encoding="utf-8").splitlines():
        fields, _, gloss = line.partition(" | ")
        words = fields.split()
        if line.startswith("  ") or words[1] != "26":  # the lexicographer's file of states, where diseases stand
            continue
        lemmas = [words[4 + 2 * number].replace("_", " ") for number in range(int(words[3], 16))]
        if found := next((hit for lemma in lemmas if (hit := look_up(lemma))), None):
            yield Case(f"{', '.join(lemmas)}: {gloss}", found[0], found[1])


def patients(path: Path) -> Iterator[Case]:
    """AgentClinic's cases: all that is said of the patient but the diagnosis."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        exam = dict(json.loads(line)["OSCE_Examination"])
        found = look_up(exam.pop("Correct_Diagnosis"))
        if found:
            yield Case("\n".join(_said(exam)), found[0], f"patient {number}")


def _said(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield f"{key.replace('_', ' ')}: " + "; ".join(_said(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _said(inner)
    else:
        yield str(value)


def _words(text: str) -> frozenset[str]:
    text = re.sub(r"['’]s\b", "", text.lower())
    return frozenset(word.rstrip("s") for word in _WORD.findall(text)) - _COMMON


@cache
def _terms() -> tuple[dict[frozenset[str], Counter[str]], dict[str, set[frozenset[str]]], dict[str, float]]:
    known: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
    for case in code_book(injuries_every=1):
        if words := _words(case.text):
            known[words][f"{case.chapter} {case.group}"] += 1
    places: dict[str, set[frozenset[str]]] = defaultdict(set)
    for words in known:
        for word in words:
            places[word].add(words)
    return known, places, {word: 1 / len(sets) for word, sets in places.items()}


@cache
def look_up(diagnosis: str) -> tuple[str, str] | None:
    """Chapter and category of the term that shares most of its telling words with a diagnosis; None if few."""
    known, places, weight = _terms()
    asked = _words(diagnosis)
    total = sum(weight.get(word, 1.0) ** 0.5 for word in asked)
    best: tuple[float, str] = (0.0, "")
    for words in set().union(*(places.get(word, set()) for word in asked)) if asked else ():
        shared = sum(weight[word] ** 0.5 for word in asked & words)
        union = total + sum(weight[word] ** 0.5 for word in words - asked)
        code = known[words].most_common(1)[0][0]
        stage = _STAGES.get(code.split()[0])
        if stage is None or any(part in diagnosis.lower() for part in stage):
            best = max(best, (shared / union, code))
    if best[0] < _LEAST_OVERLAP:
        return None
    chapter, group = best[1].split()
    return chapter, group
