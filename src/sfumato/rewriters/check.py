"""No rewrite leaves with a direct identifier that the floor has taken out.

The floor is what detectors and replacers made of the original. Whatever a model wrote, and whoever told it to, what
the floor found is looked for once more in the rewritten text, and the floor's replacement put in its place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from sfumato.document import Document, Edit, Release
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.name_lists import is_title

# -- A text as identifiers are looked for in it: letters and digits alone, and where each of them came from.


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


# -- No rewrite leaves with a direct identifier that the floor has taken out.


NAME_PART = 3
"""Letters that a part of a name has at least, to be looked for alone."""
_ROUNDS = 3
_WORD = re.compile(r"[^\W\d_]+")
_SMALL_WORDS = frozenset().union(*STOP_WORDS.values())
_FIRST_WORD = re.compile(r"\W*(\w+)\W+(?=\w)")


@dataclass(frozen=True, slots=True)
class Mended:
    """A rewritten text without surviving identifiers; ``left``: those that could not be taken out."""

    text: str
    survivors: int
    left: int


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What must not stand in the rewritten text, and what the floor puts in its place."""

    folded: str
    verbatim: str
    replacement: str
    is_name: bool
    is_word: bool
    """One ordinary-looking word: it may stand where the floor itself lets it stand."""


@dataclass(frozen=True, slots=True)
class _Survivor:
    start: int
    end: int
    replacement: str


def mended(document: Document, floor: Release, text: str, *, every: Collection[str] = ()) -> Mended:
    """The rewritten text with each surviving identifier replaced as ``floor``, a release of the document, replaces it.

    Looked for is what the floor replaced as PERSON, CODE or a direct identifier, and of the labels in ``every``
    all that it replaced; of a name also every part of three letters and more. Case, accents, white space and
    punctuation make no difference. What the floor itself releases is no survivor: a replacement of its own, and a
    name of one word that stands in its release in the same spelling (the month of May).
    """
    wanted = list(_wanted(document, floor, frozenset(every)))
    found = _survivors(wanted, floor, text)
    count = 0
    for _ in range(_ROUNDS):
        if not found:
            break
        count += len(found)
        for survivor in reversed(found):
            text = text[: survivor.start] + survivor.replacement + text[survivor.end :]
        # Two ends that come together can spell what was not there before.
        found = _survivors(wanted, floor, text)
    return Mended(text, count, len(found))


def _wanted(document: Document, floor: Release, every: frozenset[str]) -> Iterator[_Wanted]:
    """Whole identifiers before parts, so that each is replaced as the floor replaced just that."""
    direct = [edit for edit in floor.edits if _is_direct(edit)]
    for edit in direct:
        original = document.text[edit.span.start : edit.span.end]
        name = edit.span.label == "PERSON"
        yield _of(original, edit.replacement, is_name=name, is_word=name and len(_WORD.findall(original)) == 1)
        if name and len(own := _untitled(original)) > 1:
            yield _of(" ".join(own), edit.replacement, is_name=True, is_word=False)
    for edit in floor.edits:
        if edit.span.label in every and not _is_direct(edit):
            core, replacement = _cores(document.text[edit.span.start : edit.span.end], edit.replacement)
            yield _of(core, replacement, is_name=False, is_word=True)
    for edit in direct:
        if edit.span.label == "PERSON":
            for word in _untitled(document.text[edit.span.start : edit.span.end]):
                if len(word) >= NAME_PART and word not in _SMALL_WORDS:
                    yield _of(word, edit.replacement, is_name=True, is_word=True)


def _untitled(name: str) -> list[str]:
    return [word for word in _WORD.findall(name) if not is_title(word)]


def _of(original: str, replacement: str, *, is_name: bool, is_word: bool) -> _Wanted:
    return _Wanted(folded_letters(original), original.strip(), replacement, is_name, is_word)


def _is_direct(edit: Edit) -> bool:
    return edit.span.label in ("PERSON", "CODE") or edit.span.identifier == "direct"


def _cores(original: str, replacement: str) -> tuple[str, str]:
    """Both without the small words in front: an edit may take an article or a preposition along."""
    return _without_small_words(original), _without_small_words(replacement)


def _without_small_words(phrase: str) -> str:
    while (first := _FIRST_WORD.match(phrase)) and first[1].casefold() in _SMALL_WORDS:
        phrase = phrase[first.end() :]
    return phrase


def _survivors(wanted: Collection[_Wanted], floor: Release, text: str) -> list[_Survivor]:
    """Disjoint, from left to right; at each place the longest."""
    folded = folded_text(text)
    own = _places(text, {edit.replacement for edit in floor.edits})
    hits: list[tuple[int, int, str]] = []
    for one in wanted:
        if len(one.folded) < NAME_PART:
            places = _places(text, {one.verbatim})
        else:
            places = list(folded.find(one.folded, plural="s" if one.is_name else ""))
        for start, end in places:
            inside = any(first <= start and end <= last for first, last in own)
            if not inside and not (one.is_word and _stands_in(floor.text, text[start:end])):
                hits.append((start, end, one.replacement))
    survivors: list[_Survivor] = []
    for start, end, replacement in sorted(hits, key=lambda hit: (hit[0], -hit[1])):
        last = survivors[-1] if survivors else None
        if last is None or start >= last.end:
            # Two parts of a name that stand side by side are one name.
            if last is not None and last.replacement == replacement and not text[last.end : start].strip(" \t-_"):
                survivors.pop()
                start = last.start
            survivors.append(_Survivor(start, end, replacement))
    return survivors


def _places(text: str, phrases: Collection[str]) -> list[tuple[int, int]]:
    """Where phrases stand verbatim, as whole words."""
    return [
        found.span()
        for phrase in phrases
        if any(character.isalnum() for character in phrase)
        for found in re.finditer(_whole(phrase), text)
    ]


def _stands_in(released: str, word: str) -> bool:
    if word.islower() and word in _SMALL_WORDS:
        return True
    return re.search(_whole(word), released) is not None


def _whole(phrase: str) -> str:
    before = r"(?<!\w)" if phrase[0].isalnum() else ""
    after = r"(?!\w)" if phrase[-1].isalnum() else ""
    return f"{before}{re.escape(phrase)}{after}"
