"""Drugs, diseases and eponyms in a text, and the labels of the spans that are dropped or cut there.

Their tables are made by ``training/build_never_personal.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from types import MappingProxyType

from sfumato.detectors.rules.patterns import alternatives
from sfumato.document import LABELS
from sfumato.lexicon.tables import table_lines, words_of_all_languages
from sfumato.lexicon.tokens import LETTERS, caseless_words, find_at, first_words, lazy_pattern, starts_of, words_by_part

_TOPIC = "never_personal"
_ALL = frozenset(LABELS)
_PARTS = frozenset({"DEM", "MISC", "QUANTITY"})
"""Labels of spans that are cut at such a word, too, as it is no part of a name."""

Match = tuple[int, int, frozenset[str], frozenset[str]]
"""Start, end, and the labels of the spans that are dropped and of those that are cut."""


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


def find_eponyms(text: str) -> Iterator[Match]:
    """Discoveries, diseases and things that are called after somebody."""
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
                yield (*match.span(), _ALL, _PARTS if regex is _BEFORE_THING else _ALL)


def _eponym_matches(text: str) -> Iterator[tuple[re.Pattern[str], Iterator[re.Match[str]]]]:
    """The matches of the forms of eponyms whose words, other than names, are in a text."""
    words_of_text = caseless_words(text)
    for regex, words in _EPONYM_FORMS:
        if not words_of_text.isdisjoint(words):
            yield regex, regex.finditer(text)
    # A name may follow a lead of one word without a space.
    leads = _FIRST_OF_LEADS.union(word for word in words_of_text if word.startswith(_LEADS_OF_ONE_WORD))
    yield _AFTER_LEAD, find_at(_AFTER_LEAD, text, starts_of(leads, text))


def find_medical_words(text: str, is_clinical: bool) -> Iterator[Match]:
    """Drugs with their strengths, eponyms that are no names of people today, and in clinical notes diseases."""
    diseases = _diseases() if is_clinical else frozenset[str]()
    folded = {written: written.casefold() for written in set(_LONG_WORD.findall(text))}
    known = {written: word for written, word in folded.items() if word in diseases or _is_drug_or_eponym(written, word)}
    matches = _LONG_WORD.finditer(text) if known else iter(())
    for match, word in ((match, known[match[0]]) for match in matches if match[0] in known):
        if _is_drug(word):
            strength = _STRENGTH.match(text, match.end())
            yield (match.start(), strength.end() if strength else match.end(), _ALL, _PARTS)
        elif word in diseases:
            yield (*match.span(), _ALL, _PARTS)
        elif len(word) > _SHORT and (labels := _labels_of_eponym(word, is_clinical)):
            yield (*match.span(), *labels)


def _is_drug_or_eponym(written: str, word: str) -> bool:
    return _is_drug(word) or (written[0].isupper() and word in _eponyms())


def _labels_of_eponym(eponym: str, is_clinical: bool) -> tuple[frozenset[str], frozenset[str]] | None:
    """Labels of the spans that are dropped at an eponym without a noun beside it, and of those that are cut."""
    if _eponyms()[eponym] or "-" in eponym:
        return _ALL if is_clinical else _ALL - {"PERSON", "ORG"}, _PARTS
    return (frozenset({"DEM", "MISC"}), frozenset()) if is_clinical else None


_SHORT = 4


def _is_drug(word: str) -> bool:
    """Whether a word is the name of a drug, in the form of any language: losartan, losartana."""
    drugs = _drugs()
    return word in drugs or (len(word) > 6 and word[-1] in "aeo" and (word[:-1] in drugs or f"{word[:-1]}e" in drugs))


_STRENGTH = lazy_pattern(r"[ ]\d{1,4}(?:[.,/]\d{1,4}){0,3}(?![\w/-]|[.,]\d|[ ]\d)")
_LONG_WORD = lazy_pattern(r"[^\W\d_]{4,}(?:-[^\W\d_]{3,}){0,4}")
