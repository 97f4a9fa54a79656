"""The name that stands in a user name or the first part of a mail address."""

from __future__ import annotations

import re

from sfumato.knowledge.lexicon import family_names, given_names

_PARTS = re.compile(r"[^\W\d_]+")
_HUMPS = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])")
_NO_NAMES = frozenset(
    "sale sales deals deal seller shop store reviews review user info contact admin support help team mail office "
    "hello the my real official mr mrs ms agent chef doc nurse teacher coach tech dev gamer fan lover mom dad guy "
    "girl".split()
)
_LEAST = 3


def names_in(handle: str) -> list[str]:
    """Names that a handle may stand for, the likeliest first; several words, an initial and a word, or one word."""
    parts = [piece for part in _PARTS.findall(handle) for piece in _HUMPS.split(part)]
    telling = [part for part in parts if part.casefold() not in _NO_NAMES] or parts
    if not telling:
        return []
    if len(telling) > 1:
        return [_written(telling[:3])]
    word = telling[0].casefold()
    if word in given_names() or word in family_names():
        return [_written([word])]
    return [_written(words) for words in _splits(word)] or [_written([word])]


def _splits(word: str) -> list[tuple[str, str]]:
    """Given and family name run together, in either order; or a family name with an initial before or behind it."""
    given, family = given_names(), family_names()
    found = []
    for cut in range(_LEAST, len(word) - _LEAST + 1):
        first, second = word[:cut], word[cut:]
        if first in given and second in family:
            found.append((first, second))
        elif first in family and second in given:
            found.append((second, first))
    # The most even cut: "annaquorvex" is no "ann aquorvex".
    found.sort(key=lambda names: abs(len(names[0]) - len(names[1])))
    if not found:
        found += [(word[0], word[1:])] if word[1:] in family and len(word) > _LEAST + 1 else []
        found += [(word[-1], word[:-1])] if word[:-1] in family and len(word) > _LEAST + 1 else []
    return found[:2]


def _written(words: tuple[str, ...] | list[str]) -> str:
    return " ".join(word.upper() + "." if len(word) == 1 else word.capitalize() for word in words)
