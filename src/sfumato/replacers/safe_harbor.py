"""The replacer ``safe-harbor``: the 18 kinds of identifiers of 45 CFR 164.514(b)(2), the HIPAA Safe Harbor method.

Names, places smaller than a state, dates but for their year, ages over 89 and all numbers that identify go. Country,
state, the first three digits of a ZIP code (where more than 20,000 people live there), years and ages up to 89 stay.
docs/hipaa.md says for each kind what is done.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from typing import NamedTuple

from sfumato.document import Document, Edit, Span
from sfumato.generalize.clauses import is_bound_of_time, may_widen
from sfumato.generalize.old_age import find_births, old_ages_in
from sfumato.lexicon.ages import find_ages
from sfumato.lexicon.fields import find_fields
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.named_days import find_named_days, names_a_day
from sfumato.lexicon.tables import load_toml, word_set, words
from sfumato.lexicon.time import find_dates, full_year, mentions_time
from sfumato.replacers.base import detection_reason, language_of, numbered_label
from sfumato.replacers.date_shift import has_unread_date
from sfumato.replacers.kept import KeptText
from sfumato.replacers.surrogate import country_names
from sfumato.vault.ledger import Ledger

_PACKAGE = "sfumato.replacers"
_RESTRICTED = word_set("safe_harbor", "restricted_zips", package=_PACKAGE)
_STATES = frozenset(map(lookup_key, words("safe_harbor", "states", package=_PACKAGE)))
_ABBREVIATIONS = word_set("detection", "addresses.us_states")
_STATE_AND_ZIP = re.compile(
    r"(?:(?P<state>[A-Z][\w.]*(?: [A-Z]\w+)?),?\s+)?(?P<zip>\d{5})(?:-\d{4})?(?P<end>(?: [a-z][a-z ]*)?[\s.,;]*)\Z"
)
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_ARTICLE = re.compile(r"\b(?:the|el|la|le|il|lo|de|het|o|a)\s\Z", re.IGNORECASE)
_PREPOSITIONS: Mapping[str, str] = load_toml("safe_harbor", package=_PACKAGE)["prepositions"]
_BEFORE_DAY = re.compile(rf"(?i)(?<!\w)(?P<word>{'|'.join(_PREPOSITIONS)}) (?:the )?\Z")
_THE = re.compile(r"(?i)(?<!\bon )\bthe \Z")
_NOUN = re.compile(r" [a-z]")
_YEAR_FIRST = re.compile(r"(?:1[5-9]|20)\d\d(?!\d)")
_STATE_BEFORE = re.compile(r"\b[A-Z]{2},? \Z")
_LOWEST_WITHOUT_ZEROS = "501"
"""The ZIP code 00501 as a number."""
_ZIP = re.compile(r"(?P<digits>\d{3}-\d\d|\d{3,5}|\d{9}|(?:\d ){4}\d)(?:-\d{4})?(?!\d)")
"""A ZIP code, whose leading zeros are lost where it was a number; three digits are one that is cut already."""


class SafeHarbor:
    """Remove the 18 kinds of identifiers of the HIPAA Safe Harbor method; years, states and three-digit ZIPs stay."""

    uses = ("ledger",)
    hides_named_days = "always"

    def __init__(self, *, ledger: Ledger) -> None:
        self._ledger = ledger

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        text, language = document.text, language_of(document)
        kept, known = KeptText(text), _known_values(text, language)
        days = list(find_named_days(text))
        edits: list[Edit] = []
        put: set[tuple[int, int]] = set()
        free_from = 0
        for span in sorted(spans, key=lambda span: span.start):
            label = partial(numbered_label, self._ledger, document, span)
            values = [] if span.label in ("PERSON", "ORG") else _values_in(text, span, known, language)
            whole, replacement = span, None
            if values:
                # An age that a detector found in part is replaced whole: "97 years" of "97 years of age".
                first = max(values[0].start, free_from)
                whole = span.moved(min(span.start, first), max(span.end, values[-1].end))
                replacement = _with_values(kept, span, values, put, label)
                put.update((value.start, value.end) for value in values)
            elif kept.is_in_secret(span):
                replacement = label()
            else:
                is_day = any(start < span.end and span.start < end for start, end in days)
                replacement = self._replacement(text, span, kept, language, label, is_named=is_day)
            if replacement is not None and replacement != text[whole.start : whole.end]:
                whole, replacement = _with_preposition(text, whole, replacement, free_from)
                edits.append(Edit(whole, replacement, (detection_reason(span), type(self).__name__)))
            free_from = max(span.end, whole.end)
        return edits

    def _replacement(
        self,
        document_text: str,
        span: Span,
        kept: KeptText,
        language: str,
        label: Callable[[], str],
        *,
        is_named: bool,
    ) -> str | None:
        text = document_text[span.start : span.end]
        if kept.is_clinical(span):
            return None
        has_zip = (address := _STATE_AND_ZIP.search(text)) is not None and _is_large(address["state"] or "")
        match "LOC" if has_zip else span.label:
            case "LOC":
                return _place(document_text, span, label)
            case "DATETIME":
                if _years_alone(text, language):
                    return None
                stays = not _has_date(text) and not has_unread_date(text) and kept.may_stay(span)
                is_named = is_named or names_a_day(text)
                if stays and not is_named:
                    return None
                is_bound = is_bound_of_time(document_text, span.start, language)
                stays_true = may_widen(document_text, span.start, span.end, language, span.label)
                follows_article = _ARTICLE.search(document_text, max(0, span.start - 5), span.start) is not None
                if is_bound or not stays_true or (is_named and follows_article):
                    return label()  # "since the [summer of 2022]"
                follows_the = _THE.search(document_text, max(0, span.start - 8), span.start) is not None
                if follows_the and not _NOUN.match(document_text, span.end):
                    return label()  # "on the eve of the [3rd of May 2022]"
                years = set(_YEAR.findall(text))
                return (years.pop() if len(years) == 1 else label()) if is_named else _years(text, label, language)
            case "DEM" | "QUANTITY" | "MISC":
                return None if kept.may_stay(span) else label()
        return label()


def _with_preposition(text: str, span: Span, replacement: str, free_from: int) -> tuple[Span, str]:
    """A year in place of a day, with the preposition that a year has: *on* 3 May 2021 -> *in* 2021, *am* -> none."""
    before = _BEFORE_DAY.search(text, max(free_from, span.start - 8), span.start)
    written = text[span.start : span.end]
    if before is None or not _YEAR_FIRST.match(replacement) or _YEAR_FIRST.fullmatch(written) or ":" in written:
        return span, replacement  # no day; or a time stamp, which is replaced as a whole
    word = _PREPOSITIONS[before["word"].casefold()]
    word = word.capitalize() if before["word"][0].isupper() else word
    return span.moved(before.start("word"), span.end), f"{word} {replacement}".lstrip()


class _Value(NamedTuple):
    """An age, a date of birth or a ZIP code, whatever a detector takes it for, and what is put there."""

    start: int
    end: int
    replacement: str | None
    """None for a label."""
    name_start: int = -1
    """Where the name of its field begins, which stays."""


def _known_values(text: str, language: str) -> list[_Value]:
    """The ages up to 89, which stay, dates of birth and ZIP codes of fields, disjoint and in order."""
    values = [_Value(age.start, age.end, text[age.start : age.end]) for age in find_ages(text, language)]
    values += [
        _Value(birth.start, birth.end, None if birth.year is None else str(birth.year)) for birth in find_births(text)
    ]
    for field in find_fields(text):
        if field.concept == "zip" and (code := _ZIP.match(text, field.start, field.end)):
            values.append(
                _Value(
                    *code.span(),
                    _area(re.sub(r"\D", "", code["digits"]), field.name),
                    text.rfind(field.name, 0, code.start()),
                )
            )
    disjoint: list[_Value] = []
    for value in sorted(values, key=lambda value: (value.start, value.end)):
        if not disjoint or disjoint[-1].end <= value.start:
            disjoint.append(value)
    return disjoint


def _values_in(text: str, span: Span, known: Sequence[_Value], language: str) -> list[_Value]:
    """The values that a span touches, in order; what tells an age over 89 first."""
    first = bisect_right(known, span.start, key=lambda value: value.end)
    last = bisect_left(known, span.end, key=lambda value: value.start)
    old_ages = old_ages_in(text, span.start, span.end, language, in_doubt=True)
    stays_true = may_widen(text, span.start, span.end, language, span.label) and not (
        span.label == "DATETIME" and is_bound_of_time(text, span.start, language)
    )
    if old_ages and not (old_ages[0].start < span.end and span.start < old_ages[-1].end):
        # A date of birth that is repeated.
        return [_Value(span.start, span.end, old_ages[0].replacement(text, language) if stays_true else None)]
    values = [
        _Value(
            age.start,
            age.end,
            None if age.kind == "event" or not stays_true else age.replacement(text, language),
        )
        for age in old_ages
    ]
    values += [
        value if stays_true or value.replacement == text[value.start : value.end] else value._replace(replacement=None)
        for value in known[first:last]
        if not any(age.start < value.end and value.start < age.end for age in old_ages)
    ]
    return sorted(values, key=lambda value: value.start)


def _with_values(
    kept: KeptText, span: Span, values: Sequence[_Value], put: Set[tuple[int, int]], label: Callable[[], str]
) -> str:
    """What stands for the values of a span, with what is harmless between them; a value is put once."""
    written, position = "", span.start
    for value in values:
        is_name = 0 <= value.name_start <= position < value.start
        written += kept.text[position : value.start] if is_name else _beside(kept, span, position, value.start, label)
        if (value.start, value.end) not in put:
            written += label() if value.replacement is None else value.replacement
        position = value.end
    return written + _beside(kept, span, position, span.end, label)


def _beside(kept: KeptText, span: Span, start: int, end: int, label: Callable[[], str]) -> str:
    """What a span covers beside a value: as it is where it says nothing of anybody, else a label."""
    if start >= end:
        return ""
    beside = kept.text[start:end]
    if not any(map(str.isalnum, beside)) or (not names_a_day(beside) and kept.may_stay(span.moved(start, end))):
        return beside
    if names_a_day(beside) and beside.endswith(" "):
        return ""  # "born [Armistice Day] 1928": the value that follows stands for all
    first, last = beside.index(beside.strip()), len(beside.rstrip())
    return f"{beside[:first]}{label()}{beside[last:]}"


def _area(digits: str, name: str = "") -> str | None:
    """The first three digits of a ZIP code, or 000 where few people live; None where it is not certain which they are.

    A number of three digits is a ZIP code that is cut already, or one like 00875 that lost its zeros.
    """
    if len(digits) == 3 and digits >= _LOWEST_WITHOUT_ZEROS and "3" not in name:
        return None
    whole = digits if len(digits) == 3 else digits.zfill(5 if len(digits) <= 5 else 9)
    return "000" if whole[:3] in _RESTRICTED else whole[:3]


def _place(text: str, span: Span, label: Callable[[], str]) -> str | None:
    """The place without what is smaller than a state: None for a state or a country, else with what of it may stay."""
    place = text[span.start : span.end]
    if _is_large(place):
        return None
    address = _STATE_AND_ZIP.search(place)
    if address is None:
        _, comma, region = place.rpartition(",")
        return f"{label()}, {region.strip()}" if comma and _is_large(region.strip()) else label()
    state = address["state"] if address["state"] and _is_large(address["state"]) else None
    is_zip = state is not None or _STATE_BEFORE.search(text, max(0, span.start - 12), span.start) is not None
    if not is_zip:
        return label()
    area = _area(address["zip"]) or label()
    rest = place[: address.start("state") if state else address.start("zip")].strip(" ,\n")
    region = f"{state} {area}" if state else area
    return f"{label()}, {region}{address['end']}" if rest else f"{region}{address['end']}"


def _is_large(place: str) -> bool:
    """Whether it is a state of the United States, or a country."""
    key = lookup_key(place)
    return place in _ABBREVIATIONS or key in _STATES or key in country_names()


def _has_date(text: str) -> bool:
    """Whether a text has a date or a part of one, besides times and durations."""
    return any(True for _ in find_dates(text))


def _years_alone(text: str, language: str) -> bool:
    """Whether years are all there is, "2009 et 2013": they stay as they are, so they stay true."""
    if _YEAR.search(text) is None:
        return False
    # Words between numbers ("vingt et un") stand between years, too.
    rest = (part for part in _YEAR.sub(" ", text).split() if part.casefold() not in STOP_WORDS[language])
    return not mentions_time(" ".join(rest))


def _years(text: str, label: Callable[[], str], language: str) -> str | None:
    """The years of the dates in a span, and nothing else of them; the label where a year is not certain.

    Of two dates the words between them stay: "3 May 2009 to 6 June 2013" is *2009 to 2013*.
    """
    dates = list(find_dates(text))
    if not dates:
        return label()
    years = [match.groupdict().get("year") for form, match in dates if form not in ("weekday", "month")]
    full = [full_year(year) for year in years if year]
    if not full or None in full:
        return label()
    unique = list(dict.fromkeys(str(year) for year in full))
    if len(unique) == 1:
        return unique[0]
    between = text[dates[0][1].end() : dates[1][1].start()] if len(dates) == 2 else ""
    words = between.casefold().split()
    return (between if words and STOP_WORDS[language].issuperset(words) else " – ").join((unique[0], unique[-1]))
