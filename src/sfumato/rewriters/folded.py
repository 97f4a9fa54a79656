"""A text as identifiers are looked for in it: letters and digits alone, and where each of them came from."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

# Letters that are one with an accent to the eye, and to Unicode letters of their own.
_BARRED = str.maketrans("łøđħŧı", "lodhti")
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR", "BOPOMOFO")


@dataclass(frozen=True)
class FoldedText:
    """Letters and digits of a text without case and accents; ``starts`` and ``ends`` are offsets into the text."""

    letters: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    apart: tuple[bool, ...]
    """Whether something that is neither letter nor digit stands before each."""

    def find(self, needle: str, *, plural: str = "") -> Iterator[tuple[int, int]]:
        """Where a folded needle stands as whole words, as offsets into the text.

        ``plural``: what may follow it within its last word, as in a genitive.
        """
        at = self.letters.find(needle) if needle else -1
        while at >= 0:
            end = at + len(needle)
            if self._is_border(at):
                if self._is_border(end):
                    yield self.starts[at], self.ends[end - 1]
                elif plural and self.letters.startswith(plural, end) and self._is_border(end + len(plural)):
                    yield self.starts[at], self.ends[end + len(plural) - 1]
            at = self.letters.find(needle, at + 1)

    def _is_border(self, at: int) -> bool:
        if at in (0, len(self.letters)) or self.apart[at]:
            return True
        before, after = self.letters[at - 1], self.letters[at]
        # In a handle a name runs into a number: quorvex77.
        return before.isdigit() != after.isdigit() or _is_unspaced(before) or _is_unspaced(after)


def folded_text(text: str) -> FoldedText:
    """The text folded, with the way back."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    apart: list[bool] = []
    gap = True
    for at, character in enumerate(text):
        plain = plain_letters(character)
        for letter in plain:
            letters.append(letter)
            starts.append(at)
            ends.append(at + 1)
            apart.append(gap)
            gap = False
        if not plain:
            if _is_unseen(character):
                if ends and not gap:
                    ends[-1] = at + 1
            else:
                gap = True
    return FoldedText("".join(letters), tuple(starts), tuple(ends), tuple(apart))


def folded_letters(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    return "".join(map(plain_letters, text))


@lru_cache(maxsize=8192)
def plain_letters(character: str) -> str:
    """What a character folds to: nothing, a letter or digit, or several (ß is ss)."""
    taken_apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(letter for letter in taken_apart if letter.isalnum()).translate(_BARRED)


@lru_cache(maxsize=8192)
def _is_unseen(character: str) -> bool:
    """Accents that stand alone, joiners and marks of direction: nobody sees a gap there."""
    return unicodedata.category(character) in ("Mn", "Me", "Cf")


@lru_cache(maxsize=8192)
def _is_unspaced(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_UNSPACED)
