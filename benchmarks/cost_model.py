"""What a run takes, from measured rates: documents, people and cores to hours, memory, disk and price.

    python -m benchmarks.cost_model measure RULINGS.jsonl LETTERS.jsonl [--recipe default]
    python -m benchmarks.cost_model predict --documents 100e6 --characters 2000 --workers 512 [--price 0.04]
    python -m benchmarks.cost_model table
    python -m benchmarks.cost_model plot

``measure`` runs the local engine with two workers on small samples of a corpus of long documents and of one of short
ones, fits seconds of processor time to documents and characters (least squares, nothing below 0), separately for the
workers and for the run itself, and writes the rates to ``cost_model.toml``. It then runs two larger samples that the
fit has not seen, and prints what was predicted and what was measured. ``predict`` multiplies; ``--price`` is the user's
own, for a core and an hour. ``table`` prints what 100 million documents would take; ``plot`` draws growth curves in
``docs/plots``.

Hours are those of processor cores that do nothing else, as fast as the one that was measured.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from benchmarks.attack_scale import recorded
from benchmarks.engines import write_corpus
from benchmarks.log_plot import Curve, log_plot
from scipy.optimize import nnls

RATES = Path(__file__).with_name("cost_model.toml")
PLOTS = Path(__file__).parents[1] / "docs" / "plots"
SAMPLES = ((20, 60), (60, 240))
"""Documents of the fitted samples: of the long documents, and of the short ones. Texts must not come twice: a second
reading of the same text finds caches warm."""
CHECKS = (127, 500)
"""Documents of the two samples that check the fit."""
DRIVER_BYTES = 3.5
"""On disk beside the output, by character of the input: the journal, with released text and edits. Rulings take 2.6,
letters 4.7 (default recipe, 2026-11-17)."""


@dataclass(frozen=True)
class Sample:
    """A run that was measured: processor seconds of all workers, and of the run itself."""

    documents: int
    characters: int
    workers: float
    driver: float
    driver_mb: float


@dataclass(frozen=True)
class Rate:
    """Processor seconds: at the start, for each document, and for each million characters."""

    start: float
    document: float
    million: float

    def seconds(self, documents: float, characters: float) -> float:
        return self.start + self.document * documents + self.million * characters / 1e6

    @classmethod
    def fit(cls, samples: Sequence[tuple[int, int, float]]) -> Rate:
        """Least squares of relative errors, so that small samples count as large ones do."""
        rows = np.array([[1, documents, characters / 1e6] for documents, characters, _ in samples])
        seconds = np.array([measured for _, _, measured in samples])
        return cls(*(float(value) for value in nnls(rows / seconds[:, None], np.ones(len(seconds)))[0]))


@dataclass(frozen=True)
class Prediction:
    """What a run takes. ``hours``: by the clock; ``core_hours``: of all cores together."""

    hours: float
    core_hours: float
    busiest: str
    disk_gb: float


def predict(worker: Rate, driver: Rate, documents: float, characters: float, workers: int, drivers: int) -> Prediction:
    """``characters``: of a document on average. ``drivers``: runs that share the corpus, each with its part of it."""
    work = worker.seconds(documents, documents * characters) / workers
    runs = driver.seconds(documents / drivers, documents * characters / drivers)
    hours = max(work, runs) / 3600
    return Prediction(
        hours,
        hours * (workers + drivers),
        "the workers" if work >= runs else "the run itself",
        documents * characters * DRIVER_BYTES / 1e9,
    )


def run_sample(source: Path, documents: int, recipe: str) -> Sample:
    with TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.jsonl")
        count, characters = write_corpus(source, corpus, documents)
        command = [sys.executable, "-m", "benchmarks.engines", str(corpus), "--alone", "local", "--place", folder]
        output = subprocess.run([*command, "--recipe", recipe], check=True, capture_output=True, text=True).stdout
        result = json.loads(output.splitlines()[-1])
    return Sample(count, characters, result["worker_processor"], result["driver_processor"], result["driver_mb"])


def measure(sources: Sequence[Path], recipe: str) -> None:
    samples = [
        run_sample(source, count, recipe) for source, counts in zip(sources, SAMPLES, strict=True) for count in counts
    ]
    worker = Rate.fit([(sample.documents, sample.characters, sample.workers) for sample in samples])
    driver = Rate.fit([(sample.documents, sample.characters, sample.driver) for sample in samples])
    stored = _stored()
    stored[recipe] = {"worker": asdict(worker), "driver": asdict(driver)}
    _write(stored)
    print("| documents | characters | workers, measured s | predicted | run itself, measured s | predicted | fitted |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    checks = [run_sample(source, count, recipe) for source, count in zip(sources, CHECKS, strict=True)]
    for sample in [*samples, *checks]:
        size = sample.documents, sample.characters
        cells = [f"{sample.documents:,}", f"{sample.characters:,}"]
        cells += [f"{sample.workers:.1f}", f"{worker.seconds(*size):.1f}"]
        cells += [f"{sample.driver:.2f}", f"{driver.seconds(*size):.2f}", "yes" if sample in samples else "no"]
        print(f"| {' | '.join(cells)} |")


def _stored() -> dict[str, dict[str, dict[str, float]]]:
    return tomllib.loads(RATES.read_text(encoding="utf-8")) if RATES.exists() else {}


def _write(stored: dict[str, dict[str, dict[str, float]]]) -> None:
    lines = [
        "# Written by `python -m benchmarks.cost_model measure`: processor seconds at the start, for each document,"
    ]
    lines += ["# and for each million characters; of all workers, and of the run itself (the driver)."]
    for recipe, parts in sorted(stored.items()):
        for part, rate in parts.items():
            lines += ["", f'["{recipe}".{part}]', *(f"{name} = {value:.6g}" for name, value in rate.items())]
    RATES.write_text("\n".join(lines) + "\n", encoding="utf-8")


def rates(recipe: str) -> tuple[Rate, Rate]:
    """Of the workers and of the driver, as they were measured."""
    stored = _stored()
    if recipe not in stored:
        sys.exit(f"{RATES}: has no rates of the recipe {recipe!r}; measure them first")
    return Rate(**stored[recipe]["worker"]), Rate(**stored[recipe]["driver"])


def print_table(recipes: Iterable[str], documents: float, price: float) -> None:
    """What so many documents take, short and long, on clusters of several sizes."""
    print("| recipe | characters each | workers | runs | hours | core hours | price | busiest | journal TB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for recipe in recipes:
        worker, driver = rates(recipe)
        for characters in (1000, 5000):
            for workers, drivers in ((64, 1), (512, 1), (512, 8)):
                result = predict(worker, driver, documents, characters, workers, drivers)
                cells = [recipe, f"{characters:,}", f"{workers}", f"{drivers}", f"{result.hours:,.0f}"]
                cells += [f"{result.core_hours:,.0f}", f"{result.core_hours * price:,.0f}", result.busiest]
                print(f"| {' | '.join([*cells, f'{result.disk_gb / 1000:.1f}'])} |")


IN_MEMORY = {1_000: 96, 10_000: 195, 100_000: 1_200, 1_000_000: 11_400}
"""MB that tfidf took before its index had shards (2026-11-15)."""


def print_attacks() -> None:
    """Attacks as they were measured, and what the figures at 100,000 people say of a million."""
    print("| attack | people | processor s, measured | from 100,000 people | peak MB | releases |")
    print("| --- | --- | --- | --- | --- | --- |")
    for attack, sizes in recorded().items():
        base = sizes.get("100000")
        for size, row in sizes.items():
            seconds = row["fit_processor"] + row["run_processor"]
            expected = ""
            if base is not None and int(size) > 100_000:
                factor = int(size) / 100_000
                grown = base["fit_processor"] + base["run_processor"] * row["releases"] / base["releases"]
                expected = f"{factor * grown:.0f}"
            cells = [attack, f"{int(size):,}", f"{seconds:.1f}", expected, f"{row['peak_mb']:,.0f}"]
            print(f"| {' | '.join(cells)} | {row['releases']:,.0f} |")


def plot_attacks() -> None:
    sizes = {int(size): row for size, row in recorded().get("tfidf", {}).items()}
    people = sorted(sizes)
    curves = [
        Curve("one index in memory", list(IN_MEMORY), list(IN_MEMORY.values())),
        Curve("with shards from 250 MB on", people, [sizes[size]["peak_mb"] for size in people]),
        Curve("of which the texts", people, [sizes[size]["texts_mb"] for size in people]),
        Curve("bar: 4 GB", [people[0], people[-1]], [4_000, 4_000], is_bar=True),
    ]
    PLOTS.joinpath("scaling-people.svg").write_text(
        log_plot(curves, "people of about 120 words (tfidf, 1,000 releases)", "peak MB"), encoding="utf-8"
    )


def plot(recipes: Iterable[str]) -> None:
    sizes = np.logspace(3, 8, 26)
    curves = []
    for recipe in recipes:
        worker, driver = rates(recipe)
        for workers, drivers in ((2, 1), (64, 1), (512, 8)):
            hours = [predict(worker, driver, size, 2000, workers, drivers).hours for size in sizes]
            curves.append(Curve(f"{recipe}, {workers} workers", sizes.tolist(), hours))
    PLOTS.joinpath("scaling-documents.svg").write_text(
        log_plot(curves, "documents of 2,000 characters", "hours"), encoding="utf-8"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("sources", type=Path, nargs=2, help="a corpus of long documents, and one of short ones")
    measuring.add_argument("--recipe", default="default")
    predicting = commands.add_parser("predict")
    predicting.add_argument("--recipe", default="default")
    predicting.add_argument("--documents", type=float, required=True)
    predicting.add_argument("--characters", type=float, required=True, help="of a document, on average")
    predicting.add_argument("--workers", type=int, required=True)
    predicting.add_argument("--drivers", type=int, default=1, help="runs that share the corpus")
    predicting.add_argument("--price", type=float, default=0.0, help="of a core for an hour")
    tabulating = commands.add_parser("table")
    tabulating.add_argument("--price", type=float, default=0.04)
    commands.add_parser("plot")
    given = parser.parse_args()
    if given.command == "measure":
        measure(given.sources, given.recipe)
    elif given.command == "predict":
        result = predict(*rates(given.recipe), given.documents, given.characters, given.workers, given.drivers)
        print(json.dumps({**asdict(result), "price": result.core_hours * given.price}, indent=1))
    elif given.command == "table":
        print_table(_stored(), 100e6, given.price)
        print_attacks()
    else:
        plot(_stored())
        plot_attacks()


if __name__ == "__main__":
    main()
