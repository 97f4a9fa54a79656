"""Where the strings that a model returned stand in a text: every occurrence, but not inside a longer word."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from sfumato.knowledge.grammar.sentences import Range

_RUN = re.compile(r"[^\W_]+")
_SHORT = 2
"""Up to so many letters, what is left of a string without its marks is not looked for alone: C of C++."""
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff"
    r"\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that put no space between words, or, like Korean, none before a particle."""
_ALIKE = {"'": "['’‘ʼ`´]", '"': '["“”„«»]', "-": "[-‐‑‒–—]"}
_ALIKE |= {mark: kinds for kinds in list(_ALIKE.values()) for mark in kinds[1:-1]}


class Occurrences:
    """One text, read once, in which strings are looked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    def verbatim(self, string: str) -> list[Range]:
        """Where a string stands letter by letter, with the marks at its ends where these stand there too."""
        before, core, after = _apart(string)
        if not core:
            return []
        found = (at for at in self._starts(core) if self._text.startswith(core, at))
        return self._bordered(((at, at + len(core)) for at in found), before, after)

    def folded(self, string: str) -> list[Range]:
        """The same, whatever the case, the white space and the shape of quotes and hyphens."""
        before, core, after = _apart(string)
        first = _RUN.search(core)
        if first is None:
            return []
        is_unspaced = _UNSPACED.match(core) is not None
        starts = () if is_unspaced else self._folded_words.get(first[0].casefold(), ())
        if not (is_unspaced or starts):
            return []
        pattern = re.compile(r"\s+".join(_loosely(word) for word in core.split()), re.IGNORECASE)
        if is_unspaced:
            return self._bordered((hit.span() for hit in pattern.finditer(self._text)), before, after)
        hits = (pattern.match(self._text, at) for at in starts)
        return self._bordered((hit.span() for hit in hits if hit is not None), before, after)

    def holds(self, string: str) -> bool:
        """Whether it stands there at all, be it inside a longer word."""
        return string.strip() in self._text

    def _starts(self, core: str) -> Iterator[int]:
        if _UNSPACED.match(core):
            at = self._text.find(core)
            while at >= 0:
                yield at
                at = self._text.find(core, at + 1)
            return
        first = _RUN.match(core)
        yield from self._words.get(first[0], ()) if first else ()

    def _bordered(self, hits: Iterator[Range], before: str, after: str) -> list[Range]:
        """The hits that are whole words, each with the string's own marks where it has them."""
        text, found = self._text, []
        for start, end in hits:
            if self._is_inside(start) or self._is_inside(end):
                continue
            left = start - len(before) if before and text.endswith(before, 0, start) else start
            right = end + len(after) if after and text.startswith(after, end) else end
            if end - start > _SHORT or (start - left, right - end) == (len(before), len(after)):
                found.append((left, right))
        return found

    def _is_inside(self, at: int) -> bool:
        """Whether the letters on both sides of a place are of one word."""
        if not 0 < at < len(self._text):
            return False
        left, right = self._text[at - 1], self._text[at]
        return left.isalnum() and right.isalnum() and not (_UNSPACED.match(left) or _UNSPACED.match(right))

    @cached_property
    def _words(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for word in _RUN.finditer(self._text):
            found[word[0]].append(word.start())
        return found

    @cached_property
    def _folded_words(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for word, starts in self._words.items():
            found[word.casefold()] += starts
        return found


def _apart(string: str) -> tuple[str, str, str]:
    """A string's marks before its first letter or digit, what follows, and the marks after the last one."""
    runs = list(_RUN.finditer(string))
    if not runs:
        return string, "", ""
    start, end = runs[0].start(), runs[-1].end()
    return string[:start], string[start:end], string[end:]


def _loosely(word: str) -> str:
    return "".join(_ALIKE.get(letter) or re.escape(letter) for letter in word)
