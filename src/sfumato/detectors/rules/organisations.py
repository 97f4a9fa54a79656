"""Organisations: a legal form after a name, or a head noun with capitalised words beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from sfumato.detectors.rules.name_boundaries import UPPER, Word
from sfumato.detectors.rules.patterns import alternatives, any_of, word_list
from sfumato.document import Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import GENERIC_IN_ORGANISATIONS, LEGAL_FORMS, ORGANISATION_HEADS, is_title

_LEGAL_FORM = re.compile(
    rf",? (?:{alternatives(LEGAL_FORMS)})(?![\w])\.?(?: ?(?:{alternatives(LEGAL_FORMS)})(?!\w)\.?){{0,2}}"
)
_LAST_WORDS = frozenset(form.casefold().rstrip(".") for form in LEGAL_FORMS if form.isupper() or len(form) < 5)
_NOT_LEGAL_FORMS = frozenset(word_list("organisations.not_legal_forms"))
_TAIL = re.compile(
    rf"(?: {any_of(word_list('organisations.of'))}(?: {any_of(word_list('organisations.articles'))})?"
    rf" [{UPPER}][\w'’-]{{1,30}}(?: [{UPPER}][\w'’-]{{1,30}}){{0,3}}){{1,3}}"
)
_ACRONYM = re.compile(r" \((?:the )?[“\"‘']?([A-Z]{2,8})[”\"’']?[,)]")
# "National Insurance number": before one of these words a generic name describes a thing.
_ATTRIBUTE = re.compile(r" (?:numbers?|no\b|nr\b|contributions?|cards?|codes?|polic(?:y|ies)|claims?|scheme|credits?)")
_NOT_ORGANISATIONS = frozenset(word_list("organisations.not_organisations"))
_LEADS = frozenset(word_list("organisations.leads"))
_TOO_GENERAL = frozenset(word_list("organisations.too_general"))


def find(text: str, runs: Iterable[Sequence[Word]]) -> Iterator[Span]:
    previous: Sequence[Word] = ()
    acronyms: set[str] = set()
    all_caps: list[Word] = []
    for run in runs:
        all_caps.extend(word for word in run if word.is_all_caps)
        is_possessive = bool(previous) and text[previous[-1].end : run[0].start] in ("'s ", "’s ")
        for span in _find_in_run(text, [*previous, *run] if is_possessive else run):
            if acronym := _ACRONYM.match(text, span.end):
                acronyms.add(acronym[1])
            yield span
        previous = run
    for word in all_caps:
        if word.text in acronyms:
            yield Span(word.start, word.end, "ORG", "quasi", 0.6, "rules:organisation")


def _find_in_run(text: str, run: Sequence[Word]) -> Iterator[Span]:
    last = run[-1]
    if legal_form := _LEGAL_FORM.match(text, last.end):
        start = _start_without_lead(run)
        if start is not None:
            yield Span(start, legal_form.end(), "ORG", "quasi", 0.8, "rules:organisation")
            return
    if len(run) > 1 and last.key.rstrip(".") in _LAST_WORDS and last.text not in _NOT_LEGAL_FORMS:
        start = _start_without_lead(run[:-1])
        if start is not None:
            yield Span(start, last.end, "ORG", "quasi", 0.75, "rules:organisation")
            return
    yield from _find_by_head_noun(text, run)


def _start_without_lead(run: Sequence[Word]) -> int | None:
    return next((word.start for word in run if word.key not in _LEADS), None)


def _find_by_head_noun(text: str, run: Sequence[Word]) -> Iterator[Span]:
    heads = [word for word in run if word.key in ORGANISATION_HEADS]
    if not heads:
        return
    words = list(takewhile(lambda word: not (len(word.key) < 5 and is_title(word.key)), run))
    while words and words[0].key in _LEADS:
        words.pop(0)
    if not words or words[-1].key in _NOT_ORGANISATIONS or not any(w.key in ORGANISATION_HEADS for w in words):
        return
    end = words[-1].end
    if tail := _TAIL.match(text, end):
        end = tail.end()
    distinctive = [w for w in words if w.key not in ORGANISATION_HEADS and w.key not in GENERIC_IN_ORGANISATIONS]
    if not distinctive:
        if heads[-1].key in _TOO_GENERAL:
            return
        if tail is None and (len(words) < 2 or _ATTRIBUTE.match(text, end)):
            return
    score = 0.7 if distinctive or tail else 0.5
    if distinctive and all(w.key in name_lists.common_words() for w in distinctive) and tail is None:
        score = 0.5
    yield Span(words[0].start, end, "ORG", "quasi", score, "rules:organisation")
