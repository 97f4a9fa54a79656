"""Who knows three facts of a patient finds the record: the claims attack on exam questions that tell patients' stories.

    python benchmarks/claims.py --data DATA [--stories 200] [--recipe labels]

DATA holds medqa/questions_900.jsonl. A story is a question that gives its patient's age, without the options and the
question itself, and with more than three claims. Prints two Markdown tables: releases by our recipe, beside the
originals and empty texts; and how the judges rate pairs made from stories that the first table does not use.
"""

from __future__ import annotations

import argparse
import datetime
import json
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sfumato import registry
from sfumato.api import anonymize
from sfumato.document import Document, Edit, Release, Score, Span
from sfumato.lexicon.grammar import sentence_ranges, split_words
from sfumato.metrics.base import MetricInput
from sfumato.statistics import SEED
from sfumato_papers.attacks.claims import CLAIM_CHOICES, KNOWN_CLAIMS, ClauseSplitter, Question, content_terms
from sfumato_papers.metrics.claims import linkage, privacy, rouge_privacy

AGE = re.compile(r"\b(?:\d+|one|two|three|four|five|six)[- ](?:year|month|week|day)s?[- ]old\b", re.IGNORECASE)
JUDGES = ("lexical", "embedding")
HELD_OUT = 150


def story(question: str) -> str:
    """What is told of the patient: neither the options nor what is asked."""
    told = question.partition("\nA)")[0].strip().strip('"').strip()
    ranges = sentence_ranges(told)
    while ranges and told[slice(*ranges[-1])].rstrip("\"'").endswith("?"):
        ranges.pop()
    return told[: ranges[-1][1]] if ranges else ""


def stories(path: Path) -> list[Document]:
    with path.open(encoding="utf-8") as lines:
        told = [story(json.loads(line)["question"]) for line in lines]
    found = [text for text in told if AGE.search(text) and len(ClauseSplitter().split([text])[0]) > KNOWN_CLAIMS]
    return [Document(f"patient-{number:03}", text) for number, text in enumerate(found)]


def judged(documents: Sequence[Document]) -> None:
    """How judges rate claims of a story against it, against it with one word hidden, and against another's story."""
    pairs: dict[str, list[Question]] = {"its own story": [], "one word of it hidden": [], "another story": []}
    dice = random.Random(SEED)
    others = [*documents[1:], documents[0]]
    for document, other in zip(documents, others, strict=True):
        claims = ClauseSplitter().split([document.text])[0]
        pairs["its own story"].append(Question([claim.text for claim in claims], document.text))
        pairs["another story"].append(Question([claim.text for claim in claims], other.text))
        for claim in claims:
            start, end = claim.range or (0, 0)
            word = dice.choice([word for word in split_words(claim.text) if content_terms(word)])
            hidden = re.sub(rf"\b{re.escape(word)}\b", "MISC_1", claim.text)
            story = document.text[:start] + hidden + document.text[end:]
            pairs["one word of it hidden"].append(Question([claim.text], story))
    print("\n| judge | claim against | same | similar | not supported | n |\n| --- | --- | --- | --- | --- | --- |")
    for name in JUDGES:
        judge = registry.create("judge", name, {})
        for kind, questions in pairs.items():
            found = Counter(rating for ratings in judge.rate(questions) for rating in ratings)
            shares = " | ".join(f"{found[rating] / found.total():.3f}" for rating in (1, 2, 3))
            print(f"| {name} | {kind} | {shares} | {found.total()} |", flush=True)


def emptied(document: Document) -> Release:
    return Release(document, (Edit(Span(0, len(document.text), "MISC"), ""),))


def cell(score: Score) -> str:
    low, high = score.interval
    return f"{score.value:.3f} ({low:.3f}–{high:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--stories", type=int, default=200)
    parser.add_argument("--recipe", default="labels")
    arguments = parser.parse_args()
    every = stories(arguments.data / "medqa" / "questions_900.jsonl")
    documents = every[: arguments.stories]
    began = time.perf_counter()
    releases = {
        "no sanitization": [Release(document) for document in documents],
        f"recipe {arguments.recipe}": anonymize(documents, recipe=arguments.recipe),
        "remove everything": [emptied(document) for document in documents],
    }
    made = time.perf_counter() - began
    split = ClauseSplitter().split([document.text for document in documents])
    print(f"{datetime.date.today()}, {len(documents)} stories, {sum(map(len, split))} claims, masked in {made:.0f} s\n")
    titles = ["linked", *(f"μ, {judge} judge" for judge in JUDGES), "1 − ROUGE-L", "linked by ROUGE-L"]
    print("| release | known claims | " + " | ".join(titles) + " |")
    print("| --- | --- |" + " --- |" * len(titles))
    began = time.perf_counter()
    for name, own in releases.items():
        for known in CLAIM_CHOICES:
            inputs = MetricInput(own)
            cells = [cell(linkage(inputs, known=known))]
            cells += [cell(privacy(inputs, known=known, judge=judge)) for judge in JUDGES]
            baseline = rouge_privacy(inputs, known=known)
            cells += [cell(baseline), f"{baseline.settings['linked']:.3f}"]
            print(f"| {name} | {known} three | " + " | ".join(cells) + " |", flush=True)
    print(f"\nattacked and judged in {time.perf_counter() - began:.0f} s")
    if rest := every[arguments.stories :][:HELD_OUT]:
        judged(rest)


if __name__ == "__main__":
    main()
