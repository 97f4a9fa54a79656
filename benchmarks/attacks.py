"""Who the linking attacks find: WikiActors-50 in nine anonymized versions, and rulings of TAB.

    python benchmarks/attacks.py --data DATA [--strangers] [--quarter] [--tab] [--recipe default]
                                 [--attacks tfidf,combination,plain,...]

Prints Markdown tables of people found (%), each attack alone; nothing is asserted. ``--strangers`` adds the people of
wikibio and db_bio to the background, ``--quarter`` takes a quarter of what is known about each actor, ``--tab`` attacks
the rulings instead, ``--recipe`` adds a column of the originals anonymized by a recipe of ours. DATA is the folder that
holds wikiactors/, wikibio/, db_bio/ and tab/. A column ``plain`` is scikit-learn's TF-IDF of words 1-2 on the texts as
they are: the yardstick, and no attack of ours.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from sfumato import recipe, registry
from sfumato.attacks.base import Person
from sfumato.document import Document, Release
from sfumato.formats.spans import read_masks
from sfumato.pipeline import Pipeline
from sfumato.statistics import wilson

ATTACKS = ("tfidf", "bm25", "skip-grams", "characters", "combination", "joint", "dense")
ACTORS = {
    "original": "original", "NER3": "ner3", "NER4": "ner4", "NER7": "ner7", "Presidio": "presidio", "spaCy": "spacy",
    "W2V .5": "word2vec_t=0.5", "W2V .25": "word2vec_t=0.25", "manual": "manual",
}  # fmt: skip
RULINGS = {
    "INTACT": "Manual_INTACT", "entity type": "Manual_Entity", "suppression": "Manual_Supression",
    "Presidio+GPT-3.5": "Manual_Presidio_gpt-3.5-turbo-0125", "Presidio, type": "Presidio_Entity",
    "Presidio, suppressed": "Presidio_Supression",
}  # fmt: skip
Columns = dict[str, dict[str, str]]


def actors(data: Path, part: str) -> tuple[list[Person], Columns]:
    rows = json.loads((data / "wikiactors" / f"WikiActors_50_eval{part}.json").read_text(encoding="utf-8"))
    people = [Person(row["name"], (row["public_knowledge"],)) for row in rows]
    return people, {name: {row["name"]: row[f"{key}_abstract"] for row in rows} for name, key in ACTORS.items()}


def strangers(data: Path, known: set[str]) -> Iterator[Person]:
    """People of two other sets, less those who are among the actors."""
    for path in sorted([*(data / "wikibio").glob("*.jsonl"), *(data / "db_bio").glob("*.jsonl")]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            row = json.loads(line)
            if row.get("wiki_name", "").replace("_", " ") not in known:
                yield Person(f"{path.parent.name}/{path.stem}/{number}", (row["text"],))


def rulings(data: Path) -> tuple[list[Person], Columns]:
    background = json.loads((data / "tab" / "background_public10.json").read_text(encoding="utf-8"))
    lines = (data / "tab" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    documents = {row["doc_id"]: Document(row["doc_id"], row["text"]) for row in map(json.loads, lines)}
    columns: Columns = {"original": {key: document.text for key, document in documents.items()}}
    for name, file in RULINGS.items():
        masks = read_masks(data / "tab" / "masks" / f"{file}.json")
        columns[name] = {key: Release(documents[key], tuple(edits)).text for key, edits in masks if key in documents}
    return [Person(key, (text,)) for key, text in background.items()], columns


def anonymized(originals: dict[str, str], name: str) -> dict[str, str]:
    """The originals as a recipe of ours releases them, without those it withholds."""
    pipeline = Pipeline(recipe.load(name).with_changes(seed=1))
    outcomes = pipeline.anonymize(Document(key, text) for key, text in originals.items())
    return {outcome.document.id: outcome.text for outcome in outcomes if isinstance(outcome, Release)}


def plain(people: list[Person], columns: Columns) -> list[list[bool]]:
    vectors = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    known = vectors.fit_transform([person.texts[0] for person in people]).T
    ids = np.array([person.id for person in people])
    found = []
    for released in columns.values():
        first = ids[np.argmax((vectors.transform(released.values()) @ known).toarray(), axis=1)]
        found.append([guess == key for guess, key in zip(first, released, strict=True)])
    return found


def ours(name: str, people: list[Person], columns: Columns) -> tuple[list[list[bool]], Mapping[str, float]]:
    attack = registry.create("attack", name, {}).fit(people)
    found = []
    for released in columns.values():
        attempts = attack.run(released)
        found.append([bool(one.guesses) and one.guesses[0].answer == one.document_id for one in attempts])
    return found, getattr(attack, "weights", {})


def row(name: str, found: list[list[bool]], seconds: float, processor: float) -> str:
    shares = [100 * sum(column) / len(column) for column in found]
    cells = [f"{share:.0f}" for share in shares]
    return f"| {name} | {' | '.join(cells)} | {np.mean(shares):.1f} | {seconds:.1f} ({processor:.1f}) |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--attacks", default=",".join((*ATTACKS, "plain")))
    parser.add_argument("--recipe")
    for option in ("--strangers", "--quarter", "--tab"):
        parser.add_argument(option, action="store_true")
    given = parser.parse_args()
    began, used = time.perf_counter(), time.process_time()
    people, columns = rulings(given.data) if given.tab else actors(given.data, "_25%BK" if given.quarter else "")
    if given.recipe:
        columns[f"recipe {given.recipe}"] = anonymized(columns["original"], given.recipe)
    if given.strangers:
        people += strangers(given.data, {person.id for person in people})
    known = {person.id for person in people}
    columns = {name: {key: text for key, text in texts.items() if key in known} for name, texts in columns.items()}
    sizes = sorted({len(texts) for texts in columns.values()})
    reading = time.perf_counter() - began, time.process_time() - used
    print(f"{len(people)} people; releases per column: {sizes}; chance {100 / len(people):.2f} %")
    print(f"\n| attack | {' | '.join(columns)} | mean | s (processor s) |\n|{' --- |' * (len(columns) + 3)}")
    notes, sparse = [], list(reading)
    for name in given.attacks.split(","):
        began, used = time.perf_counter(), time.process_time()
        found, weights = (plain(people, columns), {}) if name == "plain" else ours(name, people, columns)
        took = time.perf_counter() - began, time.process_time() - used
        if name not in ("dense", "joint", "plain", "with-software", "joint-with-software", "late-interaction"):
            sparse = [before + more for before, more in zip(sparse, took, strict=True)]
        print(row(name, found, *took), flush=True)
        if name == "combination":
            notes.append(
                "weights in the last column: "
                + ", ".join(f"{member} {weight:.2f}" for member, weight in weights.items())
            )
            low_high = [wilson(sum(column), len(column)) for column in found]
            notes.append(
                "combination, 95 % intervals: " + ", ".join(f"{100 * a:.0f}–{100 * b:.0f}" for a, b in low_high)
            )
    print(f"\nReading and all sparse attacks: {sparse[0]:.1f} s ({sparse[1]:.1f} s of processor time).")
    print("\n".join(notes))


if __name__ == "__main__":
    main()
