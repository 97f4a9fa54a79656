"""What a language model without our hierarchies guesses: the same spans of two mask files, five guesses each.

    python -m benchmarks.generalize_guesses --data DATA --model FILE.gguf --masks OURS.json [--spans 60] [--seed 0]

DATA holds tab/; ``--masks`` is what ``benchmarks.generalize --masks`` wrote. The model sees the span's paragraph as it
was released. Spans are drawn at random from the mentions that are neither people nor codes. Needs the extra ``llm``.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.generalize import documents, mentions, published

from sfumato.attacks.inference import UNREADABLE, ChatGuesser, frequent_lemmas, is_match
from sfumato.document import Release, Span
from sfumato.formats.spans import read_masks
from sfumato.llm.gguf import GgufChat
from sfumato.statistics import wilson


def drawn(spans: dict[str, list[Span]], count: int, seed: int) -> list[tuple[str, Span]]:
    every = [(key, span) for key, own in sorted(spans.items()) for span in own if span.label not in ("PERSON", "CODE")]
    return random.Random(seed).sample(every, count)


def paragraph(release: Release, span: Span) -> tuple[str, Span]:
    """The released paragraph that the span's replacement stands in, and where."""
    start, end = release.to_released(span.start, span.end)
    text = release.text
    low = text.rfind("\n", 0, start) + 1
    high = text.find("\n", end)
    high = len(text) if high < 0 else high
    return text[low:high], Span(start - low, end - low, span.label)


def guessed(guesser: ChatGuesser, release: Release, span: Span, frequent: frozenset[str]) -> tuple[bool, Sequence[str]]:
    text, place = paragraph(release, span)
    answers = [guess.answer for guess in guesser.guess(text, [place], 5)[0]]
    original = release.document.text[span.start : span.end]
    return any(is_match(original, answer, span.label, frequent) for answer in answers), answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--data", "--model", "--out"):
        parser.add_argument(option, type=Path, required=option != "--out")
    parser.add_argument("--masks", type=Path)
    parser.add_argument("--spans", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    texts = documents(given.data)
    spans = mentions(given.data, texts)
    frequent = frequent_lemmas(document.text for document in texts)
    methods = {"INTACT": published("Manual_INTACT", given.data, texts, spans)}
    if given.masks:
        ours = dict(read_masks(given.masks))
        methods["generalize"] = [Release(document, tuple(ours[document.id])) for document in texts]
    chosen = drawn(spans, given.spans, given.seed)
    print(f"{given.spans} spans, seed {given.seed}, {given.model.stem}\n")
    print("| method | guessed | unreadable | s |\n| --- | --- | --- | --- |")
    listed: dict[str, list[list[object]]] = {}
    for name, releases in methods.items():
        guesser = ChatGuesser(GgufChat(given.model, context=4096, slots=1))
        by_id = {release.document.id: release for release in releases}
        began, right, unreadable = time.perf_counter(), 0, 0
        listed[name] = []
        for key, span in chosen:
            hit, answers = guessed(guesser, by_id[key], span, frequent)
            right += hit
            unreadable += UNREADABLE in answers
            place = paragraph(by_id[key], span)
            said = place[0][place[1].start : place[1].end]
            listed[name].append([span.label, by_id[key].document.text[span.start : span.end], said, hit, *answers])
        low, high = wilson(right, len(chosen))
        took = time.perf_counter() - began
        print(f"| {name} | {right / len(chosen):.3f} [{low:.3f}–{high:.3f}] | {unreadable} | {took:.0f} |", flush=True)
        if given.out:
            given.out.write_text(json.dumps(listed, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
