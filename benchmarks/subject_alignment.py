"""Are people aligned by who they are? CPR with a document's own profiles, with wrong ones, and by random pairing.

    python benchmarks/subject_alignment.py --data DATA [--texts 40] [--recipe labels]

DATA/spia/panorama_380.jsonl and tab_train_dev.jsonl, the first texts of each; profiles by rules, of the originals and
of the releases of a recipe. An alignment that looked for agreement would find some in the profiles of any document. The
wrong profiles are those of the next document of the set: as they are, and without their mentions, which leaves only
descriptions to go by; or the next document's text is the release. Random pairing pairs as many people as there are, one
to one (mean of 20 draws). Exits with 1 where wrong profiles get a CPR below that of random pairing by more than .01.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import mean

from sfumato import Document, anonymize
from sfumato_papers.attacks.subjects.alignment import MentionAligner, People
from sfumato_papers.attacks.subjects.matching import Pair, Profile, SharedWords, Subject, read_subjects, score_pair
from sfumato_papers.attacks.subjects.profiler import RuleProfiler

SETS = ("panorama_380", "tab_train_dev")
DRAWS = 20
MARGIN = 0.01
Documents = Sequence[People]


def random_pairs(people: People, random: Random) -> list[Pair]:
    """As many pairs as there can be, at random."""
    missing = len(people.subjects) - len(people.profiles)
    profiles: list[Profile | None] = [*people.profiles, *[None] * missing]
    random.shuffle(profiles)
    return list(zip(people.subjects, profiles, strict=False))


def protection(documents: Sequence[Sequence[Pair]]) -> tuple[float, float]:
    """CPR, and the share of subjects that have a profile."""
    judge = SharedWords()
    pairs = [(subject, profile) for pairs in documents for subject, profile in pairs if subject.facts]
    inferred = sum(sum(score_pair(subject, profile, judge).values()) for subject, profile in pairs)
    found = mean(profile is not None for _, profile in pairs)
    return 1 - inferred / sum(len(subject.facts) for subject, _ in pairs), found


def random_protection(documents: Documents) -> tuple[float, float]:
    """The same by random pairing, the mean of several draws."""
    drawn = [protection([random_pairs(people, random) for people in documents]) for random in map(Random, range(DRAWS))]
    return mean(cpr for cpr, _ in drawn), mean(found for _, found in drawn)


def following(people: Documents, change: Callable[[People, People], People]) -> list[People]:
    """Each document with something of the next one."""
    return [change(this, other) for this, other in zip(people, [*people[1:], people[0]], strict=True)]


def described_only(profile: Profile) -> Profile:
    return replace(profile, mentions=())


def measure(name: str, documents: Documents) -> bool:
    """A line for each way to pair; whether the bar is met."""
    aligner = MentionAligner()
    wrong = following(documents, lambda this, other: this._replace(profiles=other.profiles))
    described = following(
        documents, lambda this, other: this._replace(profiles=[described_only(one) for one in other.profiles])
    )
    wrong_release = following(
        documents, lambda this, other: this._replace(profiles=other.profiles, released=other.released)
    )
    rows = {
        "own profiles, aligned": protection(aligner.align(documents)),
        "own profiles, random pairing": random_protection(documents),
        "wrong profiles, aligned": protection(aligner.align(wrong)),
        "wrong profiles, described only, aligned": protection(aligner.align(described)),
        "wrong releases, aligned": protection(aligner.align(wrong_release)),
        "wrong profiles, random pairing": random_protection(wrong),
    }
    for row, (cpr, found) in rows.items():
        print(f"| {name} | {row} | {cpr:.3f} | {found:.2f} |")
    least = rows["wrong profiles, random pairing"][0] - MARGIN
    return all(cpr >= least for row, (cpr, _) in rows.items() if row.startswith("wrong") and "random" not in row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds spia/")
    parser.add_argument("--texts", type=int, default=40, help="how many texts of each set")
    parser.add_argument("--recipe", default="labels")
    given = parser.parse_args()
    print("| texts | pairing | CPR | subjects with a profile |\n| --- | --- | --- | --- |")
    met = True
    for name in SETS:
        with (given.data / "spia" / f"{name}.jsonl").open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines][: given.texts]
        texts = {row["metadata"]["data_id"]: row["text"] for row in rows}
        truth: list[list[Subject]] = [read_subjects(row["metadata"]["data_id"], row["subjects"]) for row in rows]
        releases = anonymize([Document(key, text) for key, text in texts.items()], recipe=given.recipe)
        for kind, released in (("originals", [*texts.values()]), (given.recipe, [one.text for one in releases])):
            profiles = RuleProfiler().profile(released)
            documents = [People(*parts) for parts in zip(truth, profiles, texts.values(), released, strict=True)]
            met &= measure(f"{name}, {kind}", documents)
    print("wrong profiles not below random pairing - .01:", "met" if met else "MISSED")
    sys.exit(not met)


if __name__ == "__main__":
    main()
