"""Bounds of an amount or a length of time (*over*, *about*, *less than*), and the wording of a band around it.

The words are in ``data/*/bounds.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, Literal, TypeVar, cast

from sfumato.generalize.clauses import is_denied
from sfumato.lexicon.tables import languages_with, load_toml, words_of_all_languages
from sfumato.lexicon.tokens import lazy_pattern

Bound = Literal["exact", "about", "above", "below", "nearly", "unclear"]
Amount = TypeVar("Amount", float, Fraction)
Step = TypeVar("Step")

_PACKAGE = "sfumato.generalize"
_KINDS = ("above", "below", "nearly", "about")


_all_words = partial(words_of_all_languages, "bounds", package=_PACKAGE)


def _bound_pattern(language: str, before: str, after: str) -> re.Pattern[str]:
    lists = load_toml("bounds", language, _PACKAGE)
    kinds = (f"(?P<{kind}>{before}(?:{'|'.join(lists[kind])}){after})" for kind in _KINDS)
    return lazy_pattern("|".join(kinds), re.IGNORECASE)


BOUND_LANGUAGES = languages_with("bounds", _PACKAGE)
_AT_START = {language: _bound_pattern(language, "", r"(?!\w)") for language in BOUND_LANGUAGES}
_AT_END = {language: _bound_pattern(language, r"(?<!\w)", r"\s*$") for language in BOUND_LANGUAGES}
_LAST_WORD = lazy_pattern(r"([^\W\d_]+)\s*$")
_CONTEXT = 30
"""Characters before an amount in which a bound is looked for."""
_PREPOSITIONS = frozenset(_all_words("prepositions"))
_BEFORE_BOUNDS = lazy_pattern(rf"(?:[:(]|\b(?:{'|'.join(_all_words('before_bounds'))}))\s*$", re.IGNORECASE)
_NOT = lazy_pattern(r"\b(?:not|no|never|without|cannot)(?: to)?\s*$", re.IGNORECASE)
_TRAILING = lazy_pattern(
    r"\s+(?:or|and|o|y)\s+(?:over|more|above|older|upwards?|longer|under|less|fewer|below|younger|shorter|más|menos)\b",
    re.IGNORECASE,
)
_SECOND_END = lazy_pattern(
    r"\b(?:between|from|entre|desde)\s(?:\S+\s+){1,4}(?:and|to|y|a|hasta)\s*$|\d\s*(?:%\s*)?(?:to|-|–|a|or|x|×)\s*$|"
    r"(?:second|minute|hour|day|week|month|year)s?['’]?\s+to\s*$|"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|teen|twelve|eleven|ty|hundred|thousand)\s+(?:to|or)\s*$",
    re.IGNORECASE,
)
_RANGE_OPENERS = frozenset(_all_words("range_openers"))
_NOT_BEFORE_BETWEEN = frozenset(_all_words("not_before_between"))


def apply_bound(low: Amount, high: Amount, bound: Bound, about: tuple[Amount, Amount]) -> tuple[Amount, Amount | None]:
    """From and to where an amount with a bound reaches; ``about`` are the factors that "about" stands for."""
    match bound:
        case "above":
            return low, None
        case "below":
            return 0 * low, high
        case "nearly":
            return low * about[0], high
        case "about":
            return low * about[0], high * about[1]
    return low, high


def leading_bound(phrase: str, language: str) -> tuple[Bound, int]:
    """The bound that a quantity begins with, and where its words end."""
    match = _AT_START[language].match(phrase)
    if not match or not match.lastgroup:
        return "exact", 0
    rest = phrase[match.end() :]
    return cast("Bound", match.lastgroup), match.end() + len(rest) - len(rest.lstrip())


def preceding_bound(text: str, start: int, language: str) -> Bound:
    """The bound that stands just before a quantity; "unclear" where the word may as well be a preposition."""
    before = text[max(0, start - _CONTEXT) : start]
    match = _AT_END[language].search(before)
    if not match or not match.lastgroup:
        return "exact"
    is_one_sided = match.lastgroup in ("above", "below")
    if _NOT.search(before[: match.start()]) or (is_one_sided and is_denied(text, start, language)):
        return "below" if "exceed" in match.group().lower() else "unclear"
    if match.group().strip().lower() in _PREPOSITIONS and not _BEFORE_BOUNDS.search(before[: match.start()]):
        return "unclear"
    return cast("Bound", match.lastgroup)


def has_trailing_bound(text: str, end: int) -> bool:
    """Whether a bound follows: 21 years *or over*."""
    return _TRAILING.match(text, end) is not None


def last_word_before(text: str, start: int) -> str:
    """The word right before, in small letters; empty where there is none."""
    match = _LAST_WORD.search(text[max(0, start - _CONTEXT) : start])
    return match[1].lower() if match else ""


def is_end_of_range(text: str, start: int) -> bool:
    """Whether it is one end of a range (*between 5 and 10*), where no band can stand."""
    before = text[max(0, start - _CONTEXT) : start]
    return last_word_before(text, start) in _RANGE_OPENERS or _SECOND_END.search(before) is not None


def cuts_word_or_number(text: str, start: int, end: int) -> bool:
    """Whether the span ends or begins inside a word or a number."""
    surface = text[start:end]
    if not surface.strip():
        return True
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if surface[0].isalnum() and before:
        by_mark = (before[-1] in "-−–.,/'’" and before[:-1].isalnum()) or (before[-1] == ":" and before[:-1].isdigit())
        by_sign = before[-1] in "-−+" or (before[-1] in ".,/" and surface[0].isdigit())
        if before[-1].isalnum() or by_mark or by_sign:
            return True
    if surface[-1].isalnum() and after:
        by_mark = surface[-1].isdigit() and after[0] in ".,/-–—:" and after[1:].isdigit()
        return after[0].isalnum() or by_mark or (surface[-1].isdigit() and after[0] in "+/")
    return False


Ends = tuple[Any, Any]
"""From and to where a stretch of numbers or of time reaches."""


def holds(wide: Ends, narrow: Ends) -> bool:
    """Whether all of a stretch lies in another, which reaches further."""
    return bool(wide[0] <= narrow[0] and narrow[1] <= wide[1] and wide != narrow)


def nested(steps: Iterable[Step], ends: Callable[[Step], Ends]) -> Iterator[Step]:
    """Those steps of which each holds all of the one before, and more."""
    last: Ends | None = None
    for step in steps:
        if last is None or holds(ends(step), last):
            yield step
            last = ends(step)


def format_band(low: str, high: str, before: str, language: str) -> str:
    """*between five and ten*, or *five to ten* where the word ``before`` leaves no room for "between"."""
    key = "band_without_between" if before in _NOT_BEFORE_BETWEEN else "band"
    return str(load_toml("bounds", language, _PACKAGE)[key].format(low=low, high=high))
