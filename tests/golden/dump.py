"""Library-level answers as JSON lines: ``dump.py OUT PART:LETTERS...``, run by collect.py with the python under test.

All that it calls comes from entry_points.toml, so that it can follow renames.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.golden.letters import Letter, letters
else:
    from letters import Letter, letters

HERE = Path(__file__).parent
TABLE = tomllib.loads((HERE / "entry_points.toml").read_text("utf-8"))
KEY = HERE / "fixed.key"
WORD = re.compile(r"\w+(?:[.,:/'’-]\w+)*[%€]?|[€$£]")
NUMBER_LABELS = ("DATETIME", "QUANTITY", "DEM", "MISC")
ORIGINALS = 10
FRAMES = {
    "en": (("She told them about ", " when they met."), ("The ", " was mentioned twice.")),
    "es": (("Ella les habló de ", " cuando se vieron."), ("Se mencionó el ", " dos veces.")),
}


@cache
def get(name: str) -> Any:
    module, _, attribute = TABLE["functions"][name].partition(":")
    return getattr(import_module(module), attribute)


def fields(kind: str, thing: Any) -> dict[str, Any] | None:
    return None if thing is None else {name: getattr(thing, own) for name, own in TABLE["fields"][kind].items()}


def documents(chosen: Iterable[Letter]) -> list[Any]:
    return [get("Document")(item.id, item.text) for item in chosen]


@cache
def spans_of(count: int) -> list[tuple[Letter, list[Any]]]:
    chosen = letters(count)
    return list(zip(chosen, get("detect")(documents(chosen), recipe=TABLE["recipes"]["detect"][0]), strict=True))


@cache
def mentions(count: int) -> list[tuple[Letter, int, int, str]]:
    """Where something stands, with a label: all spans, and one to four words around each number; each said once."""
    collected: dict[tuple[str, str, str], tuple[Letter, int, int, str]] = {}
    for letter, spans in spans_of(count):
        places = [(span.start, span.end, span.label) for span in spans]
        words = [match.span() for match in WORD.finditer(letter.text)]
        for at, (start, end) in enumerate(words):
            if any(map(str.isdigit, letter.text[start:end])):
                around = {(max(at - back, 0), min(at + on, len(words) - 1)) for back in (0, 1, 2) for on in (0, 1)}
                for first, last in sorted(around):
                    turn = (at + first + last) % len(NUMBER_LABELS)
                    places.append((words[first][0], words[last][1], NUMBER_LABELS[turn]))
        for start, end, label in places:
            collected.setdefault((letter.text[start:end], label, letter.language), (letter, start, end, label))
    return list(collected.values())


@cache
def generalized(count: int) -> list[tuple[Letter, int, int, str, tuple[Any, ...]]]:
    return [
        (one, start, end, label, tuple(get("generalize")(get("Mention")(one.text, start, end, label, one.language))))
        for one, start, end, label in mentions(count)
    ]


def dump_languages(count: int) -> Iterator[dict[str, Any]]:
    for letter in letters(count):
        yield {"id": letter.id, "language": get("language_of")(letter.text)}


def dump_spans(count: int) -> Iterator[dict[str, Any]]:
    chosen = letters(count)
    for recipe in TABLE["recipes"]["detect"]:
        for letter, spans in zip(chosen, get("detect")(documents(chosen), recipe=recipe), strict=True):
            texts = [{"said": letter.text[span.start : span.end], **(fields("span", span) or {})} for span in spans]
            yield {"recipe": recipe, "id": letter.id, "spans": texts}


def dump_passes(count: int) -> Iterator[dict[str, Any]]:
    """What each step behind the detectors gets and gives, one after the other, in documents of the everyday corpus."""
    calls: list[tuple[str, list[Any], list[Any]]] = []
    detection = get("detection")
    detection.PASSES = tuple(_recorded(each, calls) for each in detection.PASSES)
    lines = Path("everyday.jsonl").read_text("utf-8").splitlines()[:count]
    for row in map(json.loads, lines):
        get("detect")([get("Document")(row["id"], row["text"])], recipe=TABLE["recipes"]["detect"][0])
        for name, before, after in calls:
            yield {"id": row["id"], "pass": name, "before": _short(before), "after": _short(after)}
        calls.clear()


def _recorded(step: Any, calls: list[tuple[str, list[Any], list[Any]]]) -> Any:
    """A pass that also records what it gets and gives."""

    def run(context: Any, spans: Any) -> list[Any]:
        after = list(step.run(context, spans))
        calls.append((step.name, list(spans), after))
        return after

    return replace(step, run=run)


def _short(spans: Iterable[Any]) -> list[list[Any]]:
    return [[span.start, span.end, span.label, span.score, span.source, span.entity] for span in spans]


def dump_hierarchies(count: int) -> Iterator[dict[str, Any]]:
    for letter, start, end, label, levels in generalized(count):
        surface = letter.text[start:end]
        yield {
            "id": letter.id,
            "start": start,
            "said": surface,
            "label": label,
            "language": letter.language,
            "levels": [fields("level", level) for level in levels],
        }


def dump_phrases(count: int) -> Iterator[dict[str, Any]]:
    """Each phrase of phrases.tsv in two sentences: its levels, their first originals and the verdicts on them."""
    lines = (HERE / "phrases.tsv").read_text("utf-8").splitlines()
    for language, label, said in (line.split("\t") for line in lines[:: max(len(lines) // count, 1)]):
        for before, after in FRAMES[language]:
            text = f"{before}{said}{after}"
            place = (len(before), len(before) + len(said))
            levels = get("generalize")(get("Mention")(text, *place, label, language))
            items = [list(islice(get("originals")(level.text, text, label, language), ORIGINALS)) for level in levels]
            pairs = [get("Pair")(said, level.text, label, before, after, language) for level in levels]
            yield {
                "said": said,
                "label": label,
                "language": language,
                "levels": [fields("level", level) for level in levels],
                "originals": items,
                "verdicts": [fields("verdict", verdict) for verdict in get("judge_pairs")(pairs)],
            }


def dump_originals(count: int) -> Iterator[dict[str, Any]]:
    """For each level the first originals; each phrase once a label and language, in the text where it came first."""
    seen = set()
    for letter, _, _, label, levels in generalized(count):
        for level in levels:
            key = (level.text, label, letter.language)
            if key not in seen:
                seen.add(key)
                items = list(islice(get("originals")(*key[:1], letter.text, *key[1:]), ORIGINALS))
                yield {
                    "phrase": key[0],
                    "label": label,
                    "language": key[2],
                    "originals": list(islice(items, ORIGINALS)),
                }


def dump_judge(count: int) -> Iterator[dict[str, Any]]:
    """Each mention with each of its levels, each level with the next, and each mention with a level of another one."""
    pairs, other = [], None
    for letter, start, end, label, levels in generalized(count):
        before, after = letter.text[:start], letter.text[end:]
        steps = [(letter.text[start:end], level.text) for level in levels]
        steps += [(low.text, high.text) for low, high in pairwise(levels)]
        steps += [(high.text, low.text) for low, high in pairwise(levels[:2])]
        steps += [] if other is None else [(letter.text[start:end], other)]
        pairs += [get("Pair")(said, wider, label, before, after, letter.language) for said, wider in steps]
        other = levels[0].text if levels else other
    for pair, verdict in zip(pairs, get("judge_pairs")(pairs), strict=True):
        answer = {"known": fields("known", get("known")(pair)), "verdict": fields("verdict", verdict)}
        yield {"pair": [pair[0], pair[1], pair[2], pair[5]], **answer}


def dump_dates(count: int) -> Iterator[dict[str, Any]]:
    for letter, start, end, label, _ in generalized(count):
        if label == "DATETIME":
            surface = letter.text[start:end]
            moved = [get("shift_dates")(surface, days, order) for days in (7, -35, 364) for order in ("dmy", "mdy")]
            read = [[list(item) for item in get("read_dates")(surface, order)] for order in ("dmy", "mdy")]
            yield {"said": surface, "language": letter.language, "shifted": moved, "read": read}


def edit_row(edit: Any) -> dict[str, Any]:
    parts = TABLE["fields"]["edit_parts"]
    wider = [edit_row(item) for item in getattr(edit, parts["wider"])]
    return {"span": fields("span", getattr(edit, parts["span"])), **(fields("edit", edit) or {}), "wider": wider}


def releases(count: int, recipes: Iterable[str]) -> Iterator[dict[str, Any]]:
    chosen = documents(letters(count))
    for recipe in recipes:
        for document, made in zip(chosen, get("anonymize")(chosen, recipe=recipe, key_file=KEY), strict=True):
            release = fields("release", made) or {}
            edits = [edit_row(edit) for edit in release["edits"]]
            yield {"recipe": recipe, "id": document.id, "text": release["text"], "edits": edits}


def dump_releases(count: int) -> Iterator[dict[str, Any]]:
    return releases(count, TABLE["recipes"]["releases"])


def dump_replacers(count: int) -> Iterator[dict[str, Any]]:
    return releases(count, TABLE["recipes"]["replacers"])


def main(out: Path, wanted: list[str]) -> None:
    for item in wanted:
        part, _, count = item.partition(":")
        path = out / f"{part}-{count}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for row in globals()[f"dump_{part}"](int(count)):
                file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
