"""Cities, countries and regions by lexicon; buildings and natural features by their head noun."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from sfumato.detectors.rules.words import Word, names_a_thing
from sfumato.document import Span
from sfumato.knowledge import lexicon
from sfumato.knowledge.heads import PLACES

_LONGEST = 60
_NEXT_WORDS = re.compile(r"[^\s,;:()]+(?:[ \u00a0][^\s,;:()]+){1,5}")
_LEADS_TO_A_PLACE = re.compile(
    r"(?i)(?<!\w)(?:in|at|from|near|to|into|towards?|outside|around|of|via|visit(?:ed|ing)?|"
    r"lives? in|born in|en|desde|hacia|cerca de|"
    r"nach|aus|bei|de|von|à|au|vers|depuis|près de|a|da|di|em|no|na|para|naar|te|uit|bij|city|town|"
    r"village|province|region|county|state)"
    r"(?: the| el| la| le| der| den| dem| city of| town of| village of)?[ \u00a0]$"
)
_LEADS_SURELY = re.compile(r"(?<!\w)(?:[Ii]n|[Ff]rom|[Nn]ear|[Tt]o|en|desde|nach|aus|à|depuis|em|naar|uit)[ \u00a0]$")
_HEADS_FIRST = frozenset("lake mount lago monte lac mont río rio".split())
_PLACE_FOLLOWS = re.compile(r", ([^\W\d_][\w'’-]+(?: [A-Z][\w'’-]+)?)")


@cache
def _first_words() -> dict[str, int]:
    """How many words the longest place that begins with a word has."""
    longest: dict[str, int] = {}
    for table in (lexicon.cities(), lexicon.regions()):
        for place in table:
            words = place.split()
            longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return longest


@cache
def _known() -> frozenset[str]:
    return lexicon.cities() | lexicon.regions()


@cache
def _ambiguous() -> frozenset[str]:
    """Single words that are places among other things: everyday words and people's names."""
    names = lexicon.given_names().keys() | lexicon.family_names()
    big = (lexicon.regions() | lexicon.major_cities()) - lexicon.common_words() - lexicon.given_names().keys()
    return frozenset(word for word in _known() if word in names or word in lexicon.common_words()) - big


def find(text: str, runs: Iterable[Sequence[Word]]) -> Iterator[Span]:
    first_words = _first_words()
    for run in runs:
        at = 0
        while at < len(run):
            length = first_words.get(run[at].key, 0)
            span = _by_lexicon(text, run[at], length) if length else None
            if span is None:
                at += 1
                continue
            yield span
            at = next((i for i in range(at + 1, len(run)) if run[i].start >= span.end), len(run))
        yield from _by_head_noun(run)


def _by_lexicon(text: str, word: Word, length: int) -> Span | None:
    if length > 1 and (phrase := _longest_phrase(text, word.start, length)):
        return Span(word.start, word.start + len(phrase), "LOC", "quasi", 0.8, "rules:place")
    if word.key not in _known() or word.is_initial or names_a_thing(text, word.end):
        return None
    score = 0.8 if word.key in lexicon.regions() else 0.65
    if word.key in _ambiguous() or len(word.text) < 4:
        score = 0.3
        leads = _LEADS_SURELY if word.key in lexicon.common_words() else _LEADS_TO_A_PLACE
        if len(word.text) > 2 and leads.search(text[max(0, word.start - 18) : word.start]):
            score = 0.55
        elif (after := _PLACE_FOLLOWS.match(text, word.end)) and lexicon.key(after[1]) in lexicon.regions():
            score = 0.6
        if word.text in ("US", "UK", "USA", "UAE", "EU", "NYC"):
            score = 0.7
    return Span(word.start, word.end, "LOC", "quasi", score, "rules:place")


def _longest_phrase(text: str, start: int, length: int) -> str | None:
    match = _NEXT_WORDS.match(text, start, start + _LONGEST)
    if match is None:
        return None
    words = match.group().replace("\u00a0", " ").split(" ")
    known = _known()
    for count in range(min(length, len(words)), 1, -1):
        phrase = " ".join(words[:count])
        for candidate in (phrase, phrase.rstrip(".!?'’\"”"), re.sub(r"['’]s$", "", phrase)):
            if lexicon.key(candidate) in known and candidate.rsplit(" ", 1)[-1][:1].isupper():
                return candidate
    return None


def _by_head_noun(run: Sequence[Word]) -> Iterator[Span]:
    """ "Lake Garda", "Tower Bridge", "Heathrow Airport": a head noun with a name beside it."""
    if len(run) < 2:
        return
    for at, word in enumerate(run):
        if word.key not in PLACES:
            continue
        begin = at
        while begin > 0 and run[begin - 1].key not in lexicon.common_words() and not run[begin - 1].is_initial:
            begin -= 1
        if begin < at:
            yield Span(run[begin].start, word.end, "LOC", "quasi", 0.6, "rules:place")
        elif at + 1 < len(run) and word.key in _HEADS_FIRST:
            yield Span(word.start, run[at + 1].end, "LOC", "quasi", 0.6, "rules:place")
