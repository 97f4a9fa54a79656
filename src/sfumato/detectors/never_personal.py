"""Passages that name nobody, drugs, scores, statutes, versions, field names, and the spans that are dropped there.

Word lists are in ``lexicon/data/*/never_personal.toml``, patterns in ``detectors/data/all/never_personal.toml``; the
tables of drugs, diseases and eponyms are made by ``training/build_never_personal.py``. Only spans of detectors that
judge by context, and of rules that guess, are dropped: a checked number, a field or a user's term is stronger.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from sfumato.detectors.rules.patterns import alternatives, expand, word_list
from sfumato.detectors.rules.regions import Begins, search_regions
from sfumato.document import LABELS, Span
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.name_lists import family_names, given_names, is_title
from sfumato.lexicon.tables import load_toml, table_lines, words_of_all_languages
from sfumato.lexicon.tokens import (
    ALPHANUMERIC,
    LETTERS,
    NeededStrings,
    PhraseIndex,
    PhraseMatch,
    caseless_words,
    find_at,
    first_words,
    lazy_pattern,
    starts_of,
    words_by_part,
)

_TOPIC = "never_personal"
_ALL = frozenset(LABELS)
_WHOLE = frozenset({"PERSON", "LOC", "ORG", "CODE", "DATETIME"})
"""Labels of spans that are not cut at a word which may be part of them."""

GUESSING_RULES = frozenset(
    "age case-number date duration measure money month nationality occupation organisation percentage person place "
    "postcode residence time year".split()
)
"""Rules that judge by words nearby or by lists, without a check; what they find in such a passage is dropped too."""

_GUESSING_WITHOUT_CONTEXT = frozenset({"code", "phone"})
_WITHOUT_CONTEXT = 0.6
"""The score of rules for numbers that have only a likely form, where no word nearby says what they are."""

_SMALL_WORDS = frozenset(word_list("spans.small_words"))
_SEPARATORS = lazy_pattern(r"[,;:|\n\t(]|[ ]{2}")
_NAME_CUE = lazy_pattern(
    rf"(?i)(?<!\w)(?:{alternatives((*word_list('introductions.fields'), *word_list('introductions.name_is')))})"
    r"[ \t]*[:=]?[ \t]*$"
)
_CUE_LENGTH = 40


@dataclass(frozen=True)
class NeverPersonalPattern:
    """A pattern of passages that name nobody, and the labels of the spans that may be dropped there."""

    name: str
    expression: str
    labels: frozenset[str]
    clinical: bool
    anywhere: bool
    constant: bool
    needs: tuple[str, ...]
    cue_words: frozenset[str]
    begins: Begins

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled on first use: most texts need few of the patterns."""
        lists = _PLACEHOLDER.findall(self.expression)
        return re.compile(expand(self.expression, {key: _listed(key) for key in lists}))

    @cached_property
    def group(self) -> str | int:
        """The group that is the passage."""
        return "value" if "value" in self.regex.groupindex else 0


class Passage(NamedTuple):
    """``text[start:end]`` names nobody. Spans of ``labels`` are dropped in it, those of ``cut`` are cut at it."""

    start: int
    end: int
    labels: frozenset[str]
    cut: frozenset[str]
    constant: bool = False
    """Whether it is the same everywhere, so that even a checked rule does not find somebody's number in it."""


_PLACEHOLDER = lazy_pattern(r"\{\{(\w+)\}\}")


@cache
def _listed(key: str) -> str:
    """A regex for the words that the patterns name by a key."""
    return alternatives(words_of_all_languages(_TOPIC, f"patterns.{key}"))


def _load_patterns() -> tuple[NeverPersonalPattern, ...]:
    patterns = []
    for entry in load_toml(_TOPIC, package="sfumato.detectors")["pattern"]:
        labels = frozenset(entry.get("labels", LABELS))
        flags = {flag: entry.get(flag, False) for flag in ("clinical", "anywhere", "constant")}
        needs, cue_words = tuple(entry.get("needs", ())), first_words(_expand_cues(entry.get("cues", ())))
        begins = entry.get("begins", "anywhere")
        patterns.append(
            NeverPersonalPattern(
                entry["name"], entry["regex"], labels, needs=needs, cue_words=cue_words, begins=begins, **flags
            )
        )
    return tuple(patterns)


def _expand_cues(cues: Iterable[str]) -> Iterator[str]:
    for cue in cues:
        if listed := _PLACEHOLDER.fullmatch(cue):
            yield from words_of_all_languages(_TOPIC, f"patterns.{listed[1]}")
        else:
            yield cue


PATTERNS = _load_patterns()


class _Kind(NamedTuple):
    """How the phrases of one word list are recognised, and the spans that they drop and cut."""

    key: str
    match_case: bool
    labels: frozenset[str] = _ALL
    cut: frozenset[str] = _ALL - _WHOLE


_KINDS = (
    _Kind("clinical.abbreviations", True),
    _Kind("clinical.credentials", True, cut=_ALL - {"ORG", "LOC"}),
    _Kind("clinical.registers", True, cut=_ALL - {"ORG", "LOC"}),
    _Kind("clinical.devices", False),
    _Kind("clinical.words", False, cut=_ALL),
    _Kind("clinical.roles", False, _ALL - {"DEM"}),
    _Kind("people.roles", False, _ALL - {"CODE", "DATETIME", "QUANTITY"}, cut=frozenset({"DEM"})),
    _Kind("web.words", True),
    _Kind("trade.words", True, _ALL - {"ORG", "LOC"}),
    _Kind("documents.fields", False, cut=_ALL),
    _Kind("documents.phrases", False, cut=_ALL),
    _Kind("documents.chat", True),
    _Kind("documents.bodies", True, _ALL - {"LOC"}),
    _Kind("documents.departments", False, _ALL - {"CODE"}, cut=frozenset({"ORG"})),
)


@cache
def _indexes() -> tuple[PhraseIndex[_Kind], PhraseIndex[_Kind]]:
    """The phrases of the word lists: as written, and in any case."""
    exact: PhraseIndex[_Kind] = PhraseIndex(match_case=True)
    folded: PhraseIndex[_Kind] = PhraseIndex(match_case=False)
    for kind in _KINDS:
        for phrase in words_of_all_languages(_TOPIC, kind.key):
            if not _may_be_a_name(phrase):
                (exact if kind.match_case else folded).add(phrase, kind)
    return exact, folded


def _may_be_a_name(phrase: str) -> bool:
    """Whether a single word is a name too: "Mercedes", "Otto". Abbreviations are told apart by their capitals."""
    return not phrase.isupper() and phrase[0].isupper() and _is_name(phrase)


def _is_name(word: str) -> bool:
    return word.casefold() in given_names() or word.casefold() in family_names()


@cache
def _drugs() -> frozenset[str]:
    brands = (name.casefold() for name in words_of_all_languages(_TOPIC, "clinical.brands"))
    return frozenset(table_lines("drugs")) | frozenset(brands)


@cache
def _diseases() -> frozenset[str]:
    return frozenset(table_lines("diseases"))


@cache
def _eponyms() -> Mapping[str, bool]:
    """Eponyms, casefolded, and whether each is recognised without a noun beside it."""
    listed = {line.removesuffix("\t+"): line.endswith("\t+") for line in table_lines("eponyms")}
    listed |= {name.casefold(): "-" in name for name in words_of_all_languages(_TOPIC, "clinical.eponyms")}
    return MappingProxyType(listed)


_NAME = r"[A-ZÀ-Þ][^\W\d_]{2,20}"
_FIRST_NAME = r"[A-ZÀ-Þ](?<!\w.)[^\W\d_]{2,20}"
"""A name without a letter, digit or underscore before it; found by its capital, which is several times as fast."""
_DISCOVERIES = words_of_all_languages(_TOPIC, "clinical.discovery_nouns")
_NOUNS = words_of_all_languages(_TOPIC, "clinical.eponym_nouns")
_NAMED_THINGS = words_of_all_languages(_TOPIC, "documents.named_things")
_LEADS = words_of_all_languages(_TOPIC, "clinical.eponym_leads")
_BEFORE_NOUN = lazy_pattern(
    rf"(?P<name>{_FIRST_NAME}(?:[ ]{_NAME})?(?:-{_NAME}){{0,3}})(?:['’]s?|s['’])?(?:[ -]|[ ][a-z]{{3,12}}[ ])"
    rf"(?:(?P<discovery>{alternatives(_DISCOVERIES)})|{alternatives(_NOUNS)})(?!\w)"
)
_BEFORE_THING = lazy_pattern(
    rf"(?P<name>{_FIRST_NAME}(?:[ ]{_NAME})?)[ ](?P<discovery>{alternatives(_NAMED_THINGS)})(?!\w)"
)
_AFTER_LEAD = lazy_pattern(rf"(?<!\w)(?i:{alternatives(_LEADS)})[ ’']?(?P<name>{_NAME}(?:-{_NAME}){{0,3}})(?!\w)")
_EPONYM_FORMS = ((_BEFORE_NOUN, first_words((*_DISCOVERIES, *_NOUNS))), (_BEFORE_THING, first_words(_NAMED_THINGS)))
"""Forms of eponyms, and words of which a text must have one."""
_FIRST_OF_LEADS = first_words(_LEADS)
_LEADS_OF_ONE_WORD = tuple(first_words(lead for lead in _LEADS if " " not in lead))


def find_passages(text: str) -> list[Passage]:
    """The passages of a text that name nobody, sorted; they may overlap."""
    patterns = list(_match_patterns(text, _ALL_PASSAGES))
    is_clinical = sum(pattern.clinical for pattern, _ in patterns) >= _CLINICAL_MEASURES
    passages = [passage for _, passage in patterns]
    passages += _match_eponyms(text)
    passages += _match_words(text, is_clinical)
    for index in _indexes():
        passages += filter(None, (_passage(text, match) for match in index.find(text)))
    return sorted(passages)


_CLINICAL_MEASURES = 3
"""How many doses, scores and values of tests make a text a clinical note, where names of diseases are content."""


def _passage(text: str, match: PhraseMatch[_Kind]) -> Passage | None:
    """The passage of a phrase, None where the phrase is part of something else there."""
    kind, start, end = match.value, match.start, match.end
    phrase = text[start:end]
    if _is_part_of_code(text, start, end) or (phrase.isupper() and _is_in_capitals(text, start, end)):
        return None
    if phrase[0].isupper() and _JOINED.search(text, max(0, start - 2), start):
        return None
    labels = kind.labels
    if kind.key == "documents.fields":
        if not _is_field(text, start, end):
            return None
    elif len(phrase) < 3:
        has_number = kind.key in ("clinical.credentials", "clinical.registers")
        labels = labels - {"LOC"} if has_number else labels & _NOT_SHORT
    elif kind.key == "people.roles" and phrase[0].isupper() and text[max(0, start - 2) : start] == "& ":
        return None  # Dingle & Son
    elif kind.key == "people.roles" and phrase[0].isupper() and _is_name(phrase):
        labels -= _WHOLE  # Nora is a daughter-in-law in Italian, and a name
    elif kind.key == "people.roles":
        start = _with_function_word(text, start)
    elif kind.key == "web.words" and _EMPLOYER.search(text, max(0, start - _CUE_LENGTH), start):
        return None
    return Passage(start, end, labels, kind.cut)


def _with_function_word(text: str, start: int) -> int:
    """Where a noun begins with the article or the pronoun before it: "your manager"."""
    word = _WORD_BEFORE.search(text, max(0, start - _CUE_LENGTH), start)
    return word.start() if word and any(word[1].lower() in words for words in STOP_WORDS.values()) else start


_JOINED = lazy_pattern(r"[^\W\d_]-$")
"""The first part of a name with a hyphen: "T-Boy"."""
_WORD_BEFORE = lazy_pattern(r"(?<!\w)(\w+)[ ]$")
_NOT_SHORT = frozenset({"DEM", "MISC", "ORG"})
"""Two letters are initials, a state, a time zone or the beginning of a number as often as an abbreviation."""
_CODE_BEFORE, _CODE_AFTER = lazy_pattern(r"[\w@./_-]*[@./_-]$"), lazy_pattern(r"[@./_-][\w@./_-]*|:\w[\w@./_-]*")
_EMPLOYER = lazy_pattern(rf"(?i)(?<!\w)(?:{alternatives(words_of_all_languages(_TOPIC, 'documents.employment'))})[ ]$")


def _is_part_of_code(text: str, start: int, end: int) -> bool:
    """Whether it is joined to digits or to an address: PS-0208, manager@hotel.example."""
    before = _CODE_BEFORE.search(text, max(0, start - _CUE_LENGTH), start)
    after = _CODE_AFTER.match(text, end, end + _CUE_LENGTH)
    joined = (before[0] if before else "") + (after[0] if after else "")
    return "@" in joined or any(map(str.isdigit, joined))


def _is_field(text: str, start: int, end: int) -> bool:
    """Whether a word begins a line or a cell and stands before a colon or a gap: "Name:", "Sprachen   Arabisch"."""
    return (
        _FIELD_BEFORE.search(text, max(0, start - 3), start) is not None and _FIELD_AFTER.match(text, end) is not None
    )


_FIELD_BEFORE = lazy_pattern(r"(?:^|\n[ ]?|[ ]{2}|[\t|(;,·•*\"/])[ ]?$")
_FIELD_AFTER = lazy_pattern(r"[ ]?[:=?]|[ ]{2}|\t|[ ]?\||\"|$|\n")


class _PassagePatterns:
    """Patterns of passages that are searched for together."""

    def __init__(self, patterns: Iterable[NeverPersonalPattern]) -> None:
        self._patterns = tuple(patterns)
        self._anywhere = tuple(pattern for pattern in self._patterns if pattern.anywhere)
        self._needs = NeededStrings(needed for pattern in self._patterns for needed in pattern.needs)
        self._cue_words = frozenset(word for pattern in self._patterns for word in pattern.cue_words)

    def possible(self, text: str) -> Iterator[NeverPersonalPattern]:
        """Those that may match by ``patterns.may_match``; those of passages with a number only where there is one."""
        words = self._cue_words & caseless_words(text) if self._cue_words else frozenset[str]()
        needs = self._needs.in_text(text)
        for pattern in self._patterns if search_regions(text).numbers else self._anywhere:
            if pattern.cue_words and words.isdisjoint(pattern.cue_words):
                continue
            if not pattern.needs or not needs.isdisjoint(pattern.needs):
                yield pattern


_ALL_PASSAGES = _PassagePatterns(PATTERNS)
_CONSTANT_PASSAGES = _PassagePatterns(pattern for pattern in PATTERNS if pattern.constant)


def _match_patterns(text: str, patterns: _PassagePatterns) -> Iterator[tuple[NeverPersonalPattern, Passage]]:
    regions = search_regions(text)
    for pattern in patterns.possible(text):
        if pattern.anywhere and pattern.begins == "at cues":
            matches = find_at(pattern.regex, text, starts_of(pattern.cue_words, text))
        elif pattern.anywhere:
            # Cheaper than finditer, and most have no match.
            matches = pattern.regex.finditer(text) if pattern.regex.search(text) else iter(())
        else:
            matches = regions.find_near_numbers(pattern.regex, pattern.begins, pattern.needs, pattern.cue_words)
        for match in matches:
            start, end = match.span(pattern.group)
            if pattern.constant or not _is_part_of_number(text, start, end):
                yield pattern, Passage(start, end, pattern.labels, _ALL, pattern.constant)


def _is_part_of_number(text: str, start: int, end: int) -> bool:
    """Whether digits go on before or after, as in a telephone number: 01632 960 [118 x 204]."""
    before = text[start].isdigit() and _DIGITS_BEFORE.search(text, max(0, start - 3), start)
    return bool(before) or (text[end - 1].isdigit() and _DIGITS_AFTER.match(text, end) is not None)


_DIGITS_BEFORE = lazy_pattern(r"\d[ ./-]?$")
_DIGITS_AFTER = lazy_pattern(r"[ ./-]?\d{2}|-[A-Z\d]")


def _match_eponyms(text: str) -> Iterator[Passage]:
    eponyms = _eponyms()
    counts: Counter[str] | None = None
    for regex, matches in _eponym_matches(text):
        for match in matches:
            parts = re.split("[ -]", match["name"])
            is_known = regex is not _BEFORE_THING and any(
                part.casefold() in eponyms for part in (match["name"], *parts)
            )
            if not is_known and regex is not _AFTER_LEAD and match["discovery"]:
                # A name that stands elsewhere in the text, too, is that of somebody in it.
                counts = Counter(chain.from_iterable(words_by_part(LETTERS, text))) if counts is None else counts
                is_known = counts[parts[-1]] == 1
            if is_known:
                yield Passage(*match.span(), _ALL, _ALL - _WHOLE if regex is _BEFORE_THING else _ALL)


def _eponym_matches(text: str) -> Iterator[tuple[re.Pattern[str], Iterator[re.Match[str]]]]:
    """The matches of the forms of eponyms whose words, other than names, are in a text."""
    words_of_text = caseless_words(text)
    for regex, words in _EPONYM_FORMS:
        if not words_of_text.isdisjoint(words):
            yield regex, regex.finditer(text)
    # A name may follow a lead of one word without a space.
    leads = _FIRST_OF_LEADS.union(word for word in words_of_text if word.startswith(_LEADS_OF_ONE_WORD))
    yield _AFTER_LEAD, find_at(_AFTER_LEAD, text, starts_of(leads, text))


def _match_words(text: str, is_clinical: bool) -> Iterator[Passage]:
    """Drugs with their strengths, eponyms that are no names of people today, and in clinical notes diseases."""
    eponyms, diseases = _eponyms(), _diseases() if is_clinical else frozenset[str]()
    folded = {written: written.casefold() for written in set(_LONG_WORD.findall(text))}
    known = {
        written: word
        for written, word in folded.items()
        if word in diseases or _is_drug(word) or (written[0].isupper() and word in eponyms)
    }
    for match in _LONG_WORD.finditer(text) if known else ():
        word = known.get(match[0], "")
        if not word:
            continue
        if _is_drug(word):
            strength = _STRENGTH.match(text, match.end())
            yield Passage(match.start(), strength.end() if strength else match.end(), _ALL, _ALL - _WHOLE)
        elif word in diseases:
            yield Passage(*match.span(), _ALL, _ALL - _WHOLE)
        elif match[0][0].isupper() and word in eponyms and len(word) > 4:
            if eponyms[word] or "-" in word:
                yield Passage(*match.span(), _ALL if is_clinical else _ALL - {"PERSON", "ORG"}, _ALL - _WHOLE)
            elif is_clinical:
                yield Passage(*match.span(), frozenset({"DEM", "MISC"}), frozenset())


def _is_drug(word: str) -> bool:
    """Whether a word is the name of a drug, in the form of any language: losartan, losartana."""
    drugs = _drugs()
    return word in drugs or (len(word) > 6 and word[-1] in "aeo" and (word[:-1] in drugs or f"{word[:-1]}e" in drugs))


_STRENGTH = lazy_pattern(r"[ ]\d{1,4}(?:[.,/]\d{1,4}){0,3}(?![\w/-]|[.,]\d|[ ]\d)")


_LONG_WORD = lazy_pattern(r"[^\W\d_]{4,}(?:-[^\W\d_]{3,}){0,4}")


def _is_in_capitals(text: str, start: int, end: int) -> bool:
    """Whether an abbreviation stands among other words in capitals, where it may be a name."""
    before, after = text[max(0, start - _LINE) : start], text[end : end + _LINE]
    around = before.rpartition("\n")[2] + after.partition("\n")[0]
    letters = [letter for letter in around if letter.isalpha()]
    return len(letters) > 3 and sum(map(str.isupper, letters)) > 0.7 * len(letters)


_LINE = 40


_LOOSE = " \t\u00a0,;:("
_BETWEEN = lazy_pattern(rf"[{_LOOSE}]*")


class _SortedPassages:
    """Passages of a text, searched by bisection."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._longest = max((passage.end - passage.start for passage in passages), default=0)

    def overlapping(self, span: Span) -> list[Passage]:
        """Those that share a character with a span, and count for its label."""
        first = bisect_left(self._passages, (span.start - self._longest,))
        last = bisect_left(self._passages, (span.end,))
        return [p for p in self._passages[first:last] if p.end > span.start and span.label in p.labels]


class NeverPersonal:
    """The passages of one text that name nobody; found when the first span asks for them."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _passages(self) -> _SortedPassages:
        return _SortedPassages(find_passages(self._text))

    @cached_property
    def _constants(self) -> _SortedPassages:
        """Those that are the same everywhere: the only ones that count against what a rule has checked."""
        return _SortedPassages(sorted(passage for _, passage in _match_patterns(self._text, _CONSTANT_PASSAGES)))

    @cached_property
    def _is_history(self) -> bool:
        return is_history(self._text)

    def drop(self, spans: Iterable[Span]) -> list[Span]:
        """The spans without those in such passages, and without the passages at the ends of the others."""
        spans = list(spans)
        if self._is_history and all(map(is_guess, spans)):
            return []
        starts, ends = {(span.start, span.label) for span in spans}, {(span.end, span.label) for span in spans}
        return [kept for span in spans if (kept := self._cut(span, starts, ends)) is not None]

    def _cut(self, span: Span, starts: Set[tuple[int, str]], ends: Set[tuple[int, str]]) -> Span | None:
        if not is_guess(span):
            constants = self._constants.overlapping(span)
            return None if any(p.start <= span.start and span.end <= p.end for p in constants) else span
        if len(span) == 1 and self._text[span.start].islower():
            return None  # a letter names nobody: "k"
        passages = self._passages.overlapping(span)
        if span.label in _WHOLE and self._adjoins(span, starts, ends):
            passages = [passage for passage in passages if span.label in passage.cut]
        if not passages:
            return span
        words = [match.span() for match in ALPHANUMERIC.finditer(self._text, span.start, span.end)]
        covered = [any(p.start <= start and end <= p.end for p in passages) for start, end in words]
        if _is_introduced(self._text, span):
            # "Frau Kollegin" is no name; of "Dr Foley" only "Foley" is covered.
            if all(covered) and is_title(self._text[slice(*words[0])]):
                return None
            return span.moved(span.start, self._cut_end(span, span.start, passages))
        if all(is_covered or self._is_small(word) for word, is_covered in zip(words, covered, strict=True)):
            return None if any(covered) else span
        start = self._cut_start(span, passages)
        return span.moved(start, self._cut_end(span, start, passages))

    def _cut_start(self, span: Span, passages: Sequence[Passage]) -> int:
        start = span.start
        for passage in passages:
            first = _BETWEEN.match(self._text, start).end()  # type: ignore[union-attr]
            if passage.start <= first < passage.end < span.end and (
                passage.cut == _ALL or (span.label != "PERSON" and self._may_cut(passage, span, passage.end))
            ):
                start = passage.end
        return start

    def _cut_end(self, span: Span, start: int, passages: Sequence[Passage]) -> int:
        end = span.end
        for passage in sorted(passages, key=lambda passage: -passage.end):
            last = start + len(self._text[start:end].rstrip(_LOOSE))
            if start < passage.start < last <= passage.end and self._may_cut(passage, span, passage.start):
                end = passage.start
        return end

    def _adjoins(self, span: Span, starts: Set[tuple[int, str]], ends: Set[tuple[int, str]]) -> bool:
        """Whether at most a space is between the span and one of its label: they may be one name, "CPE Les Castors"."""
        text = self._text
        string = text[span.start : span.end]
        start = span.start + len(string) - len(string.lstrip())
        end = span.start + len(string.rstrip())
        places = (
            (end, end + 1 if text[end : end + 1] == " " else end),
            (start, start - 1 if text.endswith(" ", 0, start) else start),
        )
        return any((place, span.label) in starts for place in places[0]) or any(
            (place, span.label) in ends for place in places[1]
        )

    def _is_small(self, word: tuple[int, int]) -> bool:
        return self._text[slice(*word)].lower() in _SMALL_WORDS

    def _may_cut(self, passage: Passage, span: Span, place: int) -> bool:
        """Whether a passage at the end of a span is not part of the name that the rest of the span may be."""
        if span.label in passage.cut:
            return True
        between = self._text[max(span.start, place - 2) : min(span.end, place + 2)]
        return _SEPARATORS.search(between) is not None


def is_history(text: str) -> bool:
    """Whether a text tells of people who died long ago: dated before 1900, and nobody speaks or is spoken to."""
    if len(_OLD_YEAR.findall(text)) < _HISTORY_YEARS:
        return False  # fewer than 70 % of any three years can be old ones
    years = [int(match["year"]) for match in _DATED_YEAR.finditer(text)]
    is_old = len(years) >= _HISTORY_YEARS and sum(year < _HISTORY_ENDS for year in years) >= 0.7 * len(years)
    return is_old and _SPEAKER.search(text) is None


_HISTORY_YEARS, _HISTORY_ENDS = 3, 1900
_OLD_YEAR = lazy_pattern(r"[ ]1[0-8]\d\d")
_DATED_YEAR = lazy_pattern(
    rf"(?i)(?<!\w)(?:{alternatives(words_of_all_languages(_TOPIC, 'history.before_years'))}|"
    rf"{alternatives(words_of_all_languages('calendar', 'months'))})[ ](?P<year>1[0-9]\d\d|20[0-4]\d)(?![\w/:-]|[.,]\d)"
)
_SPEAKER = lazy_pattern(rf"(?<!\w)(?:{alternatives(words_of_all_languages(_TOPIC, 'history.speakers'))})(?!\w)")


def is_guess(span: Span) -> bool:
    """Whether a span was found by a detector that judges by context, or by a rule without a check."""
    detector, _, kind = span.source.partition(":")
    if detector == "rules":
        kind = kind.split("+")[0]
        return kind in GUESSING_RULES or (kind in _GUESSING_WITHOUT_CONTEXT and span.score <= _WITHOUT_CONTEXT)
    return detector in _READS_CONTEXT


_READS_CONTEXT = frozenset({"tagger", "spacy", "presidio", "gliner"})


def _is_introduced(text: str, span: Span) -> bool:
    """Whether a title or the label of a field says that a name follows: "Mr Parkinson", "Name: Foley"."""
    if span.label != "PERSON":
        return False
    words = text[span.start : span.end].split(maxsplit=1)
    before = text[max(0, span.start - _CUE_LENGTH) : span.start]
    last = before.split()[-1:] if not before.endswith("\n") else []
    return any(is_title(word) for word in (*words[:1], *last)) or _NAME_CUE.search(before) is not None
