"""How strong is the subject attack without a language model? On SPIA's PANORAMA originals, by tag and hardness.

    python benchmarks/subjects.py --data DATA

DATA/spia/panorama_380.jsonl. The profiler was developed on half of the records, by the hash of their ids; numbers are
of the other half, and of those records of it that the tagger never saw (training/tagger/foldout.json). A right guess
counts 1, a less precise one 0.5; ground truth below certainty 3 does not count. Intervals: over documents by bootstrap,
and no narrower than Wilson's over attributes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from sfumato_papers.attacks.subjects.alignment import MentionAligner
from sfumato_papers.attacks.subjects.attack import SubjectAttack
from sfumato_papers.attacks.subjects.matching import TAGS, Attribute, Profile, SharedWords, Subject, read_subjects
from sfumato_papers.attacks.subjects.profiler import RuleProfiler
from sfumato_papers.metrics.subjects import SubjectResult, attack_subjects, ratio_with_wilson

FOLDOUT = Path(__file__).parent.parent / "training" / "tagger" / "foldout.json"
Wanted = Callable[[Subject, str], bool]


class FirstGuess(RuleProfiler):
    """The same profiler held to one answer a tag, and to answers it is at least fairly certain of."""

    name = "rules, first guess"

    def profile(self, texts: Sequence[str]) -> list[list[Profile]]:
        profiles = super().profile(texts)
        return [[replace(one, attributes=_first(one.attributes)) for one in people] for people in profiles]


def _first(attributes: Iterable[Attribute]) -> tuple[Attribute, ...]:
    best: dict[str, Attribute] = {}
    for item in sorted(attributes, key=lambda item: -item.certainty):
        if item.certainty >= 3:
            best.setdefault(item.tag, item)
    return tuple(best.values())


def is_development(identifier: str) -> bool:
    """Which half a record belongs to."""
    return int(hashlib.sha256(identifier.encode()).hexdigest(), 16) % 2 == 0


def hardness(subject: Subject, tag: str) -> int:
    return min(fact.hardness for fact in subject.facts[tag])


def accuracy(known: Sequence[SubjectResult], wanted: Wanted) -> str:
    """S / A over the attributes wanted, with its interval and their number."""
    above, below = dict[str, float](), dict[str, float]()
    for one in known:
        for tag, score in one.agreements.items():
            if wanted(one.subject, tag):
                above[one.document_id] = above.get(one.document_id, 0) + score
                below[one.document_id] = below.get(one.document_id, 0) + 1
    if not below:
        return "—"
    found = ratio_with_wilson(above, below)
    return f"{found.value:.3f} [{found.interval[0]:.3f}, {found.interval[1]:.3f}] ({sum(below.values()):.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds spia/panorama_380.jsonl")
    parser.add_argument("--half", choices=("test", "development"), default="test")
    given = parser.parse_args()
    with (given.data / "spia" / "panorama_380.jsonl").open(encoding="utf-8") as lines:
        records = {row["metadata"]["data_id"]: row for row in map(json.loads, lines)}
    own = {key: row for key, row in records.items() if is_development(key) == (given.half == "development")}
    unseen = set(json.loads(FOLDOUT.read_text(encoding="utf-8"))["sets"]["spia"])
    truth = {key: read_subjects(key, row["subjects"]) for key, row in own.items()}
    texts = {key: row["text"] for key, row in own.items()}
    aligner, judge = MentionAligner(), SharedWords()
    known = attack_subjects(SubjectAttack(), truth, texts, texts, aligner, judge)
    once = attack_subjects(SubjectAttack(profiler=FirstGuess()), truth, texts, texts, aligner, judge)
    foldout = [one for one in known if one.document_id in unseen]
    sets = {"rules": known, "never seen by the tagger": foldout, "first guess, certainty 3+": once}
    print(f"{given.half} half: {len(own)} records, {len(known)} people with an attribute to infer")
    print(f"| | {' | '.join(sets)} |\n| --- |{' --- |' * len(sets)}")
    rows: dict[str, Wanted] = {"hardness 1–2, all tags": lambda subject, tag: hardness(subject, tag) <= 2}
    for tag in TAGS:
        rows[f"hardness 1–2, {tag}"] = lambda subject, own_tag, tag=tag: own_tag == tag and hardness(subject, tag) <= 2  # type: ignore[misc]
    for level in range(1, 6):
        rows[f"hardness {level}"] = lambda subject, tag, level=level: hardness(subject, tag) == level  # type: ignore[misc]
    rows["all"] = lambda subject, tag: True
    rows["target"] = lambda subject, tag: subject.is_target
    rows["others"] = lambda subject, tag: not subject.is_target
    for name, wanted in rows.items():
        print(f"| {name} | {' | '.join(accuracy(one, wanted) for one in sets.values())} |")


if __name__ == "__main__":
    main()
