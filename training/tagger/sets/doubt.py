"""Stretches a set did not annotate but might have: nothing is learned from them, for or against."""

from __future__ import annotations

import re
from collections.abc import Iterator

from training.tagger.records import Mark

_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tonight|tomorrow|yesterday"
AGE = re.compile(r"\b\d{1,3}(?:\s*|-)(?:years?|yrs?|months?|weeks?|days?)(?:\s*|-)old\b|\b\d{1,3}\s*(?:yo|y/o)\b", re.I)
CONTACT = re.compile(r"https?://\S+|www\.\S+|\S+@\S+\.\w+|@\w+")
NUMERIC = re.compile(rf"\S*\d\S*|\b(?:{_MONTH}|{_DAY})\b", re.I)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def doubtful(text: str, *patterns: re.Pattern[str]) -> Iterator[Mark]:
    """Unknown marks wherever one of the patterns matches."""
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield Mark(match.start(), match.end(), None)
