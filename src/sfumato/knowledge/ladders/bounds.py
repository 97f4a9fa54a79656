"""How an amount or a length of time is bounded: *over*, *about*, *less than*, in it or just before it.

And how a band around it is worded.
"""

from __future__ import annotations

import re
from typing import Literal, cast

Bound = Literal["exact", "about", "above", "below", "nearly", "unclear"]

_BOUNDS: dict[str, dict[Bound, str]] = {
    "en": {
        "above": "more than|over|at least|no less than|not less than|no fewer than|in excess of|upwards of|exceeding|"
        "exceeded|exceed|exceeds|above|a minimum of|older than|longer than|beyond|a good|well over|a little over|"
        "just over|slightly more than|slightly over|greater than|larger than|heavier than|>|≥|after more than",
        "below": "less than|fewer than|under|up to|at most|no more than|not more than|below|a maximum of|younger than|"
        "shorter than|smaller than|<|≤|as much as|not exceeding|maximum of|as many as",
        "nearly": "almost|nearly|close to|just under|nigh on|not quite|slightly less than|just below|approaching|"
        "a little under|slightly under",
        "about": "about|approximately|approx\\.?|around|roughly|some|circa|ca\\.?|c\\.|an estimated|estimated|"
        "more or less|in the region of|in the order of|~|≈|an average of|on average|averaging|average of",
    },
    "es": {
        "above": "más de|al menos|por lo menos|superior a|como mínimo|mayor de|mayor que|más de unos|>|≥",
        "below": "menos de|menor de|menor que|hasta|como máximo|a lo sumo|inferior a|no más de|<|≤",
        "nearly": "casi|cerca de|próximo a|a punto de cumplir",
        "about": "unos|unas|aproximadamente|aprox\\.?|alrededor de|en torno a|más o menos|sobre|~|≈|unos pocos",
    },
}


def _any(language: str, before: str, after: str) -> re.Pattern[str]:
    named = (f"(?P<{bound}>{before}(?:{words}){after})" for bound, words in _BOUNDS[language].items())
    return re.compile("|".join(named), re.IGNORECASE)


_AT_START = {language: _any(language, "", r"(?!\w)") for language in _BOUNDS}
_AT_END = {language: _any(language, r"(?<!\w)", r"\s*$") for language in _BOUNDS}
_LAST_WORD = re.compile(r"([^\W\d_]+)\s*$")
_BEFORE = 30
_NOT_BETWEEN = frozenset(
    "a an about approximately around roughly some within the another further additional last next past previous "
    "following first these those his her their its my our every each initial estimated only least most "
    "los las sus unos unas otros otras".split()
)
_PREPOSITIONS = frozenset("over under above below beyond sobre hasta".split())
_BOUNDING = re.compile(
    r"(?:[:(]|\b(?:for|of|after|lasted|spent|than|by|was|were|is|are|be|been|with|just|well|little|to|had|has|have|at|"
    r"received|paid|cost|worth|aged|totalling|slightly|far|de|con|por|tiene|tenía|fue))\s*$",
    re.IGNORECASE,
)
"""What stands before an "over" that means *more than*: else "over two years" may be *in the course of* two years."""
_NOT = re.compile(r"\b(?:not|no|never|without|cannot)(?: to)?\s*$", re.IGNORECASE)
_CLAUSE = 120
_DENIES = re.compile(
    r"\b(?:not|no|never|cannot|nor|neither|nobody|none|no one|without|nunca|sin)\b[^.;:!?\n]*\Z", re.IGNORECASE
)
_BOUND_BEHIND = re.compile(
    r"\s+(?:or|and|o|y)\s+(?:over|more|above|older|upwards?|longer|under|less|fewer|below|younger|shorter|más|menos)\b",
    re.IGNORECASE,
)
_SECOND_END = re.compile(
    r"\b(?:between|from|entre|desde)\s(?:\S+\s+){1,4}(?:and|to|y|a|hasta)\s*$|\d\s*(?:%\s*)?(?:to|-|–|a|or|x|×)\s*$|"
    r"(?:second|minute|hour|day|week|month|year)s?['’]?\s+to\s*$|"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|teen|twelve|eleven|ty|hundred|thousand)\s+(?:to|or)\s*$",
    re.IGNORECASE,
)
_ENDS = frozenset("between from entre desde".split())


def bound_in(said: str, language: str) -> tuple[Bound, int]:
    """The bound that a quantity begins with, and where its words end."""
    found = _AT_START[language].match(said)
    if not found or not found.lastgroup:
        return "exact", 0
    rest = said[found.end() :]
    return cast("Bound", found.lastgroup), found.end() + len(rest) - len(rest.lstrip())


def bound_before(text: str, start: int, language: str) -> Bound:
    """The bound that stands just before a quantity; "unclear" where the word may as well be a preposition."""
    before = text[max(0, start - _BEFORE) : start]
    found = _AT_END[language].search(before)
    if not found or not found.lastgroup:
        return "exact"
    if _NOT.search(before[: found.start()]):
        return "below" if "exceed" in found.group().lower() else "unclear"
    if cast("Bound", found.lastgroup) in ("above", "below") and is_denied(text, start):
        return "below" if "exceed" in found.group().lower() else "unclear"
    if found.group().strip().lower() in _PREPOSITIONS and not _BOUNDING.search(before[: found.start()]):
        return "unclear"
    return cast("Bound", found.lastgroup)


def is_denied(text: str, start: int) -> bool:
    """Whether the sentence says no before it: nobody may be held *for more than two days*."""
    return _DENIES.search(text[max(0, start - _CLAUSE) : start]) is not None


def goes_on(text: str, end: int) -> bool:
    """Whether a bound follows it: 21 years *or over*."""
    return _BOUND_BEHIND.match(text, end) is not None


def last_word(text: str, start: int) -> str:
    """The word right before, in small letters; empty where there is none."""
    found = _LAST_WORD.search(text[max(0, start - _BEFORE) : start])
    return found[1].lower() if found else ""


def is_end_of_range(text: str, start: int) -> bool:
    """Whether it is one end of a range (*between 5 and 10*), where no band can stand."""
    before = text[max(0, start - _BEFORE) : start]
    return last_word(text, start) in _ENDS or _SECOND_END.search(before) is not None


def is_cut(text: str, start: int, end: int) -> bool:
    """Whether the span ends or begins inside a word or a number."""
    said = text[start:end]
    if not said.strip():
        return True
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if said[0].isalnum() and before:
        by_mark = (before[-1] in "-−–.,/'’" and before[:-1].isalnum()) or (before[-1] == ":" and before[:-1].isdigit())
        by_sign = before[-1] in "-−+" or (before[-1] in ".,/" and said[0].isdigit())
        if before[-1].isalnum() or by_mark or by_sign:
            return True
    if said[-1].isalnum() and after:
        by_mark = said[-1].isdigit() and after[0] in ".,/-–—:" and after[1:].isdigit()
        return after[0].isalnum() or by_mark or (said[-1].isdigit() and after[0] in "+/")
    return False


def band(low: str, high: str, before: str, language: str) -> str:
    """*between five and ten*, or *five to ten* where the word before leaves no room for "between"."""
    if language == "es":
        return f"entre {low} y {high}" if before not in _NOT_BETWEEN else f"{low} a {high}"
    return f"{low} to {high}" if before in _NOT_BETWEEN else f"between {low} and {high}"
