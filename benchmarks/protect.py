"""Risk-bounded release: who is found before and after the loop, what it costs, and how long it takes.

    python benchmarks/protect.py --data DATA [--part tab]... [--k 11] [--out FILE.json] [--plots DIR] [--other]

Prints Markdown; nothing is asserted. DATA is the folder that holds tab/, wikiactors/, wikibio/ and db_bio/. ``--other``
takes documents that no figure is reported on, ``--first`` so many of them: to develop on. Memory is the most that the
process had until then, so name one part to get its own. Verified risk is that of attacks which share no features with
the loop's (characters, dense), at whatever rank they find most. Where they joined the loop because they found too many,
the corpus is protected again without them, and they attack what comes out.

tab         rulings, annotated mentions generalized, among 1,141 people
tab-default the same rulings as the default recipe releases them (``--releases`` for benchmarks/independent_attack.py)
population  the same; the loop has no background at all
quarter     the same; the loop reads the first quarter of each background text, the attacks all
wikiactors  fifty actors among about 4,200 people, beside the published manual masks
db_bio      halves of biographies among 2,181 people, and whether their occupation can still be told
db_bio-keep the same, with what tells the occupation repaired last
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
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `benchmarks`, which is not installed

from benchmarks.attacks import actors
from benchmarks.protect_cost import DOCUMENTS, PEOPLE, print_cost
from benchmarks.protect_figures import (
    Attackers,
    Figures,
    Information,
    ProtectedDocument,
    peak,
    protected,
    risks,
    summary,
)
from benchmarks.protect_frontier import KS, frontier, print_frontier
from benchmarks.protect_held import held_out
from benchmarks.protect_population import FACTORS as WITHOUT
from benchmarks.protect_population import population
from benchmarks.protect_quarter import FACTORS, quarter
from benchmarks.protect_sets import SETS, Corpus, manual
from benchmarks.protect_tables import print_information, print_summary, share, table
from benchmarks.protect_task import task

from sfumato.attacks.background import Background, as_background
from sfumato.attacks.risk import STRONG_K
from sfumato.document import Release
from sfumato.protection.attackers import majority_stemmer
from sfumato.protection.keep import Keep
from sfumato.protection.pages import frontier_svg
from sfumato.protection.target import Target


class Bench:
    """The parts; what several need is protected_corpus once."""

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given

    @cached_property
    def information(self) -> Information:
        return Information()

    def corpus(self, name: str) -> Corpus:
        return SETS[name](self._given.data, other=self._given.other, first=self._given.first)

    def _protected(self, name: str, keep: Keep | None = None) -> tuple[ProtectedDocument, Figures]:
        corpus = self.corpus(name)
        print(f"\n## {corpus.name}{', the labels kept' if keep else ''}\n", flush=True)
        protected_corpus = protected(corpus, self._given.k, keep=keep, cache=self._given.cache)
        figures = summary(protected_corpus)
        print_summary(figures)
        if self._given.releases:
            write_releases(self._given.releases, name, protected_corpus)
        return protected_corpus, figures | {
            "held_out": held_out(protected_corpus, self.information) if self._given.held_out else []
        }

    def _information(self, versions: Mapping[str, Sequence[Release]], metrics: Sequence[str]) -> list[Figures]:
        rows = self.information.rows(versions, metrics)
        print_information(rows)
        return rows

    def tab(self) -> Figures:
        return self._tab("tab")

    def tab_default(self) -> Figures:
        return self._tab("tab-default")

    def _tab(self, name: str) -> Figures:
        protected_corpus, figures = self._protected(name)
        versions = {"start": protected_corpus.corpus.starts, "protected": protected_corpus.releases}
        return figures | {"information": self._information(versions, ["tps"])}

    def quarter(self) -> Figures:
        factors = self._given.attacker_knowledge or FACTORS
        return quarter(self.corpus("tab"), Target(self._given.k), self.information, factors)

    def population(self) -> Figures:
        factors = self._given.attacker_knowledge or WITHOUT
        return population(self.corpus("tab"), Target(self._given.k), self.information, factors)

    def wikiactors(self) -> Figures:
        protected_corpus, figures = self._protected("wikiactors")
        masks = manual(self._given.data, protected_corpus.corpus.texts)
        versions = {
            "published manual masks": masks,
            "ours, start": protected_corpus.corpus.starts,
            "ours, protected": protected_corpus.releases,
        }
        everyone = protected_corpus.corpus.background
        alone = as_background(actors(self._given.data, "")[0])
        rows = self._information(versions, ["tps", "tpi"])
        return figures | {"information": rows, "versions": compared(versions, [everyone, alone])}

    def db_bio_keep(self) -> Figures:
        """As ``db_bio``; the loop is told everyone's occupation, and repairs what tells it last."""
        return self._db_bio(Keep(labels=self.corpus("db_bio").labels))

    def db_bio(self) -> Figures:
        return self._db_bio(None)

    def _db_bio(self, keep: Keep | None) -> Figures:
        protected_corpus, figures = self._protected("db_bio", keep)
        rows = self._information(
            {"start": protected_corpus.corpus.starts, "protected": protected_corpus.releases}, ["tps"]
        )
        return figures | {
            "information": rows,
            "task": task(protected_corpus.corpus, protected_corpus.releases) if protected_corpus.releases else {},
        }

    def cost(self) -> Figures:
        """Each size in a process of its own, so that memory is its own."""
        print("\n## Cost growth\n", flush=True)
        given, sizes = self._given, []
        for people in given.people or PEOPLE:
            command = [sys.executable, str(Path(__file__).with_name("protect_cost.py")), "--data", str(given.data)]
            command += ["--people", str(people), "--documents", str(given.first or DOCUMENTS), "--k", str(given.k)]
            command += ["--other"] if given.other else []
            ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            sizes.append(json.loads(ran.stdout))
        print_cost(sizes)
        return {"sizes": sizes}

    def frontier(self) -> Figures:
        curves: Figures = {}
        for name in self._given.set or FRONTIERS:
            if name == "wikiactors" and self._given.other:
                continue
            corpus = self.corpus(name)
            print(f"\n## Frontier: {corpus.name}\n", flush=True)
            points = frontier(corpus, self.information, self._given.at or KS)
            print_frontier(points)
            curves[name] = [dataclasses.asdict(point) for point in points]
            if self._given.plots:
                self._given.plots.mkdir(parents=True, exist_ok=True)
                path = self._given.plots / f"frontier-{name}.svg"
                path.write_text(frontier_svg(points), encoding="utf-8")
        return curves


def compared(versions: Mapping[str, Sequence[Release]], backgrounds: Sequence[Background]) -> list[Figures]:
    """Who is found in each version by every attack, at the best rank, among the people of each background."""
    rows: list[Figures] = []
    lines: list[list[str]] = []
    attacks: list[str] = []
    texts = [release.document.text for release in next(iter(versions.values()))]
    for background in backgrounds:
        attackers = Attackers(background, stems=majority_stemmer(texts))
        for name, releases in versions.items():
            own = risks(attackers.found(releases))
            rows.append({"version": name, "people": len(background), "attacks": own})
            attacks = attacks or list(own)
            cells = [share(own.get(attack, {}).get("best"), ranked=True) for attack in attacks]
            lines.append([name, f"{len(background):,}", *cells, str(len(releases))])
    print("Found at the best rank, % [95 %]:")
    table(["version", "people", *attacks, "n"], lines)
    return rows


FRONTIERS = ("tab", "wikiactors", "db_bio")
"""Sets of the part frontier, unless others are named."""


def write_releases(folder: Path, name: str, protected_corpus: ProtectedDocument) -> None:
    """Released texts with their ids, before the loop and after it, as anybody would get them."""
    folder.mkdir(parents=True, exist_ok=True)
    versions = {"start": protected_corpus.corpus.starts, "protected": protected_corpus.releases}
    for version, releases in versions.items():
        lines = [
            json.dumps({"id": release.document.id, "text": release.text}, ensure_ascii=False) for release in releases
        ]
        (folder / f"{name}-{version}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


PARTS: dict[str, Callable[[Bench], Figures]] = {
    "tab": Bench.tab,
    "tab-default": Bench.tab_default,
    "quarter": Bench.quarter,
    "population": Bench.population,
    "wikiactors": Bench.wikiactors,
    "db_bio": Bench.db_bio,
    "db_bio-keep": Bench.db_bio_keep,
    "cost": Bench.cost,
    "frontier": Bench.frontier,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", action="append", choices=PARTS, help="all unless named; may be given several times")
    parser.add_argument("--k", type=int, default=STRONG_K)
    parser.add_argument("--people", type=int, action="append", help="sizes of the part cost")
    parser.add_argument("--set", action="append", choices=SETS, help="sets of the part frontier")
    parser.add_argument("--at", type=int, action="append", metavar="K", help="targets of the part frontier")
    parser.add_argument(
        "--attacker-knowledge", type=float, action="append", help="factors of the parts quarter and population"
    )
    parser.add_argument("--first", type=int, help="so many documents of each set")
    parser.add_argument("--no-held-out", dest="held_out", action="store_false", help="skip those further runs")
    parser.add_argument("--other", action="store_true", help="documents to develop on")
    parser.add_argument("--cache", type=Path, help="a folder that keeps the background's generalizations")
    parser.add_argument("--releases", type=Path, help="a folder for the released texts, as JSON lines")
    parser.add_argument("--out", type=Path, help="all figures, as JSON")
    parser.add_argument("--plots", type=Path, help="a folder for the curves of the part frontier")
    given = parser.parse_args()
    print(f"{date.today()}, {platform.processor() or platform.machine()}, Python {platform.python_version()}.")
    bench, figures = Bench(given), {}
    for name in given.part or PARTS:
        began = time.perf_counter()
        figures[name] = PARTS[name](bench) | {"wall_seconds": time.perf_counter() - began}
        print(f"Part {name}: {figures[name]['wall_seconds']:.0f} s, peak {peak():,.0f} MB.", flush=True)
        if given.out:
            given.out.write_text(json.dumps(figures, indent=1, default=str, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
