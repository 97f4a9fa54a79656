"""The replacer ``safe-harbor``: the 18 kinds of identifiers of 45 CFR 164.514(b)(2), the HIPAA Safe Harbor method.

Names, places smaller than a state, dates but for their year, ages over 89 and all numbers that identify go. Country,
state, the first three digits of a ZIP code (where more than 20,000 people live there), years and ages up to 89 stay.
docs/hipaa.md says for each kind what is done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from sfumato.document import Document, Edit, Span
from sfumato.generalize.old_age import old_age_in
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.tables import word_set, words
from sfumato.lexicon.time import find_dates, full_year
from sfumato.replacers.base import detection_reason, language_of, numbered_label
from sfumato.replacers.date_shift import has_unread_date
from sfumato.replacers.kept import KeptText
from sfumato.replacers.surrogate import country_names
from sfumato.vault.ledger import Ledger

_PACKAGE = "sfumato.replacers"
_RESTRICTED = word_set("safe_harbor", "restricted_zips", package=_PACKAGE)
_STATES = frozenset(map(lookup_key, words("safe_harbor", "states", package=_PACKAGE)))
_ABBREVIATIONS = word_set("detection", "addresses.us_states")
_STATE_AND_ZIP = re.compile(r"(?:(?P<state>[A-Z][\w.]*(?: [A-Z]\w+)?),?\s+)?(?P<zip>\d{5})(?:-\d{4})?\s*\Z")
_ZIP_CUE = re.compile(r"(?:\b(?i:zip(?: ?codes?)?)(?: is)?\W{1,3}|\b[A-Z]{2},? )\Z")


class SafeHarbor:
    """Remove the 18 kinds of identifiers of the HIPAA Safe Harbor method; years, states and three-digit ZIPs stay."""

    uses = ("ledger",)

    def __init__(self, *, ledger: Ledger) -> None:
        self._ledger = ledger

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        kept = KeptText(document.text)
        language = language_of(document)
        edits = []
        for span in spans:
            replacement = self._replacement(document, span, kept, language)
            if replacement is not None:
                edits.append(Edit(span, replacement, (detection_reason(span), type(self).__name__)))
        return edits

    def _replacement(self, document: Document, span: Span, kept: KeptText, language: str) -> str | None:
        text = document.text[span.start : span.end]
        label = partial(numbered_label, self._ledger, document, span)
        if kept.is_in_secret(span):
            return label()
        if span.label in ("DEM", "DATETIME", "QUANTITY"):
            old_age = old_age_in(document.text, span.start, span.end, language)
            if old_age is not None:
                return old_age.replacement(document.text, language)
        if kept.is_clinical(span):
            return None
        match span.label:
            case "LOC":
                return _place(document.text, span, label)
            case "DATETIME":
                stays = not _has_date(text) and not has_unread_date(text) and kept.may_stay(span)
                return None if stays else _years(text, label)
            case "DEM" | "QUANTITY" | "MISC":
                return None if kept.may_stay(span) else label()
        return label()


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
    is_zip = state is not None or _ZIP_CUE.search(text, max(0, span.start - 12), span.start) is not None
    if not is_zip:
        return label()
    area = "000" if address["zip"][:3] in _RESTRICTED else address["zip"][:3]
    rest = place[: address.start("state") if state else address.start("zip")].strip(" ,\n")
    region = f"{state} {area}" if state else area
    return f"{label()}, {region}" if rest else region


def _is_large(place: str) -> bool:
    """Whether it is a state of the United States, or a country."""
    key = lookup_key(place)
    return place in _ABBREVIATIONS or key in _STATES or key in country_names()


def _has_date(text: str) -> bool:
    """Whether a text has a date or a part of one, besides times and durations."""
    return any(True for _ in find_dates(text))


def _years(text: str, label: Callable[[], str]) -> str | None:
    """The years of the dates in a span, and nothing else of them; the label where a year is not certain."""
    dates = list(find_dates(text))
    if not dates:
        return label()
    if all(form == "year" for form, _ in dates) and not re.search(r"\d", re.sub(r"\d{4}", "", text)):
        return None  # years are all there is
    years = [match.groupdict().get("year") for form, match in dates if form not in ("weekday", "month")]
    full = [full_year(year) for year in years if year]
    if not full or None in full:
        return label()
    unique = list(dict.fromkeys(str(year) for year in full))
    return unique[0] if len(unique) == 1 else " – ".join((unique[0], unique[-1]))
