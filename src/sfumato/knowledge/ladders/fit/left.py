"""What leads up to a mention in an English sentence: its article, the preposition of a time, the word before them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.knowledge.dates.calendar import MONTHS, WEEKDAYS
from sfumato.knowledge.grammar.function_words import CONJUNCTIONS, DETERMINERS, PREPOSITIONS
from sfumato.knowledge.ladders.base import Mention
from sfumato.knowledge.ladders.fit.context import Cut, begins_sentence, kind, word_before

TIME_PREPOSITIONS = frozenset({"on", "at", "in", "during"})
APPROXIMATE = frozenset({"about", "around", "approximately", "circa", "roughly"})
_DETERMINING = frozenset(
    "a an the this these those my your his her its our their whose each every some any no another several many few one "
    "two three four five six seven eight nine ten twenty hundred thousand first second third".split()
)
_DETERMINING_TIMES = frozenset("that last next following previous same".split())
_NOT_COMPOUND = frozenset("left open due near like worth born effective early late mid".split())
_MONTHS_AND_DAYS = frozenset((*MONTHS["en"], *WEEKDAYS["en"]))
_NUMBERED = re.compile(r"\b(?:the|an?|his|her|its|their)\s+(?:\d+|(?:[A-Z]\.)+)\s+\Z|\s['’]s\s+\Z", re.IGNORECASE)
"""A number or initials between an article and the mention: "the 2012 [Summer Olympics]", "the U.S. [Senate]"."""


@dataclass(frozen=True, slots=True)
class Lead:
    """An article or a preposition that stands before what is said."""

    word: str = ""
    at: int = 0
    locked: bool = False
    """Whether it may not be replaced: it lies beyond the room, a line break or a sign."""

    @property
    def low(self) -> str:
        return self.word.lower()


@dataclass(frozen=True, slots=True)
class Left:
    """What stands before what is said."""

    preposition: Lead
    article: Lead
    before: str
    """The word before the article, or where there is none before what is said: "his", "former", "Mr", "dated"."""
    determined: bool
    """Whether the word before leaves no place for an article."""
    core: int
    """Where what is said begins, behind its own article and preposition."""


def left_of(mention: Mention, edges: Cut, room: tuple[int, int]) -> Left:
    """The words that lead up to what the mention says, inside the mention or before it."""
    text, core = mention.text, edges.start
    preposition, article = Lead(), Lead()
    own = re.match(r"(on|in|at|during)\s+(?=\S)", text[core : edges.end], re.IGNORECASE)
    if own is not None and mention.label == "DATETIME":
        preposition, core = Lead(own.group(1), core), core + own.end()
    own = re.match(r"(the|an?)\s+(?=\S)", text[core : edges.end], re.IGNORECASE)
    if own is not None:
        article, core = Lead(own.group(1), core), core + own.end()
    # "the “[Zaman]”": what stands before a quotation mark counts, and stays.
    at = edges.start
    while at and text[at - 1] in '"“‘«„':
        at -= 1
    before, begin = word_before(text, at)
    if not article.word and not preposition.word and before.lower() in ("a", "an", "the"):
        article = Lead(before, begin, _locked(mention, edges, room, begin))
        at = begin
        before, begin = word_before(text, at)
    determined = not article.word and (
        _determines(text, before, begin, mention) or _NUMBERED.search(text, max(0, at - 30), at) is not None
    )
    if not preposition.word and before.lower() in TIME_PREPOSITIONS | APPROXIMATE:
        preposition = Lead(before, begin, _locked(mention, edges, room, begin))
        outer, outer_at = word_before(text, begin)
        if before.lower() in APPROXIMATE and outer.lower() == "at" and outer_at >= room[0]:
            preposition = Lead(f"{outer} {before}", outer_at, _locked(mention, edges, room, outer_at))
    return Left(preposition, article, before, determined, core)


def _locked(mention: Mention, edges: Cut, room: tuple[int, int], begin: int) -> bool:
    between = mention.text[begin : edges.start]
    return edges.start > mention.start or begin < room[0] or re.fullmatch(r"[^\n\r\"“‘«„]*", between) is None


def _determines(text: str, word: str, at: int, mention: Mention) -> bool:
    low = word.lower()
    if not word or low in PREPOSITIONS:
        return False
    if low in _DETERMINING or low.endswith(("'s", "’s", "s'", "s’")):
        return True
    what = kind(word)
    if mention.label == "DATETIME" and (what != "adjective" or low in _DETERMINING_TIMES):
        return low in _DETERMINING_TIMES
    if what == "adjective" and low not in _NOT_COMPOUND:
        # "the old", "in old", "old" at the start describe what follows; "he was ill" does not.
        outer = word_before(text, at)[0].lower()
        links = (
            outer.endswith(("'s", "’s"))
            or outer in DETERMINERS
            or outer in PREPOSITIONS
            or outer in CONJUNCTIONS
            or kind(outer or "x") == "adjective"
        )
        return links or (not outer and begins_sentence(text, at))
    # "the Turin [District Court]", "the reindeer [husbandry]": part of one name or compound.
    compound = what == "noun" and word not in _MONTHS_AND_DAYS and len(word) > 1
    first = mention.said.lstrip()[:1]
    beaten = low.endswith("ing") and first.isupper()  # "beating [Italy]"
    return compound and not beaten and (word[0].isupper() == first.isupper() or word[0].islower())
