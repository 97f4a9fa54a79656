"""Finds what reads wrong in an English text after words were replaced: "in in", "the a", "a hour", "siblings’s".

By patterns: fast, and blind to what only a reader sees. Originals have flaws too, so the flaws of a release are those
at its edits (``find_flaws_at``) that the original does not have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sfumato.generalize.context import begins_sentence, word_after, word_class
from sfumato.lexicon.grammar_en import FUNCTION_WORDS, indefinite_article, is_plural


@dataclass(frozen=True, slots=True)
class Flaw:
    """``text[start:end]`` reads wrong; ``kind`` says why."""

    start: int
    end: int
    kind: str


_PATTERNS = {
    "doubled preposition": re.compile(
        r"\b(?:(of|to|by|from|for|with|since|until|between|in|on|at|during|before|after|under|over|around|about) \1"
        r"|(?:in|on|at|during) (?:in|at(?! least| most)|during|since|until)|(?:at|during) on"
        r"|(?:on|during) (?:from|around|about|before|after|between (?=[1-9]\d{3}|(?-i:[A-Z])))"
        r"|in around|about around|around about"
        r"|(?:than|least|most|between) (?:between|from|around|more than|less than|at least|about))\b",
        re.IGNORECASE,
    ),
    "doubled article": re.compile(
        r"\b(?:the|an?|his|its|my|our|your|their|each|every|any|another|these|those|whose) [“‘]?(?:the|an?)\b(?![.'’-])"
        r"|\b(?:the|an?) (?:this|his|her|its|my|our|your|their|each|every|any|another|some)\b(?!-)"
    ),
    "article after an adjective": re.compile(
        r"\b(?:former|northern|southern|eastern|western|central|late|old|young|new|senior|junior|local) (?:the|an?) \w"
    ),
    "article after a title": re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Judge)\.? (?:an?|the)\b"),
    "article after a hyphen": re.compile(r"\w-(?:an?|the) \w"),
    "two spaces": re.compile(r"(?<=\S)[ \xa0]{2,}(?=\S)"),
    "space before punctuation": re.compile(r"(?<=\w) +[,;:.!?)\]](?!\.)"),
    "doubled punctuation": re.compile(r",[,.;]|;[,;]|(?<!\.)\.\.(?!\.)|\.,(?<!\w\.,)"),
    "broken possessive": re.compile(
        r"\w['’]s['’]|\b\w+ ['’]s\b|\b(?:[a-z]{3,}(?<!s)s)['’]s\b(?<!boss's)|\w['’]{2}s|\w['’]s['’]s"
    ),
}
_ARTICLE = re.compile(r"\b([Aa]n?) (?=[\w\"“‘(])")
_PLURAL_AFTER_ARTICLE = frozenset("few many great good little lot hundred thousand dozen couple number".split())
_MARGIN = 2
"""Characters on either side of an edit that belong to it."""


def find_flaws(text: str) -> list[Flaw]:
    """Everything in the text that reads wrong, from left to right."""
    return sorted((flaw for check in _CHECKS for flaw in check(text)), key=lambda flaw: (flaw.start, flaw.end))


def find_flaws_at(text: str, edits: Iterable[tuple[int, int]]) -> list[Flaw]:
    """The flaws that touch one of the edits, which are ranges of the released text."""
    ranges = sorted(edits)
    return [
        flaw
        for flaw in find_flaws(text)
        if any(flaw.start < end + _MARGIN and flaw.end > start - _MARGIN for start, end in ranges)
    ]


def _by_pattern(text: str) -> Iterator[Flaw]:
    for name, pattern in _PATTERNS.items():
        for match in pattern.finditer(text):
            yield Flaw(*match.span(), name)


def _articles(text: str) -> Iterator[Flaw]:
    for match in _ARTICLE.finditer(text):
        article, end = match[1].lower(), match.end()
        if match[1] == "A" and not begins_sentence(text, match.start()):
            continue  # an initial, a blood group, "vitamin A"
        following = text[end : end + 60]
        if indefinite_article(following) != article:
            yield Flaw(match.start(), end + 1, "a or an")
        word, stop = word_after(text, end - 1)
        if (
            not word.isalpha()
            or not word.islower()
            or word in _PLURAL_AFTER_ARTICLE
            or word in FUNCTION_WORDS
            or not is_plural(word)
        ):
            continue
        after, _ = word_after(text, stop)
        if (
            word_class(word) == "noun"
            and text[stop : stop + 1] not in "'’-"
            and (not after or word_class(after) == "function")
        ):
            yield Flaw(match.start(), stop, "a before a plural")


def _capitals(text: str) -> Iterator[Flaw]:
    first = re.match(r"[\s\"“‘(]*([a-z])", text)
    if first is not None:
        yield Flaw(first.start(1), first.end(), "lower case at the start")
    for match in re.finditer(r"(?<=[^\s.][.!?])[\"”’)\]]?\s+[\"“‘(]?([a-z])", text):
        if begins_sentence(text, match.start(1)):
            yield Flaw(match.start(1), match.end(), "lower case at the start")


_CHECKS: tuple[Callable[[str], Iterator[Flaw]], ...] = (_by_pattern, _articles, _capitals)
