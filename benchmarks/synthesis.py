"""New records from models fine-tuned on biographies, at several ε: what they repeat, and what they are good for.

    python -m benchmarks.synthesis make --data DATA --base NAME=MODEL [--base ...] --out FOLDER [--device cuda]
    python -m benchmarks.synthesis score --data DATA --out FOLDER

DATA holds db_bio/train.jsonl (the private records, with the occupation as control code) and db_bio/validation.jsonl.
``make`` fine-tunes each base at each ε by ``sfumato_papers.synthesis``, samples as many records of each occupation, and
writes FOLDER/NAME-EPSILON.json (the report) and .jsonl (the texts); it needs torch and transformers. ``score`` needs
neither: claims attack and its lexical baseline on the first originals, accuracy of a classifier that was trained on the
new records and tested on biographies of people in neither, beside one trained on the originals; it prints a Markdown
table.
What is finished is kept: the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from math import inf, isinf
from pathlib import Path
from typing import Any

from sfumato.document import Document
from sfumato.errors import InputError, Problem, RecipeError, SfumatoError
from sfumato.files import atomic_path
from sfumato.formats.base import Columns
from sfumato.formats.inputs import as_documents
from sfumato.progress import Progress

EPSILONS = (3.0, 64.0, 1024.0, inf)
LABEL = "label"
METRICS = ("claims-privacy", "rouge-link-privacy")


def read(data: Path, part: str, limit: int | None = None) -> list[Document]:
    """Biographies with their occupation."""
    path = data / "db_bio" / f"{part}.jsonl"
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; --data names a folder with db_bio/{part}.jsonl")
    return as_documents(path, Columns(id="wiki_name", keep=(LABEL,)), _say)[:limit]


def label_of(document: Document) -> str:
    return str(document.meta["kept"][LABEL])


def occupations(documents: Sequence[Document]) -> list[str]:
    return sorted({label_of(document) for document in documents})


def make(given: argparse.Namespace) -> None:
    """Each base at each ε."""
    from sfumato.models.embedders import StaticEmbedder
    from sfumato_papers.synthesis.causal import SamplingOptions
    from sfumato_papers.synthesis.synthesize import Settings, synthesize

    documents = read(given.data, "train", given.limit)
    codes = tuple(f"{LABEL}: {name}" for name in occupations(documents))
    given.out.mkdir(parents=True, exist_ok=True)
    embedder = StaticEmbedder()
    for name, base in _bases(given.base).items():
        for epsilon in given.epsilon or EPSILONS:
            cell = given.out / f"{name}-{epsilon:g}.json"
            if cell.is_file():
                continue
            began = time.monotonic()
            settings = Settings(
                base=base,
                epsilon=epsilon,
                delta=None if isinf(epsilon) else given.delta,
                code_columns=(LABEL,),
                codes=codes,
                count=given.count,
                epochs=given.epochs,
                batch=given.batch,
                rate=given.rate if isinf(epsilon) else given.private_rate,
                micro_batch=given.micro_batch,
                record_tokens=given.record_tokens,
                sampling=SamplingOptions(max_tokens=given.max_tokens),
                canaries=given.canaries,
                seed=given.seed,
                device=given.device,
            )
            folder = given.out / "models" / cell.stem
            folder.parent.mkdir(exist_ok=True)
            made = synthesize(documents, settings, folder, embedder=embedder, on_problem=_say, on_progress=_show)
            with atomic_path(cell.with_suffix(".jsonl")) as temporary:
                rows = [
                    {"id": key, LABEL: codes[(int(key[1:]) - 1) % len(codes)].partition(": ")[2], "text": text}
                    for key, text in made.texts.items()
                ]
                temporary.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            content = {**made.report, "seconds_since_last_start": round(time.monotonic() - began, 1)}
            _write(cell, content)
            print(f"{cell.stem}: {json.dumps(content['privacy'])}", flush=True)


def _bases(given: Sequence[str]) -> dict[str, str]:
    bases = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not name.replace("_", "").isalnum():
            raise RecipeError(f"--base {text}: write NAME=MODEL, such as --base smollm=SmolLM2.gguf")
        bases[name] = path
    return bases


def score(given: argparse.Namespace) -> None:
    """Scores of every cell that ``make`` has finished, and the table."""
    originals = read(given.data, "train", given.limit)
    held = read(given.data, "validation")
    cells = sorted(path for path in given.out.glob("*-*.jsonl") if path.with_suffix(".json").is_file())
    if not cells:
        raise InputError(f"{given.out}: holds no finished synthesis; run make with the same --out")
    path = given.out / "scores.json"
    scores: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if "originals" not in scores:
        scores["originals"] = {"accuracy": _accuracy(_pairs(originals), held)}
    for cell in cells:
        if cell.stem not in scores:
            texts = [json.loads(line) for line in cell.read_text(encoding="utf-8").splitlines()]
            labelled = [(row["text"], row[LABEL]) for row in texts]
            attacked = _attack(originals[: given.people], {row["id"]: row["text"] for row in texts})
            scores[cell.stem] = {**attacked, "accuracy": _accuracy(labelled, held)}
            _write(path, scores)
    reports = {cell.stem: json.loads(cell.with_suffix(".json").read_text(encoding="utf-8")) for cell in cells}
    print(table(scores, reports))


def _pairs(documents: Sequence[Document]) -> list[tuple[str, str]]:
    return [(document.text, label_of(document)) for document in documents]


def _attack(originals: Sequence[Document], texts: Mapping[str, str]) -> dict[str, Any]:
    from sfumato.api import measure

    found = measure(originals, dict(texts), metrics=METRICS, synthesized=True)
    return {
        name: {"value": value.value, "interval": list(value.interval), "n": value.n}
        for name, value in found.scores.items()
    }


def _accuracy(learned: Sequence[tuple[str, str]], held: Sequence[Document]) -> dict[str, Any]:
    """Of a classifier trained on these texts and asked about people in none of them; Wilson interval."""
    from sfumato.metrics.task_utility import fit_learner, tfidf_logistic
    from sfumato.statistics import wilson

    texts, labels = zip(*learned, strict=True)
    predicted = fit_learner(tfidf_logistic, list(texts), list(labels)).predict([one.text for one in held])
    right = sum(str(guess) == label_of(one) for guess, one in zip(predicted, held, strict=True))
    return {"value": right / len(held), "interval": list(wilson(right, len(held))), "n": len(held)}


def table(scores: Mapping[str, Any], reports: Mapping[str, Any]) -> str:
    """Markdown: a row for each base and ε, beside the originals."""
    lines = [
        "| model | ε spent | 5-grams of one record | exposure, bits | claims-privacy | rouge-link-privacy | accuracy |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        f"| originals | – | – | – | – | – | {_show_estimate(scores['originals']['accuracy'])} |",
    ]
    for name, report in sorted(reports.items(), key=lambda item: (item[0].rpartition("-")[0], _epsilon(item[1]))):
        spent, found = report["privacy"]["epsilon"], report["memorization"]
        cells = [
            name,
            "∞" if spent == "inf" else f"{spent:.4g}",
            _show_estimate(found["ngram_overlap"]),
            _show_estimate(found.get("exposure")),
            *(_show_estimate(scores[name].get(metric)) for metric in (*METRICS, "accuracy")),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _epsilon(report: Mapping[str, Any]) -> float:
    return float(report["privacy"]["epsilon"])


def _show_estimate(estimate: Mapping[str, Any] | None) -> str:
    if estimate is None:
        return "–"
    low, high = estimate["interval"]
    return f"{estimate['value']:.3f} [{low:.3f}, {high:.3f}]"


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _say(problem: Problem) -> None:
    print(problem, flush=True)


def _show(progress: Progress) -> None:
    if progress.done % 20 == 0 or progress.done == progress.total:
        print(f"{progress.stage} {progress.done}/{progress.total} {progress.detail}", flush=True)


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making, scoring = commands.add_parser("make"), commands.add_parser("score")
    for one in (making, scoring):
        one.add_argument("--data", type=Path, required=True)
        one.add_argument("--out", type=Path, required=True)
        one.add_argument("--limit", type=int, help="only so many records")
    making.add_argument("--base", action="append", required=True, metavar="NAME=MODEL")
    making.add_argument("--epsilon", type=float, action="append", help="may be given again; else 3, 64, 1024 and inf")
    making.add_argument("--delta", type=float, default=1e-4)
    making.add_argument("--count", type=int, default=480, help="new records")
    making.add_argument("--epochs", type=float, default=8.0)
    making.add_argument("--batch", type=int, default=64)
    making.add_argument("--micro-batch", type=int, default=32)
    making.add_argument("--rate", type=float, default=1e-4, help="peak learning rate without DP-SGD")
    making.add_argument("--private-rate", type=float, default=3e-4, help="with DP-SGD")
    making.add_argument("--record-tokens", type=int, default=256)
    making.add_argument("--max-tokens", type=int, default=256)
    making.add_argument("--canaries", type=int, default=10)
    making.add_argument("--seed", type=int, default=1, help="the records are public here; else it must stay secret")
    making.add_argument("--device", default="cuda")
    scoring.add_argument("--people", type=int, default=200, help="originals that the claims attack looks for")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    given = parse(argv)
    try:
        {"make": make, "score": score}[given.command](given)
    except SfumatoError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
