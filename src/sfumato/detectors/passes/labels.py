"""Pass: spans of the same string get the same label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sfumato.detectors.everyday import EverydayWords, everyday_words
from sfumato.detectors.names import POSSESSIVE
from sfumato.detectors.passes import LIKELY
from sfumato.detectors.rules.patterns import any_of, word_list
from sfumato.document import Identifier, Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import PARTICLES, ROLES, given_names, is_title, lookup_key
from sfumato.lexicon.tables import words_of_all_languages
from sfumato.lexicon.tokens import (
    LETTERS,
    lazy_pattern,
)

_MIN_WORD = 3


_KINDS_OF_WORDS = frozenset({"LOC", "ORG", "MISC", "DEM", "CODE", "DATETIME"})


_MISTAKEN_FOR_NAMES = frozenset({"LOC", "MISC", "DEM"})


_POSSESSIVE_AFTER = lazy_pattern(r"['’]s?\b")


_PLACE_LEAD = lazy_pattern(rf"(?i)(?<!\w){any_of(word_list('places.only_before_places'))}[ \u00a0]$")


_PERSON_BEFORE = lazy_pattern(
    rf"(?i)(?<!\w){any_of({*words_of_all_languages('age_forms', 'people'), *ROLES})}[ \u00a0]$"
)


_LONGEST_LEAD = 16


def is_place_here(text: str, start: int, end: int) -> bool:
    """Whether a name that is a place as well stands for the place: "in Jordan", but not "in Jordan's room"."""
    if lookup_key(text[start:end]) not in name_lists.places() or _POSSESSIVE_AFTER.match(text, end):
        return False
    return _PLACE_LEAD.search(text, max(0, start - _LONGEST_LEAD), start) is not None


def unify_labels(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, with one label for each name.

    A part of a full name is a person, except where only a place can stand. A single word that has several labels gets
    the likeliest, a person's before others. A word after what somebody is ("her partner Moll") is a person's name.
    """
    everyday = everyday_words(text)
    names = _NamesOfPeople(text, spans, everyday)
    votes: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for span in spans:
        votes[_key(text, span)][span.label] += span.score

    def unify(span: Span) -> Span:
        string = text[span.start : span.end]
        if span.label == "PERSON":
            is_place = lookup_key(string) in name_lists.large_places() or "LOC" in votes[_key(text, span)]
            return replace(span, label="LOC") if is_place and is_place_here(text, span.start, span.end) else span
        if span.label not in _KINDS_OF_WORDS or not names.reads_as_name(string):
            return span
        if is_place_here(text, span.start, span.end):
            return span
        key = _key(text, span)
        if (identifier := names.identifier_of(string)) is not None:
            return replace(span, label="PERSON", identifier=identifier)
        is_name = votes[key]["PERSON"] >= LIKELY and key not in name_lists.places()
        if is_name or votes[key]["PERSON"] >= max(LIKELY, votes[key][span.label]) or _is_introduced(text, span):
            return replace(span, label="PERSON")
        likeliest = max(votes[key], key=lambda label: votes[key][label])
        return replace(span, label=likeliest) if likeliest in _KINDS_OF_WORDS else span

    return [unify(span) for span in spans]


def _key(text: str, span: Span) -> str:
    return lookup_key(POSSESSIVE.sub("", text[span.start : span.end].strip()))


def _is_introduced(text: str, span: Span) -> bool:
    """Whether what somebody is stands before a word that was taken for something else."""
    if span.label not in _MISTAKEN_FOR_NAMES:
        return False
    return _PERSON_BEFORE.search(text, max(0, span.start - _LONGEST_LEAD), span.start) is not None


class _NamesOfPeople:
    """The words of the names of people in a text."""

    def __init__(self, text: str, spans: Sequence[Span], everyday: EverydayWords) -> None:
        self._everyday = everyday
        self._full: dict[str, Identifier] = {}
        self._single: set[str] = set()
        for span in spans:
            if span.label == "PERSON" and span.score >= LIKELY:
                words = [lookup_key(word) for word in self._rare_words(text[span.start : span.end])]
                if len(words) > 1:
                    self._full.update(dict.fromkeys(words, span.identifier or "quasi"))
                self._single.update(words)

    def _rare_words(self, string: str) -> Iterator[str]:
        for word in LETTERS.findall(string):
            is_part = len(word) >= _MIN_WORD and word not in PARTICLES and not is_title(word)
            if is_part and word[0].isupper() and not self._everyday.includes(word):
                yield word

    def reads_as_name(self, string: str) -> bool:
        """Whether all words are capitalised and none is an everyday word."""
        words = [word for word in LETTERS.findall(POSSESSIVE.sub("", string)) if word not in PARTICLES]
        return bool(words) and not any(map(str.isdigit, string)) and len(list(self._rare_words(string))) == len(words)

    def identifier_of(self, string: str) -> Identifier | None:
        """That of the full name that a string is part of, or makes with a given name; None where there is none."""
        words = [lookup_key(word) for word in self._rare_words(string)]
        if words and all(word in self._full for word in words):
            return self._full[words[0]]
        is_full = len(words) > 1 and all(word in self._single or word in given_names() for word in words)
        return "direct" if is_full and not self._single.isdisjoint(words) else None
