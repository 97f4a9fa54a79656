"""Is this a rewrite of that text at all? A refusal, an echo or half a text is not."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from sfumato.models.chat.reading.refusals import is_refusal

SHORTEST = 0.25
"""The least share of the original's characters."""
LONGEST = 3.0
"""The most; and in both directions ``SLACK`` characters more, since a name may be most of a short text."""
SLACK = 120
ECHO = 10
"""So many words of the instructions in a row, which the original lacks, are an echo."""
SCRIPT = 0.8
"""The least share of letters in the scripts of the original, of a rewrite with at least ``LETTERS`` letters."""
LETTERS = 20

_WORD = re.compile(r"\w+")
_JSON = re.compile(r"\s*[\[{]\s*[\[{\"]")


def fault(original: str, text: str, *, instructions: str = "") -> str | None:
    """Why a text is no rewrite of the original; None where it may be one. Says nothing about privacy."""
    if not any(character.isalnum() for character in text):
        return "it is empty"
    if len(text) > LONGEST * len(original) + SLACK:
        return "it is far longer than the original"
    if len(text) + SLACK < SHORTEST * (len(original) + SLACK) and len(original) > SLACK:
        return "it is far shorter than the original"
    if is_refusal(text) and not is_refusal(original):
        return "it is a refusal"
    if _echoes(original, text, instructions):
        return "it repeats the instructions"
    if _JSON.match(text) and not _JSON.match(original):
        return "it is JSON"
    if _changes_script(original, text):
        return "it is in another script"
    return None


def _echoes(original: str, text: str, instructions: str) -> bool:
    runs = _runs(text) & _runs(instructions)
    return bool(runs - _runs(original)) if runs else False


@lru_cache(maxsize=8)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return frozenset(tuple(words[at : at + ECHO]) for at in range(len(words) - ECHO + 1))


def _changes_script(original: str, text: str) -> bool:
    before, after = _scripts(original), _scripts(text)
    if sum(after.values()) < LETTERS or not before:
        return False
    known = {script for script, count in before.items() if count >= 0.05 * before.total()}
    return sum(count for script, count in after.items() if script in known) < SCRIPT * after.total()


def _scripts(text: str) -> Counter[str]:
    """Letters by script: LATIN, CYRILLIC, CJK ..."""
    return Counter(_script(letter) for letter in text if letter.isalpha())


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0]
