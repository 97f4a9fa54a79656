"""Where a text reads wrong after words were put in place of others: "in in", "the a", "a hour", "siblings’s".

By patterns, for English: quick, and blind to what only a reader sees. Originals have flaws too, so what edits did is
what stands at the edits (``flaws_at``) and not in the original.
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
_DEGREES = frozenset("few many great good little lot hundred thousand dozen couple number".split())
_BESIDE = 2
"""Signs on either side of an edit that belong to it."""


def flaws(text: str) -> list[Flaw]:
    """Everything in the text that reads wrong, from left to right."""
    return sorted((flaw for check in _CHECKS for flaw in check(text)), key=lambda flaw: (flaw.start, flaw.end))


def flaws_at(text: str, edits: Iterable[tuple[int, int]]) -> list[Flaw]:
    """The flaws that touch one of the edits: ranges of the released text, with the signs right beside them."""
    ranges = sorted(edits)
    return [
        flaw
        for flaw in flaws(text)
        if any(flaw.start < end + _BESIDE and flaw.end > start - _BESIDE for start, end in ranges)
    ]


def _by_pattern(text: str) -> Iterator[Flaw]:
    for name, pattern in _PATTERNS.items():
        for found in pattern.finditer(text):
            yield Flaw(*found.span(), name)


def _articles(text: str) -> Iterator[Flaw]:
    for found in _ARTICLE.finditer(text):
        article, at = found[1].lower(), found.end()
        if found[1] == "A" and not begins_sentence(text, found.start()):
            continue  # an initial, a blood group, "vitamin A"
        following = text[at : at + 60]
        if indefinite_article(following) != article:
            yield Flaw(found.start(), at + 1, "a or an")
        word, stop = word_after(text, at - 1)
        if (
            not word.isalpha()
            or not word.islower()
            or word in _DEGREES
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
            yield Flaw(found.start(), stop, "a before a plural")


def _capitals(text: str) -> Iterator[Flaw]:
    first = re.match(r"[\s\"“‘(]*([a-z])", text)
    if first is not None:
        yield Flaw(first.start(1), first.end(), "lower case at the start")
    for found in re.finditer(r"(?<=[^\s.][.!?])[\"”’)\]]?\s+[\"“‘(]?([a-z])", text):
        if begins_sentence(text, found.start(1)):
            yield Flaw(found.start(1), found.end(), "lower case at the start")


_CHECKS: tuple[Callable[[str], Iterator[Flaw]], ...] = (_by_pattern, _articles, _capitals)
