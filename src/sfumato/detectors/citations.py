"""Citations of court decisions: "Smith v Jones [2019] UKSC 12" is one thing, kept whole or hidden whole.

Published decisions that a text cites identify nobody in it. Its own case does: a citation at the head of the text, a
number without parties, or one whose parties the text speaks of elsewhere (an earlier judgment between the same people)
is hidden, whatever the recipe says. Forms of citation are in ``data/all/citations.toml``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from sfumato.detectors.everyday import KNOWN, EverydayWords, everyday_words
from sfumato.detectors.rules.name_parts import UPPER
from sfumato.document import Document, Range, Span, allowed_ranges, merge_spans, outside
from sfumato.lexicon.grammar import STOP_WORDS, merge_ranges
from sfumato.lexicon.name_lists import common_words, family_names, is_title
from sfumato.lexicon.tables import word_set, words
from sfumato.lexicon.tokens import LETTERS, lazy_pattern

Policy = Literal["keep", "hide", "parts"]
"""Keep citations of other cases, hide all, or treat their parts as any text."""

SOURCE = "citation"
_PACKAGE = "sfumato.detectors"
_LONGEST_PARTIES = 160
_SHORTEST_NAME = 3
_MAY_HOLD = lazy_pattern(
    r"\[(?:1[89]|20)\d\d\] |\((?:1[89]|20)\d\d\) |\d [A-Z]\w{0,4}\.|/\d\d|ECLI|[A-Z]{2}:[A-Z]|STS |STC |, n[.°]"
)
_WORD = (
    rf"(?:[{UPPER}][\w.’'&-]{{0,40}}(?!\w|:[A-Z])|\([^()\n]{{1,60}}\)|No\.? ?\d{{1,2}}|\d{{1,4}}"
    r"|(?:CONNECTING)(?!\w))"
)
_VERSUS = re.compile(r"\s(?:v|vs|versus|c)\.?\s")
_CERTAIN_VERSUS = re.compile(r"\s(?:[vc]\.|vs\.?|versus)\s")
_RE = re.compile(r"(?:In re|Re|re) [A-Z][\w.’'-]{0,30}(?: \([^()\n]{1,40}\)){0,2}\Z")
_LINE_WITH_SENTENCE = re.compile(r"^[^\n]*\.[ \t]*$", re.MULTILINE)
_DATE = re.compile(r"(?<![\w.])\d{1,2}(?:st|nd|rd|th|er|\.)? (?:de )?[^\W\d_]{3,10}\.? (?:de )?\d{4}(?!\w)")
_FULL_STOP = re.compile(rf"[.!?…][\"”’)\]]* +(?=[\"“(]?[{UPPER}\d])")
_LAST_WORD = re.compile(r"[^\W_][\w’']*\Z")
_LONGEST_WORD = 24
_BEFORE = re.compile(r"\b[Ii]n\s\Z")


@dataclass(frozen=True, slots=True)
class Citation:
    """``text[start:end]`` cites a decision. ``number`` tells decisions apart."""

    start: int
    end: int
    number: str
    parties: str
    is_authority: bool
    """Whether a text only cites a decision in this form, or by its parties."""


@cache
def _pattern(key: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?<![\\w/.-]){form}(?!\\w)" for form in words("citations", key, "all", _PACKAGE)))


@cache
def _party_before() -> re.Pattern[str]:
    """A run of the words of a party up to the end of a passage."""
    return re.compile(rf"(?<!\w){_word()}(?:,? {_word()}){{0,11}}\Z")


@cache
def _party_after() -> re.Pattern[str]:
    """The same from the beginning of a passage on, where nothing tells its end: without commas."""
    return re.compile(rf"(?:{_word()} ){{0,11}}(?!(?:{_connecting()})(?!\w)){_word()}")


def _word() -> str:
    return _WORD.replace("CONNECTING", _connecting())


def _connecting() -> str:
    return "|".join(map(re.escape, words("citations", "connecting", "all", _PACKAGE)))


@cache
def _rest() -> re.Pattern[str]:
    """What belongs to a citation behind it: where in the decision, its date, a series."""
    return re.compile("(?:" + "|".join(words("citations", "behind", "all", _PACKAGE)) + ")*")


@cache
def _no_party() -> frozenset[str]:
    return frozenset().union(words("citations", "signals", "all", _PACKAGE), *STOP_WORDS.values())


@cache
def _abbreviations() -> frozenset[str]:
    of_courts = word_set("citations", "abbreviations", "all", _PACKAGE)
    return (
        of_courts | word_set("abbreviations", "sentence_internal", "all") | word_set("abbreviations", "titles", "all")
    )


def _sentence_ends(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences end within a line, and where the next ones begin."""
    for stop in _FULL_STOP.finditer(text):
        word = _LAST_WORD.search(text, max(0, stop.start() - _LONGEST_WORD), stop.start())
        if word is not None and stop.group()[0] == ".":
            is_initial = len(word.group()) == 1 and word.group().isalpha()
            if is_initial or word.group().casefold() in _abbreviations() or _DATE.match(text, word.start()):
                continue
        yield stop.span()


def _end(text: str, end: int, *, is_in_brackets: bool = False) -> int | None:
    """The end of a citation with what belongs to it behind it; None where its bracket is not closed there."""
    rest = _rest().match(text, end)
    end = rest.end() if rest else end
    if is_in_brackets:
        return end + 1 if text.startswith(")", end) else None
    return end


def find_citations(text: str) -> list[Citation]:
    """The citations of a text, disjoint and in order."""
    if not _MAY_HOLD.search(text):
        return []
    citations = [
        Citation(match.start(), _end(text, match.end()) or match.end(), match.group(), "", key == "authorities")
        for key in ("authorities", "alone")
        for match in _pattern(key).finditer(text)
    ]
    citations += _after_number(text, sorted(each.start for each in citations))
    citations += _with_parties(text, sorted(each.end for each in citations if each.is_authority))
    citations.sort(key=lambda citation: (citation.start, -citation.end))
    disjoint: list[Citation] = []
    for citation in citations:
        if not disjoint or citation.start >= disjoint[-1].end:
            disjoint.append(citation)
    return disjoint


def is_case_name(line: str) -> bool:
    """Whether a line is the parties of a case and nothing else: "Kovač v. Slovenia". A bare "v" is a word of Czech."""
    return _CERTAIN_VERSUS.search(line) is not None and _first_of_parties(line.strip()) == 0


def _with_parties(text: str, others: Sequence[int]) -> Iterator[Citation]:
    """Smith v Jones [2019] UKSC 12. ``others``: where other citations end, beyond which no parties reach."""
    end, last = 0, None
    for match in _pattern("with_parties").finditer(text):
        other = bisect_right(others, match.start())
        start = max(
            end,
            *others[max(0, other - 1) : other],
            match.start() - _LONGEST_PARTIES,
            text.rfind("\n", 0, match.start()) + 1,
        )
        is_further = text[end : match.start()].strip() in (",", ";") and match.start() - end < len(",  ")
        if last is not None and is_further and not _pattern("before_parties").match(text, match.start()):
            end = _end(text, match.end()) or match.end()
            last = replace(last, end=end)
            yield last  # a further place in print
            continue
        stops = _end(text, match.end(), is_in_brackets=text.startswith("(", match.start() - 1))
        start = max([start, *(start + begin for _, begin in _sentence_ends(text[start : match.start()]))])
        before = text[start : match.start()].rstrip(" ,(")
        begins = _first_of_parties(before)
        if begins is not None and stops is not None:
            last, end = Citation(start + begins, stops, match.group(), before[begins:], True), stops
            yield last


def _after_number(text: str, others: Sequence[int]) -> Iterator[Citation]:
    """Case C-131/12 Google Spain SL v AEPD. ``others``: where other citations begin."""
    for match in re.finditer(words("citations", "before_parties", "all", _PACKAGE)[0], text) if "Case" in text else ():
        other = bisect_right(others, match.end())
        stop = min([match.end() + _LONGEST_PARTIES, *others[other : other + 1]])
        line = text[match.end() : stop].partition("\n")[0]
        line = line[: next((end for end, _ in _sentence_ends(line)), len(line))]
        first = _party_after().match(line, len(line) - len(line.lstrip(" ,")))
        versus = _VERSUS.match(line, first.end()) if first else None
        second = _party_after().match(line, versus.end()) if versus else None
        if first is not None and second is not None:
            parties = line[: second.end()]
            other_case = _VERSUS.match(line, second.end()) or _RE.search(parties) or _DATE.search(second.group())
            if other_case and " and " in second.group():
                parties = parties[: parties.rindex(" and ")]  # and another case
            end = match.end() + len(parties.rstrip(" ."))
            number = re.compile(rf"[ ,\[]*(?:{words('citations', 'with_parties', 'all', _PACKAGE)[-1]})\]?").match(
                text, end
            )
            end = number.end() if number else end
            yield Citation(match.start(), _end(text, end) or end, match.group(), parties, True)


def _first_of_parties(before: str) -> int | None:
    """Where the parties begin that end a passage; None where it ends with none."""
    for versus in reversed(list(_VERSUS.finditer(before))):
        if not _party_before().match(before, versus.end()):
            continue
        first = _longest_at_end(before[: versus.start()])
        dates = (date.start() for date in _DATE.finditer(before) if date.start() < (first or 0) < date.end())
        return next(dates, first)
    match = _RE.search(before)
    return match.start() if match else None


def _longest_at_end(before: str) -> int | None:
    """Where the first party begins: its words, without the signals that stand before it (see, in, following)."""
    starts = [match.start() for match in re.finditer(r"(?<![^\s(\"“])\S", before)]
    begins = next((start for start in starts if _party_before().match(before, start)), None)
    while begins is not None and begins < len(before):
        word = LETTERS.match(before, begins)
        is_name = word is None or word.group().casefold() not in _no_party()
        if is_name or before.find(" ", begins) < 0:
            break
        begins = before.index(" ", begins) + 1
    return begins


def with_citations(document: Document, spans: Sequence[Span], policy: Policy) -> list[Span]:
    """The spans, with each citation hidden as one span, or left as it is: no span cuts one."""
    citations = find_citations(document.text) if policy != "parts" else []
    if not citations:
        return list(spans)
    ranges = merge_ranges((each.start, each.end) for each in citations)
    begins = {start for start, _ in ranges}
    rest = [
        span.moved(*part)
        for span in spans
        for part in outside(document.text, ranges, span.start, span.end)
        if not (_is_signal(document.text[slice(*part)]) and (span.end > part[1] or _leads(span, begins)))
    ]
    kept = _kept(document.text, citations, rest) if policy == "keep" else frozenset()
    hidden = [
        Span(*part, "MISC", "direct", 1.0, SOURCE, f"citation:{each.number.casefold()}")
        for each in citations
        if each not in kept
        for part in outside(document.text, allowed_ranges(document), each.start, each.end)
    ]
    short = {name for each in kept for name in _names(each)}
    return merge_spans([*(span for span in rest if not _is_short(document.text, span, short)), *hidden])


def _is_signal(rest: str) -> bool:
    """Whether words before a citation only lead to it: "Vgl." of "Vgl. BVerfG"."""
    return all(word.casefold() in _no_party() for word in LETTERS.findall(rest))


def _leads(span: Span, begins: Container[int]) -> bool:
    """Whether a citation begins behind a span that names nobody for certain."""
    return span.label in ("ORG", "MISC") and any(span.end + gap in begins for gap in range(len(". ") + 1))


def kept_citations(text: str, spans: Iterable[Span]) -> tuple[Range, ...]:
    """The citations of a text that no span hides."""
    hidden = [(span.start, span.end) for span in spans if span.source == SOURCE]
    starts = sorted(start for start, _ in hidden)
    return tuple(
        (each.start, each.end)
        for each in find_citations(text)
        if bisect_right(starts, each.end - 1) == bisect_right(starts, each.start - 1)
    )


def _kept(text: str, citations: Sequence[Citation], spans: Sequence[Span]) -> frozenset[Citation]:
    """The citations of other cases than the one that the text is about."""
    everyday = everyday_words(text)
    people = {
        word
        for span in spans
        if span.label in ("PERSON", "ORG") and not _BEFORE.search(text, max(0, span.start - len("in ")), span.start)
        for word in _name_words(text[span.start : span.end])
        if span.label == "PERSON" or _is_distinctive(word, everyday)
    }
    first_sentence = _LINE_WITH_SENTENCE.search(text)
    head = first_sentence.start() if first_sentence else len(text)
    others = {
        each
        for each in citations
        if each.is_authority
        and people.isdisjoint(_name_words(each.parties))
        and not (each.start < head and _is_a_line(text, each))
    }
    numbers = {each.number for each in others}
    return frozenset(each for each in citations if each in others or (not each.parties and each.number in numbers))


def _is_distinctive(word: str, everyday: EverydayWords) -> bool:
    """Whether a word of a company's name tells it from others: "Wilkes" may, "Estates" does not."""
    is_known = word not in family_names() and everyday.includes(word.title(), "ORG", KNOWN)
    return word not in common_words() and not is_known


def _name_words(name: str) -> set[str]:
    words = {word.casefold() for word in LETTERS.findall(name) if len(word) >= _SHORTEST_NAME and not is_title(word)}
    return words - _no_party()


def _names(citation: Citation) -> Iterator[str]:
    """The parties, and the first word of each: what a text calls the case afterwards."""
    for party in _VERSUS.split(citation.parties):
        name = party.strip(" ,.")
        yield from {name, name.split()[0]} if name else ()


def _is_short(text: str, span: Span, names: set[str]) -> bool:
    """Whether a span is the short name of a case that is cited: in Wilkes."""
    is_named = text[span.start : span.end] in names
    return is_named and _BEFORE.search(text, max(0, span.start - len("in ")), span.start) is not None


def _is_a_line(text: str, citation: Citation) -> bool:
    """Whether a citation is a line of its own: at the head of a text, before any sentence, that of its own case."""
    begins = text.rfind("\n", 0, citation.start) + 1
    line = text[begins:].partition("\n")[0]
    return line.strip(" \t.()*#_") == text[citation.start : citation.end].strip(" \t.()")
