"""Verbs and wider verbs that are true wherever they are: who was *evicted* was *removed*. English.

Made by ``training/build_verbs.py``, from our own list and WordNet; licence in ``data/SOURCES.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sfumato.knowledge import shipped

FORMS = ("base", "third", "past", "participle", "ing")


@dataclass(frozen=True, slots=True)
class Wider:
    """A verb that says less."""

    verb: str
    """In its base form; with the words that belong to it: "take part"."""
    frames: frozenset[str]
    """How both verbs may be used, in the signs that ``training/wordlists/verbs.txt`` explains."""
    source: str


@dataclass(frozen=True, slots=True)
class _Table:
    forms: Mapping[str, tuple[str, ...]]
    readings: Mapping[str, Mapping[str, frozenset[str]]]
    wider: Mapping[str, Sequence[Wider]]
    sets: Mapping[str, frozenset[str]]


@cache
def _table() -> _Table:
    forms: dict[str, tuple[str, ...]] = {}
    wider: dict[str, list[Wider]] = {}
    sets: dict[str, frozenset[str]] = {}
    for row in shipped.lines("verbs"):
        first, *rest = row.split("\t")
        if first.startswith("@"):
            sets[first[1:]] = frozenset(rest)
        elif first == "<":
            narrower, verb, frames, source = rest
            wider.setdefault(narrower, []).append(Wider(verb, frozenset(frames.split()), source))
        else:
            forms[first] = (first, *rest)
    readings: dict[str, dict[str, set[str]]] = {}
    for verb in wider:
        for form, spellings in zip(FORMS, forms[verb], strict=True):
            for spelling in spellings.split("/"):
                readings.setdefault(spelling, {}).setdefault(verb, set()).add(form)
    fixed = {word: {verb: frozenset(found) for verb, found in verbs.items()} for word, verbs in readings.items()}
    return _Table(forms, fixed, wider, sets)


def readings(word: str) -> Mapping[str, frozenset[str]]:
    """The verbs that a word in small letters may be a form of, each with the forms; only those with a wider verb."""
    return _table().readings.get(word, {})


def wider(verb: str) -> Sequence[Wider]:
    """What may be said instead of a verb, by how it is used; in the order in which they are to be tried."""
    return _table().wider.get(verb, ())


def inflected(phrase: str, form: str) -> str:
    """A wider verb in one of the ``FORMS``; what belongs to it stays: "took part"."""
    verb, gap, rest = phrase.partition(" ")
    return _table().forms[verb][FORMS.index(form)].split("/")[0] + gap + rest


def topic(name: str) -> frozenset[str]:
    """The words of one of the sets that frames speak of; "legal": appeal, claim, request ..."""
    return _table().sets[name]
