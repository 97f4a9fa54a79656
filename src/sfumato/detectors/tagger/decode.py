"""From what the network says about tokens to spans of whole words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sfumato.detectors.tagger.network import Tokens
from sfumato.document import Identifier, Span

SOURCE = "tagger:mask"


def spans(text: str, tokens: Tokens, tags: Sequence[str], threshold: float) -> list[Span]:
    """Runs of words that must go, cut where the type changes or a new mention begins.

    A word goes when any piece of it reaches the threshold, and is of the type its first piece most resembles.
    """
    found: list[Span] = []
    run: list[tuple[int, int]] = []
    label = ""
    for first, last in _words(text, tokens.offsets):
        if tokens.mask[first:last].max() < threshold:
            found += _span(tokens, run, label)
            run = []
            continue
        position, _, own = tags[1 + int(tokens.types[first, 1:].argmax())].partition("-")
        if run and (own != label or position == "B"):
            found += _span(tokens, run, label)
            run = []
        run.append((first, last))
        label = own
    return found + _span(tokens, run, label)


def _words(text: str, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of tokens that make one word: pieces glued to each other by letters or digits."""
    starts = [
        number
        for number, (start, _) in enumerate(offsets)
        if not (number and offsets[number - 1][1] == start > 0 and text[start - 1].isalnum() and text[start].isalnum())
    ]
    return list(pairwise([*starts, len(offsets)]))


def _span(tokens: Tokens, run: Sequence[tuple[int, int]], label: str) -> list[Span]:
    if not run:
        return []
    first, last = run[0][0], run[-1][1]
    direct, quasi = tokens.decisions[first:last, :2].mean(0)
    identifier: Identifier = "direct" if direct > quasi else "quasi"
    score = float(np.clip(tokens.mask[first:last].max(), 0.0, 1.0))
    return [Span(tokens.offsets[first][0], tokens.offsets[last - 1][1], label, identifier, score, SOURCE)]
