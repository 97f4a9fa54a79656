"""Passages that name nobody: measures, drugs, scores, statutes, versions, field names.

Word lists are in ``lexicon/data/*/never_personal.toml``, patterns in ``detectors/data/all/never_personal.toml``;
drugs, diseases and eponyms are found by ``medical_words``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from sfumato.detectors.medical_words import find_eponyms, find_medical_words
from sfumato.detectors.rules.patterns import alternatives, expand
from sfumato.detectors.rules.search import PatternSearch, Searchable
from sfumato.document import LABELS
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.name_lists import family_names, given_names
from sfumato.lexicon.tables import load_toml, words_of_all_languages
from sfumato.lexicon.tokens import PhraseIndex, PhraseMatch, lazy_pattern

_TOPIC = "never_personal"
ALL = frozenset(LABELS)
WHOLE = frozenset({"PERSON", "LOC", "ORG", "CODE", "DATETIME"})
"""Labels of spans that are not cut at a word which may be part of them."""
CUE_LENGTH = 40
"""How far before a word it is read on."""


@dataclass(frozen=True)
class NeverPersonalPattern(Searchable):
    """A pattern of passages that name nobody, and the labels of the spans that may be dropped there."""

    name: str
    regex: str
    labels: frozenset[str] = ALL
    clinical: bool = False
    constant: bool = False

    @cached_property
    def group(self) -> str | int:
        """The group that is the passage."""
        return "value" if "value" in self.compiled.groupindex else 0


class Passage(NamedTuple):
    """``text[start:end]`` names nobody. Spans of ``labels`` are dropped in it, those of ``cut`` are cut at it."""

    start: int
    end: int
    labels: frozenset[str]
    cut: frozenset[str]
    constant: bool = False
    """Whether it is the same everywhere, so that even a checked rule does not find somebody's number in it."""


_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


@cache
def _listed(key: str) -> str:
    """A regex for the words that the patterns name by a key."""
    return alternatives(words_of_all_languages(_TOPIC, f"patterns.{key}"))


def _load_patterns() -> Iterator[NeverPersonalPattern]:
    for entry in load_toml(_TOPIC, package="sfumato.detectors")["pattern"]:
        lists = {key: _listed(key) for key in _PLACEHOLDER.findall(entry["regex"])}
        options = {**entry, "regex": expand(entry["regex"], lists), "labels": frozenset(entry.get("labels", ALL))}
        yield NeverPersonalPattern(**options)


PATTERNS = tuple(_load_patterns())
_ALL_PATTERNS = PatternSearch(PATTERNS)
_CONSTANT_PATTERNS = PatternSearch(pattern for pattern in PATTERNS if pattern.constant)


class _Kind(NamedTuple):
    """How the phrases of one word list are recognised, and the spans that they drop and cut."""

    key: str
    match_case: bool
    labels: frozenset[str] = ALL
    cut: frozenset[str] = ALL - WHOLE


_KINDS = (
    _Kind("clinical.abbreviations", True),
    _Kind("clinical.credentials", True, cut=ALL - {"ORG", "LOC"}),
    _Kind("clinical.registers", True, cut=ALL - {"ORG", "LOC"}),
    _Kind("clinical.devices", False),
    _Kind("clinical.words", False, cut=ALL),
    _Kind("clinical.roles", False, ALL - {"DEM"}),
    _Kind("people.roles", False, ALL - {"CODE", "DATETIME", "QUANTITY"}, cut=frozenset({"DEM"})),
    _Kind("web.words", True),
    _Kind("trade.words", True, ALL - {"ORG", "LOC"}),
    _Kind("documents.fields", False, cut=ALL),
    _Kind("documents.phrases", False, cut=ALL),
    _Kind("documents.chat", True),
    _Kind("documents.bodies", True, ALL - {"LOC"}),
    _Kind("documents.departments", False, ALL - {"CODE"}, cut=frozenset({"ORG"})),
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


def find_passages(text: str) -> list[Passage]:
    """The passages of a text that name nobody, sorted; they may overlap."""
    patterns = list(_match_patterns(text, _ALL_PATTERNS))
    is_clinical = sum(pattern.clinical for pattern, _ in patterns) >= _CLINICAL_MEASURES
    passages = [passage for _, passage in patterns]
    passages += [Passage(*match) for match in find_eponyms(text)]
    passages += [Passage(*match) for match in find_medical_words(text, is_clinical)]
    for index in _indexes():
        passages += filter(None, (_passage(text, match) for match in index.find(text)))
    return sorted(passages)


def find_constant_passages(text: str) -> list[Passage]:
    """Those that are the same everywhere, sorted."""
    return sorted(passage for _, passage in _match_patterns(text, _CONSTANT_PATTERNS))


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
    if kind.key == "documents.fields" and not _is_field(text, start, end):
        return None
    if len(phrase) < _SHORTEST and kind.key != "documents.fields":
        has_number = kind.key in ("clinical.credentials", "clinical.registers")
        return Passage(start, end, kind.labels - {"LOC"} if has_number else kind.labels & _NOT_SHORT, kind.cut)
    if kind.key == "web.words" and _EMPLOYER.search(text, max(0, start - CUE_LENGTH), start):
        return None
    return _role(text, match) if kind.key == "people.roles" else Passage(start, end, kind.labels, kind.cut)


_SHORTEST = 3
"""A shorter phrase is an abbreviation that may stand for other things."""


def _role(text: str, match: PhraseMatch[_Kind]) -> Passage | None:
    """What somebody is to somebody, with the article or the pronoun before it."""
    kind, start, end = match.value, match.start, match.end
    if text[start].isupper():
        if text[max(0, start - 2) : start] == "& ":
            return None  # Dingle & Son
        if _is_name(text[start:end]):  # Nora is a daughter-in-law in Italian, and a name
            return Passage(start, end, kind.labels - WHOLE, kind.cut)
    return Passage(_with_function_word(text, start), end, kind.labels, kind.cut)


def _with_function_word(text: str, start: int) -> int:
    """Where a noun begins with the article or the pronoun before it: "your manager"."""
    word = _WORD_BEFORE.search(text, max(0, start - CUE_LENGTH), start)
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
    before = _CODE_BEFORE.search(text, max(0, start - CUE_LENGTH), start)
    after = _CODE_AFTER.match(text, end, end + CUE_LENGTH)
    joined = (before[0] if before else "") + (after[0] if after else "")
    return "@" in joined or any(map(str.isdigit, joined))


def _is_field(text: str, start: int, end: int) -> bool:
    """Whether a word begins a line or a cell and stands before a colon or a gap: "Name:", "Sprachen   Arabisch"."""
    return (
        _FIELD_BEFORE.search(text, max(0, start - 3), start) is not None and _FIELD_AFTER.match(text, end) is not None
    )


_FIELD_BEFORE = lazy_pattern(r"(?:^|\n[ ]?|[ ]{2}|[\t|(;,·•*\"/])[ ]?$")
_FIELD_AFTER = lazy_pattern(r"[ ]?[:=?]|[ ]{2}|\t|[ ]?\||\"|$|\n")


def _match_patterns(
    text: str, patterns: PatternSearch[NeverPersonalPattern]
) -> Iterator[tuple[NeverPersonalPattern, Passage]]:
    for pattern, match in patterns.find(text):
        start, end = match.span(pattern.group)
        if pattern.constant or not _is_part_of_number(text, start, end):
            yield pattern, Passage(start, end, pattern.labels, ALL, pattern.constant)


def _is_part_of_number(text: str, start: int, end: int) -> bool:
    """Whether digits go on before or after, as in a telephone number: 01632 960 [118 x 204]."""
    before = text[start].isdigit() and _DIGITS_BEFORE.search(text, max(0, start - 3), start)
    return bool(before) or (text[end - 1].isdigit() and _DIGITS_AFTER.match(text, end) is not None)


_DIGITS_BEFORE = lazy_pattern(r"\d[ ./-]?$")
_DIGITS_AFTER = lazy_pattern(r"[ ./-]?\d{2}|-[A-Z\d]")


def _is_in_capitals(text: str, start: int, end: int) -> bool:
    """Whether an abbreviation stands among other words in capitals, where it may be a name."""
    before, after = text[max(0, start - _LINE) : start], text[end : end + _LINE]
    around = before.rpartition("\n")[2] + after.partition("\n")[0]
    letters = [letter for letter in around if letter.isalpha()]
    return len(letters) > 3 and sum(map(str.isupper, letters)) > 0.7 * len(letters)


_LINE = 40
