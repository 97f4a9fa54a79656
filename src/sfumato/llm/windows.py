"""Texts longer than a model's context, cut into what it can read at once; nothing is dropped.

``windows`` overlap by whole sentences, for methods that look for something: what stands across a border stands whole
in one of the two. ``pieces`` do not, for methods that write a text anew: ``joined`` puts the parts together again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from sfumato.errors import RecipeError
from sfumato.lexicon.grammar import TextRange, sentence_ranges

CONTEXT = 4096
"""Tokens taken for a model's context where nobody knows it."""
MARGIN = 64
"""Tokens that a conversation's own marks may take."""
LEAST = 32
"""Tokens of text below which a window is not worth a question."""
OVERLAP = 8
"""Windows overlap by about the eighth part of their room."""

_DIGIT = re.compile(r"[0-9]")
_MARK = re.compile(r"[!-/:-@\[-`{-~\x00-\x08\x0e-\x1f\x7f]")
_LATIN = re.compile(r"[\x80-\u024f]")
_SHORT = re.compile(r"[\u0250-\u07ff]")
_LONG = re.compile(r"[\u0800-\uffff]")
_LONGEST = re.compile(r"[\U00010000-\U0010ffff]")
_SIXTHS = ((_DIGIT, 4), (_MARK, 1), (_LATIN, 2), (_SHORT, 4), (_LONG, 10), (_LONGEST, 16))
"""What characters cost beyond the third part of a token that a Latin letter does, in sixths of a token."""
_WORDS = re.compile(r"\S+\s*|\s+")


def estimated(text: str) -> int:
    """How many tokens a text has at most, by its characters: three of Latin script to a token, one digit, fewer of
    other scripts (tokenizers read these by the byte where they do not know them)."""
    return -(-_sixths(text) // 6)


def room(context: int | None, prompt: int, answer: int) -> int:
    """Tokens left for a text beside a prompt and an answer of so many tokens."""
    left = (CONTEXT if context is None else context) - MARGIN - prompt - answer
    if left < LEAST:
        raise RecipeError(
            f"the model reads {CONTEXT if context is None else context} tokens at once, of which the prompt takes "
            f"about {prompt} and the answer up to {answer}: take a model with a larger context, or a prompt file with "
            "a shorter text or a smaller max_tokens"
        )
    return left


def windows(text: str, room: int, overlap: int | None = None) -> list[TextRange]:
    """Ranges of at most ``room`` tokens that together cover every character, each sentence whole where it fits.

    Neighbours share whole sentences of ``overlap`` tokens, at least one where it takes no more than half of the room.
    """
    tiles = _tiles(text, _checked(room))
    overlap = room // OVERLAP if overlap is None else overlap
    costs = [_sixths(text[start:end]) for start, end in tiles]
    found: list[TextRange] = []
    first = 0
    while first < len(tiles):
        last = _filled(costs, first, room)
        found.append((tiles[first][0], tiles[last - 1][1]))
        if last == len(tiles):
            break
        first = _back(costs, first, last, room, overlap)
    return found


def pieces(text: str, room: int) -> list[TextRange]:
    """Disjoint ranges of at most ``room`` tokens, without the white space around them, which is all that they leave."""
    found = []
    for start, end in windows(text, room, 0):
        said = text[start:end]
        if not said.isspace():
            found.append((start + len(said) - len(said.lstrip()), end - len(said) + len(said.rstrip())))
    return found


def joined(text: str, ranges: Sequence[TextRange], parts: Sequence[str]) -> str:
    """The text with a part in the place of each range (disjoint, sorted); between them stands what stood there."""
    put, at = [], 0
    for (start, end), part in zip(ranges, parts, strict=True):
        put += [text[at:start], part]
        at = end
    return "".join([*put, text[at:]])


def _checked(room: int) -> int:
    if room < 4:
        raise RecipeError(f"a window must have room for 4 tokens at least; got {room}")
    return room


def _sixths(text: str) -> int:
    cost = 2 * len(text)
    if text.isascii():
        return cost + sum(more * len(kind.findall(text)) for kind, more in _SIXTHS[:2])
    return cost + sum(more * len(kind.findall(text)) for kind, more in _SIXTHS)


def _tiles(text: str, room: int) -> list[TextRange]:
    """The text in sentences, each with the white space after it; one that is too long in words, or in characters."""
    starts = [start for start, _ in sentence_ranges(text)]
    borders = [0, *starts[1:], len(text)] if starts else [0, len(text)]
    tiles: list[TextRange] = []
    for start, end in pairwise(borders):
        tiles += [(start, end)] if _sixths(text[start:end]) <= 6 * room else _words(text, start, end, room)
    return [tile for tile in tiles if tile[0] < tile[1]]


def _words(text: str, start: int, end: int, room: int) -> list[TextRange]:
    """A sentence that no window holds, in single words, so that windows can overlap in it too."""
    most = max(1, room // 4)
    tiles = []
    for word in _WORDS.finditer(text, start, end):
        at, stop = word.span()
        if _sixths(word[0]) <= 6 * most:
            tiles.append((at, stop))
        else:
            # A character costs three tokens at most.
            step = max(1, most // 3)
            tiles += [(place, min(place + step, stop)) for place in range(at, stop, step)]
    return tiles


def _filled(costs: Sequence[int], first: int, room: int) -> int:
    """Where the window that begins with a tile ends."""
    cost, last = costs[first], first + 1
    while last < len(costs) and cost + costs[last] <= 6 * room:
        cost += costs[last]
        last += 1
    return last


def _back(costs: Sequence[int], first: int, last: int, room: int, overlap: int) -> int:
    """Where the next window begins: some tiles before the end of the one before, with room for the tile after it."""
    if overlap <= 0:
        return last
    begin, cost = last, 0
    while begin - 1 > first and cost + costs[begin - 1] + costs[last] <= 6 * room:
        if (cost and cost + costs[begin - 1] > 6 * overlap) or costs[begin - 1] > 3 * room:
            break
        begin -= 1
        cost += costs[begin]
    return begin
