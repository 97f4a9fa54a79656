"""Find many phrases in a text at once: whole words only, cost independent of the number of phrases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")

T = TypeVar("T")


def fold_phrase(text: str) -> str:
    """The form in which phrases are compared when case does not matter: case and white space folded."""
    return _SPACE.sub(" ", text).casefold()


def collapse_spaces(text: str) -> str:
    """The form in which phrases are compared when case matters: only white space folded."""
    return _SPACE.sub(" ", text)


def contains_phrase(phrase: str, text: str) -> bool:
    """Whether a phrase stands in a text as whole words, as written."""
    return phrase in text and re.search(rf"\b{re.escape(phrase)}\b", text) is not None


@dataclass(frozen=True, slots=True)
class PhraseMatch(Generic[T]):
    """``text[start:end]`` is a phrase; ``value`` is what was stored with it."""

    start: int
    end: int
    value: T


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    before: str
    after: str
    value: T


class PhraseIndex(Generic[T]):
    """Phrases with a value each. A phrase is found only where no letter or digit adjoins a letter or digit of it.

    At each place the longest phrase wins, and hits do not overlap. White space inside a phrase matches any white
    space. ``match_case`` chooses between ``spaced`` and ``folded`` comparison.
    """

    def __init__(self, *, match_case: bool) -> None:
        self._norm = collapse_spaces if match_case else fold_phrase
        self._norm_word = str if match_case else str.casefold
        # Phrases are cut into [marks before][words][marks after]; the words are looked up, the marks compared.
        self._entries: dict[str, list[_Entry[T]]] = {}
        self._widths: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return sum(len(entries) for entries in self._entries.values())

    def add(self, phrase: str, value: T) -> None:
        """Store a phrase. Phrases without any letter or digit cannot be found as words and are ignored."""
        words = list(_WORD.finditer(phrase))
        if not words:
            return
        first, last = words[0], words[-1]
        core = self._norm(phrase[first.start() : last.end()])
        entry = _Entry(self._norm(phrase[: first.start()]), self._norm(phrase[last.end() :]), value)
        entries = self._entries.setdefault(core, [])
        entries.append(entry)
        entries.sort(key=lambda known: -len(known.before) - len(known.after))
        widths = self._widths.setdefault(self._norm_word(first.group()), [])
        if len(words) not in widths:
            widths.append(len(words))
            widths.sort(reverse=True)

    def find(self, text: str, accept: Callable[[PhraseMatch[T]], bool] = lambda hit: True) -> Iterator[PhraseMatch[T]]:
        """All hits from left to right; one that ``accept`` turns down makes room for shorter ones."""
        if not self._entries:
            return
        words = [match.span() for match in _WORD.finditer(text)]
        norm, widths = self._norm_word, self._widths
        free = 0
        for at, (start, end) in enumerate(words):
            if start < free:
                continue
            known = widths.get(norm(text[start:end]))
            hit = next(filter(accept, self._hits_at(text, words, at, free, known)), None) if known else None
            if hit is not None:
                yield hit
                free = hit.end

    def _hits_at(
        self, text: str, words: list[tuple[int, int]], at: int, free: int, widths: list[int]
    ) -> Iterator[PhraseMatch[T]]:
        """The phrases that begin with the word at this place, longest first."""
        start = words[at][0]
        for width in widths:
            if at + width > len(words):
                continue
            last = words[at + width - 1][1]
            for entry in self._entries.get(self._norm(text[start:last]), ()):
                begin, stop = start - len(entry.before), last + len(entry.after)
                if (
                    begin >= free
                    and self._norm(text[begin:start]) == entry.before
                    and self._norm(text[last:stop]) == entry.after
                ):
                    yield PhraseMatch(begin, stop, entry.value)
