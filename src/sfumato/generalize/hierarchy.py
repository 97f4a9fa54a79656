"""What a hierarchy is made of: a mention to generalize, and levels that are true of it.

A hierarchy is a module with two functions:

- ``levels(mention) -> list[Level]``: what is true of the mention, most specific first, members growing; empty where it
  cannot read **all** of the mention with confidence. It never guesses: a wrong level is worse than none.
- ``candidate_originals(phrase, text, language) -> Iterator[str]``: what may have stood where ``phrase`` (a level, as it stands in
  the released ``text``) now stands, commonest and best fitting first; empty where it does not know the phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from itertools import islice, zip_longest
from typing import Literal, Protocol, cast

Article = Literal["a", "the", ""]
MOST = 50
"""So many originals are listed: nobody guesses more often."""


@dataclass(frozen=True, slots=True)
class Mention:
    """``text[start:end]``, and the document around it."""

    text: str
    start: int
    end: int
    label: str
    language: str = "en"

    @property
    def surface(self) -> str:
        return self.text[self.start : self.end]

    @property
    def is_cut(self) -> bool:
        """Whether it is nothing, or begins or ends inside a word."""
        text, start, end = self.text, self.start, self.end
        if not 0 <= start < end <= len(text):
            return True
        return any(text[at - 1].isalnum() and text[at].isalnum() for at in (start, end) if 0 < at < len(text))

    @property
    def before(self) -> str:
        return self.text[: self.start]

    @property
    def after(self) -> str:
        return self.text[self.end :]


@dataclass(frozen=True, slots=True)
class Level:
    """Something less specific that is true of a mention.

    ``text`` is a noun phrase without its article ("large city in northern Poland"), or, of an adjective, an adjective
    ("Northern European"). How it is put into a sentence is ``fit``'s business.
    """

    text: str
    members: float
    """About how many originals could stand here; it grows from level to level."""
    article: Article = "a"
    """What the phrase needs where nothing determines it: "a" large city, "the" summer of 2003, "" August 2003."""
    plural: bool = False
    modifier: str | None = None
    """How it stands before a noun: "Polish" court for "court in a large city in Poland". None: it cannot."""
    preposition: str | None = None
    """The preposition that a time wants: "in" August 2003, "on" a weekday. None: any will do."""
    source: str = ""
    """Which table or rule says so; the audit shows it."""


class Hierarchy(Protocol):
    """A module that fits the two functions."""

    def levels(self, mention: Mention) -> list[Level]: ...

    def candidate_originals(self, phrase: str, text: str, language: str) -> Iterator[str]: ...


# -- From a mention to what is true of it, by whichever hierarchy can read it; and back, as an attacker would.


_HIERARCHIES: dict[str, tuple[str, ...]] = {
    "DATETIME": ("dates", "durations", "quantities"),
    "LOC": ("places", "organisations", "things"),
    "ORG": ("organisations", "places", "things"),
    "DEM": ("demographics", "durations", "quantities", "dates", "places", "things"),
    "QUANTITY": ("quantities", "durations", "dates", "things"),
    "MISC": ("things", "organisations", "demographics", "durations", "quantities", "dates", "places"),
}
"""Which hierarchies may read a label's mentions, in this order. Annotators and taggers differ on labels, texts do not."""
_UNDER_LABEL: dict[str, tuple[str, ...]] = {
    "LOC": ("country", "city"),
    "ORG": ("state authority", "court", "company", "government authority", "police force"),
    "DEM": ("European", "professional"),
    "QUANTITY": ("several",),
}
"""Where one begins to guess from a bare label: the widest phrases under it."""
_LABEL = re.compile(rf"\W*({'|'.join(_UNDER_LABEL)})(?:_\d+)?\W*")
NUMBERED = frozenset({"PERSON", "CODE"})
"""Labels that have no hierarchy: each one of them is somebody or something by itself."""


def generalize(mention: Mention) -> tuple[Level, ...]:
    """What is true of the mention, most specific first; empty where no hierarchy can read it."""
    for hierarchy in _hierarchies(mention.label):
        levels = hierarchy.levels(mention)
        if levels:
            return tuple(levels)
    return ()


def candidate_originals(phrase: str, text: str, label: str, language: str = "en") -> Iterator[str]:
    """What may have stood where the phrase stands, likeliest first: by the hierarchy that knows the phrase."""
    bare = _LABEL.fullmatch(phrase)
    if bare:
        offers = [_of_first(said, text, label, language) for said in _UNDER_LABEL[bare[1]]]
        yield from dict.fromkeys(answer for row in zip_longest(*offers) for answer in row if answer is not None)
    else:
        yield from dict.fromkeys(_of_first(phrase, text, label, language))


def _of_first(phrase: str, text: str, label: str, language: str) -> Iterator[str]:
    for hierarchy in _hierarchies(label):
        found = islice(hierarchy.candidate_originals(phrase, text, language), MOST)
        first = next(found, None)
        if first is not None:
            yield first
            yield from found
            return


def _hierarchies(label: str) -> Iterator[Hierarchy]:
    if label not in NUMBERED:
        yield from map(_hierarchy, _HIERARCHIES.get(label, _HIERARCHIES["MISC"]))


@cache
def _hierarchy(name: str) -> Hierarchy:
    # Imported when first needed: each brings its tables.
    module: object = import_module(f"sfumato.generalize.{name}")
    return module  # type: ignore[return-value]


# -- The role that a text itself gives a person: *the applicant*, of "Ms Ida Brandt (“the applicant”)".


_STATED = re.compile(
    r"\s*[,(]?\s*\(?\s*(?:hereinafter|hereafter)?,?\s*[“\"‘'«„](?P<role>the [a-z]+(?: [a-z]+)?)[”\"’'»“]\s*\)"
)


def stated_role(text: str, end: int) -> str | None:
    """What the text calls the person whose name ends here, where it says so right there and of nobody else."""
    match = _STATED.match(text, end)
    if match is None:
        return None
    role = match["role"].removeprefix("the ")
    return role if _stated(text).count(role) == 1 and not _is_plural(role) else None


@lru_cache(maxsize=8)
def _stated(text: str) -> tuple[str, ...]:
    return tuple(match["role"].removeprefix("the ") for match in _STATED.finditer(text))


def _is_plural(role: str) -> bool:
    return role.endswith("s") and not role.endswith("ss")


# -- How an amount or a length of time is bounded: *over*, *about*, *less than*, in it or just before it.
#
# And how a band around it is worded.


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
