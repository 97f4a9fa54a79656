"""The numbers and addresses of a text that belong to someone, by the tag they fall under."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sfumato.document import Span
from sfumato.knowledge.geography import countries

_KINDS = {
    "rules:email": "EMAIL_ADDRESS",
    "rules:phone": "PHONE_NUMBER",
    "rules:licence": "DRIVER_LICENSE_NUMBER",
    "rules:passport": "PASSPORT_NUMBER",
}
_LICENCE = re.compile(r"licen[cs]e|\bDL\b|driv", re.IGNORECASE)
_PASSPORT = re.compile(r"passport", re.IGNORECASE)
_PHONE = re.compile(r"phone|mobile|call|tel\b|contact|dial|whatsapp|cell", re.IGNORECASE)
_IDENTITY = re.compile(r"\bID\b|identi|national|ssn|social security|aadhaar|tax number|insurance", re.IGNORECASE)
_PREFIXED = re.compile(r"\b([A-Z]{2})-(DL|ID|PP)-[\dA-Z-]{4,}")
_SSN = re.compile(r"\b\d{3}-\d{2}-\d{4}\b")
_LONG_PHONE = re.compile(r"(?<![\w-])\+?[\d(][\d ().-]{6,18}\d(?: ?x\d{1,6})?(?!\w)")
_DIGITS = re.compile(r"\d")
_BEFORE, _FAR = 45, 60
_MINE = re.compile(r"\b(?:my|our|me|I)\b|\b(?:contact|phone|email|e-mail|mobile|tel)[^\w\n]{0,3}:", re.IGNORECASE)
_FREE = frozenset(
    "gmail outlook hotmail yahoo aol protonmail proton icloud live gmx web mail msn ymail zoho googlemail me".split()
)
STATES = {"CA": "California", "IN": "Indiana"}
"""Codes of countries that are codes of states of the USA as well, where both are common."""


class Code(NamedTuple):
    """A number or address, its tag, and whether the one who writes calls it theirs."""

    tag: str
    value: str
    start: int
    end: int
    is_mine: bool

    @property
    def country(self) -> str | None:
        """The country that the code itself tells."""
        if self.tag == "EMAIL_ADDRESS":
            return countries.of_domain(self.value)
        if self.tag == "PHONE_NUMBER":
            return countries.of_phone(self.value)
        told = _PREFIXED.fullmatch(self.value)
        return countries.of_code(told[1]) if told else None

    @property
    def employer(self) -> str | None:
        """The organisation behind a mail address that is no free mail's."""
        if self.tag != "EMAIL_ADDRESS":
            return None
        name = self.value.partition("@")[2].partition(".")[0]
        return None if name.casefold() in _FREE else name.capitalize()


def codes_in(text: str, found: Sequence[Span]) -> list[Code]:
    """All codes of a text, in order, each once."""
    ranges: dict[tuple[int, int], str] = {}
    for match in _PREFIXED.finditer(text):
        told = {"DL": "DRIVER_LICENSE_NUMBER", "ID": "IDENTIFICATION_NUMBER", "PP": "PASSPORT_NUMBER"}[match[2]]
        _claim(ranges, *match.span(), told)
    for match in _SSN.finditer(text):
        _claim(ranges, *match.span(), "IDENTIFICATION_NUMBER")
    dates = [(span.start, span.end) for span in found if span.label == "DATETIME"]
    for span in sorted(found, key=lambda span: (span.source != "rules:email", span.start - span.end)):
        kind = _KINDS.get(span.source)
        if span.label == "CODE" and not any(start < span.end and span.start < end for start, end in dates):
            said = text[span.start : span.end]
            if kind == "EMAIL_ADDRESS" or (len(_DIGITS.findall(said)) >= 5 and "@" not in said):
                kind = _by_context(text, span) or kind
                if kind:
                    _claim(ranges, *_trimmed(text, span.start, span.end), kind)
    return [
        Code(kind, text[start:end], start, end, bool(_MINE.search(text[max(0, start - _BEFORE) : start])))
        for (start, end), kind in sorted(ranges.items())
    ]


def _by_context(text: str, span: Span) -> str | None:
    if "@" in text[span.start : span.end]:
        return "EMAIL_ADDRESS"
    before = text[max(0, span.start - _FAR) : span.start]
    near = [
        (match.start(), kind)
        for kind, pattern in (
            ("DRIVER_LICENSE_NUMBER", _LICENCE),
            ("PASSPORT_NUMBER", _PASSPORT),
            ("PHONE_NUMBER", _PHONE),
            ("IDENTIFICATION_NUMBER", _IDENTITY),
        )
        for match in pattern.finditer(before)
    ]
    if near and not (span.source == "rules:phone" and text[span.start] == "+"):
        return max(near)[1]
    return "PHONE_NUMBER" if _LONG_PHONE.fullmatch(text[span.start : span.end]) else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without a bracket that opens and never closes; with the plus sign that a number lost."""
    if text[start] == "(" and ")" not in text[start:end]:
        start += 1
    if start and text[start - 1] == "+":
        start -= 1
    return start, end


def _claim(ranges: dict[tuple[int, int], str], start: int, end: int, kind: str) -> None:
    if not any(start < other and begin < end for begin, other in ranges):
        ranges[start, end] = kind
