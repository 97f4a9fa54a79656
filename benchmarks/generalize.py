"""Our generalizations beside INTACT's published masks: TAB dev, the same annotated mentions, no language model.

    python -m benchmarks.generalize --data DATA [--part kept,clusters,...] [--masks FILE] [--other]

Prints Markdown; nothing is asserted. DATA is the folder that holds tab/. Every row is measured by the same code in the
same run. ``--masks`` writes our replacements as a mask file, for the parts that read one (``benchmarks.generalize_*``).
``--other`` takes the rulings that are not in the dev set: those that the hierarchies were developed on.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from benchmarks.sentence_flaws import find_flaws_at

from sfumato import registry
from sfumato.attacks.background import Background
from sfumato.attacks.base import Person
from sfumato.attacks.inference import frequent_lemmas
from sfumato.detectors.passes.links import link_mentions
from sfumato.document import Document, Edit, Release, Score, Span, merge_spans
from sfumato.formats.spans import read_masks
from sfumato.metrics.base import MetricInput
from sfumato.models.base import load_embedder, load_scorer
from sfumato.models.cache import cached
from sfumato.statistics import wilson
from sfumato.vault.ledger import Ledger
from sfumato_papers.metrics.clusters import agreement, best_k, cluster, document_vectors

PARTS = ("kept", "clusters", "links", "guesses", "labels", "flaws", "truth")
OURS = ("generalize", "most-specific", "least-specific", "entity-type", "suppress")
PUBLISHED = {"INTACT": "Manual_INTACT", "Presidio+GPT-3.5": "Manual_Presidio_gpt-3.5-turbo-0125"}
LINKS = ("tfidf", "bm25", "skip-grams", "characters", "combination", "dense")
SUBSAMPLES, SHARE = 20, 0.8
BARE = re.compile(r"\W*(?:ORG|LOC|DEM|DATETIME|QUANTITY|MISC)(?:_\d+)?\W*")
EMPTY = frozenset(
    "organisation organization body institution entity group place location area time date moment period some time "
    "point in time thing something matter item person someone people individual attribute number amount quantity "
    "several information detail".split()
)
"""Words that say no more than the label does."""
Released = dict[str, list[Release]]


def documents(data: Path, *, other: bool = False) -> list[Document]:
    rows = map(json.loads, (data / "tab/dev.jsonl").read_text(encoding="utf-8").splitlines())
    dev = {row["doc_id"]: row["text"] for row in rows}
    if not other:
        return [Document(key, text) for key, text in dev.items()]
    gold = map(json.loads, (data / "tab/gold_train_dev.jsonl").read_text(encoding="utf-8").splitlines())
    found = {row["metadata"]["provenance"]["doc_id"]: row["text"] for row in gold}
    masked = dict(read_masks(data / "tab/masks/Manual_Entity.json"))
    return [Document(key, text) for key, text in found.items() if key not in dev and key in masked]


def mentions(data: Path, texts: Sequence[Document]) -> dict[str, list[Span]]:
    """The annotated mentions with their labels, linked as our pipeline links given spans."""
    masks = dict(read_masks(data / "tab/masks/Manual_Entity.json"))
    found = {}
    for document in texts:
        spans = [Span(edit.span.start, edit.span.end, edit.replacement) for edit in masks[document.id]]
        found[document.id] = link_mentions(document.text, merge_spans(spans))
    return found


def ours(name: str, texts: Sequence[Document], spans: Mapping[str, Sequence[Span]]) -> list[Release]:
    """Our method on the given spans; the words that tell nothing are the corpus's, as in the paper."""
    options = {"frequent": frequent_lemmas(document.text for document in texts)} if name == "generalize" else {}
    replacer = registry.create("replacer", name, options, ledger=Ledger(secret=bytes(32)))
    return [Release(document, tuple(replacer.replace(document, spans[document.id]))) for document in texts]


def published(file: str, data: Path, texts: Sequence[Document], spans: Mapping[str, Sequence[Span]]) -> list[Release]:
    masks = dict(read_masks(data / "tab/masks" / f"{file}.json"))
    found = []
    for document in texts:
        labels = {(span.start, span.end): span.label for span in spans[document.id]}
        edits = [_labelled(edit, labels) for edit in masks[document.id]]
        found.append(Release(document, tuple(edits)))
    return found


def _labelled(edit: Edit, labels: Mapping[tuple[int, int], str]) -> Edit:
    span = edit.span
    return Edit(Span(span.start, span.end, labels.get((span.start, span.end), "MISC")), edit.replacement)


def kept(released: Released) -> None:
    """Information kept: TPS of all, and how alike the replacements of each label are to what they replaced."""
    scorer, embedder = cached(load_scorer("default")), load_embedder("default")
    print(f"\n### Information kept (scorer {scorer.name}, embedder {embedder.name})\n")
    print("| method | TPS | n |\n| --- | --- | --- |")
    metric = registry.get("metric", "tps")
    scores: dict[str, Score] = {}
    for name, releases in released.items():
        scores[name] = score = metric(MetricInput(releases, scorer=scorer, embedder=embedder))
        print(
            f"| {name} | {score.value:.3f} [{score.interval[0]:.3f}–{score.interval[1]:.3f}] | {score.n} |", flush=True
        )
    print(f"\nPaired, generalize − INTACT: {_paired(scores['generalize'], scores['INTACT'])}")


def _paired(one: Score, other: Score) -> str:
    gaps = np.array([one.per_document[key] - other.per_document[key] for key in one.per_document])
    draws = np.random.default_rng(0).choice(gaps, (2000, len(gaps))).mean(axis=1)
    low, high = np.percentile(draws, [2.5, 97.5])
    return f"{gaps.mean():+.3f} [{low:+.3f}–{high:+.3f}], above in {np.mean(gaps > 0):.0%} of documents"


def clusters(released: Released) -> None:
    """NMI with the originals' clusters, and the difference to INTACT over the same seeds and subsamples."""
    embedder = load_embedder("default")
    texts = [release.document.text for release in next(iter(released.values()))]
    before = document_vectors(texts, embedder)
    vectors = {name: document_vectors([r.text for r in releases], embedder) for name, releases in released.items()}
    draw = np.random.default_rng(0).choice
    rows = [np.sort(draw(len(texts), round(SHARE * len(texts)), replace=False)) for _ in range(SUBSAMPLES)]
    for k in dict.fromkeys((best_k(before, 0), 4)):
        found = {name: _agreements(before, after, k, rows) for name, after in vectors.items()}
        print(f"\n### Clusters (k = {k}; five seeds on all, {SUBSAMPLES} subsamples of {SHARE:.0%})\n")
        print(
            "| method | NMI, all | NMI, subsamples (spread) | minus INTACT, paired (spread) | above in |\n|"
            + " --- |" * 5
        )
        for name, (whole, parts) in found.items():
            gap = np.array([*whole, *parts]) - np.array([*found["INTACT"][0], *found["INTACT"][1]])
            print(
                f"| {name} | {np.mean(whole):.3f} | {np.mean(parts):.3f} ({np.std(parts):.3f}) "
                f"| {gap.mean():+.3f} ({gap.std():.3f}) | {sum(gap > 0)} of {len(gap)} |",
                flush=True,
            )


def _agreements(
    before: np.ndarray, after: np.ndarray, k: int, rows: list[np.ndarray]
) -> tuple[list[float], list[float]]:
    whole = [agreement(cluster(before, k, seed, 50), cluster(after, k, seed, 50)) for seed in range(5)]
    parts = [agreement(cluster(before[row], k, 0, 10), cluster(after[row], k, 0, 10)) for row in rows]
    return whole, parts


def people(data: Path) -> list[Person]:
    background = json.loads((data / "tab/background_public10.json").read_text(encoding="utf-8"))
    return [Person(key, (text,)) for key, text in background.items()]


def links(released: Released, background: list[Person]) -> None:
    """Who is found at the first guess, by each linking attack."""
    print(f"\n### Found by linking, % ({len(background)} people)\n")
    print("| attack | " + " | ".join(released) + " |\n| --- |" + " --- |" * len(released))
    most: dict[str, int] = defaultdict(int)
    for name in LINKS:
        attack = registry.create("attack", name, {}).fit(background)
        cells = []
        for method, releases in released.items():
            attempts = attack.run({release.document.id: release.text for release in releases})
            right = sum(bool(one.guesses) and one.guesses[0].answer == one.document_id for one in attempts)
            most[method] = max(most[method], right)
            cells.append(f"{100 * right / len(releases):.1f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    size = len(next(iter(released.values())))
    cells = [
        f"{100 * n / size:.1f} [{100 * wilson(n, size)[0]:.0f}–{100 * wilson(n, size)[1]:.0f}]" for n in most.values()
    ]
    print(f"| **strongest** | {' | '.join(cells)} |")


def guesses(released: Released, background: list[Person]) -> None:
    """Which replaced spans are guessed, by our own hierarchies and by counting in the background."""
    print("\n### Guessed spans (five guesses each)\n")
    print("| guesser | " + " | ".join(released) + " |\n| --- |" + " --- |" * len(released))
    metric = registry.get("metric", "inference-rate")
    known = Background(tuple(background), len(background))
    for guesser in ("hierarchy", "statistics"):
        cells = []
        for releases in released.values():
            score = metric(MetricInput(releases, background=known), guesser=guesser)
            cells.append(f"{score.value:.3f} [{score.interval[0]:.3f}–{score.interval[1]:.3f}]")
        print(f"| {guesser} | {' | '.join(cells)} |", flush=True)


def says_nothing(replacement: str) -> bool:
    """A bare label, or words that say no more than it."""
    words = re.findall(r"[^\W\d_]+", replacement.lower())
    return (
        not replacement.strip()
        or bool(BARE.fullmatch(replacement))
        or all(word in EMPTY or word in ("a", "an", "the", "some", "of", "in") for word in words)
    )


def labels(released: Released) -> None:
    """How many quasi-identifiers end as a bare label, by type; and which level was chosen."""
    print("\n### Quasi-identifiers that end as a bare label or say no more (PERSON and CODE are labels in all)\n")
    kinds = ("DATETIME", "ORG", "LOC", "DEM", "QUANTITY", "MISC")
    print("| method | all | " + " | ".join(kinds) + " |\n| --- |" + " --- |" * (len(kinds) + 1))
    for name, releases in released.items():
        bare: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for edit in (edit for release in releases for edit in release.edits):
            if edit.span.label in kinds:
                total[edit.span.label] += 1
                bare[edit.span.label] += says_nothing(edit.replacement)
        shares = [f"{bare[kind] / total[kind]:.3f} (n = {total[kind]})" for kind in kinds]
        low, high = wilson(bare.total(), total.total())
        print(f"| {name} | {bare.total() / total.total():.3f} [{low:.3f}–{high:.3f}] | {' | '.join(shares)} |")
    chosen: dict[str, Counter[str]] = defaultdict(Counter)
    for edit in (edit for release in released["generalize"] for edit in release.edits):
        chosen[edit.span.label][edit.reasons[-1].split(" of ")[0].split(":")[0]] += 1
    print("\nRung chosen by generalize:\n")
    ranks = sorted({rank for counts in chosen.values() for rank in counts})
    print("| label | " + " | ".join(ranks) + " |\n| --- |" + " --- |" * len(ranks))
    for label, counts in sorted(chosen.items()):
        print(f"| {label} | " + " | ".join(str(counts[rank]) for rank in ranks) + " |")


def flaws(released: Released) -> None:
    """Grammar that an edit broke: doubled prepositions and articles, "a" before a vowel, small sentence beginnings."""
    print("\n### Flaws of grammar at edits (the same places of the originals)\n")
    print("| method | flaws | originals | edits |\n| --- | --- | --- | --- |")
    for name, releases in released.items():
        after = before = edits = 0
        for release in releases:
            places = [(piece.released_start, piece.released_end) for piece in release.segments if piece.edit]
            after += len(find_flaws_at(release.text, places))
            before += len(
                find_flaws_at(release.document.text, [(edit.span.start, edit.span.end) for edit in release.edits])
            )
            edits += len(places)
        print(f"| {name} | {after} | {before} | {edits} |")


def truth(released: Released) -> None:
    """What our own judge says: true still, and saying less. Of our own levels it knows by construction."""
    print("\n### Truthful and more abstract, by the judge `tables` (labels left out)\n")
    print("| method | truthful | more abstract | n |\n| --- | --- | --- | --- |")
    for name in ("generalize", *PUBLISHED):
        scores = [registry.get("metric", metric)(MetricInput(released[name])) for metric in ("truthful", "abstract")]
        cells = [f"{score.value:.3f} [{score.interval[0]:.3f}–{score.interval[1]:.3f}]" for score in scores]
        judged = sum(item["n"] for item in scores[0].settings["by_label"].values())
        print(f"| {name} | {' | '.join(cells)} | {judged} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", default=",".join(PARTS))
    parser.add_argument("--masks", type=Path)
    parser.add_argument("--other", action="store_true")
    given = parser.parse_args()
    texts = documents(given.data, other=given.other)
    spans = mentions(given.data, texts)
    began, used = time.perf_counter(), time.process_time()
    released = {"generalize": ours("generalize", texts, spans)}
    took, work = time.perf_counter() - began, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    count = sum(map(len, spans.values()))
    print(f"{date.today()}: {len(texts)} documents, {count} mentions generalized in {took:.1f} s", end=" ")
    print(f"({work:.1f} s of processor time), peak {peak:.0f} MB.")
    if given.masks:
        written = {
            release.document.id: [[edit.span.start, edit.span.end, edit.replacement] for edit in release.edits]
            for release in released["generalize"]
        }
        given.masks.write_text(json.dumps(written, ensure_ascii=False), encoding="utf-8")
    released |= {name: published(file, given.data, texts, spans) for name, file in PUBLISHED.items()}
    released |= {name: ours(name, texts, spans) for name in OURS[1:]}
    background = people(given.data)
    steps: dict[str, Callable[[], None]] = {
        "kept": lambda: kept(released),
        "clusters": lambda: clusters(released),
        "links": lambda: links(released, background),
        "guesses": lambda: guesses(released, background),
        "labels": lambda: labels(released),
        "flaws": lambda: flaws(released),
        "truth": lambda: truth(released),
    }
    for part in given.part.split(","):
        steps[part]()


if __name__ == "__main__":
    main()
