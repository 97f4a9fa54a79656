"""Verbatim stretches: what stands between quotation marks can be searched for word by word."""

from __future__ import annotations

import re

from sfumato.knowledge.grammar.lemmas import words

FEWEST = 4
"""Words; a shorter quotation is a term or a title."""
_PAIRS = {'"': '"', "“": "”", "„": "“”", "«": "»", "‘": "’", "'": "'", "``": "''"}
_LONGEST = 4000
_OPENING = re.compile(r"``|[\"“„«]|(?<![\w])[‘'](?=\w)")


def quotations(text: str) -> list[tuple[int, int]]:
    """Ranges of quoted speech of four words or more, without their marks, from left to right; none inside another."""
    found = []
    at = 0
    while opening := _OPENING.search(text, at):
        inside = opening.end()
        end = _closing(text, inside, opening.group())
        if end is None:
            at = inside
            continue
        start, stop = _trimmed(text, inside, end)
        if len(words(text[start:stop])) >= FEWEST:
            found.append((start, stop))
        at = end + 1
    return found


def _closing(text: str, at: int, opening: str) -> int | None:
    """Where the mark stands that ends a quotation begun here: before an empty line, an apostrophe is none."""
    marks = "''" if opening == "``" else _PAIRS[opening]
    limit = text.find("\n\n", at, at + _LONGEST)
    limit = min(len(text), at + _LONGEST) if limit < 0 else limit
    if opening == "``":
        end = text.find(marks, at, limit)
        return None if end < 0 else end
    for place in range(at, limit):
        if text[place] in marks and not (text[place] in "'’" and _is_apostrophe(text, place)):
            return place
    return None


def _is_apostrophe(text: str, at: int) -> bool:
    """Inside a word, or behind an s where a word follows: "the courts’ view"."""
    after = text[at + 1 : at + 2]
    if after.isalnum():
        return True
    return text[at - 1 : at] in "sS" and re.match(r" [^\W\d_]", text[at + 1 : at + 3]) is not None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    said = text[start:end]
    return start + len(said) - len(said.lstrip()), max(start, end - (len(said) - len(said.rstrip())))
