"""Organisations: a legal form after a name, or a head noun with capitalised neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from sfumato.detectors.rules.name_boundaries import UPPER, Word
from sfumato.detectors.rules.patterns import alternatives
from sfumato.document import Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import GENERIC_IN_ORGANISATIONS, LEGAL_FORMS, ORGANISATION_HEADS, is_title

_LEGAL = re.compile(
    rf",? (?:{alternatives(LEGAL_FORMS)})(?![\w])\.?(?: ?(?:{alternatives(LEGAL_FORMS)})(?!\w)\.?){{0,2}}"
)
_TAIL = re.compile(
    rf"(?: (?:of|for|de|del|della|di|des|du|für|van|voor|dos|da|do|and)(?: (?:the|la|el|los|las|"
    rf"l'|le|les|der|die|das|het))?"
    rf" [{UPPER}][\w'’-]{{1,30}}(?: [{UPPER}][\w'’-]{{1,30}}){{0,3}}){{1,3}}"
)
_ACRONYM = re.compile(r" \((?:the )?[“\"‘']?([A-Z]{2,8})[”\"’']?[,)]")
# "National Insurance number": a generic name before one of these describes the thing.
_ATTRIBUTE = re.compile(r" (?:numbers?|no\b|nr\b|contributions?|cards?|codes?|polic(?:y|ies)|claims?|scheme|credits?)")
_NOT_ORGANISATIONS = frozenset(
    (
        "act acts code rules regulation regulations law convention protocol ordinance decree directive treaty "
        "charter case v"
    ).split()
)
_ENDS_WITH_LEGAL = frozenset(form.casefold().rstrip(".") for form in LEGAL_FORMS if form.isupper() or len(form) < 5)
_LEADS = frozenset(
    (
        "the this that these in at on by for from to and but when while after before since as an a el la los las "
        "der die das le les il lo o os de het my your his her our their"
    ).split()
)


def find(text: str, runs: Iterable[Sequence[Word]]) -> Iterator[Span]:
    before: Sequence[Word] = ()
    acronyms: set[str] = set()
    shouted: list[Word] = []
    for run in runs:
        shouted.extend(word for word in run if word.is_shouted)
        possessive = bool(before) and text[before[-1].end : run[0].start] in ("'s ", "’s ")
        for span in _in_run(text, [*before, *run] if possessive else run):
            if acronym := _ACRONYM.match(text, span.end):
                acronyms.add(acronym[1])
            yield span
        before = run
    for word in shouted:
        if word.text in acronyms:
            yield Span(word.start, word.end, "ORG", "quasi", 0.6, "rules:organisation")


def _in_run(text: str, run: Sequence[Word]) -> Iterator[Span]:
    last = run[-1]
    if legal := _LEGAL.match(text, last.end):
        start = _without_lead(run)
        if start is not None:
            yield Span(start, legal.end(), "ORG", "quasi", 0.8, "rules:organisation")
            return
    if len(run) > 1 and last.key.rstrip(".") in _ENDS_WITH_LEGAL and last.text not in ("AS", "SE", "CO"):
        start = _without_lead(run[:-1])
        if start is not None:
            yield Span(start, last.end, "ORG", "quasi", 0.75, "rules:organisation")
            return
    yield from _by_head_noun(text, run)


def _without_lead(run: Sequence[Word]) -> int | None:
    for word in run:
        if word.key not in _LEADS:
            return word.start
    return None


def _by_head_noun(text: str, run: Sequence[Word]) -> Iterator[Span]:
    heads = [at for at, word in enumerate(run) if word.key in ORGANISATION_HEADS]
    if not heads:
        return
    words = list(takewhile(lambda word: not (len(word.key) < 5 and is_title(word.key)), run))
    while words and words[0].key in _LEADS:
        words.pop(0)
    if not words or words[-1].key in _NOT_ORGANISATIONS or not any(w.key in ORGANISATION_HEADS for w in words):
        return
    end = words[-1].end
    head = run[heads[-1]]
    if tail := _TAIL.match(text, end):
        end = tail.end()
    named = [w for w in words if w.key not in ORGANISATION_HEADS and w.key not in GENERIC_IN_ORGANISATIONS]
    if not named and tail is None and len(words) < 2:
        return
    if head.key in {"party", "front", "group", "times", "office", "press", "board"} and not named:
        return
    if not named and tail is None and _ATTRIBUTE.match(text, end):
        return
    score = 0.7 if named or tail else 0.5
    if named and all(w.key in name_lists.common_words() for w in named) and tail is None:
        score = 0.5
    yield Span(words[0].start, end, "ORG", "quasi", score, "rules:organisation")
