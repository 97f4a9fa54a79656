"""The benchmark's results as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

TITLES = {
    "tab": "TAB (court rulings)",
    "asq_phi": "ASQ-PHI (clinical questions)",
    "presidio": "presidio_research (unseen templates)",
    "spia": "SPIA (posts)",
    "meddocan": "MEDDOCAN (clinical cases, Spanish)",
    "wnut17": "WNUT17 (tweets and forums, names only)",
    "wikigold": "WikiGold (encyclopedia, names only)",
    "btc": "Broad Twitter Corpus (names only)",
}


def document(results: Mapping[str, Any]) -> str:
    """The whole report."""
    parts = [_heading(results), *_by_set(results["sets"]), _entities(results), _harmless(results["sets"])]
    parts += [_strict(results["sets"]), _speed(results["speed"], results["timed"]), _left_out(results)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _heading(results: Mapping[str, Any]) -> str:
    lines = [
        "## Finding personal information",
        f"{results['date']}, {results['machine']}, Python {results['python']}. Command: `{results['command']}`",
        "Only texts that were never trained on (`training/tagger/foldout.json`). Tokens are words and single marks. "
        "Recall: reference tokens wholly covered, with a 95 % Wilson interval over tokens; precision and F2: 95 % "
        "bootstrap over documents. Tokens a set's annotators did not judge (numbers and links in sets of names, ages "
        "beside names) count neither for nor against. spaCy and Presidio read English only, so their MEDDOCAN "
        "figures say what happens to Spanish, not how good they are. Presidio reports everything at score 0, its "
        "own default, organisations included; our detectors run at the balanced stop.",
    ]
    if results["limit"]:
        lines.append(f"At most {results['limit']} texts a set, drawn by a hash of their ids.")
    lines += [f"Left out: {name} ({reason})." for name, reason in results["skipped"].items()]
    return "\n\n".join(lines)


def _by_set(sets: Mapping[str, Any]) -> Iterator[str]:
    for name, scores in sets.items():
        heads = ("detector", "recall", "precision", "F2", "entity recall")
        rows = [
            (detector, *(_estimate(own[key]) for key in ("recall", "precision", "f2", "entity_recall")))
            for detector, own in scores["detectors"].items()
        ]
        yield f"### {TITLES[name]}: {_counted(scores)}\n\n{_table(heads, rows)}"


def _counted(scores: Mapping[str, Any]) -> str:
    return f"{scores['texts']:,} texts, {scores['tokens']:,} reference tokens, {scores['entities']:,} entities"


def _entities(results: Mapping[str, Any]) -> str:
    if "tab" not in results["sets"]:
        return ""
    heads = (
        "detector",
        "direct entities",
        "quasi entities",
        "token precision",
        "quasi entities at token precision .80 (threshold)",
    )
    rows = []
    for detector, own in results["sets"]["tab"]["detectors"].items():
        at_wanted = results["at_wanted_precision"].get(detector)
        turned = f"{_estimate(at_wanted['quasi'])} ({at_wanted['threshold']:.2f})" if at_wanted else "–"
        rows.append((detector, *(_estimate(own[key], "n") for key in ("direct", "quasi")),
                     _estimate(own["precision"]), turned))  # fmt: skip
    text = (
        "An entity is protected only when all its mentions are; uncovered function words, titles and marks are "
        "forgiven, as TAB does. The last column sets the tagger's threshold to the lowest of twenty thresholds with "
        "that precision on these texts."
    )
    return f"### TAB: entity recall as TAB defines it\n\n{text}\n\n{_table(heads, rows)}"


def _harmless(sets: Mapping[str, Any]) -> str:
    heads = ("detector", "set", "texts touched", "tokens masked")
    rows = [
        (detector, name, _estimate(own["harmless_touched"], "n"), _estimate(own["harmless_masked"], "n"))
        for name, scores in sets.items()
        if scores["harmless"]
        for detector, own in scores["detectors"].items()
    ]
    text = (
        "In wnut17 and btc these are messages without annotated names; dates, user names and hashtags of real "
        "people are among them, so not all that is masked there is wrong."
    )
    return f"### Texts without personal information\n\n{text}\n\n{_table(heads, rows)}" if rows else ""


def _strict(sets: Mapping[str, Any]) -> str:
    if "meddocan" not in sets:
        return ""
    rows = [(name, _estimate(own["strict_f1"], "n")) for name, own in sets["meddocan"]["detectors"].items()]
    return f"### MEDDOCAN: strict span F1\n\n{_table(('detector', 'F1 of spans with the same offsets'), rows)}"


def _speed(speed: Mapping[str, Any], timed: Mapping[str, Any]) -> str:
    base = speed.get("presidio-sm")
    heads = ("detector", "kB/s, two cores (range)", "kB per CPU second", "× Presidio-sm (clock / CPU)", "peak MB")
    rows = []
    for name, own in speed.items():
        median, low, high = own["rate"]
        times = f"{median / base['rate'][0]:.1f} / {own['rate_cpu'] / base['rate_cpu']:.1f}" if base else "–"
        rate = f"{median:,.0f} ({low:,.0f}–{high:,.0f})"
        rows.append((name, rate, f"{own['rate_cpu']:,.0f}", times, f"{own['megabytes']:,.0f}"))
    text = (
        f"{timed['texts']} texts of {timed['set']}, {timed['kilobytes']:,.0f} kB, median of three runs, each detector "
        "in a process of its own that may use both cores. spaCy and Presidio run as one process, as their users run "
        "them; processor time says what a core does, and does not depend on what else the machine had to do. Memory "
        "is the peak after all sets above."
    )
    return f"### Speed and memory\n\n{text}\n\n{_table(heads, rows)}"


def _left_out(results: Mapping[str, Any]) -> str:
    rows = []
    for name, own in results["leave_one_out"].items():
        peer = own["presidio-sm"]
        better = "–" if peer is None else "yes" if own["recall"] > peer["value"] else "**no**"
        rows.append((name, f"{own['texts']:,}", f"{own['recall']:.3f}", f"{own['precision']:.3f}",
                     _estimate(peer) if peer else "–", better))  # fmt: skip
    if not rows:
        return ""
    mean = sum(own["recall"] for own in results["leave_one_out"].values()) / len(rows)
    rows.append(("mean", "", f"{mean:.3f}", "", "", ""))
    heads = ("set left out", "texts", "recall", "precision", "Presidio-sm recall", "above Presidio-sm")
    text = (
        "The tagger alone, trained without the set, on all of it (model tokens, balanced stop, from `train.py "
        "--leave-out`); Presidio-sm on the fold-out part of the same set (words), against the same reference: of "
        "names without a decision only people, places and organisations count."
    )
    return f"### Leave one set out\n\n{text}\n\n{_table(heads, rows)}"


def _estimate(estimate: Mapping[str, Any], *show: str) -> str:
    if estimate["value"] is None:
        return "–"
    n = f", n={estimate['n']:,}" if "n" in show else ""
    return f"{_short(estimate['value'])} [{_short(estimate['low'])}–{_short(estimate['high'])}{n}]"


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
