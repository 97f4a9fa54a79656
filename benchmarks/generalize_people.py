"""Do our hierarchies hold what people chose? wiki_replace: biographies with generalizations picked by annotators.

    python -m benchmarks.generalize_people --data DATA [--list]

For each mention for which somebody chose a generalization (not suppression, ``***``), our hierarchy holds it when one
of its levels says the same (same phrase, same period of time), has the same head noun, or one that is one step above or
below in WordNet. Our numbered label, which ends every hierarchy, stands for the labels "PERSON 1", "DATE" and "X".
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from sfumato.generalize.hierarchy import Level, Mention, generalize
from sfumato.lexicon.grammar import lemma
from sfumato.lexicon.wordnet import direct_hypernyms, senses
from sfumato.replacers.select import head_noun
from sfumato.statistics import wilson

SUPPRESSED = "***"
_LABEL = re.compile(r"(?:PERSON|ORG|LOC|MISC|DEM|CODE|QUANTITY)(?: \d+)?|DATE|\W*X\W*", re.IGNORECASE)
_PERIOD = re.compile(r"(?:date in )?(?:the )?(.*)")


class Case(NamedTuple):
    mention: Mention
    chosen: tuple[str, ...]


def cases(data: Path) -> list[Case]:
    found = []
    for row in json.loads((data / "wiki_replace/dev50.json").read_text(encoding="utf-8")):
        for annotation in row["annotations"].values():
            for item in annotation["entity_mentions"]:
                chosen = tuple(
                    phrase
                    for phrase, voters in item.get("replacement", {}).get("generalization_selection", {}).items()
                    if phrase != SUPPRESSED and voters
                )
                if chosen:
                    mention = Mention(row["text"], item["start_offset"], item["end_offset"], item["entity_type"])
                    found.append(Case(mention, chosen))
    return found


def holds(levels: tuple[Level, ...], phrase: str) -> bool:
    if _LABEL.fullmatch(phrase):
        return True
    said = _PERIOD.fullmatch(phrase.lower())
    wanted = said[1] if said else phrase.lower()
    return any(level.text.lower() == wanted or _is_near(head_noun(level.text), head_noun(wanted)) for level in levels)


def _is_near(one: str, other: str) -> bool:
    if lemma(one) == lemma(other):
        return True
    first, second = senses(one)[:2], senses(other)[:2]
    names = {name for concept in second for name in concept.names}
    steps = {name for concept in first for near in [concept, *direct_hypernyms(concept)[:1]] for name in near.names}
    back = {name for concept in second for near in direct_hypernyms(concept)[:1] for name in near.names}
    return bool(names & steps) or bool(back & {name for concept in first for name in concept.names})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--list", action="store_true", help="print what is not held")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for case in cases(given.data):
        levels = generalize(case.mention)
        held = any(holds(levels, phrase) for phrase in case.chosen)
        labels = all(_LABEL.fullmatch(phrase) for phrase in case.chosen)
        for kind in ("all", case.mention.label, *([] if labels else ["all but labels"])):
            total[kind] += 1
            right[kind] += held
        if given.list and not held:
            print(
                case.mention.label, "|", case.mention.surface, "|", case.chosen, "|", [level.text for level in levels]
            )
    print("| mentions | held | n |\n| --- | --- | --- |")
    for kind in sorted(total, key=lambda kind: (not kind.startswith("all"), kind)):
        low, high = wilson(right[kind], total[kind])
        print(f"| {kind} | {right[kind] / total[kind]:.3f} [{low:.3f}–{high:.3f}] | {total[kind]} |")


if __name__ == "__main__":
    main()
