"""Splits texts that are longer than a model's context, by an estimate of their tokens; nothing is dropped.

``split_windows`` overlap by whole sentences, for methods that search a text: what crosses a border is whole in one of
the two. ``split_pieces`` are disjoint, for methods that rewrite a text: ``join_pieces`` puts the parts together again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sfumato.errors import RecipeError
from sfumato.lexicon.grammar import TextRange, sentence_ranges, trim_range
from sfumato.lexicon.tokens import lazy_pattern

DEFAULT_CONTEXT = 4096
"""Tokens of a model's context where it is unknown."""
MARGIN = 64
"""Tokens that the chat template may add."""
MIN_TEXT_TOKENS = 32
"""Tokens of text below which a window is not worth a request."""
OVERLAP = 8
"""Windows overlap by about an eighth of their tokens."""

_SIXTHS = (
    (lazy_pattern(r"[0-9]"), 4),
    (lazy_pattern(r"[!-/:-@\[-`{-~\x00-\x08\x0e-\x1f\x7f]"), 1),
    (lazy_pattern(r"[\x80-\u024f]"), 2),
    (lazy_pattern(r"[\u0250-\u07ff]"), 4),
    (lazy_pattern(r"[\u0800-\uffff]"), 10),
    (lazy_pattern(r"[\U00010000-\U0010ffff]"), 16),
)
"""What characters cost beyond the third of a token that a Latin letter costs, in sixths of a token."""
_ASCII = 2
"""How many of these classes an ASCII text can have."""
_WORDS = lazy_pattern(r"\S+\s*|\s+")


def estimate_tokens(text: str) -> int:
    """An upper estimate of a text's tokens by its characters: three Latin letters or one digit a token, fewer
    characters of other scripts (which tokenizers read by the byte where they do not know them)."""
    return -(-_sixths(text) // 6)


def text_budget(context: int | None, prompt: int, answer: int) -> int:
    """Tokens left for a text in a context that also holds a prompt and an answer of so many tokens."""
    size = DEFAULT_CONTEXT if context is None else context
    left = size - MARGIN - prompt - answer
    if left < MIN_TEXT_TOKENS:
        raise RecipeError(
            f"the model's context has {size} tokens, of which the prompt takes about {prompt} and the answer up to "
            f"{answer}: use a model with a larger context, or a prompt file with a shorter text or a smaller max_tokens"
        )
    return left


def split_windows(text: str, max_tokens: int, overlap: int | None = None) -> list[TextRange]:
    """Ranges of at most ``max_tokens`` that together cover every character, with whole sentences where they fit.

    Neighbours share whole sentences of ``overlap`` tokens, at least one where it takes no more than half of a window.
    """
    if max_tokens < 4:
        raise RecipeError(f"a window must have at least 4 tokens; got {max_tokens}")
    tiles = _tiles(text, max_tokens)
    overlap = max_tokens // OVERLAP if overlap is None else overlap
    costs = [_sixths(text[start:end]) for start, end in tiles]
    windows: list[TextRange] = []
    first = 0
    while first < len(tiles):
        last = _window_end(costs, first, max_tokens)
        windows.append((tiles[first][0], tiles[last - 1][1]))
        if last == len(tiles):
            break
        first = _next_start(costs, first, last, max_tokens, overlap)
    return windows


def split_pieces(text: str, max_tokens: int) -> list[TextRange]:
    """Disjoint ranges of at most ``max_tokens``; between and around them is only white space."""
    windows = split_windows(text, max_tokens, 0)
    return [trim_range(text, start, end) for start, end in windows if not text[start:end].isspace()]


def join_pieces(text: str, ranges: Sequence[TextRange], parts: Sequence[str]) -> str:
    """The text with a part in place of each range (disjoint, sorted); what is between them stays."""
    joined, position = [], 0
    for (start, end), part in zip(ranges, parts, strict=True):
        joined += [text[position:start], part]
        position = end
    return "".join([*joined, text[position:]])


def _sixths(text: str) -> int:
    classes = _SIXTHS[:_ASCII] if text.isascii() else _SIXTHS
    return 2 * len(text) + sum(extra * len(pattern.findall(text)) for pattern, extra in classes)


def _tiles(text: str, max_tokens: int) -> list[TextRange]:
    """The text in sentences with the white space after them; a sentence that is too long in words or characters."""
    starts = [start for start, _ in sentence_ranges(text)]
    borders = [0, *starts[1:], len(text)] if starts else [0, len(text)]
    tiles: list[TextRange] = []
    for start, end in pairwise(borders):
        fits = _sixths(text[start:end]) <= 6 * max_tokens
        tiles += [(start, end)] if fits else _word_tiles(text, start, end, max_tokens)
    return [tile for tile in tiles if tile[0] < tile[1]]


def _word_tiles(text: str, start: int, end: int, max_tokens: int) -> list[TextRange]:
    """A sentence that fits no window in single words, so that windows can overlap in it too."""
    largest = max(1, max_tokens // 4)
    tiles = []
    for word in _WORDS.finditer(text, start, end):
        first, last = word.span()
        if _sixths(word[0]) <= 6 * largest:
            tiles.append((first, last))
        else:
            # A character costs three tokens at most.
            step = max(1, largest // 3)
            tiles += [(offset, min(offset + step, last)) for offset in range(first, last, step)]
    return tiles


def _window_end(costs: Sequence[int], first: int, max_tokens: int) -> int:
    """The end of the window that begins with a tile."""
    cost, last = costs[first], first + 1
    while last < len(costs) and cost + costs[last] <= 6 * max_tokens:
        cost += costs[last]
        last += 1
    return last


def _next_start(costs: Sequence[int], first: int, last: int, max_tokens: int, overlap: int) -> int:
    """The first tile of the next window: some tiles before the last window's end, but the tile after it must fit."""
    if overlap <= 0:
        return last
    begin, cost = last, 0
    while begin - 1 > first and cost + costs[begin - 1] + costs[last] <= 6 * max_tokens:
        if (cost and cost + costs[begin - 1] > 6 * overlap) or costs[begin - 1] > 3 * max_tokens:
            break
        begin -= 1
        cost += costs[begin]
    return begin
