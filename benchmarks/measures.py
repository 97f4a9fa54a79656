"""Every metric on TAB's dev set for the six published mask files, in one run, with what it cost.

``python -m benchmarks.measures --data DATA [--metric NAME ...] [--scorer NAME] [--authors-compat] [--json FILE]``
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from datetime import date
from pathlib import Path

from sfumato.metrics.measurement import Measurement
from sfumato.metrics.run import measure_each
from sfumato.statistics import pearson

METHODS = {
    "suppression": "Manual_Supression.json",
    "entity type": "Manual_Entity.json",
    "Presidio+GPT-3.5": "Manual_Presidio_gpt-3.5-turbo-0125.json",
    "INTACT": "Manual_INTACT.json",
    "Presidio, suppressed": "Presidio_Supression.json",
    "Presidio, entity type": "Presidio_Entity.json",
}
PUBLISHED_ORDER = ("suppression", "entity type", "Presidio+GPT-3.5", "INTACT")


def table(measured: dict[str, Measurement]) -> str:
    """A row a metric, a column a method; the interval of each value beneath the mean of all."""
    first = next(iter(measured.values()))
    lines = ["| metric | " + " | ".join(measured) + " |", "| --- |" + " --- |" * len(measured)]
    for name in first.scores:
        arrow = "↑" if first.scores[name].higher_is_better else "↓"
        cells = [_cell(one, name) for one in measured.values()]
        lines.append(f"| {name} {arrow} | " + " | ".join(cells) + " |")
    refused = "; ".join(f"{name} ({reason})" for name, reason in first.refused.items())
    return "\n".join(lines) + f"\n\nNot measured: {refused}."


def _cell(measurement: Measurement, name: str) -> str:
    score = measurement.scores.get(name)
    if score is None:
        return "–"
    low, high = score.interval
    return f"{score.value:.3f} [{low:.3f}–{high:.3f}]"


def agreement(measured: dict[str, Measurement]) -> str:
    """Whether TPS orders the methods as published, and how NMI goes with it."""
    tps = {name: one.scores["tps"].value for name, one in measured.items()}
    nmi = {name: one.scores["nmi"].value for name, one in measured.items()}
    ordered = [tps[name] for name in PUBLISHED_ORDER]
    said = "as published" if ordered == sorted(ordered) else "NOT as published"
    every = pearson(list(tps.values()), list(nmi.values()))
    manual = pearson(ordered, [nmi[name] for name in PUBLISHED_ORDER])
    return (
        f"TPS order {said} ({' < '.join(PUBLISHED_ORDER)}). Pearson's r of TPS and NMI: {every.value:.3f} "
        f"(p = {every.p:.3f}) over all {every.n} methods, {manual.value:.3f} (p = {manual.p:.3f}) over the {manual.n} "
        "on the same spans (published: .864, p = .012, over seven)."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--metric", action="append", help="a metric or a family alone; may be given again")
    parser.add_argument("--scorer", default="default")
    parser.add_argument("--authors-compat", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    began, usage = time.monotonic(), time.process_time()
    measured = measure_each(
        options.data / "tab/dev.jsonl",
        {name: options.data / "tab/masks" / file for name, file in METHODS.items()},
        metrics=options.metric,
        scorer=options.scorer,
        authors_compat=options.authors_compat,
    )
    print(f"{date.today()}, {platform.processor() or platform.machine()}, Python {platform.python_version()}. ", end="")
    print(f"{time.monotonic() - began:.0f} s by the clock, {time.process_time() - usage:.0f} s of processor time.\n")
    print(table(measured))
    if all({"tps", "nmi"} <= one.scores.keys() for one in measured.values()):
        print()
        print(agreement(measured))
    if options.json:
        scores = {
            method: {
                name: {"value": score.value, "interval": score.interval, "n": score.n, "settings": dict(score.settings)}
                for name, score in one.scores.items()
            }
            for method, one in measured.items()
        }
        options.json.write_text(json.dumps(scores, indent=1, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
