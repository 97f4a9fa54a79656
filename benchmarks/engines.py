"""The local engine and Ray side by side: seconds, the processor time of the run itself, and whether bytes are the same.

    python -m benchmarks.engines TEXTS.jsonl [--recipe default] [--jobs 2] [--repeats 5] [--documents N]

TEXTS: one ``{"id": ..., "text": ...}`` a line; with ``--documents`` repeated (with new ids) or cut to so many. Each run
is a process of its own; the engines take turns, so that what else the machine does falls on both. Two times are given:
of the run with the start of its workers, and of the whole command with the start of Ray. The processor time of the run
itself, without its workers, says how many workers one run can keep busy; on a machine that does other things, too, the
ratio of processor times says more than that of seconds. Prints a
Markdown table; nothing is asserted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ENGINES = ("local", "ray")


def write_corpus(source: Path, target: Path, documents: int | None) -> tuple[int, int]:
    """The corpus as it is measured; returns how many documents and characters it has."""
    texts = [json.loads(line)["text"] for line in source.read_text(encoding="utf-8").splitlines()]
    count = documents or len(texts)
    with target.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(json.dumps({"id": f"d{number}", "text": texts[number % len(texts)]}) + "\n")
    return count, sum(len(texts[number % len(texts)]) for number in range(count))


def run_alone(engine: str, source: Path, place: Path, recipe: str, jobs: int) -> dict[str, Any]:
    """One run in this process."""
    began = time.perf_counter()
    from sfumato import recipe as recipes
    from sfumato.runs.anonymize import anonymize_files
    from sfumato.scale.engines import open_engine

    loaded = recipes.load(recipe).with_changes(seed=1)
    outputs = place / f"{engine}.jsonl", place / f"{engine}.audit.jsonl"
    with open_engine("ray" if engine == "ray" else None, jobs) as opened:
        used = time.process_time()
        summary = anonymize_files(
            [source],
            outputs[0],
            loaded,
            audit=outputs[1],
            jobs=jobs if opened is None else 1,
            engine=opened,
        )
        processor = time.process_time() - used
        workers = _actors() if opened else None
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in outputs)).hexdigest()
    return {
        "engine": engine,
        "run": summary.seconds,
        "whole": time.perf_counter() - began,
        "driver_processor": processor,
        "worker_processor": _children() if workers is None else workers,
        "driver_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "digest": digest,
    }


def _children() -> float:
    """Processor time of the local engine's workers, which have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _actors() -> float:
    """Processor time of Ray's actors on this machine, which still live."""
    ticks = 0
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (folder / "cmdline").read_bytes().startswith(b"ray::_Actor"):
                ticks += sum(map(int, (folder / "stat").read_text().rpartition(")")[2].split()[11:13]))
        except OSError:  # it has ended meanwhile
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def compare(source: Path, recipe: str, jobs: int, repeats: int, documents: int | None) -> dict[str, Any]:
    """Runs of both engines in turns, and the medians."""
    runs: dict[str, list[dict[str, Any]]] = {engine: [] for engine in ENGINES}
    with TemporaryDirectory() as folder:
        place = Path(folder)
        count, characters = write_corpus(source, place / "corpus.jsonl", documents)
        for _ in range(repeats):
            for engine in ENGINES:
                command = [sys.executable, "-m", "benchmarks.engines", str(place / "corpus.jsonl"), "--alone", engine]
                command += ["--place", folder, "--recipe", recipe, "--jobs", str(jobs)]
                output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                runs[engine].append(json.loads(output.splitlines()[-1]))
    digests = {run["digest"] for engine in ENGINES for run in runs[engine]}
    pairs = list(zip(*runs.values(), strict=True))
    ratios = [local["run"] / ray["run"] for local, ray in pairs]
    by_processor = [_processor(local) / _processor(ray) for local, ray in pairs]
    return {
        "recipe": recipe,
        "documents": count,
        "characters": characters,
        "runs": runs,
        "ratio": statistics.median(ratios),
        "ratios": ratios,
        "processor_ratio": statistics.median(by_processor),
        "identical": len(digests) == 1,
    }


def _processor(run: dict[str, Any]) -> float:
    return float(run["worker_processor"] + run["driver_processor"])


def print_table(result: dict[str, Any]) -> None:
    print("| engine | run s | whole command s | workers, processor s | run itself, processor s | peak MB of it |")
    print("| --- | --- | --- | --- | --- | --- |")
    for engine, runs in result["runs"].items():
        median = {
            key: statistics.median(run[key] for run in runs)
            for key in ("run", "whole", "worker_processor", "driver_processor", "driver_mb")
        }
        cells = [f"{median[key]:.1f}" for key in ("run", "whole", "worker_processor", "driver_processor")]
        print(f"| {engine} | {' | '.join(cells)} | {median['driver_mb']:.0f} |")
    ratios = ", ".join(f"{ratio:.2f}" for ratio in result["ratios"])
    print(
        f"\n{result['recipe']}, {result['documents']:,} documents, {result['characters'] / 1e6:.2f} M characters: "
        f"Ray {result['ratio']:.2f} × the local engine by the clock ({ratios}), "
        f"{result['processor_ratio']:.2f} × by processor time; bytes "
        f"{'identical' if result['identical'] else 'DIFFERENT'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--documents", type=int)
    parser.add_argument("--alone", choices=ENGINES, help="one run in this process")
    parser.add_argument("--place", type=Path, help="where it writes")
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(run_alone(given.alone, given.texts, given.place, given.recipe, given.jobs)))
        return
    print_table(compare(given.texts, given.recipe, given.jobs, given.repeats, given.documents))


if __name__ == "__main__":
    main()
