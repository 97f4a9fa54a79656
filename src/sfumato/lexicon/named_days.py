"""Days and times that are known by a name: *Christmas Day*, *Karfreitag*, *le jour de Noël*, *the summer of 2021*.

Whoever knows when such a day is knows by how much the dates beside it were shifted. The words are in
``data/*/calendar.toml`` and ``holidays.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.lexicon.grammar_en import word_classes
from sfumato.lexicon.tables import words_of_all_languages
from sfumato.lexicon.time import HOLIDAYS
from sfumato.lexicon.tokens import lazy_pattern

_DAYS = sorted((*words_of_all_languages("calendar", "named_days"), *map(re.escape, HOLIDAYS)), key=len, reverse=True)
_SEASONS = "|".join(words_of_all_languages("calendar", "season_names"))
_NAMED_DAY = lazy_pattern(rf"(?<![\w-])(?:{'|'.join(_DAYS)})(?![\w-])", re.IGNORECASE)
_SEASON = lazy_pattern(rf"(?<!\w)(?:{_SEASONS})(?!\w)", re.IGNORECASE)
_SEASON_OF_YEAR = lazy_pattern(
    rf"(?<!\w)(?:{_SEASONS})(?=,?\s(?:\w{{1,5}}\s){{0,2}}['’]?(?:\d{{4}}|\d\d)(?![\d:.,]\d|\w))", re.IGNORECASE
)
_COMPOUND = lazy_pattern(r"\s(?P<noun>[^\W\d_]{3,})")


def find_named_days(text: str) -> Iterator[tuple[int, int]]:
    """Where a text names a feast or a public day, or the season of a year; the year is no part of it.

    Not where somebody is called so, nor what is made for such a day: "Mrs Easter", "Jean-Noël", "an Easter egg".
    """
    ranges = [match.span() for match in _NAMED_DAY.finditer(text) if _is_day(text, match)]
    ranges += [match.span() for match in _SEASON_OF_YEAR.finditer(text)]
    end = 0
    for start, stop in sorted(ranges):
        if start >= end:
            yield start, stop
            end = stop


def names_a_day(text: str) -> bool:
    """Whether a time says a feast, a public day or a season."""
    return _NAMED_DAY.search(text) is not None or _SEASON.search(text) is not None


def _is_day(text: str, match: re.Match[str]) -> bool:
    title = text[max(0, match.start() - 5) : match.start()]
    if re.search(r"(?:Mrs?|Ms|Dr|Sra?|Mme|M|Frau|Herr)\.? \Z", title):
        return False
    following = _COMPOUND.match(text, match.end())
    if following is None or not following["noun"].islower() or " " in match.group():
        return True
    noun, classes = following["noun"], word_classes()
    return "noun" not in (classes.get(noun), classes.get(noun.removesuffix("s")))
