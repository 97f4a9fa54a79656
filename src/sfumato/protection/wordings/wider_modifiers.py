"""Wider words for adjectives and adverbs: a *huge* house is a *large* house."""

from __future__ import annotations

import re

from sfumato.knowledge.grammar.function_words import AUXILIARIES, ENGLISH
from sfumato.knowledge.grammar.inflection import indefinite
from sfumato.knowledge.ladders.fit.context import kind, word_after, word_before
from sfumato.knowledge.wider.modifiers import wider_modifiers
from sfumato.protection.wordings.base import Wording
from sfumato.protection.wordings.clause import is_denied
from sfumato.protection.wordings.nouns import is_listed

_GRADED = frozenset(
    "most more less least too so as how not quite rather very only first last nearly almost than and or".split()
)
_JOINED = re.compile(r"[\w/’'‑-]")
_STATES = frozenset("am is are was were be been being became become seemed felt remained looked".split())


def modifier_wordings(text: str, start: int, end: int) -> list[Wording]:
    """Wider modifiers in the same place, with the article before it; none where it is compared or denied."""
    word = text[start:end]
    if not word.islower() or not (found := wider_modifiers(word)):
        return []
    previous, begin = word_before(text, start)
    if (
        _JOINED.match(text, end)
        or (start and _JOINED.match(text, start - 1))
        or previous.lower() in _GRADED
        or is_denied(text, start)
    ):
        return []
    following, _ = word_after(text, end)
    if following.lower() in ("and", "or", "enough", "but", "more", "as", "than") or is_listed(f"{word} {following}"):
        return []
    if not _is_in_place(word, previous, following):
        return []
    return [_put(text, start, end, wider, previous, begin) for wider in found]


def _is_in_place(word: str, previous: str, following: str) -> bool:
    """Before the noun it describes or behind "was"; of an adverb, beside a verb."""
    what = kind(following) if following else ""
    if word in ("daily", "weekly", "monthly", "yearly", "quarterly"):
        return what == "noun"
    if word.endswith("ly") or kind(word) == "adverb":
        return what in ("participle", "past", "verb") or not following or following.lower() in ENGLISH
    if what in ("noun", "adjective"):
        return following.islower()
    return previous.lower() in _STATES and (not following or following.lower() in ENGLISH - AUXILIARIES)


def _put(text: str, start: int, end: int, wider: str, previous: str, begin: int) -> Wording:
    because = f"modifiers: {wider}"
    if previous.lower() not in ("a", "an") or previous.lower() == indefinite(wider):
        return Wording("hypernym", start, end, wider, because)
    article = indefinite(wider).capitalize() if previous[0].isupper() else indefinite(wider)
    return Wording("hypernym", begin, end, article + text[begin + len(previous) : start] + wider, because)
