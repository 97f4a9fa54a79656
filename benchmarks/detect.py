"""Our detectors, spaCy and Presidio on every set, in one run, on texts that were never trained on.

    python benchmarks/detect.py --data DATA [--detectors rules,tagger,...] [--sets tab,asq_phi,...] [--limit N]
                                [--leave-one-out FOLDER] [--json FILE]

Prints Markdown tables; nothing is asserted. DATA is the folder that holds tab/, spia/, ner/ ...
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `training` and `benchmarks`, which are not installed

from benchmarks.detect_run import Found, Run, measure
from benchmarks.detect_sets import SETS, TYPED, Text, foldout
from benchmarks.detect_tables import document

from benchmarks import detect_scores as scores

DETECTORS = ("rules", "tagger", "default", "spacy-sm", "spacy-md", "presidio-sm", "presidio-md")
TIMED_CHARACTERS = 60_000
WANTED_PRECISION = 0.80


def scored(texts: Sequence[Text], found: Found) -> dict[str, Any]:
    """All scores of one detector on one set."""
    pairs = list(zip(texts, found, strict=True))
    counts = [scores.token_counts(text.text, text.reference, text.unknown, spans) for text, spans in pairs]
    entities = [outcome for text, spans in pairs for outcome in scores.entities_found(text.text, text.mentions, spans)]
    harmless = [(text, spans) for text, spans in pairs if text.is_harmless]
    masked = sum(scores.token_counts(text.text, (), text.unknown, spans).masked for text, spans in harmless)
    tokens = sum(scores.known_tokens(text.text, text.unknown) for text, _ in harmless)
    estimates = {
        "recall": scores.recall(counts),
        "precision": scores.precision(counts),
        "f2": scores.f2(counts),
        "entity_recall": _share([is_found for _, is_found in entities]),
        "direct": _share([is_found for decision, is_found in entities if decision == "direct"]),
        "quasi": _share([is_found for decision, is_found in entities if decision == "quasi"]),
        "harmless_touched": _share([bool(spans) for _, spans in harmless]),
        "harmless_masked": scores.wilson(masked, tokens),
        "strict_f1": scores.strict_f1([scores.strict_counts(text.reference, spans) for text, spans in pairs]),
    }
    return {name: asdict(estimate) for name, estimate in estimates.items()}


def _share(outcomes: Sequence[bool]) -> scores.Estimate:
    return scores.wilson(sum(outcomes), len(outcomes))


def at_precision(texts: Sequence[Text], sweep: Mapping[float, Found], wanted: float) -> dict[str, Any] | None:
    """The scores at the lowest threshold whose token precision reaches ``wanted``; None where none does."""
    for threshold, found in sorted(sweep.items()):
        own = scored(texts, found)
        if (own["precision"]["value"] or 0.0) >= wanted:
            return {"threshold": threshold, **own}
    return None


def left_out(folder: Path, texts: Mapping[str, Sequence[Text]], peer: Run | None) -> dict[str, Any]:
    """Per set the recall of a tagger that never saw it, beside Presidio's against the same reference."""
    rows = {}
    for path in sorted(folder.glob("loo-*.scores.json")):
        name = path.name.removeprefix("loo-").removesuffix(".scores.json")
        own = json.loads(path.read_text(encoding="utf-8"))[name]
        row = {key: own[key] for key in ("texts", "recall", "precision")}
        rows[name] = {**row, "presidio-sm": _peer_recall(name, texts, peer)}
    return rows


def _peer_recall(name: str, texts: Mapping[str, Sequence[Text]], peer: Run | None) -> dict[str, Any] | None:
    if peer is None or name not in peer.found:
        return None
    counts = [
        scores.token_counts(text.text, text.assumed, text.unknown, spans)
        for part in ((name, TYPED) if name == "tab" and TYPED in texts else (name,))
        for text, spans in zip(texts[part], peer.found[part], strict=True)
    ]
    return asdict(scores.recall(counts))


def benchmark(options: argparse.Namespace) -> dict[str, Any]:
    texts = {name: foldout(options.data, name, options.limit) for name in options.sets}
    if "tab" in texts and options.leave_one_out:
        texts[TYPED] = foldout(options.data, TYPED, options.limit)
    timed_set = "tab" if "tab" in texts else next(iter(texts))
    timed = _up_to(TIMED_CHARACTERS, texts[timed_set])
    plain = {name: [text.text for text in own] for name, own in texts.items()}
    runs: dict[str, Run] = {}
    skipped: dict[str, str] = {}
    for name in options.detectors:
        print(f"{name} ...", file=sys.stderr, flush=True)
        run = measure(name, plain, timed, plain.get("tab", []))
        if isinstance(run, str):
            skipped[name] = run
            print(f"{name} is skipped: {run}", file=sys.stderr)
        else:
            runs[name] = run
    at_wanted = {
        name: at_precision(texts["tab"], run.sweep, WANTED_PRECISION) for name, run in runs.items() if run.sweep
    }
    return {
        "date": str(datetime.date.today()),
        "machine": _machine(),
        "python": platform.python_version(),
        "command": " ".join(["python", "benchmarks/detect.py", *options.words]),
        "limit": options.limit,
        "skipped": skipped,
        "sets": {name: _set(own, name, runs) for name, own in texts.items() if name != TYPED},
        "at_wanted_precision": {name: own for name, own in at_wanted.items() if own},
        "sweep": {name: _sweep(texts["tab"], run) for name, run in runs.items() if run.sweep},
        "timed": {"set": timed_set, "texts": len(timed), "kilobytes": sum(len(text.encode()) for text in timed) / 1000},
        "speed": {
            name: {"rate": run.rate, "rate_cpu": run.rate_cpu, "megabytes": run.megabytes} for name, run in runs.items()
        },
        "leave_one_out": (
            left_out(options.leave_one_out, texts, runs.get("presidio-sm")) if options.leave_one_out else {}
        ),
    }


def _set(texts: Sequence[Text], name: str, runs: Mapping[str, Run]) -> dict[str, Any]:
    detectors = {detector: scored(texts, run.found[name]) for detector, run in runs.items()}
    return {
        "texts": len(texts),
        "tokens": sum(scores.token_counts(text.text, text.reference, (), ()).reference for text in texts),
        "entities": sum(len({mention.entity for mention in text.mentions}) for text in texts),
        "harmless": sum(text.is_harmless for text in texts),
        "detectors": detectors,
    }


def _sweep(texts: Sequence[Text], run: Run) -> dict[str, Any]:
    keys = ("recall", "precision", "direct", "quasi")
    return {
        f"{threshold:.2f}": {key: own[key]["value"] for key in keys}
        for threshold, found in sorted(run.sweep.items())
        for own in [scored(texts, found)]
    }


def _up_to(characters: int, texts: Sequence[Text]) -> list[str]:
    chosen: list[str] = []
    for text in texts:
        if sum(map(len, chosen)) >= characters:
            break
        chosen.append(text.text)
    return chosen


def _machine() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(models) or '?'} × {models[0] if models else platform.machine()}"


def names_of(known: Sequence[str]) -> Any:
    """Reads names with commas between them, or all; for an option of the command line."""

    def parse(value: str) -> list[str]:
        names = list(known) if value == "all" else value.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"no {name!r}: use some of {','.join(known)}")
        return names

    return parse


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--detectors", type=names_of(DETECTORS), default=list(DETECTORS))
    parser.add_argument("--sets", type=names_of(SETS), default=list(SETS))
    parser.add_argument("--limit", type=int, help="at most so many texts a set")
    parser.add_argument(
        "--leave-one-out", type=Path, help="folder with loo-SET.scores.json of training/tagger/train.py"
    )
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    options = parser.parse_args()
    options.words = sys.argv[1:]
    results = benchmark(options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(document(results))


if __name__ == "__main__":
    main()
