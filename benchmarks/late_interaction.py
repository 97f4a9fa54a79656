"""Does training help late interaction? The attack with two encoders, alone and added to the other links.

    python -m benchmarks.late_interaction --data DATA --encoder FOLDER [--sets rulings,actors,replaced,biographies]
                                      [--columns INTACT,suppression] [--json FILE]

For each set, the people found first (%) by words in common (tfidf), by the members of ``joint``, by late interaction
with the shipped masked language model and with the encoder in FOLDER, and by the sum of ``joint`` and either: release
by release, and jointly (people's scores made comparable over the releases, then assigned). Sums are of scores in
standard deviations over people. Training read nothing about whoever is to be found: rulings are those of TAB dev (among
all 1,141 cases, of which training read the others); actors are those of WikiActors, with a quarter of what is known of
each; replaced are sentences of wiki_replace as people generalized them, with the other sentences known; biographies are
later halves of the validation part of db_bio as released by the default recipe, with the first halves known. The last
three stand among biographies that training held out. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from benchmarks.attacks import Columns, actors, rulings
from training.link_encoder.people import read_people

from sfumato import anonymize
from sfumato.attacks.base import Person
from sfumato.attacks.linking.fusion import assign, learn_scale
from sfumato.attacks.linking.joint import JointAttack
from sfumato.attacks.linking.late_interaction import LateInteractionAttack
from sfumato.attacks.linking.ranking import Scores
from sfumato.attacks.linking.sparse import TfIdfAttack, fit_together
from sfumato.lexicon.grammar import sentence_ranges
from sfumato.models.base import Floats
from sfumato.statistics import wilson

LEAST_SENTENCES = 4
ROWS = ("tfidf", "joint", "late, untrained", "late, trained", "joint + late, untrained", "joint + late, trained")


def strangers(data: Path) -> list[Person]:
    """Biographies that training held out."""
    people = (person for person in read_people(data) if person.set in ("wikibio", "db_bio") and person.part != "train")
    return [Person(f"{person.set}/{person.id}", tuple(text.text for text in person.texts)) for person in people]


def halves(rows: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Of texts with enough sentences: the id, the first half and the second."""
    for row in rows:
        ranges = sentence_ranges(row["text"])
        if len(ranges) >= LEAST_SENTENCES:
            middle = ranges[len(ranges) // 2][0]
            yield row["wiki_name"], row["text"][:middle], row["text"][middle:]


def biographies(data: Path) -> tuple[list[Person], Columns]:
    lines = (data / "db_bio" / "validation.jsonl").read_text(encoding="utf-8").splitlines()
    people, hidden = [], {}
    for key, known, rest in halves([json.loads(line) for line in lines]):
        people.append(Person(key, (known,)))
        hidden[key] = rest
    released = anonymize(list(hidden.values()))
    return people, {"default recipe": dict(zip(hidden, (release.text for release in released), strict=True))}


def replaced(data: Path) -> tuple[list[Person], Columns]:
    """Every other sentence as people generalized it; a sentence ends where it ends in the original."""
    people, hidden = [], {}
    for row in json.loads((data / "wiki_replace" / "dev50.json").read_text(encoding="utf-8")):
        ranges = sentence_ranges(row["text"])
        if len(ranges) < LEAST_SENTENCES:
            continue
        (annotation,) = row["annotations"].values()
        sentences = []
        for start, end in ranges:
            text, position = "", start
            for mention in sorted(annotation["entity_mentions"], key=lambda item: item["start_offset"]):
                first, last = mention["start_offset"], mention["end_offset"]
                if position <= first and last <= end and (chosen := mention.get("replacement")):
                    text += row["text"][position:first] + next(iter(chosen["generalization_selection"]))
                    position = last
            sentences.append(text + row["text"][position:end])
        known = " ".join(row["text"][start:end] for start, end in ranges[::2])
        people.append(Person(row["doc_id"], (known,)))
        hidden[row["doc_id"]] = " ".join(sentences[1::2])
    return people, {"people's choices": hidden}


SETS: dict[str, Callable[[Path], tuple[list[Person], Columns]]] = {
    "rulings": rulings,
    "actors": lambda data: actors(data, "_25%BK"),
    "replaced": replaced,
    "biographies": biographies,
}


def standard(scores: Scores) -> Scores:
    """In standard deviations over people, release by release."""
    deviations = scores.std(axis=1, keepdims=True)
    scaled: Scores = (scores - scores.mean(axis=1, keepdims=True)) / np.where(deviations > 0, deviations, 1)
    return scaled


def first_guesses(scores: Scores, centred: bool | None) -> Floats:
    """Everyone's probability when all releases are assigned at once."""
    scaled = learn_scale(scores, centred).apply(scores)
    people = np.tile(np.arange(scores.shape[1]), (len(scores), 1))
    return assign(scaled / (scaled.std() or 1), people, 1, scores.shape[1])


def measure(people: Sequence[Person], columns: Columns, encoder: str) -> dict[str, dict[str, dict[str, list[bool]]]]:
    """By column, row and way (single, joint): whether each release's person is the first guess."""
    ordered = sorted(people, key=lambda person: person.id)
    place = {person.id: row for row, person in enumerate(ordered)}
    tfidf, joint = TfIdfAttack(), JointAttack().fit(ordered)
    fit_together([tfidf], ordered)
    late = {"untrained": LateInteractionAttack(), "trained": LateInteractionAttack(encoder=encoder)}
    for attack in late.values():
        attack.fit(ordered)
    found: dict[str, dict[str, dict[str, list[bool]]]] = {}
    for name, released in columns.items():
        texts = [released[key] for key in sorted(released)]
        truth = [place[key] for key in sorted(released)]
        scores = {
            "tfidf": standard(np.stack([tfidf.scores(text) for text in texts])),
            "joint": standard(np.stack([joint.read(text).scores for text in texts])),
        }
        for which, attack in late.items():
            matrix = np.stack([attack.raw_scores(text) for text in texts])
            scores[f"late, {which}"] = standard(matrix)
            scores[f"joint + late, {which}"] = scores["joint"] + scores[f"late, {which}"]
        centred = late["trained"].is_centred(texts)
        found[name] = {}
        for row in ROWS:
            guesses = {
                "single": scores[row].argmax(axis=1),
                "joint": first_guesses(scores[row], centred).argmax(axis=1),
            }
            found[name][row] = {way: (first == np.array(truth)).tolist() for way, first in guesses.items()}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--columns", help="only these")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    results = {}
    for name in given.sets.split(","):
        began = time.perf_counter()
        people, columns = SETS[name](given.data)
        if given.columns:
            columns = {key: texts for key, texts in columns.items() if key in given.columns.split(",")} or columns
        if name != "rulings":
            people += strangers(given.data)
        results[name] = measure(people, columns, given.encoder)
        print(f"\n{name}: {len(people)} people, {time.perf_counter() - began:.0f} s")
        print("\n| column | n | attack | release by release | jointly |\n| --- | --- | --- | --- | --- |")
        for column, by_row in results[name].items():
            for row, ways in by_row.items():
                cells = [f"{100 * np.mean(hits):.1f} [{_interval(hits)}]" for hits in ways.values()]
                print(f"| {column} | {len(ways['single'])} | {row} | {' | '.join(cells)} |", flush=True)
    if given.json:
        given.json.write_text(json.dumps(results), encoding="utf-8")


def _interval(hits: Sequence[bool]) -> str:
    low, high = wilson(sum(hits), len(hits))
    return f"{100 * low:.0f}–{100 * high:.0f}"


if __name__ == "__main__":
    main()
