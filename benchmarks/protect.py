"""Risk-bounded release: who is found before and after the loop, what it costs, and how long it takes.

    python benchmarks/protect.py --data DATA [--part tab]... [--k 11] [--out FILE.json] [--plots DIR] [--other]

Prints Markdown; nothing is asserted. DATA is the folder that holds tab/, wikiactors/, wikibio/ and db_bio/. ``--other``
takes documents that no figure is reported on, ``--first`` so many of them: to develop on. Memory is the most that the
process had until then, so name one part to get its own. Verified risk is that of attacks which share no features with
the loop's (characters, dense), at whatever rank they find most.

tab         rulings, annotated mentions generalized, among 1,141 people
quarter     the same; the loop reads the first quarter of each background text, the attacks all
wikiactors  fifty actors among about 4,200 people, beside the published manual masks
db_bio      halves of biographies among 2,181 people, and whether their occupation can still be told
cost        seconds a document against the number of people
frontier    verified risk against information kept, for a range of k
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `benchmarks`, which is not installed

from benchmarks.protect_figures import (
    Attackers,
    Figures,
    Information,
    Protected,
    peak,
    print_information,
    print_summary,
    protected,
    risks,
    share,
    signed,
    strongest_of,
    summary,
    table,
    value,
)
from benchmarks.protect_frontier import frontier
from benchmarks.protect_sets import SECRET, SETS, Corpus, manual

from benchmarks import protect_cost
from sfumato import Release
from sfumato.attacks.background import Background, as_background
from sfumato.measures.folds import tfidf_logistic
from sfumato.measures.intervals import Estimate, bootstrap, wilson
from sfumato.models import load_embedder, load_scorer
from sfumato.protection.attackers import stems_of
from sfumato.protection.crew import Crew, Means
from sfumato.protection.frontier_page import frontier_svg
from sfumato.protection.protect import SCORER
from sfumato.protection.shelf import Shelf
from sfumato.protection.target import K, Target
from sfumato.protection.verify import part_of

PART = 0.25
FORESIGHTS = (1, 2, 3, 4, 5)


class Bench:
    """The parts; what several need is made once."""

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given

    @cached_property
    def information(self) -> Information:
        return Information()

    def corpus(self, name: str) -> Corpus:
        return SETS[name](self._given.data, other=self._given.other, first=self._given.first)

    def _protected(self, name: str) -> tuple[Protected, Figures]:
        corpus = self.corpus(name)
        print(f"\n## {corpus.name}\n", flush=True)
        made = protected(corpus, self._given.k)
        found = summary(made)
        print_summary(found)
        return made, found

    def tab(self) -> Figures:
        made, found = self._protected("tab")
        found["information"] = self.information.rows({"start": made.corpus.starts, "protected": made.releases}, ["tps"])
        print_information(found["information"])
        return found

    def quarter(self) -> Figures:
        corpus = self.corpus("tab")
        print(f"\n## {corpus.name}: the loop reads the first {PART:.0%} of each text, the attacks all\n", flush=True)
        stems = stems_of(corpus.texts.values())
        means = Means(stems, load_scorer(SCORER), load_embedder("default"), SECRET, Shelf())
        attackers = Attackers(corpus.background, stems)
        versions: dict[str, Sequence[Release]] = {"start": corpus.starts}
        before = attackers.found(corpus.starts)
        found: Figures = {"start": {"after": risks(before), "verified": strongest_of(before)}}
        for foresight in FORESIGHTS:
            began = time.perf_counter()
            crew = Crew(
                part_of(corpus.background.people, PART),
                corpus.starts,
                {key: [key] for key in corpus.texts},
                means,
                foresight,
            )
            made = list(crew.protect(corpus.starts, Target(self._given.k), 1))
            seconds = time.perf_counter() - began
            name = f"foresight {foresight}"
            versions[name] = out = [one.release for one in made if one.withheld is None]
            linked = attackers.found(out)
            found[name] = {
                "after": risks(linked),
                "verified": strongest_of(linked),
                "withheld": len(made) - len(out),
                "seconds": seconds,
                "peak_mb": peak(),
            }
        rows = self.information.rows({name: own for name, own in versions.items() if own}, ["tps"])
        _print_quarter(found, rows)
        return {"foresight": found, "information": rows}

    def wikiactors(self) -> Figures:
        made, found = self._protected("wikiactors")
        masks = manual(self._given.data, made.corpus.texts)
        versions = {
            "published manual masks": masks,
            "ours, start": made.corpus.starts,
            "ours, protected": made.releases,
        }
        found["information"] = self.information.rows(versions, ["tps", "tpi"])
        print_information(found["information"])
        alone = as_background([person for person in made.corpus.background.people if "/" not in person.id])
        found["versions"] = self._versions(versions, [made.corpus.background, alone])
        return found

    def _versions(self, versions: dict[str, Sequence[Release]], backgrounds: Sequence[Background]) -> list[Figures]:
        """Who is found in each version by every attack, among all and among the subjects alone."""
        found, lines = [], []
        for background in backgrounds:
            attackers = Attackers(background, "english")
            for name, releases in versions.items():
                one = risks(attackers.found(releases))
                found.append({"version": name, "people": len(background), "attacks": one})
                if one:
                    cells = [share(one[attack]["best"], ranked=True) for attack in one]
                    lines.append([name, f"{len(background):,}", *cells, str(len(releases))])
                    head = ["version", "people", *one, "n"]
        print("Found at the best rank, % [95 %], the masks by the same attacks:")
        table(head, lines)
        return found

    def db_bio(self) -> Figures:
        made, found = self._protected("db_bio")
        found["information"] = self.information.rows({"start": made.corpus.starts, "protected": made.releases}, ["tps"])
        print_information(found["information"])
        found["task"] = task(made.corpus, made.releases)
        return found

    def cost(self) -> Figures:
        print("\n## Cost growth\n", flush=True)
        script = str(Path(protect_cost.__file__))
        found = []
        for people in self._given.people or protect_cost.PEOPLE:
            command = [sys.executable, script, "--data", str(self._given.data), "--people", str(people)]
            command += ["--k", str(self._given.k), "--documents", str(self._given.first or protect_cost.DOCUMENTS)]
            command += ["--other"] if self._given.other else []
            ran = subprocess.run(command, check=True, capture_output=True, text=True)
            found.append(json.loads(ran.stdout))
            print(f"{people:,} people: done", file=sys.stderr, flush=True)
        _print_cost(found)
        return {"sizes": found}

    def frontier(self) -> Figures:
        found: Figures = {}
        for name in SETS:
            if name == "wikiactors" and self._given.other:
                continue
            corpus = self.corpus(name)
            print(f"\n## Frontier: {corpus.name}\n", flush=True)
            points = frontier(corpus, self.information)
            found[name] = [dataclasses.asdict(point) for point in points]
            table(
                [
                    "target",
                    "strongest verified attack",
                    "found, % [95 %], best rank",
                    "TPS (frequency)",
                    "withheld",
                    "n",
                ],
                [
                    [
                        point.name,
                        point.attack,
                        share({"risk": point.risk, "interval": point.risk_interval}),
                        f"{point.kept:.3f} [{point.kept_interval[0]:.3f}–{point.kept_interval[1]:.3f}]",
                        str(point.withheld),
                        str(point.n),
                    ]
                    for point in points
                ],
            )
            if self._given.plots:
                self._given.plots.mkdir(parents=True, exist_ok=True)
                path = self._given.plots / f"frontier-{name}.svg"
                path.write_text(frontier_svg(points), encoding="utf-8")
        return found


def task(corpus: Corpus, releases: Sequence[Release]) -> Figures:
    """Accuracy of a classifier that learned from other people's originals: on originals, starts and releases."""
    learner = tfidf_logistic()
    texts, labels = zip(*corpus.lessons.values(), strict=True)
    learner.fit(texts, labels)
    starts = {start.document.id: start.text for start in corpus.starts}
    kept = {release.document.id: release.text for release in releases}
    keys = list(kept)
    truth = np.array([corpus.labels[key] for key in keys])
    right = {
        name: (np.array(learner.predict([own[key] for key in keys])) == truth).astype(float)
        for name, own in (("originals", corpus.texts), ("start", starts), ("protected", kept))
    }
    found: Figures = {}
    for name, own in right.items():
        hits, n = float(own.sum()), len(own)
        ratio = Estimate(
            hits / right["originals"].sum(),
            bootstrap([own, right["originals"]], lambda a, b: a.sum(-1) / b.sum(-1), paired=True),
            n,
        )
        found[name] = {"risk": hits / n, "interval": list(wilson(hits, n)), "n": n, "ratio": value(ratio)}
    print(f"Occupation, {len(set(labels))} labels, learned from {len(texts):,} other biographies' originals:")
    table(
        ["version", "accuracy, % [95 %]", "share of that on originals [95 %, paired bootstrap]", "n"],
        [
            [
                name,
                share(one),
                share({"risk": one["ratio"]["value"], "interval": one["ratio"]["interval"]}),
                str(one["n"]),
            ]
            for name, one in found.items()
        ],
    )
    return found


def _print_quarter(found: Figures, rows: Sequence[Figures]) -> None:
    attacks = list(found["start"]["after"])
    print("Found at the best rank, % [95 %], by attackers who have read all:")
    lines = []
    for name, one in found.items():
        cells = [share(one["after"][attack]["best"], ranked=True) if one["after"] else "–" for attack in attacks]
        n = str(one["after"][attacks[0]]["n"]) if one["after"] else "0"
        lines.append([name, *cells, n, str(one.get("withheld", 0)), f"{one.get('seconds', 0):.1f}"])
    table(["loop", *attacks, "n", "withheld", "s"], lines)
    lines = []
    for name, one in found.items():
        cells = [signed(row.get("difference")) for row in rows if row["version"] == name]
        best = one["verified"].get("best")
        lines.append([name, f"{best['attack']} {share(best, ranked=True)}" if best else "–", *cells])
    scorers = [f"TPS minus start, points ({row['scorer']})" for row in rows if row["version"] == "start"]
    table(["loop", "strongest verified", *scorers], lines)
    print(f"Peak {peak():,.0f} MB.")


def _print_cost(found: Sequence[Figures]) -> None:
    table(
        ["people", "words each", "documents", "s a document [95 %]", "median", "most", "processor s",
         "repairs a document", "withheld", "fit s (processor s)", "peak MB (texts alone)"],
        [
            [
                f"{one['people']:,}",
                f"{one['words']:.0f}",
                str(one["documents"]),
                f"{one['seconds']:.3f} [{one['interval'][0]:.3f}–{one['interval'][1]:.3f}]",
                f"{one['median']:.3f}",
                f"{one['most']:.3f}",
                f"{one['processor']:.3f}",
                f"{one['repairs']:.1f}",
                str(one["withheld"]),
                f"{one['fit_seconds']:.1f} ({one['fit_processor']:.1f})",
                f"{one['peak_mb']:,.0f} ({one['texts_mb']:,.0f})",
            ]
            for one in found
        ],
    )  # fmt: skip


PARTS: dict[str, Callable[[Bench], Figures]] = {
    "tab": Bench.tab,
    "quarter": Bench.quarter,
    "wikiactors": Bench.wikiactors,
    "db_bio": Bench.db_bio,
    "cost": Bench.cost,
    "frontier": Bench.frontier,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", action="append", choices=PARTS, help="all unless named; may be given several times")
    parser.add_argument("--k", type=int, default=K)
    parser.add_argument("--people", type=int, action="append", help="sizes of the part cost")
    parser.add_argument("--first", type=int, help="so many documents of each set")
    parser.add_argument("--other", action="store_true", help="documents to develop on")
    parser.add_argument("--out", type=Path, help="all figures, as JSON")
    parser.add_argument("--plots", type=Path, help="a folder for the curves of the part frontier")
    given = parser.parse_args()
    print(f"{date.today()}, {platform.processor() or platform.machine()}, Python {platform.python_version()}.")
    bench, found = Bench(given), {}
    for name in given.part or PARTS:
        began = time.perf_counter()
        found[name] = PARTS[name](bench) | {"wall_seconds": time.perf_counter() - began}
        print(f"Part {name}: {found[name]['wall_seconds']:.0f} s, peak {peak():,.0f} MB.", flush=True)
        if given.out:
            given.out.write_text(json.dumps(found, indent=1, default=str, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
