"""Invented names, word by word: the same surname always becomes the same surname, in every form it is written in."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache

from sfumato.detectors.entities import entity_name
from sfumato.document import Document, Span
from sfumato.knowledge.honorifics import is_title
from sfumato.knowledge.lexicon import given_names
from sfumato.replacers.base import assign_absent
from sfumato.replacers.surrogate.locales import name_list
from sfumato.vault.ledger import Ledger

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]{2,})*")
_PARTICLES = frozenset(
    "de da do dos das del della di du la le los las el al bin ibn ben van von vom zu zum zur der den ter ten y e i "
    "and und et jr sr ii iii iv".split()
)
_LISTS = {
    "given female": ("first_names_female",),
    "given male": ("first_names_male",),
    "given": ("first_names_female", "first_names_male"),
    "family": ("last_names",),
}
_GENDERS = {"female": "female", "male": "male"}
_ENOUGH = 20


def fake_person(ledger: Ledger, document: Document, span: Span, locale: str) -> str:
    """The mention with every name in it replaced; titles, particles, initials, order and case stay as written."""
    mention = document.text[span.start : span.end]
    whole = entity_name(span.entity, mention)
    gender = whole.gender or _GENDERS.get(given_names().get(whole.words[0], "both"))
    alone = len(whole.words) == 1 and whole.words[0] in given_names()
    given = {part for word in (whole.words if alone else whole.words[:-1]) for part in word.split("-")}

    def invent(word: str) -> str:
        role = "given" if word in given else "family"
        names = f"given {gender}" if role == "given" and gender else role
        # Kept by role alone: "Jane" after "Mrs Jane" is the same word, whatever tells her gender.
        return assign_absent(
            ledger,
            document,
            f"surrogate/{role}",
            word,
            "PERSON",
            lambda: _names_like(word, names, locale, ledger.random_bytes(document, "name", role, word)),
        )

    def replaced(match: re.Match[str]) -> str:
        written = match.group()
        word = written.casefold()
        if is_title(written) or word in _PARTICLES or (word == "s" and match.start() > 0):
            return written
        if len(word) == 1:
            spelled_out = next((name for name in whole.words if len(name) > 1 and name.startswith(word)), word)
            return _cased(invent(spelled_out)[:1], written)
        if len(written) <= 3 and written.isupper() and "".join(name[0] for name in whole.words) == word:
            return "".join(invent(name)[:1].upper() for name in whole.words)
        return _cased(invent(word), written)

    return _WORD.sub(replaced, mention)


def _length_class(word: str) -> int:
    return (len(word) > 4) + (len(word) > 7)


@cache
def _names(locale: str, role: str, length_class: int | None = None) -> list[str]:
    names = [name for attribute in _LISTS[role] for name in name_list(locale, attribute)]
    return [name for name in names if length_class in (None, _length_class(name))]


def _names_like(word: str, role: str, locale: str, seed: bytes) -> Iterator[str]:
    """Names of the role, first those of the word's length class, then any; when all are taken, two joined."""
    chance = random.Random(seed)
    names = _names(locale, role)
    alike = _names(locale, role, _length_class(word))
    if len(alike) >= _ENOUGH:
        yield from chance.sample(alike, min(len(alike), 50))
    yield from chance.sample(names, min(len(names), 50))
    while True:
        yield "-".join(chance.sample(names, 2))


def _cased(name: str, like: str) -> str:
    if like.isupper() and (len(like) > 1 or len(name) == 1):
        return name.upper()
    return name.lower() if like.islower() else name
