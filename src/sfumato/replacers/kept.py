"""The replacer ``keep``, and which spans may be left as they are: those that read as what their label says.

A detector that calls a name a date, or a password a quantity, must not release it by that. What is kept has to be a
date, a number with its unit, or everyday words; anything else gets a label.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from sfumato.detectors.everyday import everyday_words, may_name
from sfumato.detectors.passes.never_personal import drop_never_personal, is_guess
from sfumato.detectors.rules.patterns import alternatives
from sfumato.document import Document, Edit, Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.tables import load_toml, words_of_all_languages
from sfumato.lexicon.time import HOLIDAYS, MONTH_WORDS, SEASONS, WEEKDAY_WORDS, find_dates, likely_year, possible_days
from sfumato.replacers.base import detection_reason, numbered_label
from sfumato.replacers.date_shift import without_times
from sfumato.vault.ledger import Ledger

CHECKED_LABELS = frozenset({"DEM", "DATETIME", "QUANTITY", "MISC"})
"""Labels of what is checked: a recipe that keeps people, codes, places or organisations keeps all of them."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_DIGITS = re.compile(r"\d+")
_MOST_DIGITS = {"DEM": 3, "DATETIME": 4, "QUANTITY": 6, "MISC": 3}
"""Digits in a row; more of them are an identifier."""
_SECRET = re.compile(r"(?=\S*[^\W\d_])(?=\S*[\d])\S*[\w][$@#&*^~!?%_]+[\w]\S*")
"""Letters and digits with a sign between them, without a space: Falcon$1990."""
_COMPACT_DATE = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?:T?\d{4,6}Z?)?")
_MOST_TOKEN = 60
_VALUE = r"[-+]?\d{1,3}(?:[.,]\d{1,3})?"
_UNIT = r"\s*(?:%|°C?|[a-zµμ]{1,5}(?:/[a-zA-Z]{1,4})?)"
_MEASURE = re.compile(
    rf"[<>≤≥~±]?\s*(?P<low>{_VALUE})(?:(?P<ratio>\s*[x×:/+]\s*{_VALUE})*|\s*[-–]\s*(?P<high>{_VALUE}))(?P<unit>{_UNIT})?"
)
"""A value, a ratio or a range of numbers of three digits at most, with or without a unit in small letters."""
_LIKELY = 0.8
_NUMBER_CUE = re.compile(
    rf"(?i)(?:(?<!\w)(?:{alternatives(words_of_all_languages('kept', 'number_cues', 'sfumato.replacers'))})\.?"
    r"|[#№]|n\.?[°º])(?:\s(?:is|was|ist|war|es|est|è|é))?[\s:]{0,3}\Z"
)
_COORDINATE_CUE = re.compile(r"(?i)\b(?:lat|lng|lon|latitude|longitude|gps|coordinates?|coords)\b[^\w+-]{0,3}[-+]?\Z")
_DAY_AND_MONTH = re.compile(r"(?P<first>\d{1,2})[./-](?P<second>\d{1,2})\.?")


class Keep:
    """Leave spans as they are where they read as what their label says; else put a numbered label."""

    uses = ("ledger",)

    def __init__(self, *, ledger: Ledger) -> None:
        self._ledger = ledger

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        kept = KeptText(document.text)
        return [
            Edit(
                span,
                numbered_label(self._ledger, document, span),
                (detection_reason(span), "does not read as its label"),
            )
            for span in spans
            if span.label in CHECKED_LABELS and not kept.may_stay(span)
        ]


class KeptText:
    """Judges the spans of one text."""

    def __init__(self, text: str) -> None:
        self.text = self._text = text
        self._everyday = everyday_words(text)

    def may_stay(self, span: Span) -> bool:
        """Whether the span reads as its label says, so that it names nobody and is no secret."""
        text = self._text[span.start : span.end]
        if span.identifier == "direct" or self.is_in_secret(span) or self._is_coordinate(span):
            return False
        if any(len(run) > _MOST_DIGITS.get(span.label, 3) for run in _DIGITS.findall(_COMPACT_DATE.sub("", text))):
            return False
        if span.label == "DATETIME" and not _is_date(text):
            return False
        if span.label == "DEM" and (len(_DIGITS.findall(text)) > 1 or _follows_number_cue(self._text, span)):
            return False
        if span.label == "QUANTITY" and not re.search(r"\d", text) and not self._counts(text):
            return False
        return all(self._is_known(word, span) for word in _WORD.finditer(text))

    def is_clinical(self, span: Span) -> bool:
        """Whether a guessed span is a measure, or in a passage that names nobody: a drug, a score, a diagnosis code."""
        if not is_guess(span) or self._is_coordinate(span):
            return False
        return _is_measure(self._text, span) or not drop_never_personal(self._text, [span])

    def is_everyday(self, word: str) -> bool:
        """Whether a word, as written, is an everyday word and no name of a person or a place."""
        key = lookup_key(word)
        if word in name_lists.demonyms() or word in name_lists.groups() or key in name_lists.occupations():
            return True
        if not self._everyday.includes(word):
            return False
        is_common = key in name_lists.common_words() or self._everyday.is_function_word(word)
        if word[0].isupper():
            return key not in name_lists.given_names() and (is_common or not may_name(word, "LOC"))
        return is_common or not may_name(word, "LOC") or not may_name(word)

    def _is_known(self, match: re.Match[str], span: Span) -> bool:
        word = match.group()
        if lookup_key(word) in _words_of(span.label):
            return True
        if span.label in ("DATETIME", "MISC") and word[0].isupper():
            return self._everyday.is_function_word(word)  # a date has no capitals but those of its calendar
        return self.is_everyday(word)

    def is_in_secret(self, span: Span) -> bool:
        """Whether the word around it mixes letters, digits and signs, as passwords do."""
        before = self._text[max(0, span.start - _MOST_TOKEN) : span.start]
        after = self._text[span.end : span.end + _MOST_TOKEN]
        start = span.start - len(re.split(r"\s", before)[-1])
        token = self._text[start : span.end + len(re.split(r"\s", after)[0])]
        return _SECRET.match(token.strip(".,;:()[]\"'")) is not None

    def _is_coordinate(self, span: Span) -> bool:
        return _COORDINATE_CUE.search(self._text, max(0, span.start - 24), span.start) is not None

    def _counts(self, text: str) -> bool:
        return any(lookup_key(word) in _number_words() for word in re.split(r"[\s-]+", text))


@cache
def _words_of(label: str) -> Collection[str]:
    """Words, casefolded, that a span of the label may hold whatever else they are."""
    if label == "DATETIME":
        seasons = {season.casefold() for seasons in SEASONS.values() for season in seasons}
        holidays = {word.casefold() for name in HOLIDAYS for word in _WORD.findall(name)}
        units = set(words_of_all_languages("calendar", "units")) | {"am", "pm", "z", "t", "h", "utc", "gmt"}
        return MONTH_WORDS.keys() | WEEKDAY_WORDS.keys() | seasons | holidays | units
    if label == "QUANTITY":
        return _units() | _number_words()
    return _number_words() | {
        "yo",
        "m",
        "f",
        "yrs",
        "jährig",
        "jährige",
        "jähriger",
        "ans",
        "años",
        "anni",
        "anos",
        "jaar",
    }


@cache
def _units() -> frozenset[str]:
    measures = load_toml("measures")
    short = {
        *measures,
        *words_of_all_languages("detection", "measures.units"),
        *words_of_all_languages("detection", "money.codes"),
    }
    names = {
        form for entry in measures.values() for form in (entry["singular"], entry["en"], entry["es"], *entry["forms"])
    }
    return frozenset(word.casefold() for unit in (*short, *names) for word in _WORD.findall(unit))


@cache
def _number_words() -> frozenset[str]:
    numbers = words_of_all_languages("age_forms", "numbers")
    return frozenset(lookup_key(word) for number in numbers for word in number.split("-"))


def _is_date(text: str) -> bool:
    """Whether all numbers in it are those of dates, times and durations; no address of the internet or coordinate."""
    rest, offset = "", 0
    for _, match in find_dates(text):
        rest += text[offset : match.start()] + " "
        offset = match.end()
    rest = without_times(rest + text[offset:])
    return _AT_MOST_A_DAY.fullmatch(rest) is not None and not re.search(r"\d[./] ", rest)


_AT_MOST_A_DAY = re.compile(r"\D*(?:\d{1,2}(?:[./–-]\d{1,2}\.?)?|\d{4}h?)?\D*")


def _is_measure(text: str, span: Span) -> bool:
    """Whether it is a short number, a ratio or a range, which identifies nobody; not where it may be a date."""
    surface = text[span.start : span.end].strip()
    measure = _MEASURE.fullmatch(surface)
    if measure is None or _follows_number_cue(text, span):
        return False
    if (measure["high"] and _number(measure["high"]) < _number(measure["low"])) or re.match(r"0\d", surface):
        return False  # no range: 11-5 is a day, 000-662 a code
    if span.label == "LOC" and not (measure["ratio"] or measure["unit"] or re.fullmatch(r"\d+[.,]\d{1,2}", surface)):
        return False  # a number in an address
    for form, match in find_dates(surface):
        year = likely_year(match["year"]) if form == "numeric" else 0
        if form != "numeric" or possible_days(int(match["first"]), int(match["second"]), year, None):
            return False
    if span.label != "DATETIME":
        # "8 (495) 555-01-23": a part of a number, if the detector is sure.
        return not (span.label == "CODE" and surface.isdecimal() and span.score >= _LIKELY)
    # "le 19", "14-16 Kirkgate Lane": days or house numbers, if the detector is sure that it is something.
    may_be_day = not re.search(r"[a-z%°]", surface) and all(int(number) <= 31 for number in _DIGITS.findall(surface))
    if may_be_day and not measure["ratio"] and span.score >= _LIKELY and not re.search(r"\d[.,]\d", surface):
        return False
    date = _DAY_AND_MONTH.fullmatch(surface)
    days = sorted((int(date["first"]), int(date["second"]))) if date else [0, 0]
    return not (0 < days[0] <= 12 and days[1] <= 31)


def _follows_number_cue(text: str, span: Span) -> bool:
    """Whether the number of a house, a room, a telephone or a file stands there: no. 27, rm 217, ending 88."""
    return _NUMBER_CUE.search(text, max(0, span.start - 24), span.start) is not None


def _number(written: str) -> float:
    return float(written.replace(",", "."))
