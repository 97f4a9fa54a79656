"""Adjectives and adverbs with wider ones that are true of the same: what is *huge* is *large*. English.

Made by ``training/build_nouns.py`` from ``training/wordlists/modifiers.txt``; ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from sfumato.knowledge import shipped


@cache
def _table() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for row in shipped.lines("modifiers"):
        wider, narrower = row.split("\t")
        for word in narrower.split(";"):
            found.setdefault(word, []).append(wider)
    return found


def wider_modifiers(word: str) -> Sequence[str]:
    """What is also true of what an adjective or an adverb is true of."""
    return _table().get(word, ())
